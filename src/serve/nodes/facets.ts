/** Facets (C1, C2): how many nodes carry each venue, organizer and category. */

import { compareFacets } from '../../calendar/facets.ts';
import type { Columns, Lists } from '../../snapshot/columns.ts';

/** Counts of everything in one list: the total, then venues, organizers and categories by ordinal. */
export type Counts = Int32Array;

export interface FacetEntry {
  readonly ordinal: number;
  readonly hits: number;
}

export type FacetKind = 'venues' | 'organizers' | 'categories';

export interface Tally {
  /** Counts over the given rows. */
  readonly count: (rows: Int32Array) => Counts;
  /** Counts over the unfiltered set at a second, from the steps that the build worked out. Not to be kept by the caller. */
  readonly unfiltered: (now: number) => Counts;
  /** C1: entities with a hit, most hits first, then by rank. */
  readonly entries: (counts: Counts, kind: FacetKind, rank?: Int32Array) => readonly FacetEntry[];
}

export function createTally(columns: Columns, lists: Lists): Tally {
  const ranges = {
    venues: [1, lists.venues.length],
    organizers: [1 + lists.venues.length, lists.organizers.length],
    categories: [1 + lists.venues.length + lists.organizers.length, lists.categories.length],
  } as const satisfies Readonly<Record<FacetKind, readonly [first: number, length: number]>>;
  const length = 1 + lists.venues.length + lists.organizers.length + lists.categories.length;
  const running = createRunning(columns, length);

  function count(rows: Int32Array): Counts {
    const counts = new Int32Array(length);
    counts[0] = rows.length;
    countVenues(columns, rows, counts);
    countLists(
      columns.event,
      rows,
      columns.organizersAt,
      columns.organizers,
      counts.subarray(ranges.organizers[0]),
    );
    countLists(
      columns.event,
      rows,
      columns.categoriesAt,
      columns.categories,
      counts.subarray(ranges.categories[0]),
    );
    return counts;
  }

  function entries(counts: Counts, kind: FacetKind, rank?: Int32Array): readonly FacetEntry[] {
    const [first, size] = ranges[kind];
    const found: FacetEntry[] = [];
    for (let ordinal = 0; ordinal < size; ordinal++) {
      const hits = counts[first + ordinal] ?? 0;
      if (hits > 0) found.push({ ordinal, hits });
    }
    return found.sort((left, right) => compareFacets(left, right, rank));
  }

  return { count, unfiltered: running, entries };
}

function countVenues(columns: Columns, rows: Int32Array, counts: Counts): void {
  const { venue } = columns;
  for (let at = 0; at < rows.length; at++) {
    const ordinal = venue[rows[at] as number] as number;
    if (ordinal >= 0) counts[1 + ordinal] = (counts[1 + ordinal] as number) + 1;
  }
}

function countLists(
  event: Int32Array,
  rows: Int32Array,
  at: Int32Array,
  values: Int32Array,
  counts: Int32Array,
): void {
  for (let place = 0; place < rows.length; place++) {
    const ordinal = event[rows[place] as number] as number;
    const end = at[ordinal + 1] as number;
    for (let value = at[ordinal] as number; value < end; value++) {
      const entity = values[value] as number;
      counts[entity] = (counts[entity] as number) + 1;
    }
  }
}

/** Follows the steps as the clock goes on; a clock that goes back starts again from the first step. */
function createRunning(columns: Columns, length: number): (now: number) => Counts {
  const { changeAt, changeOf, changeBy } = columns;
  let counts = new Int32Array(length);
  let next = 0;
  let reached = Number.NEGATIVE_INFINITY;
  return (now) => {
    if (now < reached) {
      counts = new Int32Array(length);
      next = 0;
    }
    reached = now;
    while (next < changeAt.length && (changeAt[next] as number) <= now) {
      const entity = changeOf[next] as number;
      counts[entity] = (counts[entity] as number) + (changeBy[next] as number);
      next++;
    }
    return counts;
  };
}
