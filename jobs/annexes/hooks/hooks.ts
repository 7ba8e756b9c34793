/**
 * H10: POSTs each publication to every hook. A hook gets its POSTs in order, each retried after growing pauses; one that fails or hangs
 * delays neither builds nor other hooks.
 */
import { createHmac } from 'node:crypto';
import { messageOf } from '../../../src/calendar/errors.ts';
import type { CoreSettings } from '../../../src/settings/core.ts';
import { parseManifest, readManifestText } from '../../../src/snapshot/manifest.ts';
import type { ChangeCounts } from '../../../src/upkeep.ts';
import type { AfterBuild, BuildPart, Program, Published, Service } from '../../annex.ts';
import { fetchWhole } from '../../kit/fetch.ts';
import { retry } from '../../kit/polling.ts';

/** Seconds that one attempt may take. */
const ATTEMPT_SECONDS = 10;
const FIRST_PAUSE_MS = 15_000;
const LONGEST_PAUSE_MS = 600_000;
/** Milliseconds for which one POST is retried: by a long-running program, and by `npm run rebuild`, which people wait for. */
const PATIENCE_MS = 3_600_000;
const REBUILD_PATIENCE_MS = 60_000;
const REBUILD_PAUSE_MS = 5_000;
/** POSTs of a hook that wait for earlier ones; beyond it the oldest is dropped. */
const MOST_WAITING = 20;
/** Bytes of a reply that are read and ignored. */
const REPLY_BYTES = 64 * 1_024;

interface HookSettings extends CoreSettings {
  readonly hooks: readonly URL[];
  readonly hookSecret: string | null;
  readonly allowPrivateFeeds: boolean;
}

type Post = (url: URL, body: string, signal: AbortSignal) => Promise<void>;

export function create(settings: HookSettings): BuildPart {
  const post: Post = (url, body, signal) => postOnce(settings, { url, body, signal });
  return {
    startService: (program) => startHooks(settings, post, program),
    afterBuild: (_, published, clock) => postAfterBuild(settings.hooks, { post, published, clock }),
  };
}

interface Posting {
  readonly post: Post;
  readonly published: Published;
  readonly clock: () => number;
}

/** For `npm run rebuild`, which waits for all hooks. */
async function postAfterBuild(
  hooks: readonly URL[],
  { post, published, clock }: Posting,
): Promise<AfterBuild | null> {
  const body = bodyOf(published);
  if (body === null) return null;
  const { signal } = new AbortController();
  const tried = hooks.map((url) => {
    const isWithin = deadlineIn(REBUILD_PATIENCE_MS, clock);
    const pauseMs = () => (isWithin(REBUILD_PAUSE_MS) ? REBUILD_PAUSE_MS : null);
    return retry({ attempt: () => post(url, body, signal), pauseMs }).then(
      () => [],
      (cause: unknown) => `${nameOf(url)}: ${messageOf(cause)}`,
    );
  });
  const failures = (await Promise.all(tried)).flat();
  const accepted = hooks.length - failures.length;
  const line = [`hooks: ${accepted} of ${hooks.length} accepted`, ...failures].join('; ');
  return { value: { accepted, failures }, line, isFailed: false };
}

function startHooks({ hooks, snapshots }: HookSettings, post: Post, program: Program): Service {
  const stopping = new AbortController();
  const deliver = createDelivery(post, program, stopping.signal);
  const queues = hooks.map((url) => createQueue((body) => deliver(url, body)));

  async function publish(id: string | null, changes: ChangeCounts): Promise<void> {
    const manifest = parseManifest((await readManifestText(snapshots)) ?? '');
    // A later build that has published meanwhile has its own POST.
    const body = manifest.id === id ? bodyOf({ ...manifest, changes }) : null;
    if (body !== null) for (const add of queues) add(body);
  }

  return {
    onBuild: ({ outcome, id, changes }) => {
      if (outcome !== 'published' || changes === undefined) return;
      publish(id, changes).catch((cause) =>
        program.log.warn({ id, reason: messageOf(cause) }, 'hooks skipped'),
      );
    },
    stop: async () => stopping.abort(),
  };
}

/** Creates the function that posts to a hook until it succeeds or its time is over. It never rejects. */
function createDelivery(post: Post, { log, clock, random, reportState }: Program, signal: AbortSignal) {
  const health = createHookHealth(reportState, clock);
  return async (url: URL, body: string): Promise<void> => {
    const isWithin = deadlineIn(PATIENCE_MS, clock);
    const pauseMs = (attempts: number, cause: unknown) => {
      if (signal.aborted) return null;
      const reason = messageOf(cause);
      if (!health.isFailing(url)) log.warn({ hook: nameOf(url), reason }, 'hook failed');
      health.fail(url, reason);
      const growing = Math.min(FIRST_PAUSE_MS * (2 ** attempts - 1), LONGEST_PAUSE_MS);
      const pause = growing + random() * FIRST_PAUSE_MS;
      return isWithin(pause) ? pause : null;
    };
    try {
      await retry({ attempt: () => post(url, body, signal), pauseMs, signal });
      health.succeed(url);
    } catch {
      if (!signal.aborted) log.warn({ hook: nameOf(url) }, 'hook given up');
    }
  };
}

/** Reports to servers the hook that has failed for longest. */
function createHookHealth(reportState: Program['reportState'], clock: Program['clock']) {
  const failing = new Map<URL, { readonly since: number; readonly reason: string }>();
  const reportLongest = () => {
    const [longest] = failing;
    reportState({ hook: longest === undefined ? null : { host: longest[0].host, ...longest[1] } });
  };
  return {
    isFailing: (url: URL) => failing.has(url),
    fail: (url: URL, reason: string) => {
      failing.set(url, { since: failing.get(url)?.since ?? clock(), reason });
      reportLongest();
    },
    succeed: (url: URL) => {
      failing.delete(url);
      reportLongest();
    },
  };
}

/** With its path, because one host often has several; a query, a name and a password may be secrets. */
function nameOf({ host, pathname }: URL): string {
  return `${host}${pathname === '/' ? '' : pathname}`;
}

/** Null for a publication without changes, such as one that only moves the horizon. */
function bodyOf({ id, builtAt, counts, changes }: Published): string | null {
  const { added, changed, removed } = changes;
  if (added + changed + removed === 0) return null;
  return JSON.stringify({ id, builtAt, counts, added, changed, removed });
}

/** Works on one body after the other, in order. */
function createQueue(work: (body: string) => Promise<void>): (body: string) => void {
  const waiting: string[] = [];
  let isAtWork = false;

  async function drain(): Promise<void> {
    isAtWork = true;
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await work(next);
    isAtWork = false;
  }

  return (body) => {
    waiting.push(body);
    if (waiting.length > MOST_WAITING) waiting.shift();
    if (!isAtWork) void drain();
  };
}

/** Whether a pause, in milliseconds, ends within this time from now. */
export function deadlineIn(ms: number, clock: () => number): (pause: number) => boolean {
  const end = clock() + ms;
  return (pause) => clock() + pause <= end;
}

/** Rejects unless the answer is a 2xx. */
async function postOnce(
  { hookSecret: secret, allowPrivateFeeds }: HookSettings,
  post: { readonly url: URL; readonly body: string; readonly signal: AbortSignal },
): Promise<void> {
  const signature = secret === null ? null : createHmac('sha256', secret).update(post.body).digest('hex');
  const { status } = await fetchWhole({
    ...post,
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'user-agent': 'almanakk (event calendar; hooks)',
      ...(signature !== null && { 'x-almanakk-signature': `sha256=${signature}` }),
    },
    limits: { bytes: REPLY_BYTES, seconds: ATTEMPT_SECONDS, redirects: 0 },
    mayBePrivate: () => allowPrivateFeeds,
  });
  if (status < 200 || status > 299) throw new Error(`expected a status of 2xx, found ${status}`);
}
