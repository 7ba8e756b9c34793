/** The parts of a ZIP file, which is what a workbook is. Only those that are asked for are inflated, and never more than a limit. */
import { inflateRawSync } from 'node:zlib';
import { failureText } from '../../../../src/calendar/failures.ts';
import { shorten } from '../../../findings.ts';
import { FeedProblem } from '../feed-problem.ts';

/** Names of parts are the same in any case (ECMA-376, part 2). */
export interface Archive {
  readonly has: (name: string) => boolean;
  /** Null if there is no such part. Throws FeedProblem. */
  readonly read: (name: string) => Buffer | null;
}

/** Bytes of all parts together that are read of one archive: 50,000 events with eleven columns need 41 MB. */
const MOST_INFLATED = 64 * 1024 * 1024;
/** A workbook has some twenty, and a few for each sheet and picture. */
const MOST_PARTS = 10_000;

/** Throws FeedProblem for bytes that are no complete ZIP file. */
export function openArchive(bytes: Buffer): Archive {
  const entries = entriesIn(bytes);
  let room = MOST_INFLATED;

  function read(name: string): Buffer | null {
    const entry = entries.get(partKey(name));
    if (entry === undefined) return null;
    if (entry.size > room)
      throw new FeedProblem('size limit', `expected at most ${MOST_INFLATED} bytes in the sheet, found more`);
    room -= entry.size;
    return inflated(name, entry, bytes);
  }

  return { has: (name) => entries.has(partKey(name)), read };
}

function partKey(name: string): string {
  return name.toLowerCase();
}

/** An entry of the directory at the end of the archive. */
interface ArchiveEntry {
  readonly isEncrypted: boolean;
  readonly method: number;
  readonly compressedSize: number;
  /** Inflated, by its own account. */
  readonly size: number;
  /** Where the part's own header begins. */
  readonly offset: number;
}

const END = 0x06054b50;
const END_LENGTH = 22;
const LONGEST_COMMENT = 0xffff;
const DIRECTORY_ENTRY = 0x02014b50;
const DIRECTORY_ENTRY_LENGTH = 46;

function entriesIn(bytes: Buffer): ReadonlyMap<string, ArchiveEntry> {
  const end = endOf(bytes);
  const { count, offset } = directoryOf(bytes, end);
  if (count > MOST_PARTS)
    throw new FeedProblem('size limit', `expected at most ${MOST_PARTS} parts in the workbook, found more`);
  const entries = new Map<string, ArchiveEntry>();
  let at = offset;
  for (let number = 0; number < count; number++) {
    if (at + DIRECTORY_ENTRY_LENGTH > end || bytes.readUInt32LE(at) !== DIRECTORY_ENTRY) throw damaged();
    const nameLength = bytes.readUInt16LE(at + 28);
    const extraLength = bytes.readUInt16LE(at + 30);
    const extraAt = at + DIRECTORY_ENTRY_LENGTH + nameLength;
    const name = bytes.toString('utf8', at + DIRECTORY_ENTRY_LENGTH, extraAt);
    const sizes = sizesOf(bytes, at, bytes.subarray(extraAt, extraAt + extraLength));
    const isEncrypted = (bytes.readUInt16LE(at + 8) & 1) === 1;
    entries.set(partKey(name), { isEncrypted, method: bytes.readUInt16LE(at + 10), ...sizes });
    at = extraAt + extraLength + bytes.readUInt16LE(at + 32);
  }
  return entries;
}

/** The position of the record that ends an archive. A comment may follow it. */
function endOf(bytes: Buffer): number {
  const first = Math.max(0, bytes.length - END_LENGTH - LONGEST_COMMENT);
  for (let at = bytes.length - END_LENGTH; at >= first; at--) if (bytes.readUInt32LE(at) === END) return at;
  throw damaged();
}

const LARGE_END = 0x06064b50;
const LARGE_END_LENGTH = 56;
const LOCATOR = 0x07064b50;
const LOCATOR_LENGTH = 20;
const IN_LARGE_END = 0xffff;

/** The number of entries, and where they are. Some programs write the ZIP64 form, with a record of its own, for small archives too. */
function directoryOf(bytes: Buffer, end: number): { readonly count: number; readonly offset: number } {
  const count = bytes.readUInt16LE(end + 10);
  const offset = bytes.readUInt32LE(end + 16);
  if (count !== IN_LARGE_END && offset !== IN_EXTRA) return { count, offset };
  const locator = end - LOCATOR_LENGTH;
  if (locator < 0 || bytes.readUInt32LE(locator) !== LOCATOR) throw damaged();
  const at = Number(bytes.readBigUInt64LE(locator + 8));
  if (at + LARGE_END_LENGTH > locator || bytes.readUInt32LE(at) !== LARGE_END) throw damaged();
  return { count: Number(bytes.readBigUInt64LE(at + 32)), offset: Number(bytes.readBigUInt64LE(at + 48)) };
}

const IN_EXTRA = 0xffffffff;
const ZIP64 = 0x0001;

/** `extra`: further fields of the entry, of which one has the numbers that the entry itself leaves out. */
function sizesOf(
  bytes: Buffer,
  at: number,
  extra: Buffer,
): Pick<ArchiveEntry, 'size' | 'compressedSize' | 'offset'> {
  const long = zip64In(extra);
  let place = 0;
  const numberAt = (position: number) => {
    const written = bytes.readUInt32LE(position);
    if (written !== IN_EXTRA) return written;
    if (place + 8 > long.length) throw damaged();
    place += 8;
    return Number(long.readBigUInt64LE(place - 8));
  };
  const size = numberAt(at + 24);
  const compressedSize = numberAt(at + 20);
  return { size, compressedSize, offset: numberAt(at + 42) };
}

function zip64In(extra: Buffer): Buffer {
  let at = 0;
  while (at + 4 <= extra.length) {
    const end = at + 4 + extra.readUInt16LE(at + 2);
    if (extra.readUInt16LE(at) === ZIP64) return extra.subarray(at + 4, end);
    at = end;
  }
  return extra.subarray(0, 0);
}

const PART = 0x04034b50;
const PART_LENGTH = 30;
const STORED = 0;
const DEFLATED = 8;

/** The directory may lie about a size, so inflating stops there. */
function inflated(
  name: string,
  { isEncrypted, method, compressedSize, size, offset }: ArchiveEntry,
  bytes: Buffer,
): Buffer {
  if (isEncrypted || (method !== STORED && method !== DEFLATED))
    throw new FeedProblem(
      'unreadable answer',
      `expected a workbook without encryption, found ${name} in another form`,
    );
  if (offset + PART_LENGTH > bytes.length || bytes.readUInt32LE(offset) !== PART) throw damaged();
  const from = offset + PART_LENGTH + bytes.readUInt16LE(offset + 26) + bytes.readUInt16LE(offset + 28);
  const packed = bytes.subarray(from, from + compressedSize);
  const part = method === STORED ? packed : inflate(packed, size);
  if (part.length !== size) throw damaged();
  return part;
}

function inflate(packed: Buffer, size: number): Buffer {
  try {
    return inflateRawSync(packed, { maxOutputLength: Math.max(1, size) });
  } catch (cause) {
    throw damaged({ cause });
  }
}

/** `part`: what other parts refer to. */
export function damagedWithout(part: string): FeedProblem {
  return new FeedProblem('unreadable answer', `${failureText('damagedWorkbook')} without ${shorten(part)}`);
}

function damaged(options: ErrorOptions = {}): FeedProblem {
  return new FeedProblem('unreadable answer', failureText('damagedWorkbook'), options);
}
