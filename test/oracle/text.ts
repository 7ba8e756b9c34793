/** B10's folding, slugs, Norwegian order and the textbook edit distance, for the oracle. */

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

/** B10: NFKD, combining marks dropped, lower case, and the letters that do not decompose. */
export function fold(text: string): string {
  const known = folded.get(text);
  if (known !== undefined) return known;
  const made = foldAnew(text);
  // Tags and names: the same few, asked for again and again.
  if (text.length < 50) folded.set(text, made);
  return made;
}

const folded = new Map<string, string>();

function foldAnew(text: string): string {
  const plain = text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  return [...plain].map((letter) => LETTERS[letter] ?? letter).join('');
}

/** B6: case- and accent-insensitive equality. */
export function foldsEqual(a: string, b: string): boolean {
  return fold(a) === fold(b);
}

/** B10: a word is a run of letters and digits. */
export function wordsOf(text: string): readonly string[] {
  return fold(text).match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** F6, G8: folded, everything but a–z and 0–9 is a hyphen, none at the ends, 80 characters at most. */
export function slugOf(text: string): string {
  const words = fold(text).match(/[a-z0-9]+/g) ?? [];
  return words.join('-').slice(0, 80).replace(/-$/, '');
}

/** Tags inside a line of text, which part no words; the random calendars and the sample have no others. */
const INLINE = /<\/?(?:a|b|em|i|span|strong)(?:\s[^>]*)?>/gi;

/** B10: a description as it is read: without its tags; `&amp;` is the only character reference that they have. */
export function stripMarkup(text: string): string {
  return text
    .replace(INLINE, '')
    .replace(/<[^>]*>/g, ' ')
    .replaceAll('&amp;', '&');
}

const NORWEGIAN = new Intl.Collator('nb');

/** C1, E: Norwegian alphabetical order of names, then id. */
export function byName(a: { name: string; id: string }, b: { name: string; id: string }): number {
  return NORWEGIAN.compare(a.name, b.name) || byCodePoint(a.id, b.id);
}

/** A8: by code point, which is not the order of JavaScript's 16-bit units. */
export function byCodePoint(a: string, b: string): number {
  const left = [...a].map((letter) => letter.codePointAt(0) ?? 0);
  const right = [...b].map((letter) => letter.codePointAt(0) ?? 0);
  const at = left.findIndex((point, index) => point !== right[index]);
  if (at === -1) return left.length - right.length;
  return (left[at] ?? -1) - (right[at] ?? -1);
}

/** B10: optimal string alignment: one step is a letter put in, left out, exchanged, or swapped with the next. */
export function editDistance(from: string, to: string): number {
  const a = [...from];
  const b = [...to];
  const d = ['', ...a].map((): number[] => []);
  const at = (i: number, j: number) => d[i]?.[j] ?? Number.POSITIVE_INFINITY;
  for (let i = 0; i <= a.length; i += 1) {
    for (let j = 0; j <= b.length; j += 1) {
      const choices = [i === 0 && j === 0 ? 0 : Number.POSITIVE_INFINITY];
      choices.push(at(i - 1, j) + 1, at(i, j - 1) + 1);
      choices.push(at(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1));
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (swapped) choices.push(at(i - 2, j - 2) + 1);
      d[i]?.push(Math.min(...choices));
    }
  }
  return at(a.length, b.length);
}
