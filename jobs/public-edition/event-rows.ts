/**
 * The rows of the public edition (J5) for an event that callers see at an instant, made from its part of a snapshot. Whatever is not public
 * then is left out here, and nowhere else.
 */
import { shownText } from '../../src/calendar/display-text.ts';
import { EVENT } from '../../src/calendar/fields.ts';
import { listAt } from '../../src/snapshot/columns.ts';
import { ALL_IMAGE_PARTS, type EventFragment } from '../../src/snapshot/fragments.ts';
import type { Lists } from '../../src/snapshot/lists.ts';
import { cellOf, olderCell, readerOf, scalarIndex, textAt, wordsAt } from './cells.ts';
import { putOccurrences, putPrices } from './occurrence-rows.ts';
import type { NumberedEvent, PublicRow, Put, SnapshotParts } from './row.ts';
import { columnsOf, type SEARCH } from './shape.ts';
import { snakeCase } from './tables.ts';

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

interface PublicEvents extends SnapshotParts {
  /** Whether callers see the event with this id. */
  readonly isPublic: (id: string) => boolean;
  /** When a build last changed it, ISO 8601; null if that is not known any more. */
  readonly changedAt: (ordinal: number) => string | null;
}

/** Adds all rows of one public event. */
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

/** Adds the rows of its categories. Returns the ids of those that the event itself names. */
function putCategories(
  { columns, lists }: SnapshotParts,
  { ordinal, eventId, fragment }: NumberedEvent,
  put: Put,
): ReadonlySet<string> {
  const named = new Set(wordsAt(fragment.scalars, 'categories'));
  const withParents = Array.from(listAt(columns.categories, columns.categoriesAt, ordinal));
  for (const categoryOrdinal of ascending(withParents)) {
    const categoryId = lists.categories[categoryOrdinal]?.id ?? '';
    put('event_category', { event_id: eventId, category_id: categoryId, is_own: named.has(categoryId) });
  }
  return named;
}

/** Adds the rows of its organizers. Returns their ordinals, in the event's order. */
function putOrganizers(
  { columns, lists }: SnapshotParts,
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

const readImage = readerOf(ALL_IMAGE_PARTS);

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
    .flatMap(({ name_nb, name_en, name_nn }) => [name_nb, name_en, name_nn ?? '']);
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
