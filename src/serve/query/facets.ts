/**
 * Facets: the number of nodes in a set for each venue, organizer and category (C1, C2), and for values that no directory lists (C4): days,
 * municipalities and tags.
 */
import { ACCESSIBILITY, type Accessibility } from '../../calendar/accessibility.ts';
import { fold } from '../../calendar/text.ts';
import { formatDay } from '../../calendar/time.ts';
import { type Bitmap, countBetween, countCommon } from '../../snapshot/bitmaps.ts';
import type { Columns } from '../../snapshot/columns.ts';
import { rowsFlagged } from '../../snapshot/flags.ts';
import type { Lists } from '../../snapshot/lists.ts';
import type { Directory } from './directory.ts';
import { countEntities, type FacetCounts, type FacetKind } from './facet-counts.ts';
import { byHits, type Ranked, rankByHits } from './rank-by-hits.ts';
import { createTagFacets, type TagHits } from './tag-facets.ts';

export type Entity<Kind extends FacetKind> = Directory[Kind][number];

export type EntityHits<Kind extends FacetKind> = Ranked<Entity<Kind>>;

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

interface AccessibilityHits {
  readonly value: Accessibility;
  readonly hits: number;
}

export interface Facets {
  /** Counts over the given rows. */
  readonly count: (rows: Bitmap) => FacetCounts;
  /** Entities with at least one hit: most hits first, then by Norwegian name and id (C1). */
  readonly entities: <Kind extends FacetKind>(counts: FacetCounts, kind: Kind) => readonly EntityHits<Kind>[];
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

function createEntityFacets(columns: Columns, directory: Directory): Pick<Facets, 'count' | 'entities'> {
  const { venues, organizers } = directory;
  const ordered: FacetCounts = {
    venues: alphabetical(venues.length),
    organizers: alphabetical(organizers.length),
    categories: directory.categoryOrder,
  };
  return {
    count: (rows) => countEntities(columns, rows),
    entities: <Kind extends FacetKind>(counts: FacetCounts, kind: Kind) =>
      rankByHits<Entity<Kind>>({ entities: directory[kind], counts: counts[kind], ordered: ordered[kind] }),
  };
}

const alphabetical = (length: number) => Int32Array.from({ length }, (_, ordinal) => ordinal);

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

function createAccessibilityFacets(columns: Columns): Facets['accessibilities'] {
  return (rows) =>
    ACCESSIBILITY.map((value) => ({ value, hits: countCommon(rows, rowsFlagged(columns, value)) }))
      .filter(({ hits }) => hits > 0)
      .sort(byHits);
}
