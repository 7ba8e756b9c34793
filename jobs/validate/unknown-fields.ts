/** The fields that records may have; any other is ignored and counted. */
import * as z from 'zod';
import { isObject } from '../../src/calendar/json.ts';
import { createNearest } from '../../src/calendar/nearest.ts';
import { excerpt, type Reporter, shorten } from '../findings.ts';
import { bareOf } from './salvage.ts';
import {
  capacitySchema,
  dateSchema,
  eventSchema,
  licenceSchema,
  organizerSchema,
  repeatSchema,
  venueSchema,
} from './schemas.ts';

/** The fields that an object may have, and those of them that hold a further object or a list of them. */
export interface Fields {
  readonly names: ReadonlySet<string>;
  readonly nearest: NearestId;
  readonly inner: readonly (readonly [name: string, fields: Fields])[];
}

/** Distinct words that are looked for; further ones are keywords, not mistyped names. */
const MOST_WORDS = 2_000;

/** The fields of each kind of record, by the name of its list in the report. */
export const FIELDS = {
  licence: fieldsOf([licenceSchema]),
  venues: fieldsOf([venueSchema]),
  organizers: fieldsOf([organizerSchema]),
  events: withNearestBy(
    fieldsOf([eventSchema, capacitySchema], {
      dates: withNearestBy(fieldsOf([dateSchema]), (name) => DATE_FIELD_OF.get(name)),
      repeats: withNearestBy(fieldsOf([repeatSchema]), (name) => DATE_FIELD_OF.get(name)),
    }),
    (name) => (isDateField(name) ? DATES_EXAMPLE : undefined),
  ),
} as const satisfies Readonly<Record<string, Fields>>;

/** How an event says when it is. */
const DATES_EXAMPLE = 'dates: [{ start, end }]';

/** The field of a date that authors mean by a field of an event, as other formats and the interface name it. */
const DATE_FIELD_OF: ReadonlyMap<string, string> = new Map([
  ['startDate', 'start'],
  ['endDate', 'end'],
  ['start_date', 'start'],
  ['end_date', 'end'],
  ['startsAt', 'start'],
  ['endsAt', 'end'],
  ['from', 'start'],
  ['to', 'end'],
]);

/** Whether an event has a field that belongs into its dates. */
function isDateField(name: string): boolean {
  return DATE_FIELD_OF.has(name) || Object.hasOwn(dateSchema.shape, name) || name === 'date';
}

/** Adds suggestions to fields, which take precedence over similar names. */
function withNearestBy(fields: Fields, fieldMeantBy: (name: string) => string | undefined): Fields {
  return { ...fields, nearest: (name) => fieldMeantBy(name) ?? fields.nearest(name) };
}

/** The `found` of a finding about an event without a date, with the field that was probably meant to be one. */
export function datesMissingFrom(record: unknown): string {
  const { names } = FIELDS.events;
  const mistyped = Object.keys(isObject(record) ? record : {}).find(
    (name) => !names.has(name) && isDateField(name),
  );
  if (mistyped === undefined) return missingFrom(record, 'dates', [...names]);
  return `nothing; ${excerpt(mistyped)} is not a field of an event: write ${DATES_EXAMPLE}`;
}

/** Unknown fields are ignored and counted, as `events.colour` or `events.dates.colour` (F). */
export function countUnknownFields(
  kind: string,
  value: unknown,
  { fields, reporter }: { readonly fields: Fields; readonly reporter: Reporter },
): void {
  count(value, kind, fields);

  function count(object: unknown, name: string, fields: Fields): void {
    if (!isObject(object)) return;
    for (const field in object) {
      if (!fields.names.has(field) && field !== SCHEMA)
        reporter.countIgnored(`${name}.${shorten(field)}`, fields.nearest(field));
    }
    for (const [field, inner] of fields.inner) {
      const found = object[field];
      for (const item of Array.isArray(found) ? found : [found]) count(item, `${name}.${field}`, inner);
    }
  }
}

/** A file names the JSON Schema for its editor in this field. */
const SCHEMA = '$schema';

/** The fields of an object that these schemas check. `apart`: those of lists whose items are checked one by one. */
export function fieldsOf(
  schemas: readonly { readonly shape: object }[],
  apart: Readonly<Record<string, Fields>> = {},
): Fields {
  const fields = schemas.flatMap(({ shape }) => Object.entries(shape));
  const inner = fields.flatMap(([name, schema]) => {
    const bare = bareOf(schema);
    const item = bare instanceof z.ZodArray ? bareOf(bare.element) : bare;
    return item instanceof z.ZodObject ? [[name, fieldsOf([item])] as const] : [];
  });
  const names = fields.map(([name]) => name);
  const nearest = createNearestId(names.map((name) => [name, name]));
  return { names: new Set(names), nearest, inner: [...inner, ...Object.entries(apart)] };
}

/** The `found` of a finding about a field that a record lacks, with the unknown field that its author probably meant. */
export function missingFrom(record: unknown, field: string, names: readonly string[]): string {
  const others = Object.keys(isObject(record) ? record : {}).filter((name) => !names.includes(name));
  const mistyped =
    others.find((name) => DATE_FIELD_OF.get(name) === field) ??
    createNearest(others, (name) => [name])(field);
  return mistyped === null ? 'nothing' : `nothing; ${excerpt(mistyped)} is not a field`;
}

/** Finds the id by whose names a word probably means something; null for none. Each word is looked for once. */
export type NearestId = (word: string) => string | null;

/** `most`: of the distinct words. */
export function createNearestId(
  names: Iterable<readonly [name: string, id: string]>,
  most = MOST_WORDS,
): NearestId {
  const nearest = createNearest(names, ([name]) => [name]);
  const found = new Map<string, string | null>();
  return (word) => {
    const cached = found.get(word);
    if (cached !== undefined || found.size >= most) return cached ?? null;
    const [, id = null] = nearest(word) ?? [];
    found.set(word, id);
    return id;
  };
}
