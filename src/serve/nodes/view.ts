/**
 * A snapshot as it stands between two moments of change (D6): within that interval every answer to the same question is
 * the same, so what has been worked out once is kept until the interval ends.
 */
import { LRUCache } from 'lru-cache';
import type { Columns, Lists } from '../../snapshot/columns.ts';
import type { Snapshot } from '../../snapshot/open.ts';
import { createDirectory, type Directory } from './directory.ts';
import { createTally, type Tally } from './facets.ts';
import { createFragments, type Fragments } from './fragments.ts';
import { createSearch, type Search } from './search.ts';
import type { NodeSet } from './select.ts';

export interface View {
  readonly snapshot: Snapshot;
  readonly columns: Columns;
  readonly lists: Lists;
  readonly directory: Directory;
  readonly fragments: Fragments;
  readonly tally: Tally;
  readonly search: Search;
  /** Columns of rendered datetimes, DATETIME_WIDTH characters a row. */
  readonly texts: { readonly start: string; readonly end: string };
  /** The interval [since, until) in which this view is exact; `now` of every request it serves lies in it. */
  readonly since: number;
  readonly until: number;
  /** Node sets by the conditions that select them, and the rows that windows show. */
  readonly sets: LRUCache<string, NodeSet>;
  readonly windows: LRUCache<string, Int32Array>;
}

/** The view of a snapshot at a second. Cheap: the same one is handed out until something changes. */
export function viewAt(snapshot: Snapshot, now: number): View {
  const known = views.get(snapshot);
  if (known !== undefined && known.since <= now && now < known.until) return known;
  const view =
    known === undefined
      ? firstView(snapshot, now)
      : { ...known, ...interval(snapshot.columns, now), ...createKept() };
  views.set(snapshot, view);
  return view;
}

/** The first instant after `now` at which an answer can change; Infinity when nothing will. */
export function nextChange(columns: Columns, now: number): number {
  return columns.moments[countUpTo(columns.moments, now)] ?? Number.POSITIVE_INFINITY;
}

/** How many of the ascending values are at most `limit`. */
export function countUpTo(ascending: Float64Array, limit: number): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ascending[middle] ?? Number.POSITIVE_INFINITY) <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** One view a snapshot, for as long as somebody holds the snapshot. */
const views = new WeakMap<Snapshot, View>();

/** Rows of all kept sets together, and of all kept windows: 4 million are 16 MB. */
const KEPT_ROWS = 4_000_000;
/** What an entry costs beside its rows, in rows. */
const OVERHEAD = 64;

function createKept(): Pick<View, 'sets' | 'windows'> {
  return {
    sets: new LRUCache({ maxSize: KEPT_ROWS, sizeCalculation: ({ rows }) => rows.length + OVERHEAD }),
    windows: new LRUCache({ maxSize: KEPT_ROWS, sizeCalculation: (rows) => rows.length + OVERHEAD }),
  };
}

function firstView(snapshot: Snapshot, now: number): View {
  const { columns, lists } = snapshot;
  return {
    snapshot,
    columns,
    lists,
    directory: createDirectory(lists),
    fragments: createFragments(snapshot),
    tally: createTally(columns, lists),
    search: createSearch(snapshot),
    texts: { start: asciiOf(columns.startText), end: asciiOf(columns.endText) },
    ...createKept(),
    ...interval(columns, now),
  };
}

function interval(columns: Columns, now: number): { readonly since: number; readonly until: number } {
  const passed = countUpTo(columns.moments, now);
  return {
    since: columns.moments[passed - 1] ?? Number.NEGATIVE_INFINITY,
    until: columns.moments[passed] ?? Number.POSITIVE_INFINITY,
  };
}

function asciiOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}
