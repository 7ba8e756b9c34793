/** The rows of the public edition for the dates of an event, and for prices. */
import { wordsIn } from '../../src/calendar/accessibility.ts';
import { tailOf } from '../../src/calendar/date-address.ts';
import { DAY, formatDay, formatMinute, formatOslo, osloDay } from '../../src/calendar/time.ts';
import { ABSENT, listAt, previousStartOf } from '../../src/snapshot/columns.ts';
import { OCCURRENCE_FLAGS, statusOf } from '../../src/snapshot/flags.ts';
import { type EventFragment, PRICE_PARTS } from '../../src/snapshot/fragments.ts';
import { cellOf, readerOf } from './cells.ts';
import type { NumberedEvent, PublicRow, Put, ReadColumns, SnapshotParts } from './row.ts';

/** Adds the rows of an event's dates and of their own prices. Returns the ordinals of their venues. */
export function putOccurrences(
  { columns, lists }: SnapshotParts,
  { ordinal, eventId, fragment }: NumberedEvent,
  put: Put,
): ReadonlySet<number> {
  const venues = new Set<number>();
  for (const row of listAt(columns.occurrences, columns.occurrencesAt, ordinal)) {
    const venue = at(columns.venue, row);
    if (venue >= 0) venues.add(venue);
    const occurrenceId = `${eventId}@${tailOf({ start: at(columns.start, row), nth: at(columns.nth, row) })}`;
    const ticketsUrl = fragment.ticketsURLs[at(columns.ticketsURL, row)];
    put('occurrence', {
      id: occurrenceId,
      event_id: eventId,
      ...timeCells(columns, row),
      venue_id: lists.venues[venue]?.id ?? null,
      tickets_url: ticketsUrl === undefined ? null : cellOf(JSON.parse(ticketsUrl)),
      ...stateCells(columns, row),
      accessibility: wordsIn(at(columns.accessibility, row)).join(', '),
    });
    const list = at(columns.prices, row);
    if (list !== ABSENT) putPrices(fragment.priceLists[list] ?? [], { eventId, occurrenceId }, put);
  }
  return venues;
}

function timeCells(columns: ReadColumns, row: number): PublicRow {
  const start = at(columns.start, row);
  const end = at(columns.end, row);
  const duration = at(columns.duration, row);
  const isAllDay = isAllDayAt(columns, row);
  // Whole days end at the midnight that follows.
  const endText = isAllDay ? formatDay(osloDay(end - DAY / 2)) : localMinute(end);
  return {
    starts: startText(start, isAllDay),
    ends: end === start ? null : endText,
    start_utc: start,
    end_utc: end,
    over_utc: at(columns.over, row),
    all_day: isAllDay,
    start_time: formatMinute(at(columns.startTime, row)),
    duration: duration < 0 ? null : duration,
  };
}

function stateCells(columns: ReadColumns, row: number): PublicRow {
  const flags = at(columns.occurrenceFlags, row);
  const previousStart = previousStartOf(columns, row);
  return {
    event_cancelled: (flags & OCCURRENCE_FLAGS.cancelled) !== 0,
    status: statusOf(flags),
    previous_starts: previousStart === null ? null : startText(previousStart, isAllDayAt(columns, row)),
    event_sold_out: (flags & OCCURRENCE_FLAGS.soldOut) !== 0,
  };
}

function isAllDayAt(columns: ReadColumns, row: number): boolean {
  return (at(columns.occurrenceFlags, row) & OCCURRENCE_FLAGS.allDay) !== 0;
}

function startText(instant: number, isAllDay: boolean): string {
  return isAllDay ? formatDay(osloDay(instant)) : localMinute(instant);
}

/** Adds the prices of an event, or of one of its dates. */
export function putPrices(
  prices: EventFragment['prices'],
  { eventId, occurrenceId }: { readonly eventId: string; readonly occurrenceId: string | null },
  put: Put,
): void {
  for (const [position, parts] of prices.entries()) {
    const price = readPrice(parts);
    put('price', {
      event_id: eventId,
      occurrence_id: occurrenceId,
      position,
      type: cellOf(price.get('type')),
      price: cellOf(price.get('price')),
      name_nb: cellOf(price.get('name_nb')),
      name_en: cellOf(price.get('name_en')),
    });
  }
}

const readPrice = readerOf(PRICE_PARTS);

/** `YYYY-MM-DD HH:mm` in Norwegian time. */
function localMinute(instant: number): string {
  return formatOslo(instant).slice(0, 16);
}

function at(column: { readonly [index: number]: number }, index: number): number {
  return column[index] ?? 0;
}
