/**
 * The query of a list's address (I1): the filter's fields by their names, a page, one event, a language, and the parameters of a
 * format's own. The schema's filter decides: a field that is added there can be asked for here.
 */
import {
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
} from 'graphql';
import { CalendarError, isCalendarError } from '../../calendar/errors.ts';
import { type Arguments, type EventsPlan, planEvents } from '../../serve/query/plan.ts';
import { LANGUAGES } from '../page/reader.ts';
import type { FeedQuery } from './read.ts';

/** Throws BAD_USER_INPUT that names all parameters which nobody knows or which cannot be read. */
type ReadListQuery = (search: string) => FeedQuery;

/** A list's nodes unless its address says otherwise. */
const DEFAULT_PAGE_SIZE = 250;

interface ListParameters {
  readonly schema: GraphQLSchema;
  /** I9: whether dates that are far away are left out unless `repetitions=all` is given. */
  readonly isSubscription: boolean;
  /** Those of the format alone. */
  readonly parameters: Readonly<Record<string, Read>>;
}

export function createReadListQuery({ schema, isSubscription, parameters }: ListParameters): ReadListQuery {
  const filterType = schema.getType('Filter');
  const fields = isInputObjectType(filterType) ? filterType.getFields() : {};
  const readers: Readonly<Record<(typeof KINDS)[number], ReadonlyMap<string, Read>>> = {
    filter: new Map(Object.values(fields).map(({ name, type }) => [name, readerOf(type)])),
    own: new Map(Object.entries(parameters)),
    common: isSubscription ? new Map([...COMMON, ['repetitions', oneOf(['all'])]]) : COMMON,
  };
  const unknown = new Expected(
    ['a field of the filter', ...readers.common.keys(), ...readers.own.keys()]
      .join(', ')
      .replace(/, (\w+)$/, ' or $1'),
  );
  return (search) => {
    const given: Record<(typeof KINDS)[number], Record<string, unknown>> = {
      filter: {},
      own: {},
      common: {},
    };
    const refused = new Map<string, Expected>();
    for (const [name, values] of valuesByName(search)) {
      const kind = KINDS.find((each) => readers[each].has(name));
      const value = kind === undefined ? unknown : readers[kind].get(name)?.(values);
      if (value instanceof Expected) refused.set(name, value);
      else if (kind !== undefined) given[kind][name] = value;
    }
    const { filter, own } = given;
    const { event, lang, page, pageSize = DEFAULT_PAGE_SIZE, repetitions } = given.common;
    return {
      plan: planned({ filter, page, pageSize }, refused),
      event: typeof event === 'string' ? event : null,
      language: LANGUAGES.find((known) => known === lang) ?? 'nb',
      isSubscription: isSubscription && repetitions === undefined,
      own,
    };
  };
}

const KINDS = ['filter', 'own', 'common'] as const;

/** As many of a query's mistakes as its author wants to read. */
const MOST_REFUSED = 20;

/** Names what is wrong with the plan, too. */
function planned(args: Arguments, refused: ReadonlyMap<string, Expected>): EventsPlan {
  let more: CalendarError | undefined;
  try {
    const plan = planEvents(args);
    if (refused.size === 0) return plan;
  } catch (thrown) {
    if (!isCalendarError(thrown) || thrown.code !== 'BAD_USER_INPUT') throw thrown;
    more = thrown;
  }
  const names = [...refused.keys()].map((name) => name.slice(0, LONGEST_NAME));
  const reasons = [...refused].map(([name, { text }]) =>
    `${name}: expected ${text}`.slice(0, LONGEST_REASON),
  );
  throw new CalendarError('BAD_USER_INPUT', MESSAGE, {
    invalidArgs: [...names, ...(more?.invalidArgs ?? [])].slice(0, MOST_REFUSED),
    reasons: [...reasons, ...(more?.reasons ?? [])].slice(0, MOST_REFUSED),
  });
}

const MESSAGE = 'Query Arguments invalid';
const LONGEST_NAME = 60;
const LONGEST_REASON = 200;

/** B1: what is blank is not given, as forms send fields that nobody has filled in. */
function valuesByName(search: string): ReadonlyMap<string, readonly string[]> {
  const byName = new Map<string, string[]>();
  for (const [name, value] of new URLSearchParams(search)) {
    const values = byName.get(name) ?? [];
    byName.set(name, values);
    if (value.trim() !== '') values.push(value);
  }
  return byName;
}

class Expected {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** Reads the values of one parameter; undefined when none is given. */
export type Read = (values: readonly string[]) => unknown;

const single =
  (read: (value: string) => unknown): Read =>
  (values) => {
    const [value, ...more] = values;
    if (more.length > 0) return new Expected('one value');
    return value === undefined ? undefined : read(value);
  };

export const text = single((value) => value);

const texts: Read = (values) =>
  values
    .flatMap((value) => value.split(','))
    .map((value) => value.trim())
    .filter((value) => value !== '');

const flag = single((value) =>
  value === 'true' || value === 'false' ? value === 'true' : new Expected('true or false'),
);

export const oneOf = (names: readonly string[]): Read =>
  single((value) => (names.includes(value) ? value : new Expected(`one of ${names.join(', ')}`)));

/** Which numbers make a page, the plan says. */
const whole = single((value) => (/^-?\d{1,9}$/.test(value) ? Number(value) : new Expected('a whole number')));

const COMMON: ReadonlyMap<string, Read> = new Map([
  ['page', whole],
  ['pageSize', whole],
  ['event', text],
  ['lang', oneOf(LANGUAGES)],
  // Whose call it is, is read elsewhere.
  ['key', () => undefined],
]);

/** An object of numbers, such as `near`, in the order of its fields. */
const numbers = (names: readonly string[]) =>
  single((value) => {
    const parts = value.split(',').map((part) => part.trim());
    if (parts.length !== names.length || !parts.every((part) => NUMBER.test(part))) {
      return new Expected(`numbers: ${names.join(',')}`);
    }
    return Object.fromEntries(names.map((name, place) => [name, Number(parts[place])]));
  });

const NUMBER = /^-?\d{1,20}(?:\.\d{1,40})?$/;

function readerOf(type: GraphQLInputType): Read {
  const named = getNamedType(type);
  if (isInputObjectType(named)) return numbers(Object.keys(named.getFields()));
  if (isListType(getNullableType(type))) return texts;
  if (isEnumType(named)) return oneOf(named.getValues().map(({ name }) => name));
  return named.name === 'Boolean' ? flag : text;
}
