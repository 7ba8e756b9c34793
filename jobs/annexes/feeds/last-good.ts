/** A feed between builds, in two files: its last good records, and its state. */

import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import * as z from 'zod';
import { ACTIONS } from '../../../src/calendar/actions.ts';
import { linesOf, openSourceFile, type SourceFile } from '../../native.ts';
import { flushToDisk, unfinishedPath } from '../../publish.ts';
import { FEED_REASONS } from './health.ts';

const RECORD_LISTS = ['categories', 'venues', 'organizers', 'events'] as const;
type RecordList = (typeof RECORD_LISTS)[number];

/** 1-based line in the feed, for records of a file. */
const lineNumber = z.int().nullable();
const recordSchema = z.object({
  list: z.enum(RECORD_LISTS),
  line: lineNumber,
  value: z.record(z.string(), z.unknown()).readonly(),
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
/** L4: an entry that became dates of a series, and the id of that. */
const mergedSchema = z.object({ list: z.literal('merged'), id: z.string(), survivor: z.string() });
const count = z.int().min(0);
const endSchema = z.object({
  list: z.literal('end'),
  counts: z.object({ entries: count, events: count, merged: count, dropped: count }),
  /** Listed ones, and those of rules up to the horizon (G11). */
  dates: count,
  isComplete: z.boolean(),
});

export type FeedRecord = Readonly<z.output<typeof recordSchema>>;
type FeedFinding = Readonly<z.output<typeof findingSchema>>;
type FeedEnd = Readonly<z.output<typeof endSchema>>;

export type FeedId = Readonly<z.output<typeof idSchema>>;

type FeedMerger = Readonly<z.output<typeof mergedSchema>>;

export type FeedLine = FeedRecord | FeedFinding | FeedId | FeedMerger;

export type Emit = (line: FeedLine) => void;

/** G2: reports a change to an entry, and its reason. */
export type AddFinding = (finding: NewFinding) => void;

export type NewFinding = Pick<FeedFinding, 'action' | 'expected' | 'found'> &
  Partial<Pick<FeedFinding, 'line' | 'id' | 'field' | 'kind'>>;

/** The last good records of a feed, with the findings about dropped entries. */
export interface LastGood {
  readonly end: FeedEnd;
  readonly hash: () => Promise<string>;
  readonly records: (list: RecordList) => AsyncGenerator<FeedRecord, void, undefined>;
  readonly findings: () => AsyncGenerator<FeedFinding, void, undefined>;
  readonly ids: () => Promise<readonly FeedId[]>;
  readonly merged: () => AsyncGenerator<FeedMerger, void, undefined>;
}

/** Null if there is none, or an unfinished one. */
export async function openLastGood(path: string): Promise<LastGood | null> {
  try {
    const file = await openSourceFile(path, basename(path));
    let end: FeedEnd | null = null;
    for await (const last of linesIn(file, 'end', endSchema)) end = last;
    if (end === null) return null;
    return {
      end,
      hash: file.digest,
      records: (list) => linesIn(file, list, recordSchema),
      findings: () => linesIn(file, 'findings', findingSchema),
      ids: async () => {
        const ids: FeedId[] = [];
        for await (const id of linesIn(file, 'ids', idSchema)) ids.push(id);
        return ids;
      },
      merged: () => linesIn(file, 'merged', mergedSchema),
    };
  } catch {
    return null;
  }
}

export function feedLine(line: FeedLine | FeedEnd): string {
  const { list, ...rest } = line;
  return `${JSON.stringify({ list, ...rest })}\n`;
}

/** Lines of other lists are recognised by their beginning, and not parsed. */
async function* linesIn<Line>(
  file: SourceFile,
  list: FeedLine['list'] | 'end',
  schema: z.ZodType<Line>,
): AsyncGenerator<Line, void, undefined> {
  const beginning = Buffer.from(`{"list":"${list}"`);
  for await (const { bytes } of linesOf(file.chunks()))
    if (bytes.subarray(0, beginning.length).equals(beginning))
      yield schema.parse(JSON.parse(bytes.toString('utf8')));
}

const moment = z.iso.datetime();
const text = z.string().nullable();

const stateSchema = z.object({
  /** SHA-256 of the last good records that this state belongs to. The name is that of the files on disk. */
  slice: text,
  /** SHA-256 of the bytes that it was made of. */
  source: text,
  /** Result of `configHash` at that reading. */
  config: text,
  /** Number of these bytes, or of an endpoint's answers. */
  bytes: z.int(),
  /** For conditional requests: an ETag or a moment by request. */
  validators: z.record(z.string(), z.object({ etag: text, lastModified: text })),
  /** When the records were last known to be current. */
  readAt: moment.nullable(),
  /** Null unless it fails. */
  failing: z
    .object({
      since: moment,
      reason: z.enum(FEED_REASONS),
      why: z.string(),
      /** The server asked for no request before this. */
      notBefore: moment.nullable(),
    })
    .nullable(),
});

export type FeedState = z.output<typeof stateSchema>;
export type Validators = FeedState['validators'];
export type Validator = Validators[string];

export const NO_STATE: FeedState = {
  slice: null,
  source: null,
  config: null,
  bytes: 0,
  validators: {},
  readAt: null,
  failing: null,
};

/** The folder of last good records and states within a snapshot folder. */
const FOLDER = 'feeds';

export function lastGoodPath(target: string, feed: string): string {
  return join(target, FOLDER, `${feed}.ndjson`);
}

/** Within the snapshot folder, so that a killed build's file is removed with its other debris. */
export function draftPath(target: string, feed: string): string {
  return unfinishedPath(target, `feed-${feed}`);
}

export async function readState(target: string, feed: string): Promise<FeedState> {
  try {
    return stateSchema.parse(JSON.parse(await readFile(statePath(target, feed), 'utf8')));
  } catch {
    return NO_STATE;
  }
}

export async function writeState(target: string, feed: string, state: FeedState): Promise<void> {
  const draft = `${draftPath(target, feed)}.state`;
  await writeFile(draft, `${JSON.stringify(state, null, 2)}\n`, { flush: true });
  await moveIntoPlace(draft, statePath(target, feed));
}

/** The draft must be on disk already. */
export async function moveIntoPlace(draft: string, path: string): Promise<void> {
  const folder = dirname(path);
  await mkdir(folder, { recursive: true });
  await rename(draft, path);
  await flushToDisk(folder);
}

function statePath(target: string, feed: string): string {
  return join(target, FOLDER, `${feed}.json`);
}

/** Removes the records and states of feeds that are not among these. */
export async function removeOthers(target: string, feeds: readonly { readonly id: string }[]): Promise<void> {
  const kept = new Set(feeds.flatMap(({ id }) => [`${id}.ndjson`, `${id}.json`]));
  const names = await readdir(join(target, FOLDER)).catch(() => []);
  for (const name of names) if (!kept.has(name)) await rm(join(target, FOLDER, name), { force: true });
}
