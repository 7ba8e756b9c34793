/**
 * A feed's last good records, as a file: one a line, the last line saying what they are. It says the same whenever it is
 * made of the same feed, so that its hash tells whether anything has changed (G7).
 */
import { open, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import * as z from 'zod';
import { openSourceFile, type SourceFile } from '../sources/file.ts';
import { splitLines } from '../sources/split-lines.ts';
import type { FeedComplaint, FeedCounts, FeedRecord, RecordList } from './record.ts';

export interface SliceEnd {
  readonly list: 'end';
  readonly counts: FeedCounts;
  /** Whether the feed was whole. */
  readonly isComplete: boolean;
  /** Of `placeHash` and `configHash`. */
  readonly place: string;
  readonly config: string;
}

export interface Slice {
  readonly end: SliceEnd;
  readonly bytes: number;
  readonly hash: () => Promise<string>;
  readonly records: (list: RecordList) => AsyncGenerator<FeedRecord, void, undefined>;
  readonly complaints: () => AsyncGenerator<FeedComplaint, void, undefined>;
}

export interface SliceOptions {
  /** Told the size of each chunk of the events as they are read. */
  readonly onBytes?: ((count: number) => void) | undefined;
}

/** Null when there is none, or when it was never finished. */
export async function openSlice(path: string, { onBytes }: SliceOptions = {}): Promise<Slice | null> {
  const end = await readEnd(path);
  if (end === null) return null;
  const name = basename(path);
  const quiet = await openSourceFile({ path, name });
  const told = await openSourceFile({ path, name, onBytes });
  return {
    end,
    bytes: quiet.bytes,
    hash: quiet.digest,
    records: (list) => linesOf(list === 'events' ? told : quiet, list, asRecord(list)),
    complaints: () => linesOf(quiet, 'complaints', asComplaint),
  };
}

export function sliceLine(line: FeedRecord | FeedComplaint | SliceEnd): string {
  const { list, ...rest } = line;
  return `${JSON.stringify({ list, ...rest })}\n`;
}

/** Lines of other lists are told by how they begin, and not parsed. */
async function* linesOf<Line>(
  file: SourceFile,
  list: RecordList | 'complaints',
  read: (line: unknown) => Line,
): AsyncGenerator<Line, void, undefined> {
  const beginning = Buffer.from(`{"list":"${list}"`);
  const splitter = splitLines(file.name);
  for await (const chunk of file.chunks()) {
    for (const { bytes } of splitter.push(chunk)) {
      if (bytes.subarray(0, beginning.length).equals(beginning))
        yield read(JSON.parse(bytes.toString('utf8')));
    }
  }
}

const lineNumber = z.int().nullable();
const recordSchema = z.object({ line: lineNumber, value: z.record(z.string(), z.unknown()) });
const complaintSchema = z.object({
  action: z.enum([
    'dropped record',
    'dropped date',
    'dropped reference',
    'changed value',
    'migrated category',
    'cut rule',
  ]),
  line: lineNumber,
  id: z.string().nullable(),
  field: z.string().nullable(),
  expected: z.string(),
  found: z.string(),
});
const count = z.int().min(0);
const endSchema = z.object({
  list: z.literal('end'),
  counts: z.object({ entries: count, events: count, merged: count, dropped: count }),
  isComplete: z.boolean(),
  place: z.string(),
  config: z.string(),
});

function asRecord(list: RecordList): (line: unknown) => FeedRecord {
  return (line) => ({ list, ...recordSchema.parse(line) });
}

function asComplaint(line: unknown): FeedComplaint {
  return { list: 'complaints', ...complaintSchema.parse(line) };
}

const TAIL = 4096;

async function readEnd(path: string): Promise<SliceEnd | null> {
  try {
    const { size } = await stat(path);
    const handle = await open(path);
    try {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(TAIL), 0, TAIL, Math.max(0, size - TAIL));
      const lines = buffer.toString('utf8', 0, bytesRead).split('\n');
      // The last line is whole only with its line feed.
      if (lines.at(-1) !== '') return null;
      return endSchema.parse(JSON.parse(lines.at(-2) ?? ''));
    } finally {
      await handle.close();
    }
  } catch {
    return null;
  }
}
