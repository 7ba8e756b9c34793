/** Bytes become content lines (RFC 5545, 3.1), whatever line ends, folds and character set strangers use. */
import { isUtf8 } from 'node:buffer';

export interface ContentLine {
  /** 1-based, of its first physical line. */
  readonly number: number;
  readonly text: string;
  /** Null, or what its bytes were instead of UTF-8. */
  readonly charset: string | null;
}

/**
 * Folds are undone before bytes become characters, because a fold may stand in the middle of a character. A line that is
 * not UTF-8 is read as Windows-1252, of which Latin-1 is a part.
 */
export function* contentLines(bytes: Buffer): Generator<ContentLine, void, undefined> {
  const utf16 = utf16Of(bytes);
  const raw = (utf16 ?? bytes).toString('latin1').replace(/^\xef\xbb\xbf/, '');
  let begun: Begun | null = null;
  for (const { number, text } of physicalLines(raw)) {
    const last = begun?.parts.at(-1) ?? '';
    if (begun?.isPrintable === true && last.endsWith('=')) {
      begun.parts[begun.parts.length - 1] = last.slice(0, -1);
      begun.parts.push(text);
    } else if (begun !== null && (text.startsWith(' ') || text.startsWith('\t')))
      begun.parts.push(text.slice(1));
    else {
      if (begun !== null) yield decoded(begun);
      begun = { number, parts: [text], isPrintable: PRINTABLE.test(text) };
    }
  }
  if (begun !== null) yield decoded(begun);
}

interface Begun {
  readonly number: number;
  /** Joined only at the end: a line may have millions. */
  readonly parts: string[];
  /** vCalendar 1.0 breaks quoted-printable text with an equals sign. */
  readonly isPrintable: boolean;
}

const PRINTABLE = /^[^:]*;(?:ENCODING=)?QUOTED-PRINTABLE/i;

/** Blank lines are left out. */
function* physicalLines(raw: string): Generator<{ readonly number: number; readonly text: string }> {
  let number = 0;
  for (let at = 0; at < raw.length; ) {
    const feed = raw.indexOf('\n', at);
    const next = feed === -1 ? raw.length : feed;
    // Old Macintosh line ends are a carriage return alone; careless programs write two of them before a line feed.
    let end = next;
    while (end > at && raw[end - 1] === '\r') end--;
    for (const text of raw.slice(at, end).split('\r')) {
      number++;
      if (text.trim() !== '') yield { number, text };
    }
    at = next + 1;
  }
}

/** Where Windows-1252 is not Latin-1. Node 20's own decoder takes the one for the other. */
const FROM_0X80 = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';
const C1 = /[\x80-\x9f]/g;
const WITH_8_BITS = /[\x80-\xff]/;

function decoded({ number, parts }: Begun): ContentLine {
  const text = parts.join('');
  if (!WITH_8_BITS.test(text)) return { number, text, charset: null };
  const bytes = Buffer.from(text, 'latin1');
  if (isUtf8(bytes)) return { number, text: bytes.toString('utf8'), charset: null };
  const read = text.replace(C1, (letter) => FROM_0X80[letter.charCodeAt(0) - 0x80] ?? letter);
  return { number, text: read, charset: 'Windows-1252' };
}

/** The same text in UTF-8 when a byte order mark, or zeros where ASCII would have them, say that it is UTF-16. */
function utf16Of(bytes: Buffer): Buffer | null {
  const [first, second] = bytes;
  const isLittle = (first === 0xff && second === 0xfe) || (first === 0x42 && second === 0);
  const isBig = (first === 0xfe && second === 0xff) || (first === 0 && second === 0x42);
  if (!isLittle && !isBig) return null;
  const even = bytes.subarray(0, bytes.length - (bytes.length % 2));
  const text = (isBig ? Buffer.from(even).swap16() : even).toString('utf16le');
  return Buffer.from(text.replace(/^\ufeff/, ''), 'utf8');
}
