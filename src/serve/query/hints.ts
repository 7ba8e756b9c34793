/**
 * B14: values of a filter that no record of this calendar can match, with the nearest that some can. Only unknown values cost more than a
 * look-up, and few of them are compared with the names that there are.
 */
import { textsOf } from '../../calendar/arguments.ts';
import { shortened } from '../../calendar/display-text.ts';
import { createNearest, type FindNearest } from '../../calendar/nearest.ts';
import { oncePer } from '../../calendar/once-per.ts';
import type { FilterView, Named, NamedKind, Unmatched } from '../../snapshot/filters/filter.ts';
import { type Conditions, givenIn } from '../../snapshot/filters.ts';

export interface Hint extends Unmatched {
  /** Name of the filter's field. */
  readonly argument: string;
}

/** Hints of one answer. */
export const MOST_HINTS = 5;

/** Says where a client can read all values, by the query that lists them. */
type WriteSource = (query: string) => string;

interface HintOptions {
  /** The largest number of hints. */
  readonly most?: number;
  readonly writeSource?: WriteSource;
}

export function hintsFor(
  conditions: Conditions,
  view: FilterView,
  { most = MOST_HINTS, writeSource = (query) => `The query \`${query}\` lists them all.` }: HintOptions = {},
): readonly Hint[] {
  const hints: Hint[] = [];
  if (most <= 0) return hints;
  for (const hint of hintsOn(conditions, view, writeSource)) {
    hints.push(hint);
    if (hints.length === most) break;
  }
  return hints;
}

function* hintsOn(conditions: Conditions, view: FilterView, writeSource: WriteSource): Generator<Hint> {
  for (const { name: argument, value, filter } of givenIn(conditions)) {
    if (filter.named !== undefined) {
      const known = { kind: filter.named, view, writeSource };
      for (const hint of unknownIn(value, known)) yield { argument, ...hint };
    }
    for (const hint of filter.hints?.(value, view, conditions) ?? []) yield { argument, ...hint };
  }
}

interface KnownValues {
  readonly kind: NamedKind;
  readonly view: FilterView;
  readonly writeSource: WriteSource;
}

function* unknownIn(given: unknown, known: KnownValues): Generator<Unmatched> {
  const { kind, view } = known;
  let hintsLeft = kind.mostHints ?? MOST_HINTS;
  for (const value of typeof given === 'string' ? [given] : textsOf(given)) {
    if (kind.find(value, view).length > 0) continue;
    if (hintsLeft === 0) return;
    hintsLeft -= 1;
    yield { value: shortened(value, LONGEST_VALUE), message: messageFor(value, known) };
  }
}

/** Characters of a value that a hint shows. */
const LONGEST_VALUE = 100;

function messageFor(value: string, { kind, view, writeSource }: KnownValues): string {
  const unknown = `No ${kind.predicate}`;
  if (kind.values === undefined) return `${unknown}.`;
  const [found, name = found] = nearestOf(kind, kind.values, view)(value) ?? [];
  if (found === undefined) return `${unknown}, and none is similar. ${writeSource(kind.query ?? '')}`;
  const named = name === found ? '' : ` (${name})`;
  return `${unknown}. The nearest is ${JSON.stringify(found)}${named}.`;
}

/** By kind, for what its values are of: names are folded for the first use. */
const findersOf = oncePer((_: object) => new Map<NamedKind, FindNearest<Named>>());

function nearestOf(
  kind: NamedKind,
  values: NonNullable<NamedKind['values']>,
  view: FilterView,
): FindNearest<Named> {
  const finders = findersOf(kind.basis?.(view) ?? view.lists);
  const found = finders.get(kind) ?? createNearest(values(view), (named) => named);
  finders.set(kind, found);
  return found;
}
