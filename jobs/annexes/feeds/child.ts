/** Reads untrusted documents in a process that can be killed, one feed at a time, for its parent (reader-process.ts). */
import { writeFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { FeedProblem } from './feed-problem.ts';
import type { ReadAnswer, ReadRequest } from './reader-process.ts';
import { readFeed } from './readers.ts';

process.on('disconnect', () => process.exit());
endWithParent();
process.on('message', (request: ReadRequest) => process.send?.(answerTo(request)));

function answerTo({ output, ...task }: ReadRequest): ReadAnswer {
  try {
    writeFileSync(output, readFeed(task).join(''), { flush: true });
    return null;
  } catch (thrown) {
    if (!(thrown instanceof FeedProblem)) throw thrown;
    const { reason, message } = thrown;
    return { reason, message };
  }
}

/** A separate thread watches the parent: an endless loop in this one would block its timers. */
function endWithParent(): void {
  const check = `if (process.ppid !== ${process.ppid}) process.kill(process.pid, 'SIGKILL')`;
  new Worker(`setInterval(() => { ${check} }, 1000)`, { eval: true, execArgv: [] }).unref();
}
