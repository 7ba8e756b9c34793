/**
 * Executes GraphQL requests: from the parameters to the result, or to a refusal. graphql-helix, which no other file imports, finds the
 * operation; this service reads and validates its document, selects its root fields, counts what these hold, and writes them as JSON.
 */
import {
  type DocumentNode,
  type GraphQLError,
  type GraphQLFormattedError,
  type GraphQLSchema,
  isNonNullType,
  locatedError,
  type OperationDefinitionNode,
} from 'graphql';
import { processRequest } from 'graphql-helix';
import { CalendarError, type ErrorCode, isCalendarError } from '../../calendar/errors.ts';
import type { Snapshot } from '../../snapshot/open.ts';
import { nextTurn, type Reserve } from '../admission/admission.ts';
import type { Hint } from '../query/hints.ts';
import { viewAt } from '../query/view.ts';
import { createDocuments, type Documents } from './documents.ts';
import type { Operation, OperationRoot, Parameters } from './operation.ts';
import { Output, type SelectedValue, type Shared } from './project.ts';
import { type Mask, presentErrors, type Refusal, Refused, refusalFor, refuse } from './refusal.ts';
import { schema } from './schema.ts';

/**
 * The snapshot and second that one request is answered from, fixed when it arrives (A3, one clock a request; C3, one moment; H5, the
 * snapshot folder).
 */
export interface AnswerBasis {
  readonly snapshot: Snapshot;
  /** Seconds since 1970. */
  readonly now: number;
  /** D14, bounded together: called before the answer takes so many bytes more. */
  readonly reserve?: Reserve;
}

export interface Result {
  /**
   * JSON text, as UTF-8, of `{"data":…}` or `{"data":…,"errors":[…]}`: `data` comes first, and there are no extensions. A long one is in
   * slices.
   */
  readonly body: Buffer | readonly Buffer[];
  /** Whether there is an `errors` list. */
  readonly failed: boolean;
  /** B12, free and period: whether the answer may change at midnight. */
  readonly dependsOnDay: boolean;
  readonly hints?: readonly Hint[];
}

interface RequestResult extends Result {
  readonly operationName: string | undefined;
  /** For metrics: the name of its root field, or `several`: never a text of the client's. */
  readonly rootField: string;
}

/** `basis` is called once the request has proved valid; it throws SERVICE_UNAVAILABLE while there is no snapshot. */
export type ExecuteRequest = (
  parameters: Parameters,
  basis: () => AnswerBasis,
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
      operation = found.prepare(definition, parameters);
    } catch (thrown) {
      if (thrown instanceof Refused) return thrown.refusal;
      throw thrown;
    }
    const at = basis();
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
const SEVERAL = 'several';
const SEVERAL_OPERATIONS = refuse(
  'BAD_REQUEST',
  'The document has several operations: "operationName" must name one.',
);
const UNKNOWN_NAME = refuse(
  'BAD_REQUEST',
  'The document has no operation of the name that "operationName" gives.',
);

/** Rejects with unexpected errors, and with CalendarErrors that concern the whole answer. */
export type Execute = (operation: Operation, basis: AnswerBasis) => Promise<Result>;

export function createExecute(mask: Mask): Execute {
  return async (operation, basis) => {
    const shared: Shared = { filters: new Map(), dependsOnDay: false, hints: [] };
    const nothing = (errors: readonly GraphQLFormattedError[]): Result => ({
      body: [Buffer.from(JSON.stringify({ data: null, errors }))],
      failed: true,
      dependsOnDay: shared.dependsOnDay,
    });
    try {
      const selected = await selectRoots(operation, basis, shared);
      const out = new Output(basis.reserve, await reserved(selected, basis));
      const { errors, hasData } = await write(selected, out);
      const presented = presentErrors(errors, mask);
      if (!hasData) return nothing(presented);
      out.text += errors.length === 0 ? '}}' : `},"errors":${JSON.stringify(presented)}}`;
      const { dependsOnDay, hints } = shared;
      return { body: out.end(), failed: errors.length > 0, dependsOnDay, hints };
    } catch (thrown) {
      if (isCalendarError(thrown) && thrown.code === 'TIMEOUT')
        return nothing(refusalFor(thrown, mask).errors);
      throw thrown;
    }
  };
}

/** A root field that was selected or failed. */
interface SelectedRoot {
  readonly root: OperationRoot;
  readonly outcome: PromiseSettledResult<SelectedValue>;
}

async function selectRoots(
  operation: Operation,
  { snapshot, now }: AnswerBasis,
  shared: Shared,
): Promise<readonly SelectedRoot[]> {
  const view = viewAt(snapshot, now);
  const selected: SelectedRoot[] = [];
  for (const root of operation.roots) {
    if (selected.length > 0) await nextTurn();
    const outcome = await settled(root.select(operation, { view, now, shared }));
    selected.push({ root, outcome });
  }
  return selected;
}

async function settled<Value>(promise: Promise<Value>): Promise<PromiseSettledResult<Value>> {
  try {
    return { status: 'fulfilled', value: await promise };
  } catch (reason) {
    if (isCalendarError(reason) && OF_THE_WHOLE.has(reason.code)) throw reason;
    return { status: 'rejected', reason };
  }
}

/** Errors of one root field that leave no answer at all. */
const OF_THE_WHOLE: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'QUERY_TOO_COMPLEX',
  'TIMEOUT',
  'OVERLOADED',
  'SNAPSHOT_UNUSABLE',
]);

/** D2, cost before work. */
const MAX_FIELDS = 200_000;
/** Events that one operation may read: enough for the full pages of all its root fields. Look-ups without pages have no other limit. */
export const MAX_EVENTS = 20_000;
/** Estimated bytes of one field in an answer. */
const FIELD_BYTES = 40;

/** Reserves the estimated bytes of the answer, and returns their number. Throws QUERY_TOO_COMPLEX. */
async function reserved(selected: readonly SelectedRoot[], { reserve }: AnswerBasis): Promise<number> {
  let fields = 0;
  let events = 0;
  for (const { outcome } of selected) {
    if (outcome.status === 'rejected') continue;
    fields += outcome.value.fields;
    events += outcome.value.events;
  }
  if (events > MAX_EVENTS) {
    const message = `The operation asks for ${events} events; the limit is ${MAX_EVENTS}. Ask for a smaller area, for fewer slugs, or for pages of \`events\`.`;
    throw new CalendarError('QUERY_TOO_COMPLEX', message);
  }
  if (fields > MAX_FIELDS) {
    const message = `The answer would hold ${fields} fields; the limit is ${MAX_FIELDS}. Ask for a smaller page (pageSize), or for fewer fields.`;
    throw new CalendarError('QUERY_TOO_COMPLEX', message);
  }
  const bytes = fields * FIELD_BYTES;
  await reserve?.(bytes);
  return bytes;
}

interface Written {
  readonly errors: readonly GraphQLError[];
  /** False if a field failed that cannot be null. */
  readonly hasData: boolean;
}

/** The answer up to the braces at its end. */
async function write(selected: readonly SelectedRoot[], out: Output): Promise<Written> {
  const errors: GraphQLError[] = [];
  out.text = '{"data":{';
  for (const [index, { root, outcome }] of selected.entries()) {
    const { key, name, nodes } = root;
    out.text += `${index === 0 ? '' : ','}${JSON.stringify(key)}:`;
    const rewind = out.mark();
    const written = outcome.status === 'fulfilled' ? await settled(outcome.value.write(out)) : outcome;
    if (written.status === 'fulfilled') continue;
    errors.push(locatedError(written.reason, nodes, [key]));
    if (isNonNullType(schema.getQueryType()?.getFields()[name]?.type)) return { errors, hasData: false };
    rewind();
    out.text += 'null';
  }
  return { errors, hasData: true };
}
