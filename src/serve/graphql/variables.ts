/**
 * Coerces variables as graphql-js does, for values as nearly all clients send them: right, and of the very type that is
 * wanted. Whatever is not so goes to graphql-js, which finds the words for what is wrong. In a request for a page, its
 * own coercion took a tenth of the time.
 */
import {
  GraphQLBoolean,
  GraphQLFloat,
  GraphQLID,
  type GraphQLInputType,
  GraphQLInt,
  type GraphQLSchema,
  GraphQLString,
  getVariableValues,
  isEnumType,
  isInputObjectType,
  isInputType,
  isListType,
  isNonNullType,
  typeFromAST,
  type VariableDefinitionNode,
  valueFromAST,
} from 'graphql';
import { isObject } from '../../calendar/json.ts';
import { MAX_ERRORS } from './refusal.ts';

type Sent = Readonly<Record<string, unknown>>;
type CoerceVariables = (
  definitions: readonly VariableDefinitionNode[],
  sent: Sent,
) => ReturnType<typeof getVariableValues>;

export function createCoerceVariables(schema: GraphQLSchema): CoerceVariables {
  const known = new WeakMap<readonly VariableDefinitionNode[], CoerceSent>();
  return (definitions, sent) => {
    let coerce = known.get(definitions);
    if (coerce === undefined) {
      coerce = coercionOf(schema, definitions);
      known.set(definitions, coerce);
    }
    const coerced = coerce(sent);
    if (coerced !== UNCLEAR) return { coerced };
    return getVariableValues(schema, definitions, sent, isLarge(sent) ? ONE_ERROR : MAX_ERRORS);
  };
}

/** Each error writes out the value that it is about: of 16,000 fields that a filter has not, 20 of them took 0.26 s. */
const ONE_ERROR = { maxErrors: 1 };
const MOST_ENTRIES = 500;

/** Whether it has more entries than anybody would look at, at all depths. */
function isLarge(sent: unknown): boolean {
  const waiting: unknown[] = [sent];
  for (let seen = 0; waiting.length > 0; seen++) {
    if (seen > MOST_ENTRIES || waiting.length > MOST_ENTRIES) return true;
    const value = waiting.pop();
    if (typeof value !== 'object' || value === null) continue;
    for (const key in value) {
      waiting.push(Reflect.get(value, key));
      if (waiting.length > MOST_ENTRIES) return true;
    }
  }
  return false;
}

/** For graphql-js to say. */
const UNCLEAR = Symbol('unclear');

type Coerce = (value: unknown) => unknown;
type CoerceSent = (sent: Sent) => Record<string, unknown> | typeof UNCLEAR;

/** A variable, or a field of an input object. */
interface Slot {
  readonly name: string;
  readonly coerce: Coerce;
  /** When nothing is sent; undefined leaves it out, or is wrong where `isRequired`. */
  readonly fallback: unknown;
  readonly isRequired: boolean;
}

function coercionOf(schema: GraphQLSchema, definitions: readonly VariableDefinitionNode[]): CoerceSent {
  const slots: Slot[] = [];
  for (const { variable, type: written, defaultValue } of definitions) {
    const type = typeFromAST(schema, written as Parameters<typeof typeFromAST>[1]);
    // A plain object cannot hold a variable of that name, which the language allows.
    if (!isInputType(type) || variable.name.value === '__proto__') return () => UNCLEAR;
    const fallback = defaultValue && valueFromAST(defaultValue, type);
    slots.push(slotOf(variable.name.value, type, fallback));
  }
  return (sent) => coerceSlots(slots, sent);
}

function slotOf(name: string, type: GraphQLInputType, fallback: unknown): Slot {
  return { name, coerce: coerceOf(type), fallback, isRequired: isNonNullType(type) };
}

function coerceSlots(slots: readonly Slot[], sent: Sent): Record<string, unknown> | typeof UNCLEAR {
  const coerced: Record<string, unknown> = {};
  for (const { name, coerce, fallback, isRequired } of slots) {
    const value = Object.hasOwn(sent, name) ? sent[name] : undefined;
    if (value !== undefined) {
      const one = coerce(value);
      if (one === UNCLEAR) return UNCLEAR;
      coerced[name] = one;
    } else if (fallback !== undefined) coerced[name] = fallback;
    else if (isRequired) return UNCLEAR;
  }
  return coerced;
}

function coerceOf(type: GraphQLInputType): Coerce {
  if (isNonNullType(type)) {
    const coerce = coerceOf(type.ofType);
    return (value) => (value === null ? UNCLEAR : coerce(value));
  }
  if (isListType(type)) return nullable(listOf(coerceOf(type.ofType)));
  if (isInputObjectType(type)) {
    let slots: readonly Slot[] | undefined;
    return nullable((value) => {
      // Not before it is asked for: a type may hold itself.
      slots ??= Object.values(type.getFields()).map((field) =>
        slotOf(field.name, field.type, field.defaultValue),
      );
      const isClear = isObject(value) && !type.isOneOf && hasOnly(value, type.getFields());
      return isClear ? coerceSlots(slots, value) : UNCLEAR;
    });
  }
  // Values of this schema's enums are their names.
  if (isEnumType(type)) {
    return nullable((value) => (typeof value === 'string' && type.getValue(value) ? value : UNCLEAR));
  }
  const accepts = SCALARS.get(type.name);
  return nullable((value) => (accepts?.(value) ? value : UNCLEAR));
}

/** Values that a scalar leaves as they are. */
const SCALARS = new Map<string, (value: unknown) => boolean>([
  [GraphQLString.name, (value) => typeof value === 'string'],
  [GraphQLID.name, (value) => typeof value === 'string'],
  [GraphQLBoolean.name, (value) => typeof value === 'boolean'],
  [GraphQLInt.name, (value) => typeof value === 'number' && (value | 0) === value],
  [GraphQLFloat.name, Number.isFinite],
]);

const nullable =
  (coerce: Coerce): Coerce =>
  (value) =>
    value === null ? null : coerce(value);

function listOf(coerce: Coerce): Coerce {
  return (value) => {
    const list = Array.isArray(value) ? value : [value];
    const coerced: unknown[] = [];
    for (const entry of list) {
      const one = coerce(entry);
      if (one === UNCLEAR) return UNCLEAR;
      coerced.push(one);
    }
    return coerced;
  };
}

function hasOnly(value: Sent, fields: Readonly<Record<string, unknown>>): boolean {
  for (const name in value) if (fields[name] === undefined) return false;
  return true;
}
