/**
 * The gate that all work passes (D14): answers that are not cached, feeds, pages. Only so much work runs at a time; more waits in a
 * bounded queue, and work that would wait too long is refused at once.
 *
 * Work begins as small. It reserves bytes as soon as it knows the size of its answer; large work then joins a second queue, for memory.
 * So an answer with three events never waits for another caller's export.
 */
import { CalendarError } from '../../calendar/errors.ts';
import { createQueue, createTurn, type Queue, type QueueOptions, type Turn, type Waiting } from './queue.ts';

export interface Gate {
  /** Begins the work at once or when its turn comes. Returns what takes it out of the queue; null if it is refused at once. */
  readonly enter: (work: Work) => (() => void) | null;
  /** Whether any work waits for its turn. */
  readonly isBusy: () => boolean;
  /** Calls `piece` now, or in a later turn of the event loop where this one is over. */
  readonly inTurn: (piece: () => void) => void;
  readonly state: () => GateState;
}

interface Work {
  /** The caller's address: turns are fair between addresses. */
  readonly address: string;
  readonly begin: (ticket: Ticket) => void;
  /** Called in place of `begin` when the turn did not come in time. */
  readonly onRefused: () => void;
}

/** The gate's hold on one piece of work. */
export interface Ticket {
  /** Reserves more bytes for the answer. Undefined if they are granted at once; rejects with OVERLOADED. */
  readonly take: (bytes: number) => Promise<void> | undefined;
  /** Called between slices of work. Yields the thread if the slice was long; throws once the work was abandoned. */
  readonly pause: () => Promise<void> | undefined;
  /** All requests for this work have ended: its next pause throws. */
  readonly abandon: () => void;
  /** Called when the work is over, also when it failed. */
  readonly leave: () => void;
}

interface GateState {
  readonly working: number;
  readonly waiting: number;
  /** Bytes reserved by large work. */
  readonly bytes: number;
  /** Both count since the start. */
  readonly admitted: number;
  readonly refused: number;
}

export interface GateOptions {
  /** Bytes of answers that are being made or sent, together. */
  readonly most: () => number;
  readonly outgoing: Outgoing;
  readonly queue?: Omit<QueueOptions, 'clock'>;
  /** Shared with other work of the process. */
  readonly turn?: Pick<Turn, 'isOver' | 'wait'>;
  /** Milliseconds since any fixed time. */
  readonly clock?: () => number;
}

/** Answers that are being sent. */
interface Outgoing {
  readonly bytes: () => number;
  /** Disconnects the slowest readers until at most these bytes wait. */
  readonly cut: (most: number) => void;
}

/** Pieces of small work that run at a time: while one waits for the database, another one has the thread. */
const MOST_SMALL = 8;
/** Pieces of large work that run at a time: their slices alternate. */
const MOST_LARGE = 2;
/** Pieces of large work that wait. */
const MOST_WAITING_LARGE = 32;
/** Largest answer, in bytes, that counts as small. */
export const SMALL_BYTES = 256 * 1_024;
/** Milliseconds between two checks whether readers have made room. */
const LOOK_MS = 250;
/** Milliseconds without room after which the slowest readers are disconnected. */
const PATIENCE_MS = 1_000;

const MESSAGE = 'The calendar has too much to do right now. Try again in a second.';

/** Made once: creating a stack costs more than a refusal may. */
export const OVERLOAD = new CalendarError('OVERLOADED', MESSAGE);
/** Never sent: no request waits for this answer any more. */
const ABANDONED = new CalendarError('OVERLOADED', 'All who asked for this answer have gone.');

export function createGate(options: GateOptions): Gate {
  const { clock = () => performance.now() } = options;
  const turn = options.turn ?? createTurn(clock);
  const small = createQueue({ ...options.queue, clock });
  const memory = createMemory({
    ...options,
    queue: createQueue({ most: MOST_WAITING_LARGE, ...options.queue, clock }),
    clock,
  });
  let working = 0;
  let isLooking = false;
  let admitted = 0;
  let refused = 0;

  const refusing = (then: () => void) => () => {
    refused++;
    then();
  };
  /** Begins what waits for its turn, one piece after the other, after the work that has ended is out of the way. */
  const look = () => {
    if (isLooking || working >= MOST_SMALL || small.size() === 0) return;
    isLooking = true;
    turn.wait(() => {
      isLooking = false;
      if (working < MOST_SMALL) small.next()?.begin();
      look();
    });
  };

  const endSmall = () => {
    working--;
    look();
  };

  return {
    enter: ({ address, begin, onRefused }) => {
      const start = () => {
        working++;
        admitted++;
        begin(createTicket({ address, holder: memory.holder(), turn, endSmall, refusing }));
      };
      if (working < MOST_SMALL && small.size() === 0 && !turn.isOver()) {
        start();
        return () => undefined;
      }
      const leave = small.join({ address, bytes: 0, begin: start, onRefused: refusing(onRefused) });
      if (leave === null) refusing(() => undefined)();
      look();
      return leave;
    },
    isBusy: () => small.size() + memory.waiting() > 0,
    inTurn: (piece) => {
      if (turn.isOver()) turn.wait(piece);
      else piece();
    },
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
  readonly turn: Pick<Turn, 'isOver' | 'wait'>;
  /** Called once the work is over or has become large. */
  readonly endSmall: () => void;
  /** Returns a callback that counts a refusal, then calls `then`. */
  readonly refusing: (then: () => void) => () => void;
}

function createTicket({ address, holder, turn, endSmall, refusing }: TicketOptions): Ticket {
  let taken = 0;
  let isSmall = true;
  let isAbandoned = false;
  let stopWaiting: (() => void) | undefined;
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
      return turn.isOver() ? new Promise((resolve) => turn.wait(resolve)) : undefined;
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

interface MemoryOptions extends Pick<GateOptions, 'most' | 'outgoing'> {
  readonly queue: Queue;
  readonly clock: () => number;
}

/** Bytes reserved by large answers that are being made. */
class Holdings {
  /** Bytes of each piece of work, the oldest first. */
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

  /** The oldest work gets all it needs; otherwise two could wait for each other for ever. */
  mayGrow(work: object, wanted: number): boolean {
    return this.#byWork.keys().next().value === work || this.#fits(wanted);
  }

  mayBegin(wanted: number): boolean {
    return this.size < MOST_LARGE && this.#fits(wanted);
  }

  /** Returns whether the work held any bytes. */
  release(work: object): boolean {
    this.#bytes -= this.#byWork.get(work) ?? 0;
    return this.#byWork.delete(work);
  }

  #fits(wanted: number): boolean {
    return this.#bytes + this.#limits.outgoing.bytes() + wanted <= this.#limits.most();
  }
}

/** Shares out memory between large answers. */
function createMemory({ most, outgoing, queue, clock }: MemoryOptions) {
  const holdings = new Holdings({ most, outgoing });
  /** Running work that waits for more bytes. */
  const growing = new Map<object, Waiting>();
  let isLooking = false;
  /** When the first work in the queue began to wait for readers alone; clock time. */
  let stuckSince: number | undefined;

  const beginFitting = () => {
    for (const [work, { bytes: wanted, begin }] of growing) {
      if (!holdings.mayGrow(work, wanted)) continue;
      growing.delete(work);
      holdings.add(work, wanted);
      begin();
    }
    for (let first = queue.first(); first && holdings.mayBegin(first.bytes); first = queue.first()) {
      queue.next()?.begin();
      stuckSince = undefined;
    }
    return queue.first();
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
      // An answer larger than the whole share is made alone.
      if (first !== undefined && holdings.size === 0 && outgoing.bytes() === 0) queue.next()?.begin();
    }
    if (isLooking) return;
    isLooking = true;
    setTimeout(() => {
      isLooking = false;
      look();
    }, LOOK_MS);
  };

  return {
    holder: () => createHolder({ holdings, growing, queue, look }),
    holders: () => holdings.size,
    waiting: () => queue.size(),
    bytes: () => holdings.bytes,
  };
}

interface HolderOptions extends Pick<MemoryOptions, 'queue'> {
  readonly holdings: Holdings;
  readonly growing: Map<object, Waiting>;
  readonly look: () => void;
}

/** The memory of one piece of work. */
interface Holder {
  /** Returns whether the bytes are granted at once. */
  readonly take: (wanted: number) => boolean;
  /** Returns what ends the wait; null if the queue has no place. */
  readonly wait: (waiting: Waiting) => (() => void) | null;
  readonly leave: () => void;
}

function createHolder({ holdings, growing, queue, look }: HolderOptions): Holder {
  const work = {};
  return {
    take: (wanted) => {
      const isGranted = holdings.has(work)
        ? holdings.mayGrow(work, wanted)
        : queue.size() === 0 && holdings.mayBegin(wanted);
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
      const leave = queue.join({ ...waiting, begin });
      look();
      return leave;
    },
    leave: () => {
      if (holdings.release(work)) look();
    },
  };
}
