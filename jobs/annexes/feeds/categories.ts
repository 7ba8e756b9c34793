/** Sorts the category names of a feed's entry into categories of the licence, accessibility features, and tags. */
import { accessibilityNamed } from '../../../src/annexes/common/accessibility.ts';
import type { Accessibility } from '../../../src/calendar/accessibility.ts';
import { unlessEmpty } from '../../../src/calendar/groups.ts';
import { nameKey } from '../../../src/calendar/text.ts';
import { createNearestId } from '../../validate/unknown-fields.ts';
import type { Feed } from './config.ts';

/** Lists, undefined if they are empty, so that the feed's defaults apply. */
export interface CategoryFields {
  readonly categories: readonly string[] | undefined;
  readonly tags: readonly string[] | undefined;
  /** E6: names of accessibility features. */
  readonly accessibility: readonly Accessibility[] | undefined;
}

/** G2: a name that should have been that of a category, and became a tag. */
export interface UnnamedCategory {
  readonly word: string;
  /** The category's id, or the word of the feed's map, that was probably meant. */
  readonly nearest: string | null;
}

interface SortedNames {
  readonly fields: CategoryFields;
  /** For findings: the names that became tags. */
  readonly unnamed: readonly UnnamedCategory[];
}

export interface Categories {
  /** Names that the feed's map or the licence knows become the licence's ids; other names become tags. Each appears once. */
  readonly sortNames: (names: readonly string[]) => SortedNames;
  /** Translates ids of an endpoint by the feed's map. Those that it lacks are unchanged. */
  readonly translate: (ids: readonly string[]) => readonly string[];
}

/** `map`: ids by the names that the feed uses; `categoryNames`: ids by the names of the licence, which `map` outweighs. */
export function createCategories({
  map,
  categoryNames = {},
}: Pick<Feed, 'map' | 'categoryNames'>): Categories {
  const ofLicence = Object.entries(categoryNames).map(([name, id]) => [name, [id]] as const);
  const mapped = new Map(Object.entries(map).map(([word, ids]) => [nameKey(word), [ids].flat()]));
  const idsByName = new Map<string, readonly string[]>([...ofLicence, ...mapped]);
  const words = Object.keys(map).map((word) => [nameKey(word), word] as const);
  const nearest = createNearestId(Object.entries({ ...categoryNames, ...Object.fromEntries(words) }));

  function sortNames(names: readonly string[]): SortedNames {
    const categories = new Set<string>();
    const tags = new Set<string>();
    const accessibility = new Set<Accessibility>();
    for (const name of names) {
      const ids = idsByName.get(nameKey(name));
      const feature = accessibilityNamed(name);
      if (ids === undefined && feature !== undefined) accessibility.add(feature);
      else if (ids === undefined) tags.add(name);
      for (const id of ids ?? []) categories.add(id);
    }
    const fields = {
      categories: unlessEmpty([...categories]),
      tags: unlessEmpty([...tags]),
      accessibility: unlessEmpty([...accessibility]),
    };
    return { fields, unnamed: [...tags].map((word) => ({ word, nearest: nearest(word) })) };
  }

  function translate(ids: readonly string[]): readonly string[] {
    return [...new Set(ids.flatMap((id) => mapped.get(nameKey(id)) ?? [id]))];
  }

  return { sortNames, translate };
}
