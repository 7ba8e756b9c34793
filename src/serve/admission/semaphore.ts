/**
 * A semaphore that is fair to addresses (D14). A fixed number of tasks run at once, and the others wait in a queue. An address gets another
 * place only while it has fewer than are free: of eight, one address alone gets four, and two get three each. The queue first takes the
 * address that has used the least time recently. Work is refused at once if its address holds a quarter of the queue, or if it would wait
 * too long for its own turn. In a full queue, it takes the place of work of the address that holds most.
 */
import { CalendarError } from '../../calendar/errors.ts';
import type { Usage } from './usage.ts';

export interface SemaphoreOptions {
  /** Pieces of work that run at a time. */
  readonly mostRunning: number;
  readonly mostWaiting: number;
  /** Milliseconds. */
  readonly longestWait?: number;
  /** Milliseconds since any fixed time. */
  readonly clock?: () => number;
}

export interface SemaphoreState {
  readonly running: number;
  readonly waiting: number;
  /** Both count since the start. */
  readonly admitted: number;
  readonly refused: number;
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

/** The work of one address. */
interface Share {
  running: number;
  /** In order of arrival. */
  readonly queue: Set<Waiting>;
}

/** One piece of work in a queue; either call takes it out. */
interface Waiting {
  readonly admit: () => void;
  readonly refuse: () => void;
}

/** Signals that no client waits for some work any more (D14). It has one listener, and makes no events or errors as an AbortSignal would. */
export class Abandonment {
  #isAbandoned = false;
  #listener: (() => void) | undefined;

  get isAbandoned(): boolean {
    return this.#isAbandoned;
  }

  abandon(): void {
    this.#isAbandoned = true;
    this.#listener?.();
  }

  /** Called back at once when the work is abandoned, in place of an earlier listener; undefined for none. */
  listen(listener: (() => void) | undefined): void {
    this.#listener = listener;
  }
}

export class Semaphore {
  readonly #options: Required<SemaphoreOptions>;
  readonly #usage: Pick<Usage, 'of'>;
  /** Addresses with work that runs or waits. */
  readonly #shares = new Map<string, Share>();
  #running = 0;
  #waiting = 0;
  #admitted = 0;
  #refused = 0;
  /** Mean milliseconds between two pieces of work that were taken out of the queue, and when the latest one was. */
  #interval = 0;
  #latest = 0;

  constructor(options: SemaphoreOptions, usage: Pick<Usage, 'of'>) {
    this.#options = { longestWait: LONGEST_WAIT, clock: () => performance.now(), ...options };
    this.#usage = usage;
  }

  get state(): SemaphoreState {
    return {
      running: this.#running,
      waiting: this.#waiting,
      admitted: this.#admitted,
      refused: this.#refused,
    };
  }

  /**
   * Undefined if the work may begin at once, else resolves when it may. Throws OVERLOADED, or rejects with it after the longest wait, or as
   * soon as nobody waits for it.
   */
  enter(address: string, abandonment?: Abandonment): Promise<void> | undefined {
    const share = this.#shares.get(address);
    if (this.#mayBegin(share)) {
      this.#takePlace(share ?? this.#shareOf(address));
      return undefined;
    }
    if (this.#hasRoom(address, share?.queue.size ?? 0)) return this.#wait(address, abandonment);
    this.#refused++;
    throw OVERLOAD;
  }

  /** Called once for each admitted work, when it ends. */
  leave(address: string): void {
    const share = this.#shareOf(address);
    share.running--;
    this.#running--;
    this.#forget(address, share);
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      const [first] = next.queue;
      const now = this.#options.clock();
      this.#interval += LATEST * (now - this.#latest - this.#interval);
      this.#latest = now;
      this.#takePlace(next);
      first?.admit();
    }
  }

  #shareOf(address: string): Share {
    const existing = this.#shares.get(address);
    if (existing !== undefined) return existing;
    const share = { running: 0, queue: new Set<Waiting>() };
    this.#shares.set(address, share);
    return share;
  }

  #forget(address: string, { running, queue }: Share): void {
    if (running === 0 && queue.size === 0) this.#shares.delete(address);
  }

  #mayBegin(share: Share | undefined): boolean {
    return (share?.running ?? 0) < this.#options.mostRunning - this.#running;
  }

  #takePlace(share: Share): void {
    share.running++;
    this.#running++;
    this.#admitted++;
  }

  /** The share whose work is taken out of the queue; undefined while there is none that may begin. */
  #next(): Share | undefined {
    if (this.#waiting === 0) return undefined;
    let least = Number.POSITIVE_INFINITY;
    let next: Share | undefined;
    for (const [address, share] of this.#shares) {
      if (share.queue.size === 0 || !this.#mayBegin(share)) continue;
      const used = this.#usage.of(address);
      if (used >= least) continue;
      least = used;
      next = share;
    }
    return next;
  }

  #hasRoom(address: string, queued: number): boolean {
    const { mostWaiting } = this.#options;
    if (queued >= mostWaiting * PART_OF_ADDRESS || this.#wouldBeLate(address)) return false;
    return this.#waiting < mostWaiting || this.#makeRoom(queued);
  }

  /** Whether the work before the next one of this address takes longer than the longest wait. */
  #wouldBeLate(address: string): boolean {
    const { longestWait } = this.#options;
    // Few queues are so long, and counting costs more than a refusal may.
    if (this.#waiting * this.#interval <= longestWait) return false;
    const used = this.#usage.of(address);
    let ahead = 0;
    for (const [other, { queue }] of this.#shares) {
      if (other === address || this.#usage.of(other) <= used) ahead += queue.size;
    }
    return ahead * this.#interval > longestWait;
  }

  /** Refuses the newest work of the address with most of it, if that has more than the newcomer would have. */
  #makeRoom(queued: number): boolean {
    let longest: ReadonlySet<Waiting> | undefined;
    for (const { queue } of this.#shares.values()) {
      if (queue.size > (longest?.size ?? queued + 1)) longest = queue;
    }
    if (longest === undefined) return false;
    [...longest].at(-1)?.refuse();
    return true;
  }

  #wait(address: string, abandonment: Abandonment | undefined): Promise<void> {
    const { longestWait, clock } = this.#options;
    const share = this.#shareOf(address);
    if (this.#waiting === 0) this.#latest = clock();
    this.#waiting++;
    return new Promise((resolve, reject) => {
      const leaveQueue = () => {
        share.queue.delete(waiting);
        this.#waiting--;
        clearTimeout(timer);
        abandonment?.listen(undefined);
      };
      const abandon = () => {
        leaveQueue();
        this.#forget(address, share);
        reject(OVERLOAD);
      };
      const waiting: Waiting = {
        admit: () => {
          leaveQueue();
          resolve();
        },
        refuse: () => {
          this.#refused++;
          abandon();
        },
      };
      const timer = setTimeout(waiting.refuse, longestWait);
      abandonment?.listen(abandon);
      share.queue.add(waiting);
    });
  }
}
