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
import { MAX_ERRORS, type Refusal, refusalOf, refuse } from './refusal.ts';

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
  const maxSize = Math.max(1, Math.floor(most / 2));
  const byText = new LRUCache<string, ReadDocument>({ maxSize, sizeCalculation: bytesOf });
  /** By the text without the arguments of their root field. */
  const shared = new LRUCache<string, ValidDocument>({ maxSize, sizeCalculation: bytesOf });
  return {
    read: (text) => {
      const parts = partsOf(text);
      const known = parts && shared.get(parts.rest);
      const args = known && readShort(parts.short, schema, MAX_TOKENS - tokensIn(known.document));
      if (args) return { ...known, prepare: (definition, sent) => known.prepare(definition, sent, args) };
      const found = byText.get(text) ?? read(text, schema, rules);
      if (parts && 'document' in found && onlyRootOf(found.document)) shared.set(parts.rest, found);
      else byText.set(text, found);
      return found;
    },
    clear: () => {
      byText.clear();
      shared.clear();
    },
  };
}

/** Null for a text whose root field shares no document. */
function partsOf(text: string): { readonly short: string; readonly rest: string } | null {
  const [, before, args, after] = PARTS.exec(text) ?? [];
  return before === undefined
    ? null
    : { short: `${before}(${args}) { __typename } }`, rest: `${before}()${after}` };
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

function bytesOf(read: ReadDocument, text: string): number {
  const characters = 200 + 2 * text.length;
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
    const repeats = createRepeats();
    const errors = validate(schema, document, [...rules, repeats.rule], MAX_ERRORS);
    if (errors.length > 0) return invalid(errors);
    const message = repeats.message();
    if (message !== undefined) return tooComplex(message);
    // Fields are compared with one another once their number is known.
    const overlaps = validate(schema, document, [OVERLAPS], MAX_ERRORS);
    if (overlaps.length > 0) return invalid(overlaps);
    return { document, prepare: createPrepare(schema, document) };
  } catch (thrown) {
    if (!(thrown instanceof GraphQLError)) throw thrown;
    const tokens = countTokens(text);
    if (tokens <= MAX_TOKENS) return { refusal: refusalOf('GRAPHQL_PARSE_FAILED', [thrown]) };
    const figure = tokens > MOST_COUNTED ? `more than ${MOST_COUNTED}` : `${tokens}`;
    return tooComplex(`The document has ${figure} tokens; the limit is ${MAX_TOKENS}.`);
  }
}

const invalid = (errors: readonly GraphQLError[]) => ({
  refusal: refusalOf('GRAPHQL_VALIDATION_FAILED', errors),
});

const tooComplex = (message: string) => ({ refusal: refuse('QUERY_TOO_COMPLEX', message) });

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

/**
 * D2: counts the fields of one type that have the same response name. graphql-js then compares all pairs of these in a selection set, and
 * the pairs below each pair.
 */
function createRepeats() {
  const counts = new Map<string, number>();
  return {
    rule: (context: ValidationContext): ASTVisitor => ({
      [Kind.FIELD]: ({ alias, name }) => {
        const field = `${context.getParentType()?.name}.${(alias ?? name).value}`;
        counts.set(field, (counts.get(field) ?? 0) + 1);
      },
    }),
    /** Undefined if there are not too many. */
    message: (): string | undefined => {
      for (const [field, count] of counts) {
        if (count <= MAX_REPEATS) continue;
        const name = field.length > LONGEST_NAME ? `${field.slice(0, LONGEST_NAME)}…` : field;
        return `The document selects ${name} ${count} times; the limit is ${MAX_REPEATS}.`;
      }
      return undefined;
    },
  };
}

const LONGEST_NAME = 100;
const MAX_REPEATS = 100;
