/** Waits for a condition, and fails with its name after a time limit. */
import { setTimeout as pause } from 'node:timers/promises';

/** Milliseconds, for machines much slower than any. */
const LONGEST = 120_000;
/** Milliseconds between two looks, after the first ones: to look may cost a request, or a process. */
const PAUSE = 25;
/** The part of the time waited so far that the next pause may add: whoever has waited for long can wait a little longer. */
const PART = 1 / 40;

/** Waits for a condition, and says which one when it does not come true. */
export async function until(what: string, holds: () => boolean, milliseconds = LONGEST): Promise<void> {
  const rest = createRests();
  while (!holds()) {
    if (rest.waited() > milliseconds) throw new Error(`expected within ${milliseconds} ms: ${what}`);
    await rest.next();
  }
}

/** Asks until the answer is yes; a question that fails is asked again. */
export async function eventually(
  what: string,
  holds: () => Promise<boolean>,
  milliseconds = LONGEST,
): Promise<void> {
  let held = false;
  let isOver = false;
  const ask = async () => {
    const rest = createRests();
    while (!held && !isOver) {
      held = await holds().catch(() => false);
      if (!held) await rest.next();
    }
  };
  void ask();
  await until(what, () => held, milliseconds).finally(() => {
    isOver = true;
  });
}

/** Pauses between two looks: the first ones are short, and those of a long wait are longer. */
function createRests() {
  const begun = performance.now();
  const waited = () => performance.now() - begun;
  let looks = 0;
  return {
    /** Milliseconds so far. */
    waited,
    next: () => pause(Math.max(Math.min(2 ** looks++, PAUSE), waited() * PART)),
  };
}
