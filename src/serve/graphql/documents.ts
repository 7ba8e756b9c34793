/**
 * Documents: each is read and validated once, and cached by its text with its operations. Refusals are cached too: faulty clients repeat
 * the same request.
 */
import {
  type ASTNode,
  type ASTVisitFn,
  type ASTVisitor,
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  Kind,
  Lexer,
  NoUndefinedVariablesRule,
  NoUnusedVariablesRule,
  OverlappingFieldsCanBeMergedRule,
  parse,
  Source,
  specifiedRules,
  type Token,
  TokenKind,
  TypeInfo,
  ValidationContext,
  type ValidationRule,
  VariablesInAllowedPositionRule,
  validate,
} from 'graphql';
import { QueryDocumentKeys } from 'graphql/language/ast.js';
import { LRUCache } from 'lru-cache';
import type { CacheSize } from '../admission/budget.ts';
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
  suggesting: Suggesting = new Map(),
): Documents {
  const cached = new LRUCache<string, ReadDocument>({ maxSize: Math.max(1, most), sizeCalculation: bytesOf });
  /** Texts that were read once. To hold each new document, until others follow, takes as much time as to validate it. */
  const once = rememberTexts(most);
  /** Forms of documents that broke no rule. */
  const valid = rememberTexts(most);
  return {
    read: (text) => {
      const known = cached.get(text);
      if (known !== undefined) return known;
      const found = read(text, { schema, suggesting, valid });
      if (once.delete(text)) cached.set(text, found);
      else once.set(text, true);
      return found;
    },
    clear: () => {
      cached.clear();
      once.clear();
      valid.clear();
    },
  };
}

/** `most`: bytes that they may take. */
function rememberTexts(most: number): LRUCache<string, true> {
  return new LRUCache({
    max: MOST_REMEMBERED,
    maxSize: Math.max(1, most),
    sizeCalculation: (_, text) => bytesOfText(text),
  });
}

type Suggesting = ReadonlyMap<ValidationRule, ValidationRule>;

function bytesOf(read: ReadDocument, text: string): number {
  const characters = bytesOfText(text);
  return 'refusal' in read
    ? characters + 2 * JSON.stringify(read.refusal.errors).length
    : characters + BYTES_PER_DOCUMENT + (read.document.tokenCount ?? 0) * BYTES_PER_TOKEN;
}

const bytesOfText = (text: string) => 200 + 2 * text.length;

const MOST_REMEMBERED = 1_000;

/** Measured: documents of list pages with all that is compiled from them. */
const BYTES_PER_DOCUMENT = 3_000;
const BYTES_PER_TOKEN = 600;

interface Reading {
  readonly schema: GraphQLSchema;
  readonly suggesting: Suggesting;
  /** Forms of documents that broke no rule. */
  readonly valid: LRUCache<string, true>;
}

function read(text: string, { schema, suggesting, valid }: Reading): ReadDocument {
  try {
    const document = parseWithoutText(text);
    const form = formOf(document);
    if (valid.get(form) === undefined) {
      const errorsBy = (rules: readonly ValidationRule[]) => validate(schema, document, rules, MAX_ERRORS);
      const repeats = new Repeats();
      const rules = text.includes('$') ? RULES : WITHOUT_VARIABLES;
      if (breaksRule(schema, document, [...rules, repeats.rule]))
        return invalid(errorsBy(RULES.map((rule) => suggesting.get(rule) ?? rule)));
      const { message } = repeats;
      if (message !== undefined) return tooComplex(message);
      const overlaps = repeats.canOverlap ? errorsBy([OVERLAPS]) : [];
      if (overlaps.length > 0) return invalid(overlaps);
      // Fields that overlap must have equal arguments, so that their values matter.
      if (!repeats.canOverlap) valid.set(form, true);
    }
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

/**
 * A document's tokens without what its numbers and strings hold. Whether a document is valid does not depend on that, except for
 * integers of more than 32 bits. Code that glues strings sends one form with ever new values.
 */
function formOf({ loc }: DocumentNode): string {
  let form = '';
  for (let token: Token | null = loc?.startToken ?? null; token !== null; token = token.next) {
    const { kind, value } = token;
    if (kind === TokenKind.COMMENT) continue;
    const isLong = kind === TokenKind.INT && value.length > SHORT_INT;
    form += `${isLong ? value : (FORMS[kind] ?? (value || kind))} `;
  }
  return form;
}

/** As no name and no sign is written. */
const FORMS: Readonly<Partial<Record<TokenKind, string>>> = {
  [TokenKind.STRING]: '"',
  [TokenKind.BLOCK_STRING]: '"',
  [TokenKind.INT]: '0',
  [TokenKind.FLOAT]: '.0',
};

/** Digits and a sign that always make an integer of 32 bits. */
const SHORT_INT = 9;

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

/** Fields are compared with one another once their number is known. */
const OVERLAPS = OverlappingFieldsCanBeMergedRule;

const RULES = [...specifiedRules.filter((rule) => rule !== OVERLAPS), knownOperationTypes];

/** Rules that look for variables in a walk of their own, where a document has none. */
const OF_VARIABLES: ReadonlySet<ValidationRule> = new Set([
  NoUndefinedVariablesRule,
  NoUnusedVariablesRule,
  VariablesInAllowedPositionRule,
]);
const WITHOUT_VARIABLES = RULES.filter((rule) => !OF_VARIABLES.has(rule));

/**
 * D2: counts the fields of one type that have the same response name. graphql-js then compares all pairs of these in a selection set, and
 * the pairs below each pair.
 */
class Repeats {
  readonly #counts = new Map<string, number>();
  /** Whether a selection set repeats a name, or has a fragment, which may repeat it. */
  canOverlap = false;

  readonly rule = (context: ValidationContext): ASTVisitor => ({
    [Kind.SELECTION_SET]: ({ selections }) => {
      const type = context.getParentType()?.name;
      const names = new Set<string>();
      for (const selection of selections) {
        if (selection.kind !== Kind.FIELD) continue;
        const name = (selection.alias ?? selection.name).value;
        const field = `${type}.${name}`;
        this.#counts.set(field, (this.#counts.get(field) ?? 0) + 1);
        names.add(name);
      }
      this.canOverlap ||= names.size < selections.length;
    },
  });

  /** Undefined if there are not too many. */
  get message(): string | undefined {
    for (const [field, count] of this.#counts) {
      if (count <= MAX_REPEATS) continue;
      const name = field.length > LONGEST_NAME ? `${field.slice(0, LONGEST_NAME)}…` : field;
      return `The document selects ${name} ${count} times; the limit is ${MAX_REPEATS}.`;
    }
    return undefined;
  }
}

const LONGEST_NAME = 100;
const MAX_REPEATS = 100;

/**
 * Whether a document breaks a rule of graphql-js, in one walk. `validate` looks up the functions of every rule again for every node, and is
 * ready to change each node, which takes most of the time that a new document takes. It is called only where there are errors, for their
 * messages. `rules` do not change the nodes that they visit.
 */
function breaksRule(
  schema: GraphQLSchema,
  document: DocumentNode,
  rules: readonly ValidationRule[],
): boolean {
  let isBroken = false;
  const typeInfo = new TypeInfo(schema);
  const onError = () => {
    isBroken = true;
  };
  const context = new ValidationContext(schema, document, typeInfo, onError);
  const { enter, leave } = joinVisitors(rules.map((rule) => rule(context)));
  /** Nodes and lists of nodes, from the document down to what holds the parent of a node. */
  const ancestors: Parent[] = [];

  const walk = (node: ASTNode, parent?: Parent) => {
    if (isBroken) return;
    typeInfo.enter(node);
    enter(node, undefined, parent, NO_PATH, ancestors);
    if (parent !== undefined) ancestors.push(parent);
    for (const key of QueryDocumentKeys[node.kind]) {
      const child: unknown = node[key as keyof ASTNode];
      if (isList(child)) {
        ancestors.push(node);
        for (const item of child) walk(item, child);
        ancestors.pop();
      } else if (isNode(child)) walk(child, node);
    }
    if (parent !== undefined) ancestors.pop();
    leave(node, undefined, parent, NO_PATH, ancestors);
    typeInfo.leave(node);
  };
  walk(document);
  return isBroken;
}

type Parent = ASTNode | readonly ASTNode[];

// What stands at the keys of QueryDocumentKeys is nothing else.
const isList = (child: unknown): child is readonly ASTNode[] => Array.isArray(child);
const isNode = (child: unknown): child is ASTNode => child !== undefined;

/** No rule looks at the path. */
const NO_PATH: readonly never[] = [];

/** What one rule does at nodes of one kind. */
interface Step {
  /** Index of the rule. */
  readonly rule: number;
  readonly act: Act;
}

type Act = ASTVisitFn<ASTNode>;

interface Acts {
  readonly enter?: Act | undefined;
  readonly leave?: Act | undefined;
}

/** All visitors as one. A visitor that returns false skips what is below the node. */
function joinVisitors(visitors: readonly ASTVisitor[]) {
  const entering = new Map<string, Step[]>();
  const leaving = new Map<string, Step[]>();
  const add = (rule: number, kind: string, { enter, leave }: Acts) => {
    if (enter !== undefined) stepsOf(entering, kind).push({ rule, act: enter });
    if (leave !== undefined) stepsOf(leaving, kind).push({ rule, act: leave });
  };
  for (const [rule, visitor] of visitors.entries()) {
    const { enter, leave, ...kinds } = visitor as Acts & Readonly<Record<string, Acts | Act>>;
    for (const [kind, acts] of Object.entries(kinds))
      add(rule, kind, typeof acts === 'function' ? { enter: acts } : acts);
    if (enter ?? leave) for (const kind of Object.values(Kind)) add(rule, kind, { enter, leave });
  }
  /** By the index of the rule: the node below which it skips all. */
  const skipped = new Map<number, ASTNode>();
  const onEnter: Act = (node, key, parent, path, ancestors) => {
    for (const { rule, act } of entering.get(node.kind) ?? NONE) {
      if (!skipped.has(rule) && act(node, key, parent, path, ancestors) === false) skipped.set(rule, node);
    }
  };
  const onLeave: Act = (node, key, parent, path, ancestors) => {
    for (const { rule, act } of leaving.get(node.kind) ?? NONE) {
      if (!skipped.has(rule)) act(node, key, parent, path, ancestors);
    }
    if (skipped.size === 0) return;
    for (const [rule, from] of skipped) if (from === node) skipped.delete(rule);
  };
  return { enter: onEnter, leave: onLeave };
}

const NONE: readonly Step[] = [];

function stepsOf(all: Map<string, Step[]>, kind: string): Step[] {
  const steps = all.get(kind) ?? [];
  all.set(kind, steps);
  return steps;
}
