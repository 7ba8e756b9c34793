/** H5; H7: the checks that a file must pass before it is used. The build checks a file in the same way before it publishes it. */
import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { basename } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { CalendarError, isMissing, messageOf, systemCodeOf } from '../calendar/errors.ts';
import { MOST_IN_DESCRIPTION, MOST_IN_NAME } from '../calendar/model.ts';
import { computeChecks, readJsonText, TEXT_NAMES } from './checksums.ts';
import { readColumns } from './column-blobs.ts';
import { idOfFile, openRegular, snapshotId } from './files.ts';
import { FINGERPRINT } from './fingerprint.ts';
import { openSnapshotFile } from './folder.ts';
import { APPLICATION_ID, BUILD_AGAIN, FORMAT, formatMismatch, PAGE_SIZE, TABLES } from './format.ts';
import type { Manifest } from './manifest.ts';
import { COUNTED, type Meta, readMeta, type SnapshotCounts } from './meta.ts';
import type { Snapshot } from './open.ts';
import { integerOf, type Reader, textOf } from './reader.ts';
import { openReader, openWriter, type ReaderOptions } from './sqlite.ts';
import { checkStructure } from './structure.ts';
import { Unverified, unusable } from './unusable.ts';

/** Facts about the file from elsewhere, such as its manifest. The file's name contains the beginning of its hash. */
export interface Expected {
  readonly bytes?: number;
  readonly sha256?: string;
  readonly counts?: SnapshotCounts;
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
 * Throws SNAPSHOT_UNUSABLE with what was expected and found, and `Unverified` if there is no verdict. A statement may run without end, so a
 * file from elsewhere is verified in a process that can be killed: see `verify-apart.ts`. The parts must fit together (`structure.ts`);
 * values are not judged: a signature says whose they are (J3).
 */
export async function verifyFile(
  path: string,
  expected: Expected,
  { isThorough = false, isSlow = false }: Thoroughness = {},
): Promise<VerifiedFile> {
  try {
    const { bytes, sha256 } = await checkBytes(path, expected, isSlow);
    const { builtAt, counts, licence } = await checkContents(path, expected);
    if (isThorough) {
      await checkRows(path);
      await checkTexts(path, counts.events);
    }
    return { bytes, sha256, builtAt, counts, licence };
  } catch (cause) {
    const message = isMissing(cause) ? 'expected a file, found none' : messageOf(cause);
    const Failure = OF_MACHINE.has(systemCodeOf(cause)) ? Unverified : CalendarError;
    throw new Failure('SNAPSHOT_UNUSABLE', `${basename(path)}: ${message}`, { cause });
  }
}

/**
 * Codes of errors that say nothing about the file's content: it is gone, or this process may not or cannot open it. EIO is a verdict,
 * because a file that the disk cannot read is as bad as a damaged one.
 */
const OF_MACHINE: ReadonlySet<string> = new Set(['ENOENT', 'EACCES', 'EPERM', 'EMFILE', 'ENFILE', 'ENOMEM']);

/** Opens a file that passes every check. */
export async function openVerified(
  path: string,
  expected: Expected,
  options: ReaderOptions = {},
): Promise<Snapshot> {
  await verifyFile(path, expected);
  return openSnapshotFile(path, options);
}

/** Without a time limit: a large file may take longer, and the process that verifies has a limit of its own. */
const PATIENT: ReaderOptions = { connections: 1, timeout: 0 };

async function checkRows(path: string): Promise<void> {
  const reader = await openReader(path, PATIENT);
  try {
    // Each row is looked for in each index: SQLite's own cache is too small for that.
    const [pages = 0] = await reader.all('pragma page_count', [], (row) => integerOf(row, 'page_count'));
    await reader.all(`pragma cache_size = ${128 + (pages >> 5)}`, [], () => null);
    const found = await reader.all('pragma integrity_check', [], (row) => textOf(row, 'integrity_check'));
    if (found.join() !== 'ok')
      throw new Error(`expected integrity_check to say ok, found ${found.join('; ').slice(0, 300)}`);
    const limits = [MOST_IN_NAME, MOST_IN_DESCRIPTION];
    const [ordinal] = await reader.all(TOO_LONG, limits, (row) => integerOf(row, 'ordinal'));
    if (ordinal === undefined) return;
    const expected = `titles of at most ${MOST_IN_NAME} and descriptions of at most ${MOST_IN_DESCRIPTION} characters`;
    throw new Error(`expected ${expected}, found more in event ${ordinal}`);
  } finally {
    await reader.close();
  }
}

/** G12: an event is one piece of work, so its texts are no longer than a build makes them. That is only a limit; values are not checked. */
const TOO_LONG = `select ordinal from event where length(title_nb) > ?1 or length(title_en) > ?1
  or length(desc_nb) > ?2 or length(desc_en) > ?2 limit 1`;

/** H14: compares the checksums of all texts that have one. One statement reads many events, and none of them is kept. */
async function checkTexts(path: string, count: number): Promise<void> {
  const reader = await openReader(path, PATIENT);
  try {
    const { bodyCheck, nameCheck, textCheck } = await readColumns(reader, CHECKS);
    const found = { bodyCheck: new Uint32Array(count), nameCheck: new Uint32Array(count), events: 0 };
    await computeChecks(reader.all, {
      count,
      visit: ({ ordinal, body, name }) => {
        found.events++;
        found.bodyCheck[ordinal] = body;
        found.nameCheck[ordinal] = name;
      },
    });
    expectSame('rows of events', count, found.events);
    expectChecks(bodyCheck, found.bodyCheck);
    expectChecks(nameCheck, found.nameCheck);
    for (const name of TEXT_NAMES) await readJsonText(reader.all, name, textCheck);
  } finally {
    await reader.close();
  }
}

const CHECKS = ['bodyCheck', 'nameCheck', 'textCheck'] as const;

function expectChecks(expected: Uint32Array, found: Uint32Array): void {
  const ordinal = expected.findIndex((check, at) => check !== found[at]);
  if (ordinal !== -1) throw unusable(`event ${ordinal}`, `the checksum ${expected[ordinal]}`, found[ordinal]);
}

/**
 * G14: the same facts for a file of another format, as its manifest states them: of the file, only the size and the hash are checked. Throws
 * SNAPSHOT_UNUSABLE.
 */
export async function verifyBytes(path: string, manifest: Manifest): Promise<VerifiedFile> {
  const { builtAt, counts, licence = '' } = manifest;
  const file = await openRegular(path);
  try {
    const [bytes, sha256] = [(await file.stat()).size, await sha256Of(file, false)];
    if (bytes !== manifest.bytes) throw unusable(basename(path), `${manifest.bytes} bytes`, bytes);
    if (sha256 !== manifest.sha256) throw unusable(basename(path), `SHA-256 ${manifest.sha256}`, sha256);
    return { bytes, sha256, builtAt, counts, licence };
  } finally {
    await file.close();
  }
}

/** Checks the size, the header, and the hash. */
async function checkBytes(
  path: string,
  expected: Expected,
  isSlow: boolean,
): Promise<Pick<VerifiedFile, 'bytes' | 'sha256'>> {
  const file = await openRegular(path);
  try {
    const bytes = (await file.stat()).size;
    if (bytes !== (expected.bytes ?? bytes))
      throw new Error(`expected ${expected.bytes} bytes, found ${bytes}`);
    const { buffer } = await file.read(Buffer.alloc(HEADER_BYTES), 0, HEADER_BYTES, 0);
    checkHeader(buffer, bytes);
    const sha256 = await sha256Of(file, isSlow);
    expectSame('SHA-256', expected.sha256, sha256);
    const id = idOfFile(basename(path));
    if (id !== null && id !== snapshotId(sha256))
      throw new Error(`expected a SHA-256 that begins with ${id}, found ${sha256}`);
    return { bytes, sha256 };
  } finally {
    await file.close();
  }
}

/** SHA-256 in hex, in pieces that delay nothing else for long. */
async function sha256Of(file: FileHandle, isSlow: boolean): Promise<string> {
  const hash = createHash('sha256');
  const chunks = file.createReadStream({
    start: 0,
    autoClose: false,
    highWaterMark: CHUNK_BYTES,
  });
  for await (const chunk of chunks) {
    hash.update(chunk);
    if (isSlow) await pause(SLOW_PAUSE_MS);
  }
  return hash.digest('hex');
}

/** Bytes that are hashed at a time, and the milliseconds after each of them if the hashing is slow. */
const CHUNK_BYTES = 256 * 1_024;
const SLOW_PAUSE_MS = 10;

/** Bytes of SQLite's header (https://www.sqlite.org/fileformat.html). */
const HEADER_BYTES = 100;
const MAGIC = 'SQLite format 3\0';

/** Where the header has each number, in bytes from its beginning. */
const HEADER_OFFSETS = {
  pageSize: 16,
  /** Two bytes: the versions for writing and for reading. */
  journal: 18,
  pageCount: 28,
  encoding: 56,
  userVersion: 60,
  applicationId: 68,
} as const;

/** Both versions are 1: a rollback journal, not a write-ahead log. */
const ROLLBACK_JOURNAL = 0x0101;
const UTF_8 = 1;

/** H7: the layout that a build writes, and nothing after the last page. */
function checkHeader(header: Buffer, bytes: number): void {
  if (header.toString('latin1', 0, MAGIC.length) !== MAGIC)
    throw new Error('expected an SQLite file, found something else');
  expectSame('application_id', APPLICATION_ID, header.readUInt32BE(HEADER_OFFSETS.applicationId));
  const format = header.readUInt32BE(HEADER_OFFSETS.userVersion);
  if (format !== FORMAT) throw new Error(formatMismatch(format));
  expectSame('page size', PAGE_SIZE, header.readUInt16BE(HEADER_OFFSETS.pageSize));
  expectSame('journal', ROLLBACK_JOURNAL, header.readUInt16BE(HEADER_OFFSETS.journal));
  expectSame('bytes', PAGE_SIZE * header.readUInt32BE(HEADER_OFFSETS.pageCount), bytes);
  expectSame('encoding', UTF_8, header.readUInt32BE(HEADER_OFFSETS.encoding));
}

/** Reads only the schema until it proves to be the format's own: a view may be endless. */
async function checkContents(path: string, expected: Expected): Promise<Meta> {
  const reader = await openReader(path, PATIENT);
  try {
    await checkSchema(reader);
    const meta = await readMeta(reader);
    if (meta.shape !== FINGERPRINT) throw new Error(shapeMismatch(meta.shape));
    const [rows] = await reader.all(PROBE, [], (row) => integerOf(row, 'events'));
    expectSame('events', meta.counts.events, rows);
    expectSame('counts', textOfCounts(expected.counts), textOfCounts(meta.counts));
    expectSame('the licence', expected.licence, meta.licence);
    await checkStructure(reader, meta);
    return meta;
  } finally {
    await reader.close();
  }
}

function shapeMismatch(found: string): string {
  const shown = found === '' ? 'none' : found.slice(0, SHOWN_DIGITS);
  const expected = `format ${FORMAT} in the form ${FINGERPRINT.slice(0, SHOWN_DIGITS)}`;
  return `expected ${expected}, found the form ${shown}: another version of almanakk wrote it; ${BUILD_AGAIN}`;
}

/** Digits of a fingerprint that a message shows. */
const SHOWN_DIGITS = 12;

/** The table that requests query has as many rows as the columns. */
const PROBE = 'select coalesce(max(ordinal), -1) + 1 as events from event';

/** H7: exactly the tables of the format and SQLite's own indexes, so no view, trigger or computed column among them. */
async function checkSchema(reader: Pick<Reader, 'all'>): Promise<void> {
  const expected = await readExpectedSchema();
  const found = await readSchema(reader, expected.length + 1);
  const nameOf = (entry: string) => entry.split('\n')[0];
  const extra = found.find((entry) => !expected.includes(entry)) ?? found[expected.length];
  if (extra !== undefined)
    throw new Error(`expected the format's tables and indexes, found ${nameOf(extra)}`);
  const missing = expected.find((entry) => !found.includes(entry));
  if (missing !== undefined) throw new Error(`expected ${nameOf(missing)}, found none`);
}

async function readExpectedSchema(): Promise<readonly string[]> {
  const writer = await openWriter(':memory:');
  try {
    await writer.exec(TABLES);
    return await readSchema(writer, 1_000);
  } finally {
    await writer.close();
  }
}

/** The type, name and table of each table and index, with its SQL on a second line. Automatic indexes of SQLite have no SQL. */
function readSchema(reader: Pick<Reader, 'all'>, most: number): Promise<readonly string[]> {
  const sql = 'select type, name, tbl_name as owner, sql from sqlite_schema order by rowid limit ?';
  return reader.all(sql, [most], ({ type, name, owner, sql: text }) => {
    const entry = `${type} ${JSON.stringify(name)} of ${JSON.stringify(owner)}`.slice(0, 200);
    // Without insignificant blanks.
    return `${entry}\n${String(text).replace(/\s+/g, ' ')}`;
  });
}

/** As JSON in one order. A manifest may have further counts, which are not compared. */
function textOfCounts(counts: SnapshotCounts | undefined): string | undefined {
  return counts && JSON.stringify(Object.fromEntries(COUNTED.map((name) => [name, counts[name]])));
}

/** `expected`: undefined for anything. */
function expectSame<Value>(what: string, expected: Value | undefined, found: Value): void {
  if (expected === undefined || expected === found) return;
  throw new Error(`expected ${what} ${expected}, found ${found}`);
}
