/** Names of countries, as they stand at the end of addresses. */
import { wordsOf } from '../../src/calendar/search-term.ts';
import { fold } from '../../src/calendar/text.ts';

/** Whether the last part of an address, or its last words, are another country than Norway. */
export function namesOtherCountry(address: string): boolean {
  const names = otherCountries();
  const parts = address.split(/[,\n;]/);
  const lastWords = wordsOf(fold(parts.slice(-MOST_PARTS).join(' , ')));
  const endings = WORD_COUNTS.map((count) => lastWords.slice(-count).join(' '));
  const wholeParts = parts.map((part) => wordsOf(fold(part)).join(' '));
  return [...endings, ...wholeParts].some((text) => names.has(text));
}

/** The numbers of words that the name of a country may have. */
const WORD_COUNTS = [1, 2, 3, 4];

/** Parts of an address from the town on: at most a region and the country follow it. */
const MOST_PARTS = 3;

const LETTERS = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];

/** Made once, when the first address may name a country: it takes 70 ms, and most builds never need it. */
let cachedCountries: ReadonlySet<string> | undefined;

/** Names in English, Norwegian and the languages of the neighbours, as folded words. */
function otherCountries(): ReadonlySet<string> {
  cachedCountries ??= new Set([...LANGUAGES.flatMap(namesIn), ...FURTHER_NAMES]);
  return cachedCountries;
}

const LANGUAGES = ['en', 'nb', 'nn', 'sv', 'da', 'fi', 'de'];
const FURTHER_NAMES = [
  'usa',
  'us',
  'u s a',
  'uk',
  'u k',
  'england',
  'scotland',
  'wales',
  'holland',
  'the netherlands',
];

/** Svalbard and Bouvet Island are Norwegian; `ZZ` is no country. */
const NO_OTHER_COUNTRIES = ['NO', 'SJ', 'BV', 'ZZ'];

function namesIn(language: string): readonly string[] {
  const names = new Intl.DisplayNames([language], { type: 'region', fallback: 'none' });
  const codes = LETTERS.flatMap((first) => LETTERS.map((second) => `${first}${second}`));
  return codes.flatMap((code) => {
    const name = NO_OTHER_COUNTRIES.includes(code) ? undefined : names.of(code);
    return name === undefined ? [] : [wordsOf(fold(name)).join(' ')];
  });
}
