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
import { hasPatterns, leavesOut, type Pattern, patternOf } from './pattern.ts';
import { type Refusal, refusalOf } from './refusal.ts';

export type ReadDocument = ValidDocument | { readonly refusal: Refusal };

export interface ValidDocument {
  readonly document: DocumentNode;
  readonly pattern: Pattern;
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
  const remember = (text: string, read: ReadDocument): ReadDocument => {
    known.set(text, read);
    return read;
  };
  const patterns = hasPatterns(schema)
    ? new LRUCache<string, Pattern>({
        maxSize: maxBytes,
        sizeCalculation: ({ text }) => 200 + BYTES_PER_CHARACTER * text.length,
      })
    : undefined;
  return {
    read: (text) => {
      const remembered = known.get(text);
      if (remembered !== undefined) return remembered;
      const parsed = parseDocument(text);
      if ('refusal' in parsed) return remember(text, parsed);
      const { document } = parsed;
      const pattern = patterns === undefined ? '' : patternOf(document);
      const shared = patterns?.get(pattern);
      if (shared !== undefined) {
        const read = { document, pattern: shared };
        // Whoever writes values into documents seldom sends one again.
        return leavesOut(pattern) ? read : remember(text, read);
      }
      const errors = validate(schema, document, RULES, { maxErrors: MAX_ERRORS });
      if (errors.length > 0)
        return remember(text, { refusal: refusalOf('GRAPHQL_VALIDATION_FAILED', errors) });
      const own = { text: pattern };
      patterns?.set(pattern, own);
      return remember(text, { document, pattern: own });
    },
  };
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
const MAX_ERRORS = 20;

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

/** Of a pattern: its text, and the closure that is compiled for about every eight characters of it. */
const BYTES_PER_CHARACTER = 40;

function bytesOf(read: ReadDocument, text: string): number {
  const own = 200 + 2 * text.length;
  if ('refusal' in read) return own + 2 * JSON.stringify(read.refusal.errors).length;
  let tokens = 0;
  for (let token = read.document.loc?.startToken ?? null; token !== null; token = token.next) tokens++;
  return own + tokens * BYTES_PER_TOKEN;
}
