/** Reads each feed's records. If one of them fails, the others continue, and it keeps its last ones. */
import { rm } from 'node:fs/promises';
import { messageOf } from '../../../src/calendar/errors.ts';
import { failureText } from '../../../src/calendar/failures.ts';
import { listOfFeed } from '../../../src/calendar/feed-ids.ts';
import { isoSecond } from '../../../src/calendar/time.ts';
import type { AddOptions } from '../../annex.ts';
import type { FeedCounts, FeedHealth, PageCounts } from '../../report/summary.ts';
import { configHash, type Feed } from './config.ts';
import { FeedProblem, LONGEST_PAUSE_SECONDS } from './feed-problem.ts';
import {
  type CopyPaths,
  copiesPath,
  draftPath,
  type FeedState,
  lastGoodPath,
  moveIntoPlace,
  NO_STATE,
  readState,
  type Validators,
  writeState,
} from './feed-state.ts';
import type { FeedSettings, FetchContext } from './fetch.ts';
import { refuseShrunk, refuseSuspicious, refuseTooManyDates } from './growth.ts';
import { inLanes } from './lanes.ts';
import { type LastGood, openLastGood } from './last-good.ts';

interface RefreshOptions extends Pick<AddOptions, 'target' | 'now' | 'horizonDay' | 'force'> {
  readonly feedSettings: FeedSettings;
  readonly source: string;
  readonly importerOf: (kind: Feed['kind']) => Importer;
  /** F18: the feeds that lists among these feeds have. */
  readonly feedsOfLists: (refreshed: readonly RefreshedFeed[]) => Promise<readonly Feed[]>;
}

/** Feeds that are read at once. */
const MOST_AT_ONCE = 4;

/** `jobs/bundle.mjs` inserts it when it compiles. Sources that run without being compiled have none. */
declare const FINGERPRINT_OF_READERS: string | undefined;

/** After a change of the readers, all feeds are read again: the same feed may give other records. */
const READERS_FINGERPRINT = typeof FINGERPRINT_OF_READERS === 'undefined' ? '' : FINGERPRINT_OF_READERS;

export interface ImportRequest extends Pick<AddOptions, 'now' | 'horizonDay'> {
  readonly feed: Feed;
  readonly fetchContext: FetchContext;
  /** The state of the last reading, if its records were made from the same feed by the same rules and still exist; else null. */
  readonly lastState: FeedState | null;
  /** Its last good records, from any version of this program; null if there are none. */
  readonly before: LastGood | null;
  /** Path for new records, which are flushed to disk. */
  readonly draft: string;
  /** Where copies of the pages that a listing links to are. */
  readonly copies: CopyPaths;
  /** Called when the pages of a listing have been read. */
  readonly notePages: (pages: PageCounts) => void;
}

/** New records in the draft, and what they were made of. */
export interface Imported {
  readonly source: string | null;
  readonly bytes: number;
  readonly validators: Validators;
}

/** The feed was fetched, and is the same as before. */
interface SameContent {
  readonly isUnchanged: true;
  readonly validators: Validators;
}

/** Null if the server says that nothing has changed. Throws FeedProblem if the feed cannot be fetched or is invalid. */
export type Importer = (request: ImportRequest) => Promise<Imported | SameContent | null>;

export interface RefreshedFeed {
  readonly feed: Feed;
  readonly health: FeedHealth;
  /** Its last good records; null if there are none. */
  readonly lastGood: LastGood | null;
}

/** The feeds in their order, and then those of lists, after each has been read. A feed that fails keeps its last good records. */
export async function refreshFeeds(
  feeds: readonly Feed[],
  options: RefreshOptions,
): Promise<readonly RefreshedFeed[]> {
  const { feedSettings, source } = options;
  const { seconds } = feedSettings;
  const controller = new AbortController();
  const tooLate = new FeedProblem('time limit', failureText('lateFeeds', { seconds }));
  const timer = setTimeout(() => controller.abort(tooLate), seconds * 1000);
  const fetchContext = { ...feedSettings, source, signal: controller.signal };
  try {
    const own = inOrder(await refreshEach(feeds, { ...options, fetchContext }), feeds);
    const listed = await options.feedsOfLists(own);
    const read = await refreshEach(inTurn(listed), { ...options, fetchContext });
    return [...own, ...inOrder(read, listed)];
  } finally {
    clearTimeout(timer);
  }
}

/** The feeds in turn: the first of each list, then the second of each. A list with many slow feeds delays those of others no more than that. */
function inTurn(listed: readonly Feed[]): readonly Feed[] {
  const counts = new Map<string, number>();
  const placed = listed.map((feed) => {
    const list = listOfFeed(feed.id);
    const place = counts.get(list) ?? 0;
    counts.set(list, place + 1);
    return { feed, place };
  });
  return placed.toSorted((left, right) => left.place - right.place).map(({ feed }) => feed);
}

/** Some at once; their results come in any order. */
async function refreshEach(feeds: readonly Feed[], options: Refreshing): Promise<readonly RefreshedFeed[]> {
  const refreshed: RefreshedFeed[] = [];
  await inLanes(feeds, MOST_AT_ONCE, async (feed) => {
    refreshed.push(await refresh(feed, options));
  });
  return refreshed;
}

function inOrder(refreshed: readonly RefreshedFeed[], feeds: readonly Feed[]): readonly RefreshedFeed[] {
  const byFeed = new Map(refreshed.map((one) => [one.feed, one]));
  return feeds.flatMap((feed) => byFeed.get(feed) ?? []);
}

const NO_COUNTS: FeedCounts = { entries: 0, events: 0, merged: 0, dropped: 0 };

type Refreshing = RefreshOptions & { readonly fetchContext: FetchContext };
/** For one feed. */
type Reading = Refreshing & Pick<ImportRequest, 'notePages'>;

/** Reads one feed, unless it is skipped, and stores its state. */
async function refresh(feed: Feed, options: Refreshing): Promise<RefreshedFeed> {
  const { target } = options;
  let pages: PageCounts | undefined;
  const notePages = (counts: PageCounts) => {
    pages = counts;
  };
  const last = await lastReadingOf(feed, target);
  const state = await stateAfterReading(feed, last, { ...options, notePages });
  await writeState(target, feed.id, state);
  const lastGood = await usableLastGood(feed, state, target);
  const health = { ...healthOf(feed, state, lastGood), ...expectationOf(feed, state) };
  return { feed, health: pages === undefined ? health : { ...health, pages }, lastGood };
}

/** If there are no usable records, the feed is read as if for the first time. */
async function lastReadingOf(feed: Feed, target: string): Promise<LastReading> {
  const state = await readState(target, feed.id);
  const before = await usableLastGood(feed, state, target);
  return { before, state: before === null ? { ...NO_STATE, failing: state.failing } : state };
}

/** The last state if the feed is skipped, with the failure if the feed cannot be read. */
async function stateAfterReading(feed: Feed, last: LastReading, options: Reading): Promise<FeedState> {
  const { target, now } = options;
  try {
    const fault = feed.list?.fault ?? null;
    if (fault !== null) throw new FeedProblem('row', fault);
    if (isSkipped(feed, last.before, options.feedSettings)) return last.state;
    const read = await importFeed(feed, last, options);
    const readAt = isoSecond(now);
    return { ...read, readAt, changedAt: read.changedAt ?? readAt, shrunkAt: null, failing: null };
  } catch (thrown) {
    await rm(draftPath(target, feed.id), { force: true });
    const { signal } = options.fetchContext;
    // An aborted request fails with an error that does not say why it was aborted.
    return failedState(last.state, signal.aborted ? signal.reason : thrown, now);
  }
}

/** `--local`: remote feeds are not read if they have records. */
function isSkipped(feed: Feed, before: LastGood | null, settings: FeedSettings): boolean {
  const { isLocal = false, readAgain = [] } = settings;
  return isLocal && before !== null && feed.file === null && !readAgain.includes(feed.id);
}

function healthOf(feed: Feed, { failing, readAt }: FeedState, lastGood: LastGood | null): FeedHealth {
  const failingState = lastGood === null ? 'failed' : 'stale';
  return {
    id: feed.id,
    kind: feed.kind,
    state: failing === null ? 'ok' : failingState,
    since: failing?.since ?? null,
    readAt,
    reason: failing?.reason ?? null,
    why: failing?.why ?? null,
    counts: lastGood?.end.counts ?? NO_COUNTS,
  };
}

/** H12: a server compares it with its clock, because builds of an unchanged source publish nothing. */
function expectationOf(
  { expectChangesWithinDays }: Feed,
  { changedAt }: FeedState,
): Pick<FeedHealth, 'expectedChange'> {
  if (expectChangesWithinDays === null || changedAt === null) return {};
  return { expectedChange: { last: changedAt, withinDays: expectChangesWithinDays } };
}

/**
 * The feed's last good records; null if there are none, or if a line cannot be used: a build must not stop for that. Each line is read to
 * find out, unless these are the records of the state, as this version wrote them.
 */
async function usableLastGood(
  feed: Feed,
  { config, slice }: FeedState,
  target: string,
): Promise<LastGood | null> {
  const lastGood = await openLastGood(lastGoodPath(target, feed.id));
  if (lastGood === null) return null;
  const isAsWritten = config === configHash(feed, READERS_FINGERPRINT) && (await lastGood.hash()) === slice;
  return isAsWritten || (await lastGood.isReadable()) ? lastGood : null;
}

/** The last reading of a feed. */
type LastReading = Pick<ImportRequest, 'before'> & { readonly state: FeedState };

/** The feed's new state, with its new records in place if it has any. Throws if the old one is to be used. */
async function importFeed(feed: Feed, last: LastReading, options: Reading): Promise<FeedState> {
  const { state, before } = last;
  const { target, importerOf, now, horizonDay, force, notePages } = options;
  const fetchContext = { ...options.fetchContext, privateHost: feed.list?.host };
  fetchContext.signal.throwIfAborted();
  if (!force) refuseTooEarly(state, now);
  const config = configHash(feed, READERS_FINGERPRINT);
  const isSame = state.config === config && (await before?.hash()) === state.slice;
  const draft = draftPath(target, feed.id);
  const imported = await importerOf(feed.kind)({
    feed,
    fetchContext,
    lastState: isSame ? state : null,
    before,
    now,
    horizonDay,
    draft,
    copies: { path: copiesPath(target, feed.id), draft: `${draft}.pages` },
    notePages,
  });
  if (imported === null) return state;
  if ('isUnchanged' in imported) return { ...state, validators: imported.validators };
  const hash = await adoptDraft(feed, imported, last, options);
  // The records count, not the bytes: a build publishes a later time only if it also publishes other records.
  const changedAt = hash === state.slice ? state.changedAt : isoSecond(now);
  return { ...state, slice: hash, config, changedAt, ...imported };
}

/** The server of a feed that fails may have asked for a pause. */
function refuseTooEarly({ failing }: FeedState, now: number): void {
  const retryAfter = Date.parse(failing?.notBefore ?? '') / 1000 - now;
  if (failing !== null && retryAfter > 0) throw new FeedProblem(failing.reason, failing.why, { retryAfter });
}

/** Moves new records into place, unless they look wrong beside the last ones; returns their hash. */
async function adoptDraft(
  feed: Feed,
  { bytes }: Imported,
  { state, before }: LastReading,
  { target, force, now }: Refreshing,
): Promise<string> {
  const draft = draftPath(target, feed.id);
  const fresh = await openLastGood(draft);
  if (fresh === null)
    throw new FeedProblem('unexpected failure', 'expected records to be written, found none');
  const hash = await fresh.hash();
  const reading = { ...fresh.end, bytes };
  if (!force && before === null) refuseTooManyDates(reading);
  if (!force && before !== null) {
    refuseSuspicious(feed, { ...before.end, bytes: state.bytes }, reading);
    await refuseShrunk(feed, { before, after: fresh, shrunkAt: state.shrunkAt, now });
  }
  await moveIntoPlace(draft, lastGoodPath(target, feed.id));
  return hash;
}

/** The last state of a feed that cannot be read now. `since` is when it began to fail; the reason is that of the current failure. */
function failedState(last: FeedState, thrown: unknown, now: number): FeedState {
  const problem = thrown instanceof FeedProblem ? thrown : null;
  const wait = Math.min(problem?.retryAfter ?? 0, LONGEST_PAUSE_SECONDS);
  const isShrunk = problem?.reason === 'much smaller than before';
  return {
    ...last,
    failing: {
      since: last.failing?.since ?? isoSecond(now),
      reason: problem?.reason ?? 'unexpected failure',
      why: messageOf(thrown),
      notBefore: wait > 0 ? isoSecond(now + wait) : null,
    },
    shrunkAt: last.shrunkAt ?? (isShrunk ? isoSecond(now) : null),
  };
}
