/** F13: what a record remembers of its corrections, for when it is joined with its duplicates. */
import { isEmpty } from '../../src/calendar/field.ts';
import type { Edit, EventRecord } from '../records.ts';
import type { Limits } from './limits.ts';
import type { Correction } from './read.ts';
import type { Matcher } from './where.ts';

/** The last correction of each field, within each limit. An emptied field is none if a later correction added something to it. */
export function editsBy(
  applied: readonly Pick<Matcher, 'correction'>[],
  changed: EventRecord,
  limitOf: Limits['numberOf'],
): readonly Edit[] {
  const all = applied.flatMap(({ correction }) => editsOf(correction, limitOf(correction)));
  const edits = new Map(all.map((edit) => [`${edit.field} ${edit.limit}`, edit]));
  return [...edits.values()].map((edit) => ({
    ...edit,
    isEmptied: edit.isEmptied && saysNothing(Reflect.get(changed, edit.field)),
  }));
}

/** One with `id` empties a field for all sources of an event, as `hide` hides it. Others empty it in their records alone. */
function editsOf(
  { number, where, event, eventValues, dateValues }: Correction,
  limit: number | null,
): readonly Edit[] {
  const isForAll = event !== null;
  // With a place, it is about the dates there.
  const values = where.place === null ? { ...dateValues, ...eventValues } : eventValues;
  return Object.entries(values)
    .filter(([, value]) => value !== undefined && (isForAll || !saysNothing(value)))
    .map(([field, value]) => ({ field, number, isEmptied: saysNothing(value), limit }));
}

function saysNothing(value: unknown): boolean {
  return isEmpty(value) || value === 'noTicketsInfo';
}
