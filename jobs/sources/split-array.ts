import { CalendarError } from '../../src/calendar/errors.ts';
import { createCarry, type Piece, type Splitter } from './pieces.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const SPACE = 0x20;
const LINE_FEED = 0x0a;
const BOM = [0xef, 0xbb, 0xbf];

/**
 * Splits a JSON array into its elements by looking at quotes and brackets only. It need not know more: when every element
 * is JSON by itself, the array was. All bytes that matter are ASCII, which in UTF-8 are never part of a longer character.
 */
export function splitArray(file: string): Splitter {
  const carry = createCarry(file);
  /** Brackets open: 0 outside of the array, 1 between its elements, more within one. */
  let depth = 0;
  let inString = false;
  let closed = false;
  let elements = 0;
  let line = 1;
  /** Offset in the file of the chunk at hand. */
  let read = 0;
  /** The element at hand; null before its first byte. */
  let begun: Omit<Piece, 'bytes'> | null = null;

  function push(chunk: Buffer): readonly Piece[] {
    const pieces: Piece[] = [];
    let from = 0;
    let at = inString ? afterString(chunk, 0) : 0;
    while (at < chunk.length) {
      const byte = chunk[at] ?? 0;
      if (byte <= SPACE) {
        if (byte === LINE_FEED) line++;
      } else if (depth === 0) {
        outside(byte, read + at);
      } else if (depth === 1 && (byte === COMMA || byte === CLOSE_ARRAY)) {
        if (begun !== null) pieces.push({ bytes: carry.join(chunk.subarray(from, at)), ...begun });
        separate(byte);
      } else {
        if (begun === null) {
          begun = { line, offset: read + at };
          from = at;
        }
        if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) depth++;
        else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) close(byte);
        else if (byte === QUOTE) {
          inString = true;
          at = afterString(chunk, at + 1);
          continue;
        }
      }
      at++;
    }
    if (begun !== null) carry.keep(chunk.subarray(from), begun.line);
    read += chunk.length;
    return pieces;
  }

  let escaped = false;

  /** Where the string that `at` is in has ended, or the end of the chunk. Most bytes of a file pass through this loop. */
  function afterString(chunk: Buffer, at: number): number {
    const length = chunk.length;
    if (escaped && at < length) {
      escaped = false;
      at++;
    }
    for (; at < length; at++) {
      const byte = chunk[at];
      if (byte === QUOTE) {
        inString = false;
        return at + 1;
      }
      if (byte === BACKSLASH) {
        if (at + 1 === length) escaped = true;
        at++;
      }
    }
    return length;
  }

  function outside(byte: number, offset: number): void {
    if (offset < BOM.length && byte === BOM[offset]) return;
    if (closed) throw wrong('nothing after the end of the array', byte);
    if (byte !== OPEN_ARRAY) throw wrong('an array', byte);
    depth = 1;
  }

  function separate(byte: number): void {
    // Only an empty array may end where an element is due.
    if (begun === null && (byte === COMMA || elements > 0)) throw wrong('an element of the array', byte);
    if (begun !== null) elements++;
    begun = null;
    if (byte === COMMA) return;
    closed = true;
    depth = 0;
  }

  function close(byte: number): void {
    if (depth === 1) throw wrong('"," or "]"', byte);
    depth--;
  }

  function end(): readonly Piece[] {
    if (closed) return [];
    const expected = depth === 0 ? 'an array' : '"]"';
    const where = begun === null ? '' : ` in the element that begins in line ${begun.line}`;
    throw new CalendarError(
      'INVALID_SOURCE',
      `${file}:${line}: expected ${expected}, found the end of the file${where}`,
    );
  }

  function wrong(expected: string, byte: number): CalendarError {
    const found = byte < 0x7f ? JSON.stringify(String.fromCharCode(byte)) : `byte 0x${byte.toString(16)}`;
    return new CalendarError('INVALID_SOURCE', `${file}:${line}: expected ${expected}, found ${found}`);
  }

  return { push, end };
}
