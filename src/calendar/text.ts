/** Text as search, slugs and Norwegian lists see it. Pure functions of strings. */

/**
 * Folds text for comparison (B10): compatibility decomposition, combining marks dropped, lower case, and the
 * letters that do not decompose spelled in plain ones (`Økland` and `okland` become the same).
 */
export function fold(text: string): string {
  if (PLAIN.test(text)) return text.toLowerCase();
  // Marks go first as well: normalising puts long runs of them in order, at a cost that grows with the square.
  return text
    .replace(COMBINING, '')
    .normalize('NFKD')
    .replace(COMBINING, '')
    .toLowerCase()
    .replace(SPECIAL, (letter) => LETTERS[letter] ?? letter);
}

/** ASCII needs nothing but lower case; most text is ASCII, and this is several times cheaper. */
const PLAIN = /^[\0-\x7f]*$/;
const COMBINING = /\p{M}+/gu;
const SPECIAL = /[æøåðþđłßœ]/g;
const LETTERS: Readonly<Record<string, string>> = {
  æ: 'ae',
  ø: 'o',
  å: 'a',
  ð: 'd',
  þ: 'th',
  đ: 'd',
  ł: 'l',
  ß: 'ss',
  œ: 'oe',
};

/** What names and addresses are compared by: folded, one blank between words. */
export function nameKey(text: string): string {
  return fold(text).replace(/\s+/g, ' ').trim();
}

/** G8 */
export const LONGEST_SLUG = 80;

/** What a slug is, for reports. */
export const SLUG_FORM = `at most ${LONGEST_SLUG} characters of a-z, 0-9 and "-"`;
const SLUG = /^[a-z0-9-]{1,80}$/;

/** G8: somebody's own slug, or what it becomes when it is not one. May be empty. */
export function readSlug(text: string): string {
  return SLUG.test(text) ? text : slugOf(text);
}

/**
 * A URL path segment made of a title: folded, runs of anything but a–z and 0–9 become one hyphen, and so much of it as a slug
 * may be long. May be empty.
 */
export function slugOf(text: string): string {
  return fold(text)
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-/, '')
    .slice(0, LONGEST_SLUG)
    .replace(/-$/, '');
}

const norwegian = new Intl.Collator('nb');

/** Norwegian alphabetical order (æ ø å last). Equal names need a tie-break of their own: see `byNameThenId`. */
export function compareNorwegian(left: string, right: string): number {
  return norwegian.compare(left, right);
}

/** Order by code point, which is also the order of the UTF-8 bytes. `<` compares UTF-16 units and differs above U+FFFF. */
export function compareCodePoints(left: string, right: string): number {
  const length = Math.min(left.length, right.length);
  for (let at = 0; at < length; at++) {
    const a = left.charCodeAt(at);
    const b = right.charCodeAt(at);
    if (a !== b) return aboveSurrogates(a) - aboveSurrogates(b);
  }
  return left.length - right.length;
}

/** The same order for these texts, by the engine's own comparison where that gives it: several times faster to sort by. */
export function codePointOrder(texts: readonly string[]): (left: string, right: string) => number {
  if (texts.some((text) => FROM_SURROGATES_UP.test(text))) return compareCodePoints;
  return (left, right) => (left < right ? -1 : left > right ? 1 : 0);
}

const FROM_SURROGATES_UP = /[\ud800-\uffff]/;

/** Puts surrogates (which stand for U+10000 and up) behind U+E000–U+FFFF. */
function aboveSurrogates(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}

/** C1: entities with the same number of hits stand in Norwegian alphabetical order of their name, then by id. */
export function byNameThenId(left: Named, right: Named): number {
  return compareNorwegian(left.name, right.name) || compareCodePoints(left.id, right.id);
}

interface Named {
  readonly id: string;
  readonly name: string;
}
