/** The names of a licence's categories: which category a word names, and which one a mistyped word meant. */
import { codePointsOf, nameKey, slugOf, wordsOf } from '../../src/calendar/text.ts';
import { alignerOf } from '../../src/snapshot/lexicon.ts';
import { licenceSchema, type RawSubcategory } from './schemas.ts';

/** Ids of categories by each of their names, folded by `nameKey`. */
export type CategoryNames = Readonly<Record<string, string>>;

/** Empty for an invalid licence, which stops the build later. A name that several categories share means the first of the upper level. */
export function categoryNamesOf(licence: unknown): CategoryNames {
  const parsed = licenceSchema.safeParse(licence);
  if (!parsed.success) return {};
  const { categories, retiredCategories } = parsed.data;
  const children = categories.flatMap(({ subcategories }) => subcategories ?? []);
  const all = [...categories, ...children];
  const names = new Map<string, string>();
  const add = (name: string | null | undefined, id: string) => {
    const key = nameKey(name ?? '');
    if (key !== '' && !names.has(key)) names.set(key, id);
  };
  // An id takes precedence over names.
  for (const { id } of all) add(id, id);
  for (const id of Object.keys(retiredCategories ?? {})) add(id, id);
  for (const category of all) for (const name of labelsOf(category)) add(name, category.id);
  return Object.fromEntries(names);
}

function labelsOf({
  name_nb,
  name_en,
  slug_nb,
  slug_en,
}: RawSubcategory): readonly (string | null | undefined)[] {
  return [name_nb, name_en, slug_nb ?? slugOf(name_nb), slug_en ?? slugOf(name_en)];
}

/** The id of the category that a word probably meant; null for none. */
type Nearest = (word: string) => string | null;

/** Errors that a mistyped name may have; at most one for every three letters. */
const MOST_ERRORS = 3;
/** A longer word is not a mistyped name. */
const LONGEST_WORD = 100;
/** Distinct words that are compared; further ones are keywords, not mistyped names. */
const MOST_WORDS = 2_000;

/** Finds names with typing errors, else a name of several words that contains the word. */
export function createNearest(names: CategoryNames): Nearest {
  const known = Object.entries(names).map(([name, id]) => ({
    letters: codePointsOf(name),
    words: wordsOf(name),
    id,
  }));
  const found = new Map<string, string | null>();

  function find(key: string): string | null {
    const letters = codePointsOf(key);
    for (let errors = 0; errors <= Math.min(MOST_ERRORS, letters.length / 3); errors++) {
      const isWithin = alignerOf(letters, errors);
      const near = known.find((name) => isWithin(name.letters, 0, name.letters.length));
      if (near !== undefined) return near.id;
    }
    return known.find(({ words }) => words.includes(key))?.id ?? null;
  }

  return (word) => {
    const key = nameKey(word);
    if (key.length > LONGEST_WORD) return null;
    const before = found.get(key);
    if (before !== undefined || found.size >= MOST_WORDS) return before ?? null;
    const nearest = find(key);
    found.set(key, nearest);
    return nearest;
  };
}

/** The `expected` of a finding about a word that names no category. */
export function expectedCategory(nearest: string | null): string {
  return nearest === null ? A_CATEGORY : `${A_CATEGORY}; the nearest is ${JSON.stringify(nearest)}`;
}

const A_CATEGORY = 'a category of the licence';
