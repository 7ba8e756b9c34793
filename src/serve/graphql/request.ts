/**
 * Executes a GraphQL request: from its parameters to its result, or to a refusal. graphql-helix, which no other file imports, finds the
 * operation; this service reads, validates and executes it.
 */
import type { DocumentNode, GraphQLSchema, OperationDefinitionNode } from 'graphql';
import { processRequest } from 'graphql-helix';
import { createDocuments, type Documents } from './documents.ts';
import type { AnswerBasis, Execute, Result } from './execute.ts';
import type { Operation, Parameters } from './operation.ts';
import { NOT_OPEN, type Refusal, Refused, refuse } from './refusal.ts';

interface RequestResult extends Result {
  readonly operationName: string | undefined;
  /** For metrics: the name of its root field, or `several`: never a text of the client's. */
  readonly rootField: string;
}

/** `basis` is called once the request has proved valid; it returns undefined while there is no snapshot. */
export type ExecuteRequest = (
  parameters: Parameters,
  basis: () => AnswerBasis | undefined,
) => Promise<RequestResult | Refusal>;

interface RequestOptions {
  readonly schema: GraphQLSchema;
  readonly execute: Execute;
  readonly documents?: Pick<Documents, 'read'>;
}

/** The returned function rejects with any unexpected error of reading and executing. */
export function createExecuteRequest(options: RequestOptions): ExecuteRequest {
  const { schema, execute, documents = createDocuments(schema) } = options;
  return async (parameters, basis) => {
    const found = documents.read(parameters.query);
    if ('refusal' in found) return found.refusal;
    const definition = await operationIn(found.document, schema, parameters);
    if (definition === null)
      return parameters.operationName === undefined ? SEVERAL_OPERATIONS : UNKNOWN_NAME;
    let operation: Operation;
    try {
      operation = found.operationOf(definition).prepare(parameters);
    } catch (thrown) {
      if (thrown instanceof Refused) return thrown.refusal;
      throw thrown;
    }
    const at = basis();
    if (at === undefined) return UNAVAILABLE;
    const names = new Set(operation.roots.map(({ name }) => name));
    const [rootField = SEVERAL] = names.size === 1 ? names : [];
    return { operationName: definition.name?.value, rootField, ...(await execute(operation, at)) };
  };
}

/** Null if helix finds no operation. A valid document has one: so it has several, or none of this name. */
async function operationIn(
  query: DocumentNode,
  schema: GraphQLSchema,
  { variables, operationName }: Parameters,
): Promise<OperationDefinitionNode | null> {
  let found: OperationDefinitionNode | null = null;
  await processRequest<OperationDefinitionNode, unknown>({
    schema,
    query,
    variables,
    request: REQUEST,
    ...(operationName !== undefined && { operationName }),
    // A document is validated when it is read, and its verdict is cached.
    validate: () => [],
    contextFactory: ({ operation }) => operation,
    execute: ({ contextValue }: { readonly contextValue: OperationDefinitionNode }) => {
      found = contextValue;
      return {};
    },
  });
  return found;
}

export function isRefusal<Value extends object>(value: Value | Refusal): value is Refusal {
  return 'code' in value;
}

/** Helix negotiates protocols by the request; here that is done before it is called. */
const REQUEST = { method: 'POST', headers: { accept: 'application/json' }, query: {} };
const UNAVAILABLE = refuse('SERVICE_UNAVAILABLE', NOT_OPEN);
const SEVERAL = 'several';
const SEVERAL_OPERATIONS = refuse(
  'BAD_REQUEST',
  'The document has several operations: "operationName" must name one.',
);
const UNKNOWN_NAME = refuse(
  'BAD_REQUEST',
  'The document has no operation of the name that "operationName" gives.',
);
