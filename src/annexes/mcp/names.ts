/**
 * Values of filters by the names that people use for them, folded once for each snapshot. An unknown name is left unchanged, so that a hint
 * (B14) gives the nearest known one.
 */
import { shortened } from '../../calendar/display-text.ts';
import { addToGroup } from '../../calendar/groups.ts';
import { oncePer } from '../../calendar/once-per.ts';
import { nameKey } from '../../calendar/text.ts';
import type { Lists } from '../../snapshot/lists.ts';

/** Ids of categories by id, label and slug. */
export const categoriesNamed = lookup(({ categories }) =>
  categories.map(({ id, name_nb, name_en, name_nn, slug_nb, slug_en }) => [
    id,
    id,
    offered(id),
    name_nb,
    name_en,
    name_nn ?? name_nb,
    slug_nb,
    slug_en,
  ]),
);

/** Slugs of venues by slug, name and id. */
export const venuesNamed = lookup(({ venues }) => venues.map(({ slug, name, id }) => [slug, slug, name, id]));

/** A value as `list_choices` offers it: none is too long for an answer. */
export const offered = (value: string): string => shortened(value, LONGEST_OFFERED);

const LONGEST_OFFERED = 150;

const isCut = (value: string): boolean => value.length > LONGEST_OFFERED;

/** Long tags, by the shortened form that `list_choices` offers. */
export const tagsNamed = lookup(({ spellings }) => spellings.filter(isCut).map((tag) => [tag, offered(tag)]));

/** The same for municipalities. */
export const municipalitiesNamed = lookup(({ venues }) =>
  venues.flatMap(({ municipality }) =>
    municipality !== null && isCut(municipality) ? [[municipality, offered(municipality)]] : [],
  ),
);

type NamedValue = readonly [value: string, ...names: string[]];

/** The values of a name. */
type ValuesNamed = (lists: Lists, name: string) => readonly string[];

function lookup(entriesOf: (lists: Lists) => readonly NamedValue[]): ValuesNamed {
  const valuesByName = oncePer((lists: Lists) => groupsOf(entriesOf(lists)));
  return (lists, name) => valuesByName(lists).get(nameKey(name)) ?? [name];
}

function groupsOf(entries: readonly NamedValue[]): ReadonlyMap<string, readonly string[]> {
  const byName = new Map<string, string[]>();
  for (const [value, ...names] of entries) {
    for (const key of new Set(names.map(nameKey))) addToGroup(byName, key, value);
  }
  return byName;
}
