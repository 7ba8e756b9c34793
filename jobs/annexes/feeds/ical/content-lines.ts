/** Turns bytes into content lines (RFC 5545, 3.1), with any line ends, folds and character set. */
import { decodeLine, fromUtf16 } from '../../../source/encodings.ts';

export interface ContentLine {
  /** 1-based, of its first physical line. */
  readonly number: number;
  readonly text: string;
  /** Whether it was read as Windows-1252, and is not certainly that. */
  readonly isGuess: boolean;
}

/** A content line while its physical lines are read. */
interface UnfinishedLine {
  readonly number: number;
  /** Joined only at the end: a line may have millions. */
  readonly parts: string[];
  /** vCalendar 1.0 breaks quoted-printable text with an equals sign. */
  readonly isPrintable: boolean;
}

/**
 * Unfolds before bytes become characters, because a fold may split a character. A line that is not UTF-8 is read as Windows-1252, of
 * which Latin-1 is a part.
 */
export function* contentLines(bytes: Buffer): Generator<ContentLine, void, undefined> {
  let line: UnfinishedLine | null = null;
  for (const [index, text] of physicalLines(bytes).entries()) {
    const isContinuation = line !== null && addContinuation(line, text);
    if (isContinuation || isBlank(text)) continue;
    if (line !== null) yield finished(line);
    line = { number: index + 1, parts: [text], isPrintable: PRINTABLE.test(text) };
  }
  if (line !== null) yield finished(line);
}

/** One character a byte. */
function physicalLines(bytes: Buffer): readonly string[] {
  const utf16 = fromUtf16(bytes);
  const text = (utf16 === null ? bytes : Buffer.from(utf16)).toString('latin1').replace(BYTE_ORDER_MARK, '');
  // Old Macintosh line ends are a single carriage return; faulty programs write two of them before a line feed.
  return text.split(/\r+\n?|\n/);
}

/** The byte order mark of UTF-8, as Latin-1 reads its bytes. */
const BYTE_ORDER_MARK = /^\xef\xbb\xbf/;

const PRINTABLE = /^[^:]*;(?:ENCODING=)?QUOTED-PRINTABLE/i;

/** Adds the physical line if it continues this one. Returns whether it does. */
function addContinuation({ parts, isPrintable }: UnfinishedLine, text: string): boolean {
  const last = parts.at(-1) ?? '';
  if (isPrintable && last.endsWith('=') && !isBlank(text)) {
    parts[parts.length - 1] = last.slice(0, -1);
    parts.push(text);
    return true;
  }
  const isFolded = text.startsWith(' ') || text.startsWith('\t');
  if (isFolded) parts.push(text.slice(1));
  return isFolded;
}

function isBlank(text: string): boolean {
  return text.trim() === '';
}

function finished({ number, parts }: UnfinishedLine): ContentLine {
  // Folded blanks between words belong to the text. Blanks at its end come from programs that write a blank line by mistake.
  const end = parts.findLastIndex((part) => !BLANKS.test(part));
  return { number, ...decodeLine(parts.slice(0, end + 1).join('')) };
}

/** Not `isBlank`: on its own, the last byte of a letter such as `à` would be a no-break space. */
const BLANKS = /^[ \t]*$/;
