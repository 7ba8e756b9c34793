/** Categories of feeds that are added to those of the licence (`"categories": "import"`). */
import { isObject } from '../../../src/calendar/json.ts';
import type { RawEntry } from '../../source/source.ts';

/**
 * The licence with these categories. Those whose ids the licence has, or has retired (G4), are unchanged; new subcategories are added to their
 * category. `imported`: records of feeds, in the order of the feeds; the first with an id counts.
 */
export function withCategories(licence: RawEntry, imported: readonly unknown[]): RawEntry {
  if (!isObject(licence.value) || imported.length === 0) return licence;
  const { categories, retiredCategories } = licence.value;
  if (!Array.isArray(categories)) return licence;
  const usedIds = createUsedIds([...idsIn(categories), ...retiredIds(retiredCategories)]);
  const merged: unknown[] = [...categories];
  const indexById = firstIndexes(merged);
  for (const category of imported) {
    const id = idOf(category);
    const index = indexById.get(id);
    const existing = index === undefined ? undefined : merged[index];
    const isNew = usedIds.addNew([category]).length > 0;
    const children = usedIds.addNew(childrenOf(category));
    if (isNew && isObject(category)) {
      indexById.set(id, merged.length);
      merged.push({ ...category, subcategories: children });
    } else if (index !== undefined && isObject(existing)) {
      merged[index] = { ...existing, subcategories: [...childrenOf(existing), ...children] };
    }
  }
  return { ...licence, value: { ...licence.value, categories: merged } };
}

interface UsedIds {
  /** Adds the ids of these categories. Returns the categories whose ids are new. */
  readonly addNew: (categories: readonly unknown[]) => readonly unknown[];
}

function createUsedIds(ids: readonly string[]): UsedIds {
  const used = new Set(ids);

  function addNew(categories: readonly unknown[]): readonly unknown[] {
    const added: unknown[] = [];
    for (const category of categories) {
      if (!used.has(idOf(category))) added.push(category);
      used.add(idOf(category));
    }
    return added;
  }

  return { addNew };
}

/** The index of the first category with each id. */
function firstIndexes(categories: readonly unknown[]): Map<string, number> {
  const indexById = new Map<string, number>();
  for (const [index, category] of categories.entries())
    if (!indexById.has(idOf(category))) indexById.set(idOf(category), index);
  return indexById;
}

/** With those of subcategories. */
function idsIn(categories: readonly unknown[]): readonly string[] {
  return categories.flatMap((category) => [category, ...childrenOf(category)].map(idOf));
}

function retiredIds(retiredCategories: unknown): readonly string[] {
  return isObject(retiredCategories) ? Object.keys(retiredCategories) : [];
}

/** Empty without one. */
function idOf(category: unknown): string {
  return isObject(category) && typeof category.id === 'string' ? category.id : '';
}

function childrenOf(category: unknown): readonly unknown[] {
  return isObject(category) && Array.isArray(category.subcategories) ? category.subcategories : [];
}
