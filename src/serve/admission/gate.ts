/**
 * The gate that all work passes (D14): answers that are not at hand, feeds, pages. So much is done at a time, a bounded line waits
 * for it, and what would wait too long is refused at once.
 *
 * Work begins as small. It says what its answer will take as soon as it knows; what is not small then joins a second line, for
 * memory. So three events are never answered after somebody else's export.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { CalendarError } from '../../calendar/errors.ts';
import { createLine, type Line, type LineOptions, type Waiting } from './line.ts';

export interface Gate {
  /** Begins the work at once or when its turn comes. Null, at once, for what cannot be done in time; else what forgets it. */
  readonly enter: (work: Work) => (() => void) | null;
  /** Whether anything waits for its turn. */
  readonly isBusy: () => boolean;
  readonly state: () => GateState;
}

interface Work {
  /** Whose turn it is: the address of the caller. */
  readonly address: string;
  readonly begin: (ticket: Ticket) => void;
  /** Called in place of `begin` when the turn did not come in time. */
  readonly onRefused: () => void;
}

/** What work inside of the gate is measured by. */
export interface Ticket {
  /** Reserves so many more bytes for an answer; undefined: they are granted. Rejects with OVERLOADED. */
  readonly take: (bytes: number) => Promise<void> | undefined;
  /** To be called between slices. Waits where others have to have the thread; throws when it was abandoned. */
  readonly pause: () => Promise<void> | undefined;
  /** All who asked for it have gone: the next pause throws. */
  readonly abandon: () => void;
  /** To be called when the work is over, whatever came of it. */
  readonly leave: () => void;
}

interface GateState {
  readonly working: number;
  readonly waiting: number;
  /** Reserved by large work. */
  readonly bytes: number;
  /** Since the start. */
  readonly admitted: number;
  readonly refused: number;
}

export interface GateOptions {
  /** Bytes of answers that are made or wait for readers, together. */
  readonly most: () => number;
  readonly outgoing: Outgoing;
  /** Called with each refusal. */
  readonly onRefused?: () => void;
  readonly line?: Omit<LineOptions, 'clock'>;
  /** Milliseconds, of any beginning. */
  readonly clock?: () => number;
}

/** Answers that wait for readers. */
interface Outgoing {
  readonly bytes: () => number;
  /** Cuts the slowest readers until no more than these bytes wait. */
  readonly cut: (most: number) => void;
}

/** Pieces of small work that go on at a time: while one waits for the database, another one has the thread. */
const MOST_SMALL = 8;
/** Pieces of large work: their slices take turns. */
const MOST_LARGE = 2;
/** Large work that waits. */
const MOST_WAITING_LARGE = 32;
/** Bytes of an answer that is small. */
export const SMALL_BYTES = 256 * 1_024;
/** Milliseconds in which work is begun before the event loop goes round. */
const TURN_MS = 8;
/** Milliseconds in which one answer is written before the event loop goes round. */
const SLICES_MS = 4;
/** Milliseconds between two looks whether readers have made room. */
const LOOK_MS = 250;
/** Milliseconds without room after which the slowest readers are cut. */
const PATIENCE_MS = 1_000;

const MESSAGE = 'The calendar has too much to do right now. Try again in a second.';

/** Made once: a stack costs more than a refusal may. */
export const OVERLOAD = new CalendarError('OVERLOADED', MESSAGE);
/** Nobody reads it. */
const ABANDONED = new CalendarError('OVERLOADED', 'All who asked for this answer have gone.');

export function createGate(options: GateOptions): Gate {
  const { clock = () => performance.now(), onRefused = () => undefined } = options;
  const turn = createTurn(clock, () => look());
  const small = createLine({ ...options.line, clock });
  const memory = createMemory({
    ...options,
    line: createLine({ most: MOST_WAITING_LARGE, ...options.line, clock }),
    clock,
  });
  let working = 0;
  let admitted = 0;
  let refused = 0;

  const refusing = (then: () => void) => () => {
    refused++;
    onRefused();
    then();
  };
  const look = () => {
    while (working < MOST_SMALL && small.size() > 0 && !turn.isOver()) small.next()?.begin();
  };

  const ticketFor = (address: string): Ticket => {
    let taken = 0;
    let isSmall = true;
    let isAbandoned = false;
    let stopWaiting: (() => void) | undefined;
    let resumedAt = clock();
    const holder = memory.holder();
    const endSmall = () => {
      if (!isSmall) return;
      isSmall = false;
      working--;
      // Not before the work that has ended is out of the way.
      if (small.size() > 0) turn.end();
    };
    return {
      take: (more) => {
        taken += more;
        if (isSmall && taken <= SMALL_BYTES) return undefined;
        const wanted = isSmall ? taken : more;
        endSmall();
        if (holder.take(wanted)) return undefined;
        return new Promise((resolve, reject) => {
          const refuse = refusing(() => reject(OVERLOAD));
          const leave = holder.wait({ address, bytes: wanted, begin: resolve, onRefused: refuse });
          if (leave === null) refuse();
          else
            stopWaiting = () => {
              leave();
              reject(ABANDONED);
            };
        });
      },
      pause: () => {
        if (isAbandoned) throw ABANDONED;
        if (clock() - resumedAt < SLICES_MS) return undefined;
        return nextTurn().then(() => {
          resumedAt = clock();
        });
      },
      abandon: () => {
        isAbandoned = true;
        stopWaiting?.();
      },
      leave: () => {
        endSmall();
        holder.leave();
      },
    };
  };

  return {
    enter: ({ address, begin, onRefused }) => {
      const start = () => {
        working++;
        admitted++;
        begin(ticketFor(address));
      };
      if (working < MOST_SMALL && small.size() === 0 && !turn.isOver()) {
        start();
        return () => undefined;
      }
      const leave = small.join({ address, bytes: 0, begin: start, onRefused: refusing(onRefused) });
      if (leave === null) refusing(() => undefined)();
      return leave;
    },
    isBusy: () => small.size() + memory.waiting() > 0,
    state: () => ({
      working: working + memory.holders(),
      waiting: small.size() + memory.waiting(),
      bytes: memory.bytes(),
      admitted,
      refused,
    }),
  };
}

/** A turn of the event loop, as far as work takes it. */
function createTurn(clock: () => number, onEnd: () => void) {
  let began: number | undefined;
  let isEnding = false;
  const end = () => {
    began ??= clock();
    if (isEnding) return;
    isEnding = true;
    setImmediate(() => {
      began = undefined;
      isEnding = false;
      onEnd();
    });
  };
  return {
    /** Whether others have to have the thread before more work is begun. */
    isOver: () => {
      if (began === undefined) end();
      return clock() - (began ?? 0) >= TURN_MS;
    },
    end,
  };
}

interface MemoryOptions extends Pick<GateOptions, 'most' | 'outgoing'> {
  readonly line: Line;
  readonly clock: () => number;
}

/** Memory of large answers. */
function createMemory({ most, outgoing, line, clock }: MemoryOptions) {
  /** Bytes by work, the oldest first. */
  const holders = new Map<object, number>();
  /** Those that wait for more than they have. */
  const growing = new Map<object, Waiting>();
  let bytes = 0;
  let isLooking = false;
  /** Since when the first in line has waited for readers alone. */
  let stuckSince: number | undefined;

  const add = (key: object, wanted: number) => {
    bytes += wanted;
    holders.set(key, (holders.get(key) ?? 0) + wanted);
  };
  const fits = (wanted: number) => bytes + outgoing.bytes() + wanted <= most();
  /** The oldest work gets all it wants, or two could wait for each other for ever. */
  const mayGrow = (key: object, wanted: number) => holders.keys().next().value === key || fits(wanted);
  const mayBegin = (wanted: number) => holders.size < MOST_LARGE && fits(wanted);

  const beginFitting = () => {
    for (const [key, { bytes: wanted, begin }] of growing) {
      if (!mayGrow(key, wanted)) continue;
      growing.delete(key);
      add(key, wanted);
      begin();
    }
    for (let first = line.first(); first !== undefined && mayBegin(first.bytes); first = line.first()) {
      line.next()?.begin();
      stuckSince = undefined;
    }
    return line.first();
  };

  const look = () => {
    let first = beginFitting();
    if (first === undefined) return;
    if (holders.size === 0) {
      stuckSince ??= clock();
      if (clock() - stuckSince >= PATIENCE_MS) {
        outgoing.cut(Math.max(0, most() - first.bytes));
        first = beginFitting();
      }
      // What is larger than all there is to have is made alone.
      if (first !== undefined && holders.size === 0 && outgoing.bytes() === 0) line.next()?.begin();
    }
    if (isLooking) return;
    isLooking = true;
    setTimeout(() => {
      isLooking = false;
      look();
    }, LOOK_MS);
  };

  const holder = () => {
    const key = {};
    return {
      /** Whether it is granted at once. */
      take: (wanted: number): boolean => {
        const isGranted = holders.has(key) ? mayGrow(key, wanted) : line.size() === 0 && mayBegin(wanted);
        if (isGranted) add(key, wanted);
        return isGranted;
      },
      /** Gives what ends the wait; null for one that would be too long. */
      wait: (work: Waiting): (() => void) | null => {
        if (holders.has(key)) {
          growing.set(key, work);
          return () => void growing.delete(key);
        }
        const begin = () => {
          add(key, work.bytes);
          work.begin();
        };
        const leave = line.join({ ...work, begin });
        look();
        return leave;
      },
      leave: () => {
        bytes -= holders.get(key) ?? 0;
        if (holders.delete(key)) look();
      },
    };
  };
  return { holder, holders: () => holders.size, waiting: () => line.size(), bytes: () => bytes };
}
