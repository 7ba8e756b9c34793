/**
 * F4: repeat rules expanded the slow way: walk every day from the start to the last one and ask whether the
 * rule means that day. Only what the sample and the random calendars use of RFC 5545: FREQ from DAILY to YEARLY
 * with INTERVAL, COUNT, UNTIL, BYMONTH, BYMONTHDAY, BYDAY, BYWEEKNO (without INTERVAL) and BYSETPOS (monthly);
 * weeks begin on Monday.
 */
import { DAY, dayOf, daysInMonth, partsOf, readWritten, wallOf } from './clock.ts';

const WEEKDAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'];

interface Weekday {
  readonly weekday: number;
  /** The how-manieth of its month or year, from the end when negative; 0 for each of them. */
  readonly nth: number;
}

interface Rule {
  readonly freq: string;
  readonly interval: number;
  readonly count: number;
  /** Wall reading, included. */
  readonly until: number;
  readonly months: readonly number[];
  readonly dates: readonly number[];
  readonly weekdays: readonly Weekday[];
  readonly weeks: readonly number[];
  readonly positions: readonly number[];
}

/** Wall readings of a rule's occurrences up to and with `lastDay`; null when the rule is none. */
export function expandRule(text: string, start: number, lastDay: number): readonly number[] | null {
  const rule = readRule(text);
  if (rule === null) return null;
  const found: number[] = [];
  for (let day = dayOf(start); day <= lastDay && found.length < rule.count; day += 1) {
    const wall = day * DAY + (start - dayOf(start) * DAY);
    if (wall > rule.until) break;
    if (isMeant(rule, dayOf(start), day) && isInPosition(rule, dayOf(start), day)) found.push(wall);
  }
  return found;
}

function readRule(text: string): Rule | null {
  const parts = new Map(text.split(';').map((part) => [part.split('=')[0] ?? '', part.split('=')[1] ?? '']));
  const freq = parts.get('FREQ') ?? '';
  if (!['DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'].includes(freq)) return null;
  const list = (key: string) => parts.get(key)?.split(',') ?? [];
  const until = parts.get('UNTIL');
  return {
    freq,
    interval: Number(parts.get('INTERVAL') ?? 1),
    count: Number(parts.get('COUNT') ?? Number.POSITIVE_INFINITY),
    until: until === undefined ? Number.POSITIVE_INFINITY : readUntil(until),
    months: list('BYMONTH').map(Number),
    dates: list('BYMONTHDAY').map(Number),
    weekdays: list('BYDAY').map((day) => ({
      weekday: WEEKDAYS.indexOf(day.slice(-2)),
      nth: Number(day.slice(0, -2)),
    })),
    weeks: list('BYWEEKNO').map(Number),
    positions: list('BYSETPOS').map(Number),
  };
}

/** `20261231T200000` is Oslo's wall clock; with Z it is an instant, read on that clock. */
function readUntil(text: string): number {
  const written = readWritten(text.replace(/^(....)(..)(..T..)(..)(..)/, '$1-$2-$3:$4:$5'));
  if (written === null) throw new Error(`expected an UNTIL with a time, found ${text}`);
  return written.offset === null ? written.wall : wallOf(written.wall);
}

function isMeant(rule: Rule, first: number, day: number): boolean {
  return (
    isInTurn(rule, first, day) &&
    (rule.months.length === 0 || rule.months.includes(partsOf(day).month)) &&
    (rule.dates.length === 0 || rule.dates.some((date) => isDate(date, day))) &&
    (rule.weekdays.length === 0 || rule.weekdays.some((weekday) => isWeekday(rule, weekday, day))) &&
    (rule.weeks.length === 0 || rule.weeks.includes(weekOf(day))) &&
    isLikeTheFirst(rule, first, day)
  );
}

/** BYSETPOS: the how-manieth of the days that the rule means in this month, from the end when negative. */
function isInPosition(rule: Rule, first: number, day: number): boolean {
  if (rule.positions.length === 0) return true;
  const begin = day - partsOf(day).date + 1;
  const month = Array.from({ length: daysInMonth(day) }, (_, index) => begin + index);
  const meant = month.filter((other) => isMeant(rule, first, other));
  return rule.positions.some((position) => meant.at(position > 0 ? position - 1 : position) === day);
}

/** ISO 8601: the week belongs to the year of its Thursday. */
function weekOf(day: number): number {
  const thursday = day - partsOf(day).weekday + 3;
  return 1 + Math.floor((thursday - Date.UTC(partsOf(thursday).year, 0, 1) / 1000 / DAY) / 7);
}

/** INTERVAL: every so many days, weeks (from Monday), months or years after the first. */
function isInTurn(rule: Rule, first: number, day: number): boolean {
  const from = partsOf(first);
  const here = partsOf(day);
  const steps: Readonly<Record<string, number>> = {
    DAILY: day - first,
    WEEKLY: (day - here.weekday - (first - from.weekday)) / 7,
    MONTHLY: (here.year - from.year) * 12 + here.month - from.month,
    YEARLY: here.year - from.year,
  };
  return (steps[rule.freq] ?? Number.NaN) % rule.interval === 0;
}

/** What the rule leaves out is taken from the first occurrence. */
function isLikeTheFirst(rule: Rule, first: number, day: number): boolean {
  const from = partsOf(first);
  const here = partsOf(day);
  if (rule.freq === 'DAILY' || rule.dates.length > 0 || rule.weekdays.length > 0) return true;
  if (rule.freq === 'WEEKLY') return here.weekday === from.weekday;
  if (rule.freq === 'MONTHLY' || rule.months.length > 0) return here.date === from.date;
  return here.date === from.date && here.month === from.month;
}

function isDate(date: number, day: number): boolean {
  return partsOf(day).date === (date > 0 ? date : daysInMonth(day) + 1 + date);
}

/** `2TU`, `-1FR`: counted within the month, or within the year where a yearly rule names no month. */
function isWeekday(rule: Rule, { weekday, nth }: Weekday, day: number): boolean {
  const { year, date, weekday: here } = partsOf(day);
  if (here !== weekday) return false;
  if (nth === 0) return true;
  const wholeYear = rule.freq === 'YEARLY' && rule.months.length === 0;
  const begin = wholeYear ? Date.UTC(year, 0, 1) / 1000 / DAY : day - date + 1;
  const end = wholeYear ? Date.UTC(year, 11, 31) / 1000 / DAY : day - date + daysInMonth(day);
  const fromTheEnd = -1 - Math.floor((end - day) / 7);
  return nth > 0 ? nth === 1 + Math.floor((day - begin) / 7) : nth === fromTheEnd;
}
