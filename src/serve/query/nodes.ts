/** Nodes: selected events, each as one of its occurrences shows it. Their ready-made JSON is read once they are selected. */
import { countUpTo } from '../../snapshot/bitmaps.ts';
import { listAt } from '../../snapshot/columns.ts';
import { type EventFragment, readFragment } from '../../snapshot/fragments.ts';
import type { NodeSet, View } from './view.ts';

export interface EventNode {
  readonly view: View;
  /** The occurrence row that is shown. */
  readonly row: number;
  readonly fragment: EventFragment;
  /** A5: repetitions are those valid at this second. */
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

/** Reads the events of these rows; the nodes have the order of the rows. */
export async function readNodes(
  view: View,
  rows: readonly number[],
  { validAt, byDay }: Pick<NodeSet, 'validAt' | 'byDay'>,
): Promise<readonly EventNode[]> {
  const { event } = view.columns;
  const fragments = await readFragments(
    view,
    rows.map((row) => event[row] ?? absent('event of row', row)),
  );
  return fragments.map((fragment, index) => ({
    view,
    row: rows[index] ?? absent('row', index),
    fragment,
    validAt,
    byDay,
  }));
}

/** A5, A6: the occurrences after the shown one, in A2's order. `first`: how many at most; null: all. */
export function repetitionsOf(node: EventNode, first: number | null = null): readonly RepetitionNode[] {
  const { view, row, fragment, validAt, byDay } = node;
  const { event, over, day, occurrences, occurrencesAt } = view.columns;
  const rows = listAt(occurrences, occurrencesAt, event[row] ?? absent('event of row', row));
  const repetitions: RepetitionNode[] = [];
  for (let index = countUpTo(rows, row); index < rows.length; index++) {
    const later = rows[index] ?? absent('date', index);
    const isOnOtherDay = byDay && day[later] !== day[row];
    if (repetitions.length === first || isOnOtherDay) break;
    if ((over[later] ?? 0) > validAt) repetitions.push({ view, row: later, fragment });
  }
  return repetitions;
}

function absent(what: string, index: number): never {
  throw new RangeError(`expected ${what} ${index}, found none`);
}

/** Bodies of one statement: passing them to JavaScript and splitting them delays other requests. */
const READ_AT_ONCE = 250;

/** In the order of the ordinals. */
export async function readFragments(
  { snapshot }: Pick<View, 'snapshot'>,
  ordinals: readonly number[],
): Promise<readonly EventFragment[]> {
  const wanted = [...new Set(ordinals)];
  const found = new Map<number, EventFragment>();
  for (let first = 0; first < wanted.length; first += READ_AT_ONCE) {
    const batch = wanted.slice(first, first + READ_AT_ONCE);
    const bodies = await snapshot.eventBodies(batch);
    for (const [index, body] of bodies.entries())
      found.set(batch[index] ?? absent('ordinal', index), readFragment(body));
  }
  return ordinals.map((ordinal) => found.get(ordinal) ?? absent('event', ordinal));
}
