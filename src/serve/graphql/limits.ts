/**
 * D2: what an answer could hold, counted before anything runs. A document is walked once; what stays is one term a root
 * field, so that the same operation with other variables costs a multiplication each.
 *
 * Counted is an upper bound: fields behind `@skip` and `@include` count as present, and a field that two fragments of
 * one selection set both ask for counts twice.
 */
import {
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
  type SelectionSetNode,
  TypeMetaFieldDef,
} from 'graphql';
import { type Entries, entriesOf, type Variables } from './entries.ts';
import { type Refusal, refuse } from './refusal.ts';

export const MAX_ROOT_FIELDS = 20;
export const MAX_FIELDS = 200_000;

/** Gives the refusal of an operation that is too costly. `variables` are coerced. */
export type CheckLimits = (
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Variables,
) => Refusal | undefined;

export function createLimits(schema: GraphQLSchema): CheckLimits {
  const costs = new WeakMap<OperationDefinitionNode, Cost>();
  return (document, operation, variables) => {
    let cost = costs.get(operation);
    if (cost === undefined) {
      cost = costOf(schema, document, operation);
      costs.set(operation, cost);
    }
    if (cost.rootFields > MAX_ROOT_FIELDS) {
      const message = `The operation has ${cost.rootFields} root fields; the limit is ${MAX_ROOT_FIELDS}.`;
      return refuse('QUERY_TOO_COMPLEX', message);
    }
    const fields = fieldsIn(cost, variables);
    if (fields > MAX_FIELDS) {
      const message = `The answer could hold ${fields} fields; the limit is ${MAX_FIELDS}.`;
      return refuse('QUERY_TOO_COMPLEX', message);
    }
    return undefined;
  };
}

/** Fields of an operation's answer: the sum of its terms. */
export interface Cost {
  readonly rootFields: number;
  readonly terms: readonly Term[];
}

/** `fixed + each × entries`. */
interface Term extends Fields {
  readonly entries: Entries;
}

/** Fields of one object: `fixed` of them once, `each` once for each entry of the root field's list. */
interface Fields {
  readonly fixed: number;
  readonly each: number;
}

export function fieldsIn({ terms }: Cost, variables: Variables): number {
  return terms.reduce((sum, { fixed, each, entries }) => sum + fixed + each * entries(variables), 0);
}

export function costOf(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): Cost {
  const root = schema.getRootType(operation.operation);
  if (!root) return { rootFields: 0, terms: [] };
  const walk = new Walk(schema, document);
  const fields = walk.rootFields(operation.selectionSet);
  const keys = new Set(fields.map(({ alias, name }) => (alias ?? name).value));
  return { rootFields: keys.size, terms: fields.map((field) => walk.term(root, field)) };
}

const ONE: Fields = { fixed: 1, each: 0 };

/** Each fragment is walked once, wherever it is spread, so that nesting costs no more than the document is long. */
class Walk {
  readonly #schema: GraphQLSchema;
  readonly #fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly #known = new Map<FragmentDefinitionNode, Fields>();

  constructor(schema: GraphQLSchema, document: DocumentNode) {
    this.#schema = schema;
    const fragments = document.definitions.filter((node) => node.kind === Kind.FRAGMENT_DEFINITION);
    this.#fragments = new Map(fragments.map((node) => [node.name.value, node]));
  }

  /** Fields of the operation itself, fragments opened. */
  rootFields(set: SelectionSetNode, spread = new Set<string>()): readonly FieldNode[] {
    return set.selections.flatMap((node): readonly FieldNode[] => {
      if (node.kind === Kind.FIELD) return [node];
      if (node.kind === Kind.INLINE_FRAGMENT) return this.rootFields(node.selectionSet, spread);
      const fragment = this.#fragments.get(node.name.value);
      if (fragment === undefined || spread.has(node.name.value)) return [];
      spread.add(node.name.value);
      return this.rootFields(fragment.selectionSet, spread);
    });
  }

  term(root: GraphQLCompositeType, node: FieldNode): Term {
    const field = this.#fieldOf(root, node);
    const entries = entriesOf(this.#schema, { path: `${root.name}.${node.name.value}`, field, node });
    const inner = this.#inside(field, node);
    if (field === undefined || !isList(field)) {
      return { fixed: 1 + inner.fixed, each: inner.each, entries };
    }
    return { fixed: 1, each: inner.fixed, entries };
  }

  #inside(field: GraphQLField<unknown, unknown> | undefined, node: FieldNode): Fields {
    const type = field && getNamedType(field.type);
    if (node.selectionSet === undefined || !isCompositeType(type)) return { fixed: 0, each: 0 };
    return this.#selections(type, node.selectionSet);
  }

  #selections(type: GraphQLCompositeType, set: SelectionSetNode): Fields {
    const spread = new Set<string>();
    let fixed = 0;
    let each = 0;
    for (const node of set.selections) {
      const fields = this.#selection(type, node, spread);
      fixed += fields.fixed;
      each += fields.each;
    }
    return { fixed, each };
  }

  #selection(
    type: GraphQLCompositeType,
    node: SelectionSetNode['selections'][number],
    spread: Set<string>,
  ): Fields {
    if (node.kind === Kind.FIELD) return this.#field(type, node);
    if (node.kind === Kind.INLINE_FRAGMENT) return this.#selections(type, node.selectionSet);
    const fragment = this.#fragments.get(node.name.value);
    if (fragment === undefined || spread.has(node.name.value)) return NONE;
    spread.add(node.name.value);
    let fields = this.#known.get(fragment);
    if (fields === undefined) {
      fields = this.#selections(type, fragment.selectionSet);
      this.#known.set(fragment, fields);
    }
    return fields;
  }

  #field(type: GraphQLCompositeType, node: FieldNode): Fields {
    const field = this.#fieldOf(type, node);
    if (field === undefined) return ONE;
    const inner = this.#inside(field, node);
    const path = `${type.name}.${node.name.value}`;
    // The page's length is the root field's argument: what is inside counts for each of its entries.
    if (path === PAGE) return { fixed: 1, each: inner.fixed };
    if (!isList(field)) return { fixed: 1 + inner.fixed, each: inner.each };
    const entries = entriesOf(this.#schema, { path, field, node })({});
    return { fixed: 1 + entries * inner.fixed, each: 0 };
  }

  #fieldOf(type: GraphQLCompositeType, node: FieldNode): GraphQLField<unknown, unknown> | undefined {
    const name = node.name.value;
    if (type === this.#schema.getQueryType()) {
      if (name === SchemaMetaFieldDef.name) return SchemaMetaFieldDef;
      if (name === TypeMetaFieldDef.name) return TypeMetaFieldDef;
    }
    return isObjectType(type) || isInterfaceType(type) ? type.getFields()[name] : undefined;
  }
}

const NONE: Fields = { fixed: 0, each: 0 };

/** `EventConnection.data` is the one list whose length a client chooses. */
const PAGE = 'EventConnection.data';

function isList({ type }: GraphQLField<unknown, unknown>): boolean {
  return isListType(getNullableType(type));
}
