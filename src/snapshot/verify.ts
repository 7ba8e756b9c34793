/**
 * H5, the snapshot folder; H7, a stranger's file: the checks that a file must pass before it is used. The build checks a file in the same
 * way before it publishes it.
 */
import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { basename } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { CalendarError, isMissing, messageOf } from '../calendar/errors.ts';
import { MOST_IN_DESCRIPTION, MOST_IN_NAME } from '../calendar/text.ts';
import { COLUMN_NAMES, COLUMNS } from './columns.ts';
import { idOfFile, type Manifest, openRegular, snapshotId } from './folder.ts';
import { APPLICATION_ID, FORMAT, INDEXES, PAGE_SIZE, TABLES } from './format.ts';
import { FRAGMENT_SHAPE } from './fragments.ts';
import { type Counts, LIST_SHAPES, META_SHAPES, type Meta, metaText, readMeta } from './meta.ts';
import { openSnapshot, type Snapshot } from './open.ts';
import { integerOf, openReader, openWriter, type Reader, type ReaderOptions, textOf } from './sqlite.ts';

/** Facts about the file from elsewhere, such as its manifest. The file's name contains the beginning of its hash. */
export interface Expected {
  readonly bytes?: number;
  readonly sha256?: string;
  readonly counts?: Counts;
  readonly licence?: string | undefined;
}

/** In the manifest's words. */
export type VerifiedFile = Pick<Manifest, 'bytes' | 'sha256' | 'builtAt' | 'counts'> & Pick<Meta, 'licence'>;

export interface Thoroughness {
  /** Looks at every page, index and row, too, which takes seconds for a large file: once for each file, where it is made or fetched. */
  readonly isThorough?: boolean;
  /** Hashes at 25 MB/s at most, so that whatever else needs the disk comes first. */
  readonly isSlow?: boolean;
}

/**
 * Throws SNAPSHOT_UNUSABLE with what was expected and found. A statement may run without end, so a file from elsewhere is verified in a
 * process that can be killed: see `verify-apart.ts`. Values are not judged: a signature says whose they are (J3, signatures).
 */
export async function verifyFile(
  path: string,
  expected: Expected,
  { isThorough = false, isSlow = false }: Thoroughness = {},
): Promise<VerifiedFile> {
  try {
    const { bytes, sha256 } = await checkBytes(path, expected, isSlow);
    const { builtAt, counts, licence } = await checkContents(path, expected);
    if (isThorough) await checkRows(path);
    return { bytes, sha256, builtAt, counts, licence };
  } catch (cause) {
    const message = isMissing(cause) ? 'expected a file, found none' : messageOf(cause);
    throw new CalendarError('SNAPSHOT_UNUSABLE', `${basename(path)}: ${message}`, { cause });
  }
}

/** Opens a file that passes every check. */
export async function openVerified(
  path: string,
  expected: Expected,
  options: ReaderOptions = {},
): Promise<Snapshot> {
  await verifyFile(path, expected);
  return openSnapshot(path, options);
}

const PATIENT: ReaderOptions = { connections: 1, timeout: 0 };

async function checkRows(path: string): Promise<void> {
  const reader = await openReader(path, PATIENT);
  try {
    // Each row is looked for in each index: with SQLite's own cache of 2 MB, 181 MB take 2.3 times as long as with this one.
    const [pages = 0] = await reader.all('pragma page_count', [], (row) => integerOf(row, 'page_count'));
    await reader.all(`pragma cache_size = ${128 + (pages >> 5)}`, [], () => null);
    const found = await reader.all('pragma integrity_check', [], (row) => textOf(row, 'integrity_check'));
    if (found.join() !== 'ok')
      throw new Error(`expected integrity_check to say ok, found ${found.join('; ').slice(0, 300)}`);
    await checkLengths(reader);
  } finally {
    await reader.close();
  }
}

/**
 * G12, texts have lengths: an event is one piece of work, so its texts are no longer than a build makes them. That is a bound; no value is
 * judged.
 */
async function checkLengths(reader: Pick<Reader, 'all'>): Promise<void> {
  const sql = `select coalesce(max(max(length(coalesce(title_nb, '')), length(coalesce(title_en, '')))), 0) as titles,
    coalesce(max(max(length(coalesce(desc_nb, '')), length(coalesce(desc_en, '')))), 0) as descriptions from event`;
  for (const [what, most] of MOST_CHARACTERS) {
    const [longest = 0] = await reader.all(sql, [], (row) => integerOf(row, what));
    if (longest > most) throw new Error(`expected ${what} of at most ${most} characters, found ${longest}`);
  }
}

const MOST_CHARACTERS = [
  ['titles', MOST_IN_NAME],
  ['descriptions', MOST_IN_DESCRIPTION],
] as const;

/** Checks the size, the header, and the hash. */
async function checkBytes(
  path: string,
  expected: Expected,
  isSlow: boolean,
): Promise<Pick<VerifiedFile, 'bytes' | 'sha256'>> {
  const file = await openRegular(path);
  try {
    const bytes = (await file.stat()).size;
    if (bytes !== (expected.bytes ?? bytes)) {
      throw new Error(`expected ${expected.bytes} bytes, found ${bytes}`);
    }
    if (bytes === 0) throw new Error('expected a snapshot, found an empty file');
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEADER), 0, HEADER, 0);
    checkHeader(buffer.subarray(0, bytesRead));
    const sha256 = await hashOf(file, isSlow);
    checkHash(path, sha256, expected);
    checkLayout(buffer, bytes);
    return { bytes, sha256 };
  } finally {
    await file.close();
  }
}

/** SHA-256 in hex, in pieces that delay nothing else for long. */
async function hashOf(file: FileHandle, isSlow: boolean): Promise<string> {
  const hash = createHash('sha256');
  const chunk = Buffer.alloc(256 * 1024);
  for (let at = 0, bytesRead = -1; bytesRead !== 0; at += bytesRead) {
    ({ bytesRead } = await file.read(chunk, 0, chunk.length, at));
    hash.update(chunk.subarray(0, bytesRead));
    if (isSlow) await pause(10);
  }
  return hash.digest('hex');
}

/** Offsets and values of SQLite's header in a snapshot (https://www.sqlite.org/fileformat.html). */
const MAGIC = 'SQLite format 3\0';
const PAGE_SIZE_AT = 16;
const JOURNAL_AT = 18;
const NO_JOURNAL = 0x0101;
const PAGES_AT = 28;
const ENCODING_AT = 56;
const UTF_8 = 1;
const USER_VERSION_AT = 60;
const APPLICATION_ID_AT = 68;
const HEADER = 100;

function checkHeader(header: Buffer): void {
  if (header.length < HEADER || header.toString('latin1', 0, MAGIC.length) !== MAGIC) {
    throw new Error('expected an SQLite file, found something else');
  }
  const application = header.readUInt32BE(APPLICATION_ID_AT);
  if (application !== APPLICATION_ID) {
    throw new Error(`expected application_id ${hex(APPLICATION_ID)}, found ${hex(application)}`);
  }
  const format = header.readUInt32BE(USER_VERSION_AT);
  if (format !== FORMAT) throw new Error(formatMismatch(format));
}

/** H7: the layout that a build writes, and nothing after the last page. */
function checkLayout(header: Buffer, bytes: number): void {
  for (const [what, expected, found] of [
    ['page size', PAGE_SIZE, header.readUInt16BE(PAGE_SIZE_AT)],
    ['journal', NO_JOURNAL, header.readUInt16BE(JOURNAL_AT)],
    ['pages', bytes / PAGE_SIZE, header.readUInt32BE(PAGES_AT)],
    ['encoding', UTF_8, header.readUInt32BE(ENCODING_AT)],
  ] as const) {
    if (found !== expected) throw new Error(`expected ${what} ${expected}, found ${found}`);
  }
}

/** Says which side is older, because that is the one to update. */
export function formatMismatch(found: number): string {
  const older =
    found > FORMAT
      ? 'this program is older than the build'
      : 'build it again with this version, which a builder does by itself when it starts';
  return `expected format ${FORMAT}, found ${found}: ${older}`;
}

/** The texts behind the fingerprint: names and kinds. */
export const SHAPE_PARTS: Readonly<Record<string, string>> = {
  tables: [TABLES, INDEXES].join(' ').replaceAll(/\s+/g, ' ').trim(),
  columns: COLUMN_NAMES.map((name) => `${name}: ${COLUMNS[name].join(' or ')}`).join(', '),
  lists: LIST_SHAPES,
  meta: META_SHAPES,
  events: FRAGMENT_SHAPE,
};

/**
 * The form of files as one fingerprint: tables, columns, and the contents of ready-made JSON; SHA-256 in hex. A file states its form, so
 * that a file of another form gets a clear error, even if FORMAT was not raised.
 */
export const SHAPE: string = createHash('sha256').update(JSON.stringify(SHAPE_PARTS)).digest('hex');

/** Message about a file of another form; null for one of this form. */
function shapeMismatch(found: string): string | null {
  if (found === SHAPE) return null;
  const short = (shape: string) => shape.slice(0, 12) || 'none';
  return (
    `expected format ${FORMAT} in the form ${short(SHAPE)}, found the form ${short(found)}: another version of almanakk wrote ` +
    'it; build it again with this version, which a builder does by itself when it starts'
  );
}

function checkHash(path: string, sha256: string, expected: Expected): void {
  if (sha256 !== (expected.sha256 ?? sha256)) {
    throw new Error(`expected SHA-256 ${expected.sha256}, found ${sha256}`);
  }
  const id = idOfFile(basename(path));
  if (id !== null && id !== snapshotId(sha256)) {
    throw new Error(`expected a SHA-256 that begins with ${id}, found ${sha256}`);
  }
}

/** Reads only the schema until it proves to be the format's own: a view may be endless. */
async function checkContents(path: string, expected: Expected): Promise<Meta> {
  const reader = await openReader(path, PATIENT);
  try {
    await checkSchema(reader);
    const mismatch = shapeMismatch(await metaText(reader, 'shape', ''));
    if (mismatch !== null) throw new Error(mismatch);
    const meta = await readMeta(reader);
    await probe(reader, meta.counts, expected);
    if (meta.licence !== (expected.licence ?? meta.licence))
      throw new Error(`expected the licence ${expected.licence}, found ${meta.licence}`);
    return meta;
  } finally {
    await reader.close();
  }
}

/** H7: exactly the tables and indexes of the format, so no view, trigger or computed column among them. */
async function checkSchema(reader: Pick<Reader, 'all'>): Promise<void> {
  const expected = await readOwnSchema();
  const found = await readSchema(reader, expected.length + 1);
  const nameOf = (entry: string) => entry.split('\n')[0];
  const extra = found.find((entry) => !expected.includes(entry)) ?? found[expected.length];
  if (extra !== undefined)
    throw new Error(`expected the format's tables and indexes, found ${nameOf(extra)}`);
  const missing = expected.find((entry) => !found.includes(entry));
  if (missing !== undefined) throw new Error(`expected ${nameOf(missing)}, found none`);
}

/** Of each table and index: type, name and table, and on a second line its SQL. Indexes that SQLite creates by itself have none. */
type Schema = readonly string[];

async function readOwnSchema(): Promise<Schema> {
  const writer = await openWriter(':memory:');
  try {
    await writer.exec(`${TABLES} ${INDEXES}`);
    return await readSchema(writer, 1_000);
  } finally {
    await writer.close();
  }
}

function readSchema(reader: Pick<Reader, 'all'>, most: number): Promise<Schema> {
  const sql = 'select type, name, tbl_name as owner, sql from sqlite_schema order by rowid limit ?';
  return reader.all(sql, [most], ({ type, name, owner, sql: text }) => {
    const entry = `${type} ${JSON.stringify(name)} of ${JSON.stringify(owner)}`.slice(0, 200);
    // Without insignificant blanks.
    return `${entry}\n${String(text).replace(/\s+/g, ' ')}`;
  });
}

function expectSame(what: string, expected: object, found: object | undefined): void {
  const written = (of: object | undefined) => JSON.stringify(of, Object.keys(found ?? expected));
  if (written(expected) === written(found)) return;
  throw new Error(`expected ${what} ${written(expected)}, found ${written(found)}`);
}

/** The tables that requests query have as many rows as the columns, and the last event's answer exists. */
async function probe(reader: Reader, counts: Counts, expected: Expected): Promise<void> {
  const sql = `select (select coalesce(max(ordinal), -1) + 1 from event) as events,
    (select coalesce(max(row), -1) + 1 from occurrence) as occurrences`;
  const [found] = await reader.all(sql, [], (row) => ({
    events: integerOf(row, 'events'),
    occurrences: integerOf(row, 'occurrences'),
  }));
  const { events, occurrences } = counts;
  expectSame('rows', { events, occurrences }, found);
  expectSame('counts', expected.counts ?? counts, counts);
  const last = 'select body from event where ordinal = ?';
  await reader.all(last, [counts.events - 1], (row) => textOf(row, 'body'));
}

function hex(value: number): string {
  return `0x${value.toString(16).padStart(8, '0')}`;
}
