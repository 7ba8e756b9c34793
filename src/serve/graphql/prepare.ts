/** From the parameters of a request to an operation that may run, or to the refusal that the client gets. */
import {
  type DocumentNode,
  type GraphQLSchema,
  getVariableValues,
  Kind,
  type OperationDefinitionNode,
} from 'graphql';
import type { Operation } from './answer.ts';
import { createDocuments, type DocumentsOptions } from './documents.ts';
import { createLimits } from './limits.ts';
import { type Refusal, refusalOf, refuse } from './refusal.ts';
import { rootFieldOf } from './root-field.ts';

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
  const checkLimits = createLimits(schema);
  return ({ query, variables, operationName }) => {
    const read = documents.read(query);
    if ('refusal' in read) return read.refusal;
    const { document, pattern } = read;
    const chosen = chooseOperation(document, operationName);
    if ('code' in chosen) return chosen;
    const values = getVariableValues(schema, chosen.variableDefinitions ?? [], variables, MAX_ERRORS);
    if (values.errors !== undefined) return refusalOf('GRAPHQL_VALIDATION_FAILED', values.errors);
    const refusal = checkLimits(document, chosen, values.coerced);
    if (refusal !== undefined) return refusal;
    return {
      operation: { key: query, document, pattern, operationName, variables, values: values.coerced },
      name: chosen.name?.value,
      rootField: rootFieldOf(document, chosen),
    };
  };
}

export function isRefusal(value: Parameters | Prepared | Refusal): value is Refusal {
  return 'code' in value;
}

const MAX_ERRORS = { maxErrors: 20 };

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
