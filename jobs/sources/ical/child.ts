/**
 * Reads one feed in a process of its own, which can be killed. In: a line of JSON (`IcalTask`), then the feed's bytes. Out:
 * the slice.
 */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { type FeedLine, sliceLine } from '../../feeds/slice.ts';
import { createAllowance } from '../../recurrence/allowance.ts';
import { readCalendar, TooManyDates } from './calendar.ts';
import { EXIT, type IcalTask } from './parser.ts';

const CUT_OFF: FeedLine = {
  list: 'findings',
  action: 'changed value',
  line: null,
  id: null,
  field: 'END',
  expected: 'END:VCALENDAR',
  found: 'the end of the file; it is taken as it is',
};

const FLUSH_AT = 256 * 1024;

try {
  const { task, bytes } = await readInput();
  endAfter(task.milliseconds);
  await writeLines(linesOf(task, bytes));
} catch (thrown) {
  if (!(thrown instanceof TooManyDates)) throw thrown;
  process.exitCode = EXIT.tooManyDates;
}

/** From a thread of its own: a loop in this one would hold up its timers, and the parent may be gone. */
function endAfter(milliseconds: number): void {
  const code = `setTimeout(() => process.kill(process.pid, 'SIGKILL'), ${milliseconds})`;
  new Worker(code, { eval: true, execArgv: [] }).unref();
}

interface Input {
  readonly task: IcalTask;
  readonly bytes: Buffer;
}

async function readInput(): Promise<Input> {
  const parts: Buffer[] = [];
  for await (const chunk of process.stdin) parts.push(chunk);
  const input = Buffer.concat(parts);
  const head = input.indexOf('\n');
  return { task: JSON.parse(input.toString('utf8', 0, head)), bytes: input.subarray(head + 1) };
}

function linesOf({ feed, now, horizonDay, place, config }: IcalTask, bytes: Buffer): readonly string[] {
  const lines: string[] = [];
  const { counts, isComplete, isCalendar } = readCalendar(bytes, feed, {
    emit: (line) => lines.push(sliceLine(line)),
    now,
    horizonDay,
    allowance: createAllowance(),
  });
  if (!isCalendar) process.exitCode = EXIT.noCalendar;
  if (!isComplete) lines.push(sliceLine(CUT_OFF));
  return [...lines, sliceLine({ list: 'end', counts, isComplete, place, config })];
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
