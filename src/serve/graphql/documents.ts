/**
 * Documents: read, validated and normalised once, each with its operations. Refusals are remembered too: a bad client
 * repeats itself.
 */
import {
  type ArgumentNode,
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
  type ValueNode,
  validate,
} from 'graphql';
import { shareOfMemory } from '../admission/budget.ts';
import { createBoundedCache } from '../query/bounded-cache.ts';
import {
  canNormalise,
  type NormalisedDocument,
  type NormalisedText,
  normaliseDocument,
  normaliseText,
  type ParameterValues,
  tokensOf,
} from './normalise.ts';
import { CompiledOperation } from './operation.ts';
import { MAX_ERRORS, type Refusal, refusalOf, refuse } from './refusal.ts';
import { knownArgumentNames } from './suggestions.ts';

export interface ValidDocument {
  /** Normalised where it can be: one object for all that normalise to the same. */
  readonly document: DocumentNode;
  readonly operationOf: OperationOf;
  /** Values of the parameters that stand for its literals. */
  readonly values: ParameterValues;
  /** The document as it was sent, with its locations; parsed at the first call if only its normalised form was needed before. */
  readonly asSent: () => DocumentNode;
}

/** The operation of a definition in the document, compiled at the first call. */
type OperationOf = (definition: OperationDefinitionNode) => CompiledOperation;

type ReadDocument = ValidDocument | { readonly refusal: Refusal };

interface Documents {
  readonly read: (text: string) => ReadDocument;
}

interface DocumentsOptions {
  /** Bytes that the remembered documents may take, estimated. */
  readonly maxBytes?: number;
}

const MAX_TOKENS = 2_000;

/**
 * Bytes of all documents by their text, and of normalised ones by their key. A document that is known takes 1 µs, one that differs
 * from a known one in its literals 31, any other 370 to parse and validate.
 */
const MAX_BYTES = 16 * 1_024 * 1_024;
const HEAP_SHARE = 0.03;

export function createDocuments(schema: GraphQLSchema, options: DocumentsOptions = {}): Documents {
  const { maxBytes = shareOfMemory(HEAP_SHARE, MAX_BYTES) } = options;
  const remembered = createBoundedCache<Remembered>({ most: maxBytes, weigh: ({ bytes }) => bytes });
  const normalises = canNormalise(schema);

  const remember = (text: string, tokens: number, read: ReadDocument): ReadDocument => {
    remembered.offer(text, { read, bytes: bytesOf(text, tokens, read) });
    return read;
  };

  const readAnew = (text: string, tokens: number, { key, literals }: NormalisedText): ReadDocument => {
    const document = readWhole(schema, text);
    if ('refusal' in document) return remember(text, 0, document);
    const asSent = () => document;
    const normalised = literals.length > 0 ? normaliseDocument(schema, document, literals) : null;
    const values = normalised?.valuesOf(literals);
    if (!normalised || !values) {
      const operationOf = createOperations(schema, document);
      return remember(text, tokens, { document, operationOf, values: NO_VALUES, asSent });
    }
    // Clients that write values into documents seldom send one again: its normalised form is all that is remembered of it.
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
      const normal = normalises ? normaliseText(tokens) : NOTHING_NORMALISED;
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
  };
}

/** Under its text, or under NORMALISED and its key. */
type Remembered = { readonly bytes: number } & (
  | { readonly read: ReadDocument }
  | { readonly normalised: NormalisedDocument & { readonly operationOf: OperationOf } }
);

/** No document that can be read begins so. */
const NORMALISED = '\0';
const NOTHING_NORMALISED: NormalisedText = { key: '', literals: [] };
const NO_VALUES: ParameterValues = {};

function createOperations(schema: GraphQLSchema, document: DocumentNode): OperationOf {
  const operations = new Map<OperationDefinitionNode, CompiledOperation>();
  return (definition) => {
    const operation = operations.get(definition) ?? new CompiledOperation(schema, document, definition);
    operations.set(definition, operation);
    return operation;
  };
}

/** D2: the tokens are counted before anything is made of them. */
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
    // An error of the parser may come before what the lexer cannot read.
    const read = parseWhole(text);
    return 'refusal' in read ? read : { refusal: refusalOf('GRAPHQL_PARSE_FAILED', [thrown]) };
  }
}

/** Where it is worth counting on for the figure in the refusal. */
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
 * Throws GraphQLError. Each error of graphql-js counts the lines before all of its nodes anew: 0.15 s for 20 errors after
 * 250,000 lines. Once parsed, the source has no text to count in: `refusal.ts` takes the lines from the tokens.
 */
function parseWithoutText(text: string): DocumentNode {
  const source = new Source(text);
  const document = parse(source, { maxTokens: MAX_TOKENS });
  source.body = '';
  return document;
}

function readWhole(schema: GraphQLSchema, text: string): DocumentNode | { readonly refusal: Refusal } {
  const parsed = parseWhole(text);
  if ('refusal' in parsed) return parsed;
  const wrong = validate(schema, parsed, RULES, MAX_ERRORS);
  const errors = wrong.length === 0 ? overlapErrors(schema, parsed) : wrong;
  return errors.length === 0 ? parsed : { refusal: refusalOf('GRAPHQL_VALIDATION_FAILED', errors) };
}

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

const RULES = [
  ...specifiedRules.filter(
    (rule) => rule !== OverlappingFieldsCanBeMergedRule && rule !== KnownArgumentNamesRule,
  ),
  knownArgumentNames,
  knownOperationTypes,
];

/** Measured: what documents of list pages take together with all that is compiled of them. */
const BYTES_PER_DOCUMENT = 3_000;
const BYTES_PER_TOKEN = 600;
const BYTES_PER_NORMALISED_TOKEN = 300;

function bytesOf(text: string, tokens: number, read: ReadDocument): number {
  const refusal = 'refusal' in read ? 2 * JSON.stringify(read.refusal.errors).length : 0;
  const compiled = 'refusal' in read ? 0 : BYTES_PER_DOCUMENT;
  return 200 + 2 * text.length + tokens * BYTES_PER_TOKEN + compiled + refusal;
}

// D2: whether fields of one response name can be merged, in time that grows with the document. graphql-js compares each field of a
// selection set with every other of its name, and what is below the one with what is below the other: 390 times `venue { id }` took
// 203 ms. Repeats are made one field first, which changes nothing of the verdict.

/** `valid`: by every other rule. Errors show the first fields that cannot be merged, where they stand in the document. */
export function overlapErrors(schema: GraphQLSchema, valid: DocumentNode): readonly GraphQLError[] {
  // Below an interface or a union, what an inline fragment selects need not meet what stands beside it.
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
  /** Below each of its repeats. */
  readonly below: SelectionSetNode[];
}

/** Fields of one response name in one selection set, by what has to be the same for them to be merged. */
type Namesakes = Map<string, Repeated>;

/** A second one that cannot be merged decides the verdict; more would only be found as well. */
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
  const key = `${name.value} ${argumentsText(given)}`;
  const known = namesakes.get(key);
  const below = selectionSet === undefined ? [] : [selectionSet];
  if (known !== undefined) known.below.push(...below);
  else if (namesakes.size < MOST_NAMESAKES) namesakes.set(key, { field, below });
}

/** The same for arguments that the rule takes for equal: whatever the order of names, and of the fields of objects. */
function argumentsText(given: readonly ArgumentNode[]): string {
  return sortedText(given.map(({ name, value }) => [name.value, valueText(value)]));
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
