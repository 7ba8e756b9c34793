/**
 * Admission of all work that is not at hand (D14, bounded together): answers that are not cached, lists, pages; and its turns of the event
 * loop. Work begins as small. It reserves bytes as soon as it knows the size of its answer, and large work then waits for a second
 * semaphore: so an answer with three events never waits for another caller's export, and the number of large answers, each of 32 MiB at
 * most (D10, size of answers), bounds their memory.
 *
 *     const answer = await admission.run(address, ({ reserve }) => work(reserve));
 */
import { CalendarError } from '../../calendar/errors.ts';

export type Admission = ReturnType<typeof createAdmission>;

/** One piece of work that was admitted. */
export interface Admitted {
  /** Called before the answer takes so many bytes more. Undefined if work goes on; rejects with OVERLOADED. */
  readonly reserve: Reserve;
  readonly leave: () => void;
}

export type Reserve = (bytes: number) => Promise<void> | undefined;

export interface AdmissionOptions {
  /** Large answers for which there is memory; at least one is made at a time. */
  readonly mostLarge?: number;
  readonly small?: Partial<SemaphoreOptions>;
  readonly large?: Partial<SemaphoreOptions>;
}

/** While one piece of small work waits for the database, another one has the thread. */
const SMALL: SemaphoreOptions = { mostRunning: 8, mostWaiting: 256 };
/** Large work that waits holds what it has selected. */
const LARGE: SemaphoreOptions = { mostRunning: 2, mostWaiting: 32 };
/** Largest answer, in bytes, that counts as small. */
export const SMALL_BYTES = 256 * 1_024;

export function createAdmission(options: AdmissionOptions = {}) {
  const small = createSemaphore({ ...SMALL, ...options.small });
  const { mostLarge = LARGE.mostRunning } = options;
  const mostRunning = Math.max(1, Math.min(LARGE.mostRunning, Math.floor(mostLarge)));
  const large = createSemaphore({ ...LARGE, mostRunning, ...options.large });

  const enter = async (address: string): Promise<Admitted> => {
    await small.enter(address);
    await nextTurn();
    let semaphore: typeof small | undefined = small;
    let bytes = 0;
    const leave = () => {
      semaphore?.leave();
      semaphore = undefined;
    };
    const becomeLarge = async () => {
      leave();
      await large.enter(address);
      semaphore = large;
    };
    const reserve = (more: number) => {
      bytes += more;
      return semaphore === small && bytes > SMALL_BYTES ? becomeLarge() : undefined;
    };
    return { reserve, leave };
  };

  return {
    /** For work that says itself when it is over. */
    enter,
    /** Does the work when its turn comes. Rejects with OVERLOADED, or as the work does. */
    run: async <Result>(address: string, work: (admitted: Admitted) => Promise<Result>): Promise<Result> => {
      const entered = await enter(address);
      try {
        return await work(entered);
      } finally {
        entered.leave();
      }
    },
    state: (): SemaphoreState => {
      const [one, other] = [small.state(), large.state()];
      return {
        running: one.running + other.running,
        waiting: one.waiting + other.waiting,
        admitted: one.admitted,
        refused: one.refused + other.refused,
      };
    },
  };
}

interface SemaphoreState {
  readonly running: number;
  readonly waiting: number;
  /** Both count since the start. */
  readonly admitted: number;
  readonly refused: number;
}

interface SemaphoreOptions {
  /** Pieces of work that run at a time. */
  readonly mostRunning: number;
  readonly mostWaiting: number;
  /** Milliseconds. */
  readonly longestWait?: number;
  /** Milliseconds since any fixed time. */
  readonly clock?: () => number;
}

const LONGEST_WAIT = 5_000;
/** The part of the queue that one address may hold. */
const PART_OF_ADDRESS = 1 / 4;
/** Weight of the latest interval between two pieces of work in the moving mean. */
const LATEST = 0.2;

/** Made once: creating a stack costs more than a refusal may. */
export const OVERLOAD = new CalendarError(
  'OVERLOADED',
  'The calendar has too much to do right now. Try again in a second.',
);

/**
 * For one kind of work: so many pieces of it run at a time, more wait in order of arrival. What finds the queue full, or would wait too
 * long, is refused at once. No address holds more than a quarter of the queue.
 */
function createSemaphore(options: SemaphoreOptions) {
  const { mostRunning, mostWaiting, longestWait = LONGEST_WAIT, clock = () => performance.now() } = options;
  /** In order of arrival. */
  const queue = new Set<Waiting>();
  let running = 0;
  let admitted = 0;
  let refused = 0;
  /** Mean milliseconds between two pieces of work that were taken out of the queue, and when the latest one was. */
  let interval = 0;
  let latest = 0;

  const begin = () => {
    running++;
    admitted++;
  };
  const hasRoom = (address: string) => {
    if (queue.size >= mostWaiting || queue.size * interval > longestWait) return false;
    let own = 0;
    for (const waiting of queue) if (waiting.address === address) own++;
    return own < mostWaiting * PART_OF_ADDRESS;
  };
  const wait = (address: string) =>
    new Promise<void>((resolve, reject) => {
      const onLate = () => {
        queue.delete(waiting);
        refused++;
        reject(OVERLOAD);
      };
      const waiting = { address, begin: resolve, timer: setTimeout(onLate, longestWait) };
      if (queue.size === 0) latest = clock();
      queue.add(waiting);
    });

  return {
    /** Undefined if the work may begin at once, else resolves when it may. Throws OVERLOADED, or rejects with it after the longest wait. */
    enter: (address: string): Promise<void> | undefined => {
      if (running < mostRunning) {
        begin();
        return undefined;
      }
      if (hasRoom(address)) return wait(address);
      refused++;
      throw OVERLOAD;
    },
    /** Called once for each work that was let in, when it is over. */
    leave: () => {
      running--;
      const [first] = queue;
      if (first === undefined) return;
      queue.delete(first);
      clearTimeout(first.timer);
      const now = clock();
      interval += LATEST * (now - latest - interval);
      latest = now;
      begin();
      first.begin();
    },
    state: (): SemaphoreState => ({ running, waiting: queue.size, admitted, refused }),
  };
}

interface Waiting {
  readonly address: string;
  readonly begin: () => void;
  readonly timer: NodeJS.Timeout;
}

/** Milliseconds in which turns only accept connections, while clients connect and work waits. */
const ACCEPTING_MS = 3;
/** The longest time for work in one turn, in milliseconds: with as much for reading it stays below 50 (D14). */
const WORKING_MS = 20;

/**
 * Turns of the event loop. In each of them Node accepts one connection, reads requests and answers what is at hand. So long work is done in
 * pieces of a millisecond or two, and a turn has one of them, whichever request it belongs to (D14, bounded together): where turns take 50
 * ms, the hundredth client that connects waits for 5 s. A turn that reads for long, such as hundreds of pipelined requests, has as much
 * time for work.
 *
 *     for (const row of rows) {
 *       write(row);
 *       if (isLong()) await nextTurn();
 *     }
 *
 * `clock`: milliseconds since any fixed time.
 */
export function createTurns(clock: () => number) {
  /** Pieces of work, in the order in which they have their turns. */
  const waiting: (() => void)[] = [];
  let isScheduled = false;
  /** When the latest piece of work ended, or the first one of a time without work was scheduled. */
  let workedAt = 0;
  /** When the work of this turn ends. */
  let workUntil = 0;
  /** Whether this turn accepted a connection. */
  let hasAccepted = false;

  const beginTurn = () => {
    const now = clock();
    const elsewhere = now - workedAt;
    const isAccepting = hasAccepted && elsewhere < ACCEPTING_MS;
    hasAccepted = false;
    if (isAccepting) return void setImmediate(beginTurn);
    workUntil = now + Math.min(elsewhere, WORKING_MS);
    work();
  };
  const work = () => {
    const piece = waiting.shift();
    // After all promises that wait for this piece.
    queueMicrotask(() => process.nextTick(endPiece));
    piece?.();
  };
  const endPiece = () => {
    workedAt = clock();
    isScheduled = waiting.length > 0;
    if (!isScheduled) return;
    if (workedAt < workUntil) work();
    else setImmediate(beginTurn);
  };
  const inTurn = (piece: () => void) => {
    waiting.push(piece);
    if (isScheduled) return;
    isScheduled = true;
    workedAt = clock();
    setImmediate(beginTurn);
  };

  return {
    /** Resolves in a later turn, after all that waited before. */
    nextTurn: () => new Promise<void>(inTurn),
    /** Calls back in a later turn, after all that waited before. */
    inTurn,
    /** Called with each new connection: those that wait are accepted before work goes on. */
    noteConnection: () => {
      hasAccepted = true;
    },
  };
}

/** Those of this process. */
export const { nextTurn, inTurn, noteConnection } = createTurns(() => performance.now());
