/** G8, G12: texts, addresses and slugs of an entry, made safe and cut to their lengths; findings say what was changed. */
import { MOST_IN_DESCRIPTION, MOST_IN_NAME } from '../../src/calendar/model.ts';
import { readSlug, SLUG_FORM } from '../../src/calendar/text.ts';
import { excerpt } from '../findings.ts';
import { addFinding, type Subject } from './entry-findings.ts';
import { cutMarkup, cutText, MOST_IN_TEXT, MOST_IN_URL, MOST_ITEMS } from './lengths.ts';
import { isNoise } from './removed-parts.ts';
import type { Path } from './salvage.ts';
import { plainText, type Safe, safeMarkup } from './sanitize.ts';
import { webAddress } from './web-address.ts';

/** The text; null if it is missing or blank. */
export function nonBlank(text: string | null | undefined): string | null {
  return typeof text === 'string' && /\S/.test(text) ? text : null;
}

type Text = string | null | undefined;

/** G8, G12: a title or a name: a short text of one line, or null. */
export const shortLine = lineOf(MOST_IN_NAME);
/** Any other text of one line. */
export const longLine = lineOf(MOST_IN_TEXT);
/** A text of several lines. */
export const severalLines = readerOf({
  make: (text, most) => plainText(text, 'lines', most),
  most: MOST_IN_TEXT,
});
export const description = readerOf({
  make: safeMarkup,
  expected: 'markup that only formats text',
  most: MOST_IN_DESCRIPTION,
  cut: cutMarkup,
});

interface TextKind {
  /** Makes a text safe. It may stop after that many characters. */
  readonly make: (text: string, most: number) => Safe;
  readonly expected?: string;
  /** Longest result. */
  readonly most: number;
  readonly cut?: (text: string, most: number) => string;
}

/** Creates the function that makes texts of a kind safe, cuts them, and reports both. It returns null for a missing text. */
function readerOf({ make, expected = 'plain text', most, cut = cutText }: TextKind) {
  return (written: Text, at: Path, subject: Subject): string | null => {
    if (written == null) return null;
    const begun = beginningOf(written, most * READ_PER_KEPT);
    const { text, taken } = make(begun, most);
    const action = taken.every(isNoise) ? 'tidied' : 'made safe';
    if (taken.length > 0) addFinding(subject, action, { at, expected, found: taken.join(', ') });
    if (text.length <= most && begun === written) return text;
    addCut(written, most, at, subject);
    return cut(text, most);
  };
}

/** Markup takes room that the text does not have; a text with more of it than this is not what a person wrote. */
const READ_PER_KEPT = 10;
/** Characters of the longest text that is read. */
export const MOST_READ = MOST_IN_DESCRIPTION * READ_PER_KEPT;

/** Cuts a text to a number of characters, up to the end of a word, and without a tag that would be cut in two. */
function beginningOf(text: string, most: number): string {
  if (text.length <= most) return text;
  const begun = cutText(text, most);
  const tag = begun.lastIndexOf('<');
  return tag > begun.lastIndexOf('>') && begun.length - tag <= MOST_IN_TEXT ? begun.slice(0, tag) : begun;
}

function ofOneLine(text: string, most: number): Safe {
  return plainText(text, 'line', most);
}

/** Reads a text of one line, up to a number of characters. */
export function lineOf(most: number) {
  return readerOf({ make: ofOneLine, most });
}

/** G12: cuts are reported. */
function addCut(text: string, most: number, at: Path, subject: Subject): void {
  const foundText = `${text.length} as it is written: ${excerpt(text)}`;
  addFinding(subject, 'cut text', { at, expected: `at most ${most} characters`, foundText });
}

/** G8: an absolute http or https URL, or null; any other text is reported. */
export function webUrl(text: Text, at: Path, subject: Subject): string | null {
  const found = nonBlank(text);
  if (found === null) return null;
  const url = webAddress(found);
  if (url === null)
    addFinding(subject, 'made safe', { at, expected: 'an absolute http or https URL', found });
  if (url === null || url.length <= MOST_IN_URL) return url;
  addCut(url, MOST_IN_URL, at, subject);
  return null;
}

/** G12: the first items of a list; the report says how many there were. */
export function firstItems<Item>(items: readonly Item[], at: Path, subject: Subject): readonly Item[] {
  if (items.length <= MOST_ITEMS) return items;
  addFinding(subject, 'dropped value', { at, expected: `at most ${MOST_ITEMS}`, found: items.length });
  return items.slice(0, MOST_ITEMS);
}

/** G8: the record's own slug. Null if it is missing, or if no part of it is valid. */
export function slug(text: Text, at: Path, subject: Subject): string | null {
  const found = nonBlank(text);
  if (found === null) return null;
  const made = readSlug(found);
  if (made !== found) addFinding(subject, 'made safe', { at, expected: SLUG_FORM, found });
  return made === '' ? null : made;
}
