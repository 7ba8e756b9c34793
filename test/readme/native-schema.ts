/** JSON Schemas of the files of a source, for editors. They are generated from the schemas with which a build reads these files. */
import * as z from 'zod';
import { feedsSchema } from '../../jobs/annexes/feeds/config-schema.ts';
import { columnSchema, TABLE_FIELDS } from '../../jobs/annexes/feeds/table-fields.ts';
import { brandSchema } from '../../jobs/brand/brand.ts';
import { correctionSchema } from '../../jobs/corrections/schemas.ts';
import { duplicatesSchema } from '../../jobs/duplicates/decisions.ts';
import { noticeSchema } from '../../jobs/notices/notices.ts';
import { datetime, moment, timeOfDay } from '../../jobs/validate/moments.ts';
import {
  canonicalTemplate,
  capacitySchema,
  categorySchema,
  dateSchema,
  eventSchema,
  imageSchema,
  licenceSchema,
  organizerSchema,
  pageTemplate,
  priceSchema,
  repeatSchema,
  subcategorySchema,
  venueSchema,
  webAddress,
} from '../../jobs/validate/schemas.ts';
import type { Field } from '../../src/calendar/field.ts';
import { EVENT, ORGANIZER, VENUE } from '../../src/calendar/fields.ts';
import { isObject } from '../../src/calendar/json.ts';
import { readPage, tableIn } from './document.ts';

/** The text of each file in docs/, by its name. */
export function nativeSchemas(): Readonly<Record<string, string>> {
  const schemas = {
    licence: schemaOf(licence, 'The licence of a calendar.'),
    venues: schemaOf(z.array(venueSchema), 'The venues of a calendar.'),
    organizers: schemaOf(z.array(organizerSchema), 'The organizers of a calendar.'),
    events: schemaOf(z.array(event), 'The events of a calendar.'),
    notices: schemaOf(z.array(noticeSchema), 'Planned changes to a calendar.'),
    duplicates: schemaOf(duplicatesSchema, 'Which events are the same, and which are not.'),
    brand: schemaOf(brand, 'The design of a calendar’s pages.'),
    corrections: schemaOf(
      z.array(correctionSchema),
      'Corrections to events from the sources of a calendar.',
      correctionDescriptions,
    ),
    sources: schemaOf(feedsSchema, 'The feeds of a calendar.', feedDescriptions),
  };
  const texts = Object.entries(schemas).map(([name, schema]) => [
    `${name}.schema.json`,
    `${JSON.stringify(schema, null, 1)}\n`,
  ]);
  return Object.fromEntries(texts);
}

/** With `$schema`, a field for editors only. */
const licence = z.object({ $schema: z.string().optional(), ...licenceSchema.shape });

const brand = z.object({ $schema: z.string().optional(), ...brandSchema.shape });

/** A build reads dates and repeats one by one, so `eventSchema` does not define them. */
const repeat = z.object({ ...repeatSchema.shape, except: z.array(moment).nullish() });
const event = z.object({
  ...eventSchema.shape,
  ...capacitySchema.shape,
  dates: z.array(dateSchema).nullish(),
  repeats: z.array(repeat).nullish(),
});

const NAMES = z.registry<{ readonly id: string }>();
NAMES.add(subcategorySchema, { id: 'subcategory' });
NAMES.add(categorySchema, { id: 'category' });
NAMES.add(venueSchema, { id: 'venue' });
NAMES.add(organizerSchema, { id: 'organizer' });
NAMES.add(imageSchema, { id: 'image' });
NAMES.add(priceSchema, { id: 'price' });
NAMES.add(dateSchema, { id: 'date' });
NAMES.add(repeat, { id: 'repeat' });
NAMES.add(event, { id: 'event' });
NAMES.add(noticeSchema, { id: 'notice' });
NAMES.add(feedsSchema.element, { id: 'feed' });
NAMES.add(correctionSchema, { id: 'correction' });
NAMES.add(columnSchema, { id: 'column' });

const DAY = '\\d{4}-\\d{2}-\\d{2}';
const DATETIME = `${DAY}[ T]\\d{2}:\\d{2}(:\\d{2}(\\.\\d+)?)?(Z|[+-]\\d{2}(:?\\d{2})?)?`;

/** Patterns for values that the build checks by code. */
const PATTERNS: ReadonlyMap<unknown, string> = new Map<unknown, string>([
  [datetime, `^${DATETIME}$`],
  [moment, `^(${DAY}|${DATETIME})$`],
  [timeOfDay, '^([01]\\d|2[0-3]):[0-5]\\d$'],
  [webAddress, '^\\s*[Hh][Tt][Tt][Pp][Ss]?:'],
  [pageTemplate, '^\\s*[Hh][Tt][Tt][Pp][Ss]?:.*\\{(slug|id)\\}'],
  [canonicalTemplate, '^\\s*[Hh][Tt][Tt][Pp][Ss]?:.*/\\{slug\\}/?\\s*([?#]|$)'],
]);

type Schema = z.core.JSONSchema.JSONSchema;

/** Conditions on an event beyond its single fields. */
const DATED: Schema = {
  anyOf: [
    { required: ['dates'], properties: { dates: { type: 'array', minItems: 1 } } },
    { required: ['repeats'], properties: { repeats: { type: 'array', minItems: 1 } } },
    { required: ['isSuperEvent'], properties: { isSuperEvent: { const: true } } },
  ],
};
const title = (field: string): Schema => ({
  required: [field],
  properties: { [field]: { type: 'string', pattern: '\\S' } },
});
const TITLED: Schema = { anyOf: [title('title_nb'), title('title_en')] };

function schemaOf(schema: z.ZodType, description: string, described = recordDescriptions): object {
  const { $schema, ...made } = z.toJSONSchema(schema, {
    target: 'draft-7',
    io: 'input',
    unrepresentable: 'any',
    metadata: NAMES,
    override: ({ zodSchema, jsonSchema }) => {
      const pattern = PATTERNS.get(zodSchema);
      if (pattern !== undefined) jsonSchema.pattern = pattern;
      // Unknown fields are ignored by a build. In an editor they are slips.
      if (jsonSchema.properties !== undefined) jsonSchema.additionalProperties = false;
      if (zodSchema === event) jsonSchema.allOf = [TITLED, DATED];
    },
  });
  return withDescriptions({ $schema, description, ...made }, described());
}

/** Adds the description of the documentation to each field of every object. */
function withDescriptions(schema: object, described: ReadonlyMap<string, string>): object {
  const entries = Object.entries(schema).map(([key, value]): [string, unknown] => {
    if (Array.isArray(value))
      return [key, value.map((item: unknown) => (isObject(item) ? withDescriptions(item, described) : item))];
    if (!isObject(value)) return [key, value];
    const inner = withDescriptions(value, key === 'columns' ? COLUMNS : described);
    // Other properties are conditions.
    if (key !== 'properties' || !('additionalProperties' in schema)) return [key, inner];
    const fields = Object.entries(inner).map(([field, description]) => {
      const text = described.get(field);
      // A build ignores values that may be anything.
      const isRead = isObject(description) && Object.keys(description).length > 0;
      if (text === undefined || !isRead) return [field, description];
      // Beside a reference other keywords count for nothing.
      return [
        field,
        { description: text, ...('$ref' in description ? { allOf: [description] } : description) },
      ];
    });
    return [key, Object.fromEntries(fields)];
  });
  return Object.fromEntries(entries);
}

/** The content of each column of a table. Some columns have the name of an event's field. */
const COLUMNS = new Map(Object.entries(TABLE_FIELDS).map(([field, { about }]) => [field, about]));

/** Descriptions of fields: those of events from the table in docs/source-format.md, those of other records from here. */
function recordDescriptions(): ReadonlyMap<string, string> {
  const plain = [EVENT, VENUE, ORGANIZER].flatMap((table) => Object.entries<Field>(table));
  return new Map([
    ...plain.flatMap(([name, { source }]) => (source === undefined ? [] : [[name, source] as const])),
    ...Object.entries(OTHERS),
    ...textsIn('docs/source-format.md', 'Events'),
  ]);
}

function correctionDescriptions(): ReadonlyMap<string, string> {
  return new Map([...recordDescriptions(), ...Object.entries(OF_CORRECTIONS)]);
}

function feedDescriptions(): ReadonlyMap<string, string> {
  return new Map([...recordDescriptions(), ...textsIn('docs/feeds.md', 'Configure a feed')]);
}

function textsIn(page: string, heading: string): readonly (readonly [field: string, text: string])[] {
  const rows = tableIn(readPage(page), heading).trim().split('\n').slice(2);
  return rows.flatMap((row) => {
    const [names = '', text = ''] = row.split('|').slice(1, -1);
    return [...names.matchAll(/`(\w+)`/g)].map(([, name = '']) => [name, text.trim()] as const);
  });
}

const OF_CORRECTIONS = {
  where: 'the events that it applies to: all of its conditions must hold for the values that the source has',
  hide: '`true` hides these events',
  set: 'values that replace the source’s; for dates `venue`, `status`, `ticketsURL`, `eventSoldOut`, `start` and `end`',
  add: 'categories and tags in addition to their own',
  note: 'the reason, for people; the report repeats it',
  id: 'the id of an event, as the API shows it',
  feed: 'the id of a source in sources.json',
  title: 'words that all occur in one of its titles, in any order, ignoring case',
  place: 'words that all occur in the name and address of one of its places',
  tag: 'one of its tags, ignoring case',
  date: 'a day, or a datetime such as `2026-05-17 19:30`: the correction applies only to dates that begin then',
  start: 'a time of day such as `19:30` for each date, or a datetime for the one that `date` selects',
  end: 'a time of day such as `21:00` for each date, or a datetime for the one that `date` selects; null removes it',
} as const;

/** Fields of other records than events. */
const OTHERS = {
  id: 'a permanent id, which is never reused for anything else',
  name: 'the name to show',
  siteUrl: 'your own website, if it has a page for each event',
  eventPages:
    'the address of event pages on another site, such as `https://avisen.example/arrangement/{slug}`, or one for each municipality',
  portalUrl: 'where developers get keys',
  privacyUrl: 'your page about personal data, which every page of the calendar links to',
  specialEvent: 'the id of an event that others may be featured in',
  registration: 'whether the calendar handles registrations; otherwise the capacity fields stay empty',
  retiredCategories: 'ids that are no longer used, each with the ids that replace it',
  aliases: 'names that other sources use for it',
  duplicates: 'what to do with events that come from several sources: `merge` them, or only `report` them',
  home: 'your own website, which every page links to',
  accent:
    'the colour of links, buttons and bars, such as `#8a1538`, with a contrast of at least 4.5 to the background',
  light: 'on light pages',
  dark: 'on dark pages',
  same: 'lists of ids; each list is one event',
  different: 'lists of ids of events that are never merged',
  visible: '`false` hides it from choices; its id stays valid',
  start: 'a datetime such as `2026-05-17 19:30`, or a date alone for whole days',
  end: 'a datetime, or the last day of whole days; takes precedence over `duration`',
  duration: 'minutes',
  startTime: 'the time of day to show instead of that of the start, such as `19:30`',
  rule: 'an RRULE of iCalendar (RFC 5545), such as `FREQ=WEEKLY;BYDAY=TU`',
  except: 'starts that the rule skips',
  type: 'the id of a ticket type, such as `REGULAR`, `CHILD` or `STUDENT`',
} as const;
