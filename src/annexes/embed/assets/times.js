/**
 * The times of events. They are in Norwegian time, wherever the reader is: so the texts' own digits are shown, and no time zone. A time is a
 * text such as `2026-11-22 19:00:00+01:00`.
 */
import { wordsIn } from './texts.js';

/** Milliseconds. */
export const SECOND = 1_000;
const DAY = 24 * 60 * 60 * SECOND;
/** Milliseconds after its start when an event without an end is over (A1): OPEN_ENDED_SECONDS of the server. */
const OPEN_ENDED = 3 * 60 * 60 * SECOND;

/** The moment when an event is over, in milliseconds since 1970. */
export function overOf({ startDate, endDate }) {
  return startDate === endDate ? momentOf(startDate) + OPEN_ENDED : momentOf(endDate);
}

function momentOf(text) {
  return Date.parse(text.replace(' ', 'T'));
}

/** What an event's line shows of its times: the texts of its day, its last day and its clocks. */
export function timesOf({ startDate, endDate, allDay, repetitions }, now) {
  const isOfDay = (date) => date.startsWith(startDate.slice(0, 10));
  const hasEnd = endDate !== startDate;
  // Midnight is the end of the day before it.
  const endsAtMidnight = allDay || (hasEnd && endDate.slice(11, 16) === '00:00');
  const last = endsAtMidnight ? dayBefore(endDate) : endDate;
  // A night that ends in the small hours is one evening. Only the clocks are shown, so they count, even on the day on which they change.
  const isShort = wallOf(endDate) - wallOf(startDate) <= DAY / 2;
  const isOneDay = isOfDay(last) || isShort;
  const isRunning = startDate.slice(0, 10) < norwegianDay(now) && !isOneDay;
  const clocks = hasEnd && isOneDay ? [startDate, endDate] : [startDate];
  return {
    isRunning,
    day: isRunning ? last : startDate,
    /** Null if the line does not name it. */
    lastDay: isOneDay || isRunning ? null : last,
    clocks: allDay || isRunning ? [] : clocks,
    /** Further dates on the same day. */
    others: repetitions.map((date) => date.startDate).filter(isOfDay),
    dateTime: allDay ? startDate.slice(0, 10) : startDate.replace(' ', 'T'),
  };
}

/** Milliseconds on Norway's clock. */
function wallOf(text) {
  return Date.parse(`${text.slice(0, 10)}T${text.slice(11, 16)}Z`);
}

function dayBefore(text) {
  return new Date(midnightOf(text) - 1).toISOString();
}

/** The day of a text as the browser reads it without a time zone. */
function midnightOf(text) {
  return Date.parse(`${text.slice(0, 10)}T00:00Z`);
}

/** `19.00` in Norwegian, `19:00` in English. */
export function clockText(text, language) {
  const clock = text.slice(11, 16);
  return language === 'en' ? clock : clock.replace(':', '.');
}

/** `lør. 22. nov.`; with the year, if it is another one. */
export function dayAndMonth(text, language) {
  const style = { weekday: 'short', day: 'numeric', month: 'short' };
  return dayText(text, withYear(style, text, norwegianDay(Date.now())), language);
}

/** `fredag 4. desember`; with the year, if it is not that of `near`. */
export function longDay(text, near, language) {
  return dayText(text, withYear({ weekday: 'long', day: 'numeric', month: 'long' }, text, near), language);
}

function withYear(style, text, near) {
  return text.slice(0, 4) === near.slice(0, 4) ? style : { ...style, year: 'numeric' };
}

/** `2026-11-22`: the day in Norway. `now`: milliseconds. */
function norwegianDay(now) {
  return new Date(now).toLocaleDateString('sv-SE', { timeZone: 'Europe/Oslo' });
}

/** Some versions of the data put a comma after an English weekday. */
function dayText(text, style, language) {
  const { locale } = wordsIn(language);
  const day = new Date(midnightOf(text))
    .toLocaleDateString(locale, { ...style, timeZone: 'UTC' })
    .replace(',', '');
  return language === 'nn' ? day.replace(/^(?:man|tirs?|lør)/, (weekday) => WEEKDAYS[weekday]) : day;
}

/** Beginnings of weekdays, in Nynorsk by Bokmål. */
const WEEKDAYS = { man: 'mån', tirs: 'tys', tir: 'tys', lør: 'laur' };
