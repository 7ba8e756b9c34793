/** Files of a source folder: their bytes, and the lines and the text of these. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { CalendarError, readingFault } from '../../src/calendar/errors.ts';
import { excerpt } from '../findings.ts';
import { exactText, inUtf8 } from './encodings.ts';
import type { RawEntry } from './source.ts';

/** A file of a source. Each call reads it from its beginning. */
export interface SourceFile {
  readonly name: string;
  readonly chunks: () => AsyncIterable<Buffer>;
  /** SHA-256 in hex. */
  readonly digest: () => Promise<string>;
}

/** Throws INVALID_SOURCE for a file that does not exist or cannot be read. `name`: its name in messages and in the source's hash. */
export async function openSourceFile(path: string, name: string): Promise<SourceFile> {
  const found = await stat(path).catch((cause) => {
    throw unreadable(name, cause);
  });
  if (!found.isFile()) throw new CalendarError('INVALID_SOURCE', `${name}: expected a file, found none`);
  const chunks = () => chunksOf(path, name);
  const digest = async () => {
    const hash = createHash('sha256');
    for await (const chunk of chunks()) hash.update(chunk);
    return hash.digest('hex');
  };
  return { name, chunks, digest };
}

/**
 * F14: the real path of a file in a source folder. A link may lead to another file of the folder, as in volumes of Kubernetes. Throws
 * INVALID_SOURCE for one that leads out of it: whoever may edit the folder must not publish what else this user can read.
 */
export async function realPathIn(folder: string, name: string): Promise<string> {
  try {
    const [root, path] = await Promise.all([realpath(folder), realpath(join(folder, name))]);
    if (isIn([root], path)) return path;
  } catch (cause) {
    throw unreadable(name, cause);
  }
  const message = `${name}: expected a file in the source folder, found a link that leads out of it`;
  throw new CalendarError('INVALID_SOURCE', message);
}

/** Whether a path is below one of the folders. */
export function isIn(folders: readonly string[], path: string): boolean {
  return folders.some((folder) => path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`));
}

async function* chunksOf(path: string, name: string): AsyncGenerator<Buffer, void, undefined> {
  const stream: AsyncIterable<Buffer> = createReadStream(path, { highWaterMark: CHUNK });
  try {
    yield* stream;
  } catch (cause) {
    throw unreadable(name, cause);
  }
}

/** Bytes that are read at a time. */
const CHUNK = 256 * 1024;

function unreadable(name: string, cause: unknown): CalendarError {
  const message = `${name}: expected a readable file, but ${readingFault(cause)}`;
  return new CalendarError('INVALID_SOURCE', message, { cause });
}

/** All bytes of a file that is one JSON value, in UTF-8. Throws INVALID_SOURCE for one that is too large. */
export async function readBytes(file: SourceFile): Promise<Buffer> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const chunk of inUtf8(file.chunks())) {
    length += chunk.length;
    if (length > MOST_BYTES)
      throw invalid(file, `expected at most ${MOST_BYTES} bytes, found more: write it as .ndjson`);
    parts.push(chunk);
  }
  return Buffer.concat(parts);
}

/** Bytes of a file that is one JSON value. Of a larger list, made `.ndjson`, only one line at a time is in memory. */
const MOST_BYTES = 128 * 1024 * 1024;

export interface DecodedLine {
  readonly line: Line;
  /** Null if it cannot be read: then the entry has the problem. */
  readonly text: string | null;
  readonly entry: RawEntry;
}

/** The lines of a file, each as text, or with the problem for which it cannot be read. */
export async function* decodedLines(file: SourceFile): AsyncGenerator<DecodedLine, void, undefined> {
  for await (const line of linesOf(inUtf8(file.chunks()))) {
    const entry: RawEntry = { origin: { file: file.name, line: line.line }, value: undefined };
    const { text = null, problem } = line.isTooLong ? { problem: tooLong(line) } : decode(line.bytes);
    yield { line, text, entry: problem === undefined ? entry : { ...entry, problem } };
  }
}

function tooLong({ bytes }: Line): Problem {
  const found = `a longer one, which begins with ${excerpt(bytes.toString('utf8'))}`;
  return { expected: `a record of at most ${LONGEST_LINE} bytes`, found };
}

/** A line of a file. */
export interface Line {
  readonly bytes: Buffer;
  /** 1-based. */
  readonly line: number;
  /** Whether it is longer than a record may be: then `bytes` are its beginning. */
  readonly isTooLong: boolean;
  /** Whether it ends with the file instead of a line feed. */
  readonly isUnended: boolean;
}

/** The lines of a file without their line feeds, wherever its chunks are cut. Blank lines are skipped, but count in the numbering. */
export async function* linesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<Line, void, undefined> {
  let line = 1;
  /** The beginning of a line whose end is in a later chunk, and the length of all that was read of it. */
  let carried: Buffer = Buffer.alloc(0);
  let length = 0;

  /** Adds to the current line. Only the beginning of a line that is too long is stored. */
  const carry = (bytes: Buffer) => {
    length += bytes.length;
    const whole = Buffer.concat([carried, bytes]);
    carried = length > LONGEST_LINE ? Buffer.from(whole.subarray(0, BEGINNING)) : whole;
  };

  const finished = ({ isUnended }: Pick<Line, 'isUnended'>): readonly Line[] => {
    const isMarked = line === 1 && carried.subarray(0, BOM.length).equals(BOM);
    const bytes = isMarked ? carried.subarray(BOM.length) : carried;
    const isTooLong = length > LONGEST_LINE;
    return isBlank(bytes) ? [] : [{ bytes, line, isTooLong, isUnended }];
  };

  for await (const chunk of chunks) {
    let from = 0;
    for (let at = chunk.indexOf(LINE_FEED); at !== -1; at = chunk.indexOf(LINE_FEED, from)) {
      carry(chunk.subarray(from, at));
      yield* finished({ isUnended: false });
      carried = Buffer.alloc(0);
      length = 0;
      from = at + 1;
      line++;
    }
    carry(chunk.subarray(from));
  }
  yield* finished({ isUnended: true });
}

/** Bytes of the longest record; a longer line means a file of another kind, or without line ends. */
const LONGEST_LINE = 16 * 1024 * 1024;
/** Bytes of the beginning of a longer one that are stored, for messages. */
const BEGINNING = 200;

export const LINE_FEED = 0x0a;
const BOM = Buffer.from('\ufeff');

function isBlank(bytes: Buffer): boolean {
  return bytes.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d);
}

type Problem = Required<RawEntry>['problem'];

/** The text of bytes, or why they have none. */
export function decode(bytes: Buffer): { readonly text?: string; readonly problem?: Problem } {
  const read = exactText(bytes);
  if ('text' in read) return read;
  const { badByteAt } = read;
  const found = `byte 0x${bytes.toString('hex', badByteAt, badByteAt + 1)} at offset ${badByteAt}`;
  return { problem: { expected: 'UTF-8', found } };
}

/** INVALID_SOURCE of a whole file, with a message that quotes no record. */
export function invalid(file: SourceFile, message: string): CalendarError {
  return new CalendarError('INVALID_SOURCE', `${file.name}: ${message}`);
}
