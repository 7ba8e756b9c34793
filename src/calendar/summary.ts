/** E2: the beginning of a description as plain text, for cards and previews. */
import { shortenedToWord, shownText } from './display-text.ts';

/** Characters. A search engine shows about as many. */
const MOST_IN_SUMMARY = 200;

/** A sentence ends where the next one begins with a capital, a digit's dot among dates does not. */
const SENTENCE_END = /[.!?…]["»”)]*(?= +["«“(–-]*\p{Lu})/gu;

/** Most white space is one blank already: replacing each with itself takes ten times as long. */
const OTHER_THAN_ONE_BLANK = /[^\S ]\s*| \s+/g;

/** Cut after a sentence, else after a word, with an ellipsis. Null for markup without a text. */
export function summaryOf(markup: string): string | null {
  const text = shownText(markup).replaceAll(OTHER_THAN_ONE_BLANK, ' ').trim();
  if (text.length <= MOST_IN_SUMMARY) return text === '' ? null : text;
  let end = 0;
  for (const { 0: sign, index } of text.slice(0, 2 * MOST_IN_SUMMARY).matchAll(SENTENCE_END)) {
    if (index + sign.length <= MOST_IN_SUMMARY) end = index + sign.length;
  }
  if (end > 0) return text.slice(0, end);
  return shortenedToWord(text, MOST_IN_SUMMARY);
}
