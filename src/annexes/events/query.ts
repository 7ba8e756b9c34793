/**
 * The query of a list's address (I1): the filter's fields by their names, a page, one event, a language, and the
 * format's own parameters. The schema decides: a field that is added to its filter is a parameter here.
 */
import { type GraphQLSchema, isInputObjectType } from 'graphql';
import { type Arguments, INVALID_ARGUMENTS, Invalid } from '../../calendar/arguments.ts';
import { alternatives, beginningOf } from '../../calendar/display-text.ts';
import { CalendarError, isCalendarError } from '../../calendar/errors.ts';
import { oncePer } from '../../calendar/once-per.ts';
import { isTracking } from '../../calendar/urls.ts';
import { type EventsPlan, MAX_PAGE_SIZE, planEvents } from '../../serve/query/plan.ts';
import { isRepeated } from '../../snapshot/filters.ts';
import { KEY } from '../facts/facts.ts';
import { LANGUAGES, type Language } from '../page/reader.ts';
import { kindOf, oneOf, type Parameters, repeated, text, wholeNumber } from './parameters.ts';

/** Events of a page of most lists, unless the address gives a number. */
export const LIST_PAGE_SIZE = 250;

/** The properties of a format that decide the parameters of its list. */
export interface ListParameters {
  /**
   * Whether it has an entry for each date of an event, or (I9) for the near ones unless `repetitions=all` is given;
   * else only for the shown one.
   */
  readonly dates?: 'all' | 'near' | undefined;
  /** Parameters that only this format has. */
  readonly parameters?: Parameters | undefined;
  /** In place of LIST_PAGE_SIZE. */
  readonly pageSize?: number | undefined;
}

/** The query of a list's address, as its parameters say it. */
export interface ListQuery {
  readonly plan: EventsPlan;
  /** Id of the only event to list; null: all. */
  readonly event: string | null;
  /** Id of the only date to list; null: all. */
  readonly occurrence: string | null;
  /** Null: the Norwegian of the calendar. */
  readonly language: Language | null;
  /** I9: whether distant dates are omitted. */
  readonly isSubscription: boolean;
  /** Values of all parameters by name, including those that only this format has. */
  readonly values: Readonly<Record<string, unknown>>;
}

type ReadListQuery = (search: string) => ListQuery;

/** The reader throws BAD_USER_INPUT that names all unknown and all invalid parameters. */
export function createReadListQuery(schema: GraphQLSchema, options: ListParameters): ReadListQuery {
  const { dates } = options;
  const defaultSize = defaultSizeOf(options);
  const filter = filterParameters(schema);
  const parameters = listParameters(schema, options);
  const existing = parameterNames(parameters, filter);
  return (search: string) => {
    const { values, refused } = readValues(search, parameters, existing);
    const { event, occurrence, lang, page, pageSize = defaultSize, repetitions } = values;
    const conditions = Object.entries(values).filter(([name]) => name in filter);
    return {
      plan: planned({ filter: Object.fromEntries(conditions), page, pageSize }, refused),
      event: typeof event === 'string' ? event : null,
      occurrence: typeof occurrence === 'string' ? occurrence : null,
      language: LANGUAGES.find((one) => one === lang) ?? null,
      isSubscription: dates === 'near' && repetitions === undefined && occurrence === undefined,
      values,
    };
  };
}

/** The parameters of an address, by their names. */
interface ReadValues {
  readonly values: ListQuery['values'];
  /** What was expected in place of each unknown parameter and of each invalid value. */
  readonly refused: ReadonlyMap<string, string>;
}

/** `existing`: the names of the parameters in words, for the message about an unknown parameter. */
function readValues(search: string, parameters: Parameters, existing: string): ReadValues {
  const values: Record<string, unknown> = {};
  const refused = new Map<string, string>();
  for (const [name, texts] of valuesByName(search)) {
    const parameter = Object.hasOwn(parameters, name) ? parameters[name] : undefined;
    const value = parameter === undefined ? new Invalid(existing) : parameter.read(texts);
    if (value instanceof Invalid) refused.set(name, value.expected);
    else values[name] = value;
  }
  return { values, refused };
}

/** The names of all parameters, but for the fields of the filter, of which there are too many. */
function parameterNames(parameters: Parameters, filter: Parameters): string {
  const others = Object.keys(parameters).filter((name) => !(name in filter));
  return alternatives(['a field of the filter', ...others]);
}

/** All parameters of a list's address, by name. */
export function listParameters(schema: GraphQLSchema, options: ListParameters): Parameters {
  const { dates, parameters } = options;
  const ofDates = dates === 'near' ? OF_SUBSCRIPTIONS : {};
  return {
    ...filterParameters(schema),
    ...COMMON,
    pageSize: sizeOfPages(defaultSizeOf(options)),
    ...ofDates,
    ...parameters,
  };
}

const defaultSizeOf = ({ pageSize = LIST_PAGE_SIZE }: ListParameters): number => pageSize;

/** All lists have the same ones. Made for each list anew, they took a tenth of the start of a server. */
const filterParameters = oncePer((schema: GraphQLSchema): Parameters => {
  const type = schema.getType('Filter');
  const fields = isInputObjectType(type) ? Object.values(type.getFields()) : [];
  return Object.fromEntries(
    fields.map(({ name, type: fieldType, description }) => {
      const kind = isRepeated(name) ? repeated : kindOf(fieldType);
      return [name, { ...kind, about: description ?? '' }];
    }),
  );
});

const sizeOfPages = (size: number): Parameters[string] => ({
  ...wholeNumber({ minimum: 1, default: size }),
  about: `Events per page; a value above ${MAX_PAGE_SIZE} counts as ${MAX_PAGE_SIZE}.`,
});

const COMMON: Parameters = {
  page: { ...wholeNumber({ minimum: 0, default: 0 }), about: 'The number of the page, from 0.' },
  event: { ...text, about: 'The id of an event. Only this event is returned, if it matches the filter.' },
  occurrence: {
    ...text,
    about:
      'The id of a date: the `occurrenceID` of an event, or the `id` of a repetition. Only this date is returned, if it matches the filter.',
  },
  lang: {
    ...oneOf(LANGUAGES),
    about:
      'Language of titles, descriptions and labels, by default the calendar’s Norwegian; if a text is missing in Norwegian or English, the other one is used.',
  },
  // The key is read by `identify`.
  key: { ...KEY, schema: { type: 'string' }, read: () => undefined },
};

/** I9: parameters that only subscriptions have. */
const OF_SUBSCRIPTIONS: Parameters = {
  repetitions: {
    ...oneOf(['all']),
    about:
      'Returns all dates. By default, only dates in the next 12 months are returned: for each event, the displayed one and at most 20 more.',
  },
};

/** Throws one error for the refused parameters and for those that the plan refuses. */
function planned(args: Arguments, refused: ReadonlyMap<string, string>): EventsPlan {
  const plan = planOrFault(args);
  if (!isCalendarError(plan) && refused.size === 0) return plan;
  const fault = isCalendarError(plan) ? plan : undefined;
  const reasons = [...refused].map(([name, expected]) =>
    beginningOf(`${name}: expected ${expected}`, LONGEST_REASON),
  );
  const { invalidArgs = [], reasons: reasonsOfPlan = [] } = fault ?? {};
  throw invalidParameters([...refused.keys(), ...invalidArgs], [...reasons, ...reasonsOfPlan]);
}

function planOrFault(args: Arguments): EventsPlan | CalendarError {
  try {
    return planEvents(args);
  } catch (thrown) {
    if (isCalendarError(thrown) && thrown.code === 'BAD_USER_INPUT') return thrown;
    throw thrown;
  }
}

/** BAD_USER_INPUT that names the first of the parameters, and gives the first of the reasons. */
export function invalidParameters(names: readonly string[], reasons: readonly string[]): CalendarError {
  return new CalendarError('BAD_USER_INPUT', INVALID_ARGUMENTS, {
    invalidArgs: names.slice(0, MOST_REFUSED).map(shownName),
    reasons: reasons.slice(0, MOST_REFUSED),
  });
}

/** A parameter's name, as an error reports it. */
export function shownName(name: string): string {
  return beginningOf(name, LONGEST_NAME);
}

/** Parameters, and reasons, that an error reports. */
const MOST_REFUSED = 20;
const LONGEST_NAME = 60;
const LONGEST_REASON = 200;

/** Parameters that caches and other sites add. Here they name nothing; on other sites they may. */
const ADDED = ['cb', 'ref'];

/** The query of an address without its key, which `identify` reads, and without the parameters that other programs have added. */
export function withoutKeyAndTracking(search: string): string {
  const parameters = new URLSearchParams(search);
  const removed = [...parameters.keys()].filter(
    (name) => name === 'key' || isTracking(name) || ADDED.includes(name),
  );
  for (const name of removed) parameters.delete(name);
  return removed.length === 0 ? search : `${parameters}`;
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
