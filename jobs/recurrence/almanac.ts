/** What a rule can ask of a day, worked out a year at a time. */
import { DAY } from '../../src/calendar/time.ts';

export interface Day {
  /** Days since 1970-01-01. */
  readonly number: number;
  readonly year: number;
  readonly month: number;
  readonly monthDay: Place;
  readonly yearDay: Place;
  readonly week: Place;
  /** Monday is 0. */
  readonly weekday: number;
}

/** One of so many, counted from 1: the 3rd of 31 is also the -29th. */
export interface Place {
  readonly at: number;
  readonly of: number;
}

/** `weekStart` is the weekday that weeks begin with. */
export function dayOf(number: number, weekStart: number): Day | undefined {
  const days = daysOfYear(new Date(number * DAY * 1000).getUTCFullYear(), weekStart);
  return days[number - (days[0]?.number ?? 0)];
}

export function daysOfYear(year: number, weekStart: number): readonly Day[] {
  const key = year * 7 + weekStart;
  const found = known.get(key);
  if (found !== undefined) return found;
  const days = workOutDays(year, weekStart);
  if (known.size === MOST_KNOWN) known.clear();
  known.set(key, days);
  return days;
}

/** A build asks for the same two or three years for every rule. */
const MOST_KNOWN = 50;
const known = new Map<number, readonly Day[]>();

/** 1970-01-01 was a Thursday. */
export function weekdayOf(day: number): number {
  return (((day + 3) % 7) + 7) % 7;
}

function workOutDays(year: number, weekStart: number): readonly Day[] {
  const first = firstOfMonth(year, 0);
  const length = firstOfMonth(year + 1, 0) - first;
  const weeks = [year - 1, year, year + 1, year + 2].map((of) => firstWeek(of, weekStart));
  const days: Day[] = [];
  for (let month = 0; month < 12; month++) {
    const begin = firstOfMonth(year, month);
    const of = firstOfMonth(year, month + 1) - begin;
    for (let at = 1; at <= of; at++) {
      const number = begin + at - 1;
      days.push({
        number,
        year,
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

function firstOfMonth(year: number, month: number): number {
  const date = new Date(0);
  date.setUTCFullYear(year, month, 1);
  return date.getTime() / 1000 / DAY;
}

/** The first week of a year is the first with at least four days in it. */
function firstWeek(year: number, weekStart: number): number {
  const fourth = firstOfMonth(year, 0) + 3;
  return fourth - ((weekdayOf(fourth) - weekStart + 7) % 7);
}

function weekOf(day: number, firstWeeks: readonly number[]): Place {
  const next = firstWeeks.findIndex((first) => first > day);
  const begin = firstWeeks[next - 1] ?? 0;
  return { at: Math.floor((day - begin) / 7) + 1, of: ((firstWeeks[next] ?? 0) - begin) / 7 };
}
