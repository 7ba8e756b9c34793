/** Datetimes, days and times of day as people and sources write them: in arguments (A14) and in records (F4). */
import { DAY, HOUR, instantOf, startOfDay, wallOf } from './time.ts';

/**
 * A14: an input datetime as an instant; null if it is invalid. Without an offset (`YYYY-MM-DD HH:mm[:ss]`, `T` for the space) it is
 * Norwegian wall clock, and a date alone means its midnight. A fraction of a second is ignored, and so are blanks around the datetime and
 * before its offset.
 */
export function parseInputDatetime(given: string): number | null {
  const text = given.trim();
  const day = parseSourceDay(text);
  if (day !== null) return startOfDay(day);
  return parseSourceDatetime(withoutBlankBeforeOffset(text))?.instant ?? null;
}

function withoutBlankBeforeOffset(text: string): string {
  const blank = text.lastIndexOf(' ');
  const last = text.slice(blank + 1);
  const isOffset = blank !== -1 && /^[Z+-]/.test(last);
  return isOffset ? text.slice(0, blank).trimEnd() + last : text;
}

/** A source's datetime (F4). */
export interface SourceDatetime {
  readonly instant: number;
  /** The Norwegian wall clock: as written, even if a clock change skips that, or at the instant if it was written with an offset. */
  readonly wall: number;
}

/**
 * F4: `YYYY-MM-DD HH:mm[:ss]` (or `T`) is Norwegian wall clock; with an offset it is that instant. Null if it is neither. A fraction of a
 * second is ignored.
 */
export function parseSourceDatetime(text: string): SourceDatetime | null {
  const parts = SOURCE.exec(text)?.groups;
  if (parts === undefined) return null;
  const { date = '', minute = '', second = '', offset: written } = parts;
  const wall = parseWall(date, minute + second);
  if (wall === null) return null;
  if (written === undefined) return { instant: instantOf(wall), wall };
  const { sign, hours = '0', minutes = '0' } = parts;
  const offset = (sign === '-' ? -1 : 1) * (Number(hours) * HOUR + Number(minutes) * 60);
  if (Number(minutes) > 59 || Math.abs(offset) > MAX_OFFSET) return null;
  const instant = wall - offset;
  return { instant, wall: wallOf(instant) };
}

const SOURCE = new RegExp(
  [
    String.raw`^(?<date>\d{4}-\d{2}-\d{2})[ T](?<minute>\d{2}:\d{2})`,
    String.raw`(?:(?<second>:\d{2})(?:\.\d+)?)?`,
    String.raw`(?<offset>Z|(?<sign>[+-])(?<hours>\d{2})(?::?(?<minutes>\d{2}))?)?$`,
  ].join(''),
);
const MAX_OFFSET = 14 * HOUR;

/** F4: a date alone, `YYYY-MM-DD`, as days since 1970-01-01; null if it is invalid. */
export function parseSourceDay(text: string): number | null {
  const wall = /^\d{4}-\d{2}-\d{2}$/.test(text) ? parseWall(text, '00:00:00') : null;
  return wall === null ? null : wall / DAY;
}

/** Minutes since midnight of `HH:mm`, or null. `24:00` is null here: only the right end of a range may have it. */
export function parseMinute(text: string): number | null {
  const match = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(text);
  return match === null ? null : Number(match[1]) * 60 + Number(match[2]);
}

function parseWall(date: string, time: string): number | null {
  const reading = new Date(`${date}T${time}Z`);
  // It turns 30 February into 2 March, and 24:00 into the next day: a day that does not round-trip is invalid.
  const isValid = !Number.isNaN(reading.getTime()) && reading.toISOString().startsWith(date);
  return isValid ? reading.getTime() / 1_000 : null;
}
