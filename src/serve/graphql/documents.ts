/**
 * Documents: each is read and validated once, and cached with its operations. Texts that differ in the arguments of their root field alone
 * share one, as code that glues strings sends ever new ones. Refusals are cached too: faulty clients repeat the same request.
 */
import {
  type ArgumentNode,
  type ASTVisitor,
  type DocumentNode,
  type FieldNode,
  GraphQLError,
  type GraphQLInputType,
  type GraphQLNamedInputType,
  type GraphQLSchema,
  getArgumentValues,
  getNamedType,
  isInputObjectType,
  Kind,
  Lexer,
  type ObjectFieldNode,
  OverlappingFieldsCanBeMergedRule,
  parse,
  Source,
  specifiedRules,
  TokenKind,
  type ValidationContext,
  type ValidationRule,
  type ValueNode,
  validate,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import type { CacheSize } from '../admission/budget.ts';
import type { Arguments } from '../query/plan.ts';
import { createPrepare, type Prepare } from './operation.ts';
import { MAX_ERRORS, type Refusal, Refused, refusalOf, refuse } from './refusal.ts';

interface ValidDocument {
  readonly document: DocumentNode;
  readonly prepare: Prepare;
}

type ReadDocument = ValidDocument | { readonly refusal: Refusal };

export interface Documents {
  readonly read: (text: string) => ReadDocument;
  /** Forgets all documents. */
  readonly clear: () => void;
}

/** The cached documents, in estimated bytes. */
export const DOCUMENT_CACHE: CacheSize = { part: 0.03, most: 16 * 1_024 * 1_024 };

/** `most`: bytes that the cached documents may take. `suggesting`: rules in place of graphql-js's own, for the messages of their errors. */
export function createDocuments(
  schema: GraphQLSchema,
  most = DOCUMENT_CACHE.most,
  suggesting: ReadonlyMap<ValidationRule, ValidationRule> = new Map(),
): Documents {
  const rules = RULES.map((rule) => suggesting.get(rule) ?? rule);
  const cache = new LRUCache<string, ReadDocument>({ maxSize: Math.max(1, most), sizeCalculation: bytesOf });
  return {
    read: (text) => {
      const parts = partsOf(text);
      const known = parts && cache.get(parts.key);
      if (parts && known && 'document' in known) {
        const args = readShort(parts.short, schema, MAX_TOKENS - tokensIn(known.document));
        if (args) return { ...known, prepare: (definition, sent) => known.prepare(definition, sent, args) };
      }
      const key = ` ${text}`;
      const found = cache.get(key) ?? read(text, schema, rules);
      const isShared = 'document' in found && onlyRootOf(found.document) !== undefined;
      cache.set(parts && isShared ? parts.key : key, found);
      return found;
    },
    clear: () => cache.clear(),
  };
}

/** Null for a text whose root field shares no document. `key`: the text without the arguments, which begins as no whole text's key does. */
function partsOf(text: string): { readonly short: string; readonly key: string } | null {
  const [, before, args, after] = PARTS.exec(text) ?? [];
  return before === undefined
    ? null
    : { short: `${before}(${args}) { __typename } }`, key: `(${before}()${after}` };
}

/** An operation without variables up to its first arguments, in which only texts have parentheses; these; all after them. */
const PARTS = /^([^{}()"#$@]*\{[^{}()"#$@]*)\(((?:[^()"#$\\]|"[^"\\\n\r]*")*)\)(.*)$/s;

/** The arguments; undefined if they break a rule, or have too many tokens: then the whole text says what is wrong. */
function readShort(text: string, schema: GraphQLSchema, maxTokens: number): Arguments | undefined {
  try {
    const root = onlyRootOf(parse(text, { maxTokens }));
    const field = root && schema.getQueryType()?.getFields()[root.name.value];
    return field && areKnown(root.arguments, field.args) ? getArgumentValues(field, root) : undefined;
  } catch {
    return undefined;
  }
}

/** Whether each is known, and there once, at all depths: all that `getArgumentValues` does not check. */
function areKnown(
  given: readonly (ArgumentNode | ObjectFieldNode)[] = [],
  types: readonly { readonly name: string; readonly type: GraphQLInputType }[],
): boolean {
  const known = new Map(types.map(({ name, type }) => [name, type]));
  // A name that comes again is unknown then.
  return given.every(({ name, value }) => {
    const type = known.get(name.value);
    return type !== undefined && known.delete(name.value) && isKnown(value, getNamedType(type));
  });
}

function isKnown(value: ValueNode, type: GraphQLNamedInputType): boolean {
  if (value.kind === Kind.LIST) return value.values.every((entry) => isKnown(entry, type));
  if (value.kind !== Kind.OBJECT) return true;
  return isInputObjectType(type) && areKnown(value.fields, Object.values(type.getFields()));
}

/** Undefined if there is another one, whose place depends on these arguments, or introspection, which graphql-js executes. */
function onlyRootOf({ definitions: [operation, ...others] }: DocumentNode): FieldNode | undefined {
  if (operation?.kind !== Kind.OPERATION_DEFINITION || others.length > 0) return undefined;
  const [root, ...more] = operation.selectionSet.selections;
  if (root?.kind !== Kind.FIELD || more.length > 0) return undefined;
  return root.name.value.startsWith('__') ? undefined : root;
}

const tokensIn = ({ tokenCount = 0 }: DocumentNode): number => tokenCount;

function bytesOf(read: ReadDocument, key: string): number {
  const characters = 200 + 2 * key.length;
  return 'refusal' in read
    ? characters + 2 * JSON.stringify(read.refusal.errors).length
    : characters + BYTES_PER_DOCUMENT + tokensIn(read.document) * BYTES_PER_TOKEN;
}

/** Measured: documents of list pages with all that is compiled from them. */
const BYTES_PER_DOCUMENT = 3_000;
const BYTES_PER_TOKEN = 600;

function read(text: string, schema: GraphQLSchema, rules: readonly ValidationRule[]): ReadDocument {
  try {
    const document = parseWithoutText(text);
    const counts = new Map<string, number>();
    const invalid = validate(schema, document, [...rules, countingFields(counts)], MAX_ERRORS);
    if (invalid.length === 0) refuseRepeats(counts);
    // Fields are compared with one another once their number is known.
    const errors = invalid.length > 0 ? invalid : validate(schema, document, [OVERLAPS], MAX_ERRORS);
    if (errors.length > 0) return { refusal: refusalOf('GRAPHQL_VALIDATION_FAILED', errors) };
    return { document, prepare: createPrepare(schema, document) };
  } catch (thrown) {
    if (thrown instanceof Refused) return { refusal: thrown.refusal };
    if (!(thrown instanceof GraphQLError)) throw thrown;
    const tokens = countTokens(text);
    if (tokens <= MAX_TOKENS) return { refusal: refusalOf('GRAPHQL_PARSE_FAILED', [thrown]) };
    const figure = tokens > MOST_COUNTED ? `more than ${MOST_COUNTED}` : `${tokens}`;
    const message = `The document has ${figure} tokens; the limit is ${MAX_TOKENS}.`;
    return { refusal: refuse('QUERY_TOO_COMPLEX', message) };
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
 * Throws GraphQLError. graphql-js counts the lines before each node again for each error, of which a document may have many. After
 * parsing, the source's text is removed, so that it has nothing to count; `refusal.ts` takes the lines from the tokens.
 */
function parseWithoutText(text: string): DocumentNode {
  const source = new Source(text);
  const document = parse(source, { maxTokens: MAX_TOKENS });
  source.body = '';
  return document;
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

/** D2: graphql-js compares all pairs of such fields in a selection set, and the pairs below each pair. Throws Refused. */
function refuseRepeats(counts: ReadonlyMap<string, number>): void {
  for (const [field, count] of counts) {
    if (count <= MAX_REPEATS) continue;
    const message = `The document selects ${count} fields of one name; the limit is ${MAX_REPEATS}: ${field}`;
    throw new Refused(refuse('QUERY_TOO_COMPLEX', message));
  }
}

const MAX_REPEATS = 100;
