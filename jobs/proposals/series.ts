/** L4: titles that a feed has often at one place, and that could be series. */
import { nameKey } from '../../src/calendar/text.ts';
import type { EventRecord, VenueRecord } from '../records.ts';
import type { Proposals } from '../report/summary.ts';

/** Series that are proposed. */
const MOST_SERIES = 100;
/** L4: above this many single events of one title and place are a series. */
const FEW_ALIKE = 10;

type SeriesProposal = Proposals['series'][number];

interface SeriesProposals {
  readonly add: (feed: string, record: EventRecord) => void;
  readonly proposals: () => readonly SeriesProposal[];
}

/** Finds the titles that a feed has often at one place. */
export function createSeriesProposals(
  venues: ReadonlyMap<string, Pick<VenueRecord, 'name'>>,
): SeriesProposals {
  const groups = new Map<string, { readonly series: Omit<SeriesProposal, 'events'>; events: number }>();

  function add(feed: string, { title_nb, title_en, venue, dates, series }: EventRecord): void {
    if (series.length > 0 || dates.length !== 1) return;
    const title = title_nb ?? title_en ?? '';
    const key = `${feed}\n${venue ?? ''}\n${nameKey(title)}`;
    const group = groups.get(key);
    if (group !== undefined) group.events++;
    else {
      const place = venue === null ? null : (venues.get(venue)?.name ?? null);
      groups.set(key, { series: { feed, title, place }, events: 1 });
    }
  }

  function proposals(): readonly SeriesProposal[] {
    return [...groups.values()]
      .filter(({ events }) => events > FEW_ALIKE)
      .map(({ series, events }) => ({ ...series, events }))
      .sort((left, right) => right.events - left.events)
      .slice(0, MOST_SERIES);
  }

  return { add, proposals };
}
