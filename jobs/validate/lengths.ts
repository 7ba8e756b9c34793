/**
 * G12: texts have lengths, in characters as JavaScript counts them, so that no single record makes an answer too large. A longer one is cut
 * at a word. The work is linear in the text.
 */
import { detached } from '../../src/calendar/display-text.ts';

/** Texts without a limit of their own. Ids too, but a longer id is refused. */
export const MOST_IN_TEXT = 2_000;
/** A longer URL is dropped: a part of one leads elsewhere. */
export const MOST_IN_URL = 2_048;
/** Tags, prices, images, organizers of an event. */
export const MOST_ITEMS = 100;

/** A longer word is cut within. */
const LONGEST_WORD = 60;

/** The text, or the beginning that has at most `most` characters and ends with a word. */
export function cutText(text: string, most: number): string {
  if (text.length <= most) return text;
  for (let end = most; end > most - LONGEST_WORD && end > 0; end--)
    if (/\s/.test(text.charAt(end))) return detached(text.slice(0, end).trimEnd());
  return detached(text.slice(0, most).replace(/[\ud800-\udbff]$/, ''));
}

/** Characters that are read beyond the end, so that a character reference there is whole. */
const LOOKAHEAD = 40;

/** A tag; words, in which a character reference is whole; blanks. */
const TOKEN = /<(\/?)([a-z0-9]+)(?:\s[^<>]*)?>|(?:&#?[a-z0-9]{1,32};|[^<\s]){1,60}|\s+/guy;

/** Cuts markup that was made safe (G8): elements that are open at the end are closed, within the length. */
export function cutMarkup(markup: string, most: number): string {
  if (markup.length <= most) return markup;
  const open: string[] = [];
  /** Where the markup can be cut, and the tags that then close its elements. */
  let cut = { end: 0, closing: '' };
  for (const { 0: token, 1: slash, 2: name, index } of markup.slice(0, most + LOOKAHEAD).matchAll(TOKEN)) {
    const end = index + token.length;
    const isOpening = slash === '' && name !== undefined && !VOID.has(name);
    if (slash === '/') open.pop();
    else if (isOpening) open.push(name);
    const closing = open
      .toReversed()
      .map((inner) => `</${inner}>`)
      .join('');
    if (end + closing.length > most) break;
    // No element is left empty.
    if (!isOpening) cut = { end, closing };
  }
  return detached(markup.slice(0, cut.end).trimEnd() + cut.closing);
}

const VOID = new Set(['br', 'hr']);
