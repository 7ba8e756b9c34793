/** The rows of the tables, most of them for people with the shell. Ordinals and rows are indexes into the calendar's lists. */
import type { Category, EventFields, Organizer, Price, Venue } from '../../src/calendar/model.ts';
import { formatMinute, osloOffset } from '../../src/calendar/time.ts';
import { ABSENT, type Columns, OCCURRENCE_FLAGS } from '../../src/snapshot/columns.ts';
import { type OccurrenceTexts, renderFragment } from '../../src/snapshot/fragments.ts';
import type { Writer } from '../../src/snapshot/sqlite.ts';
import type { Calendar, EventLists, Link } from '../records.ts';

export async function writeDirectories(writer: Writer, calendar: Calendar): Promise<void> {
  await insertRows(writer, VENUES, calendar.venues.entries());
  await insertRows(writer, ORGANIZERS, calendar.organizers.entries());
  await insertRows(writer, CATEGORIES, calendar.categories.entries());
}

type Placed<Entity> = readonly [ordinal: number, entity: Entity];

const VENUES: Table<Placed<Venue>> = {
  name: 'venue',
  cells: ([
    ordinal,
    { id, name, slug, address, postalCode, municipality, municipalityNumber, location, accessibility },
  ]) => ({
    ordinal,
    id,
    name,
    slug,
    address,
    postal_code: postalCode,
    municipality,
    municipality_number: municipalityNumber,
    latitude_e7: location === null ? null : scaled(location.latitude),
    longitude_e7: location === null ? null : scaled(location.longitude),
    accessibility: JSON.stringify(accessibility),
  }),
};

const ORGANIZERS: Table<Placed<Organizer>> = {
  name: 'organizer',
  cells: ([ordinal, { id, name, slug, website }]) => ({ ordinal, id, name, slug, website }),
};

const CATEGORIES: Table<Placed<Category>> = {
  name: 'category',
  cells: ([ordinal, { id, parent, name_nb, name_en, slug_nb, slug_en, visible }]) => ({
    ordinal,
    id,
    parent: parent < 0 ? null : parent,
    name_nb,
    name_en,
    slug_nb,
    slug_en,
    visible: Number(visible),
  }),
};

/** Degrees as ten-millionths, about a centimetre: integers only (G5, same in, same out). */
function scaled(degrees: number): number {
  return Math.round(degrees * 1e7);
}

interface Events {
  readonly calendar: Calendar;
  readonly columns: Columns;
  /** Receives each event as it is read for writing, in the order of the ordinals. */
  readonly onEvent: (event: WrittenEvent) => Promise<void>;
}

export interface WrittenEvent {
  readonly ordinal: number;
  /** Parses its row of `event`. */
  readonly row: () => EventRow;
}

/** Returns each event's ticket URLs, by ordinal, for the rows of its occurrences. */
export async function writeEvents(
  writer: Writer,
  { calendar, columns, onEvent }: Events,
): Promise<readonly (readonly string[])[]> {
  const events = batchOfEvents(writer);
  const categories = batchOf(writer, EVENT_CATEGORIES);
  const organizers = batchOf(writer, EVENT_ORGANIZERS);
  const prices = batchOf(writer, PRICES);
  const batches = [events, categories, organizers, prices];
  const ticketsURLs: (readonly string[])[] = [];
  for (const [event, about] of calendar.events.entries()) {
    const texts = calendar.read(event);
    events.add(texts.row);
    const own = about.categories.slice(0, about.ownCategories);
    for (const place of ascending(own)) categories.add([event, place]);
    for (const place of ascending(about.organizers)) organizers.add([event, place]);
    for (const price of pricesOf(event, texts, columns)) prices.add(price);
    for (const batch of batches) if (batch.isFull()) await batch.send();
    await onEvent({ ordinal: event, row: () => JSON.parse(texts.row.toString()) });
    ticketsURLs.push(texts.ticketsURLs);
  }
  for (const batch of batches) await batch.end();
  return ticketsURLs;
}

/** A row of `event`, by its columns. */
export interface EventRow extends Readonly<ReturnType<typeof rowOf>> {
  readonly ordinal: number;
  readonly super_event: string | null;
}

/** The fields of a record that its row shows. */
type RowFields = Omit<
  EventFields,
  'event_slug' | 'eventLink' | 'super_event' | 'isFeaturedInSpecialEvent' | 'organizers'
>;

/** A row without what is known only once all events are read: its ordinal and its container. */
export function rowOf(event: RowFields, { slug, link }: Link, texts: OccurrenceTexts) {
  const { publishingDate, ticketsInformation, minimumAge, maximumAge, isSuperEvent, isFeaturedEvent } = event;
  return {
    title_nb: event.title_nb,
    title_en: event.title_en,
    desc_nb: event.desc_nb,
    desc_en: event.desc_en,
    tags: JSON.stringify(event.tags),
    id: event.id,
    slug,
    link,
    mode: event.mode,
    tickets_information: ticketsInformation,
    publishing_date: publishingDate,
    is_super_event: Number(isSuperEvent),
    is_featured: Number(isFeaturedEvent),
    created_at: event.created_at,
    updated_at: event.updated_at,
    minimum_age: minimumAge,
    maximum_age: maximumAge,
    accessibility: JSON.stringify(event.accessibility),
    ...renderFragment(event, texts),
  };
}

type Member = readonly [event: number, entity: number];

const EVENT_CATEGORIES: Table<Member> = {
  name: 'event_category',
  cells: ([event, category]) => ({ event, category }),
};

const EVENT_ORGANIZERS: Table<Member> = {
  name: 'event_organizer',
  cells: ([event, organizer]) => ({ event, organizer }),
};

/** Each once, in the order of the table's key. */
function ascending(places: readonly number[]): readonly number[] {
  return [...new Set(places)].sort((left, right) => left - right);
}

interface PlacedPrice {
  readonly event: number;
  /** Row of the occurrence whose own price it is; null for the event's. */
  readonly occurrence: number | null;
  readonly position: number;
  readonly price: Price;
}

const PRICES: Table<PlacedPrice> = {
  name: 'price',
  cells: ({ event, occurrence, position, price: { type, price, name_nb, name_en } }) => ({
    event,
    occurrence,
    position,
    type,
    price,
    name_nb,
    name_en,
  }),
};

function* pricesOf(event: number, texts: EventLists, columns: Columns): Generator<PlacedPrice> {
  yield* listed(event, null, texts.prices);
  const rows = columns.occurrences.subarray(columns.occurrencesAt[event], columns.occurrencesAt[event + 1]);
  for (const row of rows) {
    const place = columns.prices[row] ?? ABSENT;
    if (place !== ABSENT) yield* listed(event, row, texts.priceLists[place] ?? []);
  }
}

function* listed(event: number, occurrence: number | null, prices: readonly Price[]): Generator<PlacedPrice> {
  for (const [position, price] of prices.entries()) yield { event, occurrence, position, price };
}

/** `ticketsURLs` by event ordinal: the column of that name indexes them. */
export async function writeOccurrences(
  writer: Writer,
  columns: Columns,
  ticketsURLs: readonly (readonly string[])[],
): Promise<void> {
  await insertRows(writer, occurrenceTable(columns, ticketsURLs), columns.start.keys());
}

function occurrenceTable(columns: Columns, ticketsURLs: readonly (readonly string[])[]): Table<number> {
  return {
    name: 'occurrence',
    cells(row) {
      const event = columns.event[row] ?? -1;
      const url = columns.ticketsURL[row] ?? ABSENT;
      const flags = columns.occurrenceFlags[row] ?? 0;
      return {
        row,
        event,
        start: columns.start[row] ?? null,
        end: columns.end[row] ?? null,
        over: columns.over[row] ?? null,
        start_offset: osloOffset(columns.start[row] ?? 0),
        end_offset: osloOffset(columns.end[row] ?? 0),
        start_time: formatMinute(columns.startTime[row] ?? 0),
        duration: unlessAbsent(columns.duration[row]),
        venue: unlessAbsent(columns.venue[row]),
        tickets_url: url === ABSENT ? null : (ticketsURLs[event]?.[url] ?? null),
        cancelled: Number((flags & OCCURRENCE_FLAGS.cancelled) !== 0),
        sold_out: Number((flags & OCCURRENCE_FLAGS.soldOut) !== 0),
        all_day: Number((flags & OCCURRENCE_FLAGS.allDay) !== 0),
        nth: columns.nth[row] ?? 1,
      };
    },
  };
}

/** In columns, -1 stands for null where values are never negative. */
function unlessAbsent(value: number | undefined): number | null {
  return value === undefined || value < 0 ? null : value;
}

/**
 * Many rows in few calls. A call through the driver's thread pool takes about 35 µs, so one call a row makes a build slow: 200,000 rows
 * of 13 columns take 7.6 s that way and 0.5 s as below (the shell's own inserts: 1.1 s).
 */

export interface Table<Row> {
  readonly name: string;
  /** By column, always in the same order. Only integers, texts and null: SQLite would store any other number as REAL (G5). */
  readonly cells: (row: Row) => Readonly<Record<string, string | number | null>>;
}

interface Batch<Row> {
  readonly add: (row: Row) => void;
  /** Whether it has enough rows for a call. */
  readonly isFull: () => boolean;
  /** Lets SQLite write the rows while others are added; waits for the batch before. */
  readonly send: () => Promise<void>;
  /** Writes the remaining rows. */
  readonly end: () => Promise<void>;
}

export async function insertRows<Row>(writer: Writer, table: Table<Row>, rows: Iterable<Row>): Promise<void> {
  const batch = batchOf(writer, table);
  for (const row of rows) {
    batch.add(row);
    if (batch.isFull()) await batch.send();
  }
  await batch.end();
}

const ROWS = 500;
/** UTF-16 units; long descriptions make the batches shorter. */
const TEXT = 1_000_000;

/** A batch is one JSON document, which SQLite parses faster than it binds values one by one. */
function batchOf<Row>(writer: Writer, { name, cells }: Table<Row>): Batch<Row> {
  let sql = '';
  let rows: string[] = [];
  let length = 0;
  const take = (): Call | null => {
    if (rows.length === 0) return null;
    const json = `[${rows.join(',')}]`;
    rows = [];
    length = 0;
    return [sql, json];
  };
  return {
    add(row) {
      const named = cells(row);
      sql ||= insertOf(name, Object.keys(named));
      const text = JSON.stringify(Object.values(named));
      rows.push(text);
      length += text.length;
    },
    isFull: () => rows.length >= ROWS || length > TEXT,
    ...sending(writer, take),
  };
}

/** `at`: where in a row's JSON a column's value is. */
function insertOf(table: string, columns: readonly string[], at = (_: string, place: number) => `${place}`) {
  const values = columns.map((column, place) => `value ->> ${at(column, place)}`).join(', ');
  return `insert into ${table} (${columns.join(', ')})
    select ${values} from jsonb_each(cast(? as text)) as batch order by batch.rowid`;
}

/** Bytes of events in a batch. */
const EVENT_BYTES = 200_000;

/** Takes each row as JSON, by column: so SQLite parses what materialising wrote, and nothing else has to. */
function batchOfEvents(writer: Writer): Batch<Buffer> {
  let sql = '';
  let rows: Buffer[] = [];
  let bytes = 0;
  const take = (): Call | null => {
    if (rows.length === 0) return null;
    const json = Buffer.concat([...rows.flatMap((row, at) => [at === 0 ? BEGIN : COMMA, row]), END]);
    rows = [];
    bytes = 0;
    return [sql, json];
  };
  return {
    add(row) {
      sql ||= insertOf('event', Object.keys(JSON.parse(row.toString())), (column) => `'$.${column}'`);
      rows.push(row);
      bytes += row.length;
    },
    isFull: () => bytes > EVENT_BYTES,
    ...sending(writer, take),
  };
}

const [BEGIN, COMMA, END] = [Buffer.from('['), Buffer.from(','), Buffer.from(']')];

type Call = readonly [sql: string, json: string | Buffer];

/** Batches of all tables arrive in the order in which they were sent. `take` empties a batch. */
function sending(writer: Writer, take: () => Call | null): Pick<Batch<never>, 'send' | 'end'> {
  let sent: Promise<void> = Promise.resolve();
  async function send(): Promise<void> {
    await sent;
    const call = take();
    if (call === null) return;
    const [sql, json] = call;
    sent = writer.run(sql, [json]);
    // The next await gets the error; this avoids an unhandled rejection.
    sent.catch(() => undefined);
  }
  return { send, end: () => send().then(() => sent) };
}
