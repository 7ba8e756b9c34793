/**
 * F19: notices changes in urgent correction sheets between scheduled builds. Only the bytes are compared; a build reads them. A sheet that has
 * not changed costs a conditional request, or a read of its file.
 */
import { createHash } from 'node:crypto';
import { messageOf } from '../../../src/calendar/errors.ts';
import type { BuildRecord } from '../../../src/upkeep.ts';
import type { Program, Service } from '../../annex.ts';
import { startPolling } from '../../kit/polling.ts';
import { type Feed, readFeeds } from './config.ts';
import { ACCEPT, conditionsOf } from './documents.ts';
import { FeedProblem, LONGEST_PAUSE_SECONDS } from './feed-problem.ts';
import type { Validator } from './feed-state.ts';
import {
  type FeedSettings,
  type FetchContext,
  fetchFeed,
  keyHeader,
  refusedStatus,
  validatorOf,
} from './fetch.ts';
import { inLanes } from './lanes.ts';
import { readSourceFile } from './source-file.ts';
import { createBuildBudget, createRetries, type Retries } from './urgent-builds.ts';
import { createReceipts } from './urgent-receipts.ts';

interface UrgentOptions extends Pick<Program, 'log' | 'random' | 'clock' | 'reportState' | 'previous'> {
  readonly source: string;
  readonly feedSettings: FeedSettings;
  /** Begins a build that reads these feeds again. */
  readonly build: (feeds: readonly string[]) => void;
  /** Milliseconds between two looks at the sheets. */
  readonly pollMs?: number;
}

const POLL_MS = 30_000;
/** Sheets that are looked at together: one that does not answer delays only a few others. */
const MOST_AT_ONCE = 4;
/** A sheet of 2,000 corrections has less. A larger or slower one is left to the scheduled builds. */
const MOST_BYTES = 1_048_576;
const MOST_SECONDS = 10;
/** Milliseconds until a sheet that is too large is looked at again: it may cost the whole limit each time. */
const TOO_LARGE_PAUSE_MS = 900_000;

/** Looks at the sheets until it is stopped. The first look begins at once, and so before the builder's first build reads them. */
export function watchUrgentSheets(options: UrgentOptions): Required<Service> {
  const { source, feedSettings, build, log, random, pollMs = POLL_MS } = options;
  const stopping = new AbortController();
  const receipts = createReceipts(options);
  const retries = createRetries(options.clock);
  const look = createLook(
    { ...options, receipts, retries },
    { ...feedSettings, source, signal: stopping.signal },
  );
  const checkSheets = async () => {
    // An invalid list stops builds, and they say why.
    const feeds = await readFeeds(source).catch(() => null);
    const changed: string[] = [];
    const urgentSheets = feeds?.filter(({ urgent }) => urgent) ?? [];
    await inLanes(urgentSheets, MOST_AT_ONCE, async (sheet) => {
      if (await look(sheet)) changed.push(sheet.id);
    });
    if (stopping.signal.aborted) return;
    receipts.endRound(feeds && urgentSheets.map(({ id }) => id));
    if (changed.length > 0) {
      log.info({ feeds: changed.join(' ') }, 'urgent build requested');
      retries.begin();
      build(changed);
    }
  };
  const attempt = async () => {
    await checkSheets();
    // A sheet that fails has pauses of its own, so the polling never slows down.
    return true;
  };
  const { stop } = startPolling({ attempt, pollMs, random, stopping });
  const onBuild = (record: BuildRecord) => retries.addBuild(receipts.addBuild(record));
  return { onBuild, stop };
}

/** What is known of a sheet. */
interface Sheet {
  /** The content of the last look, and of the last build that was begun for it; null before the first look. */
  seen: string | null;
  built: string | null;
  validator: Validator | undefined;
  /** Why the last look failed; null if it did not. */
  failure: string | null;
  /** Milliseconds since 1970. */
  notBefore: number;
  readonly takeBuild: () => boolean;
}

interface LookOptions extends Pick<UrgentOptions, 'log' | 'clock'> {
  readonly receipts: ReturnType<typeof createReceipts>;
  readonly retries: Retries;
}

/** Creates the function that looks at a sheet, and returns whether a build has to begin for it. It never rejects. */
function createLook(
  { log, clock, receipts, retries }: LookOptions,
  context: FetchContext,
): (feed: Feed) => Promise<boolean> {
  const sheets = new Map<string, Sheet>();
  const sheetOf = ({ id, url, file }: Feed): Sheet => {
    // The content of another address is no change of the sheet.
    const key = JSON.stringify([id, url, file]);
    const sheet = sheets.get(key) ?? {
      seen: null,
      built: null,
      validator: undefined,
      failure: null,
      notBefore: 0,
      takeBuild: createBuildBudget(clock),
    };
    sheets.set(key, sheet);
    return sheet;
  };

  function noteContent({ id }: Feed, sheet: Sheet, { hash, validator }: Content): void {
    const isNew = hash !== sheet.seen;
    sheet.validator = validator;
    sheet.seen = hash;
    // The build that begins together with the first look applies what that look finds. If the look failed, that build probably could not read
    // the sheet either.
    const isReadByFirstBuild = sheet.failure === null;
    // A change since the previous run, or one that waited then, needs another build, because its editor waits for a receipt.
    const isUnchanged = !receipts.isWaiting(id);
    if (isReadByFirstBuild && isUnchanged) sheet.built ??= receipts.contentOf(id) ?? hash;
    if (sheet.failure !== null) log.info({ feed: id }, 'urgent sheet read again');
    sheet.failure = null;
    receipts.addRead(id, hash);
    if (isNew && hash !== sheet.built) receipts.addChange(id);
  }

  function noteFailure({ id }: Feed, sheet: Sheet, cause: unknown): void {
    const reason = messageOf(cause);
    if (reason !== sheet.failure) log.warn({ feed: id, reason }, 'urgent sheet not read');
    sheet.failure = reason;
    receipts.addFailure(id, reason);
    sheet.notBefore = clock() + pauseAfter(cause);
  }

  /** Takes a build from the budget of a sheet with new content. Returns false if it has none, or no build is left. */
  function takeBuildFor(sheet: Sheet): boolean {
    if (sheet.seen === sheet.built || !sheet.takeBuild()) return false;
    sheet.built = sheet.seen;
    return true;
  }

  /** Whether a build has to be repeated for a sheet. A build could not read a sheet that fails either. */
  function needsRepeat({ id }: Feed, { failure }: Sheet): boolean {
    return failure === null && receipts.isWaiting(id) && retries.isDue();
  }

  return async (feed) => {
    const sheet = sheetOf(feed);
    if (clock() < sheet.notBefore) return false;
    try {
      noteContent(feed, sheet, await contentOf(feed, sheet, context));
    } catch (cause) {
      if (context.signal.aborted) return false;
      noteFailure(feed, sheet, cause);
    }
    return takeBuildFor(sheet) || needsRepeat(feed, sheet);
  };
}

/** Milliseconds. */
function pauseAfter(cause: unknown): number {
  if (!(cause instanceof FeedProblem)) return 0;
  if (cause.reason === 'size limit') return TOO_LARGE_PAUSE_MS;
  return Math.min(cause.retryAfter ?? 0, LONGEST_PAUSE_SECONDS) * 1_000;
}

interface Content {
  readonly hash: string;
  readonly validator: Validator | undefined;
}

/** Throws FeedProblem. */
async function contentOf(feed: Feed, { seen, validator }: Sheet, context: FetchContext): Promise<Content> {
  const { bytes, seconds, redirects } = feed.limits;
  const limits = { bytes: Math.min(bytes, MOST_BYTES), seconds: Math.min(seconds, MOST_SECONDS), redirects };
  const { url, file } = feed;
  if (url === null) return { hash: hashOf(await readSourceFile({ file, limits }, context)), validator };
  const headers = { ...conditionsOf(validator), accept: ACCEPT.table, ...keyHeader(feed, context) };
  const answer = await fetchFeed(context, { url, headers, limits });
  if (answer.status === 304 && seen !== null) return { hash: seen, validator };
  if (answer.status < 200 || answer.status > 299) throw refusedStatus(new URL(url).host, answer);
  return { hash: hashOf(answer.body), validator: validatorOf(answer.headers) };
}

function hashOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
