/** The reader of each kind of document. Only the process for strangers' documents (child.ts) and tests load it. */
import type { DocumentKind } from './config.ts';
import { readTableFeed } from './csv/events.ts';
import { readCalendarFeed } from './ical/calendar.ts';
import { readLinkedData } from './jsonld/events.ts';
import type { FeedDocument, FeedReader, ParseTask } from './parser.ts';
import { sliceLine } from './slice.ts';

const READERS = {
  ical: readCalendarFeed,
  csv: readTableFeed,
  jsonld: readLinkedData,
} as const satisfies Readonly<Record<DocumentKind, FeedReader>>;

/** The lines of the slice. Throws FeedProblem when the documents are not of that kind, or too much. */
export function readFeed(task: ParseTask, documents: readonly FeedDocument[]): readonly string[] {
  const { place, config } = task;
  const lines = task.notes.map((note) =>
    sliceLine({ list: 'findings', line: null, id: null, field: null, ...note }),
  );
  const { counts, isComplete } = READERS[task.kind](documents, task, (line) => lines.push(sliceLine(line)));
  return [...lines, sliceLine({ list: 'end', counts, isComplete, place, config })];
}
