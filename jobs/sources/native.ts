/** The native source: a folder of JSON files (F1–F3). */
import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { CalendarError, messageOf } from '../../src/calendar/errors.ts';
import { DEEPEST_JSON, measureJson } from '../../src/calendar/json.ts';
import { openSourceFile, type SourceFile } from '../read/file.ts';
import { decode, type Piece, type Splitter, splitArray, splitLines } from '../read/split.ts';
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
  let index = 0;
  for await (const piece of pieces(file, splitArray(file.name))) {
    yield elementOf(file, piece, { file: file.name, index });
    index++;
  }
}

/** An `.ndjson` file: one record a line. A line that is not JSON is one bad record (G2). */
async function* lineEntries(file: SourceFile): Entries {
  for await (const piece of pieces(file, splitLines(file.name))) {
    yield lineOf(piece, { file: file.name, line: piece.line });
  }
}

/** A `.tsv` file: each line's columns. */
async function* columnEntries(file: SourceFile): Entries {
  for await (const piece of pieces(file, splitLines(file.name))) {
    const origin = { file: file.name, line: piece.line };
    const decoded = decode(piece);
    if ('wrong' in decoded) yield badEntry(origin, 'UTF-8', decoded.wrong);
    else yield { origin, value: decoded.text.replace(/\r$/, '').split('\t') };
  }
}

/** A file that is one JSON value. */
async function wholeEntry(file: SourceFile): Promise<RawEntry> {
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
