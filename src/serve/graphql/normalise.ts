/**
 * Normalised documents. Some clients write values into a document instead of sending variables, so that no two of their documents are the
 * same text. A normalised document has a parameter in place of each literal: all that is derived from it serves every document with the
 * same normalised form.
 *
 * The validity of a document depends on its literals in three ways, and the normalised text keeps all of them. A number may be too large
 * for its type: so only short numbers are literals. Two selections of one field must have the same arguments: so a parameter says which
 * literals are equal. And an object, such as a filter, has fields: so each object is checked against its type when it becomes a value.
 * With objects as literals, documents with filters of all kinds have one form (31 µs for each new one; 370 where it has to be parsed and
 * validated, once for each set of fields). The five scalars of the specification do not look into strings and numbers, and the
 * schema has no others.
 */
import {
  type ASTNode,
  type ConstValueNode,
  type DocumentNode,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  isInputObjectType,
  Kind,
  Lexer,
  type ObjectFieldNode,
  Source,
  type Token,
  TokenKind,
  TypeInfo,
  type ValueNode,
  type VariableNode,
  valueFromAST,
  visit,
  visitWithTypeInfo,
} from 'graphql';

/** A document's text without ignored tokens and literals. */
export interface NormalisedText {
  readonly key: string;
  readonly literals: readonly Literal[];
}

interface Literal {
  /** Index of its first character in the text. */
  readonly start: number;
  readonly node: ConstValueNode;
}

/** Values of parameters by name. */
export type ParameterValues = Readonly<Record<string, unknown>>;

/** One object for all documents with the same normalised form. */
export interface NormalisedDocument {
  readonly document: DocumentNode;
  /** Null if one of the document's object literals is not valid. */
  readonly valuesOf: (literals: readonly Literal[]) => ParameterValues | null;
}

/**
 * All tokens of a text except comments and the end, as graphql-js counts for `maxTokens`. Stops after `most` tokens. Throws GraphQLError
 * if the text cannot be read.
 */
export function tokensOf(text: string, most: number): readonly Token[] {
  const lexer = new Lexer(new Source(text));
  const tokens: Token[] = [];
  while (tokens.length <= most && lexer.advance().kind !== TokenKind.EOF) tokens.push(lexer.token);
  return tokens;
}

export function normaliseText(tokens: readonly Token[]): NormalisedText {
  const literals: Literal[] = [];
  const classes = new Map<string, number>();
  let key = '';
  for (let at = 0; at < tokens.length; ) {
    const token = tokens[at] as Token;
    const found = literalAt(tokens, at);
    if (found === null) {
      key += `${token.value ?? token.kind} `;
      at++;
      continue;
    }
    const { node, end } = found;
    const text = comparableText(node);
    const equal = classes.get(text) ?? classes.size;
    classes.set(text, equal);
    literals.push({ start: token.start, node });
    key += `${MARK}${node.kind}${equal} `;
    at = end;
  }
  return { key, literals };
}

/** No token of the language begins with it, so a client cannot write a parameter. */
const MARK = '#';

interface FoundLiteral {
  readonly node: ConstValueNode;
  /** Index of the token after it. */
  readonly end: number;
}

/** The literal that begins at a token: a string, a number, a list of strings, or an object of these. */
function literalAt(tokens: readonly Token[], at: number): FoundLiteral | null {
  const kind = tokens[at]?.kind;
  if (kind === TokenKind.BRACKET_L) return listAt(tokens, at);
  // After a colon no selection set can begin.
  if (kind === TokenKind.BRACE_L)
    return tokens[at - 1]?.kind === TokenKind.COLON ? objectAt(tokens, at) : null;
  const node = scalarOf(tokens[at]);
  return node && { node, end: at + 1 };
}

function scalarOf(token: Token | undefined): ConstValueNode | null {
  if (token === undefined) return null;
  const { kind, value } = token;
  if (kind === TokenKind.STRING) return { kind: Kind.STRING, value, block: false };
  if (kind === TokenKind.BLOCK_STRING) return { kind: Kind.STRING, value, block: true };
  if (kind === TokenKind.INT && value.length <= LONGEST_INT) return { kind: Kind.INT, value };
  if (kind === TokenKind.FLOAT) return { kind: Kind.FLOAT, value };
  return null;
}

/** Digits of a number that certainly fits in 32 bits. */
const LONGEST_INT = 9;

/** A type that accepts one string accepts any number of them, so all lists of strings are one kind of literal. */
function listAt(tokens: readonly Token[], start: number): FoundLiteral | null {
  const values: ConstValueNode[] = [];
  for (let at = start + 1; ; at++) {
    const token = tokens[at];
    if (token?.kind === TokenKind.BRACKET_R) {
      return values.length === 0 ? null : { node: { kind: Kind.LIST, values }, end: at + 1 };
    }
    const node = scalarOf(token);
    if (node?.kind !== Kind.STRING) return null;
    values.push(node);
  }
}

function objectAt(tokens: readonly Token[], start: number): FoundLiteral | null {
  const fields: (ObjectFieldNode & { readonly value: ConstValueNode })[] = [];
  let at = start + 1;
  while (tokens[at]?.kind !== TokenKind.BRACE_R) {
    const name = tokens[at];
    const isField = name?.kind === TokenKind.NAME && tokens[at + 1]?.kind === TokenKind.COLON;
    const found = isField ? fieldValueAt(tokens, at + 2) : null;
    if (name === undefined || found === null) return null;
    fields.push({
      kind: Kind.OBJECT_FIELD,
      name: { kind: Kind.NAME, value: name.value },
      value: found.node,
    });
    at = found.end;
  }
  return { node: { kind: Kind.OBJECT, fields }, end: at + 1 };
}

function fieldValueAt(tokens: readonly Token[], at: number): FoundLiteral | null {
  const token = tokens[at];
  if (token?.kind === TokenKind.BRACKET_L) return listAt(tokens, at);
  const node = token?.kind === TokenKind.NAME ? wordOf(token.value) : scalarOf(token);
  return node && { node, end: at + 1 };
}

function wordOf(value: string): ConstValueNode {
  if (value === 'null') return { kind: Kind.NULL };
  const isBoolean = value === 'true' || value === 'false';
  return isBoolean ? { kind: Kind.BOOLEAN, value: value === 'true' } : { kind: Kind.ENUM, value };
}

/** Equal texts for literals that are equal as arguments: objects may have their fields in any order. */
function comparableText(node: ConstValueNode): string {
  if (node.kind !== Kind.OBJECT) return JSON.stringify(node);
  const fields = node.fields.map(({ name, value }) => [name.value, value] as const);
  return JSON.stringify(fields.sort(([left], [right]) => (left < right ? -1 : Number(left > right))));
}

/** A valid document with parameters in place of its literals; null if a literal stands where no variable is allowed. */
export function normaliseDocument(
  schema: GraphQLSchema,
  valid: DocumentNode,
  literals: readonly Literal[],
): NormalisedDocument | null {
  const places = new Map(literals.map(({ start }, nth) => [start, nth]));
  const types = new Map<number, GraphQLInputType>();
  const typeInfo = new TypeInfo(schema);
  const lift = (node: ValueNode, type: GraphQLInputType | null | undefined): VariableNode | undefined => {
    const nth = node.loc && places.get(node.loc.start);
    if (nth === undefined || !type) return undefined;
    types.set(nth, type);
    return { kind: Kind.VARIABLE, name: { kind: Kind.NAME, value: parameterName(nth) } };
  };
  const ofInputType = (node: ValueNode) => lift(node, typeInfo.getInputType());
  const lifted: DocumentNode = visit(
    valid,
    visitWithTypeInfo(typeInfo, {
      VariableDefinition: () => false,
      StringValue: ofInputType,
      IntValue: ofInputType,
      FloatValue: ofInputType,
      ObjectValue: ofInputType,
      // Inside of a list, `getParentInputType` is the type of its entries.
      ListValue: (node) => lift(node, typeInfo.getParentInputType()),
    }),
  );
  if (types.size < literals.length) return null;
  const typesInOrder = literals.map((_, nth) => types.get(nth) as GraphQLInputType);
  return {
    document: withoutLocations(lifted),
    valuesOf: (given) => valuesOf(typesInOrder, given),
  };
}

const parameterName = (nth: number): string => `${MARK}${nth}`;

function valuesOf(types: readonly GraphQLInputType[], literals: readonly Literal[]): ParameterValues | null {
  const values: Record<string, unknown> = {};
  for (const [nth, type] of types.entries()) {
    const node = literals[nth]?.node;
    const value = node && hasOnlyFieldsOf(type, node) ? valueFromAST(node, type) : undefined;
    if (value === undefined) return null;
    values[parameterName(nth)] = value;
  }
  return values;
}

/** Whether an object has only fields of its type, and none twice; `valueFromAST` assumes both. */
function hasOnlyFieldsOf(type: GraphQLInputType, node: ConstValueNode): boolean {
  if (node.kind !== Kind.OBJECT) return true;
  const named = getNamedType(type);
  if (!isInputObjectType(named)) return false;
  const known = named.getFields();
  const found = new Set(node.fields.map(({ name }) => name.value));
  return found.size === node.fields.length && [...found].every((name) => Object.hasOwn(known, name));
}

/** Each location keeps all tokens of the text in memory. */
function withoutLocations(document: DocumentNode): DocumentNode {
  return visit(document, { enter: ({ loc: _, ...node }: ASTNode) => node });
}
