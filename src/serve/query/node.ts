/** A node: an event as one of its occurrences shows it, with all that its answer needs at hand. */
import { CalendarError } from '../../calendar/errors.ts';
import type { EventFragment } from '../../snapshot/fragments.ts';
import type { NodeSet, View } from './view.ts';

export interface EventNode {
  readonly view: View;
  /** Occurrence row that is shown. */
  readonly row: number;
  readonly fragment: EventFragment;
  /** A5: repetitions are valid at this second. */
  readonly validAt: number;
  /** A6: repetitions are of the shown day only. */
  readonly byDay: boolean;
}

/** A later occurrence of a node's event. */
export interface RepetitionNode {
  readonly view: View;
  readonly row: number;
  readonly fragment: EventFragment;
}

/** Events that one operation may read: as many as all of its root fields can have on their pages. */
export const MAX_EVENTS = 20_000;

/** What is left for an operation to read. Look-ups without pages have as many events as there are. */
export interface ReadBudget {
  events: number;
}

/** Reads what the nodes of these rows need; the rows keep their order. Throws QUERY_TOO_COMPLEX before it reads too many. */
export async function readNodes(
  view: View,
  rows: readonly number[],
  { validAt, byDay, budget }: Pick<NodeSet, 'validAt' | 'byDay'> & { readonly budget: ReadBudget },
): Promise<readonly EventNode[]> {
  if (rows.length > budget.events) throw tooMany();
  budget.events -= rows.length;
  const { event } = view.columns;
  const fragments = await view.fragments.read(rows.map((row) => event[row] ?? absent(row)));
  return fragments.map((fragment, place) => ({
    view,
    row: rows[place] ?? absent(place),
    fragment,
    validAt,
    byDay,
  }));
}

/** A5, A6: the occurrences after the shown one, in A2's order. `first`: only so many; null: all. */
export function repetitionsOf(node: EventNode, first: number | null = null): readonly RepetitionNode[] {
  const { view, row, fragment, validAt, byDay } = node;
  const { event, occurrences, occurrencesAt, over, day } = view.columns;
  const ordinal = event[row] ?? absent(row);
  const end = occurrencesAt[ordinal + 1] ?? 0;
  const repetitions: RepetitionNode[] = [];
  for (let place = placeOf(view, ordinal, row) + 1; place < end; place++) {
    const later = occurrences[place] ?? absent(place);
    if (repetitions.length === first || (byDay && day[later] !== day[row])) break;
    if ((over[later] ?? 0) > validAt) repetitions.push({ view, row: later, fragment });
  }
  return repetitions;
}

/** Where a row stands in its event's ascending list of rows. */
function placeOf(view: View, ordinal: number, row: number): number {
  const { occurrences, occurrencesAt } = view.columns;
  let low = occurrencesAt[ordinal] ?? 0;
  let high = occurrencesAt[ordinal + 1] ?? 0;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((occurrences[middle] ?? 0) < row) low = middle + 1;
    else high = middle;
  }
  return low;
}

function tooMany(): CalendarError {
  return new CalendarError(
    'QUERY_TOO_COMPLEX',
    `The operation asks for more than ${MAX_EVENTS} events: ask for a smaller area, for fewer slugs, or for pages of \`events\`.`,
  );
}

function absent(place: number): never {
  throw new RangeError(`expected a row or event at ${place}, found none`);
}
