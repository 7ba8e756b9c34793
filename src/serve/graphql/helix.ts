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

/**
 * Rejects with whatever `read` and `execute` throw.
 *
 * Helix would put what came of an operation into words, and into an object, of its own, which nobody reads. It is made as
 * `{ ...result, context }`: V8 (Node 20) lets such objects outlive their scavenge, and with each 2 KB of what it leads to,
 * until the next full collection. So helix waits for an execution that does not end, and its wait is collected.
 */
export function processWithHelix<Refusal, Outcome>(
  { query, variables, operationName }: Parameters,
  { schema, read, refuseChoice, execute }: Steps<Refusal, Outcome>,
): Promise<Refusal | Outcome> {
  return new Promise((resolve, reject) => {
    processRequest({
      schema,
      query,
      variables,
      request: REQUEST,
      ...(operationName !== undefined && { operationName }),
      parse: (text) => {
        try {
          const found = read(text as string);
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
      execute: ({ contextValue, document }) => {
        execute(contextValue as OperationDefinitionNode, document).then(resolve, reject);
        return new Promise<never>(() => {});
      },
    }).then(() => resolve(refuseChoice()), reject);
  });
}

/** Helix wants a request to choose protocols by: ours are chosen before it is called. */
const REQUEST = { method: 'POST', headers: { accept: 'application/json' }, query: {} };

const STOP = new Error('the document is refused');
const NO_ERRORS: readonly never[] = [];
