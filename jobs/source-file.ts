/** A file of a source: hashed while it is read, split into lines, and decoded, whatever encoding it is in. */
import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { TextDecoder } from 'node:util';
import { CalendarError, readingFault } from '../src/calendar/errors.ts';

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
  const handle = await readably(name, () => open(path, constants.O_RDONLY | constants.O_NONBLOCK));
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
    const message = `${name}: expected a readable file, but ${readingFault(cause)}`;
    throw new CalendarError('INVALID_SOURCE', message, { cause });
  }
}

function sameFile(before: Stats, now: Stats): boolean {
  return before.ino === now.ino && before.size === now.size && before.mtimeMs === now.mtimeMs;
}

function changed(name: string): CalendarError {
  const wrong = 'expected the file to stay the same while it is read, but it changed';
  return new CalendarError('INVALID_SOURCE', `${name}: ${wrong}; build again when it is complete`);
}

export interface Line {
  readonly bytes: Buffer;
  /** 1-based. */
  readonly line: number;
  /** Its beginning, in bytes from the start of the file. */
  readonly offset: number;
  /** Whether it is longer than a record may be: then `bytes` are its beginning. */
  readonly isTooLong: boolean;
  /** Whether it ends with the file instead of a line feed. */
  readonly isUnended: boolean;
}

/** The lines of a file without their line feeds, wherever its chunks are cut. Blank lines are skipped, but count in the numbering. */
export async function* linesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<Line, void, undefined> {
  let line = 1;
  /** The beginning of a line whose end is in a later chunk, and the length of all that was read of it. */
  let carried: Buffer = Buffer.alloc(0);
  let length = 0;
  /** Offset of the present line in the file. */
  let begun = 0;

  /** Adds to the present line. Copied, because chunks share a buffer; of a line that is too long only the beginning is stored. */
  const carry = (bytes: Buffer) => {
    length += bytes.length;
    const whole = Buffer.concat([carried, bytes]);
    carried = length > MAX_LINE ? Buffer.from(whole.subarray(0, BEGINNING)) : whole;
  };

  const finished = (isUnended: boolean): readonly Line[] => {
    const skipped = begun === 0 && carried.subarray(0, BOM.length).equals(BOM) ? BOM.length : 0;
    const bytes = carried.subarray(skipped);
    const isTooLong = length > MAX_LINE;
    return isBlank(bytes) ? [] : [{ bytes, line, offset: begun + skipped, isTooLong, isUnended }];
  };

  for await (const chunk of chunks) {
    let from = 0;
    for (let at = chunk.indexOf(LINE_FEED); at !== -1; at = chunk.indexOf(LINE_FEED, from)) {
      carry(chunk.subarray(from, at));
      yield* finished(false);
      begun += length + 1;
      [carried, length, from] = [Buffer.alloc(0), 0, at + 1];
      line++;
    }
    carry(chunk.subarray(from));
  }
  yield* finished(true);
}

const LINE_FEED = 0x0a;
const BOM = Buffer.from('\ufeff');

function isBlank(bytes: Buffer): boolean {
  for (const byte of bytes) if (byte !== 0x20 && byte !== 0x09 && byte !== 0x0d) return false;
  return true;
}

/** The text of bytes, or the index of the first byte that is not UTF-8. */
type Decoded = { readonly text: string } | { readonly wrong: string };

export function decode({ bytes, offset }: Pick<Line, 'bytes' | 'offset'>): Decoded {
  const text = bytes.toString('utf8');
  if (isUtf8(bytes)) return { text };
  const windows = windowsTextOf(bytes);
  if (windows !== null) return { text: windows };
  // An invalid byte became U+FFFD: encoded again, the text differs from that byte on.
  const again = Buffer.from(text, 'utf8');
  const at = bytes.findIndex((byte, index) => byte !== again[index]);
  return { wrong: `byte 0x${bytes.toString('hex', at, at + 1)} at offset ${offset + at}` };
}

/** Longest record; a longer one means a file of another kind, or without line ends. */
export const MAX_LINE = 16 * 1024 * 1024;
/** Bytes of the beginning of a longer one that are stored, for messages. */
const BEGINNING = 200;

/** `latin1`: text whose characters are the bytes of Windows-1252. */
export function fromWindows1252(latin1: string): string {
  return latin1.replace(C1, (letter) => FROM_0X80[letter.charCodeAt(0) - 0x80] ?? letter);
}

/** Characters of 0x80 to 0x9F, in which Windows-1252 differs from Latin-1. Node 20's own decoder confuses the two. */
const FROM_0X80 = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';
const C1 = /[\x80-\x9f]/g;

/**
 * A text that is certainly Latin-1 or Windows-1252, else null: it has only these sets' Western letters, and signs in plausible places.
 * Norwegian in the sets of old Macintoshes and of DOS has others, as has damaged UTF-8.
 */
export function windowsTextOf(bytes: Buffer): string | null {
  const latin1 = bytes.toString('latin1');
  return UNLIKELY.test(latin1) ? null : fromWindows1252(latin1);
}

/** Other signs, a character in UTF-8, an opening quote within a word, a closing one before it. */
const UNLIKELY =
  /[^\0-\x7f\x80\x85\x91-\x97\x99\xa0\xa3\xa7\xab\xad\xb0\xb4\xb7\xbb\xc0-\xd6\xd8-\xf6\xf8-\xff]|\xc3[\x80-\xbf]|\xe2\x80|[a-z\xc0-\xff][\x91\x93]|\x94[a-z\xc0-\xff]/i;

/** Characters in which zeros are counted. */
const LOOKED_AT = 2048;

type Utf16 = 'utf-16le' | 'utf-16be';

/** Null unless a byte order mark, or zeros in place of ASCII, show that a text with this beginning is UTF-16. */
export function utf16Of(bytes: Buffer): Utf16 | null {
  const [first = 0, second = 0, third = 0, fourth = 0] = bytes;
  const zeros = [0, 0];
  const looked = Math.min(bytes.length >> 1, LOOKED_AT);
  for (let at = 0; at < 2 * looked; at++) if (bytes[at] === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros;
  // At least half of a text in a European language is ASCII, and no character of it ends in a zero byte.
  if ((first === 0xff && second === 0xfe) || (odd > looked / 2 && even < looked / 50)) return 'utf-16le';
  if ((first === 0xfe && second === 0xff) || (even > looked / 2 && odd < looked / 50)) return 'utf-16be';
  // Two letters or brackets at the beginning suffice, whatever follows.
  if (first > 0 && third > 0 && second + fourth === 0) return 'utf-16le';
  if (second > 0 && fourth > 0 && first + third === 0) return 'utf-16be';
  return null;
}

/** A file in UTF-8, converted if it is UTF-16. Chunks may share one buffer: use each before you take the next. */
export async function* inUtf8(chunks: AsyncGenerator<Buffer, void, undefined>) {
  const first = await chunks.next();
  const beginning = first.done === true ? Buffer.alloc(0) : first.value;
  const encoding = utf16Of(beginning);
  const decoder = encoding === null ? null : new TextDecoder(encoding);
  const inUtf8 = (chunk: Buffer) =>
    decoder === null ? chunk : Buffer.from(decoder.decode(chunk, { stream: true }));
  try {
    yield inUtf8(beginning);
    for await (const chunk of chunks) yield inUtf8(chunk);
    if (decoder !== null) yield Buffer.from(decoder.decode());
  } finally {
    await chunks.return(undefined);
  }
}
