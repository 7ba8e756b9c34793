/**
 * The rules that most calendars are full of, by arithmetic instead of iteration: every so many weeks, days, hours …, and
 * certain days of the week. A test holds them against the library that expands all other rules.
 */
import { DAY, HOUR } from '../../src/calendar/time.ts';
import { type Frequency, type Rule, WEEKDAYS } from './rule.ts';

/** An endless ascending series of wall clock readings. */
export interface Series {
  readonly at: (index: number) => number;
  /** Index of the first reading that is not before this one; 0 when all are later. */
  readonly indexFrom: (wall: number) => number;
}

/** The series of a plain rule, COUNT and UNTIL left out; null when the rule is not plain. */
export function plainSeries(rule: Rule, start: number): Series | null {
  const unit = UNITS[rule.frequency];
  const days = rule.by.get('BYDAY');
  if (rule.by.size === 0) return unit === undefined ? null : steps(start, rule.interval * unit);
  if (rule.by.size > 1 || days === undefined) return null;
  const isWeekly = rule.frequency === 'WEEKLY' || (rule.frequency === 'DAILY' && rule.interval === 1);
  return isWeekly ? weekdays(rule, start, days) : null;
}

/** Seconds. A month or a year has no length of its own. */
const UNITS: Readonly<Partial<Record<Frequency, number>>> = {
  SECONDLY: 1,
  MINUTELY: 60,
  HOURLY: HOUR,
  DAILY: DAY,
  WEEKLY: 7 * DAY,
};

function steps(start: number, step: number): Series {
  return {
    at: (index) => start + index * step,
    indexFrom: (wall) => Math.max(0, Math.ceil((wall - start) / step)),
  };
}

function weekdays(rule: Rule, start: number, days: readonly string[]): Series {
  const startDay = Math.floor(start / DAY);
  const intoWeek = daysAfter(rule.weekStart, weekdayOf(startDay));
  const base = start - intoWeek * DAY;
  const round = 7 * DAY * rule.interval;
  const offsets = days.map((day) => daysAfter(rule.weekStart, day) * DAY).sort((a, b) => a - b);
  // The first week begins with the start, not with the week.
  const skipped = before(offsets, intoWeek * DAY);
  return {
    at: (index) => {
      const place = index + skipped;
      const inRound = place % offsets.length;
      return base + ((place - inRound) / offsets.length) * round + (offsets[inRound] ?? 0);
    },
    indexFrom: (wall) => {
      const rounds = Math.floor((wall - base) / round);
      return Math.max(0, rounds * offsets.length + before(offsets, wall - base - rounds * round) - skipped);
    },
  };
}

/** 1970-01-01 was a Thursday. */
function weekdayOf(day: number): string {
  return WEEKDAYS[(((day + 3) % 7) + 7) % 7] ?? '';
}

function daysAfter(first: string, day: string): number {
  const names: readonly string[] = WEEKDAYS;
  return (names.indexOf(day) - names.indexOf(first) + 7) % 7;
}

function before(offsets: readonly number[], limit: number): number {
  return offsets.filter((offset) => offset < limit).length;
}
