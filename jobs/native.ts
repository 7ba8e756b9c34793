/** The native source: a folder of JSON files (F1–F3). */
import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { CalendarError, messageOf } from '../src/calendar/errors.ts';
import { DEEPEST_JSON, measureJson } from '../src/calendar/json.ts';
import { inUtf8 } from './read/encoding.ts';
import {
  decode,
  MAX_PIECE,
  openSourceFile,
  type Piece,
  type SourceFile,
  type Splitter,
  splitArray,
  splitLines,
} from './read/file.ts';
import { excerpt, type Origin, type RawEntry, type Source } from './records.ts';

const LICENCE = 'licence.json';
const POSTAL_CODES = 'postal-codes.tsv';
/** This file is not read here, but it determines what is built, so it belongs to the hash. */
const FEEDS = 'sources.json';
const NOTICES = 'notices.json';
/** F12. */
const DUPLICATES = 'duplicates.json';

/**
 * A folder of `licence.json`, `venues`, `organizers` and `events` (each `.json` or `.ndjson`) and `postal-codes.tsv` (F1–F3, F8). Throws
 * INVALID_SOURCE: here for missing files and later, while the lists are read, for unreadable ones.
 */
export async function openNativeSource(folder: string): Promise<Source> {
  const names = await namesIn(folder);
  const open = async (name: string) => openSourceFile(join(folder, name), name);
  const openList = async (list: string): Promise<SourceFile | null> => {
    const name = listFile(names, list);
    return name === null ? null : open(name);
  };

  if (!names.has(LICENCE)) throw missing(folder, LICENCE);
  const licence = await open(LICENCE);
  const events = await openList('events');
  // A source may consist of feeds alone.
  if (events === null && !names.has(FEEDS)) throw missing(folder, 'events.json or events.ndjson');
  const venues = await openList('venues');
  const organizers = await openList('organizers');
  const postalCodes = names.has(POSTAL_CODES) ? await open(POSTAL_CODES) : null;
  const notices = names.has(NOTICES) ? await open(NOTICES) : null;
  const duplicates = names.has(DUPLICATES) ? await open(DUPLICATES) : null;
  const feeds = names.has(FEEDS) ? await open(FEEDS) : null;

  const lists = [venues, organizers, events].filter((file) => file !== null);
  const files = [licence, ...lists, postalCodes, notices, duplicates, feeds].filter((file) => file !== null);
  return {
    licence: () => wholeEntry(licence),
    venues: () => entriesOf(venues),
    organizers: () => entriesOf(organizers),
    events: () => entriesOf(events),
    postalCodes: () =>
      postalCodes === null ? noEntries() : readPieces(postalCodes, splitLines(), columnEntry),
    notices: () => entriesOf(notices),
    duplicates: async () => (duplicates === null ? null : wholeEntry(duplicates)),
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
  const { name } = file;
  if (!name.endsWith('.ndjson'))
    return readPieces(file, splitArray(name), (piece) =>
      jsonEntry(piece, { file: name, index: piece.index }, cannotGoOn),
    );
  // A line that is not JSON is one bad record (G2), unless it is the last one and cut off.
  return readPieces(file, splitLines(), (piece) =>
    jsonEntry(piece, { file: name, line: piece.line }, cutOff),
  );
}

async function* noEntries(): Entries {}

async function hashOf(files: readonly SourceFile[]): Promise<string> {
  const hash = createHash('sha256');
  const byName = [...files].sort((left, right) => (left.name < right.name ? -1 : 1));
  for (const file of byName) hash.update(`${file.name} ${await file.digest()}\n`);
  return hash.digest('hex');
}

type Entries = AsyncGenerator<RawEntry, void, undefined>;

interface FilePiece extends Piece {
  readonly file: string;
  /** 0-based, among the pieces of the file. */
  readonly index: number;
  /** The charset of the whole file; null: each piece is detected by itself. */
  readonly charset: string | null;
}

async function* readPieces(
  file: SourceFile,
  splitter: Splitter,
  entryOf: (piece: FilePiece) => RawEntry,
): Entries {
  const named = new Set<string>();
  let index = 0;
  const { chunks, charset: ofAll } = await inUtf8(file.chunks());
  const read = (piece: Piece): RawEntry => {
    const entry = entryOf({ file: file.name, index: index++, charset: ofAll, ...piece });
    if (entry.charset === undefined) return entry;
    const { charset, ...rest } = entry;
    // A file's charset is reported with its first record only.
    if (named.has(charset)) return rest;
    named.add(charset);
    return entry;
  };
  for await (const chunk of chunks) for (const piece of splitter.push(chunk)) yield read(piece);
  for (const piece of splitter.end()) yield read(piece);
}

/** A file that is one JSON value. */
async function wholeEntry(file: SourceFile): Promise<RawEntry> {
  const parts: Buffer[] = [];
  const { chunks, charset } = await inUtf8(file.chunks());
  for await (const chunk of chunks) parts.push(Buffer.from(chunk));
  const whole = { index: 0, line: 1, offset: 0, isTooLong: false, isUnended: false, charset };
  const piece = { ...whole, file: file.name, bytes: Buffer.concat(parts) };
  return jsonEntry(piece, { file: file.name }, cannotGoOn);
}

/** A line of a `.tsv` file: its columns. */
function columnEntry(piece: FilePiece): RawEntry {
  const origin = { file: piece.file, line: piece.line };
  const decoded = decodePiece(piece);
  if ('problem' in decoded) return { origin, value: undefined, ...decoded };
  const { text, ...charset } = decoded;
  return { origin, value: text.replace(/\r$/, '').split('\t'), ...charset };
}

type Problem = NonNullable<RawEntry['problem']>;

/** The consequence of an unreadable piece: the error that ends the build (G3), or null for one bad record (G2). */
type Judge = (piece: FilePiece, problem: Problem, cause?: unknown) => CalendarError | null;

function jsonEntry(piece: FilePiece, origin: Origin, judge: Judge): RawEntry {
  const refused = (problem: Problem) => ({ origin, value: undefined, problem });
  if (measureJson(piece.bytes).depth > DEEPEST_JSON) return refused(TOO_DEEP);
  const decoded = decodePiece(piece);
  if ('problem' in decoded) {
    const error = judge(piece, decoded.problem);
    if (error !== null) throw error;
    return refused(decoded.problem);
  }
  const { text: written, charset } = decoded;
  // Splitting into lines has already removed a byte order mark.
  const text = piece.offset === 0 ? written.replace(/^\ufeff/, '') : written;
  try {
    const value: unknown = JSON.parse(text);
    // A lone surrogate can only be written as an escape, and has no UTF-8: it would become another text.
    if (text.includes('\\u') && !isWellFormed(value)) return refused(HALF);
    return charset === undefined ? { origin, value } : { origin, value, charset };
  } catch (cause) {
    const problem = { expected: 'JSON', found: excerpt(text) };
    const error = judge(piece, problem, cause);
    if (error !== null) throw error;
    return refused(problem);
  }
}

const TOO_DEEP = { expected: 'JSON', found: `a value nested deeper than ${DEEPEST_JSON} levels` };
const HALF = { expected: 'whole Unicode characters', found: 'half of a surrogate pair' };

/** Invalid JSON in an array, or in a file of one value: the rest cannot be read. */
function cannotGoOn(
  { file, line, isTooLong }: FilePiece,
  problem: Problem,
  cause?: unknown,
): CalendarError | null {
  if (isTooLong) return null;
  const found = cause === undefined ? problem.found : `in what begins there: ${messageOf(cause)}`;
  const message = `${file}:${line}: expected ${problem.expected}, found ${found}`;
  return new CalendarError('INVALID_SOURCE', message, cause === undefined ? {} : { cause });
}

/** A file that is still being written, or was not written to its end: nothing shows what is missing. */
function cutOff({ file, line, bytes, isUnended }: FilePiece): CalendarError | null {
  if (!isUnended) return null;
  const found = `one that is cut off: ${excerpt(bytes.toString('utf8', 0, 200))}`;
  return new CalendarError(
    'INVALID_SOURCE',
    `${file}:${line}: expected a last line that is whole, found ${found}; wait until the file is complete`,
  );
}

type Text = { readonly text: string } & Pick<RawEntry, 'charset'>;

function decodePiece(piece: FilePiece): Text | { readonly problem: Problem } {
  const { bytes, isTooLong, charset } = piece;
  if (isTooLong) {
    const found = `a longer one, which begins with ${excerpt(bytes.toString('utf8'))}`;
    return { problem: { expected: `a record of at most ${MAX_PIECE} bytes`, found } };
  }
  const decoded = decode(piece);
  if ('wrong' in decoded) return { problem: { expected: 'UTF-8', found: decoded.wrong } };
  const read = charset ?? decoded.charset;
  return read === null ? { text: decoded.text } : { text: decoded.text, charset: read };
}

function isWellFormed(value: unknown): boolean {
  if (typeof value === 'string') return !LONE_SURROGATE.test(value);
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([key, inner]) => !LONE_SURROGATE.test(key) && isWellFormed(inner));
}

const LONE_SURROGATE = /\p{Surrogate}/u;
