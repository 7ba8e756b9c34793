/** What an operation asks for, in a word that the schema has and clients cannot make up: for counting. */
import { type DocumentNode, Kind, type OperationDefinitionNode, type SelectionSetNode } from 'graphql';

export const SEVERAL = 'several';

/** The name of its root field; `several` for more than one. Of a valid document. */
export function rootFieldOf(document: DocumentNode, operation: OperationDefinitionNode): string {
  const known = names.get(operation);
  if (known !== undefined) return known;
  const found = new Set<string>();
  collect(operation.selectionSet, { document, found, opened: new Set() });
  const [first = SEVERAL] = found;
  const name = found.size > 1 ? SEVERAL : first;
  names.set(operation, name);
  return name;
}

const names = new WeakMap<OperationDefinitionNode, string>();

interface Walk {
  readonly document: DocumentNode;
  readonly found: Set<string>;
  /** Fragments are opened once each, or a few that hold the next one twice would take for ever. */
  readonly opened: Set<string>;
}

/** By name and not by alias. */
function collect({ selections }: SelectionSetNode, walk: Walk): void {
  for (const node of selections) {
    if (node.kind === Kind.FIELD) walk.found.add(node.name.value);
    else if (node.kind === Kind.INLINE_FRAGMENT) collect(node.selectionSet, walk);
    else if (!walk.opened.has(node.name.value)) {
      walk.opened.add(node.name.value);
      for (const other of walk.document.definitions) {
        const isIt = other.kind === Kind.FRAGMENT_DEFINITION && other.name.value === node.name.value;
        if (isIt) collect(other.selectionSet, walk);
      }
    }
  }
}
