/** The rows of the tables, most of them for people with the shell. Ordinals and rows are places in the calendar's lists. */
import type { Category, EventFields, Image, Organizer, Price, Venue } from '../../src/calendar/model.ts';
import { formatMinute } from '../../src/calendar/time.ts';
import { ABSENT, type Columns, DATETIME_WIDTH, OCCURRENCE_FLAGS } from '../../src/snapshot/columns.ts';
import { renderFragment } from '../../src/snapshot/fragments.ts';
import type { Writer } from '../../src/snapshot/sqlite.ts';
import type { Calendar, EventTexts, FacetCount } from '../records.ts';
import { batchOf, batchOfBodies, insertRows, type Table } from './batches.ts';

export async function writeDirectories(writer: Writer, calendar: Calendar): Promise<void> {
  await insertRows(writer, VENUES, calendar.venues.entries());
  await insertRows(writer, ORGANIZERS, calendar.organizers.entries());
  await insertRows(writer, CATEGORIES, calendar.categories.entries());
}

type Placed<Entity> = readonly [ordinal: number, entity: Entity];

const VENUES: Table<Placed<Venue>> = {
  name: 'venue',
  columns: [
    'ordinal',
    'id',
    'name',
    'slug',
    'address',
    'postal_code',
    'municipality',
    'municipality_number',
    'latitude_e7',
    'longitude_e7',
  ],
  cells: ([ordinal, { id, name, slug, address, postalCode, municipality, municipalityNumber, location }]) => [
    ordinal,
    id,
    name,
    slug,
    address,
    postalCode,
    municipality,
    municipalityNumber,
    location === null ? null : scaled(location.latitude),
    location === null ? null : scaled(location.longitude),
  ],
};

const ORGANIZERS: Table<Placed<Organizer>> = {
  name: 'organizer',
  columns: ['ordinal', 'id', 'name', 'slug', 'website'],
  cells: ([ordinal, { id, name, slug, website }]) => [ordinal, id, name, slug, website],
};

const CATEGORIES: Table<Placed<Category>> = {
  name: 'category',
  columns: ['ordinal', 'id', 'parent', 'name_nb', 'name_en', 'slug_nb', 'slug_en', 'visible'],
  cells: ([ordinal, { id, parent, name_nb, name_en, slug_nb, slug_en, visible }]) => [
    ordinal,
    id,
    parent < 0 ? null : parent,
    name_nb,
    name_en,
    slug_nb,
    slug_en,
    Number(visible),
  ],
};

/** Degrees as ten-millionths, about a centimetre: integers only (G5). */
function scaled(degrees: number): number {
  return Math.round(degrees * 1e7);
}

interface Events {
  readonly calendar: Calendar;
  readonly columns: Columns;
  /** Sees each event's texts while they are read anyway, in the order of the ordinals. */
  readonly onEvent: (event: number, fields: EventFields) => void;
}

/** Gives each event's ticket URLs, by ordinal, for the rows of its occurrences. */
export async function writeEvents(
  writer: Writer,
  { calendar, columns, onEvent }: Events,
): Promise<readonly (readonly string[])[]> {
  const events = batchOf(writer, EVENTS);
  const links = LINKS.map((link) => ({ batch: batchOf(writer, link.table), rowsOf: link.rowsOf(calendar) }));
  const images = batchOf(writer, IMAGES);
  const prices = batchOf(writer, PRICES);
  const bodies = batchOfBodies(writer);
  const ticketsURLs: (readonly string[])[] = [];
  for (let event = 0; event < calendar.events.length; event++) {
    const texts = calendar.read(event);
    await events.add([event, texts.fields]);
    for (const { batch, rowsOf } of links) {
      for (const entity of rowsOf(texts.fields)) await batch.add([event, entity]);
    }
    for (const [position, image] of texts.fields.images.entries()) {
      await images.add({ event, position, image });
    }
    for (const price of pricesOf(event, texts, columns)) await prices.add(price);
    await bodies.add([event, renderFragment(texts.fields, texts)]);
    onEvent(event, texts.fields);
    ticketsURLs.push(texts.ticketsURLs);
  }
  for (const batch of [events, ...links.map(({ batch }) => batch), images, prices, bodies])
    await batch.flush();
  return ticketsURLs;
}

const EVENTS: Table<readonly [ordinal: number, fields: EventFields]> = {
  name: 'event',
  columns: [
    'ordinal',
    'id',
    'slug',
    'link',
    'title_nb',
    'title_en',
    'desc_nb',
    'desc_en',
    'mode',
    'tickets_information',
    'publishing_date',
    'super_event',
    'is_super_event',
    'is_featured',
    'tags',
    'created_at',
    'updated_at',
  ],
  cells: ([ordinal, fields]) => [
    ordinal,
    fields.id,
    fields.event_slug,
    fields.eventLink,
    fields.title_nb,
    fields.title_en,
    fields.desc_nb,
    fields.desc_en,
    fields.mode,
    fields.ticketsInformation,
    fields.publishingDate,
    fields.super_event,
    Number(fields.isSuperEvent),
    Number(fields.isFeaturedEvent),
    JSON.stringify(fields.tags),
    fields.created_at,
    fields.updated_at,
  ],
};

type Link = readonly [event: number, entity: number];

const linkTable = (entity: 'category' | 'organizer'): Table<Link> => ({
  name: `event_${entity}`,
  columns: ['event', entity],
  cells: (link) => link,
});

const LINKS = [
  {
    table: linkTable('category'),
    rowsOf: ({ categories }: Calendar) => placesIn(categories, (fields) => fields.categories),
  },
  {
    table: linkTable('organizer'),
    rowsOf: ({ organizers }: Calendar) => placesIn(organizers, (fields) => fields.organizers),
  },
];

/** Ascending, which is the order of the table's key. */
function placesIn(
  entities: readonly { readonly id: string }[],
  idsOf: (fields: EventFields) => readonly string[],
): (fields: EventFields) => readonly number[] {
  const places = new Map(entities.map(({ id }, place) => [id, place]));
  return (fields) => {
    const found = new Set(idsOf(fields).flatMap((id) => places.get(id) ?? []));
    return [...found].sort((left, right) => left - right);
  };
}

interface PlacedImage {
  readonly event: number;
  readonly position: number;
  readonly image: Image;
}

const IMAGES: Table<PlacedImage> = {
  name: 'image',
  columns: ['event', 'position', 'url_small', 'url_large', 'alt', 'caption', 'credits', 'width', 'height'],
  cells: ({ event, position, image }) => [
    event,
    position,
    image.urlSmall,
    image.urlLarge,
    image.alt,
    image.caption,
    image.credits,
    image.width,
    image.height,
  ],
};

interface PlacedPrice {
  readonly event: number;
  /** Row of the occurrence whose own price it is; null for the event's. */
  readonly occurrence: number | null;
  readonly position: number;
  readonly price: Price;
}

const PRICES: Table<PlacedPrice> = {
  name: 'price',
  columns: ['event', 'occurrence', 'position', 'type', 'price', 'name_nb', 'name_en'],
  cells: ({ event, occurrence, position, price }) => [
    event,
    occurrence,
    position,
    price.type,
    price.price,
    price.name_nb,
    price.name_en,
  ],
};

function* pricesOf(event: number, texts: EventTexts, columns: Columns): Generator<PlacedPrice> {
  yield* listed(event, null, texts.fields.prices);
  const rows = columns.occurrences.subarray(columns.occurrencesAt[event], columns.occurrencesAt[event + 1]);
  for (const row of rows) {
    const place = columns.prices[row] ?? ABSENT;
    if (place !== ABSENT) yield* listed(event, row, texts.priceLists[place] ?? []);
  }
}

function* listed(event: number, occurrence: number | null, prices: readonly Price[]): Generator<PlacedPrice> {
  for (const [position, price] of prices.entries()) yield { event, occurrence, position, price };
}

/** `ticketsURLs` by event ordinal: what the column of that name points into. */
export async function writeOccurrences(
  writer: Writer,
  columns: Columns,
  ticketsURLs: readonly (readonly string[])[],
): Promise<void> {
  await insertRows(writer, occurrenceTable(columns, ticketsURLs), columns.start.keys());
}

function occurrenceTable(columns: Columns, ticketsURLs: readonly (readonly string[])[]): Table<number> {
  const startTexts = textsOf(columns.startText);
  const endTexts = textsOf(columns.endText);
  return {
    name: 'occurrence',
    columns: [
      'row',
      'event',
      'start',
      'end',
      'over',
      'start_text',
      'end_text',
      'start_time',
      'duration',
      'venue',
      'tickets_url',
      'cancelled',
      'sold_out',
      'all_day',
      'nth',
    ],
    cells(row) {
      const event = columns.event[row] ?? -1;
      const url = columns.ticketsURL[row] ?? ABSENT;
      const flags = columns.occurrenceFlags[row] ?? 0;
      return [
        row,
        event,
        columns.start[row] ?? null,
        columns.end[row] ?? null,
        columns.over[row] ?? null,
        startTexts(row),
        endTexts(row),
        formatMinute(columns.startTime[row] ?? 0),
        unlessAbsent(columns.duration[row]),
        unlessAbsent(columns.venue[row]),
        url === ABSENT ? null : (ticketsURLs[event]?.[url] ?? null),
        Number((flags & OCCURRENCE_FLAGS.cancelled) !== 0),
        Number((flags & OCCURRENCE_FLAGS.soldOut) !== 0),
        Number((flags & OCCURRENCE_FLAGS.allDay) !== 0),
        columns.nth[row] ?? 1,
      ];
    },
  };
}

/** Columns write -1 for null where nothing is negative. */
function unlessAbsent(value: number | undefined): number | null {
  return value === undefined || value < 0 ? null : value;
}

function textsOf(column: Uint8Array): (row: number) => string {
  const bytes = Buffer.from(column.buffer, column.byteOffset, column.byteLength);
  return (row) => bytes.toString('latin1', row * DATETIME_WIDTH, (row + 1) * DATETIME_WIDTH);
}

export async function writeFacetCounts(writer: Writer, counts: Iterable<FacetCount>): Promise<void> {
  await insertRows(writer, FACET_COUNTS, counts);
}

const FACET_COUNTS: Table<FacetCount> = {
  name: 'facet_count',
  columns: ['kind', 'id', 'since', 'until', 'hits'],
  cells: ({ kind, id, since, until, hits }) => [kind, id, since, until, hits],
};
