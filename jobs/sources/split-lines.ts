import { createCarry, type Piece, type Splitter } from './pieces.ts';

const LINE_FEED = 0x0a;
const BOM = Buffer.from('\ufeff');

/** Splits into lines without their line feed. Blank lines are left out, but count in the numbering. */
export function splitLines(file: string): Splitter {
  const carry = createCarry(file);
  let line = 1;
  /** Offset in the file of the line at hand, and of the chunk after the one at hand. */
  let begun = 0;
  let read = 0;

  function push(chunk: Buffer): readonly Piece[] {
    const pieces: Piece[] = [];
    let from = 0;
    for (let at = chunk.indexOf(LINE_FEED); at !== -1; at = chunk.indexOf(LINE_FEED, from)) {
      take(pieces, carry.join(chunk.subarray(from, at)));
      from = at + 1;
      begun = read + from;
      line++;
    }
    if (from < chunk.length) carry.keep(chunk.subarray(from), line);
    read += chunk.length;
    return pieces;
  }

  function end(): readonly Piece[] {
    const pieces: Piece[] = [];
    take(pieces, carry.join(Buffer.alloc(0)));
    return pieces;
  }

  function take(pieces: Piece[], whole: Buffer): void {
    const skipped = begun === 0 && whole.subarray(0, BOM.length).equals(BOM) ? BOM.length : 0;
    const bytes = whole.subarray(skipped);
    if (!isBlank(bytes)) pieces.push({ bytes, line, offset: begun + skipped });
  }

  return { push, end };
}

function isBlank(bytes: Buffer): boolean {
  for (const byte of bytes) if (byte !== 0x20 && byte !== 0x09 && byte !== 0x0d) return false;
  return true;
}
