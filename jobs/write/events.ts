/** Rows of events and of what belongs to them, each event's texts read once. */
import type { EventFields, Image, Price } from '../../src/calendar/model.ts';
import { ABSENT, type Columns } from '../../src/snapshot/columns.ts';
import { renderFragment } from '../../src/snapshot/fragments.ts';
import type { Writer } from '../../src/snapshot/sqlite.ts';
import type { Calendar, EventTexts } from '../records.ts';
import { batchOf, batchOfBodies, type Table } from './rows.ts';

interface Events {
  readonly calendar: Calendar;
  readonly columns: Columns;
  readonly extensions: readonly { readonly take: (event: number, fields: EventFields) => void }[];
}

/** Gives each event's ticket URLs, by ordinal, for the rows of its occurrences. */
export async function writeEvents(
  writer: Writer,
  { calendar, columns, extensions }: Events,
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
    for (const { take } of extensions) take(event, texts.fields);
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
