/**
 * Operations of valid documents, prepared for the values that were sent: variables are coerced, fields collected, and their writers made.
 */
import {
  type DocumentNode,
  type GraphQLSchema,
  getArgumentValues,
  getVariableValues,
  type OperationDefinitionNode,
} from 'graphql';
import { planFirst } from '../query/plan.ts';
import { compileOperation, type SelectedRoot } from './compile.ts';
import { countIntrospection, introspect } from './introspection.ts';
import type { Projections, RootRequest, SelectedValue, SelectValue, Variables } from './project.ts';
import { MAX_ERRORS, Refused, refusalOf, refuse } from './refusal.ts';
import { ROOTS } from './roots.ts';
import { schema as ownSchema } from './schema.ts';

/** The parameters of a request; only their form is checked. */
export interface Parameters {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly operationName: string | undefined;
}

/** An operation that may run: valid, with coerced variables. */
export interface Operation {
  readonly roots: readonly OperationRoot[];
  readonly values: Variables;
  readonly sent: SentOperation;
}

/** An operation as the client sent it. */
export interface SentOperation extends Pick<Parameters, 'query' | 'variables'> {
  readonly document: DocumentNode;
  readonly definition: OperationDefinitionNode;
}

/** A selected root field, ready to be selected again and again. */
export interface OperationRoot extends SelectedRoot {
  readonly select: (operation: Operation, context: Omit<RootRequest, 'args'>) => Promise<SelectedValue>;
}

/** Prepares an operation of a document for the variables that were sent. Throws Refused. */
export type Prepare = (
  definition: OperationDefinitionNode,
  sent: Pick<Parameters, 'query' | 'variables'>,
) => Operation;

/** For a valid document. Clients seldom change the values of `@skip`, `@include` and `first`: the latest selection is kept. */
export function createPrepare(schema: GraphQLSchema, document: DocumentNode): Prepare {
  const latest = new Map<OperationDefinitionNode, Compiled>();
  return (definition, sent) => {
    const values = coerce(schema, definition, sent.variables);
    const known = latest.get(definition);
    const isSame = known !== undefined && keyOf(known.conditions, values) === known.key;
    const compiled = isSame ? known : compile(document, definition, values);
    latest.set(definition, compiled);
    return { roots: compiled.roots, values, sent: { ...sent, document, definition } };
  };
}

interface Compiled {
  readonly roots: Roots;
  /** Names of the variables that it depends on, and their values. */
  readonly conditions: ReadonlySet<string>;
  readonly key: string;
}

function compile(document: DocumentNode, definition: OperationDefinitionNode, values: Variables): Compiled {
  const { roots, conditions } = compileOperation(document, definition, values);
  const projections: Projections = new Map();
  return {
    roots: roots.map((root) => createRoot(root, projections)),
    conditions,
    key: keyOf(conditions, values),
  };
}

type Roots = Operation['roots'];

function keyOf(conditions: ReadonlySet<string>, values: Variables): string {
  return JSON.stringify(Array.from(conditions, (name) => values[name] ?? null));
}

function coerce(
  schema: GraphQLSchema,
  { variableDefinitions = [] }: OperationDefinitionNode,
  variables: Variables,
): Variables {
  const { entries, longestList } = sizeOf(
    variableDefinitions.map(({ variable }) => variables[variable.name.value]),
  );
  if (longestList > MAX_LIST) {
    const message = `A list in the variables has ${longestList} entries; the limit is ${MAX_LIST}.`;
    throw new Refused(refuse('QUERY_TOO_COMPLEX', message));
  }
  const limit = entries > MANY_ENTRIES ? ONE_ERROR : MAX_ERRORS;
  const { coerced, errors } = getVariableValues(schema, variableDefinitions, variables, limit);
  if (errors !== undefined) throw new Refused(refusalOf('GRAPHQL_VALIDATION_FAILED', errors));
  return coerced;
}

/** D2, cost before work: entries of one list in the variables; the tokens of a document bound those of its literals. */
const MAX_LIST = 2_000;
/** Each error prints the value that it concerns: for 16,000 unknown fields of a filter, 20 errors took 0.26 s. */
const ONE_ERROR = { maxErrors: 1 };
/** Entries of lists and objects together; more than people write. */
const MANY_ENTRIES = 500;

/** Of values at all depths. */
function sizeOf(values: readonly unknown[]): { readonly entries: number; readonly longestList: number } {
  let entries = 0;
  let longestList = 0;
  const waiting: unknown[] = [...values];
  while (waiting.length > 0) {
    const value = waiting.pop();
    if (typeof value !== 'object' || value === null) continue;
    const inner: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
    entries += inner.length;
    if (Array.isArray(value)) longestList = Math.max(longestList, value.length);
    if (longestList > MAX_LIST) break;
    for (const one of inner) waiting.push(one);
  }
  return { entries, longestList };
}

export function createRoot(root: SelectedRoot, projections: Projections): OperationRoot {
  const { name, nodes, selections, wrongFirst } = root;
  const field = ownSchema.getQueryType()?.getFields()[name];
  /** Made for the first execution. */
  let select: SelectValue | undefined;
  return {
    ...root,
    select: async ({ values, sent }, context) => {
      if (name === '__typename') return TYPENAME;
      if (field === undefined) return introspected(root, sent);
      select ??= ROOTS[name]?.(selections, projections);
      if (select === undefined) throw new Error(`expected a root field that can be answered, got "${name}"`);
      const selected = await select({ args: getArgumentValues(field, nodes[0], values), ...context });
      // Errors of the root field's own arguments precede errors below it.
      if (wrongFirst !== null) planFirst(wrongFirst);
      return selected;
    },
  };
}

const TYPENAME: SelectedValue = {
  fields: 0,
  events: 0,
  write: async (out) => {
    out.text += '"Query"';
  },
};

function introspected(root: SelectedRoot, sent: SentOperation): SelectedValue {
  return {
    fields: 1 + countIntrospection(root.selections),
    events: 0,
    write: async (out) => {
      out.text += JSON.stringify(await introspect(sent, root));
    },
  };
}
