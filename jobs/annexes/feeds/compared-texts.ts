/**
 * F11: the forms in which names and addresses of places are compared. The place `Café Løkka, Storsalen` at `Dokkgt. 8, 7042 Trondheim, Norge`
 * gives:
 *
 *     form              result                                     for
 *     comparedName      `cafe lokka storsalen`                     a whole name, looked up among aliases (aliases.ts)
 *     comparedHouse     `cafe lokka`                               venues that may be one (same-place.ts)
 *     comparedText      of the address:                            texts that may be a name, an address or both: aliases and
 *                       `dokkgate 8 7042 trondheim`                their beginnings (aliases.ts), municipalities (same-place.ts)
 *     comparedAddress   `dokkgate 8`, `7042` and `trondheim`       two addresses (same-place.ts)
 *     whereaboutsOf     `dokkgate 8` and `trondheim` as a set      an address and a text without some of its parts (whereabouts.ts)
 *
 * Ids of places are made of other forms, which may not change: `nameKey`, and `townKey` (venue-ids.ts).
 */
import { wordsOf } from '../../../src/calendar/search-term.ts';
import { fold } from '../../../src/calendar/text.ts';
import { isNamedStreet, MOST_PARTS, streetWord, withoutCountry } from '../../addresses.ts';

/** Folded words: `Café Løkka` and `CAFE LØKKA!` are the same name. A name of signs alone is folded. Empty for a value that is no text. */
export function comparedName(name: unknown): string {
  const folded = fold(textOrBlank(name));
  return wordsOf(folded).join(' ') || folded.trim();
}

/** The same without rooms: of `houseName`. */
export function comparedHouse(name: unknown): string {
  return comparedName(houseName(name));
}

/** The part of a name before the first comma, as written: rooms follow it. */
export function houseName(name: unknown): string {
  return textOrBlank(name).split(',', 1).join('');
}

/** Folded words without the country, and with one spelling for each kind of street (`streetWord`). */
export function comparedText(text: string): string {
  return wordsOf(withoutCountry(fold(text)))
    .map(streetWord)
    .join(' ');
}

/** Empty for a value that is no text. */
export function textOrBlank(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The parts of an address, each in the form of `comparedText`. */
export interface ComparedAddress {
  /** The text before the postal code; the street, if there is one. */
  readonly street: string;
  readonly postalCode: string | null;
  /** The text after it. */
  readonly town: string;
}

/** Null for a place without an address. `code`: the postal code that is given apart from it. */
export function comparedAddress(written: string, code: string): ComparedAddress | null {
  const words = wordsOf(
    withoutCountry(fold(written))
      // Numbers with their letter, and codes with their country, are one word: `19 B`, `N-7013`.
      .replace(/(?<=\d)\s+(?=[a-z](?![a-z0-9]))/g, '')
      .replace(/(?<![a-z0-9])no?-?(?=\d{4}(?!\d))/g, ''),
  ).map(streetWord);
  if (words.length === 0) return null;
  const [givenCode = null] = wordsOf(code);
  const index = words.findLastIndex((word, position) => /^\d{4}$/.test(word) && position > 0);
  if (index === -1) return { street: words.join(' '), postalCode: givenCode, town: '' };
  return {
    street: words.slice(0, index).join(' '),
    postalCode: words[index] ?? null,
    town: words.slice(index + 1).join(' '),
  };
}

/** The same street, without different postal codes or towns; or all of it is the same. */
export function isSameAddress(left: ComparedAddress, right: ComparedAddress): boolean {
  if (left.postalCode !== null && right.postalCode !== null && left.postalCode !== right.postalCode)
    return false;
  if (left.street !== '' && left.street === right.street)
    return left.town === '' || right.town === '' || left.town === right.town;
  const whole = (address: ComparedAddress) => `${address.street} ${address.town}`.trim();
  return whole(left) === whole(right);
}

interface SplitAddress {
  readonly rooms: string;
  readonly address: string;
}

/**
 * The rooms in an address, and the address without them. Rooms stand before the first part with a number or a street, which is looked for in
 * the first parts only (MOST_PARTS).
 */
export function withoutRooms(text: string): SplitAddress {
  const parts = text.split(',', MOST_PARTS);
  const index = parts.findIndex((part) => /\d/.test(part) || isNamedStreet(fold(part).trim()));
  if (index === -1) return { rooms: text, address: '' };
  const rooms = parts.slice(0, index).join(',');
  return { rooms, address: text.slice(rooms.length) };
}
