/** Interrupts work in the middle, also an endless loop, which blocks all timers of its thread. */
import { runInNewContext } from 'node:vm';

/**
 * The parent of a reader kills it after the time that a feed has. If the parent has died, nobody else would end a reader that hangs: it ends
 * itself so much later.
 */
export const AFTER_PARENT_MS = 1_000;

/**
 * Returns what the work returns; throws if it takes longer. Node starts a thread for it that runs no JavaScript: a worker, which does, would
 * take 43 ms of CPU to start, a quarter of what a process that reads a small feed takes.
 */
export function interruptedAfter<Result>(milliseconds: number, work: () => Result): Result {
  return runInNewContext('work()', { work }, { timeout: milliseconds });
}
