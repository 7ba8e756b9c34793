/** Turns bytes into content lines (RFC 5545, 3.1), with any line ends, folds and character set. */
import { decodeLine, fromUtf16 } from '../../../encodings.ts';

export interface ContentLine {
  /** 1-based, of its first physical line. */
  readonly number: number;
  readonly text: string;
  /** Whether it was read as Windows-1252, and is not certainly that. */
  readonly isGuess: boolean;
}

/**
 * Unfolds before bytes become characters, because a fold may split a character. A line that is not UTF-8 is read as Windows-1252, of
 * which Latin-1 is a part.
 */
export function* contentLines(bytes: Buffer): Generator<ContentLine, void, undefined> {
  const utf16 = fromUtf16(bytes);
  const raw = (utf16 === null ? bytes : Buffer.from(utf16)).toString('latin1').replace(/^\xef\xbb\xbf/, '');
  let begun: Begun | null = null;
  // Old Macintosh line ends are a single carriage return; faulty programs write two of them before a line feed.
  for (const [at, text] of raw.split(/\r+\n?|\n/).entries()) {
    if (text.trim() === '') continue;
    const last = begun?.parts.at(-1) ?? '';
    if (begun?.isPrintable === true && last.endsWith('=')) {
      begun.parts[begun.parts.length - 1] = last.slice(0, -1);
      begun.parts.push(text);
    } else if (begun !== null && (text.startsWith(' ') || text.startsWith('\t')))
      begun.parts.push(text.slice(1));
    else {
      if (begun !== null) yield { ...begun, ...decodeLine(begun.parts.join('')) };
      begun = { number: at + 1, parts: [text], isPrintable: PRINTABLE.test(text) };
    }
  }
  if (begun !== null) yield { ...begun, ...decodeLine(begun.parts.join('')) };
}

interface Begun {
  readonly number: number;
  /** Joined only at the end: a line may have millions. */
  readonly parts: string[];
  /** vCalendar 1.0 breaks quoted-printable text with an equals sign. */
  readonly isPrintable: boolean;
}

const PRINTABLE = /^[^:]*;(?:ENCODING=)?QUOTED-PRINTABLE/i;
