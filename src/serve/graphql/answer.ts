/** From the parameters of a GraphQL request to its answer, or to the refusal that the client gets. */
import {
  type GraphQLSchema,
  getOperationAST,
  type OperationDefinitionNode,
  type VariableDefinitionNode,
} from 'graphql';
import type { Snapshot } from '../../snapshot/open.ts';
import { type CompiledOperation, createCompile } from './compile.ts';
import { refusalOfCost } from './cost.ts';
import {
  createDocuments,
  type DocumentsOptions,
  type ReadDocument,
  type ValidDocument,
} from './documents.ts';
import { type Parameters, processWithHelix } from './helix.ts';
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

interface AnswerOptions extends DocumentsOptions {
  readonly schema: GraphQLSchema;
  readonly execute: Execute;
}

export function createAnswer({ schema, execute, ...options }: AnswerOptions): AnswerRequest {
  const documents = createDocuments(schema, options);
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
    const values = { ...coerced, ...document.values };
    const compiled = compile(document.document, node, values);
    if ('code' in compiled) return compiled;
    // What is spread comes last, here and below: see helix.ts.
    const sent = { document: document.asSent, ...parameters };
    return refusalOfCost(compiled.cost, values) ?? { compiled, values, sent };
  };

  return (parameters, moment) => {
    let found: ReadDocument;
    return processWithHelix<Refusal, Answered | Refusal>(parameters, {
      schema,
      read: (text) => {
        found = documents.read(text);
        return found;
      },
      refuseChoice: () => refuseChoice(parameters),
      execute: async (node) => {
        if ('refusal' in found) return found.refusal;
        const operation = operationOf(found, node, parameters);
        if ('code' in operation) return operation;
        const at = moment();
        if (at === undefined) return UNAVAILABLE;
        const answer = await execute(operation, at);
        return { operationName: node.name?.value, rootField: operation.compiled.rootField, ...answer };
      },
    });
  };
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
