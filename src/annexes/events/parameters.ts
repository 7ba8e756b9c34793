/** The parameters of an address: their descriptions (I8), and the reading of their values. */
import {
  type GraphQLInputType,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
} from 'graphql';
import { Invalid } from '../../calendar/arguments.ts';
import type { AboutParameter } from '../facts/facts.ts';

export type Parameters = Readonly<Record<string, Parameter>>;

/** Both parents have a schema; that of the kind says more. */
interface Parameter extends Omit<AboutParameter, 'schema'>, ParameterKind {}

interface ParameterKind {
  readonly schema: ParameterSchema;
  /** The values of the parameter as one value: undefined if none is given. */
  readonly read: (values: readonly string[]) => unknown;
}

/** JSON Schema. */
interface ParameterSchema {
  readonly type: string;
  readonly enum?: readonly string[];
  readonly items?: ParameterSchema;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly default?: number;
}

/** The kind of a filter's field. Throws for a type that no address can express: the server does not start with such a filter. */
export function kindOf(type: GraphQLInputType): ParameterKind {
  const named = getNamedType(type);
  const isList = isListType(getNullableType(type));
  if (isInputObjectType(named) && !isList) return numbers(Object.keys(named.getFields()));
  if (isEnumType(named)) {
    const names = named.getValues().map(({ name }) => name);
    return isList ? someOf(names) : oneOf(names);
  }
  const kind = isList ? LIST_KINDS[named.name] : SCALAR_KINDS[named.name];
  if (kind === undefined) {
    const expected = `${Object.keys(SCALAR_KINDS).join(', ')}, [String], an enum or an object of numbers`;
    throw new TypeError(`type of a field of Filter: expected ${expected}, found ${type}`);
  }
  return kind;
}

/** One value. `read` returns undefined for a value that is not as expected. */
export function single(
  schema: ParameterSchema,
  expected: string,
  read: (value: string) => unknown,
): ParameterKind {
  return {
    schema,
    read: ([value, ...more]) => {
      if (more.length > 0) return new Invalid('one value');
      return value === undefined ? undefined : (read(value) ?? new Invalid(expected));
    },
  };
}

export const text = single({ type: 'string' }, 'a text', (value) => value);

export function oneOf(names: readonly string[]): ParameterKind {
  return single({ type: 'string', enum: names }, `one of ${names.join(', ')}`, (value) =>
    names.find((name) => name === value),
  );
}

/** The plan checks ranges, such as those of the page and its size. */
export function wholeNumber(schema: Pick<ParameterSchema, 'minimum' | 'default'> = {}): ParameterKind {
  return single({ type: 'integer', ...schema }, 'a whole number', (value) =>
    /^-?\d{1,9}$/.test(value) ? Number(value) : undefined,
  );
}

const TEXTS = { type: 'array', items: { type: 'string' } };

/** Texts, each in a parameter of its own: they may contain commas. */
export const repeated: ParameterKind = { schema: TEXTS, read: (values) => values };

/** Texts, in one parameter or in several, separated by commas. */
const texts: ParameterKind = { schema: TEXTS, read: separated };

function separated(values: readonly string[]): readonly string[] {
  const parts = values.flatMap((value) => value.split(','));
  return parts.map((part) => part.trim()).filter((part) => part !== '');
}

function someOf(names: readonly string[]): ParameterKind {
  return {
    schema: { type: 'array', items: { type: 'string', enum: names } },
    read: (values) => {
      const given = separated(values);
      const isKnown = given.every((name) => names.includes(name));
      return isKnown ? given : new Invalid(`some of ${names.join(', ')}`);
    },
  };
}

const FLAGS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['false', false],
]);

const flag = single({ type: 'boolean' }, 'true or false', (value) => FLAGS.get(value));

const NUMBER = /^-?\d{1,20}(?:\.\d{1,40})?$/;
const numberOf = (value: string) => (NUMBER.test(value) ? Number(value) : undefined);

/** An object of numbers, such as `near`, in the order of its fields. */
function numbers(names: readonly string[]): ParameterKind {
  const pattern = `^${names.map(() => NUMBER.source.slice(1, -1)).join(',')}$`;
  return single({ type: 'string', pattern }, `numbers: ${names.join(',')}`, (value) => {
    const parts = value.split(',').map((part) => numberOf(part.trim()));
    const isComplete = parts.length === names.length && !parts.includes(undefined);
    return isComplete ? Object.fromEntries(names.map((name, index) => [name, parts[index]])) : undefined;
  });
}

const SCALAR_KINDS: Readonly<Record<string, ParameterKind>> = {
  String: text,
  ID: text,
  Boolean: flag,
  Int: wholeNumber(),
  Float: single({ type: 'number' }, 'a number', numberOf),
};
const LIST_KINDS: Readonly<Record<string, ParameterKind>> = { String: texts, ID: texts };
