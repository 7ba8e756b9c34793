/**
 * Documents: each is read, validated and normalised once, with its operations. Refusals are cached too: faulty clients repeat the same
 * request.
 */
import {
  type ASTVisitor,
  type DocumentNode,
  type FieldNode,
  type FragmentSpreadNode,
  GraphQLError,
  type GraphQLSchema,
  isAbstractType,
  Kind,
  KnownArgumentNamesRule,
  type OperationDefinitionNode,
  OverlappingFieldsCanBeMergedRule,
  parse,
  print,
  type SelectionNode,
  type SelectionSetNode,
  Source,
  specifiedRules,
  type Token,
  type ValidationContext,
  type ValidationRule,
  type ValueNode,
  validate,
} from 'graphql';
import { createBoundedCache, shareOfMemory } from '../admission/budget.ts';
import {
  type NormalisedDocument,
  type NormalisedText,
  normaliseDocument,
  normaliseText,
  type ParameterValues,
  tokensOf,
} from './normalise.ts';
import { CompiledOperation } from './operation.ts';
import { MAX_ERRORS, type Refusal, refusalOf, refuse } from './refusal.ts';

export interface ValidDocument {
  /** Normalised if possible: one object for all documents with the same normalised form. */
  readonly document: DocumentNode;
  readonly operationOf: OperationOf;
  /** Values of the parameters that replace its literals. */
  readonly values: ParameterValues;
  /** The document as it was sent, with locations. Parsed at the first call if only its normalised form was needed before. */
  readonly asSent: () => DocumentNode;
}

/** The operation of a definition in the document, compiled at the first call. */
type OperationOf = (definition: OperationDefinitionNode) => CompiledOperation;

type ReadDocument = ValidDocument | { readonly refusal: Refusal };

export interface Documents {
  readonly read: (text: string) => ReadDocument;
  /** Forgets all documents. */
  readonly clear: () => void;
}

const MAX_TOKENS = 2_000;

/**
 * Bytes of all documents by text, and of normalised ones by key. A known document takes 1 µs, one that differs from a known one only in
 * literals 31, any other 370 to parse and validate.
 */
const MAX_BYTES = 16 * 1_024 * 1_024;
const HEAP_SHARE = 0.03;

/** `most`: bytes that the cached documents may take, estimated. `argumentNames`: the rule for unknown names of arguments. */
export function createDocuments(
  schema: GraphQLSchema,
  most = shareOfMemory(HEAP_SHARE, MAX_BYTES),
  argumentNames: ValidationRule = KnownArgumentNamesRule,
): Documents {
  const rules = [...RULES, argumentNames, knownOperationTypes];
  const remembered = createBoundedCache<Remembered>({ most, weigh: ({ bytes }) => bytes });

  const remember = (text: string, tokens: number, read: ReadDocument): ReadDocument => {
    remembered.offer(text, { read, bytes: bytesOf(text, tokens, read) });
    return read;
  };

  const readAnew = (text: string, tokens: number, { key, literals }: NormalisedText): ReadDocument => {
    const document = readWhole(schema, text, rules);
    if ('refusal' in document) return remember(text, 0, document);
    const asSent = () => document;
    const normalised = literals.length > 0 ? normaliseDocument(schema, document, literals) : null;
    const values = normalised?.valuesOf(literals);
    if (!normalised || !values) {
      const operationOf = createOperations(schema, document);
      return remember(text, tokens, { document, operationOf, values: NO_VALUES, asSent });
    }
    // Clients that write values into documents rarely send the same text again: only its normalised form is cached.
    const operationOf = createOperations(schema, normalised.document);
    const bytes = BYTES_PER_DOCUMENT + 2 * key.length + tokens * BYTES_PER_NORMALISED_TOKEN;
    remembered.offer(NORMALISED + key, { normalised: { ...normalised, operationOf }, bytes });
    return { document: normalised.document, operationOf, values, asSent };
  };

  return {
    read: (text) => {
      const known = remembered.get(text);
      if (known !== undefined && 'read' in known) return known.read;
      const tokens = lex(text);
      if ('refusal' in tokens) return remember(text, 0, tokens);
      const normal = normaliseText(tokens);
      const like = remembered.get(NORMALISED + normal.key);
      const normalised = like !== undefined && 'normalised' in like ? like.normalised : undefined;
      const values = normalised?.valuesOf(normal.literals);
      if (!normalised || !values) return readAnew(text, tokens.length, normal);
      const { document, operationOf } = normalised;
      let sent: DocumentNode | undefined;
      const asSent = () => {
        sent ??= parseWithoutText(text);
        return sent;
      };
      return { document, operationOf, values, asSent };
    },
    clear: remembered.clear,
  };
}

/** Cached under its text, or under NORMALISED and its key. */
type Remembered = { readonly bytes: number } & (
  | { readonly read: ReadDocument }
  | { readonly normalised: NormalisedDocument & { readonly operationOf: OperationOf } }
);

/** No valid document begins with this character. */
const NORMALISED = '\0';
const NO_VALUES: ParameterValues = {};

function createOperations(schema: GraphQLSchema, document: DocumentNode): OperationOf {
  const operations = new Map<OperationDefinitionNode, CompiledOperation>();
  return (definition) => {
    const operation = operations.get(definition) ?? new CompiledOperation(schema, document, definition);
    operations.set(definition, operation);
    return operation;
  };
}

/** D2: tokens are counted before the document is parsed. */
function lex(text: string): readonly Token[] | { readonly refusal: Refusal } {
  try {
    const tokens = tokensOf(text, MOST_COUNTED);
    if (tokens.length <= MAX_TOKENS) return tokens;
    const figure = tokens.length > MOST_COUNTED ? `more than ${MOST_COUNTED}` : `${tokens.length}`;
    return {
      refusal: refuse('QUERY_TOO_COMPLEX', `The document has ${figure} tokens; the limit is ${MAX_TOKENS}.`),
    };
  } catch (thrown) {
    if (!(thrown instanceof GraphQLError)) throw thrown;
    // The parser may find an error before the one that the lexer found.
    const read = parseWhole(text);
    return 'refusal' in read ? read : { refusal: refusalOf('GRAPHQL_PARSE_FAILED', [thrown]) };
  }
}

/** Counting goes on this far, to state the number in the refusal. */
const MOST_COUNTED = 10 * MAX_TOKENS;

function parseWhole(text: string): DocumentNode | { readonly refusal: Refusal } {
  try {
    return parseWithoutText(text);
  } catch (thrown) {
    if (!(thrown instanceof GraphQLError)) throw thrown;
    return { refusal: refusalOf('GRAPHQL_PARSE_FAILED', [thrown]) };
  }
}

/**
 * Throws GraphQLError. graphql-js counts the lines before each node again for each error: 0.15 s for 20 errors after 250,000 lines. After
 * parsing, the source's text is removed, so that it has nothing to count; `refusal.ts` takes the lines from the tokens.
 */
function parseWithoutText(text: string): DocumentNode {
  const source = new Source(text);
  const document = parse(source, { maxTokens: MAX_TOKENS });
  source.body = '';
  return document;
}

function readWhole(
  schema: GraphQLSchema,
  text: string,
  rules: readonly ValidationRule[],
): DocumentNode | { readonly refusal: Refusal } {
  const parsed = parseWhole(text);
  if ('refusal' in parsed) return parsed;
  const wrong = validate(schema, parsed, rules, MAX_ERRORS);
  const errors = wrong.length === 0 ? overlapErrors(schema, parsed) : wrong;
  return errors.length === 0 ? parsed : { refusal: refusalOf('GRAPHQL_VALIDATION_FAILED', errors) };
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

const REPLACED: ReadonlySet<ValidationRule> = new Set([
  OverlappingFieldsCanBeMergedRule,
  KnownArgumentNamesRule,
]);
const RULES = specifiedRules.filter((rule) => !REPLACED.has(rule));

/** Measured: documents of list pages with all that is compiled from them. */
const BYTES_PER_DOCUMENT = 3_000;
const BYTES_PER_TOKEN = 600;
const BYTES_PER_NORMALISED_TOKEN = 300;

function bytesOf(text: string, tokens: number, read: ReadDocument): number {
  const refusal = 'refusal' in read ? 2 * JSON.stringify(read.refusal.errors).length : 0;
  const compiled = 'refusal' in read ? 0 : BYTES_PER_DOCUMENT;
  return 200 + 2 * text.length + tokens * BYTES_PER_TOKEN + compiled + refusal;
}

// D2: checks whether fields of one response name can be merged, in linear time. graphql-js compares all pairs of fields with one name in
// a selection set, and the pairs below each pair: 390 times `venue { id }` took 203 ms. Here equal fields are merged first, which does
// not change the verdict.

/** `valid`: by every other rule. The errors show the first fields that cannot be merged, at their places in the document. */
export function overlapErrors(schema: GraphQLSchema, valid: DocumentNode): readonly GraphQLError[] {
  // Below an interface or a union, an inline fragment may apply to other objects than the fields beside it.
  const isFlat = !Object.values(schema.getTypeMap()).some(isAbstractType);
  const document = isFlat ? withoutRepeats(valid) : valid;
  return validate(schema, document, [OverlappingFieldsCanBeMergedRule], MAX_ERRORS);
}

function withoutRepeats(document: DocumentNode): DocumentNode {
  const definitions = document.definitions.map((definition) =>
    'selectionSet' in definition
      ? { ...definition, selectionSet: merged(definition.selectionSet, [definition.selectionSet]) }
      : definition,
  );
  return { ...document, definitions };
}

interface Repeated {
  readonly field: FieldNode;
  /** The selection sets of its repeats. */
  readonly below: SelectionSetNode[];
}

/** Fields of one response name in one selection set, grouped by all that must agree for a merge. */
type Namesakes = Map<string, Repeated>;

/** The second field that cannot be merged decides the verdict; further ones add nothing. */
const MOST_NAMESAKES = 2;

/** One selection set in place of several that apply to the same object. */
function merged(first: SelectionSetNode, sets: readonly SelectionSetNode[]): SelectionSetNode {
  const fields = new Map<string, Namesakes>();
  const spreads = new Map<string, FragmentSpreadNode>();
  const pending = [...sets];
  for (const { selections: selected } of pending) {
    for (const selection of selected) {
      if (selection.kind === Kind.FIELD) addField(fields, selection);
      else if (selection.kind === Kind.INLINE_FRAGMENT) pending.push(selection.selectionSet);
      else if (!spreads.has(selection.name.value)) spreads.set(selection.name.value, selection);
    }
  }
  const selections: SelectionNode[] = [...spreads.values()];
  for (const namesakes of fields.values()) {
    for (const { field, below } of namesakes.values()) {
      const [selectionSet] = below;
      selections.push(selectionSet ? { ...field, selectionSet: merged(selectionSet, below) } : field);
    }
  }
  return { ...first, selections };
}

function addField(fields: Map<string, Namesakes>, field: FieldNode): void {
  const { alias, name, arguments: given = [], selectionSet } = field;
  const responseName = (alias ?? name).value;
  const namesakes: Namesakes = fields.get(responseName) ?? new Map();
  fields.set(responseName, namesakes);
  // Equal for arguments that the rule takes for equal, in any order of names and of objects' fields.
  const values = given.map((argument) => [argument.name.value, valueText(argument.value)] as const);
  const key = `${name.value} ${sortedText(values)}`;
  const known = namesakes.get(key);
  const below = selectionSet === undefined ? [] : [selectionSet];
  if (known !== undefined) known.below.push(...below);
  else if (namesakes.size < MOST_NAMESAKES) namesakes.set(key, { field, below });
}

function valueText(value: ValueNode): string {
  if (value.kind === Kind.LIST) return `[${value.values.map(valueText).join()}]`;
  if (value.kind !== Kind.OBJECT) return print(value);
  return `{${sortedText(value.fields.map(({ name, value: inner }) => [name.value, valueText(inner)]))}}`;
}

function sortedText(entries: readonly (readonly [name: string, text: string])[]): string {
  const lines = entries.map(([name, text]) => `${name}:${text}`);
  return lines.sort().join();
}
