/** Facets (C1, C2): how many nodes carry each venue, organizer and category. */
import { type Bitmap, countBits, lowest } from '../../snapshot/bitmaps.ts';
import type { Columns, Lists } from '../../snapshot/columns.ts';
import { inOneGo, type Steps, stretches } from './steps.ts';

/** Counts of everything in one list: the total, then venues, organizers and categories by ordinal. */
export type Counts = Int32Array;

export interface FacetEntry {
  readonly ordinal: number;
  readonly hits: number;
}

/** Entities that have a hit: most hits first, then by Norwegian name and id (C1). */
export interface Ranked {
  readonly ordinals: Int32Array;
  /** In the same order. */
  readonly hits: Int32Array;
}

export type FacetKind = 'venues' | 'organizers' | 'categories';

export interface Facets {
  /** What else the first count would wait for. */
  readonly prepare: () => Steps<void>;
  /** Counts over the given rows. */
  readonly count: (rows: Bitmap) => Counts;
  /** Counts over the unfiltered set at a second, from the steps that the build worked out. Not to be kept by the caller. */
  readonly unfiltered: (now: number) => Counts;
  readonly ranked: (counts: Counts, kind: FacetKind) => Ranked;
  /** The same one by one. */
  readonly entries: (counts: Counts, kind: FacetKind) => readonly FacetEntry[];
}

type Ranges = Readonly<Record<FacetKind, readonly [first: number, length: number]>>;

/** `categoryRank`: places of the category ordinals in C1's order; the other directories are in it. */
export function createFacets(columns: Columns, lists: Lists, categoryRank: Int32Array): Facets {
  const { venues, organizers, categories } = lists;
  const ranges: Ranges = {
    venues: [1, venues.length],
    organizers: [1 + venues.length, organizers.length],
    categories: [1 + venues.length + organizers.length, categories.length],
  };
  const length = 1 + venues.length + organizers.length + categories.length;
  let carried: Carried | undefined;

  function count(rows: Bitmap): Counts {
    carried ??= inOneGo(gatherCarried(columns, ranges, length));
    const { at, places } = carried;
    const counts = new Int32Array(length);
    counts[0] = countBits(rows);
    for (let word = 0; word < rows.length; word++) {
      for (let rest = rows[word] as number; rest !== 0; rest &= rest - 1) {
        const row = 32 * word + lowest(rest);
        const end = at[row + 1] as number;
        for (let value = at[row] as number; value < end; value++) {
          const place = places[value] as number;
          counts[place] = (counts[place] as number) + 1;
        }
      }
    }
    return counts;
  }

  const order = {
    venues: orderOf(alphabetical(venues.length)),
    organizers: orderOf(alphabetical(organizers.length)),
    categories: orderOf(categoryRank),
  };
  let places = new Int32Array(0);

  /** By counting: hits are whole numbers, and far from as many as there are nodes in most sets. */
  function ranked(counts: Counts, kind: FacetKind): Ranked {
    const [first, size] = ranges[kind];
    let most = 0;
    for (let ordinal = 0; ordinal < size; ordinal++) {
      const hits = counts[first + ordinal] as number;
      if (hits > most) most = hits;
    }
    if (places.length <= most) places = new Int32Array(2 * most + 1);
    const placeOf = places.fill(0, 0, most + 1);
    for (let ordinal = 0; ordinal < size; ordinal++) {
      const hits = counts[first + ordinal] as number;
      placeOf[hits] = (placeOf[hits] as number) + 1;
    }
    let found = 0;
    for (let hits = most; hits > 0; hits--) {
      const many = placeOf[hits] as number;
      placeOf[hits] = found;
      found += many;
    }
    const ordinals = new Int32Array(found);
    const allHits = new Int32Array(found);
    const ordered = order[kind];
    for (let rank = 0; rank < ordered.length; rank++) {
      const ordinal = ordered[rank] as number;
      const hits = counts[first + ordinal] as number;
      if (hits === 0) continue;
      const place = placeOf[hits] as number;
      placeOf[hits] = place + 1;
      ordinals[place] = ordinal;
      allHits[place] = hits;
    }
    return { ordinals, hits: allHits };
  }

  function* prepare(): Steps<void> {
    carried ??= yield* gatherCarried(columns, ranges, length);
  }

  function entries(counts: Counts, kind: FacetKind): readonly FacetEntry[] {
    const { ordinals, hits } = ranked(counts, kind);
    return Array.from(ordinals, (ordinal, place) => ({ ordinal, hits: hits[place] as number }));
  }

  return { count, unfiltered: createRunning(columns, length), ranked, entries, prepare };
}

/** What each row counts for, as places in the counts: its list is [at[row], at[row + 1]) of `places`. */
interface Carried {
  readonly at: Int32Array;
  readonly places: Uint16Array | Int32Array;
}

/**
 * Next to each other in the rows' order, so that counting reads memory forwards. Made event by event, for the same reason.
 */
function* gatherCarried(columns: Columns, ranges: Ranges, length: number): Steps<Carried> {
  const { venue, occurrences, occurrencesAt, organizersAt, organizers, categoriesAt, categories } = columns;
  const at = new Int32Array(venue.length + 1);
  const events = occurrencesAt.length - 1;
  yield* stretches(events, (from, to) => {
    for (let event = from; event < to; event++) {
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
  });
  yield* stretches(venue.length, (from, to) => {
    for (let row = from; row < to; row++) at[row + 1] = (at[row + 1] as number) + (at[row] as number);
  });
  const places = new (length <= 2 ** 16 ? Uint16Array : Int32Array)(at[venue.length] as number);
  yield* stretches(events, (from, to) => {
    for (let event = from; event < to; event++) {
      for (let nth = occurrencesAt[event] as number; nth < (occurrencesAt[event + 1] as number); nth++) {
        const row = occurrences[nth] as number;
        let next = at[row] as number;
        if ((venue[row] as number) >= 0) places[next++] = ranges.venues[0] + (venue[row] as number);
        for (
          let value = organizersAt[event] as number;
          value < (organizersAt[event + 1] as number);
          value++
        ) {
          places[next++] = ranges.organizers[0] + (organizers[value] as number);
        }
        for (
          let value = categoriesAt[event] as number;
          value < (categoriesAt[event + 1] as number);
          value++
        ) {
          places[next++] = ranges.categories[0] + (categories[value] as number);
        }
      }
    }
  });
  return { at, places };
}

const alphabetical = (length: number) => Int32Array.from({ length }, (_, ordinal) => ordinal);

/** Ordinals in the order of their ranks. */
function orderOf(ranks: Int32Array): Int32Array {
  const ordinals = new Int32Array(ranks.length);
  for (let ordinal = 0; ordinal < ranks.length; ordinal++) ordinals[ranks[ordinal] as number] = ordinal;
  return ordinals;
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
