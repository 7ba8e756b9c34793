/**
 * One operation of a document with all that is derived from it: how its variables are coerced, what it selects, what that
 * costs, its root fields ready to be loaded, and the writers of their JSON. It is derived once and stays with its document.
 * Executing it loads the root fields and joins ready-made JSON; see `executor.ts` for what the projection does not cover.
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
import { MAX_EVENTS } from '../query/node.ts';
import { planFirst } from '../query/plan.ts';
import { viewAt } from '../query/view.ts';
import { compileOperation, type SelectedRoot, type Selection } from './compile.ts';
import type { Cost } from './cost.ts';
import { type Executed, executeRest, isDataless, type SentOperation } from './executor.ts';
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

/** What one GraphQL request is answered from: fixed when the request arrives (A3, C3, H5). */
export interface Moment {
  readonly snapshot: Snapshot;
  /** Whole seconds. */
  readonly now: number;
}

/** One operation that may run: valid, within the limits (D2), its variables coerced. */
export interface Operation {
  readonly compiled: SelectedOperation;
  /** Coerced variables, and parameters for the literals of its document. */
  readonly values: Variables;
  readonly sent: SentOperation;
}

export interface Answer {
  /** JSON text, as UTF-8, of `{"data":…}` or `{"data":…,"errors":[…]}`: `data` comes first, and there are no extensions. */
  readonly body: Buffer;
  /** Whether there is an `errors` list. */
  readonly failed: boolean;
  /** B12: whether it may be another one at midnight. */
  readonly dependsOnDay: boolean;
}

/** Rejects for what nobody foresaw, and with CalendarErrors of the answer as a whole. */
export type Execute = (operation: Operation, moment: Moment) => Promise<Answer>;

type Sent = Readonly<Record<string, unknown>>;

export class CompiledOperation {
  readonly #schema: GraphQLSchema;
  readonly #document: DocumentNode;
  readonly #definition: OperationDefinitionNode;
  /** Clients seldom change the values of `@skip`, `@include` and `first`: only the latest selection stays. */
  #latest: Latest | undefined;

  constructor(schema: GraphQLSchema, document: DocumentNode, definition: OperationDefinitionNode) {
    this.#schema = schema;
    this.#document = document;
    this.#definition = definition;
  }

  get name(): string | undefined {
    return this.#definition.name?.value;
  }

  /** `definition`: the same operation with its locations, for errors. */
  coerce(sent: Sent, definition = this.#definition): ReturnType<typeof getVariableValues> {
    const limit = isLarge(sent) ? ONE_ERROR : MAX_ERRORS;
    return getVariableValues(this.#schema, definition.variableDefinitions ?? [], sent, limit);
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

/** Each error writes out the value that it is about: of 16,000 fields that a filter has not, 20 of them took 0.26 s. */
const ONE_ERROR = { maxErrors: 1 };
const MOST_ENTRIES = 500;

/** Whether it has more entries than people look at, at all depths. */
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

/** What an operation selects for one set of conditions. */
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

  async load(values: Variables, { snapshot, now }: Moment): Promise<LoadedOperation> {
    this.#prepared ??= prepareRoots(this.roots);
    const dependence: Dependence = { onDay: false };
    const context = { view: viewAt(snapshot, now), now, budget: { events: MAX_EVENTS }, dependence };
    const outcomes = await Promise.allSettled(this.#prepared.map(({ load }) => load(values, context)));
    for (const outcome of outcomes) if (isTooComplex(outcome)) throw outcome.reason;
    const roots = this.#prepared.flatMap(({ key, name }, place) => {
      const outcome = outcomes[place];
      return outcome === undefined ? [] : { key, name, outcome };
    });
    return { roots, dependsOnDay: dependence.onDay };
  }
}

/** D2: refused as a whole, as it would have been had it been known before. */
function isTooComplex(outcome: PromiseSettledResult<unknown>): outcome is PromiseRejectedResult {
  return (
    outcome.status === 'rejected' &&
    isCalendarError(outcome.reason) &&
    outcome.reason.code === 'QUERY_TOO_COMPLEX'
  );
}

/** A selected root field, ready to be loaded again and again. */
interface PreparedRoot {
  readonly key: string;
  readonly name: string;
  /** Gives null for `__typename` and introspection. */
  readonly load: (values: Variables, context: LoadContext) => Promise<LoadedRoot | null>;
}

/** What the root fields of one operation share. */
type LoadContext = Omit<Parameters<LoadRoot>[0], 'args' | 'selects'>;

interface LoadedOperation {
  readonly roots: readonly Loaded[];
  readonly dependsOnDay: boolean;
}

function prepareRoots(roots: readonly SelectedRoot[]): readonly PreparedRoot[] {
  const writers: Writers = new Map();
  return roots.map((root) => prepareRoot(root, writers));
}

function prepareRoot({ key, name, node, selections }: SelectedRoot, writers: Writers): PreparedRoot {
  const root = ROOTS[name];
  const field = ownSchema.getQueryType()?.getFields()[name];
  if (root === undefined || field === undefined) return { key, name, load: async () => null };
  const load = root.compile(selections, writers);
  const firsts = firstsIn(selections);
  const selects = (wanted: string) => selections.some((selected) => selected.name === wanted);
  return {
    key,
    name,
    load: async (values, context) => {
      const loaded = await load({ args: getArgumentValues(field, node, values), selects, ...context });
      // What is wrong with the root field's own arguments is said before what is wrong below it.
      for (const first of firsts) planFirst(typeof first === 'string' ? values[first] : first);
      return loaded;
    },
  };
}

/** Of all lists below a root field. Selections that fragments share are looked at once. */
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
  return async (operation, moment) => {
    const loaded = await operation.compiled.load(operation.values, moment);
    return answerOf(operation, loaded, (root) => !isCovered(root), mask);
  };
}

/** The same answers by graphql-js alone: what the projection is held against. */
export function createOrdinaryExecute(mask: Mask): Execute {
  return async (operation, moment) => {
    const loaded = await operation.compiled.load(operation.values, moment);
    return answerOf(operation, loaded, () => true, mask);
  };
}

/** Whether the projection can write it. */
const isCovered = ({ name, outcome }: Loaded): boolean =>
  outcome.status === 'fulfilled' && (outcome.value !== null || name === TYPENAME);

async function answerOf(
  operation: Operation,
  { roots, dependsOnDay }: LoadedOperation,
  isLeft: (root: Loaded) => boolean,
  mask: Mask,
): Promise<Answer> {
  const isWhole = !roots.some(isLeft);
  const executed = isWhole ? NOTHING_EXECUTED : await executeRest({ ...operation, roots, isLeft }, mask);
  if (!isDataless(executed)) {
    const body = await write(roots, operation.values, executed);
    return { body, failed: executed.errors !== undefined, dependsOnDay };
  }
  const body = Buffer.from(JSON.stringify({ data: null, errors: executed.errors }));
  if (body.length > MAX_ANSWER_BYTES) throw tooLarge();
  return { body, failed: true, dependsOnDay };
}

const TYPENAME = '__typename';
const QUERY_TYPENAME = '"Query"';
const NOTHING_EXECUTED: Executed = { roots: new Map(), errors: undefined };

/**
 * The answer put together: JSON of root fields by their key where graphql-js has executed them, the projection of all
 * others. Throws QUERY_TOO_COMPLEX for more than an answer may hold (D10).
 */
async function write(roots: readonly Loaded[], values: Variables, executed: Executed): Promise<Buffer> {
  const out = new Output(values);
  out.text = '{"data":{';
  for (const [place, { key, outcome }] of roots.entries()) {
    out.text += `${place === 0 ? '' : ','}${JSON.stringify(key)}:`;
    const json = executed.roots.get(key);
    if (json !== undefined) out.text += json;
    else if (outcome.status === 'fulfilled' && outcome.value !== null) {
      for (const _ of outcome.value.write(out)) {
        out.isDue = false;
        await setImmediate();
      }
    } else out.text += QUERY_TYPENAME;
  }
  out.text += executed.errors === undefined ? '}}' : `},"errors":${JSON.stringify(executed.errors)}}`;
  return out.end();
}
