/** The native source: a folder of JSON files (F1–F3), and their records: arrays, one JSON value a line, and lines of columns. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { CalendarError, readingFault } from '../src/calendar/errors.ts';
import {
  countKeys,
  DEEPEST_JSON,
  isObject,
  measureJson,
  parsedJson,
  repeatedKeyIn,
} from '../src/calendar/json.ts';
import { jsonFaultIn } from '../src/calendar/json-fault.ts';
import { createNearest, withNearest } from '../src/calendar/nearest.ts';
import { exactText, inUtf8 } from './encodings.ts';
import { excerpt, type RawEntry, type Source } from './records.ts';

const LICENCE = 'licence.json';
const FEEDS = 'sources.json';

/**
 * A folder of `licence.json`, `venues`, `organizers` and `events` (each `.json` or `.ndjson`) and `postal-codes.tsv` (F1–F3, F8). Throws
 * INVALID_SOURCE: here for missing files and later, while the lists are read, for unreadable ones.
 */
export async function openNativeSource(folder: string): Promise<Source> {
  const names = await namesIn(folder);
  const files: SourceFile[] = [];
  const opened = async (name: string | null): Promise<SourceFile | null> => {
    if (name === null || !names.has(name)) return null;
    const file = await openSourceFile(join(folder, name), name);
    files.push(file);
    return file;
  };

  const licence = await opened(LICENCE);
  if (licence === null) throw missing(folder, names, [LICENCE]);
  const events = await opened(listFile(names, 'events'));
  // A source may consist of feeds alone.
  if (events === null && !names.has(FEEDS)) throw missing(folder, names, ['events.json', 'events.ndjson']);
  const venues = await opened(listFile(names, 'venues'));
  const organizers = await opened(listFile(names, 'organizers'));
  const postalCodes = await opened('postal-codes.tsv');
  const notices = await opened('notices.json');
  const duplicates = await opened('duplicates.json');
  const corrections = await opened('corrections.json');
  // It is not read here, but it determines what is built, so it belongs to the hash.
  await opened(FEEDS);
  return {
    licence: () => wholeEntry(licence),
    venues: () => entriesOf(venues),
    organizers: () => entriesOf(organizers),
    events: () => entriesOf(events),
    postalCodes: () => (postalCodes === null ? noEntries() : columnLines(postalCodes)),
    notices: () => entriesOf(notices),
    duplicates: async () => (duplicates === null ? null : wholeEntry(duplicates)),
    corrections: () => (corrections === null ? noEntries() : arrayEntries(corrections)),
    hash: () => hashOfFiles(files),
  };
}

async function namesIn(folder: string): Promise<ReadonlySet<string>> {
  try {
    return new Set(await readdir(folder));
  } catch (cause) {
    const message = `expected a readable source folder at ${folder}, but ${readingFault(cause)}`;
    throw new CalendarError('INVALID_SOURCE', message, { cause });
  }
}

function listFile(names: ReadonlySet<string>, list: string): string | null {
  const found = [`${list}.json`, `${list}.ndjson`].filter((name) => names.has(name));
  if (found.length > 1) {
    const wrong = `expected one of ${found.join(' and ')}, found both; remove the one that is not meant`;
    throw new CalendarError('INVALID_SOURCE', wrong);
  }
  return found[0] ?? null;
}

function missing(folder: string, names: ReadonlySet<string>, wanted: readonly string[]): CalendarError {
  const others = [...names].filter((name) => !OWN.test(name));
  const nearest = createNearest(others, (name) => [name])(wanted[0] ?? '');
  const found = withNearest('found none', nearest);
  const message = `expected ${wanted.join(' or ')} in the source folder ${folder}, ${found}`;
  return new CalendarError('INVALID_SOURCE', message);
}

/** The names of a source's files. */
const OWN = /^(?:licence|venues|organizers|events|notices|duplicates|corrections|sources)\.(?:nd)?json$/;

function entriesOf(file: SourceFile | null): AsyncIterable<RawEntry> {
  if (file === null) return noEntries();
  return file.name.endsWith('.ndjson') ? jsonLines(file) : arrayEntries(file);
}

type Entries = AsyncGenerator<RawEntry, void, undefined>;

async function* noEntries(): Entries {}

async function hashOfFiles(files: readonly SourceFile[]): Promise<string> {
  const hash = createHash('sha256');
  const byName = [...files].sort((left, right) => (left.name < right.name ? -1 : 1));
  for (const file of byName) hash.update(`${file.name} ${await file.digest()}\n`);
  return hash.digest('hex');
}

/** The elements of a file that is a JSON array. Throws INVALID_SOURCE for any other file. */
export async function* arrayEntries(file: SourceFile): Entries {
  const { value, lines, hasEscapes, partOf } = await readJson(file);
  if (!Array.isArray(value)) throw invalid(file, `expected an array, found ${excerpt(value)}`);
  for (const [index, element] of value.entries()) {
    const origin = { file: file.name, line: lines[index] ?? 1 };
    yield { origin, ...repeatedIn(partOf?.(index)), ...checked(element, hasEscapes) };
  }
}

/** A file that is one JSON value. Throws INVALID_SOURCE for any other file. */
async function wholeEntry(file: SourceFile): Promise<RawEntry> {
  const { value, hasEscapes, whole } = await readJson(file);
  return { origin: { file: file.name }, ...repeatedIn(whole), ...checked(value, hasEscapes) };
}

/** A file of one JSON value a line. A line that is not JSON is one bad record (G2), unless it is the last one and cut off (G3). */
async function* jsonLines(file: SourceFile): Entries {
  for await (const { line, text, entry } of decodedLines(file)) {
    const { depth, keys } = text === null ? UNMEASURED : measureJson(line.bytes);
    const isDeep = depth > DEEPEST_JSON;
    const value = text === null || isDeep ? undefined : parsedJson(text);
    if (isDeep) yield { ...entry, problem: { expected: 'JSON', found: DEEPER } };
    else if (value !== undefined) {
      const repeated = countKeys(value) < keys ? repeatedIn(text) : {};
      yield { ...entry, ...repeated, ...checked(value, text?.includes('\\u') === true) };
    } else if (line.line === 1 && text?.startsWith('['))
      throw misnamed(file, 'expected one record a line, found a list', 'json');
    else if (line.isUnended) throw cutOff(file, line);
    else if (text === null) yield entry;
    else yield { ...entry, problem: { expected: 'JSON', found: `other text: ${jsonFaultIn(text)?.cause}` } };
  }
}

/** A `.tsv` file: the columns of each line. */
async function* columnLines(file: SourceFile): Entries {
  for await (const { text, entry } of decodedLines(file))
    yield text === null ? entry : { ...entry, value: text.replace(/\r$/, '').split('\t') };
}

/** Bytes of a file that is one JSON value. Of a larger list, made `.ndjson`, only one line at a time is in memory. */
const MAX_FILE = 128 * 1024 * 1024;

const DEEPER = `a value nested deeper than ${DEEPEST_JSON} levels`;

/** `lines`: the line of each element, if it is a list; `hasEscapes`: whether characters are written as `\u` somewhere. */
async function readJson(file: SourceFile) {
  const bytes = await readBytes(file);
  const signs: number[] = [];
  // A list has one level more than its records. Deep JSON takes many seconds to parse.
  const { depth, keys } = measureJson(bytes, (at) => signs.push(at));
  if (depth > DEEPEST_JSON + 1) throw invalid(file, `expected JSON, found ${DEEPER}`);
  const { text: decoded = '', problem } = decode(bytes);
  if (problem !== undefined) throw invalid(file, `expected UTF-8, found ${problem.found}`);
  const text = decoded.replace(/^\ufeff/, '');
  const value = parsedJson(text);
  if (value !== undefined) {
    const hasRepeated = countKeys(value) < keys;
    return {
      value,
      lines: linesAfter(signs, bytes),
      hasEscapes: text.includes('\\u'),
      // Only where there is something to be found: of both, only the bytes are kept otherwise.
      whole: hasRepeated ? text : undefined,
      partOf: hasRepeated
        ? (index: number) => String(bytes.subarray(signs[index], signs[index + 1])).slice(1)
        : undefined,
    };
  }
  if (isObject(parsedJson(text.slice(0, text.indexOf('\n')))))
    throw misnamed(file, 'expected one value, found one a line', 'ndjson');
  const { line, cause } = jsonFaultIn(text) ?? {};
  throw invalid(file, `expected JSON, but ${cause}`, line);
}

/** The line of what follows each of these signs. */
function linesAfter(signs: readonly number[], bytes: Buffer): readonly number[] {
  let line = 1;
  let feed = bytes.indexOf(LINE_FEED);
  return signs.map((sign) => {
    let start = sign + 1;
    while ((bytes[start] ?? LETTER) < LETTER) start++;
    for (; feed !== -1 && feed < start; feed = bytes.indexOf(LINE_FEED, feed + 1)) line++;
    return line;
  });
}

/** The first character that is no blank. */
const LETTER = 0x21;

async function readBytes(file: SourceFile): Promise<Buffer> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const chunk of inUtf8(file.chunks())) {
    length += chunk.length;
    if (length > MAX_FILE)
      throw invalid(file, `expected at most ${MAX_FILE} bytes, found more: write it as .ndjson`);
    parts.push(chunk);
  }
  return Buffer.concat(parts);
}

function misnamed(file: SourceFile, wrong: string, ending: string): CalendarError {
  return invalid(file, `${wrong}: name it ${file.name.replace(/(?:nd)?json$/, ending)}`);
}

function invalid({ name }: SourceFile, message: string, line?: number): CalendarError {
  return new CalendarError('INVALID_SOURCE', `${line === undefined ? name : `${name}:${line}`}: ${message}`);
}

/** Each line with its text; null if it cannot be read: then the entry has the problem. */
async function* decodedLines(file: SourceFile) {
  for await (const line of linesOf(inUtf8(file.chunks()))) {
    const entry: RawEntry = { origin: { file: file.name, line: line.line }, value: undefined };
    const { text = null, problem } = line.isTooLong ? { problem: tooLong(line) } : decode(line.bytes);
    yield { line, text, entry: problem === undefined ? entry : { ...entry, problem } };
  }
}

function tooLong({ bytes }: Line): Problem {
  const found = `a longer one, which begins with ${excerpt(bytes.toString('utf8'))}`;
  return { expected: `a record of at most ${MAX_LINE} bytes`, found };
}

/** A file that is still being written, or was cut off: nothing shows how much is missing. */
function cutOff(file: SourceFile, { line, bytes }: Line): CalendarError {
  const wrong = `expected a last line that is whole, found one that is cut off: ${excerpt(bytes.toString('utf8', 0, 200))}`;
  return invalid(file, `${wrong}; wait until the file is complete`, line);
}

/** A record that is not text. */
const UNMEASURED = { depth: 0, keys: 0 };

/** F3: a field that stands twice in a record. */
function repeatedIn(json: string | null | undefined): Pick<RawEntry, 'repeated'> {
  const repeated = json == null ? null : repeatedKeyIn(json);
  return repeated === null ? {} : { repeated };
}

/** A lone surrogate can only be written as an escape, and has no UTF-8 form: it would become another text. */
function checked(value: unknown, hasEscapes: boolean): Pick<RawEntry, 'value' | 'problem'> {
  if (!hasEscapes || isWellFormed(value)) return { value };
  const problem = { expected: 'whole Unicode characters', found: 'half of a surrogate pair' };
  return { value: undefined, problem };
}

function isWellFormed(value: unknown): boolean {
  if (typeof value === 'string') return !LONE_SURROGATE.test(value);
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([key, inner]) => !LONE_SURROGATE.test(key) && isWellFormed(inner));
}

const LONE_SURROGATE = /\p{Surrogate}/u;

const CHUNK = 256 * 1024;

/** A file of a source. Each call reads it from its beginning. */
export interface SourceFile {
  readonly name: string;
  readonly chunks: () => AsyncIterable<Buffer>;
  /** SHA-256 in hex. */
  readonly digest: () => Promise<string>;
}

/** `name`: the file's name in messages and in the source's hash. */
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

async function* chunksOf(path: string, name: string): AsyncGenerator<Buffer, void, undefined> {
  const stream: AsyncIterable<Buffer> = createReadStream(path, { highWaterMark: CHUNK });
  try {
    yield* stream;
  } catch (cause) {
    throw unreadable(name, cause);
  }
}

function unreadable(name: string, cause: unknown): CalendarError {
  const message = `${name}: expected a readable file, but ${readingFault(cause)}`;
  return new CalendarError('INVALID_SOURCE', message, { cause });
}

interface Line {
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

  /** Adds to the present line; of one that is too long only the beginning is stored. */
  const carry = (bytes: Buffer) => {
    length += bytes.length;
    const whole = Buffer.concat([carried, bytes]);
    carried = length > MAX_LINE ? Buffer.from(whole.subarray(0, BEGINNING)) : whole;
  };

  const finished = (isUnended: boolean): readonly Line[] => {
    const isMarked = line === 1 && carried.subarray(0, BOM.length).equals(BOM);
    const bytes = isMarked ? carried.subarray(BOM.length) : carried;
    const isTooLong = length > MAX_LINE;
    return isBlank(bytes) ? [] : [{ bytes, line, isTooLong, isUnended }];
  };

  for await (const chunk of chunks) {
    let from = 0;
    for (let at = chunk.indexOf(LINE_FEED); at !== -1; at = chunk.indexOf(LINE_FEED, from)) {
      carry(chunk.subarray(from, at));
      yield* finished(false);
      [carried, length, from] = [Buffer.alloc(0), 0, at + 1];
      line++;
    }
    carry(chunk.subarray(from));
  }
  yield* finished(true);
}

const LINE_FEED = 0x0a;
const BOM = Buffer.from('\ufeff');

function isBlank(bytes: Buffer): boolean {
  return bytes.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d);
}

type Problem = Required<RawEntry>['problem'];

/** The text of bytes, or why they have none. */
function decode(bytes: Buffer): { readonly text?: string; readonly problem?: Problem } {
  const read = exactText(bytes);
  if ('text' in read) return read;
  const { badByteAt } = read;
  const found = `byte 0x${bytes.toString('hex', badByteAt, badByteAt + 1)} at offset ${badByteAt}`;
  return { problem: { expected: 'UTF-8', found } };
}

/** Longest record; a longer one means a file of another kind, or without line ends. */
const MAX_LINE = 16 * 1024 * 1024;
/** Bytes of the beginning of a longer one that are stored, for messages. */
const BEGINNING = 200;
