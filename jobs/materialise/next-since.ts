/** I9: since when the next date of an event is the next one: when the latest past date was over. */
import { DAY, overAt } from '../../src/calendar/time.ts';
import { expandSet } from '../recurrence/dates.ts';
import { type ClockedSeries, reachOf, spanAt } from '../recurrence/occurrences.ts';
import { isReplaced, type Surroundings } from './series-occurrences.ts';

/** Null if there was no past date in the 400 days before the build. `first`: start of the first date that is not over at the build. */
export function nextSinceOf(
  all: readonly ClockedSeries[],
  first: number,
  surroundings: Surroundings,
): number | null {
  const { record, now } = surroundings;
  const overOfListed = record.dates.flatMap(({ start, end }) => (start <= first ? overAt(start, end) : []));
  const overByRule = all.flatMap((series) => latestOversOf(series, first, surroundings));
  const past = [...overOfListed, ...overByRule].filter((over) => over <= now);
  return past.reduce<number | null>((latest, over) => Math.max(latest ?? over, over), null);
}

/** Seconds before the build in which the latest date of a rule is looked for: most rules have one in the first. */
const LOOK_BACK_SECONDS: readonly number[] = [9 * DAY, 400 * DAY];

/** When the past dates of a series were over, in the shortest time before the build that has any. */
function latestOversOf(
  series: ClockedSeries,
  first: number,
  { allowance, now, listedStarts }: Surroundings,
): readonly number[] {
  for (const span of LOOK_BACK_SECONDS) {
    const overs: number[] = [];
    const noteOver = (wall: number) => {
      const { start, end } = spanAt(series, wall);
      const over = overAt(start, end);
      if (over <= now && !isReplaced({ start }, series, listedStarts)) overs.push(over);
      return false;
    };
    // No start is kept, because each one would count against the limit on dates.
    const window = { from: now - span - reachOf(series), until: Math.min(now, first), keep: noteOver };
    expandSet(series, window, allowance);
    if (overs.length > 0) return overs;
  }
  return [];
}
