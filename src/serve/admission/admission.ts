/**
 * Admission of all work that the cache cannot answer (D14), such as lists and pages. Work begins as small. It becomes large, and waits for a
 * second semaphore, as soon as it is known to take long or to make a long answer: so an answer with three events never waits for another
 * caller's export. Only so many large answers are made at once, each of 32 MiB at most (D10), which limits their memory.
 *
 * Work is done in pieces, which take turns with those of other work. It is stopped at its next pause in two cases: its client has gone, or
 * it has run for two seconds, and the process has used two seconds of CPU time meanwhile.
 *
 *     const answer = await admission.run({ address, abandonment }, (work) => answer(work));
 */
import { CalendarError } from '../../calendar/errors.ts';
import {
  type Abandonment,
  OVERLOAD,
  Semaphore,
  type SemaphoreOptions,
  type SemaphoreState,
} from './semaphore.ts';
import { type Account, TURNS, type Turns, USAGE } from './turns.ts';
import type { Usage } from './usage.ts';

export interface Admission {
  /** For work that reports its own end. */
  readonly enter: (asker: Asker) => Promise<Admitted>;
  /** Does the work when its turn comes. Rejects with OVERLOADED, or as the work does. */
  readonly run: <Result>(asker: Asker, work: (admitted: Work) => Promise<Result>) => Promise<Result>;
  readonly state: () => SemaphoreState;
}

/** The client that asks for some work. */
interface Asker {
  readonly address: string;
  readonly abandonment?: Abandonment;
  /** K4: called with the ordinary pages that the work weighs beyond the first, as they become known. What it throws ends the work. */
  readonly charge?: ((pages: number) => void) | undefined;
}

/** Work that was admitted, as its own code sees it. */
export interface Work {
  readonly address: string;
  /**
   * A pause, called between pieces of work. Undefined while this piece has lasted no longer than a millisecond or two; else resolves when
   * others have had their turns. Rejects with TIMEOUT after two seconds at work, and with OVERLOADED if nobody waits for the work.
   */
  nextTurn(): Promise<void> | undefined;
  /**
   * Called before the answer takes that many more bytes. Undefined if work goes on; rejects with OVERLOADED, and throws RATE_LIMITED where the
   * quota leaves no more.
   */
  reserve(bytes: number): Promise<void> | undefined;
  /** Called before the work passes over that number of rows, that many times; otherwise like `reserve`. */
  weigh(passes: number, rows: number): Promise<void> | undefined;
}

export interface Admitted extends Work {
  leave(): void;
}

/** Work of the program itself, which does not wait in line. */
export const UNBOUNDED: Work = {
  address: '',
  nextTurn: () => new Promise((resolve) => TURNS.inTurn(resolve)),
  reserve: () => undefined,
  weigh: () => undefined,
};

export interface AdmissionOptions {
  /** Large answers for which there is memory; at least one is made at a time. */
  readonly mostLarge?: number;
  readonly small?: Partial<SemaphoreOptions>;
  readonly large?: Partial<SemaphoreOptions>;
  /** Milliseconds of CPU that this process has used. */
  readonly cpu?: () => number;
  readonly turns?: Pick<Turns, 'inTurn' | 'elapsed'>;
  readonly usage?: Pick<Usage, 'of'>;
}

/** While one piece of small work waits for the database, another one has the thread. */
const SMALL: SemaphoreOptions = { mostRunning: 8, mostWaiting: 256 };
/** Large work that waits holds what it has selected. */
const LARGE: SemaphoreOptions = { mostRunning: 2, mostWaiting: 32 };
/** Largest answer, in bytes, that counts as small. */
export const SMALL_BYTES = 256 * 1_024;
/** Most visits to rows, for all root fields and facets together, that count as small. Those of an ordinary page always do. */
export const SMALL_ROWS = 2_000_000;
/** K4: what an ordinary page weighs at most: a list with all of its facets, and 10,000 fields. */
export const PAGE_PASSES = 8;
export const PAGE_BYTES = 400_000;
/** Milliseconds at work after which it ends, as of one statement of SQL. */
const LONGEST_WORK_MS = 2_000;
/** Milliseconds of one piece of work. */
const PIECE_MS = 1;
/** Milliseconds at work after which the CPU that it uses is looked at. */
const A_WHILE_MS = 100;

function cpuOfProcess(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

export function createAdmission(options: AdmissionOptions = {}): Admission {
  const { mostLarge = LARGE.mostRunning, cpu = cpuOfProcess, turns = TURNS, usage = USAGE } = options;
  const small = new Semaphore({ ...SMALL, ...options.small }, usage);
  const mostRunning = Math.max(1, Math.min(LARGE.mostRunning, Math.floor(mostLarge)));
  const large = new Semaphore({ ...LARGE, mostRunning, ...options.large }, usage);
  const gate = { small, large, cpu, turns };

  const enter = async (asker: Asker): Promise<Admitted> => {
    const admitted = new AdmittedWork(asker, gate);
    await admitted.begin();
    return admitted;
  };

  return {
    enter,
    run: async <Result>(asker: Asker, work: (admitted: Work) => Promise<Result>): Promise<Result> => {
      const admitted = await enter(asker);
      try {
        return await work(admitted);
      } finally {
        admitted.leave();
      }
    },
    state: (): SemaphoreState => ({
      running: small.state.running + large.state.running,
      waiting: small.state.waiting + large.state.waiting,
      admitted: small.state.admitted,
      refused: small.state.refused + large.state.refused,
    }),
  };
}

interface Gate extends Required<Pick<AdmissionOptions, 'cpu' | 'turns'>> {
  readonly small: Semaphore;
  readonly large: Semaphore;
}

class AdmittedWork implements Admitted {
  readonly #gate: Gate;
  readonly #abandonment: Abandonment | undefined;
  readonly #charge: Asker['charge'];
  readonly #account: Account;
  /** CPU of the process when the work began, estimated once the work has taken a while. */
  #cpuBefore: number | undefined;
  /** The semaphore in which it holds a place. */
  #semaphore: Semaphore | undefined;
  #bytes = 0;
  #passes = 0;
  #rows = 0;
  /** Pages that were charged; the first one was when the request came. */
  #charged = 1;

  constructor({ address, abandonment, charge }: Asker, gate: Gate) {
    this.#gate = gate;
    this.#abandonment = abandonment;
    this.#charge = charge;
    this.#account = { address, milliseconds: 0 };
  }

  get address(): string {
    return this.#account.address;
  }

  begin(): Promise<void> {
    return this.#enter(this.#gate.small);
  }

  nextTurn(): Promise<void> | undefined {
    return this.#gate.turns.elapsed(this.#account) < PIECE_MS ? undefined : this.#pause();
  }

  reserve(bytes: number): Promise<void> | undefined {
    this.#bytes += bytes;
    return this.#grow();
  }

  weigh(passes: number, rows: number): Promise<void> | undefined {
    this.#passes += passes;
    this.#rows += passes * rows;
    return this.#grow();
  }

  leave(): void {
    this.#semaphore?.leave(this.#account.address);
    this.#semaphore = undefined;
  }

  #grow(): Promise<void> | undefined {
    this.#pay();
    const { small, large } = this.#gate;
    const visitsFew = this.#passes <= PAGE_PASSES || this.#rows <= SMALL_ROWS;
    const isSmall = this.#bytes <= SMALL_BYTES && visitsFew;
    return this.#semaphore === small && !isSmall ? this.#enter(large) : undefined;
  }

  #pay(): void {
    const pages = Math.floor(this.#passes / PAGE_PASSES + this.#bytes / PAGE_BYTES);
    const more = pages - this.#charged;
    if (more <= 0) return;
    this.#charged = pages;
    this.#charge?.(more);
  }

  /** Takes a place, in place of the one that it has, and its first turn there. */
  async #enter(semaphore: Semaphore): Promise<void> {
    this.leave();
    this.#check();
    await semaphore.enter(this.#account.address, this.#abandonment);
    this.#semaphore = semaphore;
    try {
      await this.#pause();
    } catch (cause) {
      this.leave();
      throw cause;
    }
  }

  async #pause(): Promise<void> {
    this.#check();
    await new Promise<void>((resolve) => this.#gate.turns.inTurn(resolve, this.#account));
    this.#check();
  }

  #check(): void {
    const { cpu } = this.#gate;
    // The client has gone; the reason does not matter.
    if (this.#abandonment?.isAbandoned) throw OVERLOAD;
    const { milliseconds } = this.#account;
    if (milliseconds <= A_WHILE_MS) return;
    // Up to here, time counts as CPU: to read both would be a twentieth of the cost of an ordinary page.
    this.#cpuBefore ??= cpu() - milliseconds;
    if (milliseconds <= LONGEST_WORK_MS) return;
    // A busy machine may have kept the thread waiting meanwhile.
    if (cpu() - this.#cpuBefore <= LONGEST_WORK_MS) return;
    throw new CalendarError(
      'TIMEOUT',
      `Expected work to end within ${LONGEST_WORK_MS} ms, found it still running`,
    );
  }
}
