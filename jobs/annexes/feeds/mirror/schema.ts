/**
 * The fields that a mirror wants, and those that an endpoint supports: by its introspection or, without one, by what the interface
 * promises.
 */
import * as z from 'zod';
import * as fields from '../../../../src/calendar/fields.ts';

export type Kind = 'text' | 'texts' | 'integer' | 'number' | 'flag' | 'moment' | 'time';

/** A field with fields of its own is an object, or a list of them. */
export interface Wanted {
  readonly [field: string]: Kind | Wanted;
}

function all<Of extends Kind, Name extends string>(
  kind: Of,
  ...names: readonly Name[]
): Readonly<Record<Name, Of>> {
  return Object.fromEntries(names.map((name) => [name, kind] as const)) as Record<Name, Of>;
}

const LOCATION = all('number', 'latitude', 'longitude');

/** How a mirror reads the plain fields of a table, by their kinds. */
function plainOf(table: Readonly<Record<string, fields.Field>>): Readonly<Record<string, Kind>> {
  return fields.mapFields(fields.lacking(table, 'mirror'), ({ kind }) => PLAIN_KINDS[kind]);
}

const PLAIN_KINDS = {
  line: 'text',
  lines: 'text',
  url: 'text',
  olderLine: 'text',
  olderUrl: 'text',
  integer: 'integer',
  flag: 'flag',
  moment: 'moment',
  utc: 'moment',
  accessibility: 'texts',
} as const satisfies Readonly<Record<fields.Kind, Kind>>;

const NAMED = all('text', 'id', 'name', 'slug');

export const VENUE = { ...NAMED, ...plainOf(fields.VENUE), location: LOCATION } as const satisfies Wanted;

export const ORGANIZER = { ...NAMED, ...plainOf(fields.ORGANIZER) } as const satisfies Wanted;

const SUBCATEGORY = {
  ...all('text', 'id', 'name_nb', 'name_en', 'slug_nb', 'slug_en'),
  visible: 'flag',
} as const satisfies Wanted;

export const CATEGORY = { ...SUBCATEGORY, subcategories: SUBCATEGORY } as const satisfies Wanted;

export const IMAGE = {
  ...all('text', 'urlSmall', 'urlLarge', 'alt', 'caption', 'credits'),
  ...all('number', 'focusX', 'focusY'),
  ...all('integer', 'width', 'height'),
} as const satisfies Wanted;

export const PRICE = {
  ...all('text', 'type', 'name_nb', 'name_en'),
  price: 'integer',
} as const satisfies Wanted;

/** Fields that a repetition may have of its own, and that an event has of the shown occurrence. */
const OCCURRENCE = {
  ...all('moment', 'startDate', 'endDate'),
  startTime: 'time',
  duration: 'integer',
  ticketsURL: 'text',
  ...all('flag', 'allDay', 'eventCancelled', 'eventSoldOut'),
  venue: VENUE,
} as const satisfies Wanted;

export const REPETITION = { ...OCCURRENCE, prices: PRICE } as const satisfies Wanted;

/** Fields of an event that a native record has under the same name. */
export const PLAIN = {
  ...all('text', 'eventLink', 'title_nb', 'title_en', 'desc_nb', 'desc_en', 'mode', 'ticketsInformation'),
  tags: 'texts',
  ...plainOf(fields.EVENT),
} as const satisfies Readonly<Record<string, Kind>>;

/** Fields that concern the whole event, not the shown occurrence. */
export const EVENT_ITSELF = {
  ...PLAIN,
  ...all('text', 'id', 'event_slug', 'super_event'),
  categories: 'texts',
} as const satisfies Wanted;

export const EVENT = {
  ...EVENT_ITSELF,
  ...OCCURRENCE,
  organizers: ORGANIZER,
  images: IMAGE,
  prices: PRICE,
  repetitions: REPETITION,
} as const satisfies Wanted;

/** Fields that each day of an event has of its own, requested with days as entries. */
export const DAY_OF_EVENT = {
  ...all('text', 'id', 'ticketsURL'),
  startDate: 'moment',
  ...all('flag', 'eventCancelled', 'eventSoldOut'),
  venue: VENUE,
  duration: 'integer',
} as const satisfies Wanted;

export const ONLY_ID = { id: 'text' } as const satisfies Wanted;

export interface EndpointSchema {
  /** Whether the type has the field; false for unknown types. */
  readonly has: (type: string, field: string) => boolean;
  /** The supported fields of a type, in braces. Empty if it has none of the wanted ones. */
  readonly selection: (type: string, wanted: Wanted) => string;
  /** The type of a field, without lists and non-null. */
  readonly typeOf: (type: string, field: string) => string | null;
  /** Arguments of a root field, and fields of the filter. */
  readonly takes: (root: string, argument: string) => boolean;
  readonly filters: (field: string) => boolean;
}

interface Field {
  readonly type: string;
  readonly args: ReadonlySet<string>;
}

type Types = ReadonlyMap<string, ReadonlyMap<string, Field>>;

export const INTROSPECTION = `{ __schema { queryType { name } types { name inputFields { name } fields { name args { name } type { ...T } } } } }
fragment T on __Type { name ofType { name ofType { name ofType { name ofType { name } } } } }`;

/** Null if the answer is invalid. */
export function readSchema(data: unknown): EndpointSchema | null {
  const parsed = introspectionSchema.safeParse(data);
  if (!parsed.success) return null;
  const { queryType, types } = parsed.data.__schema;
  const byName: Types = new Map(
    types.map(({ name, fields, inputFields }) => [
      name,
      new Map([
        ...(fields ?? []).map(fieldOf),
        ...(inputFields ?? []).map((field) => [field.name, INPUT] as const),
      ]),
    ]),
  );
  return createSchema(byName, queryType.name);
}

const INPUT: Field = { type: '', args: new Set() };

function fieldOf({ name, args, type }: z.output<typeof introspectedField>): readonly [string, Field] {
  return [name, { type: nameOf(type), args: new Set(args.map((argument) => argument.name)) }];
}

function createSchema(types: Types, query: string): EndpointSchema {
  const known = (type: string, field: string) => types.get(type === QUERY ? query : type)?.get(field);

  function selection(type: string, wanted: Wanted): string {
    const parts = Object.entries(wanted).flatMap(([name, inner]) => {
      const field = known(type, name);
      if (field === undefined) return [];
      if ((types.get(field.type)?.size ?? 0) === 0) return [name];
      // In place of an id there may be the entity itself.
      const nested = selection(field.type, typeof inner === 'string' ? ONLY_ID : inner);
      return nested === '' ? [] : [`${name} ${nested}`];
    });
    return parts.length === 0 ? '' : `{ ${parts.join(' ')} }`;
  }

  return {
    has: (type, field) => known(type, field) !== undefined,
    selection,
    typeOf: (type, field) => known(type, field)?.type ?? null,
    takes: (root, argument) => known(QUERY, root)?.args.has(argument) ?? false,
    filters: (field) => types.get('Filter')?.has(field) ?? false,
  };
}

/** Stands for the endpoint's query type, whatever its name. */
export const QUERY = '(query)';

interface TypeReference {
  readonly name: string | null;
  readonly ofType?: TypeReference | null | undefined;
}

const reference: z.ZodType<TypeReference> = z.object({
  name: z.string().nullable(),
  get ofType() {
    return reference.nullish();
  },
});
const named = z.object({ name: z.string() });
const introspectedField = z.object({ name: z.string(), args: z.array(named), type: reference });
const introspectionSchema = z.object({
  __schema: z.object({
    queryType: named,
    types: z.array(
      z.object({
        name: z.string(),
        inputFields: z.array(named).nullish(),
        fields: z.array(introspectedField).nullish(),
      }),
    ),
  }),
});

function nameOf(type: TypeReference): string {
  return type.name ?? (type.ofType ? nameOf(type.ofType) : '');
}

/** The interface's own schema, for endpoints without introspection. */
const INTERFACE = `
Query: events(filter page pageSize) EventConnection, categories Category, venues Venue, organizers Organizer, allUpcomingSuperEvents Event
EventConnection: totalCount, hasMore, pageInfo PageInfo, data Event
PageInfo: currentPage, pageSize, totalPages
Event: id, event_slug, eventLink, title_nb, title_en, startDate, endDate, startTime, duration, categories, tags, mode, venue Venue, organizers Organizer, images Image, repetitions Repetition, ticketsInformation, prices Price, ticketsURL, eventCancelled, eventSoldOut, minimumAge, maximumAge, cancellationPeriod, views, publishingDate, ticketsFromDate, created_at, updated_at
Venue: id, name, slug, address, location Location
Location: latitude, longitude
Organizer: id, name, slug, website
Image: urlSmall, urlLarge, alt, focusX, focusY, width, height
Repetition: startDate, endDate, startTime, venue RepetitionVenue, prices Price
RepetitionVenue: name
Price: type, price, name_nb, name_en
Category: id, name_nb, name_en, slug_nb, slug_en, visible
Filter: superEvent, onlyFeatured, onlyFeaturedSpecialEvent, groupRepetitionsByDay
`;

export function interfaceSchema(): EndpointSchema {
  const types = new Map<string, ReadonlyMap<string, Field>>();
  for (const line of INTERFACE.trim().split('\n')) {
    const [type = '', fields = ''] = line.split(': ');
    types.set(type, new Map(fields.split(', ').map(readField)));
  }
  return createSchema(types, 'Query');
}

function readField(written: string): readonly [string, Field] {
  const [, name = '', args = '', type = ''] = /^(\w+)(?:\(([\w ]+)\))?(?: (\w+))?$/.exec(written) ?? [];
  return [name, { type, args: new Set(args.split(' ')) }];
}
