/** F13: finds the dates of a series on one day, for corrections that name the day. */
import type { Occurrence } from '../../src/calendar/model.ts';
import { DAY, instantOf, osloDay } from '../../src/calendar/time.ts';
import type { Allowance } from './allowance.ts';
import { createClocks } from './clocks.ts';
import { expandSet } from './dates.ts';
import { occurrenceOf } from './occurrences.ts';
import type { Series } from './series.ts';

/** A date of a series, with its reading on the series' clock. */
interface SeriesDate {
  readonly wall: number;
  readonly date: Occurrence;
}

/** Finds the dates of a series that start on a Norwegian day, whenever that is. */
export type FindDays = (series: Series, day: number, source: string) => readonly SeriesDate[];

export function createDayFinder(allowance: Allowance): FindDays {
  const clockOf = createClocks(allowance);
  return (series, day, source) => {
    const clocked = { ...series, clock: clockOf(series.zone) };
    const reach = Math.max(0, ...series.phases.map(({ shift }) => Math.abs(shift))) + DAY;
    const from = instantOf(day * DAY);
    const window = { from: from - reach, until: from + DAY + reach, keep: () => true };
    return expandSet(clocked, window, allowance.forEvent(source))
      .walls.map((wall) => ({ wall, date: occurrenceOf(clocked, wall) }))
      .filter(({ date }) => osloDay(date.start) === day);
  };
}
