/** Documents by their exact text, parsed and validated once. Refusals are remembered too: a bad client repeats itself. */
import {
  type ASTVisitor,
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  Kind,
  Lexer,
  parse,
  Source,
  specifiedRules,
  TokenKind,
  type ValidationContext,
  validate,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import {
  hasPatterns,
  ownPattern,
  type Parts,
  type Pattern,
  patternOf,
  takeApart,
  type Values,
} from './pattern.ts';
import { MAX_ERRORS, type Refusal, refusalOf } from './refusal.ts';

export type ReadDocument = ValidDocument | { readonly refusal: Refusal };

export interface ValidDocument {
  /** As it was sent. Parsed when first asked for, where its pattern was enough until then. */
  readonly document: () => DocumentNode;
  readonly pattern: Pattern;
  /** Of the variables that stand for its literals in the pattern. */
  readonly values: Values;
}

export interface Documents {
  readonly read: (text: string) => ReadDocument;
}

export interface DocumentsOptions {
  /** Bytes that the remembered documents may take, estimated. */
  readonly maxBytes?: number;
}

export const MAX_TOKENS = 2_000;

export function createDocuments(schema: GraphQLSchema, options: DocumentsOptions = {}): Documents {
  const { maxBytes = 16 * 1024 * 1024 } = options;
  const known = new LRUCache<string, ReadDocument>({ maxSize: maxBytes, sizeCalculation: bytesOf });
  const patterns = new LRUCache<string, KnownPattern>({ maxSize: maxBytes, sizeCalculation: bytesOfPattern });
  const sharesPatterns = hasPatterns(schema);

  const readAnew = (text: string, parts: Parts | null): ReadDocument => {
    const parsed = parseDocument(text);
    const errors = 'refusal' in parsed ? [] : validate(schema, parsed.document, RULES, MAX_ERRORS);
    if ('refusal' in parsed || errors.length > 0) {
      const read = 'refusal' in parsed ? parsed : { refusal: refusalOf('GRAPHQL_VALIDATION_FAILED', errors) };
      known.set(text, read);
      return read;
    }
    const { document } = parsed;
    const pattern = parts && patternOf(schema, document, parts.literals);
    const values = parts && pattern?.valuesOf(parts.literals);
    if (parts === null || !pattern || !values) {
      const read = { document: () => document, pattern: ownPattern(document), values: {} };
      known.set(text, read);
      return read;
    }
    // Whoever writes values into documents seldom sends one again: the pattern is all that is kept of it.
    patterns.set(parts.pattern, { pattern, tokens: tokensOf(document) - tokensIn(parts) });
    return { document: () => document, pattern, values };
  };

  return {
    read: (text) => {
      const remembered = known.get(text);
      if (remembered !== undefined) return remembered;
      const parts = sharesPatterns ? takeApart(text) : null;
      if (parts === null || parts.literals.length === 0) return readAnew(text, null);
      const like = patterns.get(parts.pattern);
      if (like === undefined || like.tokens + tokensIn(parts) > MAX_TOKENS) return readAnew(text, parts);
      const { pattern } = like;
      const values = pattern.valuesOf(parts.literals);
      if (values === null) return readAnew(text, parts);
      let document: DocumentNode | undefined;
      return {
        document: () => {
          document ??= parse(text);
          return document;
        },
        pattern,
        values,
      };
    },
  };
}

interface KnownPattern {
  readonly pattern: Pattern;
  /** Without its literals. */
  readonly tokens: number;
}

/** The brackets around a list or an object are in the pattern, for all that is counted. */
function tokensIn({ literals }: Parts): number {
  return literals.reduce((sum, { size }) => sum + size, 0);
}

type Parsed = { readonly document: DocumentNode } | { readonly refusal: Refusal };

function parseDocument(text: string): Parsed {
  try {
    return { document: parse(text, { maxTokens: MAX_TOKENS }) };
  } catch (thrown) {
    if (!(thrown instanceof GraphQLError)) throw thrown;
    const tokens = countTokens(text);
    if (tokens <= MAX_TOKENS) return { refusal: refusalOf('GRAPHQL_PARSE_FAILED', [thrown]) };
    const figure = tokens > MOST_COUNTED ? `more than ${MOST_COUNTED}` : `${tokens}`;
    const message = `The document has ${figure} tokens; the limit is ${MAX_TOKENS}.`;
    return { refusal: refusalOf('QUERY_TOO_COMPLEX', [new GraphQLError(message)]) };
  }
}

/** As graphql-js counts for `maxTokens`: neither comments nor the end. Stops at what it cannot read. */
function countTokens(text: string): number {
  const lexer = new Lexer(new Source(text));
  let count = 0;
  try {
    while (count <= MOST_COUNTED && lexer.advance().kind !== TokenKind.EOF) count++;
  } catch (thrown) {
    if (!(thrown instanceof GraphQLError)) throw thrown;
  }
  return count;
}

const MOST_COUNTED = 10 * MAX_TOKENS;

/** graphql-js leaves this to execution, where it would be no client's error any more. */
function knownOperationTypes(context: ValidationContext): ASTVisitor {
  return {
    [Kind.OPERATION_DEFINITION]: (node) => {
      if (context.getSchema().getRootType(node.operation)) return;
      const message = `The schema has no ${node.operation} operations.`;
      context.reportError(new GraphQLError(message, { nodes: node }));
    },
  };
}

const RULES = [...specifiedRules, knownOperationTypes];

/** Measured on typical documents: a token takes about 300 bytes as a token and part of a node. */
const BYTES_PER_TOKEN = 300;

/** Without places in the text. */
const BYTES_PER_LIFTED_TOKEN = 100;

function bytesOf(read: ReadDocument, text: string): number {
  const own = 200 + 2 * text.length;
  if ('refusal' in read) return own + 2 * JSON.stringify(read.refusal.errors).length;
  return own + tokensOf(read.pattern.document) * BYTES_PER_TOKEN;
}

function bytesOfPattern({ tokens }: KnownPattern, text: string): number {
  return 400 + 2 * text.length + tokens * BYTES_PER_LIFTED_TOKEN;
}

/** Of a document that has its places. */
function tokensOf({ loc }: DocumentNode): number {
  let tokens = 0;
  for (let token = loc?.startToken.next; token && token.kind !== TokenKind.EOF; token = token.next) {
    if (token.kind !== TokenKind.COMMENT) tokens++;
  }
  return tokens;
}
