/**
 * Answers operations. Each one is compiled once into a projection that joins ready-made JSON; what the projection does
 * not cover (introspection, and operations of which a field failed) goes through the ordinary executor, over the same
 * loaded root fields, and gives the same bytes.
 */
import { type DocumentNode, getArgumentValues, Kind, visit } from 'graphql';
import { LRUCache } from 'lru-cache';
import { isCalendarError } from '../../calendar/errors.ts';
import { type View, viewAt } from '../nodes/view.ts';
import type { Arguments } from '../plan.ts';
import type { Answer, Execute, Moment, Operation } from './answer.ts';
import { collectRoots, operationOf, type SelectedRoot, type Variables } from './collect.ts';
import { executeWithHelix } from './helix.ts';
import { fieldAt, type Pattern, placeOf } from './pattern.ts';
import { type Conceal, presentErrors } from './refusal.ts';
import { type LoadedRoot, type LoadRoot, type Outcomes, ROOTS } from './roots.ts';
import { type ExecutorContext, schema } from './schema.ts';
import type { SelectedField } from './shape.ts';

export function createExecute(conceal: Conceal): Execute {
  return async (operation, moment) => {
    const { compiled, loaded } = await load(operation, moment);
    const projected = compiled.coversAll ? write(compiled, loaded) : null;
    return projected ?? interrupted(loaded) ?? executed(operation, outcomesOf(compiled, loaded), conceal);
  };
}

/** The same answers by the ordinary executor alone: what the projection is held against. */
export function createOrdinaryExecute(conceal: Conceal): Execute {
  return async (operation, moment) => {
    const { compiled, loaded } = await load(operation, moment);
    return executed(operation, outcomesOf(compiled, loaded), conceal);
  };
}

async function load(operation: Operation, { snapshot, now }: Moment): Promise<LoadedOperation> {
  const { document, values } = operation;
  const compiled = compiledOf(operation);
  const request = { document, values, view: viewAt(snapshot, now), now };
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
  /** Without the node: no document outlives its request for this. */
  readonly selected: SelectedField;
  readonly argumentsOf: ReadArguments;
  /** Null for `__typename` and introspection. */
  readonly load: LoadRoot | null;
}

/** Of any document of the pattern. */
type ReadArguments = (document: DocumentNode, values: Variables) => Arguments;

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
function conditionVariables({ document, pattern }: Operation): readonly string[] {
  const known = conditionNames.get(pattern);
  if (known !== undefined) return known;
  const names = new Set<string>();
  visit(document, {
    Directive: ({ arguments: args = [] }) => {
      for (const { value } of args) if (value.kind === Kind.VARIABLE) names.add(value.name.value);
    },
  });
  const list = [...names];
  conditionNames.set(pattern, list);
  return list;
}

function compile({ document, operationName, values }: Operation): Compiled {
  const definition = operationOf(document, operationName);
  if (definition === null) throw new Error(`expected an operation named ${operationName}, found none`);
  const roots = collectRoots(document, definition, values).map((root) => compileRoot(document, root));
  return {
    roots,
    coversAll: roots.every(({ load, selected }) => load !== null || selected.name === '__typename'),
  };
}

function compileRoot(document: DocumentNode, { node, ...selected }: SelectedRoot): CompiledRoot {
  const { key, name, selections } = selected;
  const root = ROOTS[name];
  const field = schema.getQueryType()?.getFields()[name];
  if (root === undefined || field === undefined) {
    return { key, selected, argumentsOf: () => ({}), load: null };
  }
  const place = placeOf(document, node);
  return {
    key,
    selected,
    argumentsOf: (like, given) => getArgumentValues(field, fieldAt(like, place), given),
    load: root.compile(selections),
  };
}

interface Request extends Pick<Operation, 'document' | 'values'> {
  readonly view: View;
  readonly now: number;
}

function loadRoots(compiled: Compiled, request: Request): Promise<readonly Loaded[]> {
  const { document, values, view, now } = request;
  return Promise.allSettled(
    compiled.roots.map(async ({ load, argumentsOf, selected }) => {
      if (load === null) return null;
      const selects = (name: string) => selected.selections.some((field) => field.name === name);
      return load({ args: argumentsOf(document, values), view, now, selects });
    }),
  );
}

const QUERY_TYPENAME = '"Query"';

/** The answer as joined text, or null when a root field failed. */
function write({ roots }: Compiled, loaded: readonly Loaded[]): Answer | null {
  let body = '{"data":{';
  for (const [place, { key }] of roots.entries()) {
    const root = loaded[place];
    if (root?.status !== 'fulfilled') return null;
    body += `${place === 0 ? '' : ','}${JSON.stringify(key)}:${root.value === null ? QUERY_TYPENAME : root.value.write()}`;
  }
  return { body: `${body}}}`, failed: false };
}

/** D2: a statement that took too long leaves no data at all. */
function interrupted(loaded: readonly Loaded[]): Answer | null {
  const slow = loaded.find(
    (root) => root.status === 'rejected' && isCalendarError(root.reason) && root.reason.code === 'TIMEOUT',
  );
  if (slow?.status !== 'rejected') return null;
  const { message, code } = slow.reason;
  return { body: JSON.stringify({ data: null, errors: [{ message, extensions: { code } }] }), failed: true };
}

async function executed(operation: Operation, outcomes: Outcomes, conceal: Conceal): Promise<Answer> {
  const context: ExecutorContext = { outcomes };
  const { data = null, errors = [] } = await executeWithHelix(schema, operation, context);
  if (errors.length === 0) return { body: JSON.stringify({ data }), failed: false };
  return { body: JSON.stringify({ data, errors: presentErrors(errors, conceal) }), failed: true };
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
