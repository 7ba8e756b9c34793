/**
 * G2: proposes improvements from the accepted events: words that could give a category, titles that could be series, and places that
 * need a municipality.
 */
import { overAt } from '../../src/calendar/time.ts';
import type { EventFeed } from '../annex.ts';
import { correctedVenues } from '../corrections/places.ts';
import type { EventRecord, Records, VenueRecord } from '../records.ts';
import type { Report } from '../report/report.ts';
import { createPlaceProposals } from './places.ts';
import { createSeriesProposals } from './series.ts';
import { createWordProposals } from './words.ts';

interface ProposeOptions {
  /** Instant, whole seconds. */
  readonly now: number;
  readonly report: Pick<Report, 'setProposals' | 'summary'>;
  readonly feeds: readonly EventFeed[];
}

/** Returns the same records. Proposals are reported once all records have been read. */
export function withProposals(records: Records, { now, report, feeds }: ProposeOptions): Records {
  const seriesFeeds = new Set(feeds.filter(({ takesSeries }) => takesSeries).map(({ id }) => id));

  async function* events(): AsyncGenerator<EventRecord, void, undefined> {
    const words = createWordProposals();
    const series = createSeriesProposals(byId(records.venues));
    const places = createPlaceProposals();
    for await (const record of records.events()) {
      if (!isOver(record, now)) {
        places.add(record);
        if (record.categories.length === 0) words.add(record);
        if (record.feed !== null && seriesFeeds.has(record.feed)) series.add(record.feed, record);
      }
      yield record;
    }
    const hasRegister = report.summary().lists.postalCodes.kept > 0;
    const venues = byId(correctedVenues(records.venues, records.finish()));
    report.setProposals({
      ...words.proposals(),
      series: series.proposals(),
      withoutMunicipality: { hasRegister, ...places.proposals(venues) },
    });
  }

  return { ...records, events };
}

function byId(venues: readonly VenueRecord[]): ReadonlyMap<string, VenueRecord> {
  return new Map(venues.map((venue) => [venue.id, venue]));
}

function isOver({ dates, series, isSuperEvent }: EventRecord, now: number): boolean {
  return !isSuperEvent && series.length === 0 && dates.every(({ start, end }) => overAt(start, end) <= now);
}
