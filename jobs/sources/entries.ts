import { CalendarError, messageOf } from '../../src/calendar/errors.ts';
import { DEEPEST_JSON, measureJson } from '../../src/calendar/json.ts';
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
    yield elementOf(file, piece, { file: file.name, index });
    index++;
  }
}

/** An `.ndjson` file: one record a line. A line that is not JSON is one bad record (G2). */
export async function* lineEntries(file: SourceFile): Entries {
  for await (const piece of pieces(file, splitLines(file.name))) {
    yield lineOf(piece, { file: file.name, line: piece.line });
  }
}

/** A `.tsv` file: each line's columns. */
export async function* columnEntries(file: SourceFile): Entries {
  for await (const piece of pieces(file, splitLines(file.name))) {
    const origin = { file: file.name, line: piece.line };
    const decoded = decode(piece);
    if ('wrong' in decoded) yield badEntry(origin, 'UTF-8', decoded.wrong);
    else yield { origin, value: decoded.text.replace(/\r$/, '').split('\t') };
  }
}

/** A file that is one JSON value. */
export async function wholeEntry(file: SourceFile): Promise<RawEntry> {
  const parts: Buffer[] = [];
  for await (const chunk of file.chunks()) parts.push(Buffer.from(chunk));
  const bytes = Buffer.concat(parts);
  return elementOf(file, { bytes, line: 1, offset: 0 }, { file: file.name });
}

async function* pieces(file: SourceFile, splitter: Splitter): AsyncGenerator<Piece, void, undefined> {
  for await (const chunk of file.chunks()) yield* splitter.push(chunk);
  yield* splitter.end();
}

function elementOf(file: SourceFile, piece: Piece, origin: Origin): RawEntry {
  if (isTooDeep(piece)) return badEntry(origin, 'JSON', TOO_DEEP);
  const decoded = decode(piece);
  if ('wrong' in decoded) {
    throw new CalendarError(
      'INVALID_SOURCE',
      `${file.name}:${piece.line}: expected UTF-8, found ${decoded.wrong}`,
    );
  }
  const text = decoded.text.replace(/^\ufeff/, '');
  try {
    return entryOf(text, JSON.parse(text), origin);
  } catch (cause) {
    const message = `${file.name}:${piece.line}: expected JSON, found in what begins there: ${messageOf(cause)}`;
    throw new CalendarError('INVALID_SOURCE', message, { cause });
  }
}

function lineOf(piece: Piece, origin: Origin): RawEntry {
  if (isTooDeep(piece)) return badEntry(origin, 'JSON', TOO_DEEP);
  const decoded = decode(piece);
  if ('wrong' in decoded) return badEntry(origin, 'UTF-8', decoded.wrong);
  try {
    return entryOf(decoded.text, JSON.parse(decoded.text), origin);
  } catch {
    return badEntry(origin, 'JSON', excerpt(decoded.text));
  }
}

const TOO_DEEP = `a value nested deeper than ${DEEPEST_JSON} levels`;

function isTooDeep({ bytes }: Piece): boolean {
  return measureJson(bytes).depth > DEEPEST_JSON;
}

function badEntry(origin: Origin, expected: string, found: string): RawEntry {
  return { origin, value: undefined, problem: { expected, found } };
}

function entryOf(text: string, value: unknown, origin: Origin): RawEntry {
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
