/**
 * Lets graphql-js execute what the projection does not cover (introspection, and root fields that failed) over the loaded data. The bytes
 * are those that graphql-js would give for the whole.
 */
import {
  type DocumentNode,
  type ExecutionResult,
  execute,
  type FieldNode,
  type GraphQLFormattedError,
  getOperationAST,
  Kind,
} from 'graphql';
import { isCalendarError } from '../../calendar/errors.ts';
import { compileOperation } from './compile.ts';
import type { Variables } from './project.ts';
import { type Mask, presentErrors, refusalFor } from './refusal.ts';
import type { Loaded, Outcomes } from './roots.ts';
import { schema } from './schema.ts';

/** The parameters of a request; only their form is checked. */
export interface Parameters {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly operationName: string | undefined;
}

/** The operation as the client sent it. */
export interface SentOperation extends Parameters {
  readonly document: () => DocumentNode;
}

/** The result of graphql-js. */
export interface Executed {
  /** JSON by response key. */
  readonly roots: ReadonlyMap<string, string>;
  /** Undefined when there are none. */
  readonly errors: readonly GraphQLFormattedError[] | undefined;
}

/** Errors without any data. */
interface Dataless {
  readonly errors: readonly GraphQLFormattedError[];
}

export function isDataless(executed: Executed | Dataless): executed is Dataless {
  return !('roots' in executed);
}

interface Rest {
  readonly sent: SentOperation;
  readonly values: Variables;
  readonly roots: readonly Loaded[];
  /** Whether graphql-js has to answer the root field. */
  readonly isLeft: (root: Loaded) => boolean;
}

export async function executeRest(
  { sent, values, roots, isLeft }: Rest,
  mask: Mask,
): Promise<Executed | Dataless> {
  const interrupted = roots.map(({ outcome }) => outcome).find(isInterrupted);
  if (interrupted !== undefined) return { errors: refusalFor(interrupted.reason, mask).errors };
  const left = new Set(roots.filter(isLeft).map(({ key }) => key));
  const outcomes: Outcomes = new Map(
    roots.map(({ key, outcome }) => [
      key,
      () => {
        if (outcome.status === 'rejected') throw outcome.reason;
        return outcome.value?.follow();
      },
    ]),
  );
  const { data, errors = [] }: ExecutionResult = await execute({
    schema,
    document: documentOf(sent, values, left),
    operationName: sent.operationName ?? null,
    variableValues: sent.variables,
    contextValue: outcomes,
  });
  const presented = errors.length === 0 ? undefined : presentErrors(errors, mask);
  if (!data) return { errors: presented ?? [] };
  const json = new Map(Object.entries(data).map(([key, value]) => [key, JSON.stringify(value)]));
  return { roots: json, errors: presented };
}

/** D2: if a statement took too long, the answer has no data at all. */
function isInterrupted(outcome: PromiseSettledResult<unknown>): outcome is PromiseRejectedResult {
  return (
    outcome.status === 'rejected' && isCalendarError(outcome.reason) && outcome.reason.code === 'TIMEOUT'
  );
}

/** The document as it was sent, reduced to some of its root fields. */
function documentOf(sent: SentOperation, values: Variables, keys: ReadonlySet<string>): DocumentNode {
  const document = sent.document();
  const definition = getOperationAST(document, sent.operationName);
  if (!definition) throw new Error(`expected an operation named ${sent.operationName}, found none`);
  const { selected } = compileOperation({ schema, document, definition }, values);
  if ('code' in selected) throw new Error(`expected an operation that compiles, found ${selected.code}`);
  const selections: FieldNode[] = selected.roots.flatMap(({ key, nodes }) => (keys.has(key) ? nodes : []));
  const reduced = { ...definition, selectionSet: { kind: Kind.SELECTION_SET, selections } as const };
  return {
    ...document,
    definitions: document.definitions.map((one) => (one === definition ? reduced : one)),
  };
}
