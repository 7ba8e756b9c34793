/**
 * A snapshot between two neighbouring moments of change (D6): within this interval equal requests have equal answers, so computed parts
 * are cached until it ends.
 */
import { type Bitmap, countBits } from '../../snapshot/bitmaps.ts';
import type { Columns } from '../../snapshot/columns.ts';
import type { Lists } from '../../snapshot/meta.ts';
import type { Snapshot } from '../../snapshot/open.ts';
import { createDirectory, type Directory } from './directory.ts';
import { type Epoch, epochOf } from './epoch.ts';
import { type Counts, createFacets, type Facets } from './facets.ts';
import { createSearch, type Search } from './search.ts';
import { createShownRows, type ShownRows } from './window.ts';

export interface View {
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

/** The view of a snapshot at a second: the same object until something changes. */
export function viewAt(snapshot: Snapshot, now: number): View {
  const epoch = epochOf(snapshot, now);
  const known = views.get(snapshot);
  if (known?.epoch === epoch) return known;
  const lasting: Lasting = known ?? createLasting(snapshot);
  const shown = createShownRows(lasting.columns, epoch.since, now);
  let counts: Counts | undefined;
  const unfilteredCounts = () => {
    counts ??= lasting.facets.count(shown({}));
    return counts;
  };
  const view = { ...lasting, epoch, shown, unfilteredCounts };
  views.set(snapshot, view);
  return view;
}

/** The latest view of each snapshot. The parts that outlast an epoch take 2 to 12 ms to compute for 25,000 occurrences. */
const views = new WeakMap<Snapshot, View>();

/** The parts of a view that outlast its epoch. */
type Lasting = Omit<View, 'epoch' | 'shown' | 'unfilteredCounts'>;

function createLasting(snapshot: Snapshot): Lasting {
  const { columns, lists } = snapshot;
  const directory = createDirectory(lists);
  return {
    snapshot,
    columns,
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

/** The next second at which any answer changes; Infinity if none follows. */
export function nextChangeAt(snapshot: Snapshot, now: number): number {
  return epochOf(snapshot, Math.floor(now)).until;
}
