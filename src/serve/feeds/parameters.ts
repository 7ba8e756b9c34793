/** The query of a feed's address: the filter's fields by their names, a page of it, one event, a language (I1). */
import {
  type GraphQLInputFieldMap,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
} from 'graphql';
import { CalendarError, isCalendarError } from '../../calendar/errors.ts';
import { LANGUAGES, type Language } from '../pages/reader.ts';
import { type EventsPlan, planEvents } from '../query/plan.ts';

export interface FeedQuery {
  readonly plan: EventsPlan;
  /** Id of the only event that is asked for; null: all. */
  readonly event: string | null;
  readonly language: Language;
}

/** Throws BAD_USER_INPUT that names all parameters which nobody knows or which cannot be read. */
export type ReadFeedQuery = (search: string) => FeedQuery;

/** A feed's nodes unless it says otherwise. */
const DEFAULT_PAGE_SIZE = 250;

/** What the schema says of the filter decides: a field that is added there can be asked for here. */
export function createReadFeedQuery(schema: GraphQLSchema): ReadFeedQuery {
  const filterFields = new Map(
    Object.entries(fieldsOf(schema)).map(([name, { type }]) => [name, readerOf(type)]),
  );
  return (search) => {
    const filter: Record<string, unknown> = {};
    const others: Record<string, unknown> = { pageSize: DEFAULT_PAGE_SIZE };
    const refused: Refused[] = [];
    for (const [name, values] of valuesByName(search)) {
      const isFilter = filterFields.has(name);
      const read = filterFields.get(name) ?? OTHERS[name];
      const value = read === undefined ? UNKNOWN : read(values);
      if (value instanceof Expected) refused.push({ name, reason: `${name}: expected ${value.text}` });
      else if (isFilter) filter[name] = value;
      else others[name] = value;
    }
    const plan = planned({ filter, page: others.page, pageSize: others.pageSize }, refused);
    const { event, lang } = others;
    return {
      plan,
      event: typeof event === 'string' ? event : null,
      language: LANGUAGES.find((known) => known === lang) ?? 'nb',
    };
  };
}

function fieldsOf(schema: GraphQLSchema): GraphQLInputFieldMap {
  const filter = schema.getType('Filter');
  return isInputObjectType(filter) ? filter.getFields() : {};
}

interface Refused {
  readonly name: string;
  readonly reason: string;
}

/** As many of a query's mistakes as its author wants to read. */
const MOST_REFUSED = 20;

function planned(args: Readonly<Record<string, unknown>>, refused: readonly Refused[]): EventsPlan {
  try {
    const plan = planEvents(args);
    if (refused.length === 0) return plan;
    throw new CalendarError('BAD_USER_INPUT', MESSAGE, { invalidArgs: [], reasons: [] });
  } catch (thrown) {
    if (!isCalendarError(thrown) || thrown.code !== 'BAD_USER_INPUT') throw thrown;
    const names = refused.map(({ name }) => name.slice(0, LONGEST_NAME));
    const reasons = refused.map(({ reason }) => reason.slice(0, LONGEST_REASON));
    throw new CalendarError('BAD_USER_INPUT', MESSAGE, {
      invalidArgs: [...names, ...(thrown.invalidArgs ?? [])].slice(0, MOST_REFUSED),
      reasons: [...reasons, ...(thrown.reasons ?? [])].slice(0, MOST_REFUSED),
    });
  }
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

const UNKNOWN = new Expected('a field of the filter, page, pageSize, event, lang or key');

/** Reads the values of one parameter; undefined when none is given. */
type Read = (values: readonly string[]) => unknown;

const single =
  (read: (value: string) => unknown): Read =>
  (values) => {
    const [value, ...more] = values;
    if (more.length > 0) return new Expected('one value');
    return value === undefined ? undefined : read(value);
  };

const text = single((value) => value);

const texts: Read = (values) =>
  values
    .flatMap((value) => value.split(','))
    .map((value) => value.trim())
    .filter((value) => value !== '');

const flag = single((value) => (value === 'true' || value === 'false' ? value === 'true' : TRUE_OR_FALSE));
const TRUE_OR_FALSE = new Expected('true or false');

const oneOf = (names: readonly string[]) =>
  single((value) => (names.includes(value) ? value : new Expected(`one of ${names.join(', ')}`)));

/** Which numbers make a page, the plan says. */
const whole = single((value) => (/^-?\d{1,9}$/.test(value) ? Number(value) : WHOLE_NUMBER));
const WHOLE_NUMBER = new Expected('a whole number');

const OTHERS: Readonly<Record<string, Read>> = {
  page: whole,
  pageSize: whole,
  event: text,
  lang: oneOf(LANGUAGES),
  // Whose call it is, is read elsewhere.
  key: () => undefined,
};

function readerOf(type: GraphQLInputType): Read {
  const named = getNamedType(type);
  if (isListType(getNullableType(type))) return texts;
  if (isEnumType(named)) return oneOf(named.getValues().map(({ name }) => name));
  return named.name === 'Boolean' ? flag : text;
}
