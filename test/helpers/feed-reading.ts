/** Documents of strangers as records, read in the test's own process. */
import type { Feed } from '../../jobs/annexes/feeds/config.ts';
import type { FeedLine } from '../../jobs/annexes/feeds/last-good.ts';
import type { FeedReader, ReadTask } from '../../jobs/annexes/feeds/reading.ts';
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

/** Rows of a table as a text, one a line, with ` → ` between their columns; a line that begins with it goes on with the row. */
export function rowsOf(text: string): readonly (readonly string[])[] {
  const rows = text.replace(/\n\s*(?=→)/g, ' ').split('\n');
  return rows.flatMap((row) => (row.trim() === '' ? [] : [row.trim().split(/\s+→\s*/)]));
}

interface Problem {
  readonly what: string;
  readonly document: string;
  readonly findings: readonly string[];
}

/** Documents with their findings as a text: `# what it is about`, its lines, and `! ` before each finding. */
export function problemsOf(text: string): readonly Problem[] {
  const blocks = text.split(/^# /m).slice(1);
  return blocks.map((block) => {
    const [what = '', ...lines] = block.split('\n').map((line) => line.trim());
    const [findings, document] = [/^! /, /^(?!! )./].map((form) => lines.filter((line) => form.test(line)));
    const told = findings?.map((line) => line.slice('! '.length)) ?? [];
    return { what, document: `${document?.join('\n')}\n`, findings: told };
  });
}

/** Dates of a record in words: `2027-02-14 19:00 to 2027-02-14 21:30`, `2027-02-14 19:00 for 90 min`. */
export function datesIn({ dates }: Value = {}): readonly string[] {
  if (!Array.isArray(dates)) return [];
  return dates.map(({ start, end, duration, ...more }: Value) => {
    const length = end === undefined ? (duration === undefined ? '' : ` for ${duration} min`) : ` to ${end}`;
    const others = Object.entries(more).map(([field, value]) => ` ${field}=${JSON.stringify(value)}`);
    return `${start}${length}${others.join('')}`;
  });
}
