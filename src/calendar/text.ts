/** Texts as keys: folded for comparison (B10), as slugs (G8), and in order (C1). Build and server share them. */

/**
 * Folds text for comparison (B10): compatibility decomposition, no combining marks, lower case, and plain letters for those that do not
 * decompose (`Økland` and `okland` become the same).
 */
export function fold(text: string): string {
  if (PLAIN.test(text)) return text.toLowerCase();
  // Marks are also removed first: normalising sorts long runs of them, in quadratic time.
  return text
    .replace(COMBINING, '')
    .normalize('NFKD')
    .replace(COMBINING, '')
    .toLowerCase()
    .replace(SPECIAL, (letter) => LETTERS[letter] ?? letter);
}

/** ASCII only needs lower case; most text is ASCII, and this is several times cheaper. */
const PLAIN = /^[\0-\x7f]*$/;
const COMBINING = /\p{M}+/gu;
const SPECIAL = /[æøðþđłßœ]/g;
const LETTERS: Readonly<Record<string, string>> = {
  æ: 'ae',
  ø: 'o',
  ð: 'd',
  þ: 'th',
  đ: 'd',
  ł: 'l',
  ß: 'ss',
  œ: 'oe',
};

/** The form in which names and addresses are compared: folded, one blank between words. */
export function nameKey(text: string): string {
  return fold(text).replace(/\s+/g, ' ').trim();
}

/** Characters of a slug (G8). */
export const LONGEST_SLUG = 80;

/** The description of a slug, for reports. */
export const SLUG_FORM = `at most ${LONGEST_SLUG} characters of a-z, 0-9 and "-"`;
const SLUG = new RegExp(`^[a-z0-9-]{1,${LONGEST_SLUG}}$`);

/** G8: the source's slug if it is valid, else one made from it. May be empty. */
export function readSlug(text: string): string {
  return SLUG.test(text) ? text : slugOf(text);
}

/**
 * A URL path segment made from a title: folded, with a hyphen for each run of characters other than a–z and 0–9, cut to LONGEST_SLUG. May
 * be empty.
 */
export function slugOf(text: string): string {
  return fold(text)
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-/, '')
    .slice(0, LONGEST_SLUG)
    .replace(/-$/, '');
}

/** Made when it is needed: it takes 9 ms, and most processes compare no names. */
let norwegian: Intl.Collator | undefined;

/** Norwegian alphabetical order (æ ø å last). For equal names see `byNameThenId`. */
export function compareNorwegian(left: string, right: string): number {
  norwegian ??= new Intl.Collator('nb');
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

/** Orders surrogates (U+10000 and up) after U+E000–U+FFFF. */
function aboveSurrogates(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}

/** C1: entities with the same number of hits are in Norwegian alphabetical order of their name, then by id. */
export function byNameThenId(left: Named, right: Named): number {
  return compareNorwegian(left.name, right.name) || compareCodePoints(left.id, right.id);
}

interface Named {
  readonly id: string;
  readonly name: string;
}
