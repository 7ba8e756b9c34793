/** Documents of strangers as records, read in the test's own process. */
import type { Feed } from '../../jobs/annexes/feeds/config.ts';
import type { FeedReader, ReadTask } from '../../jobs/annexes/feeds/reading.ts';
import type { FeedLine } from '../../jobs/annexes/feeds/slice.ts';
import { NOW } from './calendar.ts';

type Value = Readonly<Record<string, unknown>>;

export interface Reading {
  readonly counts: ReturnType<FeedReader>['counts'];
  readonly isComplete: boolean;
  readonly events: readonly Value[];
  readonly venues: readonly Value[];
  readonly organizers: readonly Value[];
  /** `2 "f:a" Start: dropped record, expected …, found …` */
  readonly findings: readonly string[];
}

/** As feed `f`. Throws FeedProblem where the feed cannot be taken. */
export function readDocuments(
  reader: FeedReader,
  documents: string | Buffer | readonly { readonly origin: string | null; readonly bytes: Buffer | null }[],
  feed: Partial<Feed> = {},
): Reading {
  const lines: FeedLine[] = [];
  const task = taskOf(feed);
  const isOne = typeof documents === 'string' || Buffer.isBuffer(documents);
  const given = isOne ? [{ origin: null, bytes: Buffer.from(documents) }] : documents;
  const summary = reader(given, task, (line) => lines.push(line));
  const valuesOf = (list: string) =>
    lines.flatMap((line) => (line.list === list && 'value' in line ? [line.value] : []));
  return {
    ...summary,
    events: valuesOf('events'),
    venues: valuesOf('venues'),
    organizers: valuesOf('organizers'),
    findings: lines.flatMap((line) => {
      if (line.list !== 'findings') return [];
      const { line: at, id, field, action, expected, found } = line;
      const where = [at, id === null ? null : JSON.stringify(id), field].filter((part) => part !== null);
      return [`${where.join(' ')}: ${action}, expected ${expected}, found ${found}`];
    }),
  };
}

/** The work of a reader of feed `f`; its documents are given to the reader itself. */
export function taskOf(feed: Partial<Feed> = {}): ReadTask {
  const settings = { language: 'nb' as const, defaults: {}, map: {}, categoryNames: {}, keepIds: false };
  const ofTables = { columns: {}, format: null, timeZone: null };
  const own = { id: 'f', ...settings, ...ofTables, ...feed };
  return { kind: 'csv', feed: own, documents: [], now: NOW, horizonDay: 21_000, notes: [] };
}
