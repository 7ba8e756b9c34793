/** The oracle for F4, F5, F7, A1, A2, A12, A15 and A16: from an event's dates and repeats to its occurrences. */
import {
  compactUtc,
  DAY,
  dayOf,
  hourMinute,
  instantOf,
  readArgument,
  readDay,
  readInstant,
  readWall,
  wallOf,
} from './clock.ts';
import type { Venue } from './directory.ts';
import {
  type DateRecord,
  type EventRecord,
  type Fields,
  type Json,
  type OwnValues,
  olderText,
  type PriceRecord,
  type RepeatRecord,
} from './records.ts';
import { expandRule } from './rules.ts';

export type Occurrence = ReturnType<typeof occurrence>;

/** What a date or a repeat may state in place of its event's values. */
type DateValues = OwnValues & Fields<string | null, 'previousStart'>;

/**
 * An event's occurrences in A2's order, rules up to and with `horizonDay`; null when it has neither a sound date
 * nor a sound repeat. A sound repeat may still have none: all of them taken out, or beyond the horizon.
 */
export function readOccurrences(
  event: EventRecord,
  venues: readonly Venue[],
  horizonDay: number,
): readonly Occurrence[] | null {
  const occurrencesOf = (dateValues: DateValues, times: readonly Times[]) =>
    times
      .filter(({ start, end }) => end === null || end >= start)
      .map((one) => occurrence(one, dateValues, event, venues));
  const dates = (event.dates ?? []).map((date) => occurrencesOf(date, timesOfDate(date)));
  const repeats = (event.repeats ?? []).flatMap((repeat) => {
    const times = timesOfRepeat(repeat, horizonDay);
    return times === null ? [] : [occurrencesOf(repeat, times)];
  });
  const listed = dates.flat();
  if (listed.length + repeats.length === 0) return null;
  // F4: a listed date replaces an occurrence of a rule at the same start.
  const others = repeats.flat().filter(({ start }) => !listed.some((date) => date.start === start));
  // A2: start, then end, then position; sorting is stable, so the position needs no saying.
  return [...listed, ...others].toSorted((a, b) => a.start - b.start || a.end - b.end).map(numbered);
}

/** A16: with a number in its id if earlier ones, in A2's order, have the same start. Counts all that the source has. */
function numbered(one: Occurrence, place: number, all: readonly Occurrence[]): Occurrence {
  const nth = all.slice(0, place + 1).filter(({ start }) => start === one.start).length;
  return nth === 1 ? one : { ...one, id: `${one.id}-${nth}` };
}

/** A10: one occurrence from the earliest start to the latest end; none of none. */
export function spanOf(
  programme: readonly Occurrence[],
  container: EventRecord,
  venues: readonly Venue[],
): readonly Occurrence[] {
  if (programme.length === 0) return [];
  const start = Math.min(...programme.map((part) => part.start));
  const end = Math.max(...programme.map((part) => part.end));
  // A15: a container without dates of its own is never all-day.
  const times = { start, end, startTime: hourMinute(wallOf(start)), duration: null, allDay: false };
  return [occurrence(times, {}, container, venues)];
}

/** An occurrence's own times, in seconds. */
interface Times {
  readonly start: number;
  /** Null where none is given. */
  readonly end: number | null;
  readonly startTime: string;
  readonly duration: number | null;
  readonly allDay: boolean;
}

function timesOfDate({ start, end, duration }: DateRecord): readonly Times[] {
  const first = readDay(start);
  if (first !== null) {
    const last = readDay(end ?? start);
    return last === null || last < first ? [] : [wholeDays(first, last)];
  }
  const [starts, ends, wall] = [readInstant(start), readInstant(end ?? start), readWall(start)];
  if (starts === null || ends === null || wall === null) return [];
  const values = { duration: duration ?? null, startTime: hourMinute(wall), allDay: false };
  return [{ ...values, start: starts, end: end == null ? null : ends }];
}

/** A15: from midnight to the midnight after the last day, which is the first where none is given. */
function wholeDays(first: number, last: number): Times {
  const [start, end] = [instantOf(first), instantOf(last + DAY)];
  return { start, end, startTime: '00:00', duration: null, allDay: true };
}

/** F4: expanded on the wall clock; `end` keeps its distance on the wall clock, `duration` is elapsed time. */
function timesOfRepeat(repeat: RepeatRecord, horizonDay: number): readonly Times[] | null {
  const { rule, start, end, duration, except } = repeat;
  const allDay = readDay(start) !== null;
  const read = allDay ? readDay : readWall;
  const [first, last] = [read(start), read(end ?? start)];
  if (first === null || last === null || last < first) return null;
  const gone = (except ?? []).map(allDay ? readArgument : readInstant);
  const walls = expandRule(rule, first, horizonDay);
  if (walls === null) return null;
  const kept = walls.filter((wall) => !gone.includes(instantOf(wall)));
  if (allDay) return kept.map((wall) => wholeDays(wall, wall + last - first));
  return kept.map((wall) => ({
    start: instantOf(wall),
    end: end == null ? null : instantOf(wall + last - first),
    startTime: hourMinute(wall),
    duration: duration ?? null,
    allDay,
  }));
}

function occurrence(times: Times, dateValues: DateValues, event: EventRecord, venues: readonly Venue[]) {
  const { start, duration, allDay } = times;
  // F4: `end` wins over `duration`; with neither, the interface's endDate is the start.
  const end = times.end ?? start + (duration ?? 0) * 60;
  const venueOf = (id: string | null | undefined) => venues.find((venue) => venue.id === id);
  return {
    // A16.
    id: `${event.id}@${compactUtc(start)}`,
    start,
    end,
    // A1: the second from which it is no longer valid.
    over: end > start ? end : start + 3 * 3600,
    startTime: (allDay ? null : dateValues.startTime) ?? times.startTime,
    duration: times.end === null ? duration : Math.round((end - start) / 60),
    allDay,
    // F5: a date has the event's values unless it has its own; prices stay null.
    venue: venueOf(dateValues.venue) ?? venueOf(event.venue) ?? null,
    ticketsURL: (dateValues.ticketsURL ?? event.ticketsURL) || null,
    ...stateOf(dateValues, event),
    eventSoldOut: dateValues.eventSoldOut ?? event.eventSoldOut ?? false,
    prices: dateValues.prices == null ? null : dateValues.prices.map(priceJson),
    // E: of this date alone.
    mode: olderText(dateValues.mode),
    streamingURL: olderText(dateValues.streamingURL),
  };
}

/** E12: a date's own state, then that it was moved, then its event's; at one level the word comes before the flag. */
function stateOf(dateValues: DateValues, event: EventRecord) {
  const before = readDay(dateValues.previousStart ?? '') ?? null;
  const moved = before === null ? readInstant(dateValues.previousStart ?? '') : instantOf(before);
  const dateState = givenState(dateValues);
  const isMoved = moved !== null && dateValues.status == null && dateState !== 'CANCELLED';
  const status = isMoved ? 'RESCHEDULED' : (dateState ?? givenState(event) ?? 'SCHEDULED');
  return {
    status,
    eventCancelled: ['CANCELLED', 'POSTPONED'].includes(status),
    previousStart: status === 'RESCHEDULED' ? moved : null,
  };
}

function givenState({ status, eventCancelled }: OwnValues): string | null {
  if (status != null) return status.toUpperCase();
  if (eventCancelled == null) return null;
  return eventCancelled ? 'CANCELLED' : 'SCHEDULED';
}

/** A price as the interface shows it. */
export function priceJson({ type, price, name_nb, name_en }: PriceRecord): Json {
  return { type, price: amountOf(price ?? null), name_nb: name_nb ?? null, name_en: name_en ?? null };
}

/** F7: a number, or digits with an optional fraction as a whole, half up; anything else is null, as are thousands (`1.200`). */
export function amountOf(price: number | string | null): number | null {
  const amount = typeof price === 'string' ? wholeOf(price) : roundedOf(price);
  return amount === null || amount > 2 ** 31 - 1 ? null : amount;
}

function roundedOf(price: number | null): number | null {
  return price !== null && price >= 0 ? Math.round(price) : null;
}

/** The first digit of the fraction decides, however long it is. */
function wholeOf(text: string): number | null {
  const match = /^(\d+)(?:\.(\d+))?$/.exec(text);
  if (match === null) return null;
  const [, whole = '', fraction = ''] = match;
  const isThousands = whole.length <= 3 && fraction.length === 3 && !whole.startsWith('0');
  const roundsUp = fraction >= '5';
  return isThousands ? null : Number(whole) + (roundsUp ? 1 : 0);
}

/** The Oslo day on which an occurrence starts. */
export function startDay({ start }: Occurrence): number {
  return dayOf(wallOf(start));
}
