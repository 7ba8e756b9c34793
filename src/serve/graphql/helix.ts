/**
 * The ordinary executor: graphql-helix, which no other file imports. It gets a document that is already parsed and
 * validated, so that nothing is done twice, and only its execution is used: what it makes of errors is not ours.
 */
import type { ExecutionResult, GraphQLSchema } from 'graphql';
import { processRequest } from 'graphql-helix';
import type { Operation } from './answer.ts';

/** `context` is what resolvers get as their third argument. */
export async function executeWithHelix(
  schema: GraphQLSchema,
  operation: Operation,
  context: unknown,
): Promise<ExecutionResult> {
  const result = await processRequest({
    schema,
    query: operation.document(),
    validate: alreadyValid,
    ...(operation.operationName !== undefined && { operationName: operation.operationName }),
    variables: operation.variables,
    request: REQUEST,
    contextFactory: () => context,
  });
  if (result.type !== 'RESPONSE')
    throw new Error(`expected helix to give one response, found ${result.type}`);
  if (result.status !== 200) {
    throw new Error(`expected helix to execute, found status ${result.status}`, { cause: result.payload });
  }
  return result.payload;
}

/** Helix wants a request to choose protocols by: ours are chosen before it is called. */
const REQUEST = { method: 'POST', headers: { accept: 'application/json' }, query: {} };

const NO_ERRORS: readonly never[] = [];
const alreadyValid = () => NO_ERRORS;
