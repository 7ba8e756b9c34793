/**
 * Walks an operation once: collects its fields at all levels, like the specification's CollectFields, and adds up their cost. Equal
 * selections are walked once, so that nested fragments cost no more than their text; the remaining cases are bounded.
 */
import {
  type DirectiveNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLCompositeType,
  type GraphQLField,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isCompositeType,
  isInterfaceType,
  isListType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  SchemaMetaFieldDef,
  type SelectionNode,
  type SelectionSetNode,
  TypeMetaFieldDef,
} from 'graphql';
import { type Cost, entriesOf, type Fields, type Term } from './cost.ts';
import {
  type FirstArgument,
  firstIn,
  type SelectedField,
  type Selections,
  type Variables,
} from './project.ts';
import { type Refusal, refuse } from './refusal.ts';

/** The root fields, cost and name of an operation, for given values of the variables in its directives and `first` arguments. */
export interface Selection {
  /** In the order of the answer. */
  readonly roots: readonly SelectedRoot[];
  readonly cost: Cost;
  /** The root field's name or `several`: never a text of the client's. */
  readonly rootField: string;
}

/** A selected root field with its nodes in the document; their arguments are equal. */
export interface SelectedRoot extends SelectedField {
  readonly node: FieldNode;
  readonly nodes: readonly FieldNode[];
}

/** An operation of a valid document. */
interface ValidOperation {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly definition: OperationDefinitionNode;
}

/** `conditions`: names of the variables that the selection depends on. */
export function compileOperation(operation: ValidOperation, values: Variables) {
  const walk = new Walk(operation, values);
  return { selected: walk.compile(operation.definition), conditions: walk.conditions };
}

/**
 * D2: selections that one walk may visit, with long names counted more. So many take some 10 ms; ordinary documents visit as many as they
 * have fields, a few hundred.
 */
export const MAX_VISITS = 100_000;
const CHARACTERS_A_VISIT = 64;

/** One of the selection sets that select from the same object. */
interface Part {
  readonly set: SelectionSetNode;
  /** False under a condition that does not hold: the set counts towards the cost all the same. */
  readonly isIncluded: boolean;
}

/** The fields selected from one object, and their number. */
interface Group {
  readonly selections: Selections;
  readonly fields: Fields;
}

/** Nodes of one response key, which validation found to be mergeable; false for those under a condition that does not hold. */
interface Collected {
  readonly nodes: Map<FieldNode, boolean>;
  isIncluded: boolean;
}

class TooManyVisits extends Error {}

class Walk {
  readonly conditions = new Set<string>();
  readonly #schema: GraphQLSchema;
  readonly #values: Variables;
  readonly #fragments = new Map<string, FragmentDefinitionNode>();
  readonly #groups = new Map<string, Group>();
  readonly #setIds = new Map<SelectionSetNode, number>();
  #visits = 0;
  #nullCondition: string | undefined;

  constructor({ schema, document }: ValidOperation, values: Variables) {
    this.#schema = schema;
    this.#values = values;
    for (const definition of document.definitions) {
      if (definition.kind === Kind.FRAGMENT_DEFINITION) {
        this.#fragments.set(definition.name.value, definition);
      }
    }
  }

  compile(operation: OperationDefinitionNode): Selection | Refusal {
    const type = this.#schema.getRootType(operation.operation);
    if (!type) throw new Error(`expected a type for ${operation.operation} operations, found none`);
    try {
      const compiled = this.#compileRoots(type, operation);
      if (this.#nullCondition === undefined) return compiled;
      const message = `Variable "$${this.#nullCondition}" must not be null: @skip or @include looks at it.`;
      return refuse('GRAPHQL_VALIDATION_FAILED', message);
    } catch (thrown) {
      if (!(thrown instanceof TooManyVisits)) throw thrown;
      const message = `The operation has more than ${MAX_VISITS} selections once its fragments are expanded; the limit is ${MAX_VISITS}.`;
      return refuse('QUERY_TOO_COMPLEX', message);
    }
  }

  #compileRoots(type: GraphQLCompositeType, operation: OperationDefinitionNode): Selection {
    const roots: SelectedRoot[] = [];
    const terms: Term[] = [];
    const names = new Set<string>();
    const collected = this.#collect([{ set: operation.selectionSet, isIncluded: true }]);
    for (const [key, { nodes, isIncluded }] of collected) {
      const included = [...nodes.keys()].filter((node) => nodes.get(node) === true);
      const [node] = nodes.keys();
      if (node === undefined) continue;
      names.add(node.name.value);
      const { selections, term } = this.#root(type, node, nodes);
      terms.push(term);
      const name = node.name.value;
      if (isIncluded) roots.push({ key, name, selections, first: null, node, nodes: included });
    }
    const [name = SEVERAL] = names;
    return {
      roots,
      cost: { rootFields: collected.size, terms },
      rootField: names.size > 1 ? SEVERAL : name,
    };
  }

  #root(type: GraphQLCompositeType, node: FieldNode, nodes: Collected['nodes']) {
    const name = node.name.value;
    const field = fieldOf(this.#schema, type, name);
    const { selections, fields } = this.#below(field, nodes);
    const entries = entriesOf(this.#schema, { path: `${type.name}.${name}`, field, node });
    const own = name === TYPENAME ? 0 : 1;
    const term: Term = isList(field)
      ? { fixed: own, each: fields.fixed, entries }
      : { fixed: own + fields.fixed, each: fields.each, entries };
    return { selections, term };
  }

  /** The selection below a field. */
  #below(field: GraphQLField<unknown, unknown> | undefined, nodes: Collected['nodes']): Group {
    const type = field && getNamedType(field.type);
    if (!isCompositeType(type)) return NOTHING;
    const parts: Part[] = [];
    for (const [{ selectionSet }, isIncluded] of nodes) {
      if (selectionSet !== undefined) parts.push({ set: this.#innermost(selectionSet), isIncluded });
    }
    const key = parts.map(({ set, isIncluded }) => `${this.#idOf(set)}${isIncluded ? '' : '-'}`).join();
    const known = this.#groups.get(key);
    if (known !== undefined) return known;
    const group = this.#group(type, parts);
    this.#groups.set(key, group);
    return group;
  }

  #group(type: GraphQLCompositeType, parts: readonly Part[]): Group {
    const selections: SelectedField[] = [];
    let fixed = 0;
    let each = 0;
    for (const [key, { nodes, isIncluded }] of this.#collect(parts)) {
      const [node] = nodes.keys();
      const name = node?.name.value ?? key;
      const field = fieldOf(this.#schema, type, name);
      const below = this.#below(field, nodes);
      const first = node === undefined ? null : this.#firstOf(node);
      if (node !== undefined && name !== TYPENAME) {
        const cost = this.#costOf(type, { field, node, first, below: below.fields });
        fixed += cost.fixed;
        each += cost.each;
      }
      if (isIncluded) selections.push({ key, name, selections: below.selections, first });
    }
    return { selections, fields: { fixed, each } };
  }

  #firstOf({ arguments: args = [] }: FieldNode): FirstArgument | null {
    const value = args.find(({ name }) => name.value === 'first')?.value;
    if (value?.kind === Kind.INT) return Number(value.value);
    if (value?.kind !== Kind.VARIABLE) return null;
    this.conditions.add(value.name.value);
    return value.name.value;
  }

  #costOf(type: GraphQLCompositeType, { field, node, first, below }: Costed): Fields {
    const path = `${type.name}.${node.name.value}`;
    // The page's length is the root field's argument: fields of an entry count for each entry.
    if (path === PAGE) return { fixed: 1, each: below.fixed };
    if (!isList(field)) return { fixed: 1 + below.fixed, each: below.each };
    const estimate = entriesOf(this.#schema, { path, field, node })({});
    const entries = Math.max(1, Math.min(estimate, firstIn(this.#values, first) ?? estimate));
    return { fixed: 1 + entries * below.fixed, each: 0 };
  }

  /** By response key, in the order of the first included node. */
  #collect(parts: readonly Part[]): Map<string, Collected> {
    const fields = new Map<string, Collected>();
    /** Fragments by name, and whether any spread of them is included. */
    const spread = new Map<string, boolean>();
    const visit = (selection: SelectionNode, isIncludedHere: boolean): void => {
      const isIncluded = this.#isIncluded(selection) && isIncludedHere;
      if (selection.kind === Kind.FIELD) {
        this.#addField(fields, selection, isIncluded);
        return;
      }
      this.#count('');
      if (selection.kind === Kind.FRAGMENT_SPREAD) {
        const name = selection.name.value;
        const before = spread.get(name);
        if (before === true || before === isIncluded) return;
        spread.set(name, isIncluded);
      }
      // The schema has no interfaces and no unions, so a valid fragment's type condition always holds.
      const set =
        selection.kind === Kind.INLINE_FRAGMENT ? selection : this.#fragments.get(selection.name.value);
      for (const inner of set?.selectionSet.selections ?? []) visit(inner, isIncluded);
    };
    for (const { set, isIncluded } of parts) for (const node of set.selections) visit(node, isIncluded);
    return fields;
  }

  #addField(fields: Map<string, Collected>, node: FieldNode, isIncluded: boolean): void {
    const key = node.alias?.value ?? node.name.value;
    this.#count(key);
    const known = fields.get(key);
    if (known === undefined) {
      fields.set(key, { nodes: new Map([[node, isIncluded]]), isIncluded });
      return;
    }
    if (known.nodes.get(node) !== true) known.nodes.set(node, isIncluded);
    if (!isIncluded || known.isIncluded) return;
    known.isIncluded = true;
    fields.delete(key);
    fields.set(key, known);
  }

  #count(key: string): void {
    this.#visits += 1 + Math.floor(key.length / CHARACTERS_A_VISIT);
    if (this.#visits > MAX_VISITS) throw new TooManyVisits();
  }

  #isIncluded({ directives = [] }: SelectionNode): boolean {
    let isIncluded = true;
    for (const directive of directives) {
      const unless = UNLESS[directive.name.value];
      if (unless !== undefined && this.#conditionOf(directive) === unless) isIncluded = false;
    }
    return isIncluded;
  }

  #conditionOf({ arguments: args = [] }: DirectiveNode): unknown {
    const value = args.find(({ name }) => name.value === 'if')?.value;
    if (value?.kind === Kind.BOOLEAN) return value.value;
    if (value?.kind !== Kind.VARIABLE) return undefined;
    const name = value.name.value;
    this.conditions.add(name);
    const given = this.#values[name] ?? null;
    if (given === null) this.#nullCondition ??= name;
    return given;
  }

  /** A set with a single fragment selects what the fragment does: so both are the same group. */
  #innermost(set: SelectionSetNode): SelectionSetNode {
    let inner = set;
    for (;;) {
      const [only] = inner.selections;
      const isAlone = inner.selections.length === 1 && !only?.directives?.length;
      if (only === undefined || !isAlone || only.kind === Kind.FIELD) return inner;
      const fragment = only.kind === Kind.INLINE_FRAGMENT ? only : this.#fragments.get(only.name.value);
      if (fragment === undefined) return inner;
      inner = fragment.selectionSet;
    }
  }

  #idOf(set: SelectionSetNode): number {
    const id = this.#setIds.get(set) ?? this.#setIds.size;
    this.#setIds.set(set, id);
    return id;
  }
}

interface Costed {
  readonly field: GraphQLField<unknown, unknown> | undefined;
  readonly node: FieldNode;
  readonly first: FirstArgument | null;
  readonly below: Fields;
}

const TYPENAME = '__typename';
const SEVERAL = 'several';
/** `EventConnection.data` is the one list below a root field whose length a client chooses. */
const PAGE = 'EventConnection.data';

/** The value of the condition that excludes the selection. */
const UNLESS: Readonly<Record<string, boolean>> = { skip: true, include: false };

function fieldOf(
  schema: GraphQLSchema,
  type: GraphQLCompositeType,
  name: string,
): GraphQLField<unknown, unknown> | undefined {
  if (type === schema.getQueryType()) {
    if (name === SchemaMetaFieldDef.name) return SchemaMetaFieldDef;
    if (name === TypeMetaFieldDef.name) return TypeMetaFieldDef;
  }
  return isObjectType(type) || isInterfaceType(type) ? type.getFields()[name] : undefined;
}

function isList(field: GraphQLField<unknown, unknown> | undefined): boolean {
  return field !== undefined && isListType(getNullableType(field.type));
}

const NO_SELECTIONS: Selections = [];
const NOTHING: Group = { selections: NO_SELECTIONS, fields: { fixed: 0, each: 0 } };
