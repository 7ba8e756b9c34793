/** J1: keeps an object store as the snapshot folder is, for as long as the program runs. Whatever is wrong there, builds go on. */
import { setTimeout as pause } from 'node:timers/promises';
import { messageOf } from '../../src/calendar/errors.ts';
import type { Log } from '../../src/snapshot/keeper.ts';
import { waitBeforeLook } from '../pull/watch.ts';
import { type Foreign, NewerThere, replicate, whyOf } from './replicate.ts';
import type { Store } from './s3.ts';

interface WatchFolderOptions {
  readonly folder: string;
  /** Its requests are to end with `stopping`. */
  readonly store: Store;
  readonly stopping: AbortController;
  readonly log: Log;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** From 0 up to but not including 1. */
  readonly random: () => number;
  /** Told whenever anything of it changes. */
  readonly onState: (state: StoreState) => void;
  /** Milliseconds between two looks while all is well. */
  readonly lookMs?: number;
  /** Milliseconds before the second try; each one after it is put off twice as long, up to a minute. */
  readonly retryMs?: number;
}

/** Times are milliseconds since 1970. */
export interface StoreState {
  readonly name: string;
  /** Of the snapshot that the store has from here; null before the first. */
  readonly id: string | null;
  /** When something was last sent there. */
  readonly sentAt: number | null;
  /** Bytes and milliseconds of all that was sent. */
  readonly bytes: number;
  readonly ms: number;
  /** Null while the store is as the folder is. */
  readonly failing: { readonly since: number; readonly why: string; readonly reason: string } | null;
  /** Another builder's latest trace; null for none within a day. */
  readonly rival: (Foreign & { readonly seenAt: number }) | null;
}

export interface StoreWatch {
  /** The folder has changed. */
  readonly look: () => void;
  /** Resolves when what was at work has ended, unfinished. */
  readonly stop: () => Promise<void>;
}

/** What somebody removes or replaces there is noticed within this. */
const LOOK_MS = 60_000;
const RETRY_MS = 2_000;
/** Two builders on one bucket meet at each build; one that was moved is forgotten. */
const RIVAL_MS = 86_400_000;

export function watchStore(options: WatchFolderOptions): StoreWatch {
  const {
    folder,
    store,
    stopping,
    log,
    clock,
    random,
    onState,
    lookMs = LOOK_MS,
    retryMs = RETRY_MS,
  } = options;
  let state: StoreState = {
    name: store.name,
    id: null,
    sentAt: null,
    bytes: 0,
    ms: 0,
    failing: null,
    rival: null,
  };
  let failures = 0;
  let waiting = new AbortController();
  let isWanted = false;
  let cleaned: string | null = null;

  const tell = (changes: Partial<StoreState>) => {
    state = { ...state, ...changes };
    onState(state);
  };
  const meet = (foreign: Foreign | null) => {
    if (foreign === null) return;
    if (state.rival?.id !== foreign.id) {
      log.warn({ id: foreign.id, builtAt: foreign.builtAt }, 'another builder publishes to this store, too');
    }
    tell({ rival: { ...foreign, seenAt: clock() } });
  };

  const lookOnce = async () => {
    const begun = clock();
    try {
      const { id, bytes, replaced } = await replicate(folder, store, { cleaned });
      cleaned = id;
      failures = 0;
      const ms = Math.max(0, clock() - begun);
      if (bytes > 0) {
        log.info({ id, bytes, ms }, 'published to the store');
        tell({ id, sentAt: clock(), bytes: state.bytes + bytes, ms: state.ms + ms });
      } else if (id !== state.id) tell({ id });
      meet(replaced);
      if (state.failing !== null) {
        log.info({ since: iso(state.failing.since) }, 'the store has all again');
        tell({ failing: null });
      }
      if (state.rival !== null && clock() - state.rival.seenAt > RIVAL_MS) tell({ rival: null });
    } catch (cause) {
      if (stopping.signal.aborted) return;
      failures++;
      const reason = messageOf(cause);
      if (cause instanceof NewerThere) meet(cause.foreign);
      if (reason === state.failing?.reason) return;
      const since = state.failing?.since ?? clock();
      log.warn({ reason, since: iso(since) }, 'not published to the store');
      tell({ failing: { since, why: whyOf(cause), reason } });
    }
  };

  const rest = async () => {
    const wait = waitBeforeLook({ pollMs: failures === 0 ? lookMs : retryMs, failures, random });
    if (isWanted) return;
    waiting = new AbortController();
    await pause(wait, undefined, waiting).catch(() => undefined);
  };

  const done = (async () => {
    while (!stopping.signal.aborted) {
      isWanted = false;
      await lookOnce();
      if (!stopping.signal.aborted) await rest();
    }
  })();
  return {
    look: () => {
      isWanted = true;
      waiting.abort();
    },
    stop: () => {
      stopping.abort();
      waiting.abort();
      return done;
    },
  };
}

function iso(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
