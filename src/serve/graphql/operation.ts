/**
 * Reads operations of valid documents, with the values that were sent: variables are coerced, and the fields at all levels collected in
 * one walk, like the specification's CollectFields. Equal selections are walked once, so that nested fragments cost no more than their
 * text; the remaining cases are bounded.
 */
import {
  type ArgumentNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLSchema,
  getVariableValues,
  type InlineFragmentNode,
  Kind,
  type OperationDefinitionNode,
  print,
  type SelectionNode,
  type SelectionSetNode,
  valueFromASTUntyped,
} from 'graphql';
import { ERROR_LIMIT, Refused, refusalOfErrors, refuse } from './refusal.ts';
import type {
  Nodes,
  Operation,
  Parameters,
  RootField,
  SelectedField,
  Selections,
  Variables,
} from './selection.ts';

/** Reads an operation of a document with the variables that were sent. Throws Refused. */
type ReadOperation = (
  document: DocumentNode,
  definition: OperationDefinitionNode,
  sent: Pick<Parameters, 'query' | 'variables'>,
) => Operation;

/** For valid documents. Clients seldom change the values of `@skip`, `@include` and `first`: the latest selection of each is cached. */
export function createOperationReader(schema: GraphQLSchema): ReadOperation {
  const latest = new WeakMap<OperationDefinitionNode, Selected>();
  return (document, definition, { query, variables }) => {
    const values = coerce(schema, definition, variables);
    const previous = latest.get(definition);
    const isSame = previous !== undefined && conditionsKey(previous.conditions, values) === previous.key;
    const selected = isSame ? previous : collectOperation(document, definition, values);
    latest.set(definition, selected);
    return { roots: selected.roots, values, sent: { query, variables, document, definition } };
  };
}

interface Selected {
  readonly roots: Operation['roots'];
  /** Names of the variables that it depends on, and their values. */
  readonly conditions: ReadonlySet<string>;
  readonly key: string;
}

function collectOperation(
  document: DocumentNode,
  definition: OperationDefinitionNode,
  values: Variables,
): Selected {
  const walk = new Walk(document, values);
  const roots = walk.rootsOf(definition.selectionSet);
  const { conditions } = walk;
  return { roots, conditions, key: conditionsKey(conditions, values) };
}

function conditionsKey(conditions: ReadonlySet<string>, values: Variables): string {
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
  const limit = entries > MANY_ENTRIES ? ONE_ERROR : ERROR_LIMIT;
  const { coerced, errors } = getVariableValues(schema, variableDefinitions, variables, limit);
  if (errors !== undefined) throw new Refused(refusalOfErrors('GRAPHQL_VALIDATION_FAILED', errors));
  return coerced;
}

/** D2: entries of one list in the variables; the tokens of a document bound those of its literals. */
const MAX_LIST = 2_000;
/** Each error prints the value that it concerns, with all that is in it. */
const ONE_ERROR = { maxErrors: 1 };
/** Entries of lists and objects together; more than people write. */
const MANY_ENTRIES = 500;

interface Size {
  /** The entries of lists and objects at all depths. */
  readonly entries: number;
  readonly longestList: number;
}

/** The values themselves are a list, too: a document has room for fewer variables than a list has entries. */
function sizeOf(values: readonly unknown[]): Size {
  let entries = 0;
  let longestList = 0;
  const waiting: unknown[] = [values];
  while (waiting.length > 0 && longestList <= MAX_LIST) {
    const value = waiting.pop();
    if (typeof value !== 'object' || value === null) continue;
    const inner: readonly unknown[] = Object.values(value);
    entries += inner.length;
    if (Array.isArray(value)) longestList = Math.max(longestList, value.length);
    for (const one of inner) waiting.push(one);
  }
  return { entries, longestList };
}

/** D2: root fields of one operation. */
const MAX_ROOT_FIELDS = 20;

/**
 * D2: selections that one walk may visit, with long names counted more. Ordinary documents visit as many as they
 * have fields, a few hundred.
 */
const MAX_VISITS = 100_000;
const CHARACTERS_A_VISIT = 64;

/** Collects the fields of an operation of a valid document, in the order of the answer. Throws Refused. */
class Walk {
  /** Names of the variables that the selection depends on: those in its directives and `first` arguments. */
  readonly conditions = new Set<string>();
  readonly #values: Variables;
  readonly #fragments = new Map<string, FragmentDefinitionNode>();
  /** By the positions of the selection sets in the document. */
  readonly #collected = new Map<string, Selections>();
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
    return Array.from(fields, ([key, nodes]) => ({ ...this.#readField(key, nodes), nodes }));
  }

  #readField(key: string, nodes: Nodes): SelectedField {
    const [{ name, arguments: args }] = nodes;
    const sets = nodes.flatMap(({ selectionSet }) => (selectionSet ? this.#innermost(selectionSet) : []));
    const selections = this.#below(sets);
    return { key, name: name.value, selections, first: this.#argument(args, 'first') };
  }

  /** The fragment's set, if the set only spreads one fragment: fields that spread the same fragment then share one selection. */
  #innermost(set: SelectionSetNode): SelectionSetNode {
    const [first] = set.selections;
    const isOneSelection = set.selections.length === 1;
    if (!isOneSelection || first?.kind !== Kind.FRAGMENT_SPREAD || first.directives?.length) return set;
    const fragment = this.#fragments.get(first.name.value);
    return fragment === undefined ? set : this.#innermost(fragment.selectionSet);
  }

  #below(sets: readonly SelectionSetNode[]): Selections {
    const positions = sets.map(({ loc }) => loc?.start).join();
    const collected = this.#collected.get(positions);
    if (collected !== undefined) return collected;
    const selections = Array.from(this.#collect(sets), ([key, nodes]) => this.#readField(key, nodes));
    this.#collected.set(positions, selections);
    return selections;
  }

  /** By response key. */
  #collect(sets: readonly SelectionSetNode[]): ReadonlyMap<string, Nodes> {
    const fields = new Map<string, [FieldNode, ...FieldNode[]]>();
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
      let holder: InlineFragmentNode | FragmentDefinitionNode | undefined;
      if (selection.kind === Kind.INLINE_FRAGMENT) holder = selection;
      else if (!spread.has(selection.name.value)) {
        spread.add(selection.name.value);
        holder = this.#fragments.get(selection.name.value);
      }
      // The schema has no interfaces and no unions, so a valid fragment's type condition always holds.
      for (const inner of holder?.selectionSet.selections ?? []) visit(inner);
    };
    for (const { selections } of sets) for (const selection of selections) visit(selection);
    return fields;
  }

  #count(key: string): void {
    this.#visits += 1 + Math.floor(key.length / CHARACTERS_A_VISIT);
    if (this.#visits > MAX_VISITS) {
      const message = `The operation has more than ${MAX_VISITS} selections once its fragments are expanded; the limit is ${MAX_VISITS}.`;
      throw new Refused(refuse('QUERY_TOO_COMPLEX', message));
    }
  }

  /** A valid selection has no other directives than `@skip` and `@include`. */
  #isIncluded({ directives = [] }: SelectionNode): boolean {
    return directives.every((directive) => {
      const condition = this.#argument(directive.arguments, 'if') ?? null;
      if (condition !== null) return condition === (directive.name.value === 'include');
      const message = `The condition of ${print(directive)} must not be null.`;
      throw new Refused(refuse('GRAPHQL_VALIDATION_FAILED', message));
    });
  }

  /** Its value; undefined or null if it is not given. Notes the variable that it depends on. */
  #argument(args: readonly ArgumentNode[] = [], name: string): unknown {
    const value = args.find((argument) => argument.name.value === name)?.value;
    if (value?.kind === Kind.VARIABLE) this.conditions.add(value.name.value);
    return value && valueFromASTUntyped(value, this.#values);
  }
}
