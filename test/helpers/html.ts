/** HTML as people read it. */
import { decodeHTML } from 'entities/decode';

/** The text of a piece of HTML: without tags, and with one blank for several. */
export const textIn = (html: string): string => plainText(html, ' ').replace(/\s+/g, ' ').trim();

/** The text with its entities decoded; `tag` replaces each tag. */
export const plainText = (html = '', tag = ''): string => decodeHTML(html.replace(/<[^>]+>/g, tag));

/** The groups of each match of a pattern. */
export const groupsIn = (text: string, pattern: RegExp): readonly (readonly string[])[] =>
  [...text.matchAll(pattern)].map(([, ...groups]) => groups.map((group = '') => group));

/** The first group of each match of a pattern. */
export const eachIn = (text: string, pattern: RegExp): readonly string[] =>
  groupsIn(text, pattern).map(([first = '']) => first);
