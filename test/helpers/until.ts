import { setTimeout as pause } from 'node:timers/promises';

/** Waits for a condition, and says which one when it does not come true. */
export async function until(what: string, holds: () => boolean, milliseconds = 5_000): Promise<void> {
  const deadline = performance.now() + milliseconds;
  while (!holds()) {
    if (performance.now() > deadline) throw new Error(`expected within ${milliseconds} ms: ${what}`);
    await pause(5);
  }
}
