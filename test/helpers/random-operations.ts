/** Random operations over a schema: fields, aliases, fragments, directives, literals and variables. */
import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { literal } from '../oracle/questions.ts';
import type { Random } from './random.ts';

export interface RandomOperation {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** Gives a value for an argument or input field, by its name; undefined leaves it out. */
export type Values = (name: string, random: Random) => unknown;

export function randomOperation(schema: GraphQLSchema, random: Random, values: Values): RandomOperation {
  const query = schema.getQueryType();
  if (!query) throw new Error('expected a schema with a query type');
  const draft: Draft = { random, values, declarations: [], variables: {}, fragments: [] };
  const selection = selectionOf(query, draft, 0);
  const declared = draft.declarations.length === 0 ? '' : `(${draft.declarations.join(', ')})`;
  return {
    query: [`query Random${declared} ${selection}`, ...draft.fragments].join('\n'),
    variables: draft.variables,
  };
}

interface Draft {
  readonly random: Random;
  readonly values: Values;
  readonly declarations: string[];
  readonly variables: Record<string, unknown>;
  readonly fragments: string[];
}

function selectionOf(type: GraphQLObjectType, draft: Draft, depth: number): string {
  const { random } = draft;
  const fields = Object.values(type.getFields());
  const count = depth === 0 ? 1 + random(2) : 1 + random(6);
  const parts: string[] = [];
  for (let taken = 0; taken < count; taken++) {
    const field = fields[random(fields.length)];
    if (field === undefined) continue;
    // Fields with the same key are merged, and have to agree. Only those without arguments and children always do.
    const mayMerge = field.args.length === 0 && !isObjectType(getNamedType(field.type));
    const needsKey = !mayMerge || random(4) === 0;
    const alias = needsKey ? `k${draft.fragments.length}_${parts.length}_${depth}_${random(1000)}: ` : '';
    parts.push(wrap(`${alias}${fieldOf(field, draft, depth)}`, type, draft));
  }
  if (random(5) === 0) parts.push('__typename');
  return `{ ${parts.length === 0 ? '__typename' : parts.join(' ')} }`;
}

function fieldOf(field: GraphQLField<unknown, unknown>, draft: Draft, depth: number): string {
  const given = field.args.map((arg) => argumentOf(arg, draft)).filter((text) => text !== '');
  const args = given.length === 0 ? '' : `(${given.join(', ')})`;
  const type = getNamedType(field.type);
  const children = isObjectType(type) ? ` ${selectionOf(type, draft, depth + 1)}` : '';
  return `${field.name}${args}${directiveOf(draft)}${children}`;
}

/** Puts a field as it is, into an inline fragment or into a named one. */
function wrap(field: string, type: GraphQLObjectType, draft: Draft): string {
  const choice = draft.random(10);
  if (choice === 0) return `... on ${type.name}${directiveOf(draft)} { ${field} }`;
  if (choice === 1) return `...${directiveOf(draft)} { ${field} }`;
  if (choice > 2) return field;
  const name = `F${draft.fragments.length}`;
  draft.fragments.push(`fragment ${name} on ${type.name} { ${field} }`);
  const spread = `...${name}${directiveOf(draft)}`;
  return draft.random(3) === 0 ? `${spread} ...${name}` : spread;
}

function directiveOf(draft: Draft): string {
  if (draft.random(12) > 0) return '';
  const name = draft.random(2) === 0 ? 'skip' : 'include';
  const value = draft.random(2) === 0;
  return ` @${name}(if: ${draft.random(2) === 0 ? value : variable('if', 'Boolean!', value, draft)})`;
}

function argumentOf(arg: GraphQLArgument, draft: Draft): string {
  const value = inputValue(arg.name, arg.type, draft);
  if (value === undefined) return '';
  const isLiteral = draft.random(2) === 0;
  return `${arg.name}: ${isLiteral ? literal(arg.name, value) : variable(arg.name, `${arg.type}`, value, draft)}`;
}

/** Most input objects have few of their fields. */
function inputValue(name: string, type: GraphQLInputType, draft: Draft): unknown {
  if (!isNonNullType(type) && draft.random(3) === 0) return draft.random(4) === 0 ? null : undefined;
  const nullable = getNullableType(type);
  if (name !== 'filter' || !isInputObjectType(nullable)) return draft.values(name, draft.random);
  const fields = Object.keys(nullable.getFields()).filter(() => draft.random(6) === 0);
  return Object.fromEntries(fields.map((field) => [field, draft.values(field, draft.random)]));
}

/** Declares a variable with this value, or sometimes with the value as its default. `of`: the argument. */
function variable(of: string, type: string, value: unknown, draft: Draft): string {
  const name = `v${draft.declarations.length}`;
  const isRequired = type.endsWith('!');
  const isDefault = !isRequired && draft.random(4) === 0;
  draft.declarations.push(`$${name}: ${type}${isDefault ? ` = ${literal(of, value)}` : ''}`);
  if (!isDefault) draft.variables[name] = value;
  return `$${name}`;
}

/** A text for each number from 0 on, side by side. */
export const times = (count: number, text: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => text(at)).join(' ');
