/** The native source: a folder of JSON files (F1–F3), and their records: arrays, one JSON value a line, and lines of columns. */
import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
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
import { excerpt, type RawEntry, type Source, shorten } from './records.ts';
import { sourceFault } from './source-fault.ts';
import {
  decode,
  decodedLines,
  invalid,
  LINE_FEED,
  type Line,
  openSourceFile,
  readBytes,
  type SourceFile,
} from './source-files.ts';

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
    const wrong = `expected one of ${found.join(' and ')}, found both; remove one of them`;
    throw new CalendarError('INVALID_SOURCE', wrong);
  }
  return found[0] ?? null;
}

function missing(folder: string, names: ReadonlySet<string>, wanted: readonly string[]): CalendarError {
  const others = [...names].filter((name) => !SOURCE_FILE.test(name));
  const nearest = createNearest(others, (name) => [name])(wanted[0] ?? '');
  const found = withNearest('found none', nearest);
  const message = `expected ${wanted.join(' or ')} in the source folder ${folder}, ${found}`;
  return new CalendarError('INVALID_SOURCE', message);
}

/** The names of a source's files. */
const SOURCE_FILE =
  /^(?:licence|venues|organizers|events|notices|duplicates|corrections|sources)\.(?:nd)?json$/;

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

/**
 * The elements of a file that is a JSON array. Throws INVALID_SOURCE for any other file; `redact` removes secrets from the JSON that its
 * message quotes.
 */
export async function* arrayEntries(file: SourceFile, redact: Redact = asWritten): Entries {
  const { value, lines, hasEscapes, partOf } = await readJson(file, redact);
  if (!Array.isArray(value)) {
    const found = `found ${shorten(redact(JSON.stringify(value)))}`;
    throw sourceFault({ place: file.name, expected: 'expected an array', found });
  }
  for (const [index, element] of value.entries()) {
    const origin = { file: file.name, line: lines[index] ?? 1 };
    yield { origin, ...repeatedIn(partOf?.(index)), ...checked(element, hasEscapes) };
  }
}

/** It leaves line breaks where they are. */
type Redact = (json: string) => string;

const asWritten: Redact = (json) => json;

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

const DEEPER = `a value nested deeper than ${DEEPEST_JSON} levels`;

/** `lines`: the line of each element, if it is a list; `hasEscapes`: whether characters are written as `\u` somewhere. */
async function readJson(file: SourceFile, redact: Redact = asWritten) {
  const bytes = await readBytes(file);
  const signs: number[] = [];
  // A list has one level more than its records. Deep JSON takes many seconds to parse.
  const { depth, keys } = measureJson(bytes, (at) => signs.push(at));
  if (depth > DEEPEST_JSON + 1) throw invalid(file, `expected JSON, found ${DEEPER}`);
  const { text: decoded = '', problem } = decode(bytes);
  if (problem !== undefined) {
    const found = `found ${problem.found}`;
    throw sourceFault({ place: file.name, expected: 'expected UTF-8', found });
  }
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
  const { line = 1, cause } = jsonFaultIn(redact(text)) ?? {};
  throw sourceFault({ place: `${file.name}:${line}`, expected: 'expected JSON', found: `but ${cause}` });
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

/** The first character that is not blank. */
const LETTER = 0x21;

function misnamed(file: SourceFile, wrong: string, ending: string): CalendarError {
  return invalid(file, `${wrong}: name it ${file.name.replace(/(?:nd)?json$/, ending)}`);
}

/** A file that is still being written, or was cut off: nothing shows how much is missing. */
function cutOff(file: SourceFile, { line, bytes }: Line): CalendarError {
  return sourceFault({
    place: `${file.name}:${line}`,
    expected: 'expected a complete last line',
    found: `found one that is cut off: ${excerpt(bytes.toString('utf8', 0, 200))}`,
    advice: 'wait until the file is complete',
  });
}

/** A record that is not text. */
const UNMEASURED = { depth: 0, keys: 0 };

/** F3: a field that a record has twice. */
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
