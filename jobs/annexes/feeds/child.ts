/** Reads untrusted documents in a process that can be killed, one feed at a time, for its parent (reader-process.ts). */
import { writeFileSync } from 'node:fs';
import { FeedProblem } from './feed-problem.ts';
import { AFTER_PARENT_MS, interruptedAfter } from './interrupt.ts';
import type { ReadAnswer, TimedRequest } from './reader-process.ts';
import { readFeed } from './readers.ts';

process.on('disconnect', () => process.exit());
process.on('message', (request: TimedRequest) => process.send?.(answerTo(request)));

function answerTo({ output, milliseconds, ...task }: TimedRequest): ReadAnswer {
  try {
    const lines = interruptedAfter(milliseconds + AFTER_PARENT_MS, () => readFeed(task));
    writeFileSync(output, lines.join(''), { flush: true });
    return null;
  } catch (thrown) {
    if (!(thrown instanceof FeedProblem)) throw thrown;
    const { reason, message } = thrown;
    return { reason, message };
  }
}
