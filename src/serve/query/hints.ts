/**
 * B14: values of a filter that no record of this calendar can match, with the nearest that some can. Only unknown values cost more than a
 * look-up, and few of them are compared with the names that there are.
 */
import { textsOf } from '../../calendar/arguments.ts';
import { createNearest, shortened } from '../../calendar/text.ts';
import type { Kind, Known, Named, Unmatched } from '../../snapshot/filters/filter.ts';
import { type Conditions, givenIn } from '../../snapshot/filters.ts';
import type { Lists } from '../../snapshot/meta.ts';

export interface Hint extends Unmatched {
  /** Name of the filter's field. */
  readonly argument: string;
}

/** Hints of one answer. */
export const MOST_HINTS = 5;

/** `most`: how many at most. */
export function hintsFor(conditions: Conditions, known: Known, most = MOST_HINTS): readonly Hint[] {
  const hints: Hint[] = [];
  if (most <= 0) return hints;
  for (const hint of hintsOn(conditions, known)) {
    hints.push(hint);
    if (hints.length === most) break;
  }
  return hints;
}

function* hintsOn(conditions: Conditions, known: Known): Generator<Hint> {
  for (const { name: argument, value, filter } of givenIn(conditions)) {
    if (filter.named !== undefined) {
      for (const hint of unknownIn(value, filter.named, known)) yield { argument, ...hint };
    }
    for (const hint of filter.hints?.(value, known, conditions) ?? []) yield { argument, ...hint };
  }
}

function* unknownIn(given: unknown, kind: Kind, known: Known): Generator<Unmatched> {
  let { most = MOST_HINTS } = kind;
  for (const value of typeof given === 'string' ? [given] : textsOf(given)) {
    if (kind.find(value, known).length > 0) continue;
    if (most-- <= 0) return;
    yield { value: shortened(value, LONGEST_VALUE), message: messageFor(value, kind, known) };
  }
}

/** Characters of a value that a hint shows. */
const LONGEST_VALUE = 100;

function messageFor(value: string, kind: Kind, known: Known): string {
  const what = `No ${kind.what}`;
  if (kind.all === undefined) return `${what}.`;
  const [found, name = found] = nearestOf(kind, kind.all, known)(value) ?? [];
  if (found === undefined)
    return `${what}, nor one like it. The query \`${kind.query}\` has those that there are.`;
  const named = name === found ? '' : ` (${name})`;
  return `${what}. The nearest is ${JSON.stringify(found)}${named}.`;
}

type Nearest = ReturnType<typeof createNearest<Named>>;

/** For a snapshot's lists, by kind: names are folded for the first use. */
const finders = new WeakMap<Lists, Map<Kind, Nearest>>();

function nearestOf(kind: Kind, all: NonNullable<Kind['all']>, known: Known): Nearest {
  const kinds = finders.get(known.lists) ?? new Map<Kind, Nearest>();
  finders.set(known.lists, kinds);
  const found = kinds.get(kind) ?? createNearest(all(known), (named) => named);
  kinds.set(kind, found);
  return found;
}
