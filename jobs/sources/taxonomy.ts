/** A licence with the categories that feeds bring along. */
import { isObject } from '../../src/calendar/json.ts';
import type { RawEntry } from '../records.ts';

/** Ids that the licence has, or has retired (G4), stay what they are; new subcategories join their category. */
export function withCategories(licence: RawEntry, imported: readonly unknown[]): RawEntry {
  if (!isObject(licence.value) || imported.length === 0) return licence;
  const { categories, retiredCategories } = licence.value;
  if (!Array.isArray(categories)) return licence;
  const merged: unknown[] = [...categories];
  const taken = new Set(isObject(retiredCategories) ? Object.keys(retiredCategories) : []);
  for (const id of merged.flatMap((category) => [idOf(category), ...childrenOf(category).map(idOf)]))
    taken.add(id);

  function claim(category: unknown): boolean {
    const isNew = !taken.has(idOf(category));
    taken.add(idOf(category));
    return isNew;
  }

  for (const category of imported) {
    const place = merged.findIndex((known) => idOf(known) === idOf(category));
    const isNew = claim(category);
    const children = childrenOf(category).filter(claim);
    const known = merged[place];
    if (isNew && isObject(category)) merged.push({ ...category, subcategories: children });
    else if (isObject(known) && children.length > 0) {
      merged[place] = { ...known, subcategories: [...childrenOf(known), ...children] };
    }
  }
  return { ...licence, value: { ...licence.value, categories: merged } };
}

function idOf(category: unknown): string {
  return isObject(category) && typeof category.id === 'string' ? category.id : '';
}

function childrenOf(category: unknown): readonly unknown[] {
  return isObject(category) && Array.isArray(category.subcategories) ? category.subcategories : [];
}
