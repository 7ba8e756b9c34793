/**
 * What documents have in common that differ only in the values of literals. Some clients write values into the document
 * instead of sending variables, so that no two of their documents are the same text; nearly all of what is worked out of a
 * document does not depend on those values, and is worked out once a pattern.
 *
 * Whether a document is valid depends on values in two ways. A number may be too large for its type: so only short whole
 * numbers are left out of the pattern. And two selections of one field must have the same arguments: so the pattern says
 * which literals are equal. Into strings and numbers the five scalars of the specification do not look any further; other
 * scalars may, which `hasPatterns` asks.
 */
import {
  type DocumentNode,
  type FieldNode,
  type GraphQLSchema,
  isScalarType,
  isSpecifiedScalarType,
  Kind,
  type SelectionSetNode,
  type Token,
  TokenKind,
} from 'graphql';

/** One object for all documents of a pattern: what is worked out of one of them is kept under it. */
export interface Pattern {
  readonly text: string;
}

export function patternOf({ loc }: DocumentNode): string {
  const places = new Map<string, number>();
  let pattern = '';
  let token = loc?.startToken.next ?? null;
  while (token !== null) {
    const literal = literalAt(token);
    if (literal === null) pattern += written(token);
    else {
      const place = places.get(literal.value) ?? places.size;
      places.set(literal.value, place);
      pattern += `${literal.kind}${LEFT_OUT}${place} `;
    }
    token = (literal?.last ?? token).next;
  }
  return pattern;
}

/** Begins a comment in a document, so that no token has it outside of a block string. */
const LEFT_OUT = '#';

/** Whether documents of that pattern may differ in values. */
export function leavesOut(pattern: string): boolean {
  return pattern.includes(LEFT_OUT);
}

/** What is left out of the pattern, from a token on. */
interface Literal {
  readonly kind: string;
  /** Two are equal exactly when the values that they stand for are written the same. */
  readonly value: string;
  readonly last: Token;
}

function literalAt(token: Token): Literal | null {
  const { kind, value = '' } = token;
  if (kind === TokenKind.BRACKET_L) return stringsFrom(token);
  const isOne =
    kind === TokenKind.STRING || kind === TokenKind.FLOAT || (kind === TokenKind.INT && SHORT.test(value));
  return isOne ? { kind, value: `${kind} ${JSON.stringify(value)}`, last: token } : null;
}

/** A list of strings and nothing else: what takes one of them takes any number, but perhaps not none. */
function stringsFrom(opening: Token): Literal | null {
  let value = '';
  let token = opening.next;
  while (token?.kind === TokenKind.STRING) {
    value += JSON.stringify(token.value);
    token = token.next;
  }
  return token?.kind === TokenKind.BRACKET_R && value !== '' ? { kind: 'Strings', value, last: token } : null;
}

function written({ kind, value }: Token): string {
  if (kind === TokenKind.COMMENT) return '';
  return kind === TokenKind.BLOCK_STRING ? `${kind}${JSON.stringify(value)} ` : `${value || kind} `;
}

/** Within 32 bits. */
const SHORT = /^-?\d{1,9}$/;

/** Whether documents of one pattern are all valid or all not. */
export function hasPatterns(schema: GraphQLSchema): boolean {
  return Object.values(schema.getTypeMap()).every(
    (type) => !isScalarType(type) || isSpecifiedScalarType(type),
  );
}

/** Where a field stands in a document: the same in all documents of its pattern. */
export type Place = readonly number[];

export function placeOf(document: DocumentNode, field: FieldNode): Place {
  for (const [place, definition] of document.definitions.entries()) {
    const isSelecting =
      definition.kind === Kind.OPERATION_DEFINITION || definition.kind === Kind.FRAGMENT_DEFINITION;
    const inner = isSelecting ? placeIn(definition.selectionSet, field) : null;
    if (inner !== null) return [place, ...inner];
  }
  throw new Error(`expected the field ${field.name.value} in the document, found it nowhere`);
}

function placeIn({ selections }: SelectionSetNode, field: FieldNode): Place | null {
  for (const [place, node] of selections.entries()) {
    if (node === field) return [place];
    if (node.kind === Kind.FRAGMENT_SPREAD || node.selectionSet === undefined) continue;
    const inner = placeIn(node.selectionSet, field);
    if (inner !== null) return [place, ...inner];
  }
  return null;
}

export function fieldAt(document: DocumentNode, [first = 0, ...rest]: Place): FieldNode {
  let node: object | undefined = document.definitions[first];
  for (const place of rest) node = selectionsOf(node)?.[place];
  if (isField(node)) return node;
  throw new Error(`expected a field at ${[first, ...rest].join('.')}, found none`);
}

function selectionsOf(node: object | undefined): SelectionSetNode['selections'] | undefined {
  return hasSelections(node) ? node.selectionSet.selections : undefined;
}

function hasSelections(
  node: object | undefined,
): node is { readonly kind: Kind; readonly selectionSet: SelectionSetNode } {
  return node !== undefined && 'selectionSet' in node && node.selectionSet !== undefined;
}

function isField(node: object | undefined): node is FieldNode {
  return node !== undefined && 'kind' in node && node.kind === Kind.FIELD;
}
