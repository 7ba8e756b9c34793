/**
 * Names by which people and programs call the values of filters: each table gives the values that a name stands for. A name that no value has
 * stands for itself, so that a hint (B14) gives the nearest known one. The tables are made once for each snapshot.
 */
import { shortened } from '../../calendar/display-text.ts';
import { addToGroup } from '../../calendar/groups.ts';
import { oncePer } from '../../calendar/once-per.ts';
import { nameKey } from '../../calendar/text.ts';
import type { Lists } from '../../snapshot/lists.ts';

/** Ids of categories. */
export const categoriesNamed = tableOf(({ categories }) =>
  categories.map(({ id, name_nb, name_en, name_nn, slug_nb, slug_en }) => ({
    value: id,
    names: [id, offered(id), name_nb, name_en, name_nn ?? name_nb, slug_nb, slug_en],
  })),
);

/** Slugs of venues. */
export const venuesNamed = tableOf(({ venues }) =>
  venues.map(({ slug, name, id }) => ({ value: slug, names: [slug, name, id] })),
);

/** Tags. The filter finds them in any spelling, so only those that `list_choices` shortens need a name. */
export const tagsNamed = tableOf(({ spellings }) => spellings.filter(isTooLong).map(shortenedName));

/** The same for municipalities. */
export const municipalitiesNamed = tableOf(({ venues }) => {
  const municipalities = venues.flatMap(({ municipality }) => municipality ?? []);
  return municipalities.filter(isTooLong).map(shortenedName);
});

/** A value as `list_choices` offers it: a long one is shortened, so that the list fits into an answer. */
export function offered(value: string): string {
  return shortened(value, LONGEST_OFFERED);
}

/** Characters. */
const LONGEST_OFFERED = 150;

function isTooLong(value: string): boolean {
  return value.length > LONGEST_OFFERED;
}

function shortenedName(value: string): NamedValue {
  return { value, names: [offered(value)] };
}

/** A value of a filter, and what it may be called. */
interface NamedValue {
  readonly value: string;
  readonly names: readonly string[];
}

/** The values of a name, in any spelling that `nameKey` folds. */
type ValuesNamed = (lists: Lists, name: string) => readonly string[];

function tableOf(namedValuesIn: (lists: Lists) => readonly NamedValue[]): ValuesNamed {
  const valuesByKey = oncePer((lists: Lists) => groupsOf(namedValuesIn(lists)));
  return (lists, name) => valuesByKey(lists).get(nameKey(name)) ?? [name];
}

function groupsOf(namedValues: readonly NamedValue[]): ReadonlyMap<string, readonly string[]> {
  const valuesByKey = new Map<string, string[]>();
  for (const { value, names } of namedValues) {
    const keys = new Set(names.map(nameKey));
    for (const key of keys) addToGroup(valuesByKey, key, value);
  }
  return valuesByKey;
}
