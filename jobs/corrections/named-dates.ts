/** F13: dates of series that corrections name become listed dates, which may have values of their own. */
import { wallOf } from '../../src/calendar/time.ts';
import type { EventRecord } from '../records.ts';
import type { FindDays } from '../recurrence/day-finder.ts';
import type { Series } from '../recurrence/series.ts';
import type { Matcher } from './where.ts';

export type EventDates = Pick<EventRecord, 'dates' | 'series'>;

/** Turns the dates of series that corrections name into listed dates with the same values, which the series exclude from then on. */
export function withNamedListed(
  { dates, series, origin }: EventRecord,
  matchers: readonly Matcher[],
  findDays: FindDays,
): EventDates {
  const dated = matchers.flatMap(({ day, matchesDate }) =>
    day === null || matchesDate === null ? [] : [{ day, matchesDate }],
  );
  const days = new Set(dated.map(({ day }) => day));
  if (days.size === 0 || series.length === 0) return { dates, series };
  const starts = new Set(dates.map(({ start }) => start));
  const listed = [...dates];
  const rest = series.map((rule) => {
    const found = [...days]
      .flatMap((day) => findDays(rule, day, origin.file))
      .filter(({ date }) => dated.some(({ matchesDate }) => matchesDate(date)));
    for (const { date } of found) {
      // A listed date still replaces the series' date, wherever it is moved.
      const isReplaced = rule.isReplaceable && starts.has(date.start);
      if (!isReplaced) listed.push(date);
    }
    if (found.length === 0) return rule;
    return { ...rule, except: [...rule.except, ...found.map(({ wall }) => wall)] };
  });
  return { dates: listed, series: rest };
}

/** F4: a listed date replaces the series' date that has the same start in the source, even if a correction moves either. */
export function withoutReplaced(series: Series, { dates }: Pick<EventRecord, 'dates'>): Series {
  if (!series.isReplaceable) return series;
  const replaced = dates.map(({ start }) => wallOf(start));
  return { ...series, isReplaceable: false, except: [...series.except, ...replaced] };
}
