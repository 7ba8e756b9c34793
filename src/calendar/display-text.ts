/** Texts as people see them: without markup, cut to a length, and without characters that control a terminal. */
import { decodeHTML } from 'entities/decode';

/**
 * The text of markup that a build has made safe (G8): tags that only style letters vanish (`<b>K</b>onsert` is one word), every other one
 * becomes a space.
 */
export function shownText(markup: string, leaves: Leaves = () => ' '): string {
  const text = markup.replace(TAG, (_, slash: string, name: string) =>
    STYLING.has(name) ? '' : leaves(name, slash !== ''),
  );
  return text.includes('&') ? decodeHTML(text) : text;
}

/** The text that replaces a tag which does more than style letters. */
type Leaves = (name: string, isClosing: boolean) => string;

/** Linear in any text: attributes follow a blank, and contain no angle brackets. */
const TAG = /<(\/?)([a-z0-9]+)(?:\s[^<>]*)?>/g;
const STYLING = new Set('a b strong i em u s small sub sup code'.split(' '));

/** The text, or its first `most` letters and an ellipsis. No character is cut in two. */
export function shortened(text: string, most: number): string {
  return text.length > most ? `${beginningOf(text, most)}…` : text;
}

/** The first `most` letters of a text. No character is cut in two: strict readers of JSON refuse half of one. */
export function beginningOf(text: string, most: number): string {
  return text.slice(0, most).replace(HALF_CHARACTER, '');
}

/** The text, or its beginning up to the end of a word and an ellipsis: at most `most` letters together. One long word is cut. */
export function shortenedToWord(text: string, most: number): string {
  if (text.length <= most) return text;
  const blank = text.lastIndexOf(' ', most - 1);
  const beginning = blank > 0 ? text.slice(0, blank) : beginningOf(text, most - 1);
  return `${beginning.replace(/[\s,;:–-]{1,5}$/, '')}…`;
}

/** The text without line breaks and repeated blanks. */
export function onOneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** A copy through bytes: the beginning of a long text would otherwise hold all of it in memory. */
export function detached(text: string): string {
  return Buffer.from(text).toString();
}

/** `a, b or c`. */
export function alternatives(names: readonly string[]): string {
  const last = names.at(-1) ?? '';
  return names.length < 2 ? last : `${names.slice(0, -1).join(', ')} or ${last}`;
}

/** The first unit of a surrogate pair whose second one was cut off. */
const HALF_CHARACTER = /[\ud800-\udbff]$/;

/** For a terminal or a log: control characters and line breaks of any kind are escaped, like `\\u009b`. */
export function printable(text: string): string {
  return text.replace(CONTROLS, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** For texts from elsewhere: escapes line feeds as well, which could forge a line of the output. */
export function printableLine(text: string): string {
  return printable(text).replaceAll('\n', '\\u000a');
}

/** Control characters but line feeds, and those that change lines or the direction of a text. */
const CONTROLS = /[^\P{Cc}\n]|[\p{Bidi_Control}\u2028\u2029]/gu;
