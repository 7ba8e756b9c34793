/**
 * Nodes: an event as one of its occurrences shows it, with all that its answer needs in memory. An event's ready-made JSON is read by
 * ordinal. JSON in demand is cached unparsed, one text an event: parsed, it would be fifty objects each, which the garbage collector
 * would visit again and again.
 */
import { countUpTo } from '../../snapshot/bitmaps.ts';
import { type EventFragment, readFragment } from '../../snapshot/fragments.ts';
import type { NodeSet, View } from './view.ts';

export interface EventNode {
  readonly view: View;
  /** The occurrence row that is shown. */
  readonly row: number;
  readonly fragment: EventFragment;
  /** A5, repetitions: repetitions are those valid at this second. */
  readonly validAt: number;
  /** A6, grouping by day: repetitions are of the shown day only. */
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
    rows.map((row) => event[row] ?? absent(row)),
  );
  return fragments.map((fragment, index) => ({
    view,
    row: rows[index] ?? absent(index),
    fragment,
    validAt,
    byDay,
  }));
}

/** A5, A6: the occurrences after the shown one, in A2's order. `first`: how many at most; null: all. */
export function repetitionsOf(node: EventNode, first: number | null = null): readonly RepetitionNode[] {
  const { view, row, fragment, validAt, byDay } = node;
  const { event, occurrences, occurrencesAt, over, day } = view.columns;
  const ordinal = event[row] ?? absent(row);
  const own = occurrences.subarray(occurrencesAt[ordinal], occurrencesAt[ordinal + 1]);
  const repetitions: RepetitionNode[] = [];
  for (let index = countUpTo(own, row); index < own.length; index++) {
    const later = own[index] ?? absent(index);
    if (repetitions.length === first || (byDay && day[later] !== day[row])) break;
    if ((over[later] ?? 0) > validAt) repetitions.push({ view, row: later, fragment });
  }
  return repetitions;
}

function absent(index: number): never {
  throw new RangeError(`expected a row or event at ${index}, found none`);
}

/** Bodies of one statement: passing them to JavaScript and splitting them delays other requests by some 5 ms. */
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
      found.set(batch[index] ?? absent(index), readFragment(body));
  }
  return ordinals.map((ordinal) => found.get(ordinal) ?? absent(ordinal));
}
