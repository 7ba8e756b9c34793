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
import { hasPatterns, patternOf } from './pattern.ts';
import { type Refusal, refusalOf } from './refusal.ts';

export type ReadDocument = ValidDocument | { readonly refusal: Refusal };

export interface ValidDocument {
  readonly document: DocumentNode;
  /** The first valid document of the same pattern: itself, or one that differs in the values of literals only. */
  readonly model: DocumentNode;
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
  const models = hasPatterns(schema)
    ? new LRUCache<string, ValidDocument>({ maxSize: maxBytes, sizeCalculation: bytesOf })
    : undefined;
  return {
    read: (text) => {
      const remembered = known.get(text);
      if (remembered !== undefined) return remembered;
      const read = readDocument(text, { schema, models });
      known.set(text, read);
      return read;
    },
  };
}

interface Reading {
  readonly schema: GraphQLSchema;
  /** By pattern. */
  readonly models: LRUCache<string, ValidDocument> | undefined;
}

function readDocument(text: string, { schema, models }: Reading): ReadDocument {
  const parsed = parseDocument(text);
  if ('refusal' in parsed) return parsed;
  const { document } = parsed;
  const pattern = models === undefined ? '' : patternOf(document);
  const known = models?.get(pattern);
  if (known !== undefined) return { document, model: known.model };
  const errors = validate(schema, document, RULES, { maxErrors: MAX_ERRORS });
  if (errors.length > 0) return { refusal: refusalOf('GRAPHQL_VALIDATION_FAILED', errors) };
  models?.set(pattern, parsed);
  return parsed;
}

function parseDocument(text: string): ReadDocument {
  try {
    const document = parse(text, { maxTokens: MAX_TOKENS });
    return { document, model: document };
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

function bytesOf(read: ReadDocument, text: string): number {
  const own = 200 + 2 * text.length;
  if ('refusal' in read) return own + 2 * JSON.stringify(read.refusal.errors).length;
  let tokens = 0;
  for (let token = read.document.loc?.startToken ?? null; token !== null; token = token.next) tokens++;
  return own + tokens * BYTES_PER_TOKEN;
}
