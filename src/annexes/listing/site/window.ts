/**
 * What the list's address asks for when: with an end, rows are dates, each day with all that takes place on it (I11).
 * A day, a period and a first day take each other's place.
 */
import { DAY, osloDay, startOfDay } from '../../../calendar/time.ts';
import type { Conditions } from '../../../snapshot/filters.ts';
import type { Handling } from '../../events/format.ts';
import type { Feed } from '../../events/read.ts';
import { queryText } from '../../page/queries.ts';

/** Parameters of a window: choosing another one replaces them. */
export const WINDOW = ['period', 'fromDate', 'fromStartDate', 'untilDate'];

/** Whether the list has an end: then a row is an event and a day. */
export const isBounded = ({ untilDate, period }: Conditions): boolean => (untilDate ?? period) !== undefined;

export const byDay = (conditions: Conditions): Conditions =>
  isBounded(conditions) ? { ...conditions, groupRepetitionsByDay: true } : conditions;

/** The day whose link was followed. */
export function chosenDay(search: string): number | null {
  const given = new URLSearchParams(search);
  const dayIn = (name: string) => Date.parse(given.get(name) ?? '') / (DAY * 1_000);
  const from = dayIn('fromStartDate');
  const isOneDay = Number.isInteger(from) && dayIn('untilDate') === from + 1;
  return isOneDay ? from : null;
}

/** Forms send their empty fields, and what was chosen before beside what is chosen now: the address has neither. */
export function tidied({ search }: Pick<Feed, 'search'>): Handling {
  const given = new URLSearchParams(search);
  const left = new URLSearchParams([...given].filter(([, value]) => value.trim() !== ''));
  const isDayReplaced = left.has('period') || left.has('fromDate');
  const replaced = left.has('fromDate') ? ['period'] : [];
  if (isDayReplaced && chosenDay(search) !== null) replaced.push(...DAY_WINDOW);
  for (const name of replaced) left.delete(name);
  return left.size === given.size ? {} : { seeOther: `events.html${queryText(left)}` };
}

const DAY_WINDOW = ['fromStartDate', 'untilDate'];

/** Where a window begins within a day that is not today, such as a weekend's Friday. */
export function beginsWithin({ from, now }: Pick<Feed, 'from' | 'now'>, day: number): boolean {
  return from > now && day === osloDay(from) && from > startOfDay(day);
}
