/**
 * Rules that say which of a period's days they mean, asked day by day: of a day, a week or a year, all days that meet every
 * part, at each of the rule's times, of which BYSETPOS picks some.
 *
 * The library would do as well, but for two things. In years it loses conditions when several meet (`BYYEARDAY` with `BYDAY`,
 * `1MO,TU` and such). And through days and weeks it steps with date objects: 6.3 ms for the summers of `FREQ=DAILY;BYMONTH=6,7,8`
 * up to the horizon, against 0.7 ms here.
 */
import { DAY, HOUR } from '../../src/calendar/time.ts';
import { type Day, dayOf, daysOfYear, type Place, weekdayOf } from './almanac.ts';
import { type ByName, type Frequency, type Rule, WEEKDAYS } from './rule.ts';

export interface Period {
  /** Wall clock reading at which it begins. */
  readonly begin: number;
  /** How many days and times were to be looked at. */
  readonly candidates: number;
  /** Wall clock readings, ascending; in the first period also those before the start. */
  readonly readings: () => readonly number[];
}

/** The rule's periods from the one that `from` lies in, for ever; null when the rule is not one to ask days. */
export function periodsOf(rule: Rule, start: number, from: number): Iterable<Period> | null {
  const daysFrom = PERIODS[rule.frequency];
  const isAsked = rule.frequency !== 'YEARLY' || DAY_PARTS.some((name) => rule.by.has(name));
  return daysFrom === undefined || !isAsked
    ? null
    : periods(rule, start, daysFrom(rule, dayIn(start), dayIn(from)));
}

const dayIn = (wall: number) => Math.floor(wall / DAY);

function* periods(rule: Rule, start: number, all: Iterable<readonly Day[]>): Generator<Period> {
  const tests = testsOf(rule, start);
  const times = timesOfDay(rule, start);
  const positions = numbersOf(rule, 'BYSETPOS');
  for (const days of all) {
    yield {
      begin: (days[0]?.number ?? 0) * DAY,
      candidates: days.length * times.length,
      readings: () => {
        const meant = days.filter((day) => tests.every((test) => test(day)));
        if (meant.length === 0) return [];
        return picked(positions, meant.length * times.length).map((place) => {
          const inDay = place % times.length;
          return (meant[(place - inDay) / times.length]?.number ?? 0) * DAY + (times[inDay] ?? 0);
        });
      },
    };
  }
}

type DaysFrom = (rule: Rule, start: number, from: number) => Iterable<readonly Day[]>;

const weekStartOf = (rule: Rule) => WEEKDAYS.indexOf(rule.weekStart);

/** The days of each of a rule's periods, of which there is one every INTERVAL units. */
const PERIODS: Readonly<Partial<Record<Frequency, DaysFrom>>> = {
  *DAILY(rule, start, from) {
    for (let day = atOrBefore(start, from, rule.interval); ; day += rule.interval) yield daysAt(rule, day, 1);
  },
  *WEEKLY(rule, start, from) {
    const week = start - ((weekdayOf(start) - weekStartOf(rule) + 7) % 7);
    const step = 7 * rule.interval;
    for (let day = atOrBefore(week, from, step); ; day += step) yield daysAt(rule, day, 7);
  },
  *YEARLY(rule, start, from) {
    const first = dayOf(start, 0)?.year ?? 0;
    const year = atOrBefore(first, dayOf(from, 0)?.year ?? first, rule.interval);
    for (let at = year; ; at += rule.interval) yield daysOfYear(at, weekStartOf(rule));
  },
};

/** The last of `first`, `first + step` … that is not after `from`. */
function atOrBefore(first: number, from: number, step: number): number {
  return first + Math.max(0, Math.floor((from - first) / step)) * step;
}

function daysAt(rule: Rule, first: number, length: number): readonly Day[] {
  const weekStart = weekStartOf(rule);
  return Array.from({ length }, (_, at) => dayOf(first + at, weekStart)).filter((day) => day !== undefined);
}

/** Times of day at which the rule's days have a start, in seconds, ascending. */
function timesOfDay(rule: Rule, start: number): readonly number[] {
  const time = start - dayIn(start) * DAY;
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
function picked(positions: readonly number[] | null, size: number): readonly number[] {
  if (positions === null) return Array.from({ length: size }, (_, place) => place);
  const places = positions.map((position) => (position > 0 ? position - 1 : size + position));
  return [...new Set(places)].filter((place) => place >= 0 && place < size).sort((a, b) => a - b);
}

const DAY_PARTS: readonly ByName[] = ['BYDAY', 'BYMONTHDAY', 'BYYEARDAY', 'BYWEEKNO'];

type Test = (day: Day) => boolean;

function testsOf(rule: Rule, start: number): readonly Test[] {
  const months = numbersOf(rule, 'BYMONTH');
  const tests = PLACES.flatMap(([name, placeOf]): readonly Test[] => {
    const wanted = numbersOf(rule, name);
    return wanted === null ? [] : [(day) => wanted.some((one) => meets(placeOf(day), one))];
  });
  if (months !== null) tests.push((day) => months.includes(day.month));
  const weekdays = weekdaysOf(rule, start)?.map((text) => weekdayTest(text, months !== null));
  if (weekdays !== undefined) tests.push((day) => weekdays.some((test) => test(day)));
  return tests;
}

const PLACES = [
  ['BYMONTHDAY', (day: Day) => day.monthDay],
  ['BYYEARDAY', (day: Day) => day.yearDay],
  ['BYWEEKNO', (day: Day) => day.week],
] as const;

function meets({ at, of }: Place, wanted: number): boolean {
  return at === (wanted > 0 ? wanted : of + 1 + wanted);
}

/** A week alone says no day, neither as a period nor by its number: it is the weekday of the start. */
function weekdaysOf(rule: Rule, start: number): readonly string[] | undefined {
  const given = DAY_PARTS.filter((name) => rule.by.has(name));
  const isWeekAlone =
    rule.frequency === 'WEEKLY' ? given.length === 0 : given.length === 1 && given[0] === 'BYWEEKNO';
  return isWeekAlone ? [WEEKDAYS[weekdayOf(dayIn(start))] ?? ''] : rule.by.get('BYDAY');
}

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

function numbersOf(rule: Rule, name: ByName): readonly number[] | null {
  return rule.by.get(name)?.map(Number) ?? null;
}
