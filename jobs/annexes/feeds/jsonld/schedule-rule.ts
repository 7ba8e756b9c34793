/** The rule of a schema.org Schedule, as iCalendar writes it. */
import type { JsonObject } from '../../../../src/calendar/json.ts';
import { isFlaw, readRule, WEEKDAYS } from '../../../recurrence/rule.ts';
import { writtenAt } from '../native-dates.ts';
import { inNorway, momentOf, type Note } from './dates.ts';
import { listOf, schemaNames, textOf } from './linked-data.ts';

interface ScheduleRule {
  /** As in iCalendar. */
  readonly text: string;
  /** Days from one date to the next, at least. */
  readonly daysBetween: number;
}

/** Null, after a finding, for a schedule that is no rule. */
export function ruleOfSchedule(schedule: JsonObject, note: Note): ScheduleRule | null {
  const weekdays = listOf(schedule.byDay).flatMap(schemaNames).map(dayOf);
  const period = periodOf(schedule, weekdays);
  if (period === null) {
    note('dropped series', 'repeatFrequency', 'a duration such as P1W', schedule.repeatFrequency);
    return null;
  }
  const parts = rulePartsOf(schedule, period, weekdays);
  const used = parts.filter(({ values }) => values.length > 0);
  const text = used.map(({ part, values }) => `${part}=${[...new Set(values)].join(',')}`).join(';');
  const rule = readRule(text);
  if (!isFlaw(rule)) return { text, daysBetween: daysBetween(period, parts) };
  const wrongParts = rule.parts.split(',');
  const wrong = parts.find(({ part }) => wrongParts.includes(part));
  const field = wrong?.field ?? 'repeatFrequency';
  note('dropped series', field, rule.expected, schedule[field]);
  return null;
}

/** `P2W` is every second week. */
interface Period {
  readonly interval: number;
  readonly frequency: Frequency;
}

interface Frequency {
  /** As in iCalendar. */
  readonly name: string;
  /** The shortest that such a period is. */
  readonly days: number;
}

/** Every week, if there are only weekdays. Null for a text that is no period. */
function periodOf({ repeatFrequency }: JsonObject, weekdays: readonly string[]): Period | null {
  const [written = weekdays.length > 0 ? 'P1W' : ''] = schemaNames(repeatFrequency);
  const [, interval, unit = ''] = PERIOD.exec(PERIODS[written.toLowerCase()] ?? written) ?? [];
  const frequency = FREQUENCIES[unit.toUpperCase()];
  return frequency === undefined ? null : { interval: Number(interval), frequency };
}

/** An interval, and its unit. */
const PERIOD = /^P(\d{1,4})([DWMY])$/i;

const SHORTEST_MONTH = 28;

/** By their units. */
const FREQUENCIES: Readonly<Record<string, Frequency>> = {
  D: { name: 'DAILY', days: 1 },
  W: { name: 'WEEKLY', days: 7 },
  M: { name: 'MONTHLY', days: SHORTEST_MONTH },
  Y: { name: 'YEARLY', days: 365 },
};

/** Periods that programs write as words. */
const PERIODS: Readonly<Record<string, string>> = {
  daily: 'P1D',
  weekly: 'P1W',
  monthly: 'P1M',
  yearly: 'P1Y',
  annually: 'P1Y',
};

interface RulePart {
  /** As in iCalendar. */
  readonly part: string;
  /** The field of the Schedule that it is read from. */
  readonly field: string;
  readonly values: readonly string[];
}

/** `weekdays`: as in iCalendar. */
function rulePartsOf(
  schedule: JsonObject,
  { interval, frequency: { name } }: Period,
  weekdays: readonly string[],
): readonly RulePart[] {
  const textsOf = (field: string) => listOf(schedule[field]).map((item) => textOf(item) ?? '');
  const isByMonth = name === 'MONTHLY' || name === 'YEARLY';
  const days = isByMonth
    ? daysInWeeks(weekdays, textsOf('byMonthWeek'))
    : weekdays.map((day) => day.replace(NUMBER_BEFORE_DAY, ''));
  return [
    { part: 'FREQ', field: 'repeatFrequency', values: [name] },
    { part: 'INTERVAL', field: 'repeatFrequency', values: [String(interval)] },
    { part: 'BYMONTH', field: 'byMonth', values: textsOf('byMonth') },
    { part: 'BYMONTHDAY', field: 'byMonthDay', values: name === 'WEEKLY' ? [] : textsOf('byMonthDay') },
    { part: 'BYDAY', field: 'byDay', values: days },
    { part: 'COUNT', field: 'repeatCount', values: textsOf('repeatCount').slice(0, 1) },
  ];
}

/** `2TU`: each day in each of these weeks of a month; the days as they are if there are none. */
function daysInWeeks(weekdays: readonly string[], weeks: readonly string[]): readonly string[] {
  return weeks.length === 0 ? weekdays : weeks.flatMap((week) => weekdays.map((day) => week + day));
}

/** The position of a weekday in its month, which weekly rules do not have. */
const NUMBER_BEFORE_DAY = /^[+-]?\d/;

/** Days from one date of a rule to the next, at least. */
function daysBetween({ interval, frequency }: Period, parts: readonly RulePart[]): number {
  const valuesOf = (name: string) => parts.find(({ part }) => part === name)?.values ?? [];
  const days = valuesOf('BYDAY');
  const isOnEachSuchDay = frequency.name !== 'WEEKLY' && days.some((day) => !NUMBER_BEFORE_DAY.test(day));
  const gaps = [interval * frequency.days];
  if (valuesOf('BYMONTH').length > 1) gaps.push(SHORTEST_MONTH);
  if (valuesOf('BYMONTHDAY').length > 1) gaps.push(1);
  if (days.length > 1 || isOnEachSuchDay) gaps.push(daysBetweenWeekdays(days));
  return Math.min(...gaps);
}

/** Between two of these weekdays, in any week; a week if there is only one. */
function daysBetweenWeekdays(days: readonly string[]): number {
  const positions = days.map((day) => WEEKDAYS.indexOf(day.slice(-2))).sort((left, right) => left - right);
  const [first = 0] = positions;
  const following = [...positions.slice(1), first + WEEKDAYS.length];
  const gaps = positions.map((position, index) => (following[index] ?? position) - position);
  return Math.min(...gaps.map((gap) => (gap === 0 ? WEEKDAYS.length : gap)));
}

/** `MO`, or with a number before it as in iCalendar. */
function dayOf(name: string): string {
  return (WEEKDAY.test(name) ? name.slice(0, 2) : name).toUpperCase();
}

const WEEKDAY = /^(?:mon|tues|wednes|thurs|fri|satur|sun)day$/i;

/** The last moment at which it may begin, on the wall clock. COUNT and UNTIL exclude each other: the count suffices. */
export function untilOf(schedule: JsonObject, note: Note): string | null {
  if (listOf(schedule.repeatCount).length > 0) return null;
  const last = inNorway(momentOf(schedule.endDate, 'endDate', note));
  if (last === null) return null;
  const wall = last.time === null ? `${last.day} 23:59:59` : `${writtenAt({ ...last, time: last.time })}:00`;
  return wall.replace(/[-:]/g, '').replace(' ', 'T');
}
