/**
 * A snapshot between two neighbouring moments of change (D6): within this interval equal requests have equal answers, so computed parts
 * are cached until it ends.
 */

import { osloDay, startOfDay } from '../../calendar/time.ts';
import { addBits, type Bitmap, countUpTo, emptyBitmap, setBit, somePlace } from '../../snapshot/bitmaps.ts';
import { type Columns, type Flag, rowsFlagged } from '../../snapshot/columns.ts';
import type { Lists } from '../../snapshot/meta.ts';
import type { Snapshot } from '../../snapshot/open.ts';
import {
  type BoundedCache,
  createBoundedCache,
  createTextCache,
  shareOfMemory,
  type TextCache,
} from '../admission/budget.ts';
import { createDirectory, createPositions, type Directory, type Positions } from './directory.ts';
import { type Counts, createFacets, type Facets } from './facets.ts';
import type { HoursRange } from './plan.ts';
import { createSearch, type Search } from './search.ts';
import { createShownRows, type ShownRows } from './window.ts';

export interface View {
  readonly snapshot: Snapshot;
  readonly columns: Columns;
  readonly lists: Lists;
  readonly directory: Directory;
  readonly facets: Facets;
  readonly search: Search;
  readonly rowIndex: RowIndex;
  readonly positions: Positions;
  /** Ready-made JSON of events in demand, by ordinal. */
  readonly bodies: TextCache;
  /** Rendered facets, by their selection. */
  readonly facetParts: BoundedCache<FacetParts>;
  /** The epoch in which this view is exact; it contains `now` of every request that the view serves. */
  readonly epoch: Epoch;
  /** The rows that windows show. */
  readonly shown: ShownRows;
}

/** The occurrences that a selection shows, in serving order, and facts about the whole set. */
export interface NodeSet {
  readonly rows: Bitmap;
  /** Their number. */
  readonly total: number;
  /** A5: repetitions are those valid at this second. */
  readonly validAt: number;
  readonly byDay: boolean;
  /** B10: whether the search had to use approximate matching. */
  readonly isApproximate: boolean;
  /** Facet counts, computed at the first call. */
  readonly counts: () => Counts;
}

/** A facet's entities as one selection renders them. */
interface FacetParts {
  /** By ordinal: the JSON of an object before and after its hits. */
  readonly entities: { readonly head: string; readonly tail: string }[];
  /** Estimated bytes of all entities. */
  weight: number;
}

/** The view of a snapshot at a second: the same object until something changes. */
export function viewAt(snapshot: Snapshot, now: number): View {
  const standing = standingOf(snapshot, now);
  standing.lasting ??= createLasting(snapshot);
  const { lasting, epoch } = standing;
  standing.view ??= { ...lasting, epoch, shown: createShownRows(lasting.columns, now) };
  return standing.view;
}

/** The epoch that contains a second: the same object until something changes. */
export const epochOf = (snapshot: Changing, now: number): Epoch => standingOf(snapshot, now).epoch;

/** The state of a snapshot at the second that was requested last. */
interface Standing {
  epoch: Epoch;
  lasting?: Lasting;
  /** The view of the epoch. */
  view?: View | undefined;
}

function standingOf(snapshot: Changing, now: number): Standing {
  const known = standings.get(snapshot);
  if (known === undefined) {
    const standing = { epoch: epochAt(snapshot, now) };
    standings.set(snapshot, standing);
    return standing;
  }
  if (!isIn(known.epoch, snapshot, now)) {
    known.epoch = epochAt(snapshot, now);
    known.view = undefined;
  }
  return known;
}

/** Cached for as long as the snapshot is referenced. The parts that outlast an epoch take 2 to 12 ms to compute for 25,000 occurrences. */
const standings = new WeakMap<Changing, Standing>();

/**
 * Bytes of all facets of a snapshot: a front end has a few selections, of some hundred KB each. Without this cache, a page with three
 * facets takes 1.4 times as long.
 */
const FACET_BYTES = 16 * 1_024 * 1_024;
const FACET_SHARE = 0.03;
/** Bytes that a selection takes besides its entities. */
const SELECTION_BYTES = 500;

/** Bytes of cached bodies of events. Reading ten of them from the file takes 250 µs, more than the rest of a page. */
const CACHE_BYTES = 48_000_000;
const BODIES_SHARE = 0.12;

/** The parts of a view that outlast its epoch. */
type Lasting = Omit<View, 'epoch' | 'shown'>;

function createLasting(snapshot: Snapshot): Lasting {
  const { columns, lists } = snapshot;
  const directory = createDirectory(lists);
  const bodies = createTextCache(columns.publishing.length, shareOfMemory(BODIES_SHARE, CACHE_BYTES));
  snapshot.onClose(bodies.clear);
  return {
    snapshot,
    columns,
    lists,
    directory,
    facets: createFacets(columns, lists, directory),
    search: createSearch(snapshot),
    rowIndex: createRowIndex(columns),
    positions: createPositions(columns, lists),
    bodies,
    facetParts: createBoundedCache({
      most: shareOfMemory(FACET_SHARE, FACET_BYTES),
      weigh: ({ weight }, key) => weight + 2 * key.length + SELECTION_BYTES,
    }),
  };
}

/** The number of events that have not ended: `totalCount` without a filter. */
export function upcomingEvents(snapshot: Snapshot, now: number): number {
  return viewAt(snapshot, Math.floor(now)).facets.unfiltered(Math.floor(now))[0] ?? 0;
}

/** The next second at which any answer changes; Infinity if none follows. */
export function nextChangeAt(snapshot: Snapshot, now: number): number {
  return epochOf(snapshot, Math.floor(now)).until;
}

/** The part of a snapshot that determines its epochs. */
export interface Changing {
  readonly columns: Pick<Columns, 'moments'>;
}

/**
 * A stretch of time in which no answer changes: one snapshot, between two neighbouring moments of change, on one Norwegian
 * day. Whole seconds, half open. Two requests of one epoch get the same answers.
 */
export interface Epoch {
  readonly snapshot: Changing;
  /** The moments of change before and after it. -Infinity before the first. */
  readonly since: number;
  /** Infinity after the last. */
  readonly until: number;
  /** B12: the beginning and end of its day; some answers depend on the date. */
  readonly dayBegins: number;
  readonly dayEnds: number;
}

export function epochAt(snapshot: Changing, now: number): Epoch {
  const { moments } = snapshot.columns;
  const next = countUpTo(moments, now);
  const day = osloDay(now);
  return {
    snapshot,
    since: moments[next - 1] ?? Number.NEGATIVE_INFINITY,
    until: moments[next] ?? Number.POSITIVE_INFINITY,
    dayBegins: startOfDay(day),
    dayEnds: startOfDay(day + 1),
  };
}

/** Checks both ends, because a clock can be set back. */
export function isIn(epoch: Epoch, snapshot: Changing, now: number): boolean {
  const { since, until, dayBegins, dayEnds } = epoch;
  return epoch.snapshot === snapshot && now >= since && now < until && now >= dayBegins && now < dayEnds;
}

/** The first second at which an answer of the epoch may change. */
export function changeOf({ until, dayEnds }: Epoch, dependsOnDay: boolean): number {
  return dependsOnDay ? Math.min(until, dayEnds) : until;
}

// Rows by the entities of their nodes (C2), from the index that the build wrote: see columns.ts.

/** A set is read-only and valid until the next call: joined sets share one buffer. */
interface RowIndex {
  /** Rows with any of these entities; ordinals are indexes into the list of that name, each at most once. */
  readonly carrying: (list: IndexedList, ordinals: readonly number[]) => Bitmap;
  readonly flagged: (flag: Flag) => Bitmap;
  /** B5: rows that start at these minutes of the day. */
  readonly startingIn: (hours: HoursRange) => Bitmap;
  /** All rows of these events. */
  readonly ofEvents: (events: Bitmap) => Bitmap;
}

/** B3: a parent category's rows include those of its subcategories, so a filter by the parent finds them. */
type IndexedList = 'venues' | 'organizers' | 'categories' | 'tags' | 'containers';

function createRowIndex(columns: Columns): RowIndex {
  const count = columns.event.length;
  const lists = {
    venues: rowsJoined(columns.venueRowsAt, columns.venueRows, count),
    organizers: rowsJoined(columns.organizerRowsAt, columns.organizerRows, count),
    categories: rowsJoined(columns.categoryRowsAt, columns.categoryRows, count),
    tags: rowsJoined(columns.tagRowsAt, columns.tagRows, count),
    containers: rowsJoined(columns.containerRowsAt, columns.containerRows, count),
  };
  return {
    carrying: (list, ordinals) => lists[list](ordinals),
    flagged: (flag) => rowsFlagged(columns, flag),
    startingIn: (hours) => startingRows(columns, hours),
    ofEvents: (events) => rowsOfEvents(columns, events),
  };
}

/**
 * The rows of ordinal n are [at[n], at[n + 1]) of `rows`. A list larger than a bitmap is also cached as a bitmap after its first use:
 * joining bitmaps takes microseconds.
 */
function rowsJoined(
  at: Int32Array,
  rows: Int32Array,
  count: number,
): (ordinals: readonly number[]) => Bitmap {
  const bitmaps = new Map<number, Bitmap>();
  const addRows = (ordinal: number, bitmap: Bitmap): void => {
    const end = at[ordinal + 1] as number;
    for (let place = at[ordinal] as number; place < end; place++) setBit(bitmap, rows[place] as number);
  };
  const bitmapOf = (ordinal: number): Bitmap | undefined => {
    if (((at[ordinal + 1] as number) - (at[ordinal] as number)) * 32 <= count) return undefined;
    let bitmap = bitmaps.get(ordinal);
    if (bitmap === undefined) {
      bitmap = emptyBitmap(count);
      addRows(ordinal, bitmap);
      bitmaps.set(ordinal, bitmap);
    }
    return bitmap;
  };
  const joined = emptyBitmap(count);
  return (ordinals) => {
    const [first] = ordinals;
    if (first !== undefined && ordinals.length === 1) {
      const whole = bitmapOf(first);
      if (whole !== undefined) return whole;
    }
    joined.fill(0);
    for (const ordinal of ordinals) {
      const bitmap = bitmapOf(ordinal);
      if (bitmap === undefined) addRows(ordinal, joined);
      else addBits(joined, bitmap);
    }
    return joined;
  };
}

/** 35 µs for 25,000 occurrences. Both ends are included; a range that ends before it begins spans midnight. */
function startingRows({ minute }: Columns, { from, to }: HoursRange): Bitmap {
  const bitmap = emptyBitmap(minute.length);
  const isWrapped = from > to;
  for (let row = 0; row < minute.length; row++) {
    const found = minute[row] as number;
    if (isWrapped ? found >= from || found <= to : found >= from && found <= to) setBit(bitmap, row);
  }
  return bitmap;
}

function rowsOfEvents({ event, occurrences, occurrencesAt }: Columns, events: Bitmap): Bitmap {
  const bitmap = emptyBitmap(event.length);
  somePlace(events, (ordinal) => {
    const end = occurrencesAt[ordinal + 1] as number;
    for (let place = occurrencesAt[ordinal] as number; place < end; place++) {
      setBit(bitmap, occurrences[place] as number);
    }
    return false;
  });
  return bitmap;
}
