/** Arithmetic of the Gregorian calendar on day numbers, which count from 1970-01-01. */
import { DAY } from '../../src/calendar/time.ts';

/** The day number of a month's first day. Months are numbered from January of year 0; years begin in March here, so that leap days end them. */
export function firstOfMonth(month: number): number {
  const year = Math.floor((month - 2) / 12);
  const leapDays = Math.floor(year / 4) - Math.floor(year / 100) + Math.floor(year / 400);
  return 365 * year + leapDays + Math.floor((153 * modulo(month - 2, 12) + 2) / 5) - EPOCH;
}

/** Days from 1 March of year 0 to 1970-01-01. */
const EPOCH = 719_468;

/** The day on the clock of UTC. */
export function dateOf(day: number): Date {
  return new Date(day * DAY * 1000);
}

/** The remainder from 0, also of a negative value. */
export function modulo(value: number, cycle: number): number {
  return ((value % cycle) + cycle) % cycle;
}

export function ascending(left: number, right: number): number {
  return left - right;
}
