/** The periods of a rule (RFC 5545, 3.3.10): years, months, weeks, and units of the clock, with the days or readings that each yields. */
import { DAY, HOUR } from '../../src/calendar/time.ts';
import { ascending, firstOfMonth, modulo } from './calendar-math.ts';
import { type DayTest, dayTestOf } from './day-tests.ts';
import type { Rule } from './rule.ts';

/** Units of a rule's frequency, numbered without gaps. */
interface Periods {
  /** Number of the period that contains a reading. */
  readonly numberOf: (wall: number) => number;
  readonly begin: (period: number) => number;
  /**
   * Beginnings of the rule's days in a period, ascending: with `FREQ=MONTHLY;BYDAY=MO`, 00:00 of each Monday of the month. For a period
   * shorter than a day its own beginning, or none.
   */
  readonly bases: (period: number) => readonly number[];
  /** After a period without bases: a later one before which no period has any. */
  readonly after?: (period: number) => number;
  /** Steps that a period costs, even if it yields nothing: three for a month, all of whose days are tried. */
  readonly steps: number;
}

export function periodsOf(rule: Rule, start: number, limits: readonly Limit[]): Periods {
  if (rule.frequency === 'YEARLY') return years(rule, start);
  if (rule.frequency === 'MONTHLY') return months(rule, start);
  if (rule.frequency === 'WEEKLY') return weeks(rule, start);
  return clockPeriods(rule, start, limits);
}

/**
 * Days, hours, minutes and seconds. After an excluded period, those that the same part of the rule excludes are skipped; another part may
 * exclude the next one. With `FREQ=HOURLY;BYMONTH=6;BYHOUR=20`, 2 January is tried after 1 January.
 */
function clockPeriods(rule: Rule, start: number, limits: readonly Limit[]): Periods {
  const length = LENGTHS[rule.frequency];
  const isRuleDay = dayTestOf(rule, start);

  /** The reading itself if no part excludes it, else the end of the exclusion. */
  function opening(wall: number): number {
    const day = Math.floor(wall / DAY);
    if (!isRuleDay(day)) return (day + 1) * DAY;
    for (const { unit, cycle, values } of limits) {
      const count = Math.floor(wall / unit);
      if (!values.has(modulo(count, cycle))) return (count + 1) * unit;
    }
    return wall;
  }

  return {
    numberOf: (wall) => Math.floor(wall / length),
    begin: (period) => period * length,
    bases: (period) => (opening(period * length) === period * length ? [period * length] : []),
    after: (period) => opening(period * length) / length,
    steps: 0,
  };
}

function weeks(rule: Rule, start: number): Periods {
  const isRuleDay = dayTestOf(rule, start);
  // 1970-01-01 was a Thursday.
  const origin = rule.weekStart - 3;
  return {
    numberOf: (wall) => Math.floor((wall / DAY - origin) / 7),
    begin: (week) => (7 * week + origin) * DAY,
    bases: (week) => basesIn(7 * week + origin, 7 * week + origin + 7, isRuleDay),
    steps: 0,
  };
}

function months(rule: Rule, start: number): Periods {
  const isRuleDay = dayTestOf(rule, start);
  return {
    numberOf: (wall) => {
      const date = new Date(wall * 1000);
      return date.getUTCFullYear() * 12 + date.getUTCMonth();
    },
    begin: (month) => firstOfMonth(month) * DAY,
    bases: (month) => basesIn(firstOfMonth(month), firstOfMonth(month + 1), isRuleDay),
    steps: inTens(31),
  };
}

function years(rule: Rule, start: number): Periods {
  const { bases } = months(rule, start);
  const inYear = monthsOf(rule, start);
  return {
    numberOf: (wall) => new Date(wall * 1000).getUTCFullYear(),
    begin: (year) => firstOfMonth(12 * year) * DAY,
    bases: (year) => inYear.flatMap((month) => bases(12 * year + month - 1)),
    steps: inTens(31 * inYear.length),
  };
}

/** The months, from 1 and ascending, in which a yearly rule has days. */
function monthsOf({ by }: Rule, start: number): readonly number[] {
  if (by.BYMONTH !== undefined) return by.BYMONTH.toSorted(ascending);
  const hasDayPart = [by.BYDAY, by.BYMONTHDAY, by.BYYEARDAY, by.BYWEEKNO].some((part) => part !== undefined);
  return hasDayPart ? ALL_MONTHS : [new Date(start * 1000).getUTCMonth() + 1];
}

const ALL_MONTHS: readonly number[] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12];

/** Beginnings of the days from one number up to another that pass. */
function basesIn(first: number, end: number, isRuleDay: DayTest): readonly number[] {
  const bases: number[] = [];
  for (let day = first; day < end; day++) if (isRuleDay(day)) bases.push(day * DAY);
  return bases;
}

/**
 * In a period shorter than a day, a part may apply to the whole period: then it includes or excludes the period. `BYHOUR=20` has the unit
 * 3,600, the cycle 24 and the value 20.
 */
export interface Limit {
  /** Seconds. */
  readonly unit: number;
  /** The number of units after which the values begin again. */
  readonly cycle: number;
  /** From 0 up to the cycle. */
  readonly values: ReadonlySet<number>;
}

/** Ten days or times that are tried or combined count as one step: 31 days are three. */
export const inTens = (looks: number) => Math.floor(looks / 10);

/** Seconds of a period; for months and years only that they are longer than a day matters. */
export const LENGTHS: Readonly<Record<Rule['frequency'], number>> = {
  SECONDLY: 1,
  MINUTELY: 60,
  HOURLY: HOUR,
  DAILY: DAY,
  WEEKLY: 7 * DAY,
  MONTHLY: 31 * DAY,
  YEARLY: 366 * DAY,
};
