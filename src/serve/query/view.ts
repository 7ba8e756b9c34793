/**
 * A snapshot between two neighbouring moments of change (D6): within this interval, its epoch, equal requests have equal answers, so these
 * and what they are made of are cached until it ends.
 */

import { osloDay, startOfDay } from '../../calendar/time.ts';
import {
  type Bitmap,
  countBits,
  countUpTo,
  emptyBitmap,
  removeBits,
  setBit,
} from '../../snapshot/bitmaps.ts';
import { type Columns, listAt } from '../../snapshot/columns.ts';
import type { Calendar } from '../../snapshot/filters/filter.ts';
import type { Conditions } from '../../snapshot/filters.ts';
import type { Lists } from '../../snapshot/lists.ts';
import type { Snapshot } from '../../snapshot/open.ts';
import { createDirectory, type Directory } from './directory.ts';
import { type Counts, createFacets, type Facets } from './facets.ts';
import { createSearch, type Search } from './search.ts';

export interface View extends Calendar {
  readonly snapshot: Snapshot;
  readonly columns: Columns;
  readonly lists: Lists;
  readonly directory: Directory;
  readonly facets: Facets;
  readonly search: Search;
  /** The epoch in which this view is exact; it contains `now` of every request that the view serves. */
  readonly epoch: Epoch;
  /** The rows that windows show. */
  readonly shown: ShownRows;
  /** Counts of all entities without any filter: computed once an epoch. */
  readonly unfilteredCounts: () => Counts;
}

/** The occurrences that conditions select, in serving order, and facts about the whole set. */
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

/** The view of a snapshot at a second: the same object until something changes. */
export function viewAt(snapshot: Snapshot, now: number): View {
  const epoch = epochOf(snapshot, now);
  const known = views.get(snapshot);
  if (known?.epoch === epoch) return known;
  const lasting: Lasting = known ?? createLasting(snapshot);
  const shown = createShownRows(lasting.columns, epoch.since);
  let counts: Counts | undefined;
  const unfilteredCounts = () => {
    counts ??= lasting.facets.count(shown({}));
    return counts;
  };
  const { publishing, eventOver } = lasting.columns;
  const isVisible = (ordinal: number) =>
    (publishing[ordinal] ?? Number.POSITIVE_INFINITY) <= epoch.since &&
    (eventOver[ordinal] ?? Number.NEGATIVE_INFINITY) > epoch.since;
  const view = { ...lasting, epoch, isVisible, shown, unfilteredCounts };
  views.set(snapshot, view);
  return view;
}

/** The latest view of each snapshot. The parts that outlast an epoch are kept: computing them takes long. */
const views = new WeakMap<Snapshot, View>();

/** The parts of a view that outlast its epoch. */
type Lasting = Omit<View, 'epoch' | 'isVisible' | 'shown' | 'unfilteredCounts'>;

function createLasting(snapshot: Snapshot): Lasting {
  const { columns, filterColumns, lists } = snapshot;
  const directory = createDirectory(lists);
  return {
    snapshot,
    columns,
    filterColumns,
    lists,
    directory,
    facets: createFacets(columns, lists, directory),
    search: createSearch(columns),
  };
}

/** The number of events that have not ended: `totalCount` without a filter. */
export function upcomingEvents(snapshot: Snapshot, now: number): number {
  return countBits(viewAt(snapshot, Math.floor(now)).shown({}));
}

/** The fields of a filter that make the window. Datetimes are instants. */
type Window = Pick<Conditions, 'fromDate' | 'untilDate' | 'fromStartDate' | 'groupRepetitionsByDay'>;

/** Rows of the occurrences shown in a window, of events that are published (A9). The caller may change the set. */
type ShownRows = (window: Window) => Bitmap;

/**
 * A4; A6: the window picks the occurrence. Rows are ordered by start, and those of one event in A2's order: so one pass over the rows finds
 * the first candidate of each event, or of each of its days. Valid for an epoch that begins at `since`: no occurrence ends in it, and no
 * event is published.
 */
function createShownRows(columns: Columns, since: number): ShownRows {
  const { start, publishing } = columns;
  const hidden = hiddenRows(columns, since);
  const latest = new Int32Array(publishing.length);
  let unbounded: Bitmap | undefined;
  return (window) => {
    const { fromDate, untilDate, fromStartDate, groupRepetitionsByDay = false } = window;
    const isUnbounded = (fromDate ?? untilDate ?? fromStartDate) === undefined && !groupRepetitionsByDay;
    if (isUnbounded && unbounded !== undefined) return unbounded.slice();
    const rows = emptyBitmap(start.length);
    markShown(columns, rows, {
      validAt: Math.max(since, fromDate ?? since),
      first: countBefore(start, fromStartDate ?? Number.NEGATIVE_INFINITY),
      end: countBefore(start, untilDate ?? Number.POSITIVE_INFINITY),
      byDay: groupRepetitionsByDay,
      latest: latest.fill(NEVER),
    });
    removeBits(rows, hidden);
    if (isUnbounded) unbounded = rows.slice();
    return rows;
  };
}

interface Bounds {
  /** T, or any moment that no occurrence's end separates from T. */
  readonly validAt: number;
  /** Rows of occurrences that start within the window: from `first` to before `end`. */
  readonly first: number;
  readonly end: number;
  readonly byDay: boolean;
  /** For each event the day of the row that was marked last, or NEVER. */
  readonly latest: Int32Array;
}

/** Another number than any day's; small enough that differences are machine integers. */
const NEVER = 2 ** 30;

/**
 * A word of the set at a time, and without a branch for what processors cannot predict, whether a row is its event's first (figures:
 * docs/benchmarks.md).
 */
function markShown({ over, event, day }: Columns, rows: Bitmap, bounds: Bounds): void {
  const { validAt, first, end, byDay, latest } = bounds;
  /** Keeps days, or makes them one. */
  const mask = byDay ? -1 : 0;
  for (let word = first >>> 5; 32 * word < end; word++) {
    const stop = Math.min(32 * word + 32, end);
    let bits = 0;
    for (let row = Math.max(first, 32 * word); row < stop; row++) {
      if ((over[row] as number) <= validAt) continue;
      const ordinal = event[row] as number;
      const today = (day[row] as number) & mask;
      const difference = today ^ (latest[ordinal] as number);
      latest[ordinal] = today;
      const isFirst = (difference | -difference) >>> 31;
      bits |= isFirst << row;
    }
    rows[word] = bits;
  }
}

/** A9: rows of events that are not published yet. */
function hiddenRows(columns: Columns, since: number): Bitmap {
  const hidden = emptyBitmap(columns.start.length);
  for (const [ordinal, publishing] of columns.publishing.entries()) {
    if (publishing <= since) continue;
    for (const row of listAt(columns.occurrences, columns.occurrencesAt, ordinal)) setBit(hidden, row);
  }
  return hidden;
}

/** Starts are whole seconds. */
function countBefore(start: Float64Array, limit: number): number {
  return countUpTo(start, limit - 1);
}

/** The part of a snapshot that determines its epochs. */
export interface Changing {
  readonly columns: Pick<Columns, 'moments' | 'publishing'>;
}

/**
 * One snapshot, between two neighbouring moments of change, on one Norwegian day. Whole seconds, half open. Two requests of one epoch get
 * the same answers.
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

/** The epoch that contains a second: the same object until something changes. */
export function epochOf(snapshot: Changing, now: number): Epoch {
  const known = epochs.get(snapshot);
  if (known !== undefined && isIn(known, snapshot, now)) return known;
  const epoch = epochAt(snapshot, now);
  epochs.set(snapshot, epoch);
  return epoch;
}

/** The epoch of each snapshot that was asked for last. */
const epochs = new WeakMap<Changing, Epoch>();

export function epochAt(snapshot: Changing, now: number): Epoch {
  const { moments, publishing } = snapshot.columns;
  const next = countUpTo(moments, now);
  const before = moments[next - 1] ?? Number.NEGATIVE_INFINITY;
  const after = moments[next] ?? Number.POSITIVE_INFINITY;
  const [since, until] = next === 0 ? boundsBefore(publishing, now, after) : [before, after];
  const day = osloDay(now);
  return { snapshot, since, until, dayBegins: startOfDay(day), dayEnds: startOfDay(day + 1) };
}

/** Before the build, where a clock is behind the builder's, only publishing dates change answers, and no moments are listed. */
function boundsBefore(
  publishing: Float64Array,
  now: number,
  builtAt: number,
): readonly [since: number, until: number] {
  let [since, until] = [Number.NEGATIVE_INFINITY, builtAt];
  for (const moment of publishing) {
    if (moment <= now) since = Math.max(since, moment);
    else until = Math.min(until, moment);
  }
  return [since, until];
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
