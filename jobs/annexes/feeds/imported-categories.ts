/** Categories of feeds that are added to those of the licence (`"categories": "import"`). */
import { isObject } from '../../../src/calendar/json.ts';
import type { RawEntry } from '../../records.ts';

/** Categories whose ids the licence has, or has retired (G4), are unchanged; new subcategories are added to their category. */
export function withCategories(licence: RawEntry, imported: readonly unknown[]): RawEntry {
  if (!isObject(licence.value) || imported.length === 0) return licence;
  const { categories, retiredCategories } = licence.value;
  if (!Array.isArray(categories)) return licence;
  const merged: unknown[] = [...categories];
  // The first of several categories with one id counts.
  const indexes = new Map(merged.map((category, index) => [idOf(category), index] as const).reverse());
  const claim = createClaims([...idsIn(categories), ...retiredIds(retiredCategories)]);

  for (const category of imported) {
    const index = indexes.get(idOf(category));
    const isNew = claim(category);
    const children = childrenOf(category).filter(claim);
    const existing = index === undefined ? undefined : merged[index];
    if (isNew && isObject(category)) {
      indexes.set(idOf(category), merged.length);
      merged.push({ ...category, subcategories: children });
    } else if (index !== undefined && isObject(existing))
      merged[index] = { ...existing, subcategories: [...childrenOf(existing), ...children] };
  }
  return { ...licence, value: { ...licence.value, categories: merged } };
}

/** Creates the function that takes a category's id. It returns false if the id was taken before. */
function createClaims(ids: readonly string[]): (category: unknown) => boolean {
  const taken = new Set(ids);
  return (category) => {
    const isNew = !taken.has(idOf(category));
    taken.add(idOf(category));
    return isNew;
  };
}

function idsIn(categories: readonly unknown[]): readonly string[] {
  return categories.flatMap((category) => [category, ...childrenOf(category)].map(idOf));
}

function retiredIds(retiredCategories: unknown): readonly string[] {
  return isObject(retiredCategories) ? Object.keys(retiredCategories) : [];
}

function idOf(category: unknown): string {
  return isObject(category) && typeof category.id === 'string' ? category.id : '';
}

function childrenOf(category: unknown): readonly unknown[] {
  return isObject(category) && Array.isArray(category.subcategories) ? category.subcategories : [];
}
