/**
 * Oslo time for the oracle, found by asking Intl and searching, so that it shares nothing with the
 * product's own time. An instant is whole seconds since 1970 in UTC. A wall reading is the same kind of number:
 * the seconds since 1970 that a UTC clock would count if it showed what the wall clock in Oslo shows.
 */

const HOUR = 3600;
export const DAY = 86_400;

const OSLO = new Intl.DateTimeFormat('en-GB', {
  timeZone: 'Europe/Oslo',
  hourCycle: 'h23',
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
});

/** Offsets change on whole UTC hours only, so one question to Intl an hour is enough. */
const offsets = new Map<number, number>();

/** The wall clock in Oslo at an instant. */
export function wallOf(instant: number): number {
  const hour = Math.floor(instant / HOUR);
  const known = offsets.get(hour);
  if (known !== undefined) return instant + known;
  const parts = new Map(
    OSLO.formatToParts(hour * HOUR * 1000).map(({ type, value }) => [type, Number(value)]),
  );
  const read = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? Number.NaN;
  const wall = Date.UTC(read('year'), read('month') - 1, read('day'), read('hour'), read('minute')) / 1000;
  offsets.set(hour, wall - hour * HOUR);
  return wallOf(instant);
}

/** A12: the instant at which Oslo's clock shows `wall`; of two the first; one that is skipped moves forward. */
export function instantOf(wall: number): number {
  // Earliest instant first: summer time (+02:00) comes before winter time (+01:00) in the doubled hour.
  const found = [2 * HOUR, HOUR].map((offset) => wall - offset).find((instant) => wallOf(instant) === wall);
  // No clock shows it: a clock change skips it. In winter time it is later by the gap.
  return found ?? wall - HOUR;
}

/** A13: `YYYY-MM-DD HH:mm:ss±HH:mm` in Oslo. */
export function formatOslo(instant: number): string {
  const wall = wallOf(instant);
  return `${textOf(wall)}+0${(wall - instant) / HOUR}:00`;
}

/** A13: the bookkeeping dates, in UTC. */
export function formatUtc(instant: number): string {
  return `${textOf(instant)}+00:00`;
}

/** `HH:mm` of a wall reading. */
export function hourMinute(wall: number): string {
  return textOf(wall).slice(11, 16);
}

/** Days since 1970 of the calendar day that a wall reading belongs to. */
export function dayOf(wall: number): number {
  return Math.floor(wall / DAY);
}

/** A day so many months later; the last of the month when the month is too short. */
export function addMonths(day: number, months: number): number {
  const { year, month, date } = partsOf(day);
  const first = Date.UTC(year, month - 1 + months, 1) / 1000 / DAY;
  return first + Math.min(date, daysInMonth(first)) - 1;
}

/** Year, month (1–12), day of the month and weekday (0 Monday – 6 Sunday) of a day. */
export function partsOf(day: number) {
  const at = new Date(day * DAY * 1000);
  return {
    year: at.getUTCFullYear(),
    month: at.getUTCMonth() + 1,
    date: at.getUTCDate(),
    weekday: (at.getUTCDay() + 6) % 7,
  };
}

/** How many days the month of this day has. */
export function daysInMonth(day: number): number {
  const { year, month } = partsOf(day);
  return new Date(Date.UTC(year, month, 0)).getUTCDate();
}

/** `YYYY-MM-DD HH:mm:ss` of a wall reading. */
export function textOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, 19).replace('T', ' ');
}

/** A datetime as written: its wall reading, and its offset in seconds when one was written. */
interface Written {
  readonly wall: number;
  readonly offset: number | null;
}

const FORM = /^(\d{4})-(\d{2})-(\d{2})[ T](\d{2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?(Z|[+-]\d{2}(?::?\d{2})?)?$/;

/** F4's forms; null when it is none of them, or no such day, time or offset exists. */
export function readWritten(text: string): Written | null {
  const match = FORM.exec(text);
  if (match === null) return null;
  const [year = 0, month = 0, date = 0, hour = 0, minute = 0, second = 0] = match
    .slice(1, 7)
    .map((part) => Number(part ?? 0));
  const at = new Date(Date.UTC(year, month - 1, date, hour, minute, second));
  // No such day or time: it is another one, counted on.
  if (!at.toISOString().startsWith(text.slice(0, 16).replace(' ', 'T'))) return null;
  const offset = match[7] === undefined ? null : readOffset(match[7]);
  return offset === undefined ? null : { wall: at.getTime() / 1000, offset };
}

/** F4: the wall reading of the midnight that a date alone begins with; null when it is none. */
export function readDay(text: string): number | null {
  return text.length === 10 ? (readWritten(`${text} 00:00`)?.wall ?? null) : null;
}

/** A16: `YYYYMMDDTHHMMSSZ`. */
export function compactUtc(instant: number): string {
  return `${textOf(instant).replace(/[-:]/g, '').replace(' ', 'T')}Z`;
}

/** A14: Z, ±HH, ±HHmm or ±HH:mm within ±14:00; undefined when it is beyond. */
function readOffset(text: string): number | undefined {
  if (text === 'Z') return 0;
  const hours = Number(text.slice(1, 3));
  const minutes = Number(text.slice(3).replace(':', ''));
  if (minutes > 59 || hours * 60 + minutes > 14 * 60) return undefined;
  return (text.startsWith('-') ? -1 : 1) * (hours * HOUR + minutes * 60);
}

/** F4: without an offset it is Oslo's wall clock; with one it is that instant. Null when it is none of F4's forms. */
export function readInstant(text: string | null | undefined): number | null {
  const written = readWritten(text ?? '');
  if (written === null) return null;
  return written.offset === null ? instantOf(written.wall) : written.wall - written.offset;
}

/** F4: what Oslo's clock shows then; as it is written where no offset is, so 02:30 stays 02:30 in the night that skips it. */
export function readWall(text: string): number | null {
  const written = readWritten(text);
  if (written === null || written.offset === null) return written?.wall ?? null;
  return wallOf(written.wall - written.offset);
}

/** A14: as F4's forms, with blanks around them and before an offset, and a date alone is its 00:00. */
export function readArgument(given: string): number | null {
  const text = given.trim().replace(/(:\d{2}(?:\.\d+)?) +(?=Z$|[+-][\d:]+$)/, '$1');
  const day = readDay(text);
  return day === null ? readInstant(text) : instantOf(day);
}
