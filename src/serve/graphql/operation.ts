/**
 * A compiled operation owns all that is derived from it: the coercion of its variables, its selection, its cost, its root fields, and the
 * writers of their JSON. Executing it loads the root fields and joins ready-made JSON; see `executor.ts` for what the projection does not
 * cover.
 */
import { setImmediate } from 'node:timers/promises';
import {
  type DocumentNode,
  type GraphQLSchema,
  getArgumentValues,
  getVariableValues,
  type OperationDefinitionNode,
} from 'graphql';
import { isCalendarError } from '../../calendar/errors.ts';
import type { Snapshot } from '../../snapshot/open.ts';
import type { Ticket } from '../admission/gate.ts';
import { BATCH_NODES, MAX_EVENTS } from '../query/node.ts';
import { planFirst } from '../query/plan.ts';
import { viewAt } from '../query/view.ts';
import { compileOperation, type SelectedRoot, type Selection } from './compile.ts';
import type { Cost } from './cost.ts';
import { type Executed, executeRest, type SentOperation } from './executor.ts';
import {
  type FirstArgument,
  MAX_ANSWER_BYTES,
  Output,
  type Selections,
  tooLarge,
  type Variables,
  type Writers,
} from './project.ts';
import { MAX_ERRORS, type Mask, type Refusal } from './refusal.ts';
import { type Dependence, type Loaded, type LoadedRoot, type LoadRoot, ROOTS } from './roots.ts';
import { schema as ownSchema } from './schema.ts';

/** The snapshot and second that one request is answered from, fixed when it arrives (A3, C3, H5). */
export interface AnswerBasis {
  readonly snapshot: Snapshot;
  /** Seconds since 1970. */
  readonly now: number;
  /** D14: the gate's hold on this work. */
  readonly ticket?: Pick<Ticket, 'take' | 'pause'>;
}

/** For work that did not pass the gate. */
const FREE: Pick<Ticket, 'take' | 'pause'> = { take: () => undefined, pause: () => setImmediate() };

/** An operation that may run: valid, within the limits (D2), with coerced variables. */
export interface Operation {
  readonly compiled: SelectedOperation;
  /** Coerced variables. */
  readonly values: Variables;
  readonly sent: SentOperation;
}

export interface Answer {
  /**
   * JSON text, as UTF-8, of `{"data":…}` or `{"data":…,"errors":[…]}`: `data` comes first, and there are no extensions. A long one is in
   * slices.
   */
  readonly body: Buffer | readonly Buffer[];
  /** Whether there is an `errors` list. */
  readonly failed: boolean;
  /** B12: whether the answer may change at midnight. */
  readonly dependsOnDay: boolean;
}

/** Rejects with unexpected errors, and with CalendarErrors that concern the whole answer. */
export type Execute = (operation: Operation, basis: AnswerBasis) => Promise<Answer>;

type Sent = Readonly<Record<string, unknown>>;

export class CompiledOperation {
  readonly #schema: GraphQLSchema;
  readonly #document: DocumentNode;
  readonly #definition: OperationDefinitionNode;
  /** Clients seldom change the values of `@skip`, `@include` and `first`: only the latest selection is cached. */
  #latest: Latest | undefined;

  constructor(schema: GraphQLSchema, document: DocumentNode, definition: OperationDefinitionNode) {
    this.#schema = schema;
    this.#document = document;
    this.#definition = definition;
  }

  get name(): string | undefined {
    return this.#definition.name?.value;
  }

  coerce(sent: Sent): ReturnType<typeof getVariableValues> {
    const definitions = this.#definition.variableDefinitions ?? [];
    const first = getVariableValues(this.#schema, definitions, sent, ONE_ERROR);
    if (first.errors === undefined || isLarge(sent)) return first;
    return getVariableValues(this.#schema, definitions, sent, MAX_ERRORS);
  }

  select(values: Variables): SelectedOperation | Refusal {
    if (this.#latest !== undefined && keyOf(this.#latest.conditions, values) === this.#latest.key) {
      return this.#latest.selected;
    }
    const { selected: found, conditions } = compileOperation(
      { schema: this.#schema, document: this.#document, definition: this.#definition },
      values,
    );
    const selected = 'code' in found ? found : new SelectedOperation(found);
    this.#latest = { conditions: [...conditions], key: keyOf(conditions, values), selected };
    return selected;
  }
}

interface Latest {
  readonly conditions: readonly string[];
  readonly key: string;
  readonly selected: SelectedOperation | Refusal;
}

function keyOf(conditions: Iterable<string>, values: Variables): string {
  let key = '';
  for (const name of conditions) key += `${JSON.stringify(values[name] ?? null)} `;
  return key;
}

/** Each error prints the value that it concerns: for 16,000 unknown fields of a filter, 20 errors took 0.26 s. */
const ONE_ERROR = { maxErrors: 1 };
const MOST_ENTRIES = 500;

/** Whether a value has more entries, at all depths, than people write. */
function isLarge(sent: unknown): boolean {
  const waiting: unknown[] = [sent];
  for (let seen = 0; waiting.length > 0; seen++) {
    if (seen > MOST_ENTRIES || waiting.length > MOST_ENTRIES) return true;
    const value = waiting.pop();
    if (typeof value !== 'object' || value === null) continue;
    for (const key in value) {
      waiting.push(Reflect.get(value, key));
      if (waiting.length > MOST_ENTRIES) return true;
    }
  }
  return false;
}

/** An operation with its selection for one set of conditions. */
export class SelectedOperation implements Selection {
  readonly roots: readonly SelectedRoot[];
  readonly cost: Cost;
  readonly rootField: string;
  #prepared: readonly PreparedRoot[] | undefined;

  constructor({ roots, cost, rootField }: Selection) {
    this.roots = roots;
    this.cost = cost;
    this.rootField = rootField;
  }

  async load(values: Variables, { snapshot, now, ticket = FREE }: AnswerBasis): Promise<LoadedOperation> {
    this.#prepared ??= prepareRoots(this.roots);
    const dependence: Dependence = { onDay: false };
    const context = {
      view: viewAt(snapshot, now),
      now,
      budget: { events: MAX_EVENTS, ahead: BATCH_NODES },
      dependence,
    };
    const roots: Loaded[] = [];
    let bytes = 0;
    for (const { key, name, load, fields } of this.#prepared) {
      if (roots.length > 0) await ticket.pause();
      const outcome = await settled(load(values, context));
      roots.push({ key, name, outcome });
      if (outcome.status === 'fulfilled') bytes += (outcome.value?.events ?? 0) * fields * FIELD_BYTES;
    }
    await ticket.take(bytes);
    return { roots, dependsOnDay: dependence.onDay, bytes };
  }
}

/** Estimated bytes of one field in an answer. */
const FIELD_BYTES = 40;

async function settled<Value>(promise: Promise<Value>): Promise<PromiseSettledResult<Value>> {
  try {
    return { status: 'fulfilled', value: await promise };
  } catch (reason) {
    // D2: refused as a whole, as if the number had been known before.
    if (isCalendarError(reason) && reason.code === 'QUERY_TOO_COMPLEX') throw reason;
    return { status: 'rejected', reason };
  }
}

/** A selected root field, ready to be loaded again and again. */
interface PreparedRoot {
  readonly key: string;
  readonly name: string;
  /** Resolves to null for `__typename` and introspection. */
  readonly load: (values: Variables, context: LoadContext) => Promise<LoadedRoot | null>;
  /** Fields of one event, at all levels. */
  readonly fields: number;
}

/** Context that the root fields of one operation share. */
type LoadContext = Omit<Parameters<LoadRoot>[0], 'args' | 'selects'>;

interface LoadedOperation {
  readonly roots: readonly Loaded[];
  readonly dependsOnDay: boolean;
  /** Estimated bytes of its answer. */
  readonly bytes: number;
}

function prepareRoots(roots: readonly SelectedRoot[]): readonly PreparedRoot[] {
  const writers: Writers = new Map();
  return roots.map((root) => prepareRoot(root, writers));
}

function prepareRoot({ key, name, node, selections }: SelectedRoot, writers: Writers): PreparedRoot {
  const root = ROOTS[name];
  const field = ownSchema.getQueryType()?.getFields()[name];
  if (root === undefined || field === undefined) return { key, name, load: async () => null, fields: 0 };
  const load = root.compile(selections, writers);
  const firsts = firstsIn(selections);
  const selects = (wanted: string) => selections.some((selected) => selected.name === wanted);
  return {
    key,
    name,
    fields: fieldsIn(selections, new Map()),
    load: async (values, context) => {
      const loaded = await load({ args: getArgumentValues(field, node, values), selects, ...context });
      // Errors of the root field's own arguments precede errors below it.
      for (const first of firsts) planFirst(typeof first === 'string' ? values[first] : first);
      return loaded;
    },
  };
}

/** A selection that fragments share counts each time it is spread. */
function fieldsIn(selections: Selections, known: Map<Selections, number>): number {
  let count = known.get(selections);
  if (count === undefined) {
    count = selections.reduce((sum, { selections: below }) => sum + 1 + fieldsIn(below, known), 0);
    known.set(selections, count);
  }
  return count;
}

/** The `first` arguments of all lists below a root field. A selection that fragments share is visited once. */
function firstsIn(selections: Selections): readonly FirstArgument[] {
  const firsts = new Set<FirstArgument>();
  const seen = new Set<Selections>();
  const look = (inner: Selections): void => {
    if (seen.has(inner)) return;
    seen.add(inner);
    for (const { first, selections: below } of inner) {
      if (first !== null) firsts.add(first);
      look(below);
    }
  };
  look(selections);
  return [...firsts];
}

export function createExecute(mask: Mask): Execute {
  return async (operation, basis) => {
    const loaded = await operation.compiled.load(operation.values, basis);
    return answerOf({ operation, basis, mask }, loaded);
  };
}

/** Whether the projection cannot write the root field. */
const isNotCovered = ({ name, outcome }: Loaded): boolean =>
  outcome.status === 'rejected' || (outcome.value === null && name !== TYPENAME);

interface Answering {
  readonly operation: Operation;
  readonly basis: AnswerBasis;
  readonly mask: Mask;
}

async function answerOf(answering: Answering, loaded: LoadedOperation): Promise<Answer> {
  const { operation, basis, mask } = answering;
  const { roots, dependsOnDay } = loaded;
  const rest = roots.filter(isNotCovered);
  const executed =
    rest.length === 0 ? NOTHING_EXECUTED : await executeRest({ ...operation, roots: rest }, mask);
  if (executed.roots !== null) {
    const body = await write(loaded, executed, { values: operation.values, ...basis });
    if (!(body instanceof FailedRoot)) return { body, failed: executed.errors !== undefined, dependsOnDay };
    // Answered as if it had failed before anything was written.
    return answerOf(answering, { ...loaded, roots: roots.with(roots.indexOf(body.root), body.asLoaded) });
  }
  const body = Buffer.from(JSON.stringify({ data: null, errors: executed.errors }));
  if (body.length > MAX_ANSWER_BYTES) throw tooLarge();
  return { body, failed: true, dependsOnDay };
}

/** A root field whose events could not be read while it was written. */
class FailedRoot {
  readonly root: Loaded;
  readonly asLoaded: Loaded;

  constructor(root: Loaded, reason: unknown) {
    this.root = root;
    this.asLoaded = { ...root, outcome: { status: 'rejected', reason } };
  }
}

const TYPENAME = '__typename';
const QUERY_TYPENAME = '"Query"';
const NOTHING_EXECUTED: Executed = { roots: new Map(), errors: undefined };

/**
 * The whole answer: JSON by graphql-js for the root fields that it executed, the projection for all others. Throws QUERY_TOO_COMPLEX for
 * more than MAX_ANSWER_BYTES (D10).
 */
async function write(
  { roots, bytes }: LoadedOperation,
  executed: Executed,
  { values, ticket = FREE }: Pick<Operation, 'values'> & Pick<AnswerBasis, 'ticket'>,
): Promise<readonly Buffer[] | FailedRoot> {
  const out = new Output(values);
  let taken = bytes;
  out.text = '{"data":{';
  for (const [place, root] of roots.entries()) {
    const { key, outcome } = root;
    out.text += `${place === 0 ? '' : ','}${JSON.stringify(key)}:`;
    const json = executed.roots?.get(key);
    if (json !== undefined) out.text += json;
    else if (outcome.status === 'fulfilled' && outcome.value !== null) {
      for (const reading of outcome.value.write(out)) {
        const read = reading && (await settled(reading));
        if (read?.status === 'rejected') return new FailedRoot(root, read.reason);
        out.isDue = false;
        if (out.length > taken) {
          await ticket.take(MORE_BYTES);
          taken += MORE_BYTES;
        }
        await ticket.pause();
      }
    } else out.text += QUERY_TYPENAME;
  }
  out.text += executed.errors === undefined ? '}}' : `},"errors":${JSON.stringify(executed.errors)}}`;
  return out.end();
}

/** Bytes reserved at a time once an answer exceeds its estimate. */
const MORE_BYTES = 1_024 * 1_024;
