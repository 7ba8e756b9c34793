/** Collects what an operation selects, as the specification's CollectFields does, for every level at once. */
import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLIncludeDirective,
  GraphQLSkipDirective,
  getDirectiveValues,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import type { SelectedField } from './shape.ts';

/** A selected root field, with the node that its arguments stand on. */
export interface SelectedRoot extends SelectedField {
  readonly node: FieldNode;
}

export type Variables = Readonly<Record<string, unknown>>;

/** The operation a valid document means; null when the name is unknown or none of several is named. */
export function operationOf(
  document: DocumentNode,
  name: string | undefined,
): OperationDefinitionNode | null {
  const operations = document.definitions.filter(
    (definition) => definition.kind === Kind.OPERATION_DEFINITION,
  );
  if (name === undefined) return operations.length === 1 ? (operations[0] ?? null) : null;
  return operations.find((operation) => operation.name?.value === name) ?? null;
}

/** Root fields in the order of the answer. Variables matter for `@skip` and `@include` only. */
export function collectRoots(
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Variables,
): readonly SelectedRoot[] {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition);
  }
  const context: Context = { fragments, variables };
  return [...collect([operation.selectionSet], context)].flatMap(([key, nodes]) => {
    const node = nodes[0];
    return node === undefined ? [] : [{ node, ...selectedField(key, nodes, context) }];
  });
}

interface Context {
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly variables: Variables;
}

function selectedField(key: string, nodes: readonly FieldNode[], context: Context): SelectedField {
  const sets = nodes.flatMap(({ selectionSet }) => selectionSet ?? []);
  const selections = [...collect(sets, context)].map(([childKey, children]) =>
    selectedField(childKey, children, context),
  );
  return { key, name: nodes[0]?.name.value ?? key, selections };
}

/** Fields of the same response key belong together: validation has seen to it that they agree. */
function collect(sets: readonly SelectionSetNode[], context: Context): Map<string, FieldNode[]> {
  const fields = new Map<string, FieldNode[]>();
  const spread = new Set<string>();
  const visit = (selection: SelectionNode): void => {
    if (!isIncluded(selection, context.variables)) return;
    if (selection.kind === Kind.FIELD) {
      const key = selection.alias?.value ?? selection.name.value;
      const known = fields.get(key);
      if (known === undefined) fields.set(key, [selection]);
      else known.push(selection);
      return;
    }
    if (selection.kind === Kind.FRAGMENT_SPREAD) {
      const name = selection.name.value;
      if (spread.has(name)) return;
      spread.add(name);
    }
    // The schema has no interfaces and no unions, so a valid fragment's type condition always holds.
    const set =
      selection.kind === Kind.INLINE_FRAGMENT ? selection : context.fragments.get(selection.name.value);
    for (const inner of set?.selectionSet.selections ?? []) visit(inner);
  };
  for (const set of sets) for (const selection of set.selections) visit(selection);
  return fields;
}

function isIncluded(node: SelectionNode, variables: Variables): boolean {
  if (node.directives === undefined || node.directives.length === 0) return true;
  if (getDirectiveValues(GraphQLSkipDirective, node, variables)?.if === true) return false;
  return getDirectiveValues(GraphQLIncludeDirective, node, variables)?.if !== false;
}
