/** Waits for a condition, and fails with its name after a time limit. */
import { setTimeout as pause } from 'node:timers/promises';

/** Milliseconds, for machines much slower than any. */
const LONGEST = 120_000;
/** Milliseconds between two looks, after the first ones: to look may cost a request, or a process. */
const PAUSE = 25;

/** Waits for a condition, and says which one when it does not come true. */
export async function until(what: string, holds: () => boolean, milliseconds = LONGEST): Promise<void> {
  const deadline = performance.now() + milliseconds;
  for (let nth = 0; !holds(); nth++) {
    if (performance.now() > deadline) throw new Error(`expected within ${milliseconds} ms: ${what}`);
    await rest(nth);
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
    for (let nth = 0; !held && !isOver; nth++) {
      held = await holds().catch(() => false);
      if (!held) await rest(nth);
    }
  };
  void ask();
  await until(what, () => held, milliseconds).finally(() => {
    isOver = true;
  });
}

const rest = (nth: number) => pause(Math.min(2 ** nth, PAUSE));
