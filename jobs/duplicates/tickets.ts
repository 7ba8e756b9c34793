/**
 * G9: the precedence of tickets in a joined event. `ticketsInformation` and `prices` are filled in together: they are the details.
 *
 * | record | its tickets become the event's | each date that comes from it has |
 * |---|---|---|
 * | the record that stays | if it has any | the date's own tickets |
 * | of an earlier source | if the event still lacks them | the date's own, or else the record's details |
 * | of a later source | if the event still lacks them | the same, but only what the record that stays lacks |
 *
 * If the joined event has several dates, the tickets of a record with one date never become the event's: one free evening does not make a
 * series free.
 */
import { momentOf } from '../event-dates.ts';
import type { DateRecord, EventRecord } from '../records.ts';
import { isSingle } from './comparable.ts';

/** A record that is joined with others, with its number in the order of the sources. */
interface Joined {
  readonly number: number;
  readonly record: EventRecord;
}

type Tickets = Pick<EventRecord, 'ticketsURL' | 'ticketsInformation' | 'prices'>;

/** The tickets of the joined event. The first member stays. */
export function ticketsOfEvent(members: readonly [Joined, ...Joined[]]): Tickets {
  const [{ record: first }, ...others] = members;
  const isOfOneDate = hasSeveralDates(members) ? isSingle : () => false;
  const ofEvent = others.map(({ record }) => record).filter((record) => !isOfOneDate(record));
  const candidates = [first, ...ofEvent];
  const { ticketsInformation, prices } = candidates.find(hasDetails) ?? first;
  const ticketsURL = candidates.find((record) => record.ticketsURL !== null)?.ticketsURL ?? null;
  return { ticketsURL, ticketsInformation, prices };
}

function hasSeveralDates(members: readonly Joined[]): boolean {
  const dates = members.flatMap(({ record }) => record.dates);
  const moments = new Set(dates.map(({ start, allDay }) => momentOf(start, allDay)));
  return moments.size > 1 || members.some(({ record }) => !isSingle(record));
}

/** Creates the function that returns a date of a member with the tickets that it gives to the joined event. */
export function createDateTickets(first: Joined, event: Tickets) {
  return (date: DateRecord, { number, record }: Joined): DateRecord => {
    if (record === first.record) return date;
    if (number < first.number)
      return { ...date, prices: date.prices ?? (hasDetails(record) ? record.prices : null) };
    // Callers see the next date's tickets as the event's: a later source must not replace those of the record that stays.
    const ofRecord = hasDetails(event) || record.prices.length === 0 ? null : record.prices;
    return {
      ...date,
      ticketsURL: first.record.ticketsURL ?? date.ticketsURL,
      prices: hasDetails(first.record) ? null : (date.prices ?? ofRecord),
    };
  };
}

function hasDetails({ ticketsInformation, prices }: Omit<Tickets, 'ticketsURL'>): boolean {
  return ticketsInformation !== 'noTicketsInfo' || prices.length > 0;
}
