/**
 * Executes operations. Root fields are loaded first; each that is there is projected, which joins ready-made JSON. What the
 * projection does not cover, introspection and root fields that failed, graphql-js executes over what was loaded, and
 * gives the bytes that it would give for the whole.
 */
import {
  type DocumentNode,
  type ExecutionResult,
  execute as executeWithGraphqlJs,
  type FieldNode,
  getArgumentValues,
  getOperationAST,
  Kind,
} from 'graphql';
import { isCalendarError } from '../../calendar/errors.ts';
import { MAX_EVENTS } from '../query/node.ts';
import { planFirst } from '../query/plan.ts';
import { viewAt } from '../query/view.ts';
import type { Answer, Execute, Moment, Operation, SentOperation } from './answer.ts';
import { type CompiledOperation, createCompile, type SelectedRoot } from './compile.ts';
import {
  beginOutput,
  dropOutput,
  endOutput,
  type FirstArgument,
  MAX_ANSWER_BYTES,
  type Selections,
  tooLarge,
  type Variables,
} from './project.ts';
import { type Mask, presentErrors, refusalFor } from './refusal.ts';
import { type Dependence, type LoadedRoot, type LoadRoot, type Outcomes, ROOTS } from './roots.ts';
import { schema } from './schema.ts';

export function createExecute(mask: Mask): Execute {
  return async (operation, moment) => {
    const loaded = await loadRoots(operation, moment);
    const { dependsOnDay } = loaded;
    const isCovered = ({ root, outcome }: Loaded) =>
      outcome.status === 'fulfilled' && (outcome.value !== null || root.name === TYPENAME);
    if (loaded.roots.every(isCovered))
      return { body: write(loaded.roots, operation.values), failed: false, dependsOnDay };
    const left = loaded.roots.filter((one) => !isCovered(one)).map(({ root }) => root.key);
    return interrupted(loaded.roots, mask) ?? executed(operation, { loaded, left: new Set(left) }, mask);
  };
}

/** The same answers by graphql-js alone: what the projection is held against. */
export function createOrdinaryExecute(mask: Mask): Execute {
  return async (operation, moment) => {
    const loaded = await loadRoots(operation, moment);
    return executed(operation, { loaded, left: new Set(loaded.roots.map(({ root }) => root.key)) }, mask);
  };
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

interface Loaded {
  readonly root: PreparedRoot;
  readonly outcome: PromiseSettledResult<LoadedRoot | null>;
}

interface LoadedOperation {
  readonly roots: readonly Loaded[];
  readonly dependsOnDay: boolean;
}

async function loadRoots(
  { compiled, values }: Operation,
  { snapshot, now }: Moment,
): Promise<LoadedOperation> {
  const roots = preparedRoots(compiled);
  const dependence: Dependence = { onDay: false };
  const context = { view: viewAt(snapshot, now), now, budget: { events: MAX_EVENTS }, dependence };
  const outcomes = await Promise.allSettled(roots.map(({ load }) => load(values, context)));
  for (const outcome of outcomes) if (isTooComplex(outcome)) throw outcome.reason;
  const loaded = roots.flatMap((root, place) => {
    const outcome = outcomes[place];
    return outcome === undefined ? [] : { root, outcome };
  });
  return { roots: loaded, dependsOnDay: dependence.onDay };
}

/** D2: refused as a whole, as it would have been had it been known before. */
function isTooComplex(outcome: PromiseSettledResult<unknown>): outcome is PromiseRejectedResult {
  return (
    outcome.status === 'rejected' &&
    isCalendarError(outcome.reason) &&
    outcome.reason.code === 'QUERY_TOO_COMPLEX'
  );
}

const prepared = new WeakMap<CompiledOperation, readonly PreparedRoot[]>();

function preparedRoots(compiled: CompiledOperation): readonly PreparedRoot[] {
  let roots = prepared.get(compiled);
  if (roots === undefined) {
    roots = compiled.roots.map(prepareRoot);
    prepared.set(compiled, roots);
  }
  return roots;
}

function prepareRoot({ key, name, node, selections }: SelectedRoot): PreparedRoot {
  const root = ROOTS[name];
  const field = schema.getQueryType()?.getFields()[name];
  if (root === undefined || field === undefined) return { key, name, load: async () => null };
  const load = root.compile(selections);
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

const TYPENAME = '__typename';
const QUERY_TYPENAME = '"Query"';

/**
 * The answer put together: JSON of root fields by their key where they were executed, the projection of all others. Throws
 * QUERY_TOO_COMPLEX for more than an answer may hold (D10).
 */
function write(loaded: readonly Loaded[], values: Variables, done: Executed = NOTHING_EXECUTED): Buffer {
  const out = beginOutput(values);
  out.text = '{"data":{';
  try {
    for (const [place, { root, outcome }] of loaded.entries()) {
      out.text += `${place === 0 ? '' : ','}${JSON.stringify(root.key)}:`;
      const json = done.roots.get(root.key);
      if (json !== undefined) out.text += json;
      else if (outcome.status === 'fulfilled' && outcome.value !== null) outcome.value.write(out);
      else out.text += QUERY_TYPENAME;
    }
    out.text += done.errors === undefined ? '}}' : `},"errors":${done.errors}}`;
    return endOutput(out);
  } catch (thrown) {
    dropOutput();
    throw thrown;
  }
}

/** What graphql-js gave. */
interface Executed {
  /** JSON by response key. */
  readonly roots: ReadonlyMap<string, string>;
  /** JSON of the list; undefined when there are none. */
  readonly errors: string | undefined;
}

const NOTHING_EXECUTED: Executed = { roots: new Map(), errors: undefined };

/** D2: a statement that took too long leaves no data at all. */
function interrupted(loaded: readonly Loaded[], mask: Mask): Answer | null {
  for (const { outcome } of loaded) {
    if (outcome.status === 'fulfilled') continue;
    const { reason } = outcome;
    if (isCalendarError(reason) && reason.code === 'TIMEOUT')
      return dataless(refusalFor(reason, mask).errors);
  }
  return null;
}

interface Unprojected {
  readonly loaded: LoadedOperation;
  /** Keys of the root fields that graphql-js has to answer. */
  readonly left: ReadonlySet<string>;
}

async function executed(
  { sent, values }: Operation,
  { loaded, left }: Unprojected,
  mask: Mask,
): Promise<Answer> {
  const outcomes: Outcomes = new Map(
    loaded.roots.map(({ root: { key }, outcome }) => [
      key,
      () => {
        if (outcome.status === 'rejected') throw outcome.reason;
        return outcome.value?.source;
      },
    ]),
  );
  const { data, errors = [] }: ExecutionResult = await executeWithGraphqlJs({
    schema,
    document: documentOf(sent, values, left),
    operationName: sent.operationName ?? null,
    variableValues: sent.variables,
    contextValue: outcomes,
  });
  const presented = errors.length === 0 ? undefined : presentErrors(errors, mask);
  if (!data) return dataless(presented ?? []);
  const roots = new Map(Object.entries(data).map(([key, value]) => [key, JSON.stringify(value)]));
  const body = write(loaded.roots, values, { roots, errors: presented && JSON.stringify(presented) });
  return { body, failed: presented !== undefined, dependsOnDay: loaded.dependsOnDay };
}

function dataless(errors: readonly unknown[]): Answer {
  const body = Buffer.from(JSON.stringify({ data: null, errors }));
  if (body.length > MAX_ANSWER_BYTES) throw tooLarge();
  // It is not kept at any rate.
  return { body, failed: true, dependsOnDay: false };
}

/** The document as it was sent, asking for some of its root fields only. */
function documentOf(sent: SentOperation, values: Variables, keys: ReadonlySet<string>): DocumentNode {
  const document = sent.document();
  const operation = getOperationAST(document, sent.operationName);
  if (!operation) throw new Error(`expected an operation named ${sent.operationName}, found none`);
  const compiled = compile(document, operation, values);
  if ('code' in compiled) throw new Error(`expected an operation that compiles, found ${compiled.code}`);
  const selections: FieldNode[] = compiled.roots.flatMap(({ key, nodes }) => (keys.has(key) ? nodes : []));
  const reduced = { ...operation, selectionSet: { kind: Kind.SELECTION_SET, selections } as const };
  return {
    ...document,
    definitions: document.definitions.map((definition) => (definition === operation ? reduced : definition)),
  };
}

const compile = createCompile(schema);
