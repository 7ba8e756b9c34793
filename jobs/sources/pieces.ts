import { isUtf8 } from 'node:buffer';
import { CalendarError } from '../../src/calendar/errors.ts';

/** One record's bytes within a file. They may lie in a buffer that is used again: decode before taking the next. */
export interface Piece {
  readonly bytes: Buffer;
  /** 1-based line on which it begins. */
  readonly line: number;
  /** Where it begins, in bytes from the start of the file. */
  readonly offset: number;
}

/** Takes a file chunk by chunk, wherever the chunks are cut, and hands out each piece as soon as it is complete. */
export interface Splitter {
  readonly push: (chunk: Buffer) => readonly Piece[];
  readonly end: () => readonly Piece[];
}

/** One record in one piece of memory; a longer one is a file of some other kind, or one without line ends. */
const MAX_PIECE = 16 * 1024 * 1024;

/** The beginning of a piece whose end is in a later chunk. */
export interface Carry {
  readonly keep: (bytes: Buffer, line: number) => void;
  /** What was kept, followed by these bytes. Empties the carry. */
  readonly join: (bytes: Buffer) => Buffer;
}

export function createCarry(file: string): Carry {
  let parts: Buffer[] = [];
  let length = 0;
  return {
    keep(bytes, line) {
      length += bytes.length;
      if (length > MAX_PIECE) {
        throw new CalendarError(
          'INVALID_SOURCE',
          `${file}:${line}: expected a record of at most ${MAX_PIECE} bytes, found a longer one; is a line end or bracket missing?`,
        );
      }
      parts.push(Buffer.from(bytes));
    },
    join(bytes) {
      if (parts.length === 0) return bytes;
      const joined = Buffer.concat([...parts, bytes]);
      parts = [];
      length = 0;
      return joined;
    },
  };
}

/** The text of bytes, or where the first byte is that is no UTF-8. */
export type Decoded = { readonly text: string } | { readonly wrong: string };

export function decode({ bytes, offset }: Piece): Decoded {
  const text = bytes.toString('utf8');
  if (isUtf8(bytes)) return { text };
  // A wrong byte became U+FFFD: encoded again, the text differs from that byte on.
  const again = Buffer.from(text, 'utf8');
  const at = bytes.findIndex((byte, index) => byte !== again[index]);
  return { wrong: `byte 0x${bytes.toString('hex', at, at + 1)} at offset ${offset + at}` };
}
