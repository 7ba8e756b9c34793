/** From the parameters of a request to an operation that may run, or to the refusal that the client gets. */
import {
  type DocumentNode,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  type VariableDefinitionNode,
} from 'graphql';
import type { Operation } from './answer.ts';
import { createDocuments, type DocumentsOptions } from './documents.ts';
import { createLimits } from './limits.ts';
import { type Refusal, refusalOf, refuse } from './refusal.ts';
import { rootFieldOf } from './root-field.ts';
import { createCoerceVariables } from './variables.ts';

/** What a client sends, checked for its form only. */
export interface Parameters {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly operationName: string | undefined;
}

export interface Prepared {
  readonly operation: Operation;
  /** Of the operation that was chosen; undefined when it has none. */
  readonly name: string | undefined;
  readonly rootField: string;
}

export type Prepare = (parameters: Parameters) => Prepared | Refusal;

export function createPrepare(schema: GraphQLSchema, options: DocumentsOptions = {}): Prepare {
  const documents = createDocuments(schema, options);
  const coerceVariables = createCoerceVariables(schema);
  const checkLimits = createLimits(schema);
  return ({ query, variables, operationName }) => {
    const read = documents.read(query);
    if ('refusal' in read) return read.refusal;
    const { pattern } = read;
    const { document } = pattern;
    const chosen = chooseOperation(document, operationName);
    if ('code' in chosen) return chosen;
    const values = coerceVariables(chosen.variableDefinitions ?? NONE, variables);
    if (values.errors !== undefined) {
      // Once more with the document as it was sent: only there do the definitions have a place.
      const sent = chooseOperation(read.document(), operationName);
      const definitions = 'code' in sent ? undefined : sent.variableDefinitions;
      const { errors = values.errors } = coerceVariables(definitions ?? NONE, variables);
      return refusalOf('GRAPHQL_VALIDATION_FAILED', errors);
    }
    const all = { ...values.coerced, ...read.values };
    const refusal = checkLimits(document, chosen, all);
    if (refusal !== undefined) return refusal;
    return {
      operation: { text: query, document: read.document, pattern, operationName, variables, values: all },
      name: chosen.name?.value,
      rootField: rootFieldOf(document, chosen),
    };
  };
}

export function isRefusal(value: Parameters | Prepared | Refusal): value is Refusal {
  return 'code' in value;
}

const NONE: readonly VariableDefinitionNode[] = [];

function chooseOperation(
  document: DocumentNode,
  name: string | undefined,
): OperationDefinitionNode | Refusal {
  const operations = document.definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION);
  const [first, second] =
    name === undefined ? operations : operations.filter((node) => node.name?.value === name);
  if (first !== undefined && second === undefined) return first;
  if (second !== undefined) {
    return refuse('BAD_REQUEST', 'The document has several operations: "operationName" must name one.');
  }
  return refuse('BAD_REQUEST', name === undefined ? 'The document has no operation.' : UNKNOWN_NAME);
}

const UNKNOWN_NAME = 'The document has no operation of the name that "operationName" gives.';
