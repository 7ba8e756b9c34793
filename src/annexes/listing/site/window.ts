/**
 * The window that the list's address asks for. With an end, each row is an event on one day (I11); a day, a period and a first day replace
 * each other.
 */
import { parseSourceDay } from '../../../calendar/input-datetime.ts';
import { osloDay, startOfDay } from '../../../calendar/time.ts';
import type { Conditions } from '../../../snapshot/filters.ts';
import type { EventList } from '../../events/event-list.ts';
import { type GivenParameters, queryText } from '../../page/links.ts';

/** Parameters of a window: choosing another one replaces them. */
export const WINDOW = ['period', 'fromDate', 'fromStartDate', 'untilDate'];

/** Whether the list has an end: then a row is an event and a day. */
export function isBounded({ untilDate, period }: Conditions): boolean {
  return (untilDate ?? period) !== undefined;
}

/** Whether the list has only what ended before this second. */
export function isOver({ untilDate }: Conditions, now: number): boolean {
  return untilDate !== undefined && untilDate <= now;
}

export function byDay(conditions: Conditions): Conditions {
  return isBounded(conditions) ? { ...conditions, groupRepetitionsByDay: true } : conditions;
}

/** The day whose link was followed. */
export function chosenDay(given: GivenParameters): number | null {
  const dayIn = (name: string) => parseSourceDay(given.get(name) ?? '');
  const from = dayIn('fromStartDate');
  return from !== null && dayIn('untilDate') === from + 1 ? from : null;
}

/** The address without empty fields, which forms send too, and without a choice that a later one replaces; undefined if it has neither. */
export function tidyAddress(search: string): string | undefined {
  const given = new URLSearchParams(search);
  const kept = withoutEmpty(given);
  const isDayReplaced = kept.has('period') || kept.has('fromDate');
  const superseded = kept.has('fromDate') ? ['period'] : [];
  if (isDayReplaced && chosenDay(given) !== null) superseded.push(...DAY_WINDOW);
  for (const name of superseded) kept.delete(name);
  return kept.size === given.size ? undefined : `events.html${queryText(kept)}`;
}

const withoutEmpty = (given: URLSearchParams): URLSearchParams =>
  new URLSearchParams([...given].filter(([, value]) => value.trim() !== ''));

/** The address of an event's page without empty parameters; undefined if it has none. */
export function tidyEventAddress(search: string, file: string): string | undefined {
  const given = new URLSearchParams(search);
  const kept = withoutEmpty(given);
  return kept.size === given.size ? undefined : `${file}${queryText(kept)}`;
}

const DAY_WINDOW = ['fromStartDate', 'untilDate'];

/** Whether the window begins within this day, and later than now, such as on a weekend's Friday. */
export function beginsWithin({ from, now }: Pick<EventList, 'from' | 'now'>, day: number): boolean {
  return from > now && day === osloDay(from) && from > startOfDay(day);
}
