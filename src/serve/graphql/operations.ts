/**
 * Answers operations. Each one is compiled once into a projection that joins ready-made JSON; what the projection does
 * not cover (introspection, and operations of which a field failed) goes through the ordinary executor, over the same
 * loaded root fields, and gives the same bytes.
 */
import { getArgumentValues, Kind, visit } from 'graphql';
import { LRUCache } from 'lru-cache';
import { isCalendarError } from '../../calendar/errors.ts';
import type { Arguments } from '../query/plan.ts';
import { type View, viewAt } from '../query/view.ts';
import type { Answer, Execute, Moment, Operation } from './answer.ts';
import { collectRoots, operationOf, type SelectedRoot, type Variables } from './collect.ts';
import { executeWithHelix } from './helix.ts';
import { beginOutput, dropOutput, endOutput, MAX_ANSWER_BYTES, ROOM, tooLarge } from './output.ts';
import type { Pattern } from './pattern.ts';
import { type Conceal, presentErrors, refusalFor } from './refusal.ts';
import { type LoadedRoot, type LoadRoot, type Outcomes, ROOTS, type Root } from './roots.ts';
import { type ExecutorContext, schema } from './schema.ts';
import type { SelectedField, Selections } from './shape.ts';

export function createExecute(conceal: Conceal): Execute {
  return async (operation, moment) => {
    const { compiled, loaded } = await load(operation, moment);
    const isWhole = compiled.coversAll && loaded.every(({ status }) => status === 'fulfilled');
    if (isWhole) return { body: write(compiled, loaded), room: ROOM, failed: false };
    return interrupted(loaded, conceal) ?? executed(operation, { compiled, loaded }, conceal);
  };
}

/** The same answers by the ordinary executor alone: what the projection is held against. */
export function createOrdinaryExecute(conceal: Conceal): Execute {
  return async (operation, moment) => {
    return executed(operation, await load(operation, moment), conceal);
  };
}

async function load(operation: Operation, { snapshot, now }: Moment): Promise<LoadedOperation> {
  const compiled = compiledOf(operation);
  const request = { values: operation.values, view: viewAt(snapshot, now), now };
  return { compiled, loaded: await loadRoots(compiled, request) };
}

interface LoadedOperation {
  readonly compiled: Compiled;
  readonly loaded: readonly Loaded[];
}

/** One operation, ready to be answered again and again. */
interface Compiled {
  readonly roots: readonly CompiledRoot[];
  /** False when there is something that only the executor answers. */
  readonly coversAll: boolean;
}

interface CompiledRoot {
  readonly key: string;
  readonly selected: SelectedField;
  readonly argumentsOf: ReadArguments;
  /** Null for `__typename` and introspection. */
  readonly load: LoadRoot | null;
}

type ReadArguments = (values: Variables) => Arguments;

type Loaded = PromiseSettledResult<LoadedRoot | null>;

/** Compiled forms by operation name and the values that `@skip` and `@include` look at. */
const compiledForms = new WeakMap<Pattern, LRUCache<string, Compiled>>();

/** A pattern has one form in practice; many conditional fields could make very many. */
const FORMS_KEPT = 8;

function compiledOf(operation: Operation): Compiled {
  const { pattern, operationName, values } = operation;
  let forms = compiledForms.get(pattern);
  if (forms === undefined) {
    forms = new LRUCache({ max: FORMS_KEPT });
    compiledForms.set(pattern, forms);
  }
  const key = JSON.stringify([operationName, conditionVariables(operation).map((name) => values[name])]);
  const known = forms.get(key);
  if (known !== undefined) return known;
  const compiled = compile(operation);
  forms.set(key, compiled);
  return compiled;
}

const conditionNames = new WeakMap<Pattern, readonly string[]>();

/** Names of the variables that directives use. */
function conditionVariables({ pattern }: Operation): readonly string[] {
  const known = conditionNames.get(pattern);
  if (known !== undefined) return known;
  const names = new Set<string>();
  visit(pattern.document, {
    Directive: ({ arguments: args = [] }) => {
      for (const { value } of args) if (value.kind === Kind.VARIABLE) names.add(value.name.value);
    },
  });
  const list = [...names];
  conditionNames.set(pattern, list);
  return list;
}

function compile({ pattern: { document }, operationName, values }: Operation): Compiled {
  const definition = operationOf(document, operationName);
  if (definition === null) throw new Error(`expected an operation named ${operationName}, found none`);
  const roots = collectRoots(document, definition, values).map(compileRoot);
  return {
    roots,
    coversAll: roots.every(({ load, selected }) => load !== null || selected.name === '__typename'),
  };
}

function compileRoot({ node, ...selected }: SelectedRoot): CompiledRoot {
  const { key, name, selections } = selected;
  const root = ROOTS[name];
  const field = schema.getQueryType()?.getFields()[name];
  if (root === undefined || field === undefined) {
    return { key, selected, argumentsOf: () => ({}), load: null };
  }
  return {
    key,
    selected,
    argumentsOf: (values) => getArgumentValues(field, node, values),
    load: loaderOf(name, root, selections),
  };
}

/** By what is selected: most patterns differ in their arguments only. */
const loaders = new LRUCache<string, LoadRoot>({
  maxSize: 1_000_000,
  sizeCalculation: (_, key) => key.length,
});

function loaderOf(name: string, root: Root, selections: Selections): LoadRoot {
  const key = JSON.stringify([name, selections]);
  const known = loaders.get(key);
  if (known !== undefined) return known;
  const loader = root.compile(selections);
  loaders.set(key, loader);
  return loader;
}

interface Request extends Pick<Operation, 'values'> {
  readonly view: View;
  readonly now: number;
}

function loadRoots(compiled: Compiled, request: Request): Promise<readonly Loaded[]> {
  const { values, view, now } = request;
  return Promise.allSettled(
    compiled.roots.map(async ({ load, argumentsOf, selected }) => {
      if (load === null) return null;
      const selects = (name: string) => selected.selections.some((field) => field.name === name);
      return load({ args: argumentsOf(values), view, now, selects });
    }),
  );
}

const QUERY_TYPENAME = '"Query"';

/** What of the roots is there, put together. Throws QUERY_TOO_COMPLEX for more than an answer may hold. */
function write({ roots }: Compiled, loaded: readonly Loaded[]): Buffer {
  const out = beginOutput();
  out.text = '{"data":{';
  try {
    for (const [place, { key }] of roots.entries()) {
      const root = loaded[place];
      out.text += `${place === 0 ? '' : ','}${JSON.stringify(key)}:`;
      if (root?.status !== 'fulfilled') out.text += 'null';
      else if (root.value === null) out.text += QUERY_TYPENAME;
      else root.value.write(out);
    }
    out.text += '}}';
    return endOutput(out);
  } catch (thrown) {
    dropOutput();
    throw thrown;
  }
}

/** D2: a statement that took too long leaves no data at all. */
function interrupted(loaded: readonly Loaded[], conceal: Conceal): Answer | null {
  const slow = loaded.find(
    (root) => root.status === 'rejected' && isCalendarError(root.reason) && root.reason.code === 'TIMEOUT',
  );
  if (slow?.status !== 'rejected') return null;
  return answerOf({ data: null, errors: refusalFor(slow.reason, conceal).errors });
}

async function executed(
  operation: Operation,
  { compiled, loaded }: LoadedOperation,
  conceal: Conceal,
): Promise<Answer> {
  // The executor would make an object of every field before anybody could see how large the answer is.
  write(compiled, loaded);
  const context: ExecutorContext = { outcomes: outcomesOf(compiled, loaded) };
  const { data = null, errors = [] } = await executeWithHelix(schema, operation, context);
  return answerOf({ data, ...(errors.length > 0 && { errors: presentErrors(errors, conceal) }) });
}

function answerOf(result: { readonly data: unknown; readonly errors?: readonly unknown[] }): Answer {
  const body = Buffer.from(JSON.stringify(result));
  if (body.length > MAX_ANSWER_BYTES) throw tooLarge();
  return { body, failed: result.errors !== undefined };
}

function outcomesOf({ roots }: Compiled, loaded: readonly Loaded[]): Outcomes {
  return new Map(
    roots.map(({ key }, place) => {
      const root = loaded[place];
      return [
        key,
        () => {
          if (root?.status === 'rejected') throw root.reason;
          return root?.value?.source;
        },
      ] as const;
    }),
  );
}
