/** What a feed calls its categories, and what the licence calls them. */
import { fold } from '../../src/calendar/text.ts';
import type { Feed } from '../feeds/config.ts';

export interface Categories {
  /** Names that the feed's map knows become the licence's ids; the rest are keywords. Each once. */
  readonly sort: (names: readonly string[]) => CategoryFields;
  /** The same for ids of an endpoint: those that the map does not know stay as they are. */
  readonly translate: (ids: readonly string[]) => readonly string[];
}

/** Left out when empty, so that the feed's defaults can take their place. */
export interface CategoryFields {
  readonly categories?: readonly string[];
  readonly tags?: readonly string[];
}

export function createCategories(map: Feed['map']): Categories {
  const known = new Map(
    Object.entries(map).map(([name, ids]) => [keyOf(name), typeof ids === 'string' ? [ids] : ids]),
  );

  function sort(names: readonly string[]): CategoryFields {
    const categories = new Set<string>();
    const tags = new Set<string>();
    for (const name of names) {
      const ids = known.get(keyOf(name));
      if (ids === undefined) tags.add(name);
      for (const id of ids ?? []) categories.add(id);
    }
    return {
      ...(categories.size === 0 ? {} : { categories: [...categories] }),
      ...(tags.size === 0 ? {} : { tags: [...tags] }),
    };
  }

  function translate(ids: readonly string[]): readonly string[] {
    return [...new Set(ids.flatMap((id) => known.get(keyOf(id)) ?? [id]))];
  }

  return { sort, translate };
}

function keyOf(name: string): string {
  return fold(name).replace(/\s+/g, ' ').trim();
}
