/**
 * L2: the pages that a listing links to. A page is asked for again after three hours. If that fails, its copy is used, and the page is tried
 * again after an hour.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { DAY, isoSecond } from '../../../../src/calendar/time.ts';
import { shorten } from '../../../findings.ts';
import type { PageCounts } from '../../../report/summary.ts';
import { decodeText } from '../../../source/encodings.ts';
import { FeedProblem } from '../feed-problem.ts';
import type { NewFinding } from '../last-good.ts';
import type { Ask, FetchedDocument } from '../reading.ts';
import type { ImportRequest } from '../refresh.ts';
import type { RequestBudget } from '../request-budget.ts';
import type { PageCopies, PageState } from './page-copies.ts';
import { scriptsIn } from './page-parts.ts';
import { readScriptJson } from './script-json.ts';

/** A page is not asked for again for three hours. */
export const FRESH_SECONDS = 3 * 3_600;
/** A page that could not be read is tried again after an hour. */
export const RETRY_SECONDS = 3_600;
/** After so many failures one after the other, a site counts as down, and no further page of it is asked for. */
const MOST_FAILURES = 5;

/** The `readAt` of a page that was read before, but whose copy is lost or was never stored. */
const UNKNOWN_MOMENT = 0;

interface LinkedContext {
  readonly request: ImportRequest;
  readonly ask: Ask;
  readonly budget: Pick<RequestBudget, 'take'>;
  readonly copies: PageCopies;
  /** Between two requests. */
  readonly pauseSeconds: number;
}

interface LinkedPages {
  /** In the order of the links. */
  readonly documents: readonly FetchedDocument[];
  /** Findings about pages that could not be read. */
  readonly notes: readonly NewFinding[];
  readonly counts: PageCounts;
}

/** Whether a page may be asked for again. */
export function isDue({ readAt, failing }: PageState, now: number): boolean {
  return now >= (failing?.retryAt ?? (readAt ?? 0) + FRESH_SECONDS);
}

/** Reads the pages one after the other. Throws FeedProblem if none can be used, or if one that was there before has neither answer nor copy. */
export async function readLinkedPages(
  links: readonly string[],
  context: LinkedContext,
): Promise<LinkedPages> {
  const { copies, budget } = context;
  const reader = createPageReader(context);
  const documents = new Map<string, FetchedDocument>();
  const isFailing = (link: string) => (copies.stateOf(link)?.failing ?? null) !== null;
  const workingFirst = links.toSorted((left, right) => Number(isFailing(left)) - Number(isFailing(right)));
  try {
    // Pages that failed before come last: otherwise, a few of them could make the site seem to be down.
    for (const link of workingFirst) {
      const document = await reader.read(link);
      budget.take(document?.bytes?.length ?? 0);
      if (document !== null) documents.set(link, { ...document, role: 'linked' });
    }
  } finally {
    await copies.save(links);
  }
  const problems = reader.problems();
  const [problem] = problems.values();
  if (documents.size === 0 && problem !== undefined) throw ofFeed(problem);
  return {
    documents: links.flatMap((link) => documents.get(link) ?? []),
    notes: links
      .filter((link) => problems.has(link))
      .flatMap((link) => noteOn(link, { hasCopy: documents.has(link), state: copies.stateOf(link) })),
    counts: { ...reader.counts(), failing: problems.size },
  };
}

interface PageReader {
  /** From the site or from its copy; null, with a problem, for a page that has neither. */
  readonly read: (link: string) => Promise<FetchedDocument | null>;
  readonly problems: () => ReadonlyMap<string, FeedProblem>;
  readonly counts: () => Omit<PageCounts, 'failing'>;
}

function createPageReader(context: LinkedContext): PageReader {
  const { request, copies } = context;
  const { now, before } = request;
  const askSite = createSite(context);
  const problems = new Map<string, FeedProblem>();
  let fetched = 0;
  let reused = 0;

  async function read(link: string): Promise<FetchedDocument | null> {
    const state = copies.stateOf(link);
    const copy = copyOf(link, copies);
    const isCurrent = state !== undefined && !isDue(state, now);
    if (isCurrent && state.failing !== null)
      return useCopy(link, copy, new FeedProblem(state.failing.reason, state.failing.why));
    const answer = isCurrent && copy !== null ? null : await askSite(link, copy);
    if (answer instanceof FeedProblem) {
      copies.update(link, { failing: failureOf(answer, state, now) });
      return useCopy(link, copy, answer);
    }
    if (answer === null) {
      if (!isCurrent) copies.update(link, { readAt: now, failing: null });
      reused += 1;
      return copy;
    }
    copies.replace(link, { ...answer, readAt: now });
    fetched += 1;
    return answer;
  }

  /** A new page is left out. For a day, the whole feed keeps its last good records if a page that was there before has no copy. */
  function useCopy(link: string, copy: FetchedDocument | null, problem: FeedProblem): FetchedDocument | null {
    const { readAt = null, failing = null } = copies.stateOf(link) ?? {};
    const wasThere = readAt !== null || (copies.isNew && before !== null);
    const isRecent = now - Date.parse(failing?.since ?? '') / 1000 < DAY;
    if (copy === null && wasThere && isRecent) {
      if (readAt === null) copies.update(link, { readAt: UNKNOWN_MOMENT });
      throw ofFeed(problem);
    }
    problems.set(link, problem);
    return copy;
  }

  return { read, problems: () => problems, counts: () => ({ fetched, reused }) };
}

type AskSite = (link: string, copy: FetchedDocument | null) => Promise<FetchedDocument | FeedProblem | null>;

/** Creates the function that asks for a page, with a pause before. Its answer is null if the copy is still the same. */
function createSite({ request, ask, pauseSeconds }: LinkedContext): AskSite {
  const { signal } = request.fetchContext;
  let failuresInRow = 0;
  let lastProblem: FeedProblem | null = null;
  return async (link, copy) => {
    if (lastProblem !== null && failuresInRow >= MOST_FAILURES) return lastProblem;
    await pause(pauseSeconds * 1000, undefined, { signal });
    try {
      const page = await ask(link, copy?.validator ?? undefined);
      failuresInRow = 0;
      return newlyBroken(page?.bytes ?? null, copy?.bytes ?? null) ?? page;
    } catch (cause) {
      signal.throwIfAborted();
      if (!(cause instanceof FeedProblem)) throw cause;
      failuresInRow += 1;
      lastProblem = cause;
      return cause;
    }
  };
}

/** `state`: before the failure. A site may ask for a pause of a day at most. */
function failureOf(problem: FeedProblem, state: PageState | undefined, now: number): PageState['failing'] {
  const { reason, message: why, retryAfter } = problem;
  return {
    since: state?.failing?.since ?? isoSecond(now),
    reason,
    why,
    retryAt: now + Math.min(Math.max(retryAfter ?? 0, RETRY_SECONDS), DAY),
  };
}

/** The problem of a page as that of its feed, which is tried again after an hour. */
function ofFeed(problem: FeedProblem): FeedProblem {
  const { reason, message, retryAfter } = problem;
  return new FeedProblem(reason, message, {
    cause: problem,
    retryAfter: Math.max(retryAfter ?? 0, RETRY_SECONDS),
  });
}

/** The copy of a page, or of the answer that it is gone; null without one. */
function copyOf(url: string, { stateOf, bytesOf }: PageCopies): FetchedDocument | null {
  const { validator = null } = stateOf(url) ?? {};
  const bytes = bytesOf(url);
  return bytes === null && validator?.isGone !== true ? null : { url, bytes, validator };
}

/** Bytes of a page that is checked here; larger ones are only read in the process that has limits. */
const MOST_CHECKED_BYTES = 1024 * 1024;

/** The script of a page that is not JSON, although all scripts of its copy are: events would be lost that were there before. */
function newlyBroken(page: Buffer | null, copy: Buffer | null): FeedProblem | null {
  if (page === null || copy === null) return null;
  const broken = brokenScriptIn(page);
  return broken === null || brokenScriptIn(copy) !== null ? null : broken;
}

function brokenScriptIn(page: Buffer): FeedProblem | null {
  if (page.length > MOST_CHECKED_BYTES) return null;
  for (const { text, line } of scriptsIn(decodeText(page).text, /ld\+json/i)) {
    const read = readScriptJson(text);
    if ('problem' in read)
      return new FeedProblem('unreadable answer', `line ${line}: expected JSON, found ${read.problem}`);
  }
  return null;
}

interface FailingPage {
  readonly hasCopy: boolean;
  readonly state: PageState | undefined;
}

function noteOn(link: string, { hasCopy, state }: FailingPage): readonly NewFinding[] {
  if (state === undefined || state.failing === null) return [];
  const { readAt, failing } = state;
  const copy = hasCopy ? `; its copy of ${isoSecond(readAt ?? 0)} is used` : '';
  return [
    {
      action: hasCopy ? 'changed value' : 'left out',
      field: shorten(new URL(link).pathname),
      expected: 'a page that can be read',
      found: `none since ${failing.since} (${failing.why})${copy}`,
    },
  ];
}
