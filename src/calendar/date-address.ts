/**
 * I12: the pages of events on this program's site (I11), and `?date=`, which names one date of an event there. A date is named by its start
 * on the Norwegian clock, an all-day one by its day. Where another date has the same name and comes first, its name is the tail of its id
 * (A16).
 */
import { parseSourceDatetime, parseSourceDay } from './input-datetime.ts';
import { compactUtc, DAY, formatDay, HOUR, instantOf, timeOfDay, wallOf } from './time.ts';

/** The values that tell the dates of one event apart. */
interface Dated {
  /** Instant. */
  readonly start: number;
  /** A16: counts the event's dates of this start, from 1. */
  readonly nth: number;
  readonly isAllDay: boolean;
}

/** The value of `date` that names this date: `2026-12-04T18:00`. */
export function dateText({ start, nth, isAllDay }: Dated): string {
  const wall = wallOf(start);
  const isNamedByClock = nth <= 1 && wall % 60 === 0 && instantOf(wall) === start;
  if (!isNamedByClock) return tailOf({ start, nth });
  const day = formatDay(Math.floor(wall / DAY));
  return isAllDay ? day : `${day}T${timeOfDay(wall)}`;
}

/** A16: the text after the event's id. */
export function tailOf({ start, nth }: Pick<Dated, 'start' | 'nth'>): string {
  return nth > 1 ? `${compactUtc(start)}-${nth}` : compactUtc(start);
}

/** A date as an address names it. */
export type NamedDate =
  | { readonly kind: 'day'; readonly day: number }
  /** A wall clock reading. */
  | { readonly kind: 'minute'; readonly wall: number }
  | { readonly kind: 'tail'; readonly start: number; readonly nth: number };

/** The date that a value of `date` names; null if it cannot be read. */
export function readDateText(text: string): NamedDate | null {
  const day = parseSourceDay(text);
  if (day !== null) return { kind: 'day', day };
  const [, date = '', hour = '', minute = ''] = MINUTE.exec(text) ?? [];
  const dayOfMinute = parseSourceDay(date);
  if (dayOfMinute === null) return readTail(text);
  const wall = dayOfMinute * DAY + Number(hour) * HOUR + Number(minute) * 60;
  return { kind: 'minute', wall };
}

const MINUTE = /^(\d{4}-\d{2}-\d{2})T([01]\d|2[0-3]):([0-5]\d)$/;

/** `20261204T180000Z-2`. */
export function readTail(text: string): Extract<NamedDate, { readonly kind: 'tail' }> | null {
  const [, year, month, date, hour, minute, second, nth = '1'] = TAIL.exec(text) ?? [];
  const found = parseSourceDatetime(`${year}-${month}-${date}T${hour}:${minute}:${second}Z`);
  return found && { kind: 'tail', start: found.instant, nth: Number(nth) };
}

const TAIL = /^(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})Z(?:-([1-9]\d{0,3}))?$/;

/** Whether the date is the one that is named. A day names the first all-day date that begins on it. */
export function isNamed(named: NamedDate, { start, nth, isAllDay }: Dated): boolean {
  if (named.kind === 'tail') return named.start === start && named.nth === Math.max(1, nth);
  const wall = wallOf(start);
  if (named.kind === 'minute') return named.wall === wall - (wall % 60);
  return isAllDay && Math.floor(wall / DAY) === named.day;
}

/** The page of such a site that lists its events. */
const LIST_PATH = '/events.html';

/** The list of events on the site that this program makes at an address, which ends with a slash. */
export function ownSiteAt(address: string): string {
  return `${address.replace(/\/$/, '')}${LIST_PATH}`;
}

/** The address of the pages of events up to their slugs, on a site that this program makes; null for any other site. */
export function eventPagesOf(siteUrl: string): string | null {
  return siteUrl.endsWith(LIST_PATH) ? `${siteUrl.slice(0, -LIST_PATH.length)}/events/` : null;
}
