/**
 * Reads one feed in a process of its own, which can be killed. In: a line of JSON (`IcalTask`), then the feed's bytes. Out:
 * the slice.
 */
import { once } from 'node:events';
import type { FeedComplaint } from '../../feeds/record.ts';
import { sliceLine } from '../../feeds/slice.ts';
import { type IcalFeed, readCalendar } from './calendar.ts';

export interface IcalTask {
  readonly feed: IcalFeed;
  readonly place: string;
  readonly config: string;
}

const CUT_OFF: FeedComplaint = {
  list: 'complaints',
  action: 'changed value',
  line: null,
  id: null,
  field: 'END',
  expected: 'END:VCALENDAR',
  found: 'the end of the file; it is taken as it is',
};

const input: Buffer[] = [];
for await (const chunk of process.stdin) input.push(chunk);
const bytes = Buffer.concat(input);
const head = bytes.indexOf('\n');
const task: IcalTask = JSON.parse(bytes.toString('utf8', 0, head));

const FLUSH_AT = 256 * 1024;
let pending = '';
const lines: string[] = [];
const { counts, isComplete, isCalendar } = readCalendar(bytes.subarray(head + 1), task.feed, (line) => {
  lines.push(sliceLine(line));
});
if (!isCalendar) process.exitCode = 2;
if (!isComplete) lines.push(sliceLine(CUT_OFF));
for (const line of lines) {
  pending += line;
  if (pending.length > FLUSH_AT) await write(pending);
}
await write(pending + sliceLine({ list: 'end', counts, isComplete, place: task.place, config: task.config }));

async function write(text: string): Promise<void> {
  pending = '';
  if (!process.stdout.write(text)) await once(process.stdout, 'drain');
}
