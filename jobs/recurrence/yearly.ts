/**
 * Years whose days are chosen by weekday, day of the month or year, or week. The library that expands other rules loses
 * conditions when several of these meet in a year (`BYYEARDAY` with `BYDAY`, `1MO,TU` and such), so they are worked out here:
 * all days of the year that meet every part, at each of the rule's times, of which BYSETPOS picks some.
 */
import { DAY, HOUR } from '../../src/calendar/time.ts';
import { type ByName, type Rule, WEEKDAYS } from './rule.ts';

export const YEARLY_DAY_PARTS: readonly ByName[] = ['BYDAY', 'BYMONTHDAY', 'BYYEARDAY', 'BYWEEKNO'];

/** Wall clock readings that a rule gives in one year, ascending, whenever it begins. */
export function readingsOfYear(rule: Rule, start: number, year: number): readonly number[] {
  const tests = testsOf(rule, start);
  const days = daysOfYear(year, WEEKDAYS.indexOf(rule.weekStart)).filter((day) =>
    tests.every((test) => test(day)),
  );
  const times = timesOfDay(rule, start);
  return picked(rule, days.length * times.length).map((place) => {
    const inDay = place % times.length;
    return (days[(place - inDay) / times.length]?.number ?? 0) * DAY + (times[inDay] ?? 0);
  });
}

/** Times of day at which the rule's days have a start, in seconds, ascending. */
export function timesOfDay(rule: Rule, start: number): readonly number[] {
  const time = start - Math.floor(start / DAY) * DAY;
  const hours = numbersOf(rule, 'BYHOUR') ?? [Math.floor(time / HOUR)];
  const minutes = numbersOf(rule, 'BYMINUTE') ?? [Math.floor(time / 60) % 60];
  const seconds = numbersOf(rule, 'BYSECOND')?.filter((second) => second < 60) ?? [time % 60];
  return hours
    .flatMap((hour) =>
      minutes.flatMap((minute) => seconds.map((second) => hour * HOUR + minute * 60 + second)),
    )
    .sort((a, b) => a - b);
}

/** BYSETPOS: places among so many, ascending; all of them without it. */
function picked(rule: Rule, size: number): readonly number[] {
  const positions = numbersOf(rule, 'BYSETPOS');
  if (positions === null) return Array.from({ length: size }, (_, place) => place);
  const places = positions.map((position) => (position > 0 ? position - 1 : size + position));
  return [...new Set(places)].filter((place) => place >= 0 && place < size).sort((a, b) => a - b);
}

interface Day {
  /** Since 1970-01-01. */
  readonly number: number;
  readonly month: number;
  readonly monthDay: Place;
  readonly yearDay: Place;
  readonly week: Place;
  readonly weekday: number;
}

/** One of so many, counted from 1: the 3rd of 31 is also the -29th. */
interface Place {
  readonly at: number;
  readonly of: number;
}

const meets = ({ at, of }: Place, wanted: number) => at === (wanted > 0 ? wanted : of + 1 + wanted);

type Test = (day: Day) => boolean;

function testsOf(rule: Rule, start: number): readonly Test[] {
  const months = numbersOf(rule, 'BYMONTH');
  const tests = PLACES.flatMap(([name, placeOf]): readonly Test[] => {
    const wanted = numbersOf(rule, name);
    return wanted === null ? [] : [(day) => wanted.some((one) => meets(placeOf(day), one))];
  });
  if (months !== null) tests.push((day) => months.includes(day.month));
  // A week alone says no day: it is the weekday of the start.
  const isWeekAlone = YEARLY_DAY_PARTS.every((name) => rule.by.has(name) === (name === 'BYWEEKNO'));
  const weekdays = isWeekAlone ? [WEEKDAYS[weekdayOf(Math.floor(start / DAY))] ?? ''] : rule.by.get('BYDAY');
  if (weekdays !== undefined) {
    const wanted = weekdays.map((text) => weekdayTest(text, months !== null));
    tests.push((day) => wanted.some((test) => test(day)));
  }
  return tests;
}

const PLACES = [
  ['BYMONTHDAY', (day: Day) => day.monthDay],
  ['BYYEARDAY', (day: Day) => day.yearDay],
  ['BYWEEKNO', (day: Day) => day.week],
] as const;

/** `TU` is every Tuesday; `2TU` and `-1TU` count in the month where the rule names months, else in the year. */
function weekdayTest(text: string, inMonth: boolean): Test {
  const names: readonly string[] = WEEKDAYS;
  const weekday = names.indexOf(text.slice(-2));
  const ordinal = Number(text.slice(0, -2));
  if (ordinal === 0) return (day) => day.weekday === weekday;
  return (day) => {
    const { at, of } = inMonth ? day.monthDay : day.yearDay;
    const nth = ordinal > 0 ? Math.ceil(at / 7) : -Math.ceil((of + 1 - at) / 7);
    return day.weekday === weekday && nth === ordinal;
  };
}

const known = new Map<string, readonly Day[]>();
/** A build asks for the same two or three years for every rule. */
const MOST_KNOWN = 50;

function daysOfYear(year: number, weekStart: number): readonly Day[] {
  const key = `${year} ${weekStart}`;
  const days = known.get(key) ?? workOutDays(year, weekStart);
  if (known.size === MOST_KNOWN) known.clear();
  known.set(key, days);
  return days;
}

function workOutDays(year: number, weekStart: number): readonly Day[] {
  const first = dayNumber(year, 0);
  const length = dayNumber(year + 1, 0) - first;
  const weeks = [year - 1, year, year + 1, year + 2].map((of) => firstWeek(of, weekStart));
  const days: Day[] = [];
  for (let month = 0; month < 12; month++) {
    const begin = dayNumber(year, month);
    const of = dayNumber(year, month + 1) - begin;
    for (let at = 1; at <= of; at++) {
      const number = begin + at - 1;
      days.push({
        number,
        month: month + 1,
        monthDay: { at, of },
        yearDay: { at: number - first + 1, of: length },
        week: weekOf(number, weeks),
        weekday: weekdayOf(number),
      });
    }
  }
  return days;
}

/** The first week of a year is the first with at least four days in it. */
function firstWeek(year: number, weekStart: number): number {
  const fourth = dayNumber(year, 0) + 3;
  return fourth - ((weekdayOf(fourth) - weekStart + 7) % 7);
}

function weekOf(day: number, firstWeeks: readonly number[]): Place {
  const next = firstWeeks.findIndex((first) => first > day);
  const begin = firstWeeks[next - 1] ?? 0;
  return { at: Math.floor((day - begin) / 7) + 1, of: ((firstWeeks[next] ?? 0) - begin) / 7 };
}

/** Monday is 0; 1970-01-01 was a Thursday. */
function weekdayOf(day: number): number {
  return (((day + 3) % 7) + 7) % 7;
}

function dayNumber(year: number, month: number): number {
  const date = new Date(0);
  date.setUTCFullYear(year, month, 1);
  return date.getTime() / 1000 / DAY;
}

function numbersOf(rule: Rule, name: ByName): readonly number[] | null {
  return rule.by.get(name)?.map(Number) ?? null;
}
