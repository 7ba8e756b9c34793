/**
 * Documents: each text is parsed and validated once, and cached with its operations. Two texts never share a document, however alike they
 * are. Refusals are cached too, because faulty clients repeat the same request.
 */
import {
  type ASTVisitor,
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  Kind,
  Lexer,
  OverlappingFieldsCanBeMergedRule,
  parse,
  Source,
  specifiedRules,
  TokenKind,
  type ValidationContext,
  type ValidationRule,
  validate,
} from 'graphql';
import type { CacheLimit } from '../admission/budget.ts';
import { createFilteredCache } from '../admission/filtered-cache.ts';
import { ERROR_LIMIT, Refused, refusalOfErrors, refuse } from './refusal.ts';

/** A document with the verdict on it: no faults, or one refusal that lists its errors. */
export interface ReadDocument extends DocumentNode {
  readonly faults: readonly Refused[];
}

export interface Documents {
  /** Throws Refused for a text that is not a document. */
  readonly read: (text: string) => ReadDocument;
  /** Forgets all documents. */
  readonly clear: () => void;
}

/** The cached documents, in estimated bytes. */
export const DOCUMENT_CACHE: CacheLimit = { part: 0.03, most: 16 * 1_024 * 1_024 };

/** The share of the cache that documents may fill that came once: clients that write their values into the text never send it again. */
const UNPROVEN_SHARE = 1 / 8;

/** `most`: bytes that the cached documents may take. `suggesting`: rules in place of graphql-js's own, for the messages of their errors. */
export function createDocuments(
  schema: GraphQLSchema,
  most = DOCUMENT_CACHE.most,
  suggesting: ReadonlyMap<ValidationRule, ValidationRule> = new Map(),
): Documents {
  const rules = RULES.map((rule) => suggesting.get(rule) ?? rule);
  const cache = createFilteredCache<ReadDocument | Refused>({
    maxBytes: most,
    unproven: UNPROVEN_SHARE,
    bytesOf,
  });
  return {
    read: (text) => {
      const cached = cache.get(text);
      const read = cached ?? readText(text, schema, rules);
      if (cached === undefined) cache.set(text, read);
      if (read instanceof Refused) throw read;
      return read;
    },
    clear: cache.clear,
  };
}

function bytesOf(read: ReadDocument | Refused, text: string): number {
  const characters = 200 + 2 * text.length;
  if (read instanceof Refused) return characters + bytesOfErrors(read);
  const faults = read.faults.reduce((bytes, fault) => bytes + bytesOfErrors(fault), 0);
  return characters + faults + BYTES_PER_DOCUMENT + (read.tokenCount ?? 0) * BYTES_PER_TOKEN;
}

const bytesOfErrors = ({ refusal }: Refused): number => 2 * JSON.stringify(refusal.errors).length;

/** Measured: documents of list pages with all that is compiled from them. */
const BYTES_PER_DOCUMENT = 3_000;
const BYTES_PER_TOKEN = 600;

function readText(
  text: string,
  schema: GraphQLSchema,
  rules: readonly ValidationRule[],
): ReadDocument | Refused {
  try {
    const document = parseWithoutText(text);
    return Object.assign(document, { faults: faultsIn(document, schema, rules) });
  } catch (thrown) {
    if (!(thrown instanceof GraphQLError)) throw thrown;
    const tokens = countTokens(text);
    if (tokens <= MAX_TOKENS) return new Refused(refusalOfErrors('GRAPHQL_PARSE_FAILED', [thrown]));
    const figure = tokens > MOST_COUNTED ? `more than ${MOST_COUNTED}` : `${tokens}`;
    const message = `The document has ${figure} tokens; the limit is ${MAX_TOKENS}.`;
    return new Refused(refuse('QUERY_TOO_COMPLEX', message));
  }
}

const MAX_TOKENS = 2_000;
/** Counting goes on this far, to state the number in the refusal. */
const MOST_COUNTED = 10 * MAX_TOKENS;

/** For a document that the parser refuses, perhaps as it has too many. Without comments, as graphql-js counts for `maxTokens`. */
function countTokens(text: string): number {
  const lexer = new Lexer(new Source(text));
  let tokens = 0;
  try {
    while (tokens <= MOST_COUNTED && lexer.advance().kind !== TokenKind.EOF) tokens++;
  } catch (thrown) {
    // The parser states the first error, which may stand before this one.
    if (!(thrown instanceof GraphQLError)) throw thrown;
  }
  return tokens;
}

/**
 * Throws GraphQLError. For each error, graphql-js counts the lines from the beginning of the text to the node. A document may have many
 * errors, so the text is removed after parsing, and nothing is left to count. `refusal.ts` takes the lines from the tokens.
 */
function parseWithoutText(text: string): DocumentNode {
  const source = new Source(text);
  const document = parse(source, { maxTokens: MAX_TOKENS });
  source.body = '';
  return document;
}

function faultsIn(
  document: DocumentNode,
  schema: GraphQLSchema,
  rules: readonly ValidationRule[],
): readonly Refused[] {
  const counts = new Map<string, number>();
  const errors = validate(schema, document, [...rules, countingFields(counts)], ERROR_LIMIT);
  if (errors.length > 0) return [new Refused(refusalOfErrors('GRAPHQL_VALIDATION_FAILED', errors))];
  const repeated = tooManyRepeats(counts);
  if (repeated !== undefined) return [repeated];
  // Fields are compared with one another once their number is known.
  const overlaps = validate(schema, document, [OVERLAPS], ERROR_LIMIT);
  return overlaps.length > 0 ? [new Refused(refusalOfErrors('GRAPHQL_VALIDATION_FAILED', overlaps))] : [];
}

/** graphql-js checks this only in execution, where it would not count as the client's error. */
function knownOperationTypes(context: ValidationContext): ASTVisitor {
  return {
    [Kind.OPERATION_DEFINITION]: (node) => {
      if (context.getSchema().getRootType(node.operation)) return;
      const message = `The schema has no ${node.operation} operations.`;
      context.reportError(new GraphQLError(message, { nodes: node }));
    },
  };
}

const OVERLAPS = OverlappingFieldsCanBeMergedRule;

const RULES = [...specifiedRules.filter((rule) => rule !== OVERLAPS), knownOperationTypes];

/** Counts the fields of one type that have the same response name. */
const countingFields =
  (counts: Map<string, number>): ValidationRule =>
  (context) => ({
    [Kind.FIELD]: ({ alias, name }) => {
      const field = `${context.getParentType()?.name}.${(alias ?? name).value}`;
      counts.set(field, (counts.get(field) ?? 0) + 1);
    },
  });

/** D2: graphql-js compares all pairs of such fields in a selection set, and the pairs below each pair. */
function tooManyRepeats(counts: ReadonlyMap<string, number>): Refused | undefined {
  for (const [field, count] of counts) {
    if (count <= MAX_REPEATS) continue;
    const message = `The document selects ${count} fields with the same name; the limit is ${MAX_REPEATS}: ${field}`;
    return new Refused(refuse('QUERY_TOO_COMPLEX', message));
  }
  return undefined;
}

const MAX_REPEATS = 100;
