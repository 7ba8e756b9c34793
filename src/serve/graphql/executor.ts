/**
 * What the projection does not cover: introspection, which graphql-js executes, and root fields that failed. The
 * bytes are those that graphql-js would give for the whole.
 */

import {
  type DocumentNode,
  type ExecutionResult,
  execute,
  type FieldNode,
  type GraphQLError,
  type GraphQLFormattedError,
  getOperationAST,
  isNonNullType,
  Kind,
  locatedError,
  type OperationDefinitionNode,
} from 'graphql';
import { isCalendarError } from '../../calendar/errors.ts';
import { compileOperation } from './compile.ts';
import type { Variables } from './project.ts';
import { type Mask, presentErrors, refusalFor } from './refusal.ts';
import type { Loaded } from './roots.ts';
import { schema } from './schema.ts';

/** The parameters of a request; only their form is checked. */
export interface Parameters {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly operationName: string | undefined;
}

/** The operation as the client sent it. */
export interface SentOperation extends Parameters {
  readonly document: DocumentNode;
}

/** The root fields that the projection does not cover. */
export interface Executed {
  /** JSON by response key; null for errors without any data. */
  readonly roots: ReadonlyMap<string, string> | null;
  /** Undefined when there are none. */
  readonly errors: readonly GraphQLFormattedError[] | undefined;
}

interface Rest {
  readonly sent: SentOperation;
  readonly values: Variables;
  readonly roots: readonly Loaded[];
}

/** The root fields that the projection does not cover. */
export async function executeRest({ sent, values, roots }: Rest, mask: Mask): Promise<Executed> {
  const interrupted = roots.map(({ outcome }) => outcome).find(isInterrupted);
  if (interrupted !== undefined) return { roots: null, errors: refusalFor(interrupted.reason, mask).errors };
  const { document } = sent;
  const definition = getOperationAST(document, sent.operationName);
  if (!definition) throw new Error(`expected an operation named ${sent.operationName}, found none`);
  const { selected } = compileOperation({ schema, document, definition }, values);
  if ('code' in selected) throw new Error(`expected an operation that compiles, found ${selected.code}`);
  const nodes = new Map(selected.roots.map((root) => [root.key, root.nodes]));
  const introspected = roots.filter(({ outcome }) => outcome.status === 'fulfilled');
  const selections = introspected.flatMap(({ key }) => nodes.get(key) ?? []);
  const { data, errors: wrong = [] } = await introspect(sent, definition, selections);
  const json = new Map(Object.entries(data ?? {}).map(([key, value]) => [key, JSON.stringify(value)]));
  const errors: GraphQLError[] = [...wrong];
  for (const { key, name, outcome } of roots) {
    if (outcome.status === 'fulfilled') continue;
    errors.push(locatedError(outcome.reason, nodes.get(key), [key]));
    const type = schema.getQueryType()?.getFields()[name]?.type;
    if (isNonNullType(type)) return { roots: null, errors: presentErrors(errors, mask) };
    json.set(key, 'null');
  }
  return { roots: json, errors: errors.length === 0 ? undefined : presentErrors(errors, mask) };
}

/** D2: if a statement took too long, the answer has no data at all. */
function isInterrupted(outcome: PromiseSettledResult<unknown>): outcome is PromiseRejectedResult {
  return (
    outcome.status === 'rejected' && isCalendarError(outcome.reason) && outcome.reason.code === 'TIMEOUT'
  );
}

/** Executes the document as it was sent, reduced to these root fields. */
async function introspect(
  { document, operationName, variables }: SentOperation,
  definition: OperationDefinitionNode,
  selections: readonly FieldNode[],
): Promise<ExecutionResult> {
  if (selections.length === 0) return {};
  const reduced = { ...definition, selectionSet: { kind: Kind.SELECTION_SET, selections } as const };
  const definitions = document.definitions.map((one) => (one === definition ? reduced : one));
  return execute({
    schema,
    document: { ...document, definitions },
    operationName: operationName ?? null,
    variableValues: variables,
  });
}
