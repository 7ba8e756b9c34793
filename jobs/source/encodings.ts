/**
 * Bytes as text. Files come in UTF-8, in UTF-16, and in Windows-1252, which includes Latin-1. Records of the source folder are read exactly or
 * refused; feeds are read whatever program wrote them, because this calendar cannot correct them.
 */
import { isUtf8 } from 'node:buffer';
import { TextDecoder } from 'node:util';

/** The text of bytes that are UTF-8 or certainly Windows-1252; otherwise the position of the first byte that is neither. */
export function exactText(bytes: Buffer): { readonly text: string } | { readonly badByteAt: number } {
  const text = bytes.toString('utf8');
  if (isUtf8(bytes)) return { text };
  const windows = windowsTextOf(bytes);
  if (windows !== null) return { text: windows };
  // An invalid byte became U+FFFD: encoded again, the text differs from that byte on.
  const again = Buffer.from(text, 'utf8');
  return { badByteAt: bytes.findIndex((byte, index) => byte !== again[index]) };
}

/** The chunks of a file in UTF-8, converted if it is UTF-16. The first chunk shows which it is. */
export async function* inUtf8(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
  let isFirst = true;
  /** Null for a file that is not UTF-16. */
  let decoder: TextDecoder | null = null;
  for await (const chunk of chunks) {
    const encoding = isFirst ? utf16Of(chunk) : null;
    if (encoding !== null) decoder = new TextDecoder(encoding);
    isFirst = false;
    yield decoder === null ? chunk : Buffer.from(decoder.decode(chunk, { stream: true }));
  }
  if (decoder !== null) yield Buffer.from(decoder.decode());
}

interface DecodedText {
  readonly text: string;
  /** The first line, from 1, whose encoding is uncertain; null for none. */
  readonly firstGuess: number | null;
}

/**
 * UTF-16 if a byte order mark, or zero bytes where ASCII has them, indicate it; otherwise UTF-8. Lines that are not UTF-8 are read as
 * Windows-1252 one by one, because some files combine others.
 */
export function decodeText(bytes: Buffer): DecodedText {
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

/** A line as UTF-8, or else as Windows-1252, which includes Latin-1. `latin1` has its bytes as letters. */
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

/** `latin1`: text whose characters are the bytes of Windows-1252. */
function fromWindows1252(latin1: string): string {
  return latin1.replace(C1, (letter) => FROM_0X80[letter.charCodeAt(0) - 0x80] ?? letter);
}

/** Characters of 0x80 to 0x9F, in which Windows-1252 differs from Latin-1. Node 20's own decoder confuses the two. */
const FROM_0X80 = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';
const C1 = /[\x80-\x9f]/g;

/**
 * A text that is certainly Latin-1 or Windows-1252, else null: it has only these sets' Western letters, and signs in plausible places.
 * Norwegian in the sets of old Macintoshes and of DOS has others, as has damaged UTF-8.
 */
function windowsTextOf(bytes: Buffer): string | null {
  const latin1 = bytes.toString('latin1');
  return UNLIKELY.test(latin1) ? null : fromWindows1252(latin1);
}

/** Other signs, a character in UTF-8, an opening quote within a word, a closing one before it. */
const UNLIKELY =
  /[^\0-\x7f\x80\x85\x91-\x97\x99\xa0\xa3\xa7\xab\xad\xb0\xb4\xb7\xbb\xc0-\xd6\xd8-\xf6\xf8-\xff]|\xc3[\x80-\xbf]|\xe2\x80|[a-z\xc0-\xff][\x91\x93]|\x94[a-z\xc0-\xff]/i;

/** Null unless a byte order mark, or two letters or brackets at the beginning, show that a text is UTF-16. */
function utf16Of(bytes: Buffer): 'utf-16le' | 'utf-16be' | null {
  const [first = 0, second = 0, third = 0, fourth = 0] = bytes;
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  if (first > 0 && third > 0 && second + fourth === 0) return 'utf-16le';
  if (second > 0 && fourth > 0 && first + third === 0) return 'utf-16be';
  return null;
}
