/** The rule of a schema.org Schedule, as iCalendar writes it. */
import type { JsonObject } from '../../../../src/calendar/json.ts';
import { isFlaw, readRule } from '../../../recurrence/rule.ts';
import { writtenAt } from '../native-dates.ts';
import { inNorway, momentOf, type Note } from './dates.ts';
import { listOf, namesOf, textOf } from './linked-data.ts';

interface ScheduleRule {
  /** As in iCalendar. */
  readonly text: string;
  /** Days from one date to the next, at least. */
  readonly daysBetween: number;
}

/** Null, after a finding, for a schedule that is no rule. */
export function ruleOfSchedule(schedule: JsonObject, note: Note): ScheduleRule | null {
  const days = listOf(schedule.byDay).flatMap(namesOf).map(dayOf);
  const [named = days.length > 0 ? 'P1W' : ''] = namesOf(schedule.repeatFrequency);
  const [, interval = '', unit = ''] = PERIOD.exec(PERIODS[named.toLowerCase()] ?? named) ?? [];
  const frequency = FREQUENCIES[unit.toUpperCase()] ?? '';
  const parts = rulePartsOf(schedule, { frequency, interval, days });
  const used = parts.filter(({ values }) => values.length > 0);
  const text = used.map(({ part, values }) => `${part}=${[...new Set(values)].join(',')}`).join(';');
  const rule = frequency === '' ? null : readRule(text);
  if (rule !== null && !isFlaw(rule)) return { text, daysBetween: Number(interval) * (DAYS[frequency] ?? 1) };
  const wrongParts = rule?.parts.split(',') ?? [];
  const wrong = parts.find(({ part }) => wrongParts.includes(part));
  const field = wrong?.field ?? 'repeatFrequency';
  note('dropped series', field, rule?.expected ?? 'a duration such as P1W', schedule[field]);
  return null;
}

/** `P2W`: an interval, and its unit. */
const PERIOD = /^P(\d{1,4})([DWMY])$/i;

interface RulePart {
  /** As in iCalendar. */
  readonly part: string;
  /** The field of the Schedule that it is read from. */
  readonly field: string;
  readonly values: readonly string[];
}

interface Frequency {
  readonly frequency: string;
  readonly interval: string;
  /** Weekdays as in iCalendar. */
  readonly days: readonly string[];
}

function rulePartsOf(schedule: JsonObject, { frequency, interval, days }: Frequency): readonly RulePart[] {
  const textsOf = (field: string) => listOf(schedule[field]).map((item) => textOf(item) ?? '');
  const isByMonth = frequency === 'MONTHLY' || frequency === 'YEARLY';
  const weekdays = isByMonth ? days : days.map((day) => day.replace(NUMBER_BEFORE_DAY, ''));
  const weeks = isByMonth ? textsOf('byMonthWeek') : [];
  const daysInWeeks = weeks.flatMap((week) => weekdays.map((day) => week + day));
  const monthDays = frequency === 'WEEKLY' ? [] : textsOf('byMonthDay');
  return [
    { part: 'FREQ', field: 'repeatFrequency', values: [frequency] },
    { part: 'INTERVAL', field: 'repeatFrequency', values: [String(Number(interval))] },
    { part: 'BYMONTH', field: 'byMonth', values: textsOf('byMonth') },
    { part: 'BYMONTHDAY', field: 'byMonthDay', values: monthDays },
    { part: 'BYDAY', field: 'byDay', values: weeks.length === 0 ? weekdays : daysInWeeks },
    { part: 'COUNT', field: 'repeatCount', values: textsOf('repeatCount').slice(0, 1) },
  ];
}

/** The position of a weekday in its month, which weekly rules do not have. */
const NUMBER_BEFORE_DAY = /^[+-]?\d/;

/** `MO`, or with a number before it as in iCalendar. */
function dayOf(name: string): string {
  return (WEEKDAY.test(name) ? name.slice(0, 2) : name).toUpperCase();
}

/** The shortest that each period is. */
const DAYS: Readonly<Record<string, number>> = { DAILY: 1, WEEKLY: 7, MONTHLY: 28, YEARLY: 365 };
const FREQUENCIES: Readonly<Record<string, string>> = { D: 'DAILY', W: 'WEEKLY', M: 'MONTHLY', Y: 'YEARLY' };
/** Periods that programs write as words. */
const PERIODS: Readonly<Record<string, string>> = {
  daily: 'P1D',
  weekly: 'P1W',
  monthly: 'P1M',
  yearly: 'P1Y',
  annually: 'P1Y',
};
const WEEKDAY = /^(?:mon|tues|wednes|thurs|fri|satur|sun)day$/i;

/** The last moment at which it may begin, on the wall clock. COUNT and UNTIL exclude each other: the count suffices. */
export function untilOf(schedule: JsonObject, note: Note): string | null {
  if (listOf(schedule.repeatCount).length > 0) return null;
  const last = inNorway(momentOf(schedule.endDate, 'endDate', note));
  if (last === null) return null;
  const wall = last.time === null ? `${last.day} 23:59:59` : `${writtenAt({ ...last, time: last.time })}:00`;
  return wall.replace(/[-:]/g, '').replace(' ', 'T');
}
