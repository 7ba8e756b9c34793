/** H7: what the bytes of a snapshot file say before SQLite reads them: their number, the header, and the hash. */
import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { basename } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { idOfFile, openRegular, snapshotId } from './files.ts';
import { APPLICATION_ID, FORMAT, formatMismatch, PAGE_SIZE } from './format.ts';
import type { Manifest } from './manifest.ts';
import { expectSame } from './unusable.ts';

/** Checks the size, the header, and the hash. */
export async function checkBytes(
  path: string,
  expected: Partial<Pick<Manifest, 'bytes' | 'sha256'>>,
  isSlow: boolean,
): Promise<Pick<Manifest, 'bytes' | 'sha256'>> {
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
export async function sha256Of(file: FileHandle, isSlow: boolean): Promise<string> {
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
