/** H5: what a file must pass before anyone relies on it. The build checks what it is about to publish in the same way. */
import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { basename } from 'node:path';
import { CalendarError, isMissing, messageOf } from '../calendar/errors.ts';
import { APPLICATION_ID, FORMAT } from './format.ts';
import type { Counts } from './meta.ts';
import { idOfFile, snapshotId } from './names.ts';
import { openSnapshot, type Snapshot } from './open.ts';
import { integerOf, textOf } from './rows.ts';
import type { ReaderOptions } from './sqlite.ts';

/** What is known of the file beforehand, such as its manifest. A file name of a snapshot vouches for the hash's beginning. */
export interface Expected {
  readonly bytes?: number;
  readonly sha256?: string;
  readonly counts?: Counts;
}

export interface Verified {
  readonly snapshot: Snapshot;
  readonly bytes: number;
  readonly sha256: string;
}

/** Opens a file that passes every check. Otherwise throws SNAPSHOT_UNUSABLE: what was expected, and what was found. */
export async function openVerified(
  path: string,
  expected: Expected,
  options: ReaderOptions = {},
): Promise<Verified> {
  const { bytes, sha256 } = await checkBytes(path, expected);
  const snapshot = await openSnapshot(path, options).catch((cause) => {
    throw refuse(path, messageOf(cause), cause);
  });
  try {
    await probe(snapshot, expected);
    return { snapshot, bytes, sha256 };
  } catch (cause) {
    await snapshot.close();
    throw refuse(path, messageOf(cause), cause);
  }
}

/**
 * SQLite's own look at every page and index: seconds for a large file, so only the build pays for it, with a snapshot
 * opened without a time limit.
 */
export async function checkIntegrity(snapshot: Snapshot): Promise<void> {
  const found = await snapshot.query('pragma integrity_check', [], (row) => textOf(row, 'integrity_check'));
  if (found.join() !== 'ok')
    throw refuse(
      snapshot.path,
      `expected integrity_check to say ok, found ${found.join('; ').slice(0, 300)}`,
    );
}

/** Small enough that hashing one leaves the event loop free within a millisecond. */
const CHUNK = 256 * 1024;

async function checkBytes(path: string, expected: Expected): Promise<{ bytes: number; sha256: string }> {
  const file = await open(path).catch((cause) => {
    throw refuse(path, isMissing(cause) ? 'expected a file, found none' : messageOf(cause), cause);
  });
  try {
    const found = await file.stat();
    if (!found.isFile()) throw refuse(path, 'expected a file, found something else');
    const bytes = found.size;
    if (bytes !== (expected.bytes ?? bytes)) {
      throw refuse(path, `expected ${expected.bytes} bytes, found ${bytes}`);
    }
    const chunk = Buffer.alloc(CHUNK);
    const hash = createHash('sha256');
    for (let at = 0; at < bytes; ) {
      const { bytesRead } = await file.read(chunk, 0, CHUNK, at);
      if (bytesRead === 0) throw refuse(path, `expected ${bytes} bytes, found ${at}`);
      if (at === 0) checkHeader(path, chunk.subarray(0, bytesRead));
      hash.update(chunk.subarray(0, bytesRead));
      at += bytesRead;
    }
    if (bytes === 0) throw refuse(path, 'expected a snapshot, found an empty file');
    const sha256 = hash.digest('hex');
    checkHash(path, sha256, expected);
    return { bytes, sha256 };
  } finally {
    await file.close();
  }
}

const MAGIC = 'SQLite format 3\0';
const USER_VERSION_AT = 60;
const APPLICATION_ID_AT = 68;
const HEADER = 100;

function checkHeader(path: string, header: Buffer): void {
  if (header.length < HEADER || header.toString('latin1', 0, MAGIC.length) !== MAGIC) {
    throw refuse(path, 'expected an SQLite file, found something else');
  }
  const application = header.readUInt32BE(APPLICATION_ID_AT);
  if (application !== APPLICATION_ID) {
    throw refuse(path, `expected application_id ${hex(APPLICATION_ID)}, found ${hex(application)}`);
  }
  const format = header.readUInt32BE(USER_VERSION_AT);
  if (format !== FORMAT) throw refuse(path, formatMismatch(format));
}

/** Says which side is behind, because that is the one to update. */
export function formatMismatch(found: number): string {
  const older = found > FORMAT ? 'this program is older than the build' : 'build it again';
  return `expected format ${FORMAT}, found ${found}: ${older}`;
}

function checkHash(path: string, sha256: string, expected: Expected): void {
  if (sha256 !== (expected.sha256 ?? sha256)) {
    throw refuse(path, `expected SHA-256 ${expected.sha256}, found ${sha256}`);
  }
  const id = idOfFile(basename(path));
  if (id !== null && id !== snapshotId(sha256)) {
    throw refuse(path, `expected a SHA-256 that begins with ${id}, found ${sha256}`);
  }
}

/** The tables that requests ask hold as many rows as the columns do, and the last event's answer is there. */
async function probe(snapshot: Snapshot, expected: Expected): Promise<void> {
  const { counts } = snapshot.meta;
  const sql = `select (select coalesce(max(event), -1) + 1 from event_json) as bodies,
    (select coalesce(max(ordinal), -1) + 1 from event) as events,
    (select coalesce(max(row), -1) + 1 from occurrence) as occurrences`;
  const [found] = await snapshot.query(sql, [], (row) => ({
    bodies: integerOf(row, 'bodies'),
    events: integerOf(row, 'events'),
    occurrences: integerOf(row, 'occurrences'),
  }));
  const wanted = { bodies: counts.events, events: counts.events, occurrences: counts.occurrences };
  if (JSON.stringify(found) !== JSON.stringify(wanted)) {
    throw new Error(`expected rows ${JSON.stringify(wanted)}, found ${JSON.stringify(found)}`);
  }
  const declared = JSON.stringify(expected.counts ?? counts, Object.keys(counts));
  if (declared !== JSON.stringify(counts)) {
    throw new Error(`expected counts ${declared}, found ${JSON.stringify(counts)}`);
  }
  if (counts.events > 0) await snapshot.eventBodies([counts.events - 1]);
}

function refuse(path: string, message: string, cause?: unknown): CalendarError {
  return new CalendarError('SNAPSHOT_UNUSABLE', `${basename(path)}: ${message}`, { cause });
}

function hex(value: number): string {
  return `0x${value.toString(16).padStart(8, '0')}`;
}
