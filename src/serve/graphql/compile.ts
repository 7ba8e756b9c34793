/**
 * Walks an operation once and collects its fields at all levels, like the specification's CollectFields. Equal selections are walked once,
 * so that nested fragments cost no more than their text; the remaining cases are bounded.
 */
import {
  type DirectiveNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import type { SelectedField, Selections, Variables } from './project.ts';
import { Refused, refuse } from './refusal.ts';

/** A selected root field. */
export interface SelectedRoot extends SelectedField {
  /** In the document; their arguments are equal. */
  readonly nodes: readonly [FieldNode, ...FieldNode[]];
  /** C4, more facets, and first: an argument `first` below it that is less than 1; null if there is none. */
  readonly wrongFirst: number | null;
}

export interface Compiled {
  /** In the order of the answer. */
  readonly roots: readonly SelectedRoot[];
  /** Names of the variables that the selection depends on. */
  readonly conditions: ReadonlySet<string>;
}

/** An operation of a valid document, for given values of the variables in its directives and `first` arguments. Throws Refused. */
export function compileOperation(
  document: DocumentNode,
  { selectionSet }: OperationDefinitionNode,
  values: Variables,
): Compiled {
  const walk = new Walk(document, values);
  return { roots: walk.rootsOf(selectionSet), conditions: walk.conditions };
}

/** D2, cost before work. */
const MAX_ROOT_FIELDS = 20;

/**
 * D2: selections that one walk may visit, with long names counted more. So many take some 10 ms; ordinary documents visit as many as they
 * have fields, a few hundred.
 */
export const MAX_VISITS = 100_000;
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

  rootsOf(set: SelectionSetNode): readonly SelectedRoot[] {
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
