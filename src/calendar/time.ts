/**
 * Time in the calendar. Two kinds of number, both in whole seconds: an *instant* counts from 1970-01-01T00:00:00Z; a *wall* clock reading
 * counts the same way as if Norway were on UTC, so that arithmetic on days and times of day is plain division.
 */
import { DateTime, IANAZone } from 'luxon';

export const HOUR = 3_600;
export const DAY = 86_400;
/** A1: the time that an occurrence without an end lasts. */
export const OPEN_ENDED_SECONDS = 3 * HOUR;

/** A1: the first second at which the occurrence is no longer valid. */
export function overAt(start: number, end: number): number {
  return end > start ? end : start + OPEN_ENDED_SECONDS;
}

/** Seconds that Norway is ahead of UTC at an instant. */
export function osloOffset(instant: number): number {
  return offsetOn(Math.floor(instant / DAY)) ?? zoneOffset(instant);
}

/**
 * By the day in UTC; null for a day on which the offset changes, which it does once at most. A build asks a million times, and the zone
 * library is slow.
 */
const offsetOn: (day: number) => number | null = rememberedByDay((day) => {
  const atBegin = zoneOffset(day * DAY);
  return atBegin === zoneOffset((day + 1) * DAY) ? atBegin : null;
});

/** Days that are remembered; the longest horizon, 120 months, has 3,653. */
const MOST_DAYS = 4_096;

function rememberedByDay<Value>(make: (day: number) => Value): (day: number) => Value {
  const cache = new Map<number, Value>();
  return (day) => {
    const cached = cache.get(day);
    if (cached !== undefined) return cached;
    const made = make(day);
    if (cache.size === MOST_DAYS) cache.clear();
    cache.set(day, made);
    return made;
  };
}

function zoneOffset(instant: number): number {
  // Not before it is needed: to look for the zone takes long.
  const seconds = secondsAhead(IANAZone.create('Europe/Oslo'), instant);
  if (Number.isNaN(seconds)) throw new RangeError(`expected an instant, found ${instant}`);
  return seconds;
}

function secondsAhead(zone: IANAZone, instant: number): number {
  return Math.round(zone.offset(instant * 1_000) * 60);
}

export function wallOf(instant: number): number {
  return instant + osloOffset(instant);
}

/**
 * The instant of a wall clock reading in Norway. A12: a time that the clock change skips moves forward by the gap; a time that exists twice
 * means the first.
 */
export function instantOf(wall: number): number {
  return instantIn(osloOffset, wall);
}

/** Seconds that a place is ahead of UTC at an instant. */
export type OffsetAt = (instant: number) => number;

/** The instant of a wall clock reading at any place; RFC 5545 treats skipped and doubled times like A12 (`instantOf`). */
export function instantIn(offsetAt: OffsetAt, wall: number): number {
  // The offset a day earlier is the one before any change of that night; no two changes are that close.
  const before = offsetAt(wall - DAY);
  const after = offsetAt(wall + DAY);
  const early = wall - before;
  if (before === after || offsetAt(early) === before) return early;
  const late = wall - after;
  // Neither offset yields this reading: it was skipped, and by the old offset it lies past the change by the gap.
  return offsetAt(late) === after ? late : early;
}

/** The clock of a place by its name in the time zone database; null if the name is unknown. */
export function zoneNamed(name: string): OffsetAt | null {
  if (!IANAZone.isValidZone(name)) return null;
  const zone = IANAZone.create(name);
  return (instant) => secondsAhead(zone, instant);
}

/** `HH:mm` of a wall clock reading. */
export function timeOfDay(wall: number): string {
  return formatMinute(minuteOf(wall));
}

/** Days from 1970-01-01 to the Norwegian calendar day of an instant. */
export function osloDay(instant: number): number {
  return Math.floor(wallOf(instant) / DAY);
}

/** Monday is 0; 1970-01-01 was a Thursday. */
export function weekdayOf(day: number): number {
  return (((day + 3) % 7) + 7) % 7;
}

/** Minutes since midnight on the Norwegian wall clock. */
export function osloMinute(instant: number): number {
  return minuteOf(wallOf(instant));
}

function minuteOf(wall: number): number {
  return Math.floor((wall - Math.floor(wall / DAY) * DAY) / 60);
}

/** The instant at which a Norwegian calendar day begins. */
export function startOfDay(day: number): number {
  return instantOf(day * DAY);
}

/** A13: `YYYY-MM-DD HH:mm:ss±HH:mm` with the offset in force in Norway at that moment. */
export function formatOslo(instant: number): string {
  const offset = osloOffset(instant);
  return formatWall(instant + offset) + formatOffset(offset);
}

/** `2026-05-17T17:30:00Z`, as in ISO 8601. */
export function isoSecond(instant: number): string {
  return new Date(instant * 1_000).toISOString().replace('.000Z', 'Z');
}

/** `20260517T173000Z`, as in iCalendar. */
export function compactUtc(instant: number): string {
  return `${compacted(formatWall(instant))}Z`;
}

/** `20260517T173000` of `2026-05-17 17:30:00` and any text after it. */
export function compacted(datetime: string): string {
  return datetime.slice(0, 19).replaceAll(/[-:]/g, '').replace(' ', 'T');
}

/** `YYYY-MM-DD HH:mm:ss` of a wall clock reading in the years 0 to 9999. */
export function formatWall(wall: number): string {
  const day = Math.floor(wall / DAY);
  const second = wall - day * DAY;
  return `${formatDay(day)} ${formatMinute(Math.floor(second / 60))}:${pad(second % 60)}`;
}

/** `YYYY-MM-DD` of a day number. */
export const formatDay: (day: number) => string = rememberedByDay((day) =>
  new Date(day * DAY * 1_000).toISOString().slice(0, 10),
);

/** `HH:mm` of minutes since midnight. */
export function formatMinute(minute: number): string {
  return `${pad(Math.floor(minute / 60))}:${pad(minute % 60)}`;
}

/** The same day of the month that many months later, or that month's last day (day numbers in and out). */
export function addMonths(day: number, months: number): number {
  const date = DateTime.fromSeconds(day * DAY, { zone: 'utc' }).plus({ months });
  return Math.floor(date.toSeconds() / DAY);
}

function formatOffset(seconds: number): string {
  const minutes = Math.floor(Math.abs(seconds) / 60);
  return `${seconds < 0 ? '-' : '+'}${pad(Math.floor(minutes / 60))}:${pad(minutes % 60)}`;
}

function pad(value: number): string {
  return TWO_DIGITS[value] ?? String(value);
}

const TWO_DIGITS = Array.from({ length: 60 }, (_, value) => String(value).padStart(2, '0'));
