/**
 * A root field: what it is asked for, what it holds, and how that is written. Selecting reads no event, so that the size of an answer is
 * known before its data is read (D2). Lists are written in pieces, between which other work has its turn.
 */

import type { Hint } from '../query/hints.ts';
import { type EventNode, readNodes } from '../query/node.ts';
import type { Arguments, FilterPlan } from '../query/plan.ts';
import type { NodeSet, View } from '../query/view.ts';
import type { Output, Projections, Selections, Write } from './project.ts';

export interface RootRequest {
  readonly args: Arguments;
  readonly view: View;
  readonly now: number;
  readonly shared: Shared;
}

/** What the root fields of one operation share. */
export interface Shared {
  /** Filters by their JSON: equal ones are read, and their nodes selected, once. */
  readonly filters: Map<string, KnownFilter>;
  /** B12: whether the answer depends on the date. Set while root fields are selected. */
  dependsOnDay: boolean;
  /** B14: at most MOST_HINTS. */
  readonly hints: Hint[];
}

export interface KnownFilter {
  readonly plan: FilterPlan;
  set?: Promise<NodeSet>;
}

/** A root field with what it holds. */
export interface SelectedValue {
  /** D2: its fields at all levels. */
  readonly fields: number;
  /** Events that are read while it is written. */
  readonly events: number;
  readonly write: WriteInPieces;
}

type WriteInPieces = (out: Output, pause: Pause) => Promise<void>;

/** Called between two entries of a list: other work has its turn if there is a new slice. */
export type Pause = () => Promise<void> | undefined;

export type SelectValue = (request: RootRequest) => Promise<SelectedValue>;

/** Makes what selects the value of a root field, for a selection of its fields. The type of its source is hidden inside. */
export type Root = (selections: Selections, projections: Projections) => SelectValue;

/** Nodes of a list, read while they are written: 20,000 of them at once take some 70 MB. */
interface EventList extends Pick<NodeSet, 'validAt' | 'byDay'> {
  readonly view: View;
  readonly rows: readonly number[];
}

/** Nodes that are read at a time. */
const BATCH = 100;

export async function writeEvents(
  { view, rows, ...set }: EventList,
  writing: Writing<EventNode>,
): Promise<void> {
  const { write, out, pause } = writing;
  out.text += '[';
  for (let first = 0; first < rows.length; first += BATCH) {
    const nodes = await readNodes(view, rows.slice(first, first + BATCH), set);
    for (const [place, node] of nodes.entries()) {
      if (first + place > 0) out.text += ',';
      write(node, out);
      out.settle();
      const pausing = pause();
      if (pausing !== undefined) await pausing;
    }
  }
  out.text += ']';
}

export async function writeAll<Source>(
  sources: readonly Source[],
  { write, out, pause }: Writing<Source>,
): Promise<void> {
  out.text += '[';
  for (const [place, source] of sources.entries()) {
    if (place > 0) out.text += ',';
    write(source, out);
    out.settle();
    const pausing = pause();
    if (pausing !== undefined) await pausing;
  }
  out.text += ']';
}

interface Writing<Source> {
  readonly write: Write<Source>;
  readonly out: Output;
  readonly pause: Pause;
}
