/** Facets (C1, C2): how many nodes carry each venue, organizer and category. */

import { type FacetOrder, facetOrder } from '../../calendar/facets.ts';
import type { Columns, Lists } from '../../snapshot/columns.ts';

/** Counts of everything in one list: the total, then venues, organizers and categories by ordinal. */
export type Counts = Int32Array;

export interface FacetEntry {
  readonly ordinal: number;
  readonly hits: number;
}

export type TakeFacet = (ordinal: number, hits: number) => void;

export type FacetKind = 'venues' | 'organizers' | 'categories';

export interface Tally {
  /** Counts over the given rows. */
  readonly count: (rows: Int32Array) => Counts;
  /** Counts over the unfiltered set at a second, from the steps that the build worked out. Not to be kept by the caller. */
  readonly unfiltered: (now: number) => Counts;
  /** Calls back with each entity that has a hit: most hits first, then by Norwegian name and id (C1). */
  readonly each: (counts: Counts, kind: FacetKind, take: TakeFacet) => void;
  /** The same as a list. */
  readonly entries: (counts: Counts, kind: FacetKind) => readonly FacetEntry[];
}

type Ranges = Readonly<Record<FacetKind, readonly [first: number, length: number]>>;

/** `categoryRank`: places of the category ordinals in C1's order; the other directories are in it. */
export function createTally(columns: Columns, lists: Lists, categoryRank: Int32Array): Tally {
  const { venues, organizers, categories } = lists;
  const ranges: Ranges = {
    venues: [1, venues.length],
    organizers: [1 + venues.length, organizers.length],
    categories: [1 + venues.length + organizers.length, categories.length],
  };
  const length = 1 + venues.length + organizers.length + categories.length;
  let carried: Carried | undefined;

  function count(rows: Int32Array): Counts {
    carried ??= gatherCarried(columns, ranges, length);
    const { at, places } = carried;
    const counts = new Int32Array(length);
    counts[0] = rows.length;
    for (let nth = 0; nth < rows.length; nth++) {
      const row = rows[nth] as number;
      const end = at[row + 1] as number;
      for (let value = at[row] as number; value < end; value++) {
        const place = places[value] as number;
        counts[place] = (counts[place] as number) + 1;
      }
    }
    return counts;
  }

  const order = {
    venues: orderOf(alphabetical(venues.length)),
    organizers: orderOf(alphabetical(organizers.length)),
    categories: orderOf(categoryRank),
  };

  function each(counts: Counts, kind: FacetKind, take: TakeFacet): void {
    const [first, size] = ranges[kind];
    const { ranks, ordinals, keyOf, hitsOf, rankOf } = order[kind];
    const keys = new Float64Array(size);
    let found = 0;
    for (let ordinal = 0; ordinal < size; ordinal++) {
      const hits = counts[first + ordinal] as number;
      if (hits > 0) keys[found++] = keyOf(hits, ranks[ordinal] as number);
    }
    keys.subarray(0, found).sort();
    for (let place = 0; place < found; place++) {
      const key = keys[place] as number;
      take(ordinals[rankOf(key)] as number, hitsOf(key));
    }
  }

  function entries(counts: Counts, kind: FacetKind): readonly FacetEntry[] {
    const list: FacetEntry[] = [];
    each(counts, kind, (ordinal, hits) => list.push({ ordinal, hits }));
    return list;
  }

  return { count, unfiltered: createRunning(columns, length), each, entries };
}

/** What each row counts for, as places in the counts: its list is [at[row], at[row + 1]) of `places`. */
interface Carried {
  readonly at: Int32Array;
  readonly places: Uint16Array | Int32Array;
}

/**
 * Next to each other in the rows' order, so that counting reads memory forwards. Made event by event, for the same reason.
 */
function gatherCarried(columns: Columns, ranges: Ranges, length: number): Carried {
  const { venue, occurrences, occurrencesAt, organizersAt, organizers, categoriesAt, categories } = columns;
  const at = new Int32Array(venue.length + 1);
  for (let event = 0; event + 1 < occurrencesAt.length; event++) {
    const ofEvent =
      (organizersAt[event + 1] as number) -
      (organizersAt[event] as number) +
      (categoriesAt[event + 1] as number) -
      (categoriesAt[event] as number);
    for (let nth = occurrencesAt[event] as number; nth < (occurrencesAt[event + 1] as number); nth++) {
      const row = occurrences[nth] as number;
      at[row + 1] = ofEvent + ((venue[row] as number) < 0 ? 0 : 1);
    }
  }
  for (let row = 0; row < venue.length; row++) at[row + 1] = (at[row + 1] as number) + (at[row] as number);
  const places = new (length <= 2 ** 16 ? Uint16Array : Int32Array)(at[venue.length] as number);
  for (let event = 0; event + 1 < occurrencesAt.length; event++) {
    for (let nth = occurrencesAt[event] as number; nth < (occurrencesAt[event + 1] as number); nth++) {
      const row = occurrences[nth] as number;
      let next = at[row] as number;
      if ((venue[row] as number) >= 0) places[next++] = ranges.venues[0] + (venue[row] as number);
      for (let value = organizersAt[event] as number; value < (organizersAt[event + 1] as number); value++) {
        places[next++] = ranges.organizers[0] + (organizers[value] as number);
      }
      for (let value = categoriesAt[event] as number; value < (categoriesAt[event + 1] as number); value++) {
        places[next++] = ranges.categories[0] + (categories[value] as number);
      }
    }
  }
  return { at, places };
}

const alphabetical = (length: number) => Int32Array.from({ length }, (_, ordinal) => ordinal);

interface Order extends FacetOrder {
  /** By ordinal, and the other way round. */
  readonly ranks: Int32Array;
  readonly ordinals: Int32Array;
}

function orderOf(ranks: Int32Array): Order {
  const ordinals = new Int32Array(ranks.length);
  for (let ordinal = 0; ordinal < ranks.length; ordinal++) ordinals[ranks[ordinal] as number] = ordinal;
  return { ranks, ordinals, ...facetOrder(ranks.length) };
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
