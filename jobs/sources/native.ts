/** The native source: a folder of JSON files (F1–F3). */
import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { CalendarError, messageOf } from '../../src/calendar/errors.ts';
import { DEEPEST_JSON, measureJson } from '../../src/calendar/json.ts';
import { inUtf8 } from '../read/encoding.ts';
import {
  decode,
  MAX_PIECE,
  openSourceFile,
  type Piece,
  type SourceFile,
  type Splitter,
  splitArray,
  splitLines,
} from '../read/file.ts';
import { excerpt, type Origin, type RawEntry, type Source } from '../records.ts';

interface NativeSourceOptions {
  /** Told the size of each chunk of a list as it is read, for a progress bar. */
  readonly onBytes?: (count: number) => void;
}

const LICENCE = 'licence.json';
const POSTAL_CODES = 'postal-codes.tsv';
/** Not read here, but what it says decides what is built, so that it belongs to the hash. */
const FEEDS = 'sources.json';
const NOTICES = 'notices.json';

/**
 * A folder of `licence.json`, `venues`, `organizers` and `events` (each `.json` or `.ndjson`) and `postal-codes.tsv` (F1–F3,
 * F8). Throws INVALID_SOURCE, here for what is missing and later, while the lists are read, for what cannot be read.
 */
export async function openNativeSource(folder: string, options: NativeSourceOptions = {}): Promise<Source> {
  const names = await namesIn(folder);
  const open = async (name: string) => openSourceFile({ path: join(folder, name), name });
  const openList = async (list: string): Promise<SourceFile | null> => {
    const name = listFile(names, list);
    return name === null
      ? null
      : openSourceFile({ path: join(folder, name), name, onBytes: options.onBytes });
  };

  if (!names.has(LICENCE)) throw missing(folder, LICENCE);
  const licence = await open(LICENCE);
  const events = await openList('events');
  // Feeds may be all there is.
  if (events === null && !names.has(FEEDS)) throw missing(folder, 'events.json or events.ndjson');
  const venues = await openList('venues');
  const organizers = await openList('organizers');
  const postalCodes = names.has(POSTAL_CODES) ? await open(POSTAL_CODES) : null;
  const notices = names.has(NOTICES) ? await open(NOTICES) : null;
  const feeds = names.has(FEEDS) ? await open(FEEDS) : null;

  const lists = [venues, organizers, events].filter((file) => file !== null);
  const files = [licence, ...lists, postalCodes, notices, feeds].filter((file) => file !== null);
  return {
    licence: () => wholeEntry(licence),
    venues: () => entriesOf(venues),
    organizers: () => entriesOf(organizers),
    events: () => entriesOf(events),
    postalCodes: () => (postalCodes === null ? noEntries() : columnEntries(postalCodes)),
    notices: () => entriesOf(notices),
    bytes: lists.reduce((sum, file) => sum + file.bytes, 0),
    hash: () => hashOf(files),
  };
}

async function namesIn(folder: string): Promise<ReadonlySet<string>> {
  try {
    return new Set(await readdir(folder));
  } catch (cause) {
    const message = `expected a readable source folder at ${folder}, got ${messageOf(cause)}`;
    throw new CalendarError('INVALID_SOURCE', message, { cause });
  }
}

function listFile(names: ReadonlySet<string>, list: string): string | null {
  const found = [`${list}.json`, `${list}.ndjson`].filter((name) => names.has(name));
  if (found.length > 1) {
    throw new CalendarError(
      'INVALID_SOURCE',
      `expected one of ${found.join(' and ')}, found both; remove the one that is not meant`,
    );
  }
  return found[0] ?? null;
}

function missing(folder: string, names: string): CalendarError {
  return new CalendarError('INVALID_SOURCE', `expected ${names} in the source folder ${folder}, found none`);
}

function entriesOf(file: SourceFile | null): AsyncIterable<RawEntry> {
  if (file === null) return noEntries();
  return file.name.endsWith('.ndjson') ? lineEntries(file) : arrayEntries(file);
}

async function* noEntries(): Entries {}

async function hashOf(files: readonly SourceFile[]): Promise<string> {
  const hash = createHash('sha256');
  const byName = [...files].sort((left, right) => (left.name < right.name ? -1 : 1));
  for (const file of byName) hash.update(`${file.name} ${await file.digest()}\n`);
  return hash.digest('hex');
}

type Entries = AsyncGenerator<RawEntry, void, undefined>;

/** A `.json` file: one array. What is not JSON stops the build, because nobody knows what would follow (G3). */
async function* arrayEntries(file: SourceFile): Entries {
  const told = new Set<string>();
  let index = 0;
  for await (const piece of pieces(file, splitArray(file.name))) {
    yield toldOnce(elementOf(file, piece, { file: file.name, index }), told);
    index++;
  }
}

/** An `.ndjson` file: one record a line. A line that is not JSON is one bad record (G2), unless it is the last one and cut off. */
async function* lineEntries(file: SourceFile): Entries {
  const told = new Set<string>();
  for await (const piece of pieces(file, splitLines())) {
    yield toldOnce(lineOf(piece, { file: file.name, line: piece.line }), told);
  }
}

/** A `.tsv` file: each line's columns. */
async function* columnEntries(file: SourceFile): Entries {
  const told = new Set<string>();
  for await (const piece of pieces(file, splitLines())) {
    const origin = { file: file.name, line: piece.line };
    const decoded = textOf(piece);
    if ('problem' in decoded) yield { origin, value: undefined, ...decoded };
    else {
      const { text, ...charset } = decoded;
      yield toldOnce({ origin, value: text.replace(/\r$/, '').split('\t'), ...charset }, told);
    }
  }
}

/** A file that is one JSON value. */
async function wholeEntry(file: SourceFile): Promise<RawEntry> {
  const parts: Buffer[] = [];
  const { chunks, charset } = await inUtf8(file.chunks());
  for await (const chunk of chunks) parts.push(Buffer.from(chunk));
  const whole = { line: 1, offset: 0, isTooLong: false, isUnended: false, charset };
  return elementOf(file, { bytes: Buffer.concat(parts), ...whole }, { file: file.name });
}

/** What a file is instead of UTF-8 is news with its first record only. */
function toldOnce(entry: RawEntry, told: Set<string>): RawEntry {
  const { charset, ...rest } = entry;
  if (charset === undefined) return entry;
  if (told.has(charset)) return rest;
  told.add(charset);
  return entry;
}

interface FilePiece extends Piece {
  /** Of the whole file; null: each piece tells by itself. */
  readonly charset: string | null;
}

async function* pieces(file: SourceFile, splitter: Splitter): AsyncGenerator<FilePiece, void, undefined> {
  const { chunks, charset } = await inUtf8(file.chunks());
  for await (const chunk of chunks) for (const piece of splitter.push(chunk)) yield { ...piece, charset };
  for (const piece of splitter.end()) yield { ...piece, charset };
}

type Problem = Pick<RawEntry, 'problem'>;
type Text = { readonly text: string } & Pick<RawEntry, 'charset'>;

function textOf(piece: FilePiece): Text | Required<Problem> {
  const { bytes, isTooLong, charset } = piece;
  if (isTooLong) {
    const expected = `a record of at most ${MAX_PIECE} bytes`;
    return {
      problem: { expected, found: `a longer one, which begins with ${excerpt(bytes.toString('utf8'))}` },
    };
  }
  const decoded = decode(piece);
  if ('wrong' in decoded) return { problem: { expected: 'UTF-8', found: decoded.wrong } };
  const read = charset ?? decoded.charset;
  return read === null ? { text: decoded.text } : { text: decoded.text, charset: read };
}

function elementOf(file: SourceFile, piece: FilePiece, origin: Origin): RawEntry {
  if (isTooDeep(piece)) return badEntry(origin, TOO_DEEP);
  const decoded = textOf(piece);
  if ('problem' in decoded) {
    const { problem } = decoded;
    if (piece.isTooLong) return badEntry(origin, problem);
    const { expected, found } = problem;
    throw new CalendarError(
      'INVALID_SOURCE',
      `${file.name}:${piece.line}: expected ${expected}, found ${found}`,
    );
  }
  const text = decoded.text.replace(/^\ufeff/, '');
  try {
    return entryOf({ ...decoded, text }, JSON.parse(text), origin);
  } catch (cause) {
    const message = `${file.name}:${piece.line}: expected JSON, found in what begins there: ${messageOf(cause)}`;
    throw new CalendarError('INVALID_SOURCE', message, { cause });
  }
}

function lineOf(piece: FilePiece, origin: Origin): RawEntry {
  if (isTooDeep(piece)) return badEntry(origin, TOO_DEEP);
  const decoded = textOf(piece);
  if ('problem' in decoded) {
    if (piece.isUnended) throw cutOff(piece, origin);
    return badEntry(origin, decoded.problem);
  }
  try {
    return entryOf(decoded, JSON.parse(decoded.text), origin);
  } catch {
    if (piece.isUnended) throw cutOff(piece, origin);
    return badEntry(origin, { expected: 'JSON', found: excerpt(decoded.text) });
  }
}

/** G3: of a file that somebody is still writing, or has not written to its end, nobody knows what is missing. */
function cutOff({ bytes, line }: Piece, { file }: Origin): CalendarError {
  const found = excerpt(bytes.toString('utf8', 0, 200));
  return new CalendarError(
    'INVALID_SOURCE',
    `${file}:${line}: expected a last line that is whole, found one that is cut off: ${found}; wait until the file is complete`,
  );
}

const TOO_DEEP = { expected: 'JSON', found: `a value nested deeper than ${DEEPEST_JSON} levels` };

function isTooDeep({ bytes }: Piece): boolean {
  return measureJson(bytes).depth > DEEPEST_JSON;
}

function badEntry(origin: Origin, problem: Required<Problem>['problem']): RawEntry {
  return { origin, value: undefined, problem };
}

function entryOf({ text, ...charset }: Text, value: unknown, origin: Origin): RawEntry {
  // Half a surrogate pair can be written as an escape only, and has no UTF-8: it would come out as another text.
  if (text.includes('\\u') && !isWellFormed(value)) {
    const problem = { expected: 'whole Unicode characters', found: 'half of a surrogate pair' };
    return { origin, value, problem };
  }
  return { origin, value, ...charset };
}

function isWellFormed(value: unknown): boolean {
  if (typeof value === 'string') return !LONE_SURROGATE.test(value);
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([key, inner]) => !LONE_SURROGATE.test(key) && isWellFormed(inner));
}

const LONE_SURROGATE = /\p{Surrogate}/u;
