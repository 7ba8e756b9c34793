import { setTimeout as pause } from 'node:timers/promises';

/** Waits for a condition, and says which one when it does not come true. */
export async function until(what: string, holds: () => boolean, milliseconds = 60_000): Promise<void> {
  const deadline = performance.now() + milliseconds;
  while (!holds()) {
    if (performance.now() > deadline) throw new Error(`expected within ${milliseconds} ms: ${what}`);
    await pause(5);
  }
}

/** Asks until the answer is yes; a question that fails is asked again. */
export async function eventually(what: string, holds: () => Promise<boolean>): Promise<void> {
  let held = false;
  const ask = async () => {
    while (!held) held = await holds().catch(() => false);
  };
  void ask();
  await until(what, () => held, 120_000).finally(() => {
    held = true;
  });
}
