/** An operation as it was sent, and what it selects. `operation.ts` reads it; the files that answer it share these types. */
import type { DocumentNode, FieldNode, OperationDefinitionNode } from 'graphql';

/** The parameters of a request; only their form is checked. */
export interface Parameters {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly operationName: string | undefined;
}

/** An operation that may run: valid, with coerced variables. */
export interface Operation {
  readonly roots: readonly RootField[];
  readonly values: Variables;
  readonly sent: SentOperation;
}

/** An operation as the client sent it. */
export interface SentOperation extends Pick<Parameters, 'query' | 'variables'> {
  readonly document: DocumentNode;
  readonly definition: OperationDefinitionNode;
}

/** Coerced values of an operation's variables. */
export type Variables = Readonly<Record<string, unknown>>;

/** Fields selected of an object, in the order of the answer. Equal selections of an operation are one list. */
export type Selections = readonly SelectedField[];

export interface SelectedField {
  /** Alias or name. */
  readonly key: string;
  readonly name: string;
  /** Selected fields of the objects that it leads to; empty for a leaf. */
  readonly selections: Selections;
  /** C4: the argument `first`, as it was sent. */
  readonly first?: unknown;
}

/** A selected root field. */
export interface RootField extends SelectedField {
  /** Its occurrences in the document, which have equal arguments. */
  readonly nodes: Nodes;
}

/** Nodes of one response key, which validation found to be mergeable. */
export type Nodes = readonly [FieldNode, ...FieldNode[]];
