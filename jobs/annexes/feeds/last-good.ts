/** The last good records of a feed: a file with one line for each record, finding and id. Builds use it while the feed fails. */
import { basename } from 'node:path';
import * as z from 'zod';
import { ACTIONS } from '../../../src/calendar/actions.ts';
import { isCalendarError, isMissing, systemCodeOf } from '../../../src/calendar/errors.ts';
import { linesOf, openSourceFile, type SourceFile } from '../../source/source-files.ts';

const RECORD_LISTS = ['categories', 'venues', 'organizers', 'events', 'corrections', 'feeds'] as const;
type RecordList = (typeof RECORD_LISTS)[number];

/** 1-based line in the feed, for records of a file. */
const lineNumber = z.int().nullable();
const recordSchema = z.object({
  list: z.enum(RECORD_LISTS),
  line: lineNumber,
  value: z.record(z.string(), z.unknown()).readonly(),
  /** F17: the venue or organizer that this is one description of, by its id. */
  describes: z.string().optional(),
});
const findingSchema = z.object({
  list: z.literal('findings'),
  action: z.enum(ACTIONS),
  line: lineNumber,
  /** The list of a dropped record; events by default. */
  kind: z.enum(RECORD_LISTS).optional(),
  id: z.string().nullable(),
  field: z.string().nullable(),
  expected: z.string(),
  found: z.string(),
});
/** L4: which of the events that share a UID has which number. */
const idSchema = z.object({
  list: z.literal('ids'),
  /** Hash of the UID. */
  uid: z.string(),
  /** Hash of start and place. */
  at: z.string(),
  /** 1 for the event whose id is the UID alone. */
  number: z.int().min(1),
  /** Instant of the first reading without it; null while it is there. */
  gone: z.int().nullable(),
});
/** F11: a place whose id no other place of its name gets. */
const placeSchema = z.object({
  list: z.literal('places'),
  /** The id that its name and address alone would have. */
  text: z.string(),
  id: z.string(),
  /** Its municipality by `townKey`; empty if it is not known. */
  town: z.string(),
  position: z.object({ latitude: z.number(), longitude: z.number() }).nullable(),
  /** Instant of the first reading without it; null while it is there. */
  gone: z.int().nullable(),
});
/** L4: an entry that became dates of a series, and the id of that. */
const mergedSchema = z.object({ list: z.literal('merged'), id: z.string(), survivor: z.string() });
const count = z.int().min(0);
const endSchema = z.object({
  list: z.literal('end'),
  counts: z.object({
    entries: count,
    events: count,
    merged: count,
    dropped: count,
    corrections: count.optional(),
    venues: count.optional(),
    feeds: count.optional(),
  }),
  /** Listed ones, and those of rules up to the horizon (G11). Version 1.0.0 did not write it. */
  dates: count.optional(),
  isComplete: z.boolean(),
  /** F15, F16, F18: the columns of a sheet, and whether they have values. */
  columns: z.record(z.string(), z.boolean()).optional(),
});
/** Any line of the file. */
const lineSchema = z.discriminatedUnion('list', [
  recordSchema,
  findingSchema,
  idSchema,
  placeSchema,
  mergedSchema,
  endSchema,
]);

export type FeedRecord = Readonly<z.output<typeof recordSchema>>;
export type FeedFinding = Readonly<z.output<typeof findingSchema>>;
export type FeedId = Readonly<z.output<typeof idSchema>>;
export type FeedPlace = Readonly<z.output<typeof placeSchema>>;
type FeedMerger = Readonly<z.output<typeof mergedSchema>>;
type FeedEnd = Readonly<z.output<typeof endSchema>>;

/** A line that a reader passes on. The last line, about the end, is added later. */
export type FeedLine = FeedRecord | FeedFinding | FeedId | FeedPlace | FeedMerger;

/** Passes a line on to the file. */
export type Emit = (line: FeedLine) => void;

/** A finding; what is absent is null, or the default. */
export type NewFinding = Pick<FeedFinding, 'action' | 'expected' | 'found'> &
  Partial<Pick<FeedFinding, 'line' | 'id' | 'field' | 'kind'>>;

/** G2: reports a change to an entry, and its reason. */
export type AddFinding = (finding: NewFinding) => void;

/** The last good records of a feed, with the findings about dropped entries. */
export interface LastGood {
  /** Counts, and whether the feed was complete. */
  readonly end: FeedEnd;
  /** SHA-256 of the file. */
  readonly hash: () => Promise<string>;
  /** Whether every line is valid. If one is not, the functions below throw when they reach it. */
  readonly isReadable: () => Promise<boolean>;
  readonly records: (list: RecordList) => AsyncGenerator<FeedRecord, void, undefined>;
  readonly findings: () => AsyncGenerator<FeedFinding, void, undefined>;
  readonly ids: () => Promise<readonly FeedId[]>;
  readonly gonePlaces: () => AsyncGenerator<FeedPlace, void, undefined>;
  readonly mergedIds: () => AsyncGenerator<FeedMerger, void, undefined>;
}

/**
 * Null if the file is missing, or does not end as it should. Then the feed is read like a new one (`growth.ts`). Rejects if the machine cannot
 * read a file that is there. Only the end is checked here: call `isReadable` before you use a file that may be damaged, or from another version.
 */
export async function openLastGood(path: string): Promise<LastGood | null> {
  try {
    const file = await openSourceFile(path, basename(path));
    let end: FeedEnd | null = null;
    for await (const last of linesIn(file, 'end', endSchema)) end = last;
    if (end === null) return null;
    return lastGoodIn(file, end);
  } catch (thrown) {
    throwFaultOfMachine(thrown);
    // Missing or damaged: a build must not stop for that, and the next reading replaces the file.
    return null;
  }
}

/** With a fault such as too many open files, the records may be good: a build without them would drop the feed's events. */
function throwFaultOfMachine(thrown: unknown): void {
  const cause = isCalendarError(thrown) ? thrown.cause : thrown;
  if (systemCodeOf(cause) !== '' && !isMissing(cause)) throw cause;
}

function lastGoodIn(file: SourceFile, end: FeedEnd): LastGood {
  let digest: Promise<string> | undefined;

  function hash(): Promise<string> {
    digest ??= file.digest();
    return digest;
  }

  async function ids(): Promise<readonly FeedId[]> {
    const found: FeedId[] = [];
    for await (const id of linesIn(file, 'ids', idSchema)) found.push(id);
    return found;
  }

  return {
    end,
    hash,
    isReadable: () => isReadable(file),
    records: (list) => linesIn(file, list, recordSchema),
    findings: () => linesIn(file, 'findings', findingSchema),
    ids,
    gonePlaces: () => linesIn(file, 'places', placeSchema),
    mergedIds: () => linesIn(file, 'merged', mergedSchema),
  };
}

async function isReadable(file: SourceFile): Promise<boolean> {
  try {
    for await (const { bytes } of linesOf(file.chunks()))
      lineSchema.parse(JSON.parse(bytes.toString('utf8')));
    return true;
  } catch (thrown) {
    throwFaultOfMachine(thrown);
    return false;
  }
}

/** A line of the file. `list` comes first, because lines are recognised by it. */
export function feedLine(line: FeedLine | FeedEnd): string {
  const { list, ...rest } = line;
  return `${JSON.stringify({ list, ...rest })}\n`;
}

/** Lines of other lists are recognised by their beginning, and not parsed. Throws at the first invalid line. */
async function* linesIn<Line>(
  file: SourceFile,
  list: FeedLine['list'] | 'end',
  schema: z.ZodType<Line>,
): AsyncGenerator<Line, void, undefined> {
  const beginning = Buffer.from(`{"list":"${list}"`);
  for await (const { bytes, isTooLong, line } of linesOf(file.chunks())) {
    if (isTooLong) throw new Error(`${file.name}:${line}: expected a record, found a line that is too long`);
    if (bytes.subarray(0, beginning.length).equals(beginning))
      yield schema.parse(JSON.parse(bytes.toString('utf8')));
  }
}
