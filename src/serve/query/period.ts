/** B12: stretches of Norwegian time by name, such as the next weekend. */
import { osloDay, startOfDay, weekdayOf } from '../../calendar/time.ts';

/** From the beginning of one day to that of another, in days from today on. */
interface Days {
  readonly from: number;
  /** Exclusive. */
  readonly until: number;
}

/** By the weekday of today, of which Monday is 0. */
const PERIODS = {
  TODAY: () => ({ from: 0, until: 1 }),
  TOMORROW: () => ({ from: 1, until: 2 }),
  WEEKEND: (weekday) => ({ from: SATURDAY - weekday, until: MONDAY - weekday }),
  WEEK: (weekday) => ({ from: 0, until: MONDAY - weekday }),
} satisfies Readonly<Record<string, (weekday: number) => Days>>;

export type Period = keyof typeof PERIODS;

export const isPeriod = (name: string): name is Period => Object.hasOwn(PERIODS, name);

const SATURDAY = 5;
/** The one after this week's Sunday. */
const MONDAY = 7;

interface Windowed {
  readonly period?: Period;
  readonly fromDate?: number;
  readonly untilDate?: number;
}

/**
 * The selection with its period's window in place of the period, together with the window that it has anyway. What is over
 * is no candidate at any rate, so a beginning that is past is left out: such a selection is equal to one without it.
 */
export function withoutPeriod<Of extends Windowed>(
  { period, ...selection }: Of,
  now: number,
): Omit<Of, 'period'> {
  if (period === undefined) return selection;
  const today = osloDay(now);
  const days = PERIODS[period](weekdayOf(today));
  const from = startOfDay(today + days.from);
  const until = startOfDay(today + days.until);
  return {
    ...selection,
    ...(from > now && { fromDate: Math.max(from, selection.fromDate ?? from) }),
    untilDate: Math.min(until, selection.untilDate ?? until),
  };
}
