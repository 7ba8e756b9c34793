/**
 * What documents have in common that differ only in the values of literals. Some clients write values into the document
 * instead of sending variables, so that no two of their documents are the same text. Such a document is taken as one with
 * variables in the place of its literals: what is worked out of that one serves all documents of the pattern.
 *
 * Whether a document is valid depends on values in three ways. A number may be too large for its type: so only short whole
 * numbers are left out of the pattern. Two selections of one field must have the same arguments: so the pattern says which
 * literals are equal. And an object, such as a filter, has fields: so each one is checked against its type, and a document
 * whose object does not fit is read as a whole. Into strings and numbers the five scalars of the specification do not look
 * any further; other scalars may, which `hasPatterns` asks.
 */
import {
  type ASTNode,
  type DocumentNode,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  isInputObjectType,
  isScalarType,
  isSpecifiedScalarType,
  Kind,
  type ObjectFieldNode,
  TypeInfo,
  type ValueNode,
  type VariableNode,
  valueFromAST,
  visit,
  visitWithTypeInfo,
} from 'graphql';

/** A document's text, taken apart. */
export interface Parts {
  /** The text with a mark in the place of each literal. */
  readonly pattern: string;
  readonly literals: readonly Literal[];
}

export interface Literal {
  /** Where it stands in the text. */
  readonly start: number;
  readonly node: ValueNode;
  /** How many tokens it has, but for the brackets around it. */
  readonly size: number;
}

/**
 * Null for a text that a glance cannot take apart: with comments, block strings, escapes or control characters. Comments
 * apart, a quotation mark always begins or ends a string, and a digit that no name or number holds begins a number.
 */
export function takeApart(text: string): Parts | null {
  if (text.includes('"""')) return null;
  const literals: Literal[] = [];
  const between: string[] = [];
  let end = 0;
  for (const match of text.matchAll(LITERAL)) {
    const [written] = match;
    between.push(text.slice(end, match.index));
    literals.push(literalOf(written, match.index));
    if (literals.length > MOST_LITERALS) return null;
    end = match.index + written.length;
  }
  between.push(text.slice(end));
  if (between.some((part) => UNCLEAR.test(part))) return null;
  const places = placesOf(literals);
  let pattern = between[0] ?? '';
  for (const [nth, { node }] of literals.entries()) {
    pattern += `${MARK}${node.kind}${places[nth]}${MARK}${between[nth + 1]}`;
  }
  return { pattern, literals };
}

/** Begins a comment, so that no text which can be taken apart has it outside of a string. */
const MARK = '#';
/** No valid document of some use has more. */
const MOST_LITERALS = 200;
/** What is left when strings are taken away: a comment, or a string that is not as simple as it has to be. */
const UNCLEAR = /["#]/;

const STRING = String.raw`"[^"\\\x00-\x1f\ud800-\udfff]*"`;
const GAP = String.raw`[ \t\r\n,]*`;
const NAME = String.raw`[A-Za-z_]\w*(?!\w)`;
/** A list of strings and nothing else (what takes one of them takes any number), a string, or a number within 32 bits. */
const PLAIN = String.raw`\[${GAP}${STRING}(?:${GAP}${STRING})*${GAP}\]|${STRING}|(?<![\w.-])-?(?:0|[1-9]\d{0,8})(?![\w.])`;
const WORD = 'true|false|null';
/** Behind a colon there is never a selection. */
const OBJECT = String.raw`(?<=:${GAP})\{${GAP}(?:${NAME}${GAP}:${GAP}(?:${PLAIN}|(?:${WORD})(?!\w))${GAP})*\}`;
const LITERAL = new RegExp(`${OBJECT}|${PLAIN}`, 'g');
const STRINGS = /"([^"]*)"/g;
const FIELD = new RegExp(`(${NAME})${GAP}:${GAP}(${PLAIN}|${WORD})`, 'g');

function literalOf(written: string, start: number): Literal {
  if (!written.startsWith('{')) return { start, ...plainOf(written) };
  const fields: ObjectFieldNode[] = [];
  let size = 0;
  for (const [, name = '', text = ''] of written.matchAll(FIELD)) {
    const value = plainOf(text);
    fields.push({ kind: Kind.OBJECT_FIELD, name: { kind: Kind.NAME, value: name }, value: value.node });
    // A name, a colon and the value, with the brackets of a list.
    size += 2 + value.size + (value.node.kind === Kind.LIST ? 2 : 0);
  }
  return { start, node: { kind: Kind.OBJECT, fields }, size };
}

/** All but an object. */
function plainOf(written: string): Omit<Literal, 'start'> {
  if (written.startsWith('[')) {
    const values = [...written.matchAll(STRINGS)].map(([, value = '']) => stringNode(value));
    return { node: { kind: Kind.LIST, values }, size: values.length };
  }
  if (written.startsWith('"')) return { node: stringNode(written.slice(1, -1)), size: 1 };
  if (written === 'null') return { node: { kind: Kind.NULL }, size: 1 };
  const isBoolean = written === 'true' || written === 'false';
  return {
    node: isBoolean ? { kind: Kind.BOOLEAN, value: written === 'true' } : { kind: Kind.INT, value: written },
    size: 1,
  };
}

const stringNode = (value: string): ValueNode => ({ kind: Kind.STRING, value });

/** Numbers for literals: the same for those that are equal. */
function placesOf(literals: readonly Literal[]): readonly number[] {
  const places = new Map<string, number>();
  return literals.map(({ node }) => {
    const isAlone = !literals.some((other) => other.node !== node && other.node.kind === node.kind);
    const value = isAlone ? node.kind : JSON.stringify(comparable(node));
    const place = places.get(value) ?? places.size;
    places.set(value, place);
    return place;
  });
}

/** Objects are equal whatever the order of their fields. */
function comparable(node: ValueNode): unknown {
  if (node.kind !== Kind.OBJECT) return node;
  return node.fields
    .map(({ name, value }) => [name.value, value] as const)
    .sort(([left], [right]) => (left < right ? -1 : Number(left > right)));
}

/** One object for all documents of a pattern: what is worked out of one of them is kept under it. */
export interface Pattern {
  /** Variables stand for the literals. */
  readonly document: DocumentNode;
  /** By name, as a document of the pattern gives them; null for a document that is not valid for one of them. */
  readonly valuesOf: (literals: readonly Literal[]) => Values | null;
}

export type Values = Readonly<Record<string, unknown>>;

/** Of a document that is just what it says. */
export function ownPattern(document: DocumentNode): Pattern {
  return { document, valuesOf: () => NO_VALUES };
}

const NO_VALUES: Values = {};

/** The pattern of a valid document, unless a literal stands where no variable can. */
export function patternOf(
  schema: GraphQLSchema,
  valid: DocumentNode,
  literals: readonly Literal[],
): Pattern | null {
  const places = new Map(literals.map(({ start }, nth) => [start, nth]));
  const types = new Map<number, GraphQLInputType>();
  const typeInfo = new TypeInfo(schema);
  const lift = (node: ValueNode, type: Type): VariableNode | undefined => {
    const nth = node.loc && places.get(node.loc.start);
    if (nth === undefined || !type) return undefined;
    types.set(nth, type);
    return { kind: Kind.VARIABLE, name: { kind: Kind.NAME, value: nameOf(nth) } };
  };
  const lifted: DocumentNode = visit(
    valid,
    visitWithTypeInfo(typeInfo, {
      VariableDefinition: () => false,
      StringValue: (node) => lift(node, typeInfo.getInputType()),
      IntValue: (node) => lift(node, typeInfo.getInputType()),
      ObjectValue: (node) => lift(node, typeInfo.getInputType()),
      // Inside of a list the type is that of its entries already.
      ListValue: (node) => lift(node, typeInfo.getParentInputType()),
    }),
  );
  if (types.size < literals.length) return null;
  return {
    document: withoutPlaces(lifted),
    valuesOf: (given) => {
      const values: Record<string, unknown> = {};
      for (const [nth, { node }] of given.entries()) {
        const type = typeAt(types, nth);
        const value = hasOnlyFieldsOf(type, node) ? valueFromAST(node, type) : undefined;
        if (value === undefined) return null;
        values[nameOf(nth)] = value;
      }
      return values;
    },
  };
}

/** What `valueFromAST` takes for granted: that an object has no fields that its type has not, and none twice. */
function hasOnlyFieldsOf(type: GraphQLInputType, node: ValueNode): boolean {
  if (node.kind !== Kind.OBJECT) return true;
  const named = getNamedType(type);
  if (!isInputObjectType(named)) return false;
  const known = named.getFields();
  const found = new Set(node.fields.map(({ name }) => name.value));
  return found.size === node.fields.length && [...found].every((name) => Object.hasOwn(known, name));
}

type Type = ReturnType<TypeInfo['getInputType']>;

/** No client can give a variable such a name. */
const nameOf = (nth: number): string => `${MARK}${nth}`;

function typeAt(types: ReadonlyMap<number, GraphQLInputType>, nth: number): GraphQLInputType {
  const type = types.get(nth);
  if (type === undefined) throw new RangeError(`expected ${types.size} literals, found a literal ${nth}`);
  return type;
}

/** Each place holds all tokens of the text. */
function withoutPlaces(document: DocumentNode): DocumentNode {
  return visit(document, {
    enter: ({ loc: _, ...node }: ASTNode) => node,
  });
}

/** Whether documents of one pattern are all valid or all not. */
export function hasPatterns(schema: GraphQLSchema): boolean {
  return Object.values(schema.getTypeMap()).every(
    (type) => !isScalarType(type) || isSpecifiedScalarType(type),
  );
}
