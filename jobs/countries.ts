/** Names of countries, as they stand at the end of addresses. */

import { wordsOf } from '../src/calendar/search-term.ts';
import { fold } from '../src/calendar/text.ts';

/** Whether the last part of an address, or its last words, are another country than Norway. */
export function namesOtherCountry(address: string): boolean {
  const parts = address.split(/[,\n;]/);
  const last = wordsOf(fold(parts.slice(-MOST_PARTS).join(' , ')));
  const ends = [1, 2, 3, 4].map((count) => last.slice(-count).join(' '));
  others ??= readOthers();
  const names = others;
  const isOther = (name: string) => names.has(name);
  return ends.some(isOther) || parts.some((part) => isOther(wordsOf(fold(part)).join(' ')));
}

/** After the town stand at most a region and the country. */
const MOST_PARTS = 3;

const LETTERS = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];

/** Read when an address may name one: it takes 70 ms, and most builds never need it. */
let others: ReadonlySet<string> | undefined;

/** Folded words, in English, Norwegian and the languages of the neighbours. */
function readOthers(): ReadonlySet<string> {
  return new Set([
    ...['en', 'nb', 'nn', 'sv', 'da', 'fi', 'de'].flatMap(namesIn),
    ...['usa', 'us', 'u s a', 'uk', 'u k', 'england', 'scotland', 'wales', 'holland', 'the netherlands'],
  ]);
}

function namesIn(language: string): readonly string[] {
  const names = new Intl.DisplayNames([language], { type: 'region', fallback: 'none' });
  return LETTERS.flatMap((first) => LETTERS.map((second) => `${first}${second}`)).flatMap((code) => {
    // Svalbard and Bouvet Island have Norwegian codes.
    const name = ['NO', 'SJ', 'BV', 'ZZ'].includes(code) ? undefined : names.of(code);
    return name === undefined ? [] : [wordsOf(fold(name)).join(' ')];
  });
}
