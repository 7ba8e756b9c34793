/**
 * A snapshot between two neighbouring moments of change (D6): within this interval equal requests have equal answers, so computed parts
 * are cached until it ends.
 */

import { LRUCache } from 'lru-cache';
import { type Bitmap, countBits } from '../../snapshot/bitmaps.ts';
import type { Columns } from '../../snapshot/columns.ts';
import type { Lists } from '../../snapshot/meta.ts';
import type { Snapshot } from '../../snapshot/open.ts';
import { shareOfMemory } from '../admission/budget.ts';
import { createDirectory, type Directory } from './directory.ts';
import { type Epoch, epochOf } from './epoch.ts';
import { type Counts, createFacets, type Facets } from './facets.ts';
import { createPositions, type Positions } from './positions.ts';
import { createRowIndex, type RowIndex } from './row-index.ts';
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
  readonly bodies: LRUCache<number, string>;
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

/** Bytes of cached bodies of events, the least recently used evicted first. Reading ten from the file takes longer than the rest of a page. */
const CACHE_BYTES = 32_000_000;
const BODIES_SHARE = 0.1;
/** Bytes that an entry takes besides its characters. */
const ENTRY_BYTES = 100;

/** The parts of a view that outlast its epoch. */
type Lasting = Omit<View, 'epoch' | 'shown' | 'unfilteredCounts'>;

function createLasting(snapshot: Snapshot): Lasting {
  const { columns, lists } = snapshot;
  const directory = createDirectory(lists);
  const bodies = new LRUCache<number, string>({
    maxSize: shareOfMemory(BODIES_SHARE, CACHE_BYTES),
    // V8 has two bytes for each character where one is above U+00FF.
    sizeCalculation: (body) => 2 * body.length + ENTRY_BYTES,
  });
  snapshot.onClose(() => bodies.clear());
  return {
    snapshot,
    columns,
    lists,
    directory,
    facets: createFacets(columns, lists, directory),
    search: createSearch(columns),
    rowIndex: createRowIndex(columns),
    positions: createPositions(columns, lists),
    bodies,
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
