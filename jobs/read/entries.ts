/** The records of a source's files: JSON arrays, one JSON value a line, and lines of columns. */
import { CalendarError } from '../../src/calendar/errors.ts';
import { DEEPEST_JSON, measureJson, parsedJson } from '../../src/calendar/json.ts';
import { jsonFaultIn } from '../../src/calendar/json-fault.ts';
import { excerpt, type RawEntry } from '../records.ts';
import { inUtf8 } from './encoding.ts';
import { decode, type Line, linesOf, MAX_LINE, type SourceFile } from './file.ts';

export type Entries = AsyncGenerator<RawEntry, void, undefined>;

/** The elements of a file that is a JSON array. Throws INVALID_SOURCE for any other file. */
export async function* arrayEntries(file: SourceFile): Entries {
  const { value, hasEscapes, ...charset } = await readJson(file);
  if (!Array.isArray(value)) throw invalid(file, `expected an array, found ${excerpt(value)}`);
  for (const [index, element] of value.entries()) {
    const origin = { file: file.name, index };
    // A file's charset is reported with its first record only.
    yield { origin, ...checked(element, hasEscapes), ...(index === 0 ? charset : {}) };
  }
}

/** A file that is one JSON value. Throws INVALID_SOURCE for any other file. */
export async function wholeEntry(file: SourceFile): Promise<RawEntry> {
  const { value, hasEscapes, ...charset } = await readJson(file);
  return { origin: { file: file.name }, ...checked(value, hasEscapes), ...charset };
}

/**
 * A file of one JSON value a line. A line that is not JSON is one bad record (G2, as little as possible is dropped, and it is named),
 * unless it is the last one and cut off (G3, what stops a build).
 */
export async function* jsonLines(file: SourceFile): Entries {
  for await (const { line, text, entry } of decodedLines(file)) {
    const isDeep = text !== null && measureJson(line.bytes).depth > DEEPEST_JSON;
    const value = text === null || isDeep ? undefined : parsedJson(text);
    if (isDeep) yield { ...entry, problem: { expected: 'JSON', found: DEEPER } };
    else if (value !== undefined) yield { ...entry, ...checked(value, text?.includes('\\u') === true) };
    else if (line.isUnended) throw cutOff(file, line);
    else yield text === null ? entry : { ...entry, problem: { expected: 'JSON', found: excerpt(text) } };
  }
}

/** A `.tsv` file: the columns of each line. */
export async function* columnLines(file: SourceFile): Entries {
  for await (const { text, entry } of decodedLines(file))
    yield text === null ? entry : { ...entry, value: text.replace(/\r$/, '').split('\t') };
}

/** Bytes of a file that is one JSON value. Of a larger list, made `.ndjson`, only one line at a time is in memory. */
const MAX_FILE = 128 * 1024 * 1024;

const DEEPER = `a value nested deeper than ${DEEPEST_JSON} levels`;

interface ReadJson extends Pick<RawEntry, 'charset'> {
  readonly value: unknown;
  /** Whether characters are written as `\u` somewhere. */
  readonly hasEscapes: boolean;
}

async function readJson(file: SourceFile): Promise<ReadJson> {
  const { bytes, charset: ofAll } = await readBytes(file);
  // A list has one level more than its records. Deep JSON takes many seconds to parse.
  if (measureJson(bytes).depth > DEEPEST_JSON + 1) throw invalid(file, `expected JSON, found ${DEEPER}`);
  const decoded = decode({ bytes, offset: 0 });
  if ('wrong' in decoded) throw invalid(file, `expected UTF-8, found ${decoded.wrong}`);
  const text = decoded.text.replace(/^\ufeff/, '');
  const charset = ofAll ?? decoded.charset;
  try {
    const value: unknown = JSON.parse(text);
    return { value, hasEscapes: text.includes('\\u'), ...(charset !== null && { charset }) };
  } catch (cause) {
    const { place = null, said = '' } = jsonFaultIn(text) ?? {};
    throw invalid(file, `expected JSON, found ${said}`, { line: place?.line, cause });
  }
}

async function readBytes(file: SourceFile) {
  const { chunks, charset } = await inUtf8(file.chunks());
  const parts: Buffer[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    length += chunk.length;
    if (length > MAX_FILE)
      throw invalid(file, `expected at most ${MAX_FILE} bytes, found more: write it as .ndjson`);
    parts.push(Buffer.from(chunk));
  }
  return { bytes: Buffer.concat(parts), charset };
}

interface Where {
  readonly line?: number | undefined;
  readonly cause?: unknown;
}

function invalid({ name }: SourceFile, message: string, { line, cause }: Where = {}): CalendarError {
  const where = line === undefined ? name : `${name}:${line}`;
  return new CalendarError('INVALID_SOURCE', `${where}: ${message}`, { cause });
}

interface DecodedLine {
  readonly line: Line;
  /** Null if it cannot be read: then the entry has the problem. */
  readonly text: string | null;
  /** Without its value. */
  readonly entry: RawEntry;
}

async function* decodedLines(file: SourceFile): AsyncGenerator<DecodedLine, void, undefined> {
  /** Each charset is reported with the first line in it. */
  const named = new Set<string>();
  const { chunks, charset: ofAll } = await inUtf8(file.chunks());
  for await (const line of linesOf(chunks)) {
    const origin = { file: file.name, line: line.line };
    const decoded = decodeLine(line);
    if ('expected' in decoded) {
      yield { line, text: null, entry: { origin, value: undefined, problem: decoded } };
      continue;
    }
    const charset = ofAll ?? decoded.charset;
    const isNew = charset !== null && !named.has(charset);
    if (isNew) named.add(charset);
    yield { line, text: decoded.text, entry: { origin, value: undefined, ...(isNew && { charset }) } };
  }
}

function decodeLine(line: Line) {
  if (line.isTooLong) {
    const found = `a longer one, which begins with ${excerpt(line.bytes.toString('utf8'))}`;
    return { expected: `a record of at most ${MAX_LINE} bytes`, found };
  }
  const decoded = decode(line);
  return 'wrong' in decoded ? { expected: 'UTF-8', found: decoded.wrong } : decoded;
}

/** A file that is still being written, or was not written to its end: nothing shows what is missing. */
function cutOff(file: SourceFile, { line, bytes }: Line): CalendarError {
  const found = `one that is cut off: ${excerpt(bytes.toString('utf8', 0, 200))}`;
  return invalid(
    file,
    `expected a last line that is whole, found ${found}; wait until the file is complete`,
    {
      line,
    },
  );
}

/** A lone surrogate can only be written as an escape, and has no UTF-8: it would become another text. */
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
