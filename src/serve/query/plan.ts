/**
 * The arguments of a request, read and checked once. All invalid arguments of a field are reported together (A14, B4). Each field of the
 * filter says itself how it is read: see `src/snapshot/filters.ts`.
 */
import {
  type Arguments,
  INVALID_ARGUMENTS,
  Invalid,
  type InvalidArgument,
  type Readers,
  readAll,
  type ValuesOf,
  whole,
} from '../../calendar/arguments.ts';
import { shortened } from '../../calendar/display-text.ts';
import { CalendarError } from '../../calendar/errors.ts';
import { isObject } from '../../calendar/json.ts';
import { type Box, EDGES } from '../../calendar/positions.ts';
import { type Conditions, type FilterPlan, readConditions } from '../../snapshot/filters.ts';

export interface EventsPlan {
  /** Only conditions that are given. */
  readonly conditions: Conditions;
  /** Zero-based. */
  readonly page: number;
  /** B7: at most MAX_PAGE_SIZE. */
  readonly pageSize: number;
}

const DEFAULT_PAGE_SIZE = 10;
export const MAX_PAGE_SIZE = 1000;

/** `filter`: the argument, if it was read before. */
export function planEvents(args: Arguments, filter = readFilter(args.filter)): EventsPlan {
  const { page = 0, pageSize = DEFAULT_PAGE_SIZE } = checked(PAGING, args, filter.refused);
  return { conditions: filter.values, page, pageSize: Math.min(pageSize, MAX_PAGE_SIZE) };
}

export function readFilter(argument: unknown): FilterPlan {
  return readConditions(isObject(argument) ? argument : {});
}

/** C4: the argument `first` of a list; null when it is not given. */
export function planFirst(first: unknown): number | null {
  return checked(FIRST, { first }).first ?? null;
}

export function planArea(args: Arguments): Box {
  return checked(EDGES, args) as Box;
}

interface TitlePlan {
  readonly title: string;
  readonly language: 'nb' | 'en';
}

export function planTitle(args: Arguments): TitlePlan {
  const { lan: language = 'nb' } = checked(TITLE, args);
  return { title: requiredText(args.title), language };
}

/** Reads a required argument of type String!, which graphql-js has checked. */
export function requiredText(value: unknown): string {
  if (typeof value !== 'string') throw new TypeError(`expected a string argument, found ${typeof value}`);
  return value;
}

/** Throws BAD_USER_INPUT, which names those that were refused `before`, too. */
function checked<Of extends Readers>(
  readers: Of,
  args: Arguments,
  before: readonly InvalidArgument[] = [],
): ValuesOf<Of> {
  const { values, refused } = readAll(readers, args);
  const all = [...before, ...refused];
  if (all.length === 0) return values;
  const reasons = all.map(
    ({ name, expected, found }) => `${name}: expected ${expected}, found ${excerpt(found)}`,
  );
  // The interface fixes no message for an impossible page.
  const isCountOnly = all.every(({ name }) => COUNTS.has(name));
  const message = isCountOnly ? reasons.join('; ') : INVALID_ARGUMENTS;
  throw new CalendarError('BAD_USER_INPUT', message, {
    invalidArgs: all.map(({ name }) => name),
    reasons,
  });
}

const COUNTS: ReadonlySet<string> = new Set(['page', 'pageSize', 'first']);

/** Characters. */
const LONGEST_EXCERPT = 80;

function excerpt(value: unknown): string {
  return shortened(JSON.stringify(value) ?? String(value), LONGEST_EXCERPT);
}

const PAGING = { page: whole(0), pageSize: whole(1) };
const FIRST = { first: whole(1) };

const TITLE = {
  lan: (value: unknown): 'nb' | 'en' | Invalid =>
    value === 'nb' || value === 'en' ? value : new Invalid('"nb" or "en"'),
};
