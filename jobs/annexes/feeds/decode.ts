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
  const lines: string[] = [];
  let first: number | null = null;
  for (let at = 0; at <= bytes.length; ) {
    const feed = bytes.indexOf(LINE_FEED, at);
    const end = feed === -1 ? bytes.length : feed;
    const line = bytes.subarray(at, end);
    if (isUtf8(line)) lines.push(line.toString('utf8'));
    else {
      const certain = windowsTextOf(line);
      lines.push(certain ?? fromWindows1252(line.toString('latin1')));
      if (certain === null) first ??= lines.length;
    }
    at = end + 1;
  }
  return { text: withoutMark(lines.join('\n')), firstGuess: first };
}

const LINE_FEED = 0x0a;

function withoutMark(text: string): string {
  return text.startsWith('\ufeff') ? text.slice(1) : text;
}

/** The text of bytes that are UTF-16, without a byte order mark; null for any others. */
export function fromUtf16(bytes: Buffer): string | null {
  const encoding = utf16Of(bytes);
  if (encoding === null) return null;
  return new TextDecoder(encoding).decode(bytes.subarray(0, bytes.length - (bytes.length % 2)));
}
