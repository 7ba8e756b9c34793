/**
 * Requests, from their parameters to a result or a refusal. graphql-helix, which no other file imports, takes each through four steps, and
 * this file provides all of them:
 *
 * 1. `parse` reads the document and its faults, or takes them from the cache.
 * 2. `validate` returns the faults.
 * 3. `contextFactory` passes on the operation, which helix has chosen from the document by its name.
 * 4. `execute` reads the operation with its variables, and executes it.
 *
 * Helix's payload is what `execute` returns, or the errors of the first step that fails.
 */
import type { GraphQLSchema, OperationDefinitionNode } from 'graphql';
import { processRequest } from 'graphql-helix';
import type { Execute, ExecuteRequest, RequestResult, Result } from './answer.ts';
import { createDocuments, type Documents, type ReadDocument } from './documents.ts';
import { createOperationReader } from './operation.ts';
import { Refused, refuse } from './refusal.ts';
import type { Operation } from './selection.ts';

interface RequestOptions {
  readonly schema: GraphQLSchema;
  readonly execute: Execute;
  readonly documents?: Pick<Documents, 'read'>;
}

/** The arguments that helix passes to `execute`. Its context carries the operation, which it chooses from the document. */
interface Executed {
  readonly document: ReadDocument;
  readonly contextValue: OperationDefinitionNode;
}

/** The returned function rejects with any unexpected error of reading and executing. */
export function createExecuteRequest(options: RequestOptions): ExecuteRequest {
  const { schema, execute, documents = createDocuments(schema) } = options;
  const readOperation = createOperationReader(schema);
  return async (parameters, pinBasis) => {
    const { query, variables, operationName } = parameters;
    const executeOperation = async ({ document: read, contextValue: definition }: Executed) => {
      const chosen = readOperation(read, definition, parameters);
      return withNames(await execute(chosen, pinBasis()), chosen);
    };
    const named = operationName === undefined ? {} : { operationName };
    const response = await processRequest<OperationDefinitionNode, unknown>({
      schema,
      query,
      variables,
      ...named,
      request: REQUEST,
      contextFactory: (context) => context.operation,
      parse: documents.read,
      validate: (_schema: GraphQLSchema, { faults }: ReadDocument) => faults,
      // Helix would format a thrown error and drop its cause.
      execute: (given: Executed) =>
        executeOperation(given).catch((thrown: unknown) => ({ errors: [thrown] })),
    });
    const payload = payloadOf(response);
    if ('body' in payload) return payload;
    const [error] = payload.errors;
    if (error instanceof Refused) return error.refusal;
    const { document, operation } = response;
    if (document === undefined || operation !== undefined) throw error;
    // Helix found no operation in a valid document, which has one: so it has several, or none of this name.
    return operationName === undefined ? SEVERAL_OPERATIONS : UNKNOWN_NAME;
  };
}

/** Helix negotiates protocols by the headers; here that is done before it is called. */
const REQUEST = { method: 'POST', headers: {}, query: {} };

type Payload = RequestResult | { readonly errors: readonly unknown[] };

function payloadOf(response: Awaited<ReturnType<typeof processRequest>>): Payload {
  if (response.type !== 'RESPONSE') throw new Error(`expected one response, found ${response.type}`);
  // Helix's types know no other payload than that of graphql-js.
  return response.payload as unknown as Payload;
}

function withNames(result: Result, { roots, sent }: Operation): RequestResult {
  const names = new Set(roots.map(({ name }) => name));
  const [rootField = SEVERAL] = names.size === 1 ? names : [];
  return { operationName: sent.definition.name?.value, rootField, ...result };
}

const SEVERAL = 'several';
const SEVERAL_OPERATIONS = refuse(
  'BAD_REQUEST',
  'The document has several operations: "operationName" must name one.',
);
const UNKNOWN_NAME = refuse('BAD_REQUEST', 'The document has no operation with the name in "operationName".');
