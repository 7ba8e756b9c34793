/** Values of properties (RFC 5545, 3.3): texts, dates, times, durations, and a few common, unambiguous mistakes. */
import { decodeHTMLStrict } from 'entities/decode';
import { parseSourceDatetime } from '../../../../src/calendar/input-datetime.ts';
import { DAY, HOUR, instantIn, type OffsetAt, osloOffset } from '../../../../src/calendar/time.ts';
import { utc, wallIn } from '../../../recurrence/clocks.ts';
import type { ZoneName } from '../../../recurrence/series.ts';
import { decodeLine } from '../../../source/encodings.ts';
import type { Property } from './properties.ts';

/** A clock, and its name in a file. */
export interface Zone {
  readonly name: ZoneName;
  readonly offsetAt: OffsetAt;
}

export const UTC: Zone = { name: 'UTC', offsetAt: utc };
export const OSLO: Zone = { name: 'Europe/Oslo', offsetAt: osloOffset };

/** A reading of a clock; both numbers are whole seconds. */
export interface Moment {
  readonly wall: number;
  readonly zone: Zone;
  /** A day without a time of day; `wall` is its beginning. */
  readonly isDate: boolean;
}

/** The instant at which the clock of the moment shows it. */
export function instantOfMoment({ wall, zone }: Moment): number {
  return instantIn(zone.offsetAt, wall);
}

/** The reading of a series' clock that identifies a date of the series, in any notation. */
export function seriesReading(start: Moment, date: Moment): number {
  const day = (wall: number) => Math.floor(wall / DAY) * DAY;
  // Programs exclude days from a series by the instant at which they begin in Norway.
  if (start.isDate) return day(date.zone === UTC ? wallIn(osloOffset, date.wall) : date.wall);
  if (date.isDate) return date.wall + start.wall - day(start.wall);
  return readingIn(start, date);
}

/** The reading of the series' clock at that moment. */
export function readingIn({ zone }: Moment, moment: Moment): number {
  return moment.zone === zone ? moment.wall : wallIn(zone.offsetAt, instantOfMoment(moment));
}

const MOMENT =
  /^(\d{4})-?(\d{2})-?(\d{2})(?:[T ]?(\d{2}):?(\d{2})(?::?(\d{2})(?:[.,]\d+)?)?)?(Z|[+-]\d{2}:?\d{2})?$/;

/** Null if it is invalid. `zone` is that of the property's TZID, or Norway's (a floating time means the reader's place). */
export function readMoment(written: string, zone: Zone): Moment | null {
  const match = MOMENT.exec(written.trim().toUpperCase());
  if (match === null) return null;
  const [, year, month, day, hour, minute = '00', second = '00', offset] = match;
  const date = `${year}-${month}-${day}`;
  const midnight = parseSourceDatetime(`${date} 00:00Z`)?.instant;
  if (midnight === undefined) return null;
  if (hour === undefined) return offset === undefined ? { wall: midnight, zone, isDate: true } : null;
  const seconds = secondsOf(hour, minute, second);
  if (seconds === null) return null;
  const wall = midnight + seconds;
  if (offset === undefined) return { wall, zone, isDate: false };
  const ahead = offset === 'Z' ? 0 : offsetOf(offset);
  return ahead === null ? null : { wall: wall - ahead, zone: UTC, isDate: false };
}

/** `240000` is the following midnight, `60` a leap second, which no clock here shows. */
function secondsOf(hour: string, minute: string, second: string): number | null {
  const [hours, minutes, seconds] = [Number(hour), Number(minute), Math.min(Number(second), 59)];
  if (hours > 24 || minutes > 59 || Number(second) > 60 || (hours === 24 && minutes + seconds > 0))
    return null;
  return hours * HOUR + minutes * 60 + seconds;
}

/** Seconds of `±HHMM[SS]`. */
export function offsetOf(written: string): number | null {
  const match = /^([+-])(\d{2}):?(\d{2}):?(\d{2})?$/.exec(written.trim());
  if (match === null) return null;
  const [, sign, hours, minutes, seconds = '0'] = match;
  const size = Number(hours) * HOUR + Number(minutes) * 60 + Number(seconds);
  if (size >= DAY) return null;
  return sign === '-' ? -size : size;
}

const DURATION =
  /^([+-]?)P(?=\w)(?:(\d{1,6})W)?(?:(\d{1,7})D)?(?:T(?:(\d{1,8})H)?(?:(\d{1,9})M)?(?:(\d{1,10})S)?)?$/;

/** Days and seconds are apart, because days are counted on the calendar, hours in elapsed time. */
export interface Duration {
  readonly days: number;
  readonly seconds: number;
}

/** Null if it is invalid, or negative: nothing ends before it starts. */
export function readDuration(written: string): Duration | null {
  const match = DURATION.exec(written.trim().toUpperCase());
  if (match === null) return null;
  const [, sign, weeks = '0', days = '0', hours = '0', minutes = '0', seconds = '0'] = match;
  if (/^[+-]?PT?$/.test(match[0])) return null;
  const duration = {
    days: 7 * Number(weeks) + Number(days),
    seconds: HOUR * Number(hours) + 60 * Number(minutes) + Number(seconds),
  };
  const isZero = duration.days === 0 && duration.seconds === 0;
  return sign === '-' && !isZero ? null : duration;
}

/** TEXT (3.3.11), or the quoted-printable text of vCalendar 1.0. Control characters except line feeds and tabs are dropped. */
export function textValueOf({ value, parameters }: Property): string {
  const isPrintable = parameters.get('ENCODING')?.toUpperCase() === 'QUOTED-PRINTABLE';
  const text = isPrintable ? fromPrintable(value) : unescapeText(value);
  return text.replace(/\r\n?/g, '\n').replace(CONTROLS, '').trim();
}

/** The text of a value that was HTML on a page: `Rock &amp; roll`, `Høst &#8211; vinter`. */
export function plainTextOf(property: Property): string {
  return decodeHTMLStrict(textValueOf(property)).trim();
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROLS = /[\0-\x08\x0b-\x1f\x7f]/g;

/** A list of TEXT values, separated by unescaped commas. Empty ones are dropped. */
export function textsOf({ value, parameters, ...rest }: Property): readonly string[] {
  const parts = value.match(/(?:\\[\s\S]?|[^\\,])+/g) ?? [];
  return parts.map((part) => plainTextOf({ ...rest, parameters, value: part })).filter((text) => text !== '');
}

function unescapeText(value: string): string {
  return value.replace(/\\([nN,;:"\\])/g, (_, letter: string) => (/n/i.test(letter) ? '\n' : letter));
}

/** Its CHARSET is not needed: it is UTF-8, or what Windows-1252 has. */
function fromPrintable(value: string): string {
  const bytesOf = (run: string) => Buffer.from(run.replaceAll('=', ''), 'hex').toString('latin1');
  return value.replace(/(?:=[0-9A-F]{2})+/gi, (run) => decodeLine(bytesOf(run)).text);
}

/** An RRULE without escaped separators, empty parts, parts that state a default (RFC 7529), and `ignored` parts. */
export function plainRule(written: string, ignored?: RegExp): string {
  return written
    .replace(/\\(?=[,;])/g, '')
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part !== '' && !STATES_A_DEFAULT.test(part) && ignored?.test(part) !== true)
    .join(';');
}

const STATES_A_DEFAULT = /^(?:RSCALE=GREGORIAN|SKIP=OMIT)$/i;
