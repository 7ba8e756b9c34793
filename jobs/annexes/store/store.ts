/** J1: updates a builder's object store: once after a build, or for as long as it runs. */
import type { StoreState } from '../../../src/annexes/common/upkeep.ts';
import { CalendarError, messageOf } from '../../../src/calendar/errors.ts';
import type { Log } from '../../../src/calendar/log.ts';
import type { CoreSettings } from '../../../src/settings/core.ts';
import type { BuildPart, Program, Service } from '../../annex.ts';
import { openFolderStore } from '../../kit/folder-store.ts';
import { type Polling, type RetryOptions, retry, startPolling } from '../../kit/polling.ts';
import { openStore, StoreProblem } from '../../kit/s3.ts';
import type { InStore } from '../../kit/s3-settings.ts';
import { type Foreign, NewerThere, type Replication, replicateAll, type Targets } from './replicate.ts';

interface StoreSettings extends CoreSettings, InStore {
  /** Ends in a slash; null for a builder that publishes no snapshots. */
  readonly publish: URL | null;
  /** J5: likewise, for the public edition alone. */
  readonly publishPublic: URL | null;
}

/** Throws INVALID_SETTING. */
export function create(settings: StoreSettings): BuildPart {
  checkPublicTarget(settings);
  const { snapshots: folder } = settings;
  const startService = ({ reportState, ...program }: Program): Service => {
    const stopping = new AbortController();
    const targets = targetsOf(settings, stopping.signal, program.clock);
    const onState = (state: StoreState) => reportState({ store: state });
    const watch = watchStore({ ...program, ...targets, folder, stopping, onState });
    return { onBuild: watch.wake, stop: watch.stop };
  };
  const afterBuild: BuildPart['afterBuild'] = async (target, _, clock) => {
    try {
      const targets = targetsOf(settings, new AbortController().signal, clock);
      const { bytes, replaced } = await replicateNow(target, targets);
      const rival = replaced && `, instead of ${replaced.id} from another builder`;
      const sent = `published to the store, ${bytes} bytes${rival ?? ''}`;
      const line = bytes === 0 ? 'the store already has it' : sent;
      return { value: { bytes, replaced }, line, isFailed: false };
    } catch (cause) {
      const reason = messageOf(cause);
      return { value: { reason }, line: `Published here, but not to the store. ${reason}`, isFailed: true };
    }
  };
  return { startService, afterBuild };
}

/** J5: a web root never gets the private file, and has something to get. */
function checkPublicTarget({ publish, publishPublic, publicFile }: StoreSettings): void {
  if (publishPublic === null) return;
  if (!publicFile)
    throw new CalendarError(
      'INVALID_SETTING',
      'ALMANAKK_PUBLISH_PUBLIC: expected ALMANAKK_PUBLIC_FILE=true with it, found false',
    );
  if (publish !== null && publishPublic.href.startsWith(publish.href))
    throw new CalendarError(
      'INVALID_SETTING',
      `ALMANAKK_PUBLISH_PUBLIC: expected a place outside of ALMANAKK_PUBLISH, found ${publishPublic.href}`,
    );
}

function targetsOf(settings: StoreSettings, signal: AbortSignal, clock: () => number): Targets {
  const { publish, publishPublic, s3, buildTimeoutSeconds } = settings;
  const totalMs = buildTimeoutSeconds * 1_000;
  const open = (location: URL | null, audience: 'owner' | 'everybody') => {
    if (location === null) return null;
    if (location.protocol === 'file:') return openFolderStore(location, audience);
    return s3 && openStore({ location, s3, signal, clock, totalMs });
  };
  return { store: open(publish, 'owner'), publicStore: open(publishPublic, 'everybody') };
}

/** For `rebuild`, which waits: a few attempts. */
export function replicateNow(
  folder: string,
  targets: Targets,
  how: Pick<RetryOptions, 'pause'> = {},
): Promise<Replication> {
  return retry({
    attempt: () => replicateAll(folder, targets),
    pauseMs: (tries, cause) => (tries === MOST_TRIES || !mayPass(cause) ? null : 1_000 * 2 ** (tries - 1)),
    ...how,
  });
}

const MOST_TRIES = 4;

/** A refusal of this machine, or another builder's build, will not change within seconds. */
function mayPass(cause: unknown): boolean {
  return !(cause instanceof NewerThere) && !whyOf(cause).startsWith('status 4');
}

/** One or two words, for metrics. */
function whyOf(thrown: unknown): string {
  return thrown instanceof StoreProblem ? thrown.why : 'other';
}

/** Requests of the targets must abort with `stopping`. */
interface WatchFolderOptions extends Pick<Program, 'clock' | 'random'>, Targets {
  readonly folder: string;
  readonly stopping: AbortController;
  readonly log: Pick<Log, 'info' | 'warn'>;
  /** Called whenever any part of it changes. */
  readonly onState: (state: StoreState) => void;
  /** Milliseconds between two checks while all succeed. */
  readonly pollMs?: number;
  /** Milliseconds: the first pause after a failure is one to two times as long. It doubles with each further one, up to a minute. */
  readonly retryMs?: number;
}

/** Milliseconds until changes by others in the store are noticed. */
const POLL_MS = 60_000;
const RETRY_MS = 2_000;
/** Milliseconds. Two builders with one bucket meet at each build; one that was moved away is forgotten. */
const RIVAL_MS = 86_400_000;

export function watchStore(options: WatchFolderOptions): Polling {
  const { folder, store, publicStore = null, stopping, log, clock, random, onState } = options;
  const name = [store, publicStore].flatMap((target) => target?.name ?? []).join(', ');
  const { pollMs = POLL_MS, retryMs = RETRY_MS } = options;
  let state: StoreState = { name, id: null, failing: null, rival: null };
  const update = (changes: Partial<StoreState>) => {
    state = { ...state, ...changes };
    onState(state);
  };
  const meet = (foreign: Foreign | null) => {
    if (foreign === null) return;
    if (state.rival?.id !== foreign.id)
      log.warn({ id: foreign.id, builtAt: foreign.builtAt }, 'another builder publishes to this store, too');
    update({ rival: { ...foreign, seenAt: clock() } });
  };

  const succeed = ({ id, bytes, replaced }: Replication, ms: number) => {
    if (bytes > 0) log.info({ id, bytes, ms }, 'published to the store');
    if (id !== state.id) update({ id });
    meet(replaced);
    if (state.failing !== null) {
      log.info({ since: iso(state.failing.since) }, 'store complete again');
      update({ failing: null });
    }
    if (state.rival !== null && clock() - state.rival.seenAt > RIVAL_MS) update({ rival: null });
  };
  const fail = (cause: unknown) => {
    const reason = messageOf(cause);
    if (cause instanceof NewerThere) meet(cause.foreign);
    if (reason === state.failing?.reason) return;
    const since = state.failing?.since ?? clock();
    log.warn({ reason, since: iso(since) }, 'not published to the store');
    update({ failing: { since, why: whyOf(cause), reason } });
  };

  const attempt = async () => {
    const begun = clock();
    try {
      succeed(await replicateAll(folder, { store, publicStore }), Math.max(0, clock() - begun));
      return true;
    } catch (cause) {
      if (!stopping.signal.aborted) fail(cause);
      return false;
    }
  };
  return startPolling({ attempt, pollMs, retryMs, random, stopping });
}

function iso(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
