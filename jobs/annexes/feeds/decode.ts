/** A feed's bytes as text, whatever program wrote them. */
import { isUtf8 } from 'node:buffer';
import { TextDecoder } from 'node:util';
import { fromWindows1252, utf16Of, windowsTextOf } from '../../encodings.ts';

/**
 * UTF-16 where a byte order mark, or zeros where ASCII would have them, say so; else UTF-8. Lines that are not UTF-8 are read as
 * Windows-1252 one by one, because files are put together of others; `firstGuess` is the first line, from 1, that is not certainly that.
 */
export function decodeText(bytes: Buffer) {
  const utf16 = fromUtf16(bytes);
  if (utf16 !== null) return { text: utf16, firstGuess: null };
  if (isUtf8(bytes)) return { text: withoutMark(bytes.toString('utf8')), firstGuess: null };
  const lines = bytes.toString('latin1').split('\n').map(decodeLine);
  const guess = lines.findIndex(({ isGuess }) => isGuess);
  return {
    text: withoutMark(lines.map(({ text }) => text).join('\n')),
    firstGuess: guess === -1 ? null : guess + 1,
  };
}

/** A line as UTF-8, else as Windows-1252, of which Latin-1 is a part; `latin1` has its bytes as letters. */
export function decodeLine(latin1: string): { readonly text: string; readonly isGuess: boolean } {
  if (!WITH_8_BITS.test(latin1)) return { text: latin1, isGuess: false };
  const bytes = Buffer.from(latin1, 'latin1');
  const certain = isUtf8(bytes) ? bytes.toString('utf8') : windowsTextOf(bytes);
  return { text: certain ?? fromWindows1252(latin1), isGuess: certain === null };
}

const WITH_8_BITS = /[\x80-\xff]/;

function withoutMark(text: string): string {
  return text.startsWith('\ufeff') ? text.slice(1) : text;
}

/** The text of bytes that are UTF-16, without a byte order mark; null for any others. */
export function fromUtf16(bytes: Buffer): string | null {
  const encoding = utf16Of(bytes);
  if (encoding === null) return null;
  return new TextDecoder(encoding).decode(bytes.subarray(0, bytes.length - (bytes.length % 2)));
}
