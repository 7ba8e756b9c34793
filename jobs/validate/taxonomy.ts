/** The categories of a licence (F1), with the retired ones and their replacements (G4). */
import { type Category, NO_PARENT } from '../../src/calendar/model.ts';
import { withNearest } from '../../src/calendar/nearest.ts';
import { nameKey, slugOf } from '../../src/calendar/text.ts';
import { publicFault } from '../findings.ts';
import { addFinding, type Subject } from './entry-findings.ts';
import type { Path } from './salvage.ts';
import { licenceSchema, type RawLicence, type RawSubcategory } from './schemas.ts';
import { nonBlank, shortLine, slug } from './texts.ts';
import { createNearestId } from './unknown-fields.ts';

/** The licence's categories, and the replacements of retired ones (G4). */
export interface Taxonomy {
  /** In the licence's order, children after their parent. */
  readonly categories: readonly Category[];
  readonly retired: readonly string[];
  /** An event's categories: retired ones replaced, unknown and repeated ones dropped, each of them reported. */
  readonly migrate: (ids: readonly string[], event: Subject) => readonly string[];
}

/** Throws INVALID_SOURCE for ids with two meanings. */
export function createTaxonomy(licence: RawLicence, subject: Subject): Taxonomy {
  const { file } = subject.origin;
  const categories = categoriesOf(licence, subject);
  const current = currentIds(categories, file);
  const replacements = replacementsOf(licence, current, subject);
  const nearest = createNearestId(Object.entries(categoryNamesOf(licence)));

  function migrate(ids: readonly string[], event: Subject): readonly string[] {
    const seen = new Set<string>();
    const migrated = new Set<string>();
    for (const [index, id] of ids.entries()) {
      const at = ['categories', index];
      const successors = replacements.get(id);
      const drop = (expected: string) => addFinding(event, 'dropped reference', { at, expected, found: id });
      if (seen.has(id)) drop('each category once');
      else if (current.has(id)) migrated.add(id);
      else if (successors === undefined) drop(`${withNearest(A_CATEGORY, nearest(id))} ${IF_RETIRED}`);
      else if (successors.length === 0) drop(WITHOUT_SUCCESSOR);
      else {
        const expected = `${successors.map((to) => JSON.stringify(to)).join(' and ')} in its place`;
        addFinding(event, 'migrated category', { at, expected, found: id });
        for (const to of successors) migrated.add(to);
      }
      seen.add(id);
    }
    return [...migrated];
  }

  return { categories, retired: [...replacements.keys()], migrate };
}

const IF_RETIRED = '(for a retired one, name its replacements in retiredCategories)';
const WITHOUT_SUCCESSOR =
  'a category of the licence (this one is retired, and no existing category replaces it)';

function categoriesOf({ categories }: RawLicence, subject: Subject): readonly Category[] {
  const list: Category[] = [];
  for (const [index, category] of categories.entries()) {
    const at = ['categories', index];
    const parent = list.push(categoryOf(category, at, subject)) - 1;
    for (const [child, subcategory] of (category.subcategories ?? []).entries())
      list.push({ ...categoryOf(subcategory, [...at, 'subcategories', child], subject), parent });
  }
  return list;
}

function categoryOf(raw: RawSubcategory, at: Path, subject: Subject): Category {
  const name_nb = shortLine(raw.name_nb, [...at, 'name_nb'], subject) ?? '';
  const name_en = shortLine(raw.name_en, [...at, 'name_en'], subject) ?? '';
  return {
    id: raw.id,
    name_nb,
    name_en,
    name_nn: nonBlank(shortLine(raw.name_nn, [...at, 'name_nn'], subject)),
    slug_nb: slug(raw.slug_nb, [...at, 'slug_nb'], subject) ?? slugOf(name_nb),
    slug_en: slug(raw.slug_en, [...at, 'slug_en'], subject) ?? slugOf(name_en),
    visible: raw.visible ?? true,
    parent: NO_PARENT,
  };
}

/** Throws INVALID_SOURCE if two categories have the same id. */
function currentIds(categories: readonly Category[], file: string): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const { id } of categories) {
    if (ids.has(id))
      throw publicFault(file, `categories: expected each id once, found ${JSON.stringify(id)} twice`);
    ids.add(id);
  }
  return ids;
}

/** For each retired id, the current ids that finally replace it: a replacement may have been retired later. Throws INVALID_SOURCE for an id that is both. */
function replacementsOf(
  { retiredCategories }: RawLicence,
  current: ReadonlySet<string>,
  subject: Subject,
): ReadonlyMap<string, readonly string[]> {
  const listed = new Map(Object.entries(retiredCategories ?? {}));
  for (const [id, replacing] of listed) {
    if (current.has(id)) {
      const found = `found ${JSON.stringify(id)} in both categories and retiredCategories`;
      const advice = 'a retired id is never used again, so give the category a new one';
      const expected = 'expected a category to be either current or retired';
      throw publicFault(subject.origin.file, `${expected}, ${found}; ${advice}`);
    }
    for (const [index, to] of replacing.entries()) {
      if (current.has(to) || listed.has(to)) continue;
      const at = ['retiredCategories', id, index];
      addFinding(subject, 'dropped reference', { at, expected: A_CATEGORY, found: to });
    }
  }

  function follow(id: string, passed: Set<string>): readonly string[] {
    if (current.has(id)) return [id];
    if (passed.has(id)) return [];
    passed.add(id);
    return (listed.get(id) ?? []).flatMap((to) => follow(to, passed));
  }

  return new Map([...listed.keys()].map((id) => [id, [...new Set(follow(id, new Set()))]]));
}

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
  const add = (name: string, id: string) => {
    const key = nameKey(name);
    if (key !== '' && !names.has(key)) names.set(key, id);
  };
  // An id takes precedence over names.
  for (const { id } of all) add(id, id);
  for (const id of Object.keys(retiredCategories ?? {})) add(id, id);
  for (const category of all) for (const name of labelsOf(category)) add(name, category.id);
  return Object.fromEntries(names);
}

/** The names by which feeds may call a category. */
function labelsOf({ name_nb, name_en, name_nn, ...slugs }: RawSubcategory): readonly string[] {
  return [
    name_nb,
    name_en,
    name_nn ?? '',
    slugs.slug_nb ?? slugOf(name_nb),
    slugs.slug_en ?? slugOf(name_en),
  ];
}

export const A_CATEGORY = 'a category of the licence';
