/**
 * From the parameters of a GraphQL request to its answer, or to the refusal that the client gets. graphql-helix, which no
 * other file imports, takes each operation from its text to its outcome, by a parser, a validator and an executor of ours.
 */
import {
  type GraphQLSchema,
  getOperationAST,
  type OperationDefinitionNode,
  type VariableDefinitionNode,
} from 'graphql';
import { processRequest } from 'graphql-helix';
import type { Snapshot } from '../../snapshot/open.ts';
import { type CompiledOperation, createCompile } from './compile.ts';
import { refusalOfCost } from './cost.ts';
import { createDocuments, type ReadDocument, type ValidDocument } from './documents.ts';
import type { Variables } from './project.ts';
import { NOT_OPEN, type Refusal, refusalOf, refuse } from './refusal.ts';
import { createCoerceVariables } from './variables.ts';

/** What one GraphQL request is answered from: fixed when the request arrives (A3, C3, H5). */
export interface Moment {
  readonly snapshot: Snapshot;
  /** Whole seconds. */
  readonly now: number;
}

/** One operation that may run: valid, within the limits (D2), its variables coerced. */
export interface Operation {
  readonly compiled: CompiledOperation;
  /** Coerced variables, and parameters for the literals of its document. */
  readonly values: Variables;
  readonly sent: SentOperation;
}

/** The operation as the client sent it. */
export interface SentOperation extends Parameters {
  readonly document: ValidDocument['asSent'];
}

export interface Answer {
  /** JSON text, as UTF-8, of `{"data":…}` or `{"data":…,"errors":[…]}`: `data` comes first, and there are no extensions. */
  readonly body: Buffer;
  /** Whether there is an `errors` list. */
  readonly failed: boolean;
  /** B12: whether it may be another one at midnight. */
  readonly dependsOnDay: boolean;
}

/** Rejects for what nobody foresaw, and with CalendarErrors of the answer as a whole. */
export type Execute = (operation: Operation, moment: Moment) => Promise<Answer>;

export interface Answered extends Answer {
  readonly operationName: string | undefined;
  /** For counting: the name of its root field, or `several`. */
  readonly rootField: string;
}

/** `moment` is asked for once the request is known to be right; undefined while there is no snapshot. */
export type AnswerRequest = (
  parameters: Parameters,
  moment: () => Moment | undefined,
) => Promise<Answered | Refusal>;

interface AnswerOptions {
  readonly schema: GraphQLSchema;
  readonly execute: Execute;
}

export function createAnswer({ schema, execute }: AnswerOptions): AnswerRequest {
  const documents = createDocuments(schema);
  const coerceVariables = createCoerceVariables(schema);
  const compile = createCompile(schema);

  const operationOf = (
    document: ValidDocument,
    node: OperationDefinitionNode,
    parameters: Parameters,
  ): Operation | Refusal => {
    const { variables, operationName } = parameters;
    const { coerced, errors } = coerceVariables(node.variableDefinitions ?? NONE, variables);
    if (errors !== undefined) {
      // Once more with the document as it was sent: only there do the definitions have a place.
      const definitions = getOperationAST(document.asSent(), operationName)?.variableDefinitions;
      const located = coerceVariables(definitions ?? NONE, variables).errors ?? errors;
      return refusalOf('GRAPHQL_VALIDATION_FAILED', located);
    }
    // Not by two spreads: see processWithHelix.
    const values: Variables = Object.assign({}, coerced, document.values);
    const compiled = compile(document.document, node, values);
    if ('code' in compiled) return compiled;
    // What is spread comes last, here and below: see processWithHelix.
    const sent = { document: document.asSent, ...parameters };
    return refusalOfCost(compiled.cost, values) ?? { compiled, values, sent };
  };

  return (parameters, moment) =>
    processWithHelix(parameters, {
      schema,
      read: documents.read,
      execute: async (document, node) => {
        const operation = operationOf(document, node, parameters);
        if ('code' in operation) return operation;
        const at = moment();
        if (at === undefined) return UNAVAILABLE;
        const answer = await execute(operation, at);
        return { operationName: node.name?.value, rootField: operation.compiled.rootField, ...answer };
      },
    });
}

export function isRefusal<Value extends object>(value: Value | Refusal): value is Refusal {
  return 'code' in value;
}

const NONE: readonly VariableDefinitionNode[] = [];

const UNAVAILABLE = refuse('SERVICE_UNAVAILABLE', NOT_OPEN);

/** A valid document has an operation: so there are several, or none of the name. */
function refuseChoice({ operationName }: Parameters): Refusal {
  return refuse('BAD_REQUEST', operationName === undefined ? SEVERAL_OPERATIONS : UNKNOWN_NAME);
}

const SEVERAL_OPERATIONS = 'The document has several operations: "operationName" must name one.';
const UNKNOWN_NAME = 'The document has no operation of the name that "operationName" gives.';

/** What a client sends, checked for its form only. */
export interface Parameters {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly operationName: string | undefined;
}

interface Steps {
  readonly schema: GraphQLSchema;
  /** Reads and validates: a document that is refused goes no further. */
  readonly read: (text: string) => ReadDocument;
  readonly execute: (
    document: ValidDocument,
    operation: OperationDefinitionNode,
  ) => Promise<Answered | Refusal>;
}

/**
 * Rejects with whatever `read` and `execute` throw.
 *
 * Helix would put what came of an operation into words, and into an object, of its own, which nobody reads. It is made as
 * `{ ...result, context }`: V8 (Node 20) lets such objects outlive their scavenge, and with each 2 KB of what it leads to,
 * until the next full collection. So helix waits for an execution that does not end, and its wait is collected.
 */
function processWithHelix(
  parameters: Parameters,
  { schema, read, execute }: Steps,
): Promise<Answered | Refusal> {
  const { query, variables, operationName } = parameters;
  let found: ReadDocument;
  return new Promise((resolve, reject) => {
    processRequest({
      schema,
      query,
      variables,
      request: REQUEST,
      ...(operationName !== undefined && { operationName }),
      parse: (text) => {
        try {
          found = read(text as string);
          if ('document' in found) return found.document;
          resolve(found.refusal);
        } catch (thrown) {
          reject(thrown);
        }
        throw STOP;
      },
      // A document is validated when it is read, and its verdict is remembered.
      validate: () => NO_ERRORS,
      contextFactory: ({ operation }) => operation,
      execute: ({ contextValue }) => {
        if ('document' in found)
          execute(found, contextValue as OperationDefinitionNode).then(resolve, reject);
        return new Promise<never>(() => {});
      },
    }).then(() => resolve(refuseChoice(parameters)), reject);
  });
}

/** Helix wants a request to choose protocols by: ours are chosen before it is called. */
const REQUEST = { method: 'POST', headers: { accept: 'application/json' }, query: {} };

const STOP = new Error('the document is refused');
const NO_ERRORS: readonly never[] = [];
