/** Work that can be done in one go, or a part in each turn of the event loop so that requests go between. */
import { setImmediate as nextTurn } from 'node:timers/promises';

export type Steps<T> = Generator<undefined, T>;

export function inOneGo<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

export async function inTurns<T>(steps: Steps<T>): Promise<T> {
  for (;;) {
    await nextTurn();
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Stretches of 0 … count - 1 that take a millisecond or two each when a place takes some hundred nanoseconds. */
export function* stretches(
  count: number,
  work: (from: number, to: number) => void,
): Generator<undefined, void> {
  for (let from = 0; from < count; from += STRETCH) {
    work(from, Math.min(count, from + STRETCH));
    yield;
  }
}

const STRETCH = 8_192;
