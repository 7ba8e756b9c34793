/**
 * Reads one feed in its own process, which can be killed. Input: a line of JSON (`ParseTask`), then the documents' bytes. Output: the
 * slice.
 */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { FeedProblem } from './health.ts';
import { type ParseTask, REFUSED } from './parser.ts';
import { readFeed } from './readers.ts';

const FLUSH_AT = 256 * 1024;

try {
  const { task, documents } = await readInput();
  endAfter(task.milliseconds);
  await writeLines(readFeed(task, documents));
} catch (thrown) {
  if (!(thrown instanceof FeedProblem)) throw thrown;
  const { reason, message } = thrown;
  process.stderr.write(`${JSON.stringify({ reason, message })}\n`);
  process.exitCode = REFUSED;
}

/** From a separate thread: a loop in this one would block its timers, and the parent may have ended. */
function endAfter(milliseconds: number): void {
  const code = `setTimeout(() => process.kill(process.pid, 'SIGKILL'), ${milliseconds})`;
  new Worker(code, { eval: true, execArgv: [] }).unref();
}

async function readInput() {
  const parts: Buffer[] = [];
  for await (const chunk of process.stdin) parts.push(chunk);
  const input = Buffer.concat(parts);
  let at = input.indexOf('\n') + 1;
  const task: ParseTask = JSON.parse(input.toString('utf8', 0, at));
  const documents = task.documents.map(({ length, ...head }) => {
    const bytes = length === null ? null : input.subarray(at, at + length);
    at += length ?? 0;
    return { ...head, bytes };
  });
  return { task, documents };
}

async function writeLines(lines: readonly string[]): Promise<void> {
  let pending = '';
  for (const [place, line] of lines.entries()) {
    pending += line;
    if (pending.length < FLUSH_AT && place < lines.length - 1) continue;
    if (!process.stdout.write(pending)) await once(process.stdout, 'drain');
    pending = '';
  }
}
