/** The records of JSON files: elements of an array, one value a line, or the whole file. */
import type { CalendarError } from '../../src/calendar/errors.ts';
import {
  countKeys,
  DEEPEST_JSON,
  isObject,
  measureJson,
  parsedJson,
  repeatedKeyIn,
} from '../../src/calendar/json.ts';
import { jsonFaultIn } from '../../src/calendar/json-fault.ts';
import { excerpt, shorten, sourceFault } from '../findings.ts';
import type { RawEntry } from './source.ts';
import {
  type DecodedLine,
  decode,
  decodedLines,
  invalid,
  LINE_FEED,
  type Line,
  readBytes,
  type SourceFile,
} from './source-files.ts';

type RawEntries = AsyncGenerator<RawEntry, void, undefined>;

/**
 * The elements of a file that is a JSON array. Throws INVALID_SOURCE for any other file; `redact` removes secrets from the JSON that its
 * message quotes.
 */
export async function* arrayEntries(file: SourceFile, redact: Redact = asWritten): RawEntries {
  const { value, lines, hasEscapes, elementText } = await readJson(file, redact);
  if (!Array.isArray(value)) {
    const found = `found ${shorten(redact(JSON.stringify(value)))}`;
    throw sourceFault({ place: file.name, expected: 'expected an array', found });
  }
  for (const [index, element] of value.entries()) {
    const origin = { file: file.name, line: lines[index] ?? 1 };
    yield { origin, ...repeatedIn(elementText?.(index)), ...checked(element, hasEscapes) };
  }
}

/** Must leave line breaks where they are. */
type Redact = (json: string) => string;

const asWritten: Redact = (json) => json;

/** A file that is one JSON value. Throws INVALID_SOURCE for any other file. */
export async function wholeEntry(file: SourceFile): Promise<RawEntry> {
  const { value, hasEscapes, text } = await readJson(file);
  return { origin: { file: file.name }, ...repeatedIn(text), ...checked(value, hasEscapes) };
}

/** A file of one JSON value a line. A line that is not JSON is one bad record (G2), unless it is the last one and cut off (G3). */
export async function* jsonLines(file: SourceFile): RawEntries {
  for await (const decoded of decodedLines(file)) yield entryOfLine(decoded, file);
}

/** Throws INVALID_SOURCE if the line shows that the file is a list, or cut off. */
function entryOfLine({ line, text, entry }: DecodedLine, file: SourceFile): RawEntry {
  const { depth, keys } = text === null ? UNMEASURED : measureJson(line.bytes);
  // Deep JSON takes many seconds to parse.
  if (depth > DEEPEST_JSON) return { ...entry, problem: { expected: 'JSON', found: DEEPER } };
  const value = text === null ? undefined : parsedJson(text);
  if (value !== undefined) {
    const repeated = countKeys(value) < keys ? repeatedIn(text) : {};
    return { ...entry, ...repeated, ...checked(value, text?.includes('\\u') === true) };
  }
  if (line.line === 1 && text?.startsWith('['))
    throw misnamed(file, 'expected one record a line, found a list', 'json');
  if (line.isUnended) throw cutOff(file, line);
  // Its entry already has the problem.
  if (text === null) return entry;
  return { ...entry, problem: { expected: 'JSON', found: `other text: ${jsonFaultIn(text)?.cause}` } };
}

const DEEPER = `a value nested deeper than ${DEEPEST_JSON} levels`;

interface ReadJson {
  readonly value: unknown;
  /** For a list: the line of each element. */
  readonly lines: readonly number[];
  /** Whether characters are written as `\u` somewhere. */
  readonly hasEscapes: boolean;
  /** The JSON of the whole file; undefined unless a field is repeated somewhere. */
  readonly text?: string;
  /** For a list: the JSON of an element, likewise. */
  readonly elementText?: (index: number) => string;
}

async function readJson(file: SourceFile, redact: Redact = asWritten): Promise<ReadJson> {
  const bytes = await readBytes(file);
  /** Positions of the bracket and the commas before the elements of a list. */
  const separators: number[] = [];
  // A list has one level more than its records.
  const { depth, keys } = measureJson(bytes, (at) => separators.push(at));
  if (depth > DEEPEST_JSON + 1) throw invalid(file, `expected JSON, found ${DEEPER}`);
  const { text: decoded = '', problem } = decode(bytes);
  if (problem !== undefined) {
    const found = `found ${problem.found}`;
    throw sourceFault({ place: file.name, expected: 'expected UTF-8', found });
  }
  const text = decoded.replace(/^\ufeff/, '');
  const value = parsedJson(text);
  if (value === undefined) throw faultOfText(file, text, redact);
  const read = { value, lines: linesAfter(separators, bytes), hasEscapes: text.includes('\\u') };
  const hasRepeated = countKeys(value) < keys;
  // Without repeated fields, the text need not stay in memory.
  if (!hasRepeated) return read;
  const elementText = (index: number) =>
    String(bytes.subarray(separators[index], separators[index + 1])).slice(1);
  return { ...read, text, elementText };
}

/** The error about a file that is not one JSON value. */
function faultOfText(file: SourceFile, text: string, redact: Redact): CalendarError {
  const firstLine = text.slice(0, text.indexOf('\n'));
  if (isObject(parsedJson(firstLine)))
    return misnamed(file, 'expected one value, found one a line', 'ndjson');
  const { line = 1, cause } = jsonFaultIn(redact(text)) ?? {};
  return sourceFault({ place: `${file.name}:${line}`, expected: 'expected JSON', found: `but ${cause}` });
}

/** The line of the first character that is not blank after each of these positions, which are ascending. */
function linesAfter(positions: readonly number[], bytes: Buffer): readonly number[] {
  let line = 1;
  let lineFeed = bytes.indexOf(LINE_FEED);
  return positions.map((position) => {
    let start = position + 1;
    while ((bytes[start] ?? FIRST_VISIBLE) < FIRST_VISIBLE) start++;
    while (lineFeed !== -1 && lineFeed < start) {
      line++;
      lineFeed = bytes.indexOf(LINE_FEED, lineFeed + 1);
    }
    return line;
  });
}

/** The first character of ASCII that is neither blank nor a control character. */
const FIRST_VISIBLE = 0x21;

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

/** The measures of a line that is not text. */
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
