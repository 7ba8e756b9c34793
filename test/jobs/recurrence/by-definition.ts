/**
 * A slow implementation of RFC 5545, for comparison. It tests each day of each period (below DAILY, each second) against each BYxxx part,
 * then applies BYSETPOS, then COUNT and UNTIL. A part that the rule does not have is taken from its start.
 *
 * A "wall" is a reading of the wall clock in seconds since 1970, and a day is a number of days since then.
 */
import { DAY } from '../../../src/calendar/time.ts';

const WEEKDAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'];

/** The occurrences of a rule from `start` to `until`, which are walls. */
export function expandByDefinition(text: string, start: number, until: number): readonly number[] {
  const parts = partsOf(text);
  const count = Number(parts.get('COUNT') ?? Number.POSITIVE_INFINITY);
  const occurrences: number[] = [];
  for (const candidates of candidateSets(parts, start, until)) {
    for (const wall of atPositions(parts, candidates)) {
      if (wall < start) continue;
      if (wall > until || occurrences.length === count) return occurrences;
      occurrences.push(wall);
    }
  }
  return occurrences;
}

/** The parts of a rule by their names: `FREQ` is `DAILY`. */
type Parts = ReadonlyMap<string, string>;

function partsOf(text: string): Parts {
  const parts = new Map<string, string>();
  for (const part of text.split(';')) {
    const [name = '', value = ''] = part.split('=');
    parts.set(name, value);
  }
  return parts;
}

/** For each period, the walls that meet all parts but BYSETPOS, COUNT and UNTIL. */
function* candidateSets(parts: Parts, start: number, until: number): Generator<readonly number[]> {
  const seconds = { SECONDLY: 1, MINUTELY: 60, HOURLY: 3600 }[parts.get('FREQ') ?? ''];
  if (seconds !== undefined) return yield* candidatesBelowDaily(parts, start, { until, seconds });
  const startDay = Math.floor(start / DAY);
  const times = timesOfDay(parts, start);
  for (const days of periods(parts, startDay, Math.floor(until / DAY))) {
    const chosen = days.filter((day) => meetsDayParts(parts, day, startDay));
    yield chosen.flatMap((day) => times.map((time) => day * DAY + time));
  }
}

interface ClockPeriods {
  readonly until: number;
  /** The length of a period. */
  readonly seconds: number;
}

function* candidatesBelowDaily(
  parts: Parts,
  start: number,
  { until, seconds }: ClockPeriods,
): Generator<readonly number[]> {
  const interval = Number(parts.get('INTERVAL') ?? 1);
  const first = Math.floor(start / seconds);
  for (let period = first; period * seconds <= until; period += interval) {
    const candidates: number[] = [];
    for (let wall = period * seconds; wall < (period + 1) * seconds; wall++) {
      const isAtTime = meetsTimeParts(parts, wall, { start, seconds });
      if (isAtTime && meetsDayParts(parts, Math.floor(wall / DAY), 0)) candidates.push(wall);
    }
    yield candidates;
  }
}

const CLOCK_UNITS = [
  { part: 'BYSECOND', seconds: 1, count: 60 },
  { part: 'BYMINUTE', seconds: 60, count: 60 },
  { part: 'BYHOUR', seconds: 3600, count: 24 },
];

interface Period {
  /** The start of the rule. */
  readonly start: number;
  /** Its length. */
  readonly seconds: number;
}

/** Without its part, a unit that is shorter than the period is that of the start, and any other may have any value. */
function meetsTimeParts(parts: Parts, wall: number, { start, seconds }: Period): boolean {
  return CLOCK_UNITS.every((unit) => {
    const valueAt = (time: number) => Math.floor(time / unit.seconds) % unit.count;
    const allowed = numbers(parts, unit.part);
    if (allowed !== undefined) return allowed.includes(valueAt(wall));
    return unit.seconds >= seconds || valueAt(wall) === valueAt(start);
  });
}

function numbers(parts: Parts, name: string): readonly number[] | undefined {
  const text = parts.get(name);
  return text === undefined ? undefined : numbersIn(text);
}

// The rules of a calendar ask for the same days thousands of times.
const numbersIn = memoised((text: string) => text.split(',').map(Number));
const dateOf = (day: number) => new Date(day * DAY * 1000);
const monthOf = memoised((day: number) => dateOf(day).getUTCMonth());
const yearOf = memoised((day: number) => dateOf(day).getUTCFullYear());
/** Monday is 0. */
const weekdayOf = memoised((day: number) => (dateOf(day).getUTCDay() + 6) % 7);

function memoised<Key, Value>(work: (key: Key) => Value): (key: Key) => Value {
  const results = new Map<Key, Value>();
  return (key) => {
    const known = results.get(key);
    if (known !== undefined) return known;
    const result = work(key);
    results.set(key, result);
    return result;
  };
}

/** The days of each period that the rule applies to. */
function* periods(parts: Parts, first: number, lastDay: number): Generator<readonly number[]> {
  const interval = Number(parts.get('INTERVAL') ?? 1);
  const weekStart = weekStartOf(parts);
  const weekOf = (day: number) => Math.floor((day - ((weekdayOf(day) - weekStart + 7) % 7)) / 7);
  const numberOf = {
    DAILY: (day: number) => day,
    WEEKLY: weekOf,
    MONTHLY: (day: number) => yearOf(day) * 12 + monthOf(day),
    YEARLY: yearOf,
  }[parts.get('FREQ') ?? ''];
  if (numberOf === undefined)
    throw new Error(`expected a frequency from DAILY up, found ${parts.get('FREQ')}`);
  // The first period may begin before the start, and BYSETPOS counts from its beginning.
  let day = first;
  while (numberOf(day - 1) === numberOf(first)) day--;
  let period: number[] = [];
  for (; day <= lastDay + 366; day++) {
    if ((numberOf(day) - numberOf(first)) % interval !== 0) continue;
    const last = period.at(-1);
    if (last !== undefined && numberOf(last) !== numberOf(day)) {
      yield period;
      period = [];
    }
    period.push(day);
  }
  yield period;
}

function meetsDayParts(parts: Parts, day: number, startDay: number): boolean {
  return (
    (numbers(parts, 'BYMONTH')?.includes(monthOf(day) + 1) ?? true) &&
    isOneOf(numbers(parts, 'BYMONTHDAY'), () => positionInMonth(day)) &&
    isOneOf(numbers(parts, 'BYYEARDAY'), () => positionInYear(day)) &&
    isOneOf(numbers(parts, 'BYWEEKNO'), () => weekInYear(day, weekStartOf(parts))) &&
    meetsWeekdays(parts, day) &&
    meetsStart(parts, day, startDay)
  );
}

const weekStartOf = (parts: Parts) => WEEKDAYS.indexOf(parts.get('WKST') ?? 'MO');

/** Where a day is in its month or year, or a week in its year. */
interface Position {
  /** From 1. */
  readonly number: number;
  /** The number of the last one. */
  readonly last: number;
}

function positionInMonth(day: number): Position {
  const [year, month] = [yearOf(day), monthOf(day)];
  return positionBetween(day, dayOf(year, month), dayOf(year, month + 1));
}

function positionInYear(day: number): Position {
  const year = yearOf(day);
  return positionBetween(day, dayOf(year, 0), dayOf(year + 1, 0));
}

/** The first day of a month. */
const dayOf = (year: number, month: number) => Date.UTC(year, month) / 1000 / DAY;

function positionBetween(day: number, begin: number, end: number): Position {
  return { number: day - begin + 1, last: end - begin };
}

/** A negative number counts from the end: -1 is the last. */
function isOneOf(allowed: readonly number[] | undefined, position: () => Position): boolean {
  if (allowed === undefined) return true;
  const { number, last } = position();
  return allowed.some((one) => number === (one > 0 ? one : last + 1 + one));
}

/** A week belongs to the year that has most of its days, which is the year of its fourth day. */
function weekInYear(day: number, weekStart: number): Position {
  const begin = day - ((weekdayOf(day) - weekStart + 7) % 7);
  const fourthDay = begin + 3;
  const year = yearOf(fourthDay);
  let number = 1;
  while (yearOf(fourthDay - 7 * number) === year) number++;
  let last = number;
  while (yearOf(fourthDay + 7 * (last - number + 1)) === year) last++;
  return { number, last };
}

function meetsWeekdays(parts: Parts, day: number): boolean {
  const weekdays = parts.get('BYDAY')?.split(',');
  return weekdays === undefined || weekdays.some((text) => isWeekday(parts, text, day));
}

/** `text`: `MO` is any Monday, `2MO` the second and `-1MO` the last one of the month or year. */
function isWeekday(parts: Parts, text: string, day: number): boolean {
  if (WEEKDAYS[weekdayOf(day)] !== text.slice(-2)) return false;
  const ordinal = Number(text.slice(0, -2));
  if (ordinal === 0) return true;
  const isInMonth = parts.get('FREQ') === 'MONTHLY' || parts.has('BYMONTH');
  const { number, last } = isInMonth ? positionInMonth(day) : positionInYear(day);
  const fromBegin = Math.ceil(number / 7);
  const fromEnd = Math.ceil((last - number + 1) / 7);
  return ordinal > 0 ? ordinal === fromBegin : -ordinal === fromEnd;
}

/** Without a part that chooses days, they are like the day of the start. */
function meetsStart(parts: Parts, day: number, startDay: number): boolean {
  if (['BYDAY', 'BYMONTHDAY', 'BYYEARDAY'].some((name) => parts.has(name))) return true;
  const isSameWeekday = weekdayOf(day) === weekdayOf(startDay);
  if (parts.has('BYWEEKNO')) return isSameWeekday;
  const isSameDate = dateOf(day).getUTCDate() === dateOf(startDay).getUTCDate();
  const isSameMonth = monthOf(day) === monthOf(startDay);
  const byFrequency: Readonly<Record<string, boolean>> = {
    WEEKLY: isSameWeekday,
    MONTHLY: isSameDate,
    YEARLY: isSameDate && (parts.has('BYMONTH') || isSameMonth),
  };
  return byFrequency[parts.get('FREQ') ?? ''] ?? true;
}

/** The times of each day, in seconds after midnight. */
function timesOfDay(parts: Parts, start: number): readonly number[] {
  const time = start - Math.floor(start / DAY) * DAY;
  const hours = numbers(parts, 'BYHOUR') ?? [Math.floor(time / 3600)];
  const minutes = numbers(parts, 'BYMINUTE') ?? [Math.floor(time / 60) % 60];
  const seconds = numbers(parts, 'BYSECOND') ?? [time % 60];
  const times = hours.flatMap((hour) =>
    minutes.flatMap((minute) => seconds.map((second) => hour * 3600 + minute * 60 + second)),
  );
  return [...new Set(times)].sort((a, b) => a - b);
}

function atPositions(parts: Parts, candidates: readonly number[]): readonly number[] {
  const positions = numbers(parts, 'BYSETPOS');
  const last = candidates.length;
  return candidates.filter((_, index) => isOneOf(positions, () => ({ number: index + 1, last })));
}
