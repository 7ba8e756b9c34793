/** The work that an operation asks for (D14), known before it is done: rows × facets × root fields. */
import type { Selections } from './selection.ts';

interface Root {
  /** Name of the root field. */
  readonly name: string;
  readonly selections: Selections;
}

/** Passes over the rows of the calendar: one for each root field, and one for each facet of it, however often that is selected. */
export function passesOf(roots: readonly Root[]): number {
  return roots.reduce(
    (sum, { name, selections }) => sum + 1 + (name === 'events' ? facetsIn(selections) : 0),
    0,
  );
}

function facetsIn(selections: Selections): number {
  const facets = selections.filter((field) => field.selections.length > 0 && !PAGED.has(field.name));
  return new Set(facets.map(({ name }) => name)).size;
}

/** Fields of a connection that have fields of their own, and are not facets. */
const PAGED: ReadonlySet<string> = new Set(['data', 'pageInfo']);
