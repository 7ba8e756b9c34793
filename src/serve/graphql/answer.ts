/**
 * Turns the parameters of a GraphQL request into its answer, or into a refusal. graphql-helix, which no other file imports, takes each
 * operation from its text to its result, with this service's parser, validator and executor.
 */
import { GraphQLError, type GraphQLSchema, type OperationDefinitionNode } from 'graphql';
import { type ProcessRequestOptions, processRequest } from 'graphql-helix';
import { refusalOfCost } from './cost.ts';
import { createDocuments, type Documents, type ValidDocument } from './documents.ts';
import type { Parameters } from './executor.ts';
import type { Answer, AnswerBasis, Execute, Operation } from './operation.ts';
import { NOT_OPEN, type Refusal, refusalOf, refuse } from './refusal.ts';

export interface Answered extends Answer {
  readonly operationName: string | undefined;
  /** For metrics: the name of its root field, or `several`. */
  readonly rootField: string;
}

/** `basis` is called once the request has proved valid; it returns undefined while there is no snapshot. */
export type AnswerRequest = (
  parameters: Parameters,
  basis: () => AnswerBasis | undefined,
) => Promise<Answered | Refusal>;

interface AnswerOptions {
  readonly schema: GraphQLSchema;
  readonly execute: Execute;
  readonly documents?: Pick<Documents, 'read'>;
}

/** The returned function rejects with any unexpected error of reading and executing. */
export function createAnswer(options: AnswerOptions): AnswerRequest {
  const { schema, execute, documents = createDocuments(schema) } = options;
  return async (parameters, basis) => {
    const { query, variables, operationName } = parameters;
    let document: ValidDocument;
    const { payload } = await respond({
      schema,
      query,
      variables,
      request: REQUEST,
      ...(operationName !== undefined && { operationName }),
      parse: (text: string) => {
        const found = documents.read(text);
        if ('refusal' in found) throw new Refused(found.refusal);
        document = found;
        return document.document;
      },
      // A document is validated when it is read, and its verdict is cached.
      validate: () => NO_ERRORS,
      contextFactory: ({ operation }) => operation,
      execute: async ({ contextValue }: { readonly contextValue: OperationDefinitionNode }) => {
        try {
          const operation = prepare(document, contextValue, parameters);
          const at = basis();
          if (at === undefined) throw new Refused(UNAVAILABLE);
          const answer = await execute(operation, at);
          const { rootField } = operation.compiled;
          return { operationName: contextValue.name?.value, rootField, ...answer };
        } catch (thrown) {
          throw thrown instanceof Refused ? thrown : new Failed(thrown);
        }
      },
    });
    return 'body' in payload ? payload : refusalIn(payload, parameters);
  };
}

export function isRefusal<Value extends object>(value: Value | Refusal): value is Refusal {
  return 'code' in value;
}

/** Helix negotiates protocols by the request; here that is done before it is called. */
const REQUEST = { method: 'POST', headers: { accept: 'application/json' }, query: {} };
const NO_ERRORS: readonly never[] = [];
const UNAVAILABLE = refuse('SERVICE_UNAVAILABLE', NOT_OPEN);

/** Helix passes on the executor's result, or the errors of its own steps. */
interface Response {
  readonly payload: Answered | { readonly errors?: readonly Error[] };
}

async function respond(options: ProcessRequestOptions<unknown, unknown>): Promise<Response> {
  const result = await processRequest(options);
  if (result.type !== 'RESPONSE') throw new Error(`expected one response, found ${result.type}`);
  return result;
}

/** GraphQL errors pass through helix unchanged. */
class Refused extends GraphQLError {
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(refusal.code);
    this.refusal = refusal;
  }
}

class Failed extends GraphQLError {
  readonly thrown: unknown;

  constructor(thrown: unknown) {
    super('failed');
    this.thrown = thrown;
  }
}

function refusalIn(
  { errors = [] }: { readonly errors?: readonly Error[] },
  { operationName }: Parameters,
): Refusal {
  const [error] = errors;
  if (error instanceof Refused) return error.refusal;
  if (error instanceof Failed) throw error.thrown;
  if (!(error instanceof GraphQLError)) throw error;
  // Helix found no operation. A valid document has one: so it has several, or none of this name.
  return refuse('BAD_REQUEST', operationName === undefined ? SEVERAL_OPERATIONS : UNKNOWN_NAME);
}

const SEVERAL_OPERATIONS = 'The document has several operations: "operationName" must name one.';
const UNKNOWN_NAME = 'The document has no operation of the name that "operationName" gives.';

/** Throws Refused. */
function prepare(
  { document, operationOf }: ValidDocument,
  definition: OperationDefinitionNode,
  parameters: Parameters,
): Operation {
  const compiled = operationOf(definition);
  const { coerced, errors } = compiled.coerce(parameters.variables);
  if (errors !== undefined) throw new Refused(refusalOf('GRAPHQL_VALIDATION_FAILED', errors));
  const selected = compiled.select(coerced);
  if ('code' in selected) throw new Refused(selected);
  const refusal = refusalOfCost(selected.cost, coerced);
  if (refusal !== undefined) throw new Refused(refusal);
  return { compiled: selected, values: coerced, sent: { document, ...parameters } };
}
