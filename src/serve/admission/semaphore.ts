/**
 * A counting semaphore for one kind of work (D14, bounded together): so many pieces of it run at a time, more wait in order of arrival.
 * What finds the queue full, or would wait too long, is refused at once. No address holds more than a quarter of the queue.
 */
import { CalendarError } from '../../calendar/errors.ts';

interface Semaphore {
  /** Undefined if the work may begin at once, else resolves when it may. Throws OVERLOADED, or rejects with it after the longest wait. */
  readonly enter: (address: string) => Promise<void> | undefined;
  /** Called once for each work that was let in, when it is over. */
  readonly leave: () => void;
  readonly state: () => SemaphoreState;
}

export interface SemaphoreState {
  readonly running: number;
  readonly waiting: number;
  /** Both count since the start. */
  readonly admitted: number;
  readonly refused: number;
}

export interface SemaphoreOptions {
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

export function createSemaphore(options: SemaphoreOptions): Semaphore {
  const { mostRunning, mostWaiting, longestWait = LONGEST_WAIT, clock = () => performance.now() } = options;
  /** In order of arrival. */
  const queue = new Set<Waiting>();
  const ofAddress = new Map<string, number>();
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
  const takeOut = (entry: Waiting) => {
    clearTimeout(entry.timer);
    queue.delete(entry);
    const left = (ofAddress.get(entry.address) ?? 1) - 1;
    if (left === 0) ofAddress.delete(entry.address);
    else ofAddress.set(entry.address, left);
  };
  const hasPlace = (address: string) =>
    queue.size < mostWaiting &&
    (ofAddress.get(address) ?? 0) < mostWaiting * PART_OF_ADDRESS &&
    queue.size * interval <= longestWait;

  const wait = (address: string) =>
    new Promise<void>((resolve, reject) => {
      const onLate = () => {
        takeOut(entry);
        refused++;
        reject(OVERLOAD);
      };
      const entry: Waiting = { address, begin: resolve, timer: setTimeout(onLate, longestWait) };
      if (queue.size === 0) latest = clock();
      queue.add(entry);
      ofAddress.set(address, (ofAddress.get(address) ?? 0) + 1);
    });

  return {
    enter: (address) => {
      if (running < mostRunning) {
        begin();
        return undefined;
      }
      if (hasPlace(address)) return wait(address);
      refused++;
      throw OVERLOAD;
    },
    leave: () => {
      running--;
      const [first] = queue;
      if (first === undefined) return;
      takeOut(first);
      const now = clock();
      interval += LATEST * (now - latest - interval);
      latest = now;
      begin();
      first.begin();
    },
    state: () => ({ running, waiting: queue.size, admitted, refused }),
  };
}

interface Waiting {
  readonly address: string;
  readonly begin: () => void;
  readonly timer: NodeJS.Timeout;
}
