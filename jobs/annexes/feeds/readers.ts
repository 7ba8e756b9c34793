/** The reader of each kind of document: bytes of strangers to lines of records. Only `child.ts`, a process of its own, and tests run it. */
import { readCorrectionSheet } from './corrections/sheet.ts';
import { readTableFeed } from './csv/events.ts';
import { FeedProblem } from './feed-problem.ts';
import { readCalendarFeed } from './ical/calendar.ts';
import { readLinkedData } from './jsonld/events.ts';
import type { DocumentKind } from './kinds.ts';
import { feedLine } from './last-good.ts';
import { readFeedList } from './lists/sheet.ts';
import type { FeedReader, ReadTask } from './reading.ts';
import { readVenueSheet } from './venues/sheet.ts';

const READERS = {
  ical: readCalendarFeed,
  csv: readTableFeed,
  jsonld: readLinkedData,
  corrections: readCorrectionSheet,
  venues: readVenueSheet,
  feeds: readFeedList,
} as const satisfies Readonly<Record<DocumentKind, FeedReader>>;

/** With short events the records are a few times larger than their feed. */
const OUTPUT_PER_INPUT = 20;
/** Characters. */
const FREE_OUTPUT = 16 * 1024 * 1024;

/** The lines of the feed's records. Throws FeedProblem if the documents are of another kind, or too large. */
export function readFeed(task: ReadTask): readonly string[] {
  const { kind, documents, notes } = task;
  const input = documents.reduce((sum, { bytes }) => sum + (bytes?.length ?? 0), 0);
  const most = FREE_OUTPUT + OUTPUT_PER_INPUT * input;
  const lines: string[] = [];
  let length = 0;
  const add = (line: string) => {
    length += line.length;
    if (length > most)
      throw new FeedProblem('size limit', `expected records of at most ${most} characters, found more`);
    lines.push(line);
  };
  for (const note of notes) add(feedLine({ list: 'findings', line: null, id: null, field: null, ...note }));
  const summary = READERS[kind](documents, task, (line) => add(feedLine(line)));
  return [...lines, feedLine({ list: 'end', ...summary })];
}
