/**
 * The rows of the public edition (J5): those of each event that callers see at an instant, made from its part of a snapshot. Whatever is not
 * public then is left out here, and nowhere else.
 */
import { wordsIn } from '../../src/calendar/accessibility.ts';
import { tailOf } from '../../src/calendar/date-address.ts';
import { shownText } from '../../src/calendar/display-text.ts';
import { EVENT, ORGANIZER, VENUE } from '../../src/calendar/fields.ts';
import { DAY, formatDay, formatMinute, formatOslo, osloDay } from '../../src/calendar/time.ts';
import { ABSENT, type Columns, listAt, previousStartOf } from '../../src/snapshot/columns.ts';
import { OCCURRENCE_FLAGS, statusOf } from '../../src/snapshot/flags.ts';
import { ALL_IMAGE_PARTS, type EventFragment, PRICE_PARTS } from '../../src/snapshot/fragments.ts';
import type { Lists } from '../../src/snapshot/lists.ts';
import {
  type Cell,
  cellOf,
  entryFields,
  olderCell,
  plainCells,
  plainOf,
  readerOf,
  scalarIndex,
  textAt,
  wordsAt,
} from './cells.ts';
import { columnsOf, type FilledTable, type SEARCH } from './shape.ts';
import { snakeCase } from './tables.ts';

/** The columns of a snapshot that the rows are made of. */
export const READ_COLUMNS = [
  'accessibility',
  'categories',
  'categoriesAt',
  'changed',
  'duration',
  'end',
  'eventOver',
  'nth',
  'occurrenceFlags',
  'movedRow',
  'movedFrom',
  'occurrences',
  'occurrencesAt',
  'organizers',
  'organizersAt',
  'over',
  'prices',
  'publishing',
  'start',
  'startTime',
  'ticketsURL',
  'venue',
] as const satisfies readonly (keyof Columns)[];

export type ReadColumns = Pick<Columns, (typeof READ_COLUMNS)[number]>;

type PublicRow = Readonly<Record<string, Cell>>;
/** Cells as JSON, in the order of the table's columns. */
type FinishedRow = readonly string[];
/** `row`: by column, unless it is finished. */
export type Put = (table: FilledTable, row: PublicRow | FinishedRow) => void;

export function isFinished(row: PublicRow | FinishedRow): row is FinishedRow {
  return Array.isArray(row);
}

/** The directories: what the interface's `venues`, `organizers` and `categories` list. */
export function putDirectories({ venues, organizers, categories }: Lists, put: Put): void {
  for (const venue of venues) {
    put('venue', {
      id: venue.id,
      name: venue.name,
      slug: venue.slug,
      ...plainCells(PLAIN_VENUE, entryFields(venue)),
      latitude: venue.location?.latitude ?? null,
      longitude: venue.location?.longitude ?? null,
    });
  }
  for (const organizer of organizers) {
    const { id, name, slug } = organizer;
    put('organizer', { id, name, slug, ...plainCells(PLAIN_ORGANIZER, entryFields(organizer)) });
  }
  for (const { parent, ...category } of categories) {
    put('category', {
      id: category.id,
      parent_id: categories[parent]?.id ?? null,
      name_nb: category.name_nb,
      name_en: category.name_en,
      slug_nb: category.slug_nb,
      slug_en: category.slug_en,
      visible: category.visible,
    });
  }
}

/** Fields of an event that are not plain, and one column each. */
const EVENT_BASICS = [
  'id',
  'event_slug',
  'eventLink',
  'title_nb',
  'title_en',
  'desc_nb',
  'desc_en',
  'mode',
  'ticketsInformation',
];

interface PublicEvents {
  readonly columns: ReadColumns;
  readonly lists: Lists;
  /** Whether callers see the event with this id. */
  readonly isPublic: (id: string) => boolean;
  /** When a build last changed it, ISO 8601; null if that is not known any more. */
  readonly changedAt: (ordinal: number) => string | null;
}

/** All rows of one public event. */
export function putEvent(
  { columns, lists, isPublic, changedAt }: PublicEvents,
  { ordinal, fragment }: { readonly ordinal: number; readonly fragment: EventFragment },
  put: Put,
): void {
  const { scalars } = fragment;
  const eventId = textAt(scalars, 'id');
  const container = textAt(scalars, 'super_event');
  const number = ordinal + 1;
  const computed: PublicRow = {
    number,
    super_event: isPublic(container) ? container : null,
    accessibility: wordsAt(scalars, 'accessibility').join(', '),
    contact_email: olderCell(fragment, 'email'),
    contact_phone: olderCell(fragment, 'phone'),
    changed_at: changedAt(ordinal),
  };
  const cells = EVENT_COLUMNS.map(({ column, passedOn }) =>
    passedOn === undefined ? JSON.stringify(computed[column]) : (scalars[passedOn] ?? 'null'),
  );
  put('event', cells);
  const event = { ordinal, eventId, fragment };
  const namedCategories = putCategories({ columns, lists }, event, put);
  const tags = [...new Set(wordsAt(scalars, 'tags'))];
  for (const tag of tags) put('event_tag', { event_id: eventId, tag });
  const organizers = putOrganizers({ columns, lists }, event, put);
  for (const [position, image] of fragment.images.entries()) put('image', imageRow(eventId, position, image));
  putPrices(fragment.prices, { eventId, occurrenceId: null }, put);
  const venues = putOccurrences({ columns, lists }, event, put);
  put('search', searchRow({ scalars, number, tags, namedCategories, organizers, venues }, lists));
}

type Snapshot = Pick<PublicEvents, 'columns' | 'lists'>;

interface NumberedEvent {
  readonly ordinal: number;
  readonly eventId: string;
  readonly fragment: EventFragment;
}

/** Returns the ids of the categories that the event itself names. */
function putCategories(
  { columns, lists }: Snapshot,
  { ordinal, eventId, fragment }: NumberedEvent,
  put: Put,
): ReadonlySet<string> {
  const named = new Set(wordsAt(fragment.scalars, 'categories'));
  const carried = Array.from(listAt(columns.categories, columns.categoriesAt, ordinal));
  for (const categoryOrdinal of ascending(carried)) {
    const categoryId = lists.categories[categoryOrdinal]?.id ?? '';
    put('event_category', { event_id: eventId, category_id: categoryId, is_own: named.has(categoryId) });
  }
  return named;
}

/** Returns their ordinals, in the event's order. */
function putOrganizers(
  { columns, lists }: Snapshot,
  { ordinal, eventId }: NumberedEvent,
  put: Put,
): readonly number[] {
  const organizers = [...new Set(listAt(columns.organizers, columns.organizersAt, ordinal))];
  for (const [position, organizerOrdinal] of organizers.entries()) {
    const organizerId = lists.organizers[organizerOrdinal]?.id ?? '';
    put('event_organizer', { event_id: eventId, organizer_id: organizerId, position });
  }
  return organizers;
}

/** Returns the ordinals of its dates' venues. */
function putOccurrences(
  { columns, lists }: Snapshot,
  { ordinal, eventId, fragment }: NumberedEvent,
  put: Put,
): ReadonlySet<number> {
  const venues = new Set<number>();
  for (const row of listAt(columns.occurrences, columns.occurrencesAt, ordinal)) {
    const start = at(columns.start, row);
    const end = at(columns.end, row);
    const flags = at(columns.occurrenceFlags, row);
    const isAllDay = (flags & OCCURRENCE_FLAGS.allDay) !== 0;
    const startText = (instant: number) => (isAllDay ? formatDay(osloDay(instant)) : localMinute(instant));
    const previousStart = previousStartOf(columns, row);
    const venue = at(columns.venue, row);
    if (venue >= 0) venues.add(venue);
    const duration = at(columns.duration, row);
    const occurrenceId = `${eventId}@${tailOf({ start, nth: at(columns.nth, row) })}`;
    const ticketsUrl = fragment.ticketsURLs[at(columns.ticketsURL, row)];
    // Whole days end at the midnight that follows.
    const endText = isAllDay ? formatDay(osloDay(end - DAY / 2)) : localMinute(end);
    put('occurrence', {
      id: occurrenceId,
      event_id: eventId,
      starts: startText(start),
      ends: end === start ? null : endText,
      start_utc: start,
      end_utc: end,
      over_utc: at(columns.over, row),
      all_day: isAllDay,
      start_time: formatMinute(at(columns.startTime, row)),
      duration: duration < 0 ? null : duration,
      venue_id: lists.venues[venue]?.id ?? null,
      tickets_url: ticketsUrl === undefined ? null : cellOf(JSON.parse(ticketsUrl)),
      event_cancelled: (flags & OCCURRENCE_FLAGS.cancelled) !== 0,
      status: statusOf(flags),
      previous_starts: previousStart === null ? null : startText(previousStart),
      event_sold_out: (flags & OCCURRENCE_FLAGS.soldOut) !== 0,
      accessibility: wordsIn(at(columns.accessibility, row)).join(', '),
    });
    const list = at(columns.prices, row);
    if (list !== ABSENT) putPrices(fragment.priceLists[list] ?? [], { eventId, occurrenceId }, put);
  }
  return venues;
}

function putPrices(
  prices: EventFragment['prices'],
  { eventId, occurrenceId }: { readonly eventId: string; readonly occurrenceId: string | null },
  put: Put,
): void {
  for (const [position, parts] of prices.entries()) {
    const price = readPrice(parts);
    put('price', {
      event_id: eventId,
      occurrence_id: occurrenceId,
      position,
      type: cellOf(price.get('type')),
      price: cellOf(price.get('price')),
      name_nb: cellOf(price.get('name_nb')),
      name_en: cellOf(price.get('name_en')),
    });
  }
}

function imageRow(eventId: string, position: number, parts: readonly string[]): PublicRow {
  const image = readImage(parts);
  return {
    event_id: eventId,
    position,
    url_small: cellOf(image.get('urlSmall')),
    url_large: cellOf(image.get('urlLarge')),
    alt: cellOf(image.get('alt')),
    caption: cellOf(image.get('caption')),
    credits: cellOf(image.get('credits')),
    focus_x: cellOf(image.get('focusX')),
    focus_y: cellOf(image.get('focusY')),
    width: cellOf(image.get('width')),
    height: cellOf(image.get('height')),
  };
}

interface Searched {
  readonly scalars: EventFragment['scalars'];
  readonly number: number;
  readonly tags: readonly string[];
  /** Ids of the categories that the event itself names. */
  readonly namedCategories: ReadonlySet<string>;
  readonly organizers: readonly number[];
  readonly venues: ReadonlySet<number>;
}

/** B10: the texts that `searchTerm` searches, and the summaries. */
function searchRow(
  { scalars, number, tags, namedCategories, organizers, venues }: Searched,
  lists: Lists,
): PublicRow {
  const bothOf = (name: string) => [textAt(scalars, `${name}_nb`), textAt(scalars, `${name}_en`)];
  const labels = lists.categories
    .filter(({ id }) => namedCategories.has(id))
    .flatMap(({ name_nb, name_en }) => [name_nb, name_en]);
  return {
    rowid: number,
    title: lines(bothOf('title')),
    summary: lines(bothOf('summary')),
    description: lines(bothOf('desc').map((markup) => shownText(markup))),
    tags: lines(tags),
    venues: lines([...venues].map((ordinal) => lists.venues[ordinal]?.name ?? '')),
    organizers: lines(organizers.map((ordinal) => lists.organizers[ordinal]?.name ?? '')),
    categories: lines(labels),
  } satisfies Record<keyof typeof SEARCH, string> & { readonly rowid: number };
}

const lines = (texts: readonly string[]): string => texts.filter((text) => text !== '').join('\n');

const readImage = readerOf(ALL_IMAGE_PARTS);
const readPrice = readerOf(PRICE_PARTS);

const PLAIN_VENUE = plainOf(VENUE);
const PLAIN_ORGANIZER = plainOf(ORGANIZER);

/** Fields of an event whose values are cells as they are: most of an event is its descriptions. */
const PASSED_ON: ReadonlyMap<string, number | undefined> = new Map(
  [...EVENT_BASICS, ...Object.keys(EVENT).filter((name) => name !== 'accessibility')].map((name) => [
    snakeCase(name),
    scalarIndex(name),
  ]),
);

/** `passedOn`: the position of its value in the fragment. */
const EVENT_COLUMNS = columnsOf('event').map((column) => ({ column, passedOn: PASSED_ON.get(column) }));

function ascending(ordinals: readonly number[]): readonly number[] {
  return [...new Set(ordinals)].sort((left, right) => left - right);
}

/** `YYYY-MM-DD HH:mm` in Norwegian time. */
const localMinute = (instant: number): string => formatOslo(instant).slice(0, 16);

function at(column: { readonly [index: number]: number }, index: number): number {
  return column[index] ?? 0;
}
