/**
 * What documents have in common that differ only in the values of literals. Some clients write values into the document
 * instead of sending variables, so that no two of their documents are the same text. Such a document is taken as one with
 * variables in the place of its literals: what is worked out of that one serves all documents of the pattern.
 *
 * Whether a document is valid depends on values in two ways. A number may be too large for its type: so only short whole
 * numbers are left out of the pattern. And two selections of one field must have the same arguments: so the pattern says
 * which literals are equal. Into strings and numbers the five scalars of the specification do not look any further; other
 * scalars may, which `hasPatterns` asks.
 */
import {
  type ASTNode,
  type DocumentNode,
  type GraphQLInputType,
  type GraphQLSchema,
  isScalarType,
  isSpecifiedScalarType,
  Kind,
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
  /** How many values it has: more than one only for a list. */
  readonly size: number;
}

/**
 * Null for a text that a glance cannot take apart: with comments, block strings, escapes or control characters. Comments
 * apart, a quotation mark always begins or ends a string, and a digit that no name or number holds begins a number.
 */
export function takeApart(text: string): Parts | null {
  if (text.includes('"""')) return null;
  const literals: Literal[] = [];
  const places = new Map<string, number>();
  let pattern = '';
  let end = 0;
  for (const match of text.matchAll(LITERAL)) {
    const [written] = match;
    const between = text.slice(end, match.index);
    if (UNCLEAR.test(between) || literals.length === MOST_LITERALS) return null;
    const literal = literalOf(written, match.index);
    const value = literal.node.kind === Kind.INT ? written : JSON.stringify(literal.node);
    const place = places.get(value) ?? places.size;
    places.set(value, place);
    pattern += `${between}${MARK}${literal.node.kind}${place}${MARK}`;
    literals.push(literal);
    end = match.index + written.length;
  }
  const rest = text.slice(end);
  return UNCLEAR.test(rest) ? null : { pattern: pattern + rest, literals };
}

/** Begins a comment, so that no text which can be taken apart has it outside of a string. */
const MARK = '#';
/** No valid document of some use has more. */
const MOST_LITERALS = 200;
/** What is left when strings are taken away: a comment, or a string that is not as simple as it has to be. */
const UNCLEAR = /["#]/;

const STRING = String.raw`"[^"\\\x00-\x1f\ud800-\udfff]*"`;
const GAP = String.raw`[ \t\r\n,]*`;
/** A list of strings and nothing else (what takes one of them takes any number), a string, or a number within 32 bits. */
const LITERAL = new RegExp(
  String.raw`\[${GAP}${STRING}(?:${GAP}${STRING})*${GAP}\]|${STRING}|(?<![\w.-])-?(?:0|[1-9]\d{0,8})(?![\w.])`,
  'g',
);
const STRINGS = /"([^"]*)"/g;

function literalOf(written: string, start: number): Literal {
  if (written.startsWith('[')) {
    const values = [...written.matchAll(STRINGS)].map(([, value = '']) => stringNode(value));
    return { start, node: { kind: Kind.LIST, values }, size: values.length };
  }
  const node: ValueNode = written.startsWith('"')
    ? stringNode(written.slice(1, -1))
    : { kind: Kind.INT, value: written };
  return { start, node, size: 1 };
}

const stringNode = (value: string): ValueNode => ({ kind: Kind.STRING, value });

/** One object for all documents of a pattern: what is worked out of one of them is kept under it. */
export interface Pattern {
  /** Variables stand for the literals. */
  readonly document: DocumentNode;
  /** By name, as a document of the pattern gives them. */
  readonly valuesOf: (literals: readonly Literal[]) => Values;
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
      // Inside of a list the type is that of its entries already.
      ListValue: (node) => lift(node, typeInfo.getParentInputType()),
    }),
  );
  if (types.size < literals.length) return null;
  return {
    document: withoutPlaces(lifted),
    valuesOf: (given) =>
      Object.fromEntries(given.map(({ node }, nth) => [nameOf(nth), valueFromAST(node, typeAt(types, nth))])),
  };
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
