/** The second reading of F4, F5, F7, A1, A2, A12, A15 and A16: from an event's dates and repeats to its occurrences. */
import {
  compactUtc,
  DAY,
  dayOf,
  hourMinute,
  instantOf,
  instantOfWritten,
  readDay,
  readWritten,
  wallOf,
} from './clock.ts';
import type { Venue } from './directory.ts';
import {
  type DateRecord,
  type EventRecord,
  isDateRecord,
  isRepeatRecord,
  type Json,
  type OwnValues,
  olderText,
  type PriceRecord,
  type RepeatRecord,
} from './records.ts';
import { expandRule } from './rules.ts';

export interface Occurrence {
  /** A16. */
  readonly id: string;
  readonly start: number;
  readonly end: number;
  /** A1: the second from which it is no longer valid. */
  readonly over: number;
  readonly startTime: string;
  readonly duration: number | null;
  readonly allDay: boolean;
  readonly venue: Venue | null;
  readonly ticketsURL: string | null;
  readonly eventCancelled: boolean;
  readonly eventSoldOut: boolean;
  readonly prices: readonly Json[] | null;
  /** Of this date alone (E). */
  readonly mode: string | null;
  readonly streamingURL: string | null;
}

/**
 * An event's occurrences in A2's order, rules up to and with `horizonDay`; null when it has neither a sound date
 * nor a sound repeat. A sound repeat may still have none: all of them taken out, or beyond the horizon.
 */
export function readOccurrences(
  event: EventRecord,
  venues: readonly Venue[],
  horizonDay: number,
): readonly Occurrence[] | null {
  const listed = (event.dates ?? []).flatMap((date) =>
    isDateRecord(date) ? readDate(date, event, venues) : [],
  );
  const repeats = (event.repeats ?? []).flatMap((repeat) => {
    const found = isRepeatRecord(repeat) ? readRepeat(repeat, event, venues, horizonDay) : null;
    return found === null ? [] : [found];
  });
  if (listed.length + repeats.length === 0) return null;
  const expanded = repeats.flat();
  // F4: a listed date replaces what a rule puts at the same start.
  const replaced = expanded.filter(({ start }) => !listed.some((date) => date.start === start));
  // A2: start, then end, then position; sorting is stable, so the position needs no saying.
  return [...listed, ...replaced].toSorted((a, b) => a.start - b.start || a.end - b.end).map(numbered);
}

/** A16: the how-manieth with its start it is, in A2's order and among all that the source has. */
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
  return [
    occurrence(
      // A15: a container without dates of its own is never all-day.
      { start, end, startTime: hourMinute(wallOf(start)), duration: null, allDay: false },
      {},
      container,
      venues,
    ),
  ];
}

function readDate(date: DateRecord, event: EventRecord, venues: readonly Venue[]): readonly Occurrence[] {
  const first = readDay(date.start);
  if (first !== null) {
    // A15: from midnight to the midnight after the last day, which is the first where none is given.
    const last = date.end == null ? first : readDay(date.end);
    if (last === null || last < first) return [];
    return dated(
      allDay(instantOf(first), instantOf(last + DAY)),
      { ...date, startTime: null },
      event,
      venues,
    );
  }
  const written = readWritten(date.start);
  const end = date.end == null ? null : readWritten(date.end);
  if (written === null || (date.end != null && end === null)) return [];
  const start = instantOfWritten(written);
  return dated(
    {
      start,
      end: end === null ? null : instantOfWritten(end),
      // F4: as written, so 02:30 stays 02:30 in the night that skips it.
      startTime: hourMinute(written.offset === null ? written.wall : wallOf(start)),
      duration: date.duration ?? null,
      allDay: false,
    },
    date,
    event,
    venues,
  );
}

function allDay(start: number, end: number): Timed {
  return { start, end, startTime: '00:00', duration: null, allDay: true };
}

/** F4: expanded on the wall clock; `end` keeps its distance on the wall clock, `duration` is elapsed time. */
function readRepeat(
  repeat: RepeatRecord,
  event: EventRecord,
  venues: readonly Venue[],
  horizonDay: number,
): readonly Occurrence[] | null {
  const day = readDay(repeat.start);
  if (day !== null) return readDays(repeat, day, event, venues, horizonDay);
  const first = readWall(repeat.start);
  const end = repeat.end == null ? null : readWall(repeat.end);
  if (first === null || (repeat.end != null && end === null) || (end !== null && end < first)) return null;
  const walls = expandRule(repeat.rule, first, horizonDay);
  if (walls === null) return null;
  const except = (repeat.except ?? []).map((text) => {
    const written = readWritten(text);
    return written === null ? null : instantOfWritten(written);
  });
  return walls
    .filter((wall) => !except.includes(instantOf(wall)))
    .flatMap((wall) =>
      dated(
        {
          start: instantOf(wall),
          end: end === null ? null : instantOf(wall + end - first),
          startTime: hourMinute(wall),
          duration: repeat.duration ?? null,
          allDay: false,
        },
        repeat,
        event,
        venues,
      ),
    );
}

/** F4, A15: a repeat whose start is a date alone: the rule gives first days, and each has as many as the first. */
function readDays(
  repeat: RepeatRecord,
  first: number,
  event: EventRecord,
  venues: readonly Venue[],
  horizonDay: number,
): readonly Occurrence[] | null {
  const last = repeat.end == null ? first : readDay(repeat.end);
  const walls = expandRule(repeat.rule, first, horizonDay);
  if (last === null || last < first || walls === null) return null;
  const except = (repeat.except ?? []).map((text) => readDay(text) ?? readWall(text));
  return walls
    .filter((wall) => !except.includes(wall))
    .flatMap((wall) =>
      dated(
        allDay(instantOf(wall), instantOf(wall + last - first + DAY)),
        { ...repeat, startTime: null },
        event,
        venues,
      ),
    );
}

interface Timed {
  readonly start: number;
  readonly end: number | null;
  readonly startTime: string;
  readonly duration: number | null;
  readonly allDay: boolean;
}

/** An end before the start drops the date. */
function dated(
  timed: Timed,
  own: OwnValues,
  event: EventRecord,
  venues: readonly Venue[],
): readonly Occurrence[] {
  if (timed.end !== null && timed.end < timed.start) return [];
  return [occurrence(timed, own, event, venues)];
}

function occurrence(timed: Timed, own: OwnValues, event: EventRecord, venues: readonly Venue[]): Occurrence {
  const { start } = timed;
  // F4: `end` wins over `duration`; with neither, the interface's endDate is the start.
  const end = timed.end ?? start + (timed.duration ?? 0) * 60;
  const venueOf = (id: string | null | undefined) => venues.find((venue) => venue.id === id);
  return {
    id: `${event.id}@${compactUtc(start)}`,
    start,
    end,
    over: end > start ? end : start + 3 * 3600,
    startTime: own.startTime ?? timed.startTime,
    duration: timed.end === null ? timed.duration : Math.round((end - start) / 60),
    allDay: timed.allDay,
    // F5: a date has the event's values unless it has its own; prices stay null.
    venue: venueOf(own.venue) ?? venueOf(event.venue) ?? null,
    ticketsURL: (own.ticketsURL ?? event.ticketsURL) || null,
    eventCancelled: own.eventCancelled ?? event.eventCancelled ?? false,
    eventSoldOut: own.eventSoldOut ?? event.eventSoldOut ?? false,
    prices: own.prices == null ? null : own.prices.map(priceJson),
    mode: olderText(own.mode),
    streamingURL: olderText(own.streamingURL),
  };
}

/** A price as the interface shows it. */
export function priceJson({ type, price, name_nb, name_en }: PriceRecord): Json {
  return { type, price: amountOf(price ?? null), name_nb: name_nb ?? null, name_en: name_en ?? null };
}

/** F7: a number, or digits with an optional fraction as a whole, half up; anything else is null. */
export function amountOf(price: number | string | null): number | null {
  const amount =
    typeof price === 'string' ? wholeOf(price) : price !== null && price >= 0 ? Math.round(price) : null;
  return amount === null || amount > 2 ** 31 - 1 ? null : amount;
}

/** The first digit of the fraction decides, however long it is. */
function wholeOf(text: string): number | null {
  const match = /^(\d+)(?:\.(\d+))?$/.exec(text);
  return match === null ? null : Number(match[1]) + ((match[2] ?? '0') >= '5' ? 1 : 0);
}

function readWall(text: string): number | null {
  const written = readWritten(text);
  if (written === null) return null;
  return written.offset === null ? written.wall : wallOf(instantOfWritten(written));
}

/** The Oslo day on which an occurrence starts. */
export function startDay({ start }: Occurrence): number {
  return dayOf(wallOf(start));
}
