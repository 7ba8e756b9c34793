/** Introspection, which graphql-js executes. */
import { type ExecutionResult, execute, Kind, print, type SelectionSetNode } from 'graphql';
import type { SelectedValue } from './answer.ts';
import { schema } from './schema.ts';
import type { Nodes, RootField, Selections, SentOperation } from './selection.ts';

/** Selects a root field of introspection. `answers`: those of this operation so far, as JSON, by the text of their fields. */
export function selectIntrospection(
  root: RootField,
  sent: SentOperation,
  answers: Map<string, Promise<string>>,
): SelectedValue {
  return {
    fields: WEIGHT * countFields([root]),
    events: 0,
    write: async (out) => {
      const text = textWithoutAlias(root.nodes);
      const answer = answers.get(text) ?? introspect(root, sent);
      answers.set(text, answer);
      out.text += await answer;
    },
  };
}

/** The same for root fields that differ only in their alias. */
function textWithoutAlias(nodes: Nodes): string {
  return nodes.map(({ alias: _, ...node }) => print(node)).join(' ');
}

/** Returns the field's value as JSON. The document that is executed has no other root field. */
async function introspect(
  { key, nodes }: RootField,
  { document, definition, variables }: SentOperation,
): Promise<string> {
  const selectionSet: SelectionSetNode = { kind: Kind.SELECTION_SET, selections: nodes };
  const fragments = document.definitions.filter(({ kind }) => kind === Kind.FRAGMENT_DEFINITION);
  const { data, errors }: ExecutionResult = await execute({
    schema,
    document: { ...document, definitions: [{ ...definition, selectionSet }, ...fragments] },
    variableValues: variables,
  });
  const [error] = errors ?? [];
  if (error !== undefined) throw error;
  return JSON.stringify(data?.[key] ?? null);
}

/** D2: graphql-js calls resolvers for each field, which takes as long as writing this many fields of an event. */
const WEIGHT = 5;

/**
 * D2: the number of fields in the answer, at all levels, if each list has as many entries as `ENTRIES` says. `counts`: those of the selections
 * so far. Fragments can select the same list very often, so each is counted once.
 */
function countFields(selections: Selections, counts = new Map<Selections, number>()): number {
  const counted = counts.get(selections);
  if (counted !== undefined) return counted;
  let fields = 0;
  for (const { name, selections: below } of selections) {
    if (name === '__typename') continue;
    const entries = ENTRIES.get(name) ?? 1;
    fields += 1 + Math.ceil(entries * countFields(below, counts));
  }
  counts.set(selections, fields);
  return fields;
}

/** The entries that the lists of this schema have on average, rounded up, by the name of the field. */
const ENTRIES: ReadonlyMap<string, number> = new Map([
  ['types', Object.keys(schema.getTypeMap()).length],
  ['directives', 6],
  ['fields', 12],
  ['inputFields', 3],
  ['enumValues', 3],
  ['args', 2],
  // Most types are not lists: at each level half as many are wrapped.
  ['ofType', 0.5],
]);
