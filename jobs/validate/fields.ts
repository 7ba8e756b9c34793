import { isObject } from '../../src/calendar/json.ts';
import type { Reporter } from '../records.ts';
import { shorten } from '../report/excerpt.ts';
import {
  capacitySchema,
  categorySchema,
  dateSchema,
  eventSchema,
  imageSchema,
  licenceSchema,
  organizerSchema,
  priceSchema,
  repeatSchema,
  subcategorySchema,
  venueSchema,
} from './schemas.ts';

/** The fields that an object may have, and those among them that hold a list of further objects. */
interface Fields {
  readonly known: ReadonlySet<string>;
  readonly lists: readonly (readonly [name: string, fields: Fields])[];
}

const price = fieldsOf([priceSchema]);
const category = fieldsOf([categorySchema], { subcategories: fieldsOf([subcategorySchema]) });

/** Each kind of record by its name in the report. */
const RECORDS = {
  licence: fieldsOf([licenceSchema], { categories: category }),
  venues: fieldsOf([venueSchema]),
  organizers: fieldsOf([organizerSchema]),
  events: fieldsOf([eventSchema, capacitySchema], {
    images: fieldsOf([imageSchema]),
    prices: price,
    dates: fieldsOf([dateSchema], { prices: price }),
    repeats: fieldsOf([repeatSchema], { prices: price }),
  }),
} as const satisfies Readonly<Record<string, Fields>>;

export type RecordKind = keyof typeof RECORDS;

/** Unknown fields are ignored and counted, as `events.colour` or `events.dates.colour` (F). */
export function countUnknownFields(kind: RecordKind, value: unknown, reporter: Reporter): void {
  count(value, { name: kind, fields: RECORDS[kind], reporter });
}

interface Counting {
  readonly name: string;
  readonly fields: Fields;
  readonly reporter: Reporter;
}

function count(value: unknown, { name, fields, reporter }: Counting): void {
  if (!isObject(value)) return;
  for (const field in value) if (!fields.known.has(field)) reporter.ignored(`${name}.${shorten(field)}`);
  for (const [list, inner] of fields.lists) {
    const items = value[list];
    if (!Array.isArray(items)) continue;
    for (const item of items) count(item, { name: `${name}.${list}`, fields: inner, reporter });
  }
}

function fieldsOf(
  schemas: readonly { readonly shape: object }[],
  lists: Readonly<Record<string, Fields>> = {},
): Fields {
  return {
    known: new Set(schemas.flatMap(({ shape }) => Object.keys(shape))),
    lists: Object.entries(lists),
  };
}
