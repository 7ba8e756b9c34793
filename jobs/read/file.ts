/** A file of records: hashed while it is read, and split into unparsed records. */
import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { CalendarError, messageOf } from '../../src/calendar/errors.ts';
import { windowsTextOf } from './encoding.ts';

const CHUNK = 256 * 1024;

/** A file of a source. It is hashed while it is read, and must not change between its opening and its last use. */
export interface SourceFile {
  readonly name: string;
  /** The content from the start. All chunks share one buffer: copy what must outlive its turn. */
  readonly chunks: () => AsyncGenerator<Buffer, void, undefined>;
  /** SHA-256 in hex. Reads the file only if it has not been read to its end before. */
  readonly digest: () => Promise<string>;
}

/** `name`: the file's name in messages and in the source's hash. */
export async function openSourceFile(path: string, name: string): Promise<SourceFile> {
  const opened = await readably(name, () => stat(path));
  if (!opened.isFile()) throw new CalendarError('INVALID_SOURCE', `${name}: expected a file, found none`);
  let known: string | undefined;

  async function* chunks(): AsyncGenerator<Buffer, void, undefined> {
    const hash = createHash('sha256');
    for await (const chunk of chunksOf(path, name)) {
      hash.update(chunk);
      yield chunk;
    }
    const found = hash.digest('hex');
    if (known !== undefined && known !== found) throw changed(name);
    await checkUnchanged();
    known = found;
  }

  async function checkUnchanged(): Promise<void> {
    const current = await readably(name, () => stat(path));
    if (!sameFile(opened, current)) throw changed(name);
  }

  async function digest(): Promise<string> {
    if (known === undefined) for await (const _ of chunks());
    else await checkUnchanged();
    return known ?? '';
  }

  return { name, chunks, digest };
}

async function* chunksOf(path: string, name: string): AsyncGenerator<Buffer, void, undefined> {
  const buffer = Buffer.allocUnsafe(CHUNK);
  const handle: FileHandle = await readably(name, () =>
    open(path, constants.O_RDONLY | constants.O_NONBLOCK),
  );
  try {
    for (;;) {
      const { bytesRead } = await readably(name, () => handle.read(buffer, 0, CHUNK));
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await handle.close();
  }
}

async function readably<Result>(name: string, read: () => Promise<Result>): Promise<Result> {
  try {
    return await read();
  } catch (cause) {
    throw new CalendarError('INVALID_SOURCE', `${name}: expected a readable file, got ${messageOf(cause)}`, {
      cause,
    });
  }
}

function sameFile(before: Stats, now: Stats): boolean {
  return before.ino === now.ino && before.size === now.size && before.mtimeMs === now.mtimeMs;
}

function changed(name: string): CalendarError {
  return new CalendarError(
    'INVALID_SOURCE',
    `${name}: expected the file to stay the same while it is read, but it changed; build again when it is complete`,
  );
}

/** One record's bytes within a file. Pieces may share a buffer: decode each before you take the next. */
export interface Piece {
  readonly bytes: Buffer;
  /** 1-based line of its beginning. */
  readonly line: number;
  /** Its beginning, in bytes from the start of the file. */
  readonly offset: number;
  /** Whether it is longer than a record may be: then `bytes` are its beginning. */
  readonly isTooLong: boolean;
  /** Whether it ends with the file instead of a line feed. */
  readonly isUnended: boolean;
}

/** Takes a file chunk by chunk, whatever the boundaries of chunks, and returns each piece as soon as it is complete. */
export interface Splitter {
  readonly push: (chunk: Buffer) => readonly Piece[];
  readonly end: () => readonly Piece[];
}

/**
 * Splits a JSON array into its elements by quotes and brackets only. That suffices: if every element is valid JSON, the array was. All
 * significant bytes are ASCII, which in UTF-8 is never part of a longer character.
 */
export function splitArray(file: string): Splitter {
  const carry = createCarry();
  const strings = createStrings();
  const array = createArray(file);
  /** Offset of the present chunk in the file. */
  let read = 0;
  /** The present element; null before its first byte. */
  let begun: Pick<Piece, 'line' | 'offset'> | null = null;

  function push(chunk: Buffer): readonly Piece[] {
    const pieces: Piece[] = [];
    let from = 0;
    let at = strings.resume(chunk);
    while (at < chunk.length) {
      const byte = chunk[at] ?? 0;
      if (byte <= SPACE) {
        if (byte === LINE_FEED) array.line++;
      } else if (array.depth === 0) {
        array.open(byte, read + at);
      } else if (array.depth === 1 && (byte === COMMA || byte === CLOSE_ARRAY)) {
        if (begun !== null)
          pieces.push({ isUnended: false, ...begun, ...carry.join(chunk.subarray(from, at)) });
        array.separate(byte, begun !== null);
        begun = null;
      } else {
        if (begun === null) {
          begun = { line: array.line, offset: read + at };
          from = at;
        }
        if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) array.depth++;
        else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) array.close(byte);
        else if (byte === QUOTE) {
          at = strings.skip(chunk, at + 1);
          continue;
        }
      }
      at++;
    }
    if (begun !== null) carry.keep(chunk.subarray(from));
    read += chunk.length;
    return pieces;
  }

  return { push, end: () => array.end(begun) };
}

/** Strings, which a chunk may cut at any byte. */
function createStrings() {
  let isInside = false;
  let isEscaped = false;

  /** Index after the end of the string that `at` is in, or the end of the chunk. Most bytes of a file pass through this loop. */
  function skip(chunk: Buffer, at: number): number {
    const length = chunk.length;
    isInside = true;
    if (isEscaped && at < length) {
      isEscaped = false;
      at++;
    }
    for (; at < length; at++) {
      const byte = chunk[at];
      if (byte === QUOTE) {
        isInside = false;
        return at + 1;
      }
      if (byte === BACKSLASH) {
        if (at + 1 === length) isEscaped = true;
        at++;
      }
    }
    return length;
  }

  return { skip, resume: (chunk: Buffer): number => (isInside ? skip(chunk, 0) : 0) };
}

/** The array around the elements; its errors name their line. */
function createArray(file: string) {
  let isClosed = false;
  let elements = 0;
  const wrong = (expected: string, byte: number) => {
    const found = byte < 0x7f ? JSON.stringify(String.fromCharCode(byte)) : `byte 0x${byte.toString(16)}`;
    return new CalendarError('INVALID_SOURCE', `${file}:${array.line}: expected ${expected}, found ${found}`);
  };
  const array = {
    line: 1,
    /** Open brackets: 0 outside of the array, 1 between its elements, more within one. */
    depth: 0,
    open(byte: number, offset: number): void {
      if (offset < BOM.length && byte === BOM[offset]) return;
      if (isClosed) throw wrong('nothing after the end of the array', byte);
      if (byte !== OPEN_ARRAY) throw wrong('an array', byte);
      array.depth = 1;
    },
    separate(byte: number, hasElement: boolean): void {
      // Only an empty array may end in place of an element.
      if (!hasElement && (byte === COMMA || elements > 0)) throw wrong('an element of the array', byte);
      if (hasElement) elements++;
      if (byte === COMMA) return;
      isClosed = true;
      array.depth = 0;
    },
    close(byte: number): void {
      if (array.depth === 1) throw wrong('"," or "]"', byte);
      array.depth--;
    },
    end(begun: Pick<Piece, 'line'> | null): readonly Piece[] {
      if (isClosed) return [];
      const expected = array.depth === 0 ? 'an array' : '"]"';
      const where = begun === null ? '' : ` in the element that begins in line ${begun.line}`;
      const message = `${file}:${array.line}: expected ${expected}, found the end of the file${where}`;
      throw new CalendarError('INVALID_SOURCE', message);
    },
  };
  return array;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const SPACE = 0x20;
const LINE_FEED = 0x0a;
const BOM = Buffer.from('\ufeff');

/** Splits into lines without their line feed. Blank lines are skipped, but count in the numbering. */
export function splitLines(): Splitter {
  const carry = createCarry();
  let line = 1;
  /** Offsets in the file of the present line, and of the chunk after the present one. */
  let begun = 0;
  let read = 0;

  function push(chunk: Buffer): readonly Piece[] {
    const pieces: Piece[] = [];
    let from = 0;
    for (let at = chunk.indexOf(LINE_FEED); at !== -1; at = chunk.indexOf(LINE_FEED, from)) {
      take(pieces, carry.join(chunk.subarray(from, at)), false);
      from = at + 1;
      begun = read + from;
      line++;
    }
    if (from < chunk.length) carry.keep(chunk.subarray(from));
    read += chunk.length;
    return pieces;
  }

  function end(): readonly Piece[] {
    const pieces: Piece[] = [];
    take(pieces, carry.join(Buffer.alloc(0)), true);
    return pieces;
  }

  function take(pieces: Piece[], { bytes: whole, isTooLong }: Joined, isUnended: boolean): void {
    const skipped = begun === 0 && whole.subarray(0, BOM.length).equals(BOM) ? BOM.length : 0;
    const bytes = whole.subarray(skipped);
    if (!isBlank(bytes)) pieces.push({ bytes, line, offset: begun + skipped, isTooLong, isUnended });
  }

  return { push, end };
}

function isBlank(bytes: Buffer): boolean {
  for (const byte of bytes) if (byte !== 0x20 && byte !== 0x09 && byte !== 0x0d) return false;
  return true;
}

/** The text of bytes, or the index of the first byte that is not UTF-8. */
type Decoded = { readonly text: string; readonly charset: string | null } | { readonly wrong: string };

export function decode({ bytes, offset }: Pick<Piece, 'bytes' | 'offset'>): Decoded {
  const text = bytes.toString('utf8');
  if (isUtf8(bytes)) return { text, charset: null };
  const windows = windowsTextOf(bytes);
  if (windows !== null) return windows;
  // An invalid byte became U+FFFD: encoded again, the text differs from that byte on.
  const again = Buffer.from(text, 'utf8');
  const at = bytes.findIndex((byte, index) => byte !== again[index]);
  return { wrong: `byte 0x${bytes.toString('hex', at, at + 1)} at offset ${offset + at}` };
}

/** Longest record; a longer one means a file of another kind, or without line ends. */
export const MAX_PIECE = 16 * 1024 * 1024;
/** Bytes of the beginning of a longer one that are stored, for messages. */
const BEGINNING = 200;

type Joined = Pick<Piece, 'bytes' | 'isTooLong'>;

/** The beginning of a piece whose end is in a later chunk. */
function createCarry() {
  let parts: Buffer[] = [];
  let length = 0;

  function keep(bytes: Buffer): void {
    length += bytes.length;
    if (length <= MAX_PIECE) parts.push(Buffer.from(bytes));
    // Copied, so that the beginning does not hold the rest in memory.
    else parts = [Buffer.from(Buffer.concat([...parts, bytes]).subarray(0, BEGINNING))];
  }

  /** The stored beginning, followed by these bytes. Empties the carry. */
  function join(bytes: Buffer): Joined {
    if (parts.length === 0) return { bytes, isTooLong: bytes.length > MAX_PIECE };
    keep(bytes);
    const joined = Buffer.concat(parts);
    const isTooLong = length > MAX_PIECE;
    parts = [];
    length = 0;
    return { bytes: joined, isTooLong };
  }

  return { keep, join };
}
