/**
 * graphql-helix, which no other file imports: it takes each operation from its text to its outcome, by a parser, a
 * validator and an executor of ours.
 */
import type { DocumentNode, GraphQLSchema, OperationDefinitionNode } from 'graphql';
import { processRequest } from 'graphql-helix';

/** What a client sends, checked for its form only. */
export interface Parameters {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly operationName: string | undefined;
}

interface Steps<Refusal, Outcome> {
  readonly schema: GraphQLSchema;
  /** Reads and validates: a document that is refused goes no further. */
  readonly read: (text: string) => { readonly document: DocumentNode } | { readonly refusal: Refusal };
  /** For an operation that `operationName` does not choose. */
  readonly refuseChoice: () => Refusal;
  readonly execute: (operation: OperationDefinitionNode, document: DocumentNode) => Promise<Outcome>;
}

/** Rejects with whatever `read` and `execute` throw. */
export async function processWithHelix<Refusal, Outcome>(
  { query, variables, operationName }: Parameters,
  { schema, read, refuseChoice, execute }: Steps<Refusal, Outcome>,
): Promise<Refusal | Outcome> {
  // Helix puts what is thrown into words of its own: so what ended an operation is kept beside it.
  let ended: Ended<Refusal | Outcome> | undefined;
  await processRequest({
    schema,
    query,
    variables,
    request: REQUEST,
    ...(operationName !== undefined && { operationName }),
    parse: (text) => {
      const found = attempt(() => read(text as string));
      if ('thrown' in found) ended = found;
      else if ('document' in found.value) return found.value.document;
      else ended = { value: found.value.refusal };
      throw STOP;
    },
    // A document is validated when it is read, and its verdict is remembered.
    validate: () => NO_ERRORS,
    contextFactory: ({ operation }) => operation,
    execute: async ({ contextValue, document }) => {
      ended = await execute(contextValue as OperationDefinitionNode, document).then(
        (value) => ({ value }),
        (thrown: unknown) => ({ thrown }),
      );
      return EXECUTED;
    },
  });
  if (ended === undefined) return refuseChoice();
  if ('thrown' in ended) throw ended.thrown;
  return ended.value;
}

type Ended<Value> = { readonly value: Value } | { readonly thrown: unknown };

function attempt<Value>(work: () => Value): Ended<Value> {
  try {
    return { value: work() };
  } catch (thrown) {
    return { thrown };
  }
}

/** Helix wants a request to choose protocols by: ours are chosen before it is called. */
const REQUEST = { method: 'POST', headers: { accept: 'application/json' }, query: {} };

const STOP = new Error('the document is refused');
const NO_ERRORS: readonly never[] = [];
const EXECUTED = {};
