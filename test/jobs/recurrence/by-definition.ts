/**
 * RFC 5545 read the slow way, as a second opinion: every day of every period (below DAILY, every second that may be one) is
 * asked whether it meets each BYxxx part, then BYSETPOS picks, then COUNT and UNTIL cut. What a rule leaves out comes from
 * its start.
 */
import { DAY } from '../../../src/calendar/time.ts';

const WEEKDAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'];

/** Wall clock readings from `start` to `until`. */
export function expandByDefinition(text: string, start: number, until: number): readonly number[] {
  const parts = new Map(text.split(';').map((part) => [part.split('=')[0] ?? '', part.split('=')[1] ?? '']));
  const count = Number(parts.get('COUNT') ?? Number.POSITIVE_INFINITY);
  const found: number[] = [];
  for (const set of sets(parts, start, until)) {
    for (const wall of atPositions(parts, set)) {
      if (wall < start) continue;
      if (wall > until || found.length === count) return found;
      found.push(wall);
    }
  }
  return found;
}

function* sets(parts: Parts, start: number, until: number): Generator<readonly number[]> {
  const seconds = { SECONDLY: 1, MINUTELY: 60, HOURLY: 3600 }[parts.get('FREQ') ?? ''];
  if (seconds !== undefined) return yield* clockSets(parts, start, { until, seconds });
  for (const days of periods(parts, Math.floor(start / DAY), Math.floor(until / DAY))) {
    const meant = days.filter((day) => isMeant(parts, day, Math.floor(start / DAY)));
    yield meant.flatMap((day) => timesOf(parts, start).map((time) => day * DAY + time));
  }
}

interface Clock {
  readonly until: number;
  /** The length of a period. */
  readonly seconds: number;
}

function* clockSets(parts: Parts, start: number, { until, seconds }: Clock): Generator<readonly number[]> {
  const interval = Number(parts.get('INTERVAL') ?? 1);
  const first = Math.floor(start / seconds);
  for (let period = first; period * seconds <= until; period += interval) {
    const set: number[] = [];
    for (let wall = period * seconds; wall < (period + 1) * seconds; wall++)
      if (isTime(parts, wall, { start, seconds }) && isMeant(parts, Math.floor(wall / DAY), 0))
        set.push(wall);
    yield set;
  }
}

/** A part that a rule does not have is the start's where the period is longer than it, else anything. */
function isTime(
  parts: Parts,
  wall: number,
  { start, seconds }: { readonly start: number; readonly seconds: number },
): boolean {
  const units = [
    ['BYSECOND', 1, 60],
    ['BYMINUTE', 60, 60],
    ['BYHOUR', 3600, 24],
  ] as const;
  return units.every(([name, unit, of]) => {
    const value = Math.floor(wall / unit) % of;
    const wanted = numbers(parts, name);
    if (wanted !== undefined) return wanted.includes(value);
    return unit >= seconds || value === Math.floor(start / unit) % of;
  });
}

type Parts = ReadonlyMap<string, string>;

const numbers = (parts: Parts, name: string) => parts.get(name)?.split(',').map(Number);
const dateOf = (day: number) => new Date(day * DAY * 1000);
const monthOf = (day: number) => dateOf(day).getUTCMonth();
const yearOf = (day: number) => dateOf(day).getUTCFullYear();
/** Monday is 0. */
const weekdayOf = (day: number) => (dateOf(day).getUTCDay() + 6) % 7;

function* periods(parts: Parts, first: number, last: number): Generator<readonly number[]> {
  const interval = Number(parts.get('INTERVAL') ?? 1);
  const weekStart = WEEKDAYS.indexOf(parts.get('WKST') ?? 'MO');
  const weekOf = (day: number) => Math.floor((day - ((weekdayOf(day) - weekStart + 7) % 7)) / 7);
  const numberOf = {
    DAILY: (day: number) => day,
    WEEKLY: weekOf,
    MONTHLY: (day: number) => yearOf(day) * 12 + monthOf(day),
    YEARLY: yearOf,
  }[parts.get('FREQ') ?? ''];
  if (numberOf === undefined)
    throw new Error(`expected a frequency from DAILY up, found ${parts.get('FREQ')}`);
  // The period that the start lies in begins before it: BYSETPOS counts from there.
  let day = first;
  while (numberOf(day - 1) === numberOf(first)) day--;
  let period: number[] = [];
  for (; day <= last + 366; day++) {
    if ((numberOf(day) - numberOf(first)) % interval !== 0) continue;
    const before = period.at(-1);
    if (before !== undefined && numberOf(before) !== numberOf(day)) {
      yield period;
      period = [];
    }
    period.push(day);
  }
  yield period;
}

function isMeant(parts: Parts, day: number, first: number): boolean {
  return (
    (numbers(parts, 'BYMONTH')?.includes(monthOf(day) + 1) ?? true) &&
    isOneOf(numbers(parts, 'BYMONTHDAY'), () => inMonth(day)) &&
    isOneOf(numbers(parts, 'BYYEARDAY'), () => inYear(day)) &&
    isOneOf(numbers(parts, 'BYWEEKNO'), () => weekNumber(day, WEEKDAYS.indexOf(parts.get('WKST') ?? 'MO'))) &&
    (parts
      .get('BYDAY')
      ?.split(',')
      .some((text) => isWeekday(parts, text, day)) ??
      true) &&
    isLikeTheStart(parts, day, first)
  );
}

/** Which of how many a day is among its neighbours of the same month or year, from 1. */
interface Place {
  readonly nth: number;
  readonly of: number;
}

const inMonth = (day: number) => placeIn(day, [yearOf(day), monthOf(day)], [yearOf(day), monthOf(day) + 1]);
const inYear = (day: number) => placeIn(day, [yearOf(day), 0], [yearOf(day) + 1, 0]);

type Month = readonly [year: number, month: number];

function placeIn(day: number, first: Month, next: Month): Place {
  const [begin, end] = [Date.UTC(...first) / 1000 / DAY, Date.UTC(...next) / 1000 / DAY];
  return { nth: day - begin + 1, of: end - begin };
}

function isOneOf(wanted: readonly number[] | undefined, place: () => Place): boolean {
  if (wanted === undefined) return true;
  const { nth, of } = place();
  return wanted.some((one) => nth === (one > 0 ? one : of + 1 + one));
}

/** A week belongs to the year that has most of its days. */
function weekNumber(day: number, weekStart: number): Place {
  const begin = day - ((weekdayOf(day) - weekStart + 7) % 7);
  const year = yearOf(begin + 3);
  let nth = 1;
  while (yearOf(begin + 3 - 7 * nth) === year) nth++;
  let of = nth;
  while (yearOf(begin + 3 + 7 * (of - nth + 1)) === year) of++;
  return { nth, of };
}

function isWeekday(parts: Parts, text: string, day: number): boolean {
  if (WEEKDAYS[weekdayOf(day)] !== text.slice(-2)) return false;
  const wanted = Number(text.slice(0, -2));
  if (wanted === 0) return true;
  const isInMonth = parts.get('FREQ') === 'MONTHLY' || parts.has('BYMONTH');
  const { nth, of } = isInMonth ? inMonth(day) : inYear(day);
  return wanted > 0 ? wanted === Math.ceil(nth / 7) : -wanted === Math.ceil((of - nth + 1) / 7);
}

function isLikeTheStart(parts: Parts, day: number, first: number): boolean {
  const sameWeekday = weekdayOf(day) === weekdayOf(first);
  const sameDate = dateOf(day).getUTCDate() === dateOf(first).getUTCDate();
  if (['BYDAY', 'BYMONTHDAY', 'BYYEARDAY'].some((name) => parts.has(name))) return true;
  if (parts.has('BYWEEKNO')) return sameWeekday;
  const byFrequency: Readonly<Record<string, boolean>> = {
    WEEKLY: sameWeekday,
    MONTHLY: sameDate,
    YEARLY: sameDate && (parts.has('BYMONTH') || monthOf(day) === monthOf(first)),
  };
  return byFrequency[parts.get('FREQ') ?? ''] ?? true;
}

function timesOf(parts: Parts, start: number): readonly number[] {
  const time = start - Math.floor(start / DAY) * DAY;
  const hours = numbers(parts, 'BYHOUR') ?? [Math.floor(time / 3600)];
  const minutes = numbers(parts, 'BYMINUTE') ?? [Math.floor(time / 60) % 60];
  const seconds = numbers(parts, 'BYSECOND') ?? [time % 60];
  const times = hours.flatMap((hour) =>
    minutes.flatMap((minute) => seconds.map((second) => hour * 3600 + minute * 60 + second)),
  );
  return [...new Set(times)].sort((a, b) => a - b);
}

function atPositions(parts: Parts, set: readonly number[]): readonly number[] {
  const positions = numbers(parts, 'BYSETPOS');
  if (positions === undefined) return set;
  return set.filter((_, place) => positions.some((one) => place === (one > 0 ? one - 1 : set.length + one)));
}
