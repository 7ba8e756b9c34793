/**
 * H10: POSTs each publication to every hook. A hook gets its POSTs in order, each retried after growing pauses; one that fails or hangs
 * delays neither builds nor other hooks.
 */
import { messageOf } from '../../../src/calendar/errors.ts';
import type { CoreSettings } from '../../../src/settings/core.ts';
import { parseManifest, readManifestText } from '../../../src/snapshot/manifest.ts';
import type { ChangeCounts } from '../../../src/upkeep.ts';
import type { AfterBuild, BuildPart, Program, Published, Service } from '../../annex.ts';
import { retry } from '../../kit/polling.ts';
import { bodyOf, createPost, nameOf, type Post, type PostSettings } from './post.ts';

const FIRST_PAUSE_MS = 15_000;
const LONGEST_PAUSE_MS = 600_000;
/** Milliseconds for which one POST is retried by a long-running program. */
const PATIENCE_MS = 3_600_000;
/** Milliseconds for which it is retried after `npm run rebuild`, which people wait for, and the pause between its attempts. */
const REBUILD_PATIENCE_MS = 60_000;
const REBUILD_PAUSE_MS = 5_000;
/** POSTs of a hook that wait for earlier ones; beyond it the oldest is dropped. */
const MOST_WAITING = 20;

interface HookSettings extends CoreSettings, PostSettings {
  readonly hooks: readonly URL[];
}

export function create(settings: HookSettings): BuildPart {
  const post = createPost(settings);
  return {
    startService: (program) => startHooks(settings, post, program),
    afterBuild: (_, published, clock) => postAfterBuild(settings.hooks, { post, published, clock }),
  };
}

interface Posting {
  readonly post: Post;
  readonly published: Published;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
}

/** For `npm run rebuild`, which waits for all hooks. */
async function postAfterBuild(
  hooks: readonly URL[],
  { post, published, clock }: Posting,
): Promise<AfterBuild | null> {
  const body = bodyOf(published);
  if (body === null) return null;
  // Nothing stops this command early: each POST and the retries have their own time limits.
  const { signal } = new AbortController();
  const failureOf = async (url: URL): Promise<string | null> => {
    const mayPause = deadlineIn(REBUILD_PATIENCE_MS, clock);
    const pauseMs = () => (mayPause(REBUILD_PAUSE_MS) ? REBUILD_PAUSE_MS : null);
    try {
      await retry({ attempt: () => post(url, body, signal), pauseMs });
      return null;
    } catch (cause) {
      return `${nameOf(url)}: ${messageOf(cause)}`;
    }
  };
  const failures = (await Promise.all(hooks.map(failureOf))).filter((failure) => failure !== null);
  const accepted = hooks.length - failures.length;
  const line = [`hooks: ${accepted} of ${hooks.length} accepted`, ...failures].join('; ');
  return { value: { accepted, failures }, line, isFailed: false };
}

function startHooks({ hooks, snapshots }: HookSettings, post: Post, program: Program): Service {
  const stopping = new AbortController();
  const deliver = createDelivery(post, program, { hooks, signal: stopping.signal });
  const queues = hooks.map((url) =>
    createQueue({
      work: (body) => deliver(url, body),
      onDrop: () => program.log.warn({ hook: nameOf(url), waiting: MOST_WAITING }, 'hook POST dropped'),
    }),
  );

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
function createDelivery(
  post: Post,
  { log, clock, random, reportState }: Program,
  { hooks, signal }: { readonly hooks: readonly URL[]; readonly signal: AbortSignal },
) {
  const health = createHookHealth(hooks, reportState, clock);
  const addFailure = (url: URL, cause: unknown) => {
    const reason = messageOf(cause);
    if (!health.isFailing(url)) log.warn({ hook: nameOf(url), reason }, 'hook failed');
    health.fail(url, reason);
  };
  return async (url: URL, body: string): Promise<void> => {
    const mayPause = deadlineIn(PATIENCE_MS, clock);
    const attempt = async () => {
      try {
        await post(url, body, signal);
      } catch (cause) {
        if (!signal.aborted) addFailure(url, cause);
        throw cause;
      }
    };
    const pauseMs = (attempts: number) => {
      const pause = pauseAfter(attempts, random);
      return !signal.aborted && mayPause(pause) ? pause : null;
    };
    try {
      await retry({ attempt, pauseMs, signal });
      health.succeed(url);
    } catch {
      if (!signal.aborted) log.warn({ hook: nameOf(url) }, 'hook given up');
    }
  };
}

/** Milliseconds. The pauses grow, with a random part, so that hooks that failed together are not all tried again at once. */
function pauseAfter(attempts: number, random: () => number): number {
  return Math.min(FIRST_PAUSE_MS * (2 ** attempts - 1), LONGEST_PAUSE_MS) + random() * FIRST_PAUSE_MS;
}

interface HookHealth {
  readonly isFailing: (url: URL) => boolean;
  readonly fail: (url: URL, reason: string) => void;
  readonly succeed: (url: URL) => void;
}

/** Reports to servers the hooks that fail, the longest first. */
function createHookHealth(
  hooks: readonly URL[],
  reportState: Program['reportState'],
  clock: Program['clock'],
): HookHealth {
  const failing = new Map<URL, { readonly since: number; readonly reason: string }>();
  const report = () => {
    const states = [...failing].map(([url, failure]) => ({
      host: url.host,
      number: hooks.indexOf(url) + 1,
      ...failure,
    }));
    reportState({ hooks: states });
  };
  return {
    isFailing: (url) => failing.has(url),
    fail: (url, reason) => {
      failing.set(url, { since: failing.get(url)?.since ?? clock(), reason });
      report();
    },
    succeed: (url) => {
      failing.delete(url);
      report();
    },
  };
}

interface QueueOptions {
  readonly work: (body: string) => Promise<void>;
  /** Called when the oldest body is dropped, because too many wait. */
  readonly onDrop: () => void;
}

/** Creates the function that adds a body to a queue. The work on each begins after that on the one before. */
function createQueue({ work, onDrop }: QueueOptions): (body: string) => void {
  const waiting: string[] = [];
  let isWorking = false;

  async function drain(): Promise<void> {
    isWorking = true;
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await work(next);
    isWorking = false;
  }

  return (body) => {
    waiting.push(body);
    if (waiting.length > MOST_WAITING) {
      waiting.shift();
      onDrop();
    }
    if (!isWorking) void drain();
  };
}

/** Creates the function that decides whether a pause ends before the deadline. Milliseconds. */
export function deadlineIn(ms: number, clock: () => number): (pause: number) => boolean {
  const end = clock() + ms;
  return (pause) => clock() + pause <= end;
}
