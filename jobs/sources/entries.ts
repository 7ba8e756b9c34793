import { CalendarError, messageOf } from '../../src/calendar/errors.ts';
import type { Origin, RawEntry } from '../records.ts';
import { excerpt } from '../report/excerpt.ts';
import type { SourceFile } from './file.ts';
import { decode, type Piece, type Splitter } from './pieces.ts';
import { splitArray } from './split-array.ts';
import { splitLines } from './split-lines.ts';

type Entries = AsyncGenerator<RawEntry, void, undefined>;

/** A `.json` file: one array. What is not JSON stops the build, because nobody knows what would follow (G3). */
export async function* arrayEntries(file: SourceFile): Entries {
  let index = 0;
  for await (const piece of pieces(file, splitArray(file.name))) {
    yield entryOf(parseElement(file, piece), { file: file.name, index });
    index++;
  }
}

/** An `.ndjson` file: one record a line. A line that is not JSON is one bad record (G2). */
export async function* lineEntries(file: SourceFile): Entries {
  for await (const piece of pieces(file, splitLines(file.name))) {
    const origin = { file: file.name, line: piece.line };
    const decoded = decode(piece);
    yield 'text' in decoded ? parseLine(decoded.text, origin) : notUtf8(origin, decoded.wrong);
  }
}

/** A `.tsv` file: each line's columns. */
export async function* columnEntries(file: SourceFile): Entries {
  for await (const piece of pieces(file, splitLines(file.name))) {
    const origin = { file: file.name, line: piece.line };
    const decoded = decode(piece);
    if ('wrong' in decoded) yield notUtf8(origin, decoded.wrong);
    else yield { origin, value: decoded.text.replace(/\r$/, '').split('\t') };
  }
}

/** A file that is one JSON value. */
export async function wholeEntry(file: SourceFile): Promise<RawEntry> {
  const parts: Buffer[] = [];
  for await (const chunk of file.chunks()) parts.push(Buffer.from(chunk));
  const bytes = Buffer.concat(parts);
  return entryOf(parseElement(file, { bytes, line: 1, offset: 0 }), { file: file.name });
}

async function* pieces(file: SourceFile, splitter: Splitter): AsyncGenerator<Piece, void, undefined> {
  for await (const chunk of file.chunks()) yield* splitter.push(chunk);
  yield* splitter.end();
}

interface Parsed {
  readonly text: string;
  readonly value: unknown;
}

function parseElement(file: SourceFile, piece: Piece): Parsed {
  const decoded = decode(piece);
  if ('wrong' in decoded) {
    throw new CalendarError(
      'INVALID_SOURCE',
      `${file.name}:${piece.line}: expected UTF-8, found ${decoded.wrong}`,
    );
  }
  const text = decoded.text.replace(/^\ufeff/, '');
  try {
    return { text, value: JSON.parse(text) };
  } catch (cause) {
    const message = `${file.name}:${piece.line}: expected JSON, found in what begins there: ${messageOf(cause)}`;
    throw new CalendarError('INVALID_SOURCE', message, { cause });
  }
}

function parseLine(text: string, origin: Origin): RawEntry {
  try {
    return entryOf({ text, value: JSON.parse(text) }, origin);
  } catch {
    return { origin, value: undefined, problem: { expected: 'JSON', found: excerpt(text) } };
  }
}

function notUtf8(origin: Origin, found: string): RawEntry {
  return { origin, value: undefined, problem: { expected: 'UTF-8', found } };
}

function entryOf({ text, value }: Parsed, origin: Origin): RawEntry {
  // Half a surrogate pair can be written as an escape only, and has no UTF-8: it would come out as another text.
  if (text.includes('\\u') && !isWellFormed(value)) {
    const problem = { expected: 'whole Unicode characters', found: 'half of a surrogate pair' };
    return { origin, value, problem };
  }
  return { origin, value };
}

function isWellFormed(value: unknown): boolean {
  if (typeof value === 'string') return !LONE_SURROGATE.test(value);
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([key, inner]) => !LONE_SURROGATE.test(key) && isWellFormed(inner));
}

const LONE_SURROGATE = /\p{Surrogate}/u;
