/**
 * Admission of all work that is not at hand (D14, bounded together): answers that are not cached, lists, pages. Work begins as small. It
 * reserves bytes as soon as it knows the size of its answer, and large work then waits for a second semaphore: so an answer with three
 * events never waits for another caller's export, and the number of large answers, each of 32 MiB at most (D10, size of answers), bounds
 * their memory.
 *
 *     const answer = await admission.run(address, ({ reserve }) => work(reserve));
 */
import { createSemaphore, type SemaphoreOptions, type SemaphoreState } from './semaphore.ts';
import { nextTurn } from './turns.ts';

export interface Admission {
  /** Does the work when its turn comes. Rejects with OVERLOADED, or as the work does. */
  readonly run: <Result>(address: string, work: (place: Place) => Promise<Result>) => Promise<Result>;
  /** The same for work that says itself when it is over. */
  readonly enter: (address: string) => Promise<Place>;
  readonly state: () => SemaphoreState;
}

/** The place of one piece of work. */
export interface Place {
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

export function createAdmission(options: AdmissionOptions = {}): Admission {
  const small = createSemaphore({ ...SMALL, ...options.small });
  const { mostLarge = LARGE.mostRunning } = options;
  const mostRunning = Math.max(1, Math.min(LARGE.mostRunning, Math.floor(mostLarge)));
  const large = createSemaphore({ ...LARGE, mostRunning, ...options.large });

  const enter = async (address: string): Promise<Place> => {
    await small.enter(address);
    await nextTurn();
    let held: typeof small | undefined = small;
    let bytes = 0;
    const leave = () => {
      held?.leave();
      held = undefined;
    };
    const becomeLarge = async () => {
      leave();
      await large.enter(address);
      held = large;
    };
    const reserve = (more: number) => {
      bytes += more;
      return held === small && bytes > SMALL_BYTES ? becomeLarge() : undefined;
    };
    return { reserve, leave };
  };

  return {
    enter,
    run: async (address, work) => {
      const place = await enter(address);
      try {
        return await work(place);
      } finally {
        place.leave();
      }
    },
    state: () => {
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
