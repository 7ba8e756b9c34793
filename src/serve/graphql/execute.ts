/**
 * Executes an operation: selects its root fields, counts what they hold, and writes it as JSON. Only introspection is left to graphql-js.
 */
import { type GraphQLError, type GraphQLFormattedError, isNonNullType, locatedError } from 'graphql';
import { CalendarError, type ErrorCode, isCalendarError } from '../../calendar/errors.ts';
import { UNBOUNDED, type Work } from '../admission/admission.ts';
import { viewAt } from '../query/view.ts';
import type { AnswerBasis, Execute, Result, SelectedValue, Shared } from './answer.ts';
import type { Mask } from './mask.ts';
import { Output } from './output.ts';
import { presentErrors, Refused, refusalOfThrown } from './refusal.ts';
import { MAX_EVENTS, passesOfRoot, selectRoot } from './roots.ts';
import { schema } from './schema.ts';
import type { Operation, RootField } from './selection.ts';

/** D2: fields of an answer, at all levels. */
const MAX_FIELDS = 250_000;
/** Estimated bytes of one field in an answer. */
const FIELD_BYTES = 40;

export function createExecute(mask: Mask): Execute {
  return async (operation, basis) => {
    // The root fields write to it while they are selected: `connection.ts` and `roots.ts`.
    const shared: Shared = {
      filters: new Map(),
      introspected: new Map(),
      dependsOnDay: false,
      hints: [],
    };
    const nullResult = (errors: readonly GraphQLFormattedError[]): Result => ({
      body: [Buffer.from(JSON.stringify({ data: null, errors }))],
      hasData: false,
      hasErrors: true,
      dependsOnDay: shared.dependsOnDay,
    });
    try {
      const { work = UNBOUNDED } = basis;
      await work.weigh(passesOf(operation.roots), basis.snapshot.columns.event.length);
      const selected = await selectRoots(operation, basis, shared);
      const size = sizeOf(selected);
      refuseTooLarge(size);
      const out = new Output(work, await reserveBytes(size, work), basis.copiesOf);
      const { errors, hasData } = await write(selected, out);
      const presented = presentErrors(errors, mask);
      if (!hasData) return nullResult(presented);
      out.text += errors.length === 0 ? '}}' : `},"errors":${JSON.stringify(presented)}}`;
      const { dependsOnDay, hints } = shared;
      return { body: out.end(), hasData, hasErrors: errors.length > 0, dependsOnDay, hints };
    } catch (thrown) {
      if (isCalendarError(thrown) && thrown.code === 'TIMEOUT')
        return nullResult(refusalOfThrown(thrown, mask).errors);
      throw thrown;
    }
  };
}

/** D14: the passes over the rows of the calendar, which are known before the work is done. */
function passesOf(roots: readonly RootField[]): number {
  return roots.reduce((sum, root) => sum + passesOfRoot(root), 0);
}

/** A root field that was selected or failed. */
interface SelectedRoot {
  readonly root: RootField;
  readonly outcome: PromiseSettledResult<SelectedValue>;
}

async function selectRoots(
  operation: Operation,
  { snapshot, now, work = UNBOUNDED }: AnswerBasis,
  shared: Shared,
): Promise<readonly SelectedRoot[]> {
  const view = viewAt(snapshot, now);
  const selected: SelectedRoot[] = [];
  for (const root of operation.roots) {
    await work.nextTurn();
    const outcome = await settledUnlessFatal(selectRoot(root, operation, { view, now, work, shared }));
    selected.push({ root, outcome });
  }
  return selected;
}

async function settledUnlessFatal<Value>(promise: Promise<Value>): Promise<PromiseSettledResult<Value>> {
  try {
    return { status: 'fulfilled', value: await promise };
  } catch (reason) {
    if (reason instanceof Refused || (isCalendarError(reason) && FAILS_WHOLE_RESPONSE.has(reason.code)))
      throw reason;
    return { status: 'rejected', reason };
  }
}

/** Errors in one root field that fail the whole response. */
const FAILS_WHOLE_RESPONSE: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'QUERY_TOO_COMPLEX',
  'TIMEOUT',
  'OVERLOADED',
  'SNAPSHOT_UNUSABLE',
]);

/** D2: the size of an answer, known before its data is read. */
type AnswerSize = Pick<SelectedValue, 'fields' | 'events'>;

function sizeOf(selected: readonly SelectedRoot[]): AnswerSize {
  let fields = 0;
  let events = 0;
  for (const { outcome } of selected) {
    if (outcome.status === 'rejected') continue;
    fields += outcome.value.fields;
    events += outcome.value.events;
  }
  return { fields, events };
}

/** Throws QUERY_TOO_COMPLEX. */
function refuseTooLarge({ fields, events }: AnswerSize): void {
  if (events > MAX_EVENTS) {
    const message = `The operation asks for ${events} events; the limit is ${MAX_EVENTS}. Ask for a smaller area, for fewer slugs, or for pages of \`events\`.`;
    throw new CalendarError('QUERY_TOO_COMPLEX', message);
  }
  if (fields > MAX_FIELDS) {
    const message = `The response would have ${fields} fields; the limit is ${MAX_FIELDS}. Ask for a smaller page (pageSize), or for fewer fields.`;
    throw new CalendarError('QUERY_TOO_COMPLEX', message);
  }
}

/** Reserves the estimated bytes of the answer, and returns their number. */
async function reserveBytes({ fields }: AnswerSize, work: Work): Promise<number> {
  const bytes = fields * FIELD_BYTES;
  await work.reserve(bytes);
  return bytes;
}

interface Written {
  readonly errors: readonly GraphQLError[];
  /** False if a field failed that cannot be null. */
  readonly hasData: boolean;
}

/**
 * Writes the answer up to the braces at its end. If a field fails that may be null, what was written of it is rewound to write null instead; if
 * it cannot be null, the caller drops all that was written.
 */
async function write(selected: readonly SelectedRoot[], out: Output): Promise<Written> {
  const errors: GraphQLError[] = [];
  out.text = '{"data":{';
  for (const [index, { root, outcome }] of selected.entries()) {
    const { key, name, nodes } = root;
    out.text += `${index === 0 ? '' : ','}${JSON.stringify(key)}:`;
    const rewind = out.checkpoint();
    await out.nextTurn();
    const written =
      outcome.status === 'fulfilled' ? await settledUnlessFatal(outcome.value.write(out)) : outcome;
    if (written.status === 'fulfilled') continue;
    errors.push(locatedError(written.reason, nodes, [key]));
    if (isNonNullType(schema.getQueryType()?.getFields()[name]?.type)) return { errors, hasData: false };
    rewind();
    out.text += 'null';
  }
  return { errors, hasData: true };
}
