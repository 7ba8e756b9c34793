/**
 * A9: whether an event can be seen at a second. An event that the columns do not contain cannot. `shown-rows.ts` decides the same for all
 * rows at once, without a call for each row: it is the loop that every request runs.
 */
import type { Columns } from './columns.ts';

/** Whether the event's publishing date has passed. `at`: seconds since 1970. */
export function isPublishedAt(
  { publishing }: Pick<Columns, 'publishing'>,
  ordinal: number,
  at: number,
): boolean {
  return (publishing[ordinal] ?? Number.POSITIVE_INFINITY) <= at;
}

/** Whether the event is published, and not over (A1). `at`: seconds since 1970. */
export function isVisibleAt(
  columns: Pick<Columns, 'publishing' | 'eventOver'>,
  ordinal: number,
  at: number,
): boolean {
  return isPublishedAt(columns, ordinal, at) && (columns.eventOver[ordinal] ?? Number.NEGATIVE_INFINITY) > at;
}

/** The instant from which an event is published; 0 for always. */
export function visibleFromOf({ publishing }: Pick<Columns, 'publishing'>, ordinal: number): number {
  return Math.max(0, publishing[ordinal] ?? 0);
}
