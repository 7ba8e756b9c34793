/**
 * The query of a list's address (I1): the filter's fields by their names, a page, one event, a language, and the
 * format's own parameters. The schema decides: a field that is added to its filter is a parameter here.
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
import { type Arguments, Expected } from '../../calendar/arguments.ts';
import { CalendarError, isCalendarError } from '../../calendar/errors.ts';
import { type EventsPlan, MAX_PAGE_SIZE, planEvents } from '../../serve/query/plan.ts';
import { isRepeated } from '../../snapshot/filters.ts';
import { type AboutParameter, KEY } from '../facts/facts.ts';
import { LANGUAGES } from '../page/reader.ts';

/** Nodes of a list unless its address gives a number. */
const DEFAULT_PAGE_SIZE = 250;

/** What decides the parameters of a list. */
export interface ListParameters {
  /**
   * Whether it has an entry for each date of an event, or (I9) for the near ones unless `repetitions=all` is given;
   * else only for the shown one.
   */
  readonly dates?: 'all' | 'near' | undefined;
  /** Parameters that only this format has. */
  readonly parameters?: Parameters | undefined;
  /** Events of a page unless its address gives a number. */
  readonly pageSize?: number | undefined;
}

export type FeedQuery = ReturnType<ReturnType<typeof createReadListQuery>>;

/** The reader throws BAD_USER_INPUT that names all unknown and all invalid parameters. */
export function createReadListQuery(schema: GraphQLSchema, options: ListParameters) {
  const { dates, pageSize: usual = DEFAULT_PAGE_SIZE } = options;
  const filter = filterParameters(schema);
  const parameters = listParameters(schema, options);
  const others = Object.keys(parameters).filter((name) => !(name in filter));
  const names = ['a field of the filter', ...others];
  const unknown = new Expected(names.join(', ').replace(/, (\w+)$/, ' or $1'));
  return (search: string) => {
    const values: Record<string, unknown> = {};
    const refused = new Map<string, Expected>();
    for (const [name, given] of valuesByName(search)) {
      const value = Object.hasOwn(parameters, name) ? parameters[name]?.read(given) : unknown;
      if (value instanceof Expected) refused.set(name, value);
      else values[name] = value;
    }
    const { event, occurrence, lang, page, pageSize = usual, repetitions } = values;
    const conditions = Object.entries(values).filter(([name]) => name in filter);
    return {
      plan: planned({ filter: Object.fromEntries(conditions), page, pageSize }, refused),
      /** Id of the only event to list; null: all. */
      event: typeof event === 'string' ? event : null,
      /** Id of the only date to list; null: all. */
      occurrence: typeof occurrence === 'string' ? occurrence : null,
      language: LANGUAGES.find((one) => one === lang) ?? 'nb',
      /** I9: whether it omits distant dates. */
      isSubscription: dates === 'near' && repetitions === undefined && occurrence === undefined,
      /** Values of all parameters, those that only this format has among them. */
      values,
    };
  };
}

/** All parameters of a list's address, by name. */
export const listParameters = (schema: GraphQLSchema, { dates, parameters }: ListParameters): Parameters => ({
  ...filterParameters(schema),
  ...COMMON,
  ...(dates === 'near' && { repetitions: REPETITIONS }),
  ...parameters,
});

function filterParameters(schema: GraphQLSchema): Parameters {
  const type = schema.getType('Filter');
  const fields = isInputObjectType(type) ? Object.values(type.getFields()) : [];
  return Object.fromEntries(
    fields.map(({ name, type: its, description }) => {
      const kind = isRepeated(name) ? repeated : kindOf(its);
      return [name, { ...kind, about: description ?? '' }];
    }),
  );
}

/** Errors of a query that are reported. */
const MOST_REFUSED = 20;

/** Reports errors of the plan, too. */
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
export const LONGEST_NAME = 60;
const LONGEST_REASON = 200;

/** Parameters that mail programs, social networks and caches add to links that people share. */
const OTHERS = /^(?:utm_.*|fbclid|gclid|msclkid|mc_cid|mc_eid|igshid|_ga|_gl|cb|ref)$/;

/** The query of an address without what others have added to it. */
export function withoutOthers(search: string): string {
  const parameters = new URLSearchParams(search);
  const others = [...parameters.keys()].filter((name) => OTHERS.test(name));
  for (const name of others) parameters.delete(name);
  return others.length === 0 ? search : `${parameters}`;
}

/** B1: a blank value is not given; forms send their empty fields so. */
function valuesByName(search: string): ReadonlyMap<string, readonly string[]> {
  const byName = new Map<string, string[]>();
  for (const [name, value] of new URLSearchParams(search)) {
    const values = byName.get(name) ?? [];
    byName.set(name, values);
    if (value.trim() !== '') values.push(value);
  }
  return byName;
}

/** A parameter's description (I8), and its reader. */
interface Parameter extends AboutParameter {
  readonly schema: ParameterSchema;
  readonly read: Read;
}

export type Parameters = Readonly<Record<string, Parameter>>;

/** JSON Schema. */
interface ParameterSchema {
  readonly type: string;
  readonly enum?: readonly string[];
  readonly items?: ParameterSchema;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly default?: number;
}

type ParameterForm = Omit<Parameter, 'about'>;

/** Reads the values of one parameter; undefined if none is given. */
type Read = (values: readonly string[]) => unknown;

/** One value, for which `read` gives undefined where it is not as expected. */
export const single = (
  schema: ParameterSchema,
  expected: string,
  read: (value: string) => unknown,
): ParameterForm => ({
  schema,
  read: ([value, ...more]) => {
    if (more.length > 0) return new Expected('one value');
    return value === undefined ? undefined : (read(value) ?? new Expected(expected));
  },
});

export const text = single({ type: 'string' }, 'a text', (value) => value);

const listed = (values: readonly string[]): readonly string[] =>
  values
    .flatMap((value) => value.split(','))
    .map((value) => value.trim())
    .filter((value) => value !== '');

const texts: ParameterForm = { read: listed, schema: { type: 'array', items: { type: 'string' } } };

const repeated: ParameterForm = { ...texts, read: (values) => values };

const flag = single({ type: 'boolean' }, 'true or false', (value) =>
  value === 'true' || value === 'false' ? value === 'true' : undefined,
);

export const oneOf = (names: readonly string[]): ParameterForm =>
  single({ type: 'string', enum: names }, `one of ${names.join(', ')}`, (value) =>
    names.find((name) => name === value),
  );

const someOf = (names: readonly string[]): ParameterForm => ({
  read: (values) => {
    const given = listed(values);
    return given.every((name) => names.includes(name)) ? given : new Expected(`some of ${names.join(', ')}`);
  },
  schema: { type: 'array', items: { type: 'string', enum: names } },
});

/** The plan checks ranges, such as those of the page and its size. */
const whole = (schema: Partial<ParameterSchema> = {}): ParameterForm =>
  single({ type: 'integer', ...schema }, 'a whole number', (value) =>
    /^-?\d{1,9}$/.test(value) ? Number(value) : undefined,
  );

const NUMBER = /^-?\d{1,20}(?:\.\d{1,40})?$/;
const numberOf = (value: string) => (NUMBER.test(value) ? Number(value) : undefined);
const number = single({ type: 'number' }, 'a number', numberOf);

const COMMON: Parameters = {
  page: { ...whole({ minimum: 0, default: 0 }), about: 'From 0.' },
  pageSize: {
    ...whole({ minimum: 1, default: DEFAULT_PAGE_SIZE }),
    about: `Events of a page; more than ${MAX_PAGE_SIZE} are served as ${MAX_PAGE_SIZE}.`,
  },
  event: { ...text, about: 'The id of one event: only that one, if the filter lets it.' },
  occurrence: {
    ...text,
    about:
      'The id of one date, `occurrenceID` of an event or `id` of a repetition: only that one, if the filter lets it.',
  },
  lang: {
    ...oneOf(LANGUAGES),
    about: 'For titles, descriptions and labels; the other one where there are none.',
  },
  // The key is read by `identify`.
  key: { ...KEY, schema: { type: 'string' }, read: () => undefined },
};

/** An object of numbers, such as `near`, in the order of its fields. */
function numbers(names: readonly string[]): ParameterForm {
  const pattern = `^${names.map(() => NUMBER.source.slice(1, -1)).join(',')}$`;
  return single({ type: 'string', pattern }, `numbers: ${names.join(',')}`, (value) => {
    const parts = value.split(',').map((part) => numberOf(part.trim()));
    const isWhole = parts.length === names.length && !parts.includes(undefined);
    return isWhole ? Object.fromEntries(names.map((name, index) => [name, parts[index]])) : undefined;
  });
}

const REPETITIONS: Parameter = {
  ...oneOf(['all']),
  about: 'Leaves nothing out; else dates of the next 12 months, the shown one and 20 more of each event.',
};

/** Throws for a type that no address can express: the server does not start with such a filter. */
function kindOf(type: GraphQLInputType): ParameterForm {
  const named = getNamedType(type);
  const isList = isListType(getNullableType(type));
  if (isInputObjectType(named) && !isList) return numbers(Object.keys(named.getFields()));
  if (isEnumType(named)) return (isList ? someOf : oneOf)(named.getValues().map(({ name }) => name));
  const kind = (isList ? LISTS : SCALARS)[named.name];
  if (kind === undefined) {
    const expected = `${Object.keys(SCALARS).join(', ')}, [String], an enum or an object of numbers`;
    throw new TypeError(`type of a field of Filter: expected ${expected}, found ${type}`);
  }
  return kind;
}

const SCALARS: Readonly<Record<string, ParameterForm>> = {
  String: text,
  ID: text,
  Boolean: flag,
  Int: whole(),
  Float: number,
};
const LISTS: Readonly<Record<string, ParameterForm>> = { String: texts, ID: texts };
