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

  const endSmall = () => {
    working--;
    // Not before the work that has ended is out of the way.
    if (small.size() > 0) turn.end();
  };

  return {
    enter: ({ address, begin, onRefused }) => {
      const start = () => {
        working++;
        admitted++;
        begin(createTicket({ address, holder: memory.holder(), clock, endSmall, refusing }));
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

interface TicketOptions extends Pick<Work, 'address'> {
  readonly holder: Holder;
  readonly clock: () => number;
  /** Called once the work is over or is not small any more. */
  readonly endSmall: () => void;
  /** Counts a refusal, then calls back. */
  readonly refusing: (then: () => void) => () => void;
}

function createTicket({ address, holder, clock, endSmall, refusing }: TicketOptions): Ticket {
  let taken = 0;
  let isSmall = true;
  let isAbandoned = false;
  let stopWaiting: (() => void) | undefined;
  let resumedAt = clock();
  const becomeLarge = () => {
    if (isSmall) endSmall();
    isSmall = false;
  };
  return {
    take: (more) => {
      taken += more;
      if (isSmall && taken <= SMALL_BYTES) return undefined;
      const wanted = isSmall ? taken : more;
      becomeLarge();
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
      becomeLarge();
      holder.leave();
    },
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

/** Bytes of large answers that are made. */
class Holdings {
  /** Bytes by work, the oldest first. */
  readonly #byWork = new Map<object, number>();
  readonly #limits: Pick<GateOptions, 'most' | 'outgoing'>;
  #bytes = 0;

  constructor(limits: Pick<GateOptions, 'most' | 'outgoing'>) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#byWork.size;
  }

  get bytes(): number {
    return this.#bytes;
  }

  has(work: object): boolean {
    return this.#byWork.has(work);
  }

  add(work: object, wanted: number): void {
    this.#bytes += wanted;
    this.#byWork.set(work, (this.#byWork.get(work) ?? 0) + wanted);
  }

  /** The oldest work gets all it wants, or two could wait for each other for ever. */
  mayGrow(work: object, wanted: number): boolean {
    return this.#byWork.keys().next().value === work || this.#fits(wanted);
  }

  mayBegin(wanted: number): boolean {
    return this.size < MOST_LARGE && this.#fits(wanted);
  }

  /** Returns whether the work held any. */
  release(work: object): boolean {
    this.#bytes -= this.#byWork.get(work) ?? 0;
    return this.#byWork.delete(work);
  }

  #fits(wanted: number): boolean {
    return this.#bytes + this.#limits.outgoing.bytes() + wanted <= this.#limits.most();
  }
}

/** Shares out memory for large answers. */
function createMemory({ most, outgoing, line, clock }: MemoryOptions) {
  const holdings = new Holdings({ most, outgoing });
  /** Work that waits for more than it has. */
  const growing = new Map<object, Waiting>();
  let isLooking = false;
  /** Since when the first in line has waited for readers alone. */
  let stuckSince: number | undefined;

  const beginFitting = () => {
    for (const [work, { bytes: wanted, begin }] of growing) {
      if (!holdings.mayGrow(work, wanted)) continue;
      growing.delete(work);
      holdings.add(work, wanted);
      begin();
    }
    for (let first = line.first(); first && holdings.mayBegin(first.bytes); first = line.first()) {
      line.next()?.begin();
      stuckSince = undefined;
    }
    return line.first();
  };

  const look = () => {
    let first = beginFitting();
    if (first === undefined) return;
    if (holdings.size === 0) {
      stuckSince ??= clock();
      if (clock() - stuckSince >= PATIENCE_MS) {
        outgoing.cut(Math.max(0, most() - first.bytes));
        first = beginFitting();
      }
      // What is larger than all there is to have is made alone.
      if (first !== undefined && holdings.size === 0 && outgoing.bytes() === 0) line.next()?.begin();
    }
    if (isLooking) return;
    isLooking = true;
    setTimeout(() => {
      isLooking = false;
      look();
    }, LOOK_MS);
  };

  return {
    holder: () => createHolder({ holdings, growing, line, look }),
    holders: () => holdings.size,
    waiting: () => line.size(),
    bytes: () => holdings.bytes,
  };
}

interface HolderOptions extends Pick<MemoryOptions, 'line'> {
  readonly holdings: Holdings;
  readonly growing: Map<object, Waiting>;
  readonly look: () => void;
}

/** The memory of one piece of work. */
interface Holder {
  /** Whether it is granted at once. */
  readonly take: (wanted: number) => boolean;
  /** Gives what ends the wait; null for one that would be too long. */
  readonly wait: (waiting: Waiting) => (() => void) | null;
  readonly leave: () => void;
}

function createHolder({ holdings, growing, line, look }: HolderOptions): Holder {
  const work = {};
  return {
    take: (wanted) => {
      const isGranted = holdings.has(work)
        ? holdings.mayGrow(work, wanted)
        : line.size() === 0 && holdings.mayBegin(wanted);
      if (isGranted) holdings.add(work, wanted);
      return isGranted;
    },
    wait: (waiting) => {
      if (holdings.has(work)) {
        growing.set(work, waiting);
        return () => void growing.delete(work);
      }
      const begin = () => {
        holdings.add(work, waiting.bytes);
        waiting.begin();
      };
      const leave = line.join({ ...waiting, begin });
      look();
      return leave;
    },
    leave: () => {
      if (holdings.release(work)) look();
    },
  };
}
