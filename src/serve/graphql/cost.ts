/**
 * D2: the cost of an operation: an upper bound of the fields in its answer, computed before anything runs. Selections under `@skip` and
 * `@include` count as present. A compiled operation keeps one term for each root field, so that the same operation with other variables
 * costs one multiplication each.
 */
import {
  type FieldNode,
  type GraphQLField,
  type GraphQLSchema,
  Kind,
  type ValueNode,
  valueFromASTUntyped,
} from 'graphql';
import { ACCESSIBILITY } from '../../calendar/accessibility.ts';
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from '../query/plan.ts';
import type { Variables } from './project.ts';
import { type Refusal, refuse } from './refusal.ts';

const MAX_ROOT_FIELDS = 20;
const MAX_FIELDS = 200_000;

export interface Cost {
  readonly rootFields: number;
  readonly terms: readonly Term[];
}

/** Fields of a root field: `fixed + each × entries`. */
export interface Term extends Fields {
  readonly entries: Entries;
}

/** Fields of one object: `fixed` once, and `each` for each entry of the root field's list. */
export interface Fields {
  readonly fixed: number;
  readonly each: number;
}

type Entries = (variables: Variables) => number;

/** The refusal of an operation that is too costly. */
export function refusalOfCost({ rootFields, terms }: Cost, variables: Variables): Refusal | undefined {
  if (rootFields > MAX_ROOT_FIELDS) {
    const message = `The operation has ${rootFields} root fields; the limit is ${MAX_ROOT_FIELDS}.`;
    return refuse('QUERY_TOO_COMPLEX', message);
  }
  let fields = 0;
  for (const { fixed, each, entries } of terms) fields += fixed + each * entries(variables);
  if (fields <= MAX_FIELDS) return undefined;
  const message = `The answer could hold ${fields} fields; the limit is ${MAX_FIELDS}. ${WAY_OUT}`;
  return refuse('QUERY_TOO_COMPLEX', message);
}

const WAY_OUT = 'Ask for a smaller page (pageSize), or for fewer fields.';

interface ListField {
  /** `Type.field`. */
  readonly path: string;
  readonly field: GraphQLField<unknown, unknown> | undefined;
  readonly node: FieldNode;
}

/** The assumed number of entries of a list before it is loaded: at least one, whatever its arguments. */
export function entriesOf(schema: GraphQLSchema, { path, field, node }: ListField): Entries {
  const chosen = CHOSEN[path];
  if (chosen !== undefined) {
    const read = argumentReader(field, node, chosen.argument);
    return (variables) => Math.max(1, chosen.entries(read(variables)));
  }
  const estimate = path === '__Schema.types' ? Object.keys(schema.getTypeMap()).length : ESTIMATES[path];
  return () => estimate ?? UNKNOWN;
}

/** Lists whose length is an argument of the root field. */
const CHOSEN: Readonly<
  Record<string, { readonly argument: string; readonly entries: (value: unknown) => number }>
> = {
  'Query.events': {
    argument: 'pageSize',
    entries: (value) => (typeof value === 'number' ? Math.min(value, MAX_PAGE_SIZE) : DEFAULT_PAGE_SIZE),
  },
  'Query.eventsBySlugs': {
    argument: 'eventsSlugs',
    entries: (value) => (Array.isArray(value) ? value.length : 1),
  },
};

/** The largest assumed number of entries of a list below a root field. */
const LONGEST_ESTIMATE = 100;

/**
 * Typical lengths: an event has one organizer, one image, one price and a few later dates, so that a page of 1,000 events with every
 * field passes. They are generous: a regional directory's facets and upcoming containers run into the hundreds at most.
 */
const ESTIMATES: Readonly<Record<string, number>> = {
  'Query.allUpcomingSuperEvents': 200,
  'Query.allUpcomingEventsInArea': 200,
  'Query.categories': 13,
  'Query.venues': 100,
  'Query.organizers': 100,
  'EventConnection.venues': LONGEST_ESTIMATE,
  'EventConnection.organizers': LONGEST_ESTIMATE,
  'EventConnection.categories': LONGEST_ESTIMATE,
  'EventConnection.days': LONGEST_ESTIMATE,
  'EventConnection.municipalities': 50,
  'EventConnection.tags': LONGEST_ESTIMATE,
  'EventConnection.accessibilities': ACCESSIBILITY.length,
  'Event.organizers': 1,
  'Event.images': 1,
  'Event.repetitions': 3,
  'Event.prices': 1,
  'Repetition.prices': 1,
  'Category.subcategories': 4,
  'CategoryFacet.subcategories': 4,
  // Introspection: sizes of this schema, rounded up. `__Schema.types` is counted.
  '__Schema.directives': 6,
  '__Directive.args': 2,
  '__Type.fields': 12,
  '__Type.inputFields': 3,
  '__Type.enumValues': 3,
  '__Type.interfaces': 1,
  '__Type.possibleTypes': 1,
  '__Field.args': 2,
};

/** For lists of the schema that the table lacks. */
const UNKNOWN = 10;

/** Reads an argument of a valid document, from the literal or from the variables, with the schema's default. */
function argumentReader(
  field: GraphQLField<unknown, unknown> | undefined,
  node: FieldNode,
  name: string,
): (variables: Variables) => unknown {
  const fallback = field?.args.find((argument) => argument.name === name)?.defaultValue;
  const given: ValueNode | undefined = node.arguments?.find(
    (argument) => argument.name.value === name,
  )?.value;
  if (given === undefined) return () => fallback;
  if (given.kind !== Kind.VARIABLE) {
    const literal = valueFromASTUntyped(given);
    return () => literal;
  }
  const variable = given.name.value;
  return (variables) => (Object.hasOwn(variables, variable) ? variables[variable] : fallback);
}
