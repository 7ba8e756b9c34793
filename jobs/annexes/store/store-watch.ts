/** J1: keeps a store up to date for as long as a builder runs, and reports its state to servers. */
import type { StoreState } from '../../../src/annexes/common/upkeep.ts';
import { messageOf } from '../../../src/calendar/errors.ts';
import type { Log } from '../../../src/calendar/log.ts';
import type { Program } from '../../annex.ts';
import { type Polling, startPolling } from '../../kit/polling.ts';
import { type Foreign, ForeignThere } from './foreign.ts';
import { type Replication, reasonWords, replicateAll, type Targets } from './replicate.ts';

interface WatchStoreOptions extends Pick<Program, 'clock' | 'random'>, Targets {
  readonly folder: string;
  /** Requests of the targets must abort with it. */
  readonly stopping: AbortController;
  readonly log: Pick<Log, 'info' | 'warn'>;
  /** Called whenever any part of the state changes. */
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

export function watchStore(options: WatchStoreOptions): Polling {
  const { folder, store, publicStore = null, stopping, clock, random } = options;
  const { pollMs = POLL_MS, retryMs = RETRY_MS } = options;
  const health = createStoreHealth(options);
  const attempt = async () => {
    const begun = clock();
    try {
      const replication = await replicateAll(folder, { store, publicStore });
      health.succeed(replication, Math.max(0, clock() - begun));
      return true;
    } catch (cause) {
      if (!stopping.signal.aborted) health.fail(cause);
      return false;
    }
  };
  return startPolling({ attempt, pollMs, retryMs, random, stopping });
}

interface StoreHealth {
  readonly succeed: (replication: Replication, ms: number) => void;
  readonly fail: (cause: unknown) => void;
}

/** Logs and reports what changes: the stored snapshot, a failure and its end, and another builder of the same store. */
function createStoreHealth({
  store,
  publicStore = null,
  log,
  clock,
  onState,
}: WatchStoreOptions): StoreHealth {
  const name = [store, publicStore].flatMap((target) => target?.name ?? []).join(', ');
  let state: StoreState = { name, id: null, failing: null, rival: null };
  const update = (changes: Partial<StoreState>) => {
    state = { ...state, ...changes };
    onState(state);
  };
  const meetRival = ({ id, builtAt }: Foreign) => {
    if (state.rival?.id !== id) log.warn({ id, builtAt }, 'another builder publishes to this store, too');
    update({ rival: { id, builtAt, seenAt: clock() } });
  };
  return {
    succeed: ({ id, bytes, replaced }, ms) => {
      if (bytes > 0) log.info({ id, bytes, ms }, 'published to the store');
      if (id !== state.id) update({ id });
      if (replaced !== null) meetRival(replaced);
      if (state.failing !== null) {
        log.info({ since: iso(state.failing.since) }, 'store complete again');
        update({ failing: null });
      }
      if (state.rival !== null && clock() - state.rival.seenAt > RIVAL_MS) update({ rival: null });
    },
    fail: (cause) => {
      const reason = messageOf(cause);
      if (cause instanceof ForeignThere && cause.foreign !== null) meetRival(cause.foreign);
      if (reason === state.failing?.reason) return;
      const since = state.failing?.since ?? clock();
      log.warn({ reason, since: iso(since) }, 'not published to the store');
      update({ failing: { since, why: reasonWords(cause), reason } });
    },
  };
}

function iso(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
