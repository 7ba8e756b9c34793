/**
 * The fields of the `events` filter (P16, B): each is one entry in a file of `filters/`. From it come the schema, how arguments are read and
 * checked, the conditions that a request puts on rows, hints, the names of lists, and the columns that a build writes.
 */
import { type Arguments, type InvalidArgument, type Read, readAll } from '../calendar/arguments.ts';
import { sdlLine } from '../calendar/field.ts';
import type { Filter, FilterColumn } from './filters/filter.ts';
import { TICKETS } from './filters/tickets.ts';
import { WHAT } from './filters/what.ts';
import { WHEN } from './filters/when.ts';
import { WHERE } from './filters/where.ts';
import { WHO } from './filters/who.ts';

/** In the order of the schema, of hints, and of the words in a list's name. */
const ENTRIES = { ...WHAT, ...WHERE, ...WHO, ...TICKETS, ...WHEN };

type FilterTable = typeof ENTRIES;
type ValueOf<Entry> = Entry extends Filter<infer Value> ? Value : never;

/** The conditions of a filter that are given. */
export type Conditions = { readonly [Name in keyof FilterTable]?: ValueOf<FilterTable[Name]> };

type FilterName = keyof FilterTable;

export const FILTERS: Readonly<Record<FilterName, Filter<unknown>>> = ENTRIES;

const isFilterName = (name: string): name is FilterName => Object.hasOwn(FILTERS, name);
export const FILTER_NAMES: readonly FilterName[] = Object.keys(FILTERS).filter(isFilterName);

/** Whether an address repeats a parameter for each of its values. */
export const isRepeated = (name: string): boolean => isFilterName(name) && FILTERS[name].isRepeated === true;

/** The columns of all filters. */
export const FILTER_COLUMNS: readonly FilterColumn[] = FILTER_NAMES.flatMap(
  (name) => FILTERS[name].columns ?? [],
);

export const FILTER_COLUMN_NAMES: readonly string[] = FILTER_COLUMNS.map(({ name }) => name);

const READERS: Readonly<Record<string, Read<unknown>>> = Object.fromEntries(
  FILTER_NAMES.map((name) => [name, FILTERS[name].read]),
);

/** A filter that was read. */
export interface FilterPlan {
  readonly values: Conditions;
  /** The fields that cannot be read. */
  readonly refused: readonly InvalidArgument[];
}

export function readConditions(given: Arguments): FilterPlan {
  const { values, refused } = readAll(READERS, given);
  return { values: values as Conditions, refused };
}

interface GivenCondition {
  readonly name: FilterName;
  readonly value: unknown;
  readonly filter: Filter<unknown>;
}

/** The conditions that are given, each with its filter. */
export function givenIn(conditions: Conditions): readonly GivenCondition[] {
  return Object.entries(conditions).flatMap(([name, value]) =>
    isFilterName(name) && value !== undefined ? [{ name, value, filter: FILTERS[name] }] : [],
  );
}

/** The published schema: one line of `schema.graphql` is replaced by the input and the types that only its fields have. */
export function withFilters(sdl: string): string {
  return sdl.replace(/^# the input Filter, .*$/m, () => {
    const fields = FILTER_NAMES.map((name) => sdlLine(name, FILTERS[name]));
    const types = FILTER_NAMES.flatMap((name) => FILTERS[name].types ?? []);
    return [`${DESCRIPTION}\ninput Filter {\n${fields.join('\n')}\n}`, ...types].join('\n\n');
  });
}

const DESCRIPTION = `"""
Conditions on events. The displayed occurrence must meet all given conditions. A datetime without an offset is in Norwegian time, such as
\`2026-05-17 19:30\` or \`2026-05-17T19:30:00\`. A date alone means 00:00 on that day.
"""`;
