/**
 * F15: the limits of correction sheets. A sheet may be limited to the records of some feeds (`onlyFeeds`) and to some municipalities (`area`).
 * Whatever depends on a limit asks this file: which events a row matches, which finding says why it does not, and what a row does to the other
 * records of an event that is joined from several.
 */
import { listOfFeed } from '../../src/calendar/feed-ids.ts';
import type { VenueId } from '../event-dates.ts';
import type { Area } from '../naming/areas.ts';
import type { Edit, EventRecord } from '../records.ts';
import { addFinding } from '../validate/entry-findings.ts';
import type { Correction } from './read.ts';

type Limit = Pick<Correction, 'onlyFeeds' | 'area'>;

/** `onlyFeeds`: null if there is no limit. `feed`: null for the folder's own records, which no limited sheet may correct. */
export function allowsFeed(onlyFeeds: readonly string[] | null, feed: string | null): boolean {
  return onlyFeeds === null || (feed !== null && onlyFeeds.includes(feed));
}

/** Whether a correction may apply to an event at these venues. A correction of certain dates applies if any of them is in the area. */
export function allowsVenues(area: Area | null, venues: Iterable<VenueId>, isForDates: boolean): boolean {
  if (area === null) return true;
  return isForDates ? [...venues].some(area.includesVenue) : [...venues].every(area.includesVenue);
}

/** The finding's words about an event of this feed; null if the sheet may correct it. `Area` has those about places. */
export function outsideFeeds(onlyFeeds: readonly string[] | null, feed: string | null) {
  if (onlyFeeds === null || allowsFeed(onlyFeeds, feed)) return null;
  return {
    expected: `an event of ${[...new Set(onlyFeeds.map(listOfFeed))].join(' or ')}`,
    foundText: feed === null ? "one of the folder's own records" : `one of ${feed}`,
  };
}

/** Whether it is of an event in all of its sources. A limited one leaves records of other sources as they are. */
export function isOfAllSources({ event, onlyFeeds, area }: Correction): boolean {
  return event !== null && onlyFeeds === null && area === null;
}

/**
 * What a limited sheet hides or empties in one record of a joined event holds for the whole event if all of its records lie within the limit.
 * Limits have numbers, because records are in a file while they are joined.
 */
export interface Limits {
  /** The limit of a correction of one event; null for one without a limit, or of events by other conditions. */
  readonly numberOf: (correction: Correction) => number | null;
  /** The limits that a record lies within. */
  readonly around: (record: EventRecord) => readonly number[];
}

export function createLimits(corrections: readonly Correction[]): Limits {
  const limits: Limit[] = [];
  const numbers = new Map<Correction, number>();
  for (const correction of corrections) {
    const { event, onlyFeeds, area } = correction;
    if (event === null || isOfAllSources(correction)) continue;
    // All rows of a sheet share both.
    const known = limits.findIndex((limit) => limit.onlyFeeds === onlyFeeds && limit.area === area);
    numbers.set(correction, known === -1 ? limits.push(correction) - 1 : known);
  }
  return {
    numberOf: (correction) => numbers.get(correction) ?? null,
    around: (record) => limits.flatMap((limit, number) => (isWithin(record, limit) ? number : [])),
  };
}

function isWithin(record: EventRecord, { onlyFeeds, area }: Limit): boolean {
  return allowsFeed(onlyFeeds, record.feed) && (area === null || area.includesRecord(record));
}

/** The corrections that hide a record, but the others of its event only if these lie within the limit, too. */
export function limitedHiding(
  hiding: readonly Correction[],
  limits: Limits,
): NonNullable<EventRecord['hiddenBy']> {
  return hiding.flatMap((correction) => {
    const limit = limits.numberOf(correction);
    return limit === null ? [] : { number: correction.number, limit };
  });
}

/** Whether a row that hides one of the records, which are joined to one event, hides the whole event. */
export function areHiddenTogether(records: readonly EventRecord[]): boolean {
  return records.some(({ hiddenBy = [] }) => hiddenBy.some(({ limit }) => areWithin(records, limit)));
}

/** Whether an edit that empties a field in one of the records does so in the whole event, so that no other record fills the field. */
export function isEmptiedInAll({ limit }: Edit, records: readonly EventRecord[]): boolean {
  return limit === null || areWithin(records, limit);
}

function areWithin(records: readonly EventRecord[], limit: number): boolean {
  return records.every(({ withinLimits }) => withinLimits?.includes(limit) ?? false);
}

/** Creates the function that reports that an event is hidden in some of its records alone. `others`: the ids of those that stay. */
export function partlyHiddenReporter(corrections: readonly Correction[]) {
  return ({ id, hiddenBy = [] }: EventRecord, others: readonly string[]): void => {
    for (const { number } of hiddenBy) {
      const subject = corrections[number]?.subject;
      const expected = 'an event with no records outside the limit of the sheet';
      const foundText = others.map((other) => JSON.stringify(other)).join(', ');
      if (subject !== undefined)
        addFinding({ ...subject, id }, 'dropped value', { at: ['hide'], expected, foundText });
    }
  };
}
