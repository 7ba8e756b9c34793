/**
 * Operations of valid documents, prepared for the values that were sent: variables are coerced, the fields at all levels collected in one
 * walk, like the specification's CollectFields, and their writers made. Equal selections are walked once, so that nested fragments cost no
 * more than their text; the remaining cases are bounded.
 */
import {
  type DirectiveNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLSchema,
  getArgumentValues,
  getVariableValues,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import { planFirst } from '../query/plan.ts';
import { countIntrospection, introspect } from './introspection.ts';
import type {
  Projections,
  RootRequest,
  SelectedField,
  SelectedValue,
  Selections,
  SelectValue,
  Variables,
} from './project.ts';
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
export interface OperationRoot extends RootField {
  /** `node`: the first of `nodes`. */
  readonly select: (
    node: FieldNode,
    operation: Operation,
    context: Omit<RootRequest, 'args'>,
  ) => Promise<SelectedValue>;
}

/**
 * Prepares an operation of a document for the variables that were sent. `only`: its root field in a text that shares the document, with
 * arguments of its own. Throws Refused.
 */
export type Prepare = (
  definition: OperationDefinitionNode,
  sent: Pick<Parameters, 'query' | 'variables'>,
  only?: FieldNode,
) => Operation;

/** For a valid document. Clients seldom change the values of `@skip`, `@include` and `first`: the latest selection is kept. */
export function createPrepare(schema: GraphQLSchema, document: DocumentNode): Prepare {
  const latest = new Map<OperationDefinitionNode, Compiled>();
  return (definition, sent, only) => {
    const values = coerce(schema, definition, sent.variables);
    const known = latest.get(definition);
    const isSame = known !== undefined && keyOf(known.conditions, values) === known.key;
    const compiled = isSame ? known : compile(document, definition, values);
    latest.set(definition, compiled);
    const { roots } = compiled;
    return {
      roots: only === undefined ? roots : roots.map((root) => ({ ...root, nodes: [only] })),
      values,
      sent: { ...sent, document, definition },
    };
  };
}

interface Compiled {
  readonly roots: Roots;
  /** Names of the variables that it depends on, and their values. */
  readonly conditions: ReadonlySet<string>;
  readonly key: string;
}

function compile(document: DocumentNode, definition: OperationDefinitionNode, values: Variables): Compiled {
  const { roots, conditions } = collectFields(document, definition, values);
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
/** Each error prints the value that it concerns, with all that is in it. */
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

export function createRoot(root: RootField, projections: Projections): OperationRoot {
  const { name, selections, wrongFirst } = root;
  const field = ownSchema.getQueryType()?.getFields()[name];
  /** Made for the first execution. */
  let select: SelectValue | undefined;
  return {
    ...root,
    select: async (node, { values, sent }, context) => {
      if (name === '__typename') return TYPENAME;
      if (field === undefined) return introspected(root, sent);
      select ??= ROOTS[name]?.(selections, projections);
      if (select === undefined) throw new Error(`expected a root field that can be answered, got "${name}"`);
      const selected = await select({ args: getArgumentValues(field, node, values), ...context });
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

function introspected(root: RootField, sent: SentOperation): SelectedValue {
  return {
    fields: 1 + countIntrospection(root.selections),
    events: 0,
    write: async (out) => {
      out.text += JSON.stringify(await introspect(sent, root));
    },
  };
}

/** A selected root field. */
interface RootField extends SelectedField {
  /** In the document; their arguments are equal. */
  readonly nodes: readonly [FieldNode, ...FieldNode[]];
  /** C4, more facets, and first: an argument `first` below it that is less than 1; null if there is none. */
  readonly wrongFirst: number | null;
}

interface Collected {
  /** In the order of the answer. */
  readonly roots: readonly RootField[];
  /** Names of the variables that the selection depends on. */
  readonly conditions: ReadonlySet<string>;
}

/** An operation of a valid document, for given values of the variables in its directives and `first` arguments. Throws Refused. */
function collectFields(
  document: DocumentNode,
  { selectionSet }: OperationDefinitionNode,
  values: Variables,
): Collected {
  const walk = new Walk(document, values);
  return { roots: walk.rootsOf(selectionSet), conditions: walk.conditions };
}

/** D2, cost before work. */
const MAX_ROOT_FIELDS = 20;

/**
 * D2: selections that one walk may visit, with long names counted more. Ordinary documents visit as many as they
 * have fields, a few hundred.
 */
const MAX_VISITS = 100_000;
const CHARACTERS_A_VISIT = 64;

/** The fields selected from one object. */
interface Group {
  readonly selections: Selections;
  readonly wrongFirst: number | null;
}

/** Nodes of one response key, which validation found to be mergeable. */
type Nodes = [FieldNode, ...FieldNode[]];

class Walk {
  readonly conditions = new Set<string>();
  readonly #values: Variables;
  readonly #fragments = new Map<string, FragmentDefinitionNode>();
  readonly #groups = new Map<string, Group>();
  readonly #setIds = new Map<SelectionSetNode, number>();
  #visits = 0;

  constructor({ definitions }: DocumentNode, values: Variables) {
    this.#values = values;
    for (const definition of definitions) {
      if (definition.kind === Kind.FRAGMENT_DEFINITION)
        this.#fragments.set(definition.name.value, definition);
    }
  }

  rootsOf(set: SelectionSetNode): readonly RootField[] {
    const fields = this.#collect([set]);
    if (fields.size > MAX_ROOT_FIELDS) {
      const message = `The operation has ${fields.size} root fields; the limit is ${MAX_ROOT_FIELDS}.`;
      throw new Refused(refuse('QUERY_TOO_COMPLEX', message));
    }
    return [...fields].map(([key, nodes]) => ({
      key,
      name: nodes[0].name.value,
      first: null,
      nodes,
      ...this.#below(nodes),
    }));
  }

  /** The selection below a field. */
  #below(nodes: Nodes): Group {
    const sets = new Set<SelectionSetNode>();
    for (const { selectionSet } of nodes) if (selectionSet) sets.add(this.#innermost(selectionSet));
    if (sets.size === 0) return NOTHING;
    const key = Array.from(sets, (set) => this.#idOf(set)).join();
    const group = this.#groups.get(key) ?? this.#group(sets);
    this.#groups.set(key, group);
    return group;
  }

  #group(sets: Iterable<SelectionSetNode>): Group {
    const selections: SelectedField[] = [];
    let wrongFirst: number | null = null;
    for (const [key, nodes] of this.#collect(sets)) {
      const below = this.#below(nodes);
      const first = this.#firstOf(nodes[0]);
      wrongFirst ??= first !== null && first < 1 ? first : below.wrongFirst;
      selections.push({ key, name: nodes[0].name.value, selections: below.selections, first });
    }
    return { selections, wrongFirst };
  }

  #firstOf({ arguments: args = [] }: FieldNode): number | null {
    const value = args.find(({ name }) => name.value === 'first')?.value;
    if (value?.kind === Kind.INT) return Number(value.value);
    const given = value?.kind === Kind.VARIABLE ? this.#valueOf(value.name.value) : null;
    return typeof given === 'number' ? given : null;
  }

  /** By response key. */
  #collect(sets: Iterable<SelectionSetNode>): Map<string, Nodes> {
    const fields = new Map<string, Nodes>();
    const spread = new Set<string>();
    const visit = (selection: SelectionNode): void => {
      if (!this.#isIncluded(selection)) return;
      if (selection.kind === Kind.FIELD) {
        const key = selection.alias?.value ?? selection.name.value;
        this.#count(key);
        const nodes = fields.get(key);
        if (nodes === undefined) fields.set(key, [selection]);
        else nodes.push(selection);
        return;
      }
      this.#count('');
      if (selection.kind === Kind.FRAGMENT_SPREAD) {
        if (spread.has(selection.name.value)) return;
        spread.add(selection.name.value);
      }
      // The schema has no interfaces and no unions, so a valid fragment's type condition always holds.
      for (const inner of this.#setOf(selection)?.selections ?? []) visit(inner);
    };
    for (const { selections } of sets) for (const selection of selections) visit(selection);
    return fields;
  }

  #setOf(selection: Exclude<SelectionNode, FieldNode>): SelectionSetNode | undefined {
    const holder =
      selection.kind === Kind.INLINE_FRAGMENT ? selection : this.#fragments.get(selection.name.value);
    return holder?.selectionSet;
  }

  #count(key: string): void {
    this.#visits += 1 + Math.floor(key.length / CHARACTERS_A_VISIT);
    if (this.#visits <= MAX_VISITS) return;
    const message = `The operation has more than ${MAX_VISITS} selections once its fragments are expanded; the limit is ${MAX_VISITS}.`;
    throw new Refused(refuse('QUERY_TOO_COMPLEX', message));
  }

  #isIncluded({ directives = [] }: SelectionNode): boolean {
    return directives.every((directive) => {
      const unless = UNLESS.get(directive.name.value);
      return unless === undefined || this.#conditionOf(directive) !== unless;
    });
  }

  #conditionOf({ arguments: args = [] }: DirectiveNode): unknown {
    const value = args.find(({ name }) => name.value === 'if')?.value;
    if (value?.kind === Kind.BOOLEAN) return value.value;
    if (value?.kind !== Kind.VARIABLE) return undefined;
    const name = value.name.value;
    const given = this.#valueOf(name) ?? null;
    if (given !== null) return given;
    const message = `Variable "$${name}" must not be null: @skip or @include looks at it.`;
    throw new Refused(refuse('GRAPHQL_VALIDATION_FAILED', message));
  }

  #valueOf(variable: string): unknown {
    this.conditions.add(variable);
    return this.#values[variable];
  }

  /** A set with a single fragment selects what the fragment does: so both are the same group. */
  #innermost(set: SelectionSetNode): SelectionSetNode {
    let inner = set;
    for (;;) {
      const [only, ...others] = inner.selections;
      if (only === undefined || only.kind === Kind.FIELD) return inner;
      if (others.length > 0 || only.directives?.length) return inner;
      const next = this.#setOf(only);
      if (next === undefined) return inner;
      inner = next;
    }
  }

  #idOf(set: SelectionSetNode): number {
    const id = this.#setIds.get(set) ?? this.#setIds.size;
    this.#setIds.set(set, id);
    return id;
  }
}

const NOTHING: Group = { selections: [], wrongFirst: null };

/** The value of the condition that excludes the selection. */
const UNLESS: ReadonlyMap<string, boolean> = new Map([
  ['skip', true],
  ['include', false],
]);
