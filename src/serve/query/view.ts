/** A snapshot in one epoch, as requests see it, with all that answers are made of. It is cached until the epoch ends. */
import { type Bitmap, countBits } from '../../snapshot/bitmaps.ts';
import type { FilterView } from '../../snapshot/filters/filter.ts';
import type { Snapshot } from '../../snapshot/open.ts';
import { isPublishedAt, isVisibleAt } from '../../snapshot/visibility.ts';
import { createDirectory, type Directory, listedAt } from './directory.ts';
import { type Epoch, epochOf } from './epoch.ts';
import type { FacetCounts } from './facet-counts.ts';
import { createFacets, type Facets } from './facets.ts';
import { createSearch, type Search } from './search.ts';
import { createShownRows, type ShownRows } from './shown-rows.ts';

/** The parts of a view that outlast its epoch. */
interface Lasting extends Pick<FilterView, 'columns' | 'filterColumns' | 'lists'> {
  readonly snapshot: Snapshot;
  /** With what is not listed yet (A9). */
  readonly wholeDirectory: Directory;
  readonly facets: Facets;
  readonly search: Search;
}

export interface View extends Lasting, FilterView {
  readonly snapshot: Snapshot;
  readonly directory: Directory;
  /** The epoch in which this view is exact; it contains `now` of every request that the view serves. */
  readonly epoch: Epoch;
  /** Finds the rows that a window shows. */
  readonly shownRows: ShownRows;
  /** Counts of all entities without any filter: computed once an epoch. */
  readonly unfilteredCounts: () => FacetCounts;
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
  readonly counts: () => FacetCounts;
  /**
   * The entries of its facets that were asked for, by facet. They are not in a WeakMap by set: V8's young collections keep the values of dead
   * keys, and copied the entries of every request since the last collection.
   */
  readonly facetEntries: Map<object, readonly unknown[]>;
}

/** The view of a snapshot at a second: the same object until something changes. */
export function viewAt(snapshot: Snapshot, now: number): View {
  const epoch = epochOf(snapshot, now);
  const latest = views.get(snapshot);
  if (latest?.epoch === epoch) return latest;
  const lasting: Lasting = latest ?? createLasting(snapshot);
  const shownRows = createShownRows(lasting.columns, epoch.begins);
  let counts: FacetCounts | undefined;
  const unfilteredCounts = () => {
    counts ??= lasting.facets.count(shownRows({}));
    return counts;
  };
  const { lists, columns, wholeDirectory } = lasting;
  const directory = listedAt(wholeDirectory, { lists, columns, now: epoch.begins });
  const isVisible = (ordinal: number) => isVisibleAt(columns, ordinal, epoch.begins);
  const isContainerPublished = createContainerCheck(snapshot, epoch.begins);
  const view = { ...lasting, epoch, directory, isVisible, isContainerPublished, shownRows, unfilteredCounts };
  views.set(snapshot, view);
  return view;
}

/** Looks each container up once: its programme may have thousands of events. */
function createContainerCheck(
  { lists, columns, ordinalById }: Snapshot,
  at: number,
): View['isContainerPublished'] {
  const checked: boolean[] = [];
  const check = (container: number) => {
    const ordinal = ordinalById(lists.containers[container] ?? '');
    return ordinal === null || isPublishedAt(columns, ordinal, at);
  };
  return (container) => {
    checked[container] ??= check(container);
    return checked[container];
  };
}

/** The latest view of each snapshot. The next view takes over the parts that outlast its epoch: computing them takes long. */
const views = new WeakMap<Snapshot, View>();

function createLasting(snapshot: Snapshot): Lasting {
  const { columns, filterColumns, lists } = snapshot;
  const directory = createDirectory(lists);
  return {
    snapshot,
    columns,
    filterColumns,
    lists,
    wholeDirectory: directory,
    facets: createFacets(columns, lists, directory),
    search: createSearch(columns),
  };
}

/** The number of events that have not ended: `totalCount` without a filter. */
export function upcomingEvents(snapshot: Snapshot, now: number): number {
  return countBits(viewAt(snapshot, Math.floor(now)).shownRows({}));
}
