/** From a record's dates and series to its occurrences (F4, A2, A11, A12) and their numbers (A16). */
import type { Occurrence } from '../../src/calendar/model.ts';
import { DAY, formatDay, instantOf, overAt } from '../../src/calendar/time.ts';
import type { Reporter } from '../findings.ts';
import type { EventRecord } from '../records.ts';
import type { Allowance } from '../recurrence/allowance.ts';
import { createClocks } from '../recurrence/clocks.ts';
import { type ClockedSeries, reachOf, type Span, unite } from '../recurrence/occurrences.ts';
import { nextSinceOf } from './next-since.ts';
import { byTimes, numbersOf } from './numbering.ts';
import { occurrencesOf, type Surroundings, spansOf } from './series-occurrences.ts';

export interface Dated {
  /** Occurrences that are not over at the build, in A2's order. */
  readonly upcoming: readonly Occurrence[];
  /** A16: the 1-based index of each among the occurrences with the same start. */
  readonly numbers: readonly number[];
  /** G10: the occurrences that a rule yields. */
  readonly byRule: ReadonlySet<Occurrence>;
  /** I9: when the latest past date was over; null if there was none in the 400 days before the build. */
  readonly nextSince: () => number | null;
  /**
   * From the earliest start to the latest end, including past ones; null without dates. Only parts of a programme (A10) and events that are
   * over need it: for other events, series with upcoming dates are left out.
   */
  readonly span: Span | null;
  /** False if there is neither a date nor a series: a container. */
  readonly isDated: boolean;
}

interface DatingOptions {
  readonly now: number;
  readonly horizonDay: number;
  readonly allowance: Allowance;
  readonly report: Reporter;
}

/** Creates the function that dates the records of a build, one by one. */
export function createDating(options: DatingOptions): (record: EventRecord) => Dated {
  const { now, horizonDay, allowance, report } = options;
  const horizon = { until: instantOf((horizonDay + 1) * DAY) - 1, day: formatDay(horizonDay) };
  const clockOf = createClocks(allowance);

  function surroundingsOf(record: EventRecord, clocked: readonly ClockedSeries[]): Surroundings {
    const { origin, id, dates } = record;
    return {
      record,
      note: (action, flaw) => report.addFinding({ action, origin, id, ...flaw }),
      allowance: allowance.forEvent(origin.file),
      now,
      horizon,
      // One beginning for all series: a past occurrence of one may share its start with a coming one of another (A16).
      from: now - clocked.reduce((most, series) => Math.max(most, reachOf(series)), 0),
      listedStarts: new Set(dates.map(({ start }) => start)),
    };
  }

  return (record) => {
    const { dates } = record;
    const isOver = ({ start, end }: Span) => overAt(start, end) <= now;
    const clocked = record.series.map((series) => ({ ...series, clock: clockOf(series.zone) }));
    const surroundings = surroundingsOf(record, clocked);
    const expanded = clocked.map((series) => occurrencesOf(series, surroundings));
    const byRule = new Set(expanded.flatMap((series) => series.upcoming));
    const upcomingListed = dates.filter((date) => !isOver(date));
    // Sorting is stable, so the position in the source decides between equals.
    const upcoming = [...upcomingListed, ...byRule].sort(byTimes);
    const firstStart = upcoming[0]?.start ?? now;
    // Past occurrences began before now, and can only share a start with others that did.
    const pastListed = firstStart < now ? dates.filter(isOver) : [];
    const past = [...expanded.flatMap((series) => series.over), ...pastListed].sort(byTimes);
    return {
      upcoming,
      numbers: numbersOf(upcoming, past),
      byRule,
      nextSince: () => nextSinceOf(clocked, firstStart, surroundings),
      span: [...dates, ...expanded.flatMap(spansOf)].reduce<Span | null>(unite, null),
      isDated: dates.length + clocked.length > 0,
    };
  };
}
