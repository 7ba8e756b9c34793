/**
 * Facets: the number of nodes in a set for each venue, organizer and category (C1, C2), and for values that no directory lists (C4): days,
 * municipalities and tags.
 */
import { LRUCache } from 'lru-cache';
import { ACCESSIBILITY, type Accessibility } from '../../calendar/accessibility.ts';
import { compareCodePoints, fold } from '../../calendar/text.ts';
import { formatDay } from '../../calendar/time.ts';
import { type Bitmap, countBetween, countCommon, hasBit } from '../../snapshot/bitmaps.ts';
import { type Columns, listAt } from '../../snapshot/columns.ts';
import { rowsFlagged } from '../../snapshot/flags.ts';
import type { Lists } from '../../snapshot/lists.ts';
import type { Directory } from './directory.ts';
import { countEntities, countList, countTags, type FacetCounts, type FacetKind } from './facet-counts.ts';

export type Entity<Kind extends FacetKind> = Directory[Kind][number];

export interface EntityHits<Kind extends FacetKind> {
  readonly ordinal: number;
  readonly entity: Entity<Kind>;
  readonly hits: number;
}

interface DayHits {
  /** `YYYY-MM-DD` in Norway. */
  readonly day: string;
  readonly hits: number;
}

interface MunicipalityHits {
  readonly number: string | null;
  readonly name: string;
  readonly hits: number;
}

interface TagHits {
  readonly tag: string;
  readonly hits: number;
}

interface AccessibilityHits {
  readonly value: Accessibility;
  readonly hits: number;
}

export interface Facets {
  /** Counts over the given rows. */
  readonly count: (rows: Bitmap) => FacetCounts;
  /** Entities with at least one hit: most hits first, then by Norwegian name and id (C1). */
  readonly entities: <Kind extends FacetKind>(counts: FacetCounts, kind: Kind) => readonly EntityHits<Kind>[];
  /** JSON of a kind's entities for one selection of their fields, by ordinal: the writer fills in missing ones. */
  readonly textsFor: (kind: FacetKind, selection: string) => (string | undefined)[];
  /** Chronological. */
  readonly days: (rows: Bitmap) => readonly DayHits[];
  /** Most hits first, then by Norwegian name and number. */
  readonly municipalities: (counts: FacetCounts) => readonly MunicipalityHits[];
  /** Most hits first, then in Norwegian alphabetical order. */
  readonly tags: (rows: Bitmap) => readonly TagHits[];
  /** Most hits first, then in the interface's order. */
  readonly accessibilities: (rows: Bitmap) => readonly AccessibilityHits[];
}

export function createFacets(columns: Columns, lists: Lists, directory: Directory): Facets {
  return {
    ...createEntityFacets(columns, directory),
    days: createDayFacets(columns),
    municipalities: createMunicipalityFacets(directory),
    tags: createTagFacets(columns, lists),
    accessibilities: createAccessibilityFacets(columns),
  };
}

interface Hits {
  readonly hits: number;
}

/** Most hits first. Sorting is stable: equals keep their order. */
const byHits = (left: Hits, right: Hits): number => right.hits - left.hits;

/** UTF-16 units of an entity's JSON that is cached. */
export const LONGEST_TEXT = 250;
/** Bytes of such texts, if all have this length. */
const TEXT_BYTES = 4_000_000;
/** Bytes that a text takes besides its characters. */
const ENTRY_BYTES = 50;

function createEntityFacets(
  columns: Columns,
  directory: Directory,
): Pick<Facets, 'count' | 'entities' | 'textsFor'> {
  const { venues, organizers } = directory;
  const ordered: FacetCounts = {
    venues: alphabetical(venues.length),
    organizers: alphabetical(organizers.length),
    categories: directory.categoryOrder,
  };
  const texts = new LRUCache<string, (string | undefined)[]>({ maxSize: TEXT_BYTES });
  return {
    textsFor: (kind, selection) => {
      const cached = texts.get(selection);
      if (cached !== undefined) return cached;
      const { length } = directory[kind];
      const made = new Array<string | undefined>(length);
      texts.set(selection, made, { size: selection.length + length * (LONGEST_TEXT + ENTRY_BYTES) });
      return made;
    },
    count: (rows) => countEntities(columns, rows),
    entities: (counts, kind) =>
      rankEntities({ entities: directory[kind], counts: counts[kind], ordered: ordered[kind] }),
  };
}

const alphabetical = (length: number) => Int32Array.from({ length }, (_, ordinal) => ordinal);

interface Ranked<Kind extends FacetKind> {
  readonly entities: readonly Entity<Kind>[];
  readonly counts: Int32Array;
  /** The ordinals in the order of equals. */
  readonly ordered: Int32Array;
}

/** A counting sort by the number of hits, which takes half the time of a sort of numbers. */
function rankEntities<Kind extends FacetKind>({
  entities,
  counts,
  ordered,
}: Ranked<Kind>): readonly EntityHits<Kind>[] {
  let most = 0;
  for (let ordinal = 0; ordinal < counts.length; ordinal++) most = Math.max(most, counts[ordinal] as number);
  const index = new Int32Array(most + 1);
  for (let ordinal = 0; ordinal < counts.length; ordinal++) {
    const hits = counts[ordinal] as number;
    index[hits] = (index[hits] as number) + 1;
  }
  // From how many entities have these hits to how many have more: the index of the first of these.
  let found = 0;
  for (let hits = most; hits > 0; hits--) {
    found += index[hits] as number;
    index[hits] = found - (index[hits] as number);
  }
  const ranked = new Array<EntityHits<Kind>>(found);
  for (let nth = 0; nth < ordered.length; nth++) {
    const ordinal = ordered[nth] as number;
    const hits = counts[ordinal] as number;
    if (hits === 0) continue;
    const rank = index[hits] as number;
    index[hits] = rank + 1;
    ranked[rank] = { ordinal, entity: entities[ordinal] as Entity<Kind>, hits };
  }
  return ranked;
}

/** The rows of one day. */
interface DayRun {
  readonly day: string;
  /** Its first row; its last one is before the next run. */
  readonly first: number;
}

/** Rows are ordered by start, so each day is one run of rows. */
function createDayFacets({ day }: Columns): Facets['days'] {
  const runs: DayRun[] = [];
  for (let row = 0; row < day.length; row++)
    if (day[row] !== day[row - 1]) runs.push({ day: formatDay(day[row] as number), first: row });
  return (rows) => {
    const found: DayHits[] = [];
    for (const [index, { day: shown, first }] of runs.entries()) {
      const hits = countBetween(rows, first, runs[index + 1]?.first ?? day.length);
      if (hits > 0) found.push({ day: shown, hits });
    }
    return found;
  };
}

function createMunicipalityFacets(directory: Directory): Facets['municipalities'] {
  // With the venues that the filter matches for each: by its number or, without one, by its name (B6, C1).
  const municipalities = directory.municipalities.map(({ number, name }) => ({
    number,
    name,
    venues: directory.venuesByMunicipality.get(number ?? fold(name)) ?? [],
  }));
  return (counts) => {
    const found: MunicipalityHits[] = [];
    for (const { number, name, venues } of municipalities) {
      let hits = 0;
      for (const venue of venues) hits += counts.venues[venue] as number;
      if (hits > 0) found.push({ number, name, hits });
    }
    // They are ordered by name, then number.
    return found.sort(byHits);
  };
}

function createTagFacets(columns: Columns, lists: Lists): Facets['tags'] {
  const { event, tagRows, tagRowsAt, spellings, spellingsAt } = columns;
  const spellingText = (spelling: number) => lists.spellings[spelling] ?? '';
  const spellingsOf = spellingsByTag(columns, lists);
  /** The spelling that most nodes of the set use; of equals the first in code point order. */
  const shownOf = (tag: number, rows: Bitmap, usesOf: Int32Array): number => {
    const [first = 0, ...others] = spellingsOf[tag] ?? [];
    if (others.length === 0) return first;
    // The events' spellings of other tags are counted, too, but not read.
    for (const spelling of [first, ...others]) usesOf[spelling] = 0;
    for (const row of listAt(tagRows, tagRowsAt, tag))
      if (hasBit(rows, row)) countList(usesOf, spellings, spellingsAt, event[row] as number);
    return others.reduce((best, spelling) => {
      const more = (usesOf[spelling] as number) - (usesOf[best] as number);
      const isBetter =
        more > 0 || (more === 0 && compareCodePoints(spellingText(spelling), spellingText(best)) < 0);
      return isBetter ? spelling : best;
    }, first);
  };
  return (rows) => {
    const hitsOf = countTags(columns, rows);
    const usesOf = new Int32Array(lists.spellings.length);
    const found: SpellingHits[] = [];
    for (const [tag, hits] of hitsOf.entries()) {
      // B1: a filter cannot name a blank tag.
      if (hits > 0 && lists.tags[tag]?.trim() !== '')
        found.push({ spelling: shownOf(tag, rows, usesOf), hits });
    }
    // Ordinals of spellings are in Norwegian alphabetical order.
    return found
      .sort((left, right) => byHits(left, right) || left.spelling - right.spelling)
      .map(({ spelling, hits }) => ({ tag: spellingText(spelling), hits }));
  };
}

function createAccessibilityFacets(columns: Columns): Facets['accessibilities'] {
  return (rows) =>
    ACCESSIBILITY.map((value) => ({ value, hits: countCommon(rows, rowsFlagged(columns, value)) }))
      .filter(({ hits }) => hits > 0)
      .sort(byHits);
}

interface SpellingHits {
  /** Ordinal of the spelling that is shown of a tag. */
  readonly spelling: number;
  readonly hits: number;
}

/** Ordinals of spellings, by the ordinal of their tag. */
function spellingsByTag({ tagOfSpelling }: Columns, { tags }: Lists): readonly (readonly number[])[] {
  const byTag = tags.map((): number[] => []);
  for (const [spelling, tag] of tagOfSpelling.entries()) byTag[tag]?.push(spelling);
  return byTag;
}
