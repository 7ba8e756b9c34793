/**
 * Nodes: an event as one of its occurrences shows it, with all that its answer needs in memory. An event's ready-made JSON is read by
 * ordinal. JSON in demand is cached unparsed, one text an event: parsed, it would be fifty objects each, which the garbage collector
 * would visit again and again.
 */
import { CalendarError } from '../../calendar/errors.ts';
import { countUpTo } from '../../snapshot/bitmaps.ts';
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

/** Events that one operation may read: enough for the full pages of all its root fields. */
export const MAX_EVENTS = 20_000;

/** The number of events that an operation may still read. Look-ups without pages have no other limit. */
export interface ReadBudget {
  events: number;
  /** How many of those may be read before the answer is written, so that waiting work uses little memory. */
  ahead?: number;
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
  return fragments.map((fragment, place) => ({
    view,
    row: rows[place] ?? absent(place),
    fragment,
    validAt,
    byDay,
  }));
}

/** Nodes that a page reads at a time, and that one operation reads ahead. */
export const BATCH_NODES = 100;

/** Nodes of a list, read while they are written: 20,000 of them at once take some 70 MB. */
export class NodePage {
  readonly #view: View;
  readonly #rows: readonly number[];
  readonly #set: Pick<NodeSet, 'validAt' | 'byDay'>;
  /** The nodes that were read last, and the index of the first of them. */
  #nodes: readonly EventNode[] = [];
  #first = 0;

  private constructor(view: View, rows: readonly number[], set: Pick<NodeSet, 'validAt' | 'byDay'>) {
    this.#view = view;
    this.#rows = rows;
    this.#set = set;
  }

  /** Throws QUERY_TOO_COMPLEX before it exceeds the budget. */
  static async of(
    view: View,
    rows: readonly number[],
    { budget, ...set }: Pick<NodeSet, 'validAt' | 'byDay'> & { readonly budget: ReadBudget },
  ): Promise<NodePage> {
    if (rows.length > budget.events) throw new CalendarError('QUERY_TOO_COMPLEX', TOO_MANY);
    budget.events -= rows.length;
    const page = new NodePage(view, rows, set);
    const ahead = budget.ahead ?? 0;
    if (rows.length <= ahead) {
      budget.ahead = ahead - rows.length;
      await page.prepare(0);
    }
    return page;
  }

  get length(): number {
    return this.#rows.length;
  }

  /** Loads the node at an index; undefined if it is loaded already. */
  prepare(place: number): Promise<void> | undefined {
    if (this.#at(place) !== undefined || place >= this.length) return undefined;
    const rows = this.#rows.slice(place, place + BATCH_NODES);
    return readNodes(this.#view, rows, this.#set).then((nodes) => {
      this.#nodes = nodes;
      this.#first = place;
    });
  }

  at(place: number): EventNode {
    return this.#at(place) ?? absent(place);
  }

  #at(place: number): EventNode | undefined {
    return this.#nodes[place - this.#first];
  }
}

/** A5, A6: the occurrences after the shown one, in A2's order. `first`: how many at most; null: all. */
export function repetitionsOf(node: EventNode, first: number | null = null): readonly RepetitionNode[] {
  const { view, row, fragment, validAt, byDay } = node;
  const { event, occurrences, occurrencesAt, over, day } = view.columns;
  const ordinal = event[row] ?? absent(row);
  const own = occurrences.subarray(occurrencesAt[ordinal], occurrencesAt[ordinal + 1]);
  const repetitions: RepetitionNode[] = [];
  for (let place = countUpTo(own, row); place < own.length; place++) {
    const later = own[place] ?? absent(place);
    if (repetitions.length === first || (byDay && day[later] !== day[row])) break;
    if ((over[later] ?? 0) > validAt) repetitions.push({ view, row: later, fragment });
  }
  return repetitions;
}

const TOO_MANY = `The operation asks for more than ${MAX_EVENTS} events: ask for a smaller area, for fewer slugs, or for pages of \`events\`.`;

function absent(place: number): never {
  throw new RangeError(`expected a row or event at ${place}, found none`);
}

/** A larger list is an export: it would only drop what other requests need. */
const CACHE_UP_TO = 200;

/** Bodies of one statement: passing them to JavaScript and splitting them delays other requests by some 5 ms. */
const READ_AT_ONCE = 250;

/** In the order of the ordinals. */
export async function readFragments(
  { snapshot, bodies }: Pick<View, 'snapshot' | 'bodies'>,
  ordinals: readonly number[],
): Promise<readonly EventFragment[]> {
  const found = new Map<number, EventFragment>();
  const missing: number[] = [];
  for (const ordinal of new Set(ordinals)) {
    const body = bodies.get(ordinal);
    if (body === undefined) missing.push(ordinal);
    else found.set(ordinal, readFragment(body));
  }
  for (let first = 0; first < missing.length; first += READ_AT_ONCE) {
    const batch = missing.slice(first, first + READ_AT_ONCE);
    const read = await snapshot.eventBodies(batch);
    for (const [place, ordinal] of batch.entries()) {
      const body = read[place] ?? absent(ordinal);
      found.set(ordinal, readFragment(body));
      if (missing.length <= CACHE_UP_TO) bodies.set(ordinal, body);
    }
  }
  return ordinals.map((ordinal) => found.get(ordinal) ?? absent(ordinal));
}
