import type { Allowance } from '../../recurrence/allowance.ts';
import { expandSeries, type Series } from './series.ts';
import { createClocks } from './zones.ts';

export interface RehearsalOptions {
  /** Instant, whole seconds. */
  readonly now: number;
  /** Day number. */
  readonly horizonDay: number;
  readonly allowance: Allowance;
}

/** More dates than a large region has in a year. */
const MOST_DATES = 1_000_000;

export class TooManyDates extends Error {}

/**
 * Expands each series as the build will do later, where it may take its time and memory: a feed of costly rules fails here,
 * by the limits of the process that it is read in, and not the build. Throws TooManyDates.
 */
export function createRehearsal({ now, horizonDay, allowance }: RehearsalOptions): (series: Series) => void {
  const clocks = createClocks(allowance);
  let dates = 0;
  return (series) => {
    dates += expandSeries(series, { from: now, horizonDay, clocks, allowance: allowance.forEvent() }).dates
      .length;
    if (dates > MOST_DATES) throw new TooManyDates(`expected at most ${MOST_DATES} dates, found more`);
  };
}
