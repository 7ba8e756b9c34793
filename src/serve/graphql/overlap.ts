/**
 * D2: whether fields of one response name can be merged, in time that grows with the document. graphql-js compares each field
 * of a selection set with every other of its name, and what is below the one with what is below the other: 390 times
 * `venue { id }` took 203 ms. Repeats are made one field first, which changes nothing of the verdict.
 */
import {
  type ArgumentNode,
  type DocumentNode,
  type FieldNode,
  type FragmentSpreadNode,
  type GraphQLError,
  type GraphQLSchema,
  isAbstractType,
  Kind,
  OverlappingFieldsCanBeMergedRule,
  print,
  type SelectionNode,
  type SelectionSetNode,
  type ValueNode,
  validate,
} from 'graphql';
import { MAX_ERRORS } from './refusal.ts';

/** `valid`: by every other rule. Errors show the first fields that cannot be merged, where they stand in the document. */
export function overlapErrors(schema: GraphQLSchema, valid: DocumentNode): readonly GraphQLError[] {
  // Below an interface or a union, what an inline fragment selects need not meet what stands beside it.
  const isFlat = !Object.values(schema.getTypeMap()).some(isAbstractType);
  const document = isFlat ? withoutRepeats(valid) : valid;
  return validate(schema, document, [OverlappingFieldsCanBeMergedRule], MAX_ERRORS);
}

function withoutRepeats(document: DocumentNode): DocumentNode {
  const definitions = document.definitions.map((definition) =>
    'selectionSet' in definition
      ? { ...definition, selectionSet: merged(definition.selectionSet, [definition.selectionSet]) }
      : definition,
  );
  return { ...document, definitions };
}

interface Repeated {
  readonly field: FieldNode;
  /** Below each of its repeats. */
  readonly below: SelectionSetNode[];
}

/** Fields of one response name in one selection set, by what has to be the same for them to be merged. */
type Namesakes = Map<string, Repeated>;

/** A second one that cannot be merged decides the verdict; more would only be found as well. */
const MOST_NAMESAKES = 2;

/** One selection set in place of several that apply to the same object. */
function merged(first: SelectionSetNode, sets: readonly SelectionSetNode[]): SelectionSetNode {
  const fields = new Map<string, Namesakes>();
  const spreads = new Map<string, FragmentSpreadNode>();
  const pending = [...sets];
  for (const { selections: selected } of pending) {
    for (const selection of selected) {
      if (selection.kind === Kind.FIELD) addField(fields, selection);
      else if (selection.kind === Kind.INLINE_FRAGMENT) pending.push(selection.selectionSet);
      else if (!spreads.has(selection.name.value)) spreads.set(selection.name.value, selection);
    }
  }
  const selections: SelectionNode[] = [...spreads.values()];
  for (const namesakes of fields.values()) {
    for (const { field, below } of namesakes.values()) {
      const [selectionSet] = below;
      selections.push(selectionSet ? { ...field, selectionSet: merged(selectionSet, below) } : field);
    }
  }
  return { ...first, selections };
}

function addField(fields: Map<string, Namesakes>, field: FieldNode): void {
  const { alias, name, arguments: given = [], selectionSet } = field;
  const responseName = (alias ?? name).value;
  const namesakes: Namesakes = fields.get(responseName) ?? new Map();
  fields.set(responseName, namesakes);
  const key = `${name.value} ${argumentsText(given)}`;
  const known = namesakes.get(key);
  const below = selectionSet === undefined ? [] : [selectionSet];
  if (known !== undefined) known.below.push(...below);
  else if (namesakes.size < MOST_NAMESAKES) namesakes.set(key, { field, below });
}

/** The same for arguments that the rule takes for equal: whatever the order of names, and of the fields of objects. */
function argumentsText(given: readonly ArgumentNode[]): string {
  return sortedText(given.map(({ name, value }) => [name.value, valueText(value)]));
}

function valueText(value: ValueNode): string {
  if (value.kind === Kind.LIST) return `[${value.values.map(valueText).join()}]`;
  if (value.kind !== Kind.OBJECT) return print(value);
  return `{${sortedText(value.fields.map(({ name, value: inner }) => [name.value, valueText(inner)]))}}`;
}

function sortedText(entries: readonly (readonly [name: string, text: string])[]): string {
  const lines = entries.map(([name, text]) => `${name}:${text}`);
  return lines.sort().join();
}
