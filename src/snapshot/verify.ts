/** H5; H7: the checks that a file must pass before it is used. The build checks a file in the same way before it publishes it. */
import { basename } from 'node:path';
import { CalendarError, isMissing, messageOf, systemCodeOf } from '../calendar/errors.ts';
import { MOST_IN_DESCRIPTION, MOST_IN_NAME } from '../calendar/model.ts';
import { computeChecks, readJsonText, TEXT_NAMES } from './checksums.ts';
import { readColumns } from './column-blobs.ts';
import { checkBytes, sha256Of } from './file-bytes.ts';
import { openRegular } from './files.ts';
import { FINGERPRINT } from './fingerprint.ts';
import { openSnapshotFile } from './folder.ts';
import { BUILD_AGAIN, FORMAT } from './format.ts';
import type { Manifest } from './manifest.ts';
import { COUNTED, type Meta, readMeta, type SnapshotCounts } from './meta.ts';
import type { Snapshot } from './open.ts';
import { integerOf, textOf } from './reader.ts';
import { checkSchema } from './schema-check.ts';
import { openReader, type ReaderOptions } from './sqlite.ts';
import { checkStructure } from './structure.ts';
import { expectSame, Unverified, unusable } from './unusable.ts';

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
    const [pages = 0] = await reader.all('pragma page_count', [], (row) => integerOf(row, 'page_count'));
    await reader.all(`pragma cache_size = ${cacheSizeFor(pages)}`, [], () => null);
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

/** Pages that SQLite caches while each row is looked for in each index: its own cache is too small for that. */
const cacheSizeFor = (pages: number): number => 128 + Math.floor(pages / 32);

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

/** G14: for a file in another format: checks only size and hash; the other facts are the manifest's. Throws SNAPSHOT_UNUSABLE. */
export async function verifyBytes(path: string, manifest: Manifest): Promise<VerifiedFile> {
  const { builtAt, counts, licence = '' } = manifest;
  const file = await openRegular(path);
  try {
    const bytes = (await file.stat()).size;
    const sha256 = await sha256Of(file, false);
    if (bytes !== manifest.bytes) throw unusable(basename(path), `${manifest.bytes} bytes`, bytes);
    if (sha256 !== manifest.sha256) throw unusable(basename(path), `SHA-256 ${manifest.sha256}`, sha256);
    return { bytes, sha256, builtAt, counts, licence };
  } finally {
    await file.close();
  }
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

/** As JSON in one order. A manifest may have further counts, which are not compared. */
function textOfCounts(counts: SnapshotCounts | undefined): string | undefined {
  return counts && JSON.stringify(Object.fromEntries(COUNTED.map((name) => [name, counts[name]])));
}
