/**
 * The object types of the schema below Query, as they are answered; `events` is in connection.ts, and its facets in facet-fields.ts. A type
 * comes before the types that lead to it.
 */
import { wordsIn } from '../../calendar/accessibility.ts';
import { dateText, eventPagesOf, tailOf } from '../../calendar/date-address.ts';
import type { EventSource } from '../../calendar/model.ts';
import { OLDER_DATE_FIELDS, OLDER_EVENT_FIELDS } from '../../calendar/older-fields.ts';
import { formatMinute, formatOslo } from '../../calendar/time.ts';
import type { ChangesJson } from '../../snapshot/changes.ts';
import { ABSENT, previousStartOf } from '../../snapshot/columns.ts';
import { OCCURRENCE_FLAGS, statusOf } from '../../snapshot/flags.ts';
import { ALL_IMAGE_PARTS, EVENT_SCALARS, PRICE_PARTS } from '../../snapshot/fragments.ts';
import type { Snapshot } from '../../snapshot/open.ts';
import {
  CATEGORY_FIELD_NAMES,
  type CategoryJson,
  LOCATION_FIELD_NAMES,
  type LocationJson,
  ORGANIZER_FIELD_NAMES,
  type OrganizerJson,
  VENUE_FIELD_NAMES,
  type VenueJson,
} from '../query/directory.ts';
import { type EventNode, type RepetitionNode, repetitionsOf } from '../query/nodes.ts';
import type { CopiesOf, PictureCopy } from './output.ts';
import { type Leaves, leavesOf, many, type ObjectType, one } from './project.ts';

const LOCATION_TYPE: ObjectType<LocationJson> = {
  name: 'Location',
  leaves: leavesOf(LOCATION_FIELD_NAMES, (location: LocationJson, field) => location[field]),
};

const SUBCATEGORY_TYPE: ObjectType<CategoryJson> = {
  name: 'Subcategory',
  leaves: leavesOf(CATEGORY_FIELD_NAMES, (category: CategoryJson, field) => category[field]),
};

/** D2: entries of these lists that are counted before they are known. */
const TYPICAL_SUBCATEGORIES = 4;
const TYPICAL_REPETITIONS = 3;
const TYPICAL_COPIES = 3;

/**
 * The type of an object that holds a venue: the venue itself, or a facet's entry, which has the same fields. The fields are read in place:
 * copying hundreds of venues into entries would take most of the time of a response.
 */
export const venueIn = <Holder>(name: string, get: (holder: Holder) => VenueJson): ObjectType<Holder> => ({
  name,
  leaves: leavesOf(VENUE_FIELD_NAMES, (holder: Holder, field) => get(holder)[field]),
  links: { location: one(LOCATION_TYPE, (holder) => get(holder).location) },
});

/** The type of an object that holds an organizer, as `venueIn`. */
export const organizerIn = <Holder>(
  name: string,
  get: (holder: Holder) => OrganizerJson,
): ObjectType<Holder> => ({
  name,
  leaves: leavesOf(ORGANIZER_FIELD_NAMES, (holder: Holder, field) => get(holder)[field]),
});

/** The type of an object that holds a category, as `venueIn`. */
export const categoryIn = <Holder>(
  name: string,
  get: (holder: Holder) => CategoryJson,
): ObjectType<Holder> => ({
  name,
  leaves: leavesOf(CATEGORY_FIELD_NAMES, (holder: Holder, field) => get(holder)[field]),
  links: {
    subcategories: many(SUBCATEGORY_TYPE, (holder) => get(holder).subcategories, {
      entries: TYPICAL_SUBCATEGORIES,
    }),
  },
});

export const VENUE_TYPE = venueIn('Venue', (venue: VenueJson) => venue);
export const ORGANIZER_TYPE = organizerIn('Organizer', (organizer: OrganizerJson) => organizer);
export const CATEGORY_TYPE = categoryIn('Category', (category: CategoryJson) => category);

/** Values that are stored as a list, in the order of these names. */
const leavesByIndex = (names: readonly string[]): Leaves<readonly string[]> =>
  leavesOf(names, (parts: readonly string[], _, index) => parts[index] ?? 'null');

const IMAGE_COPY_TYPE: ObjectType<PictureCopy> = {
  name: 'ImageCopy',
  leaves: {
    url: ({ url }) => JSON.stringify(url),
    width: ({ width }) => String(width),
  },
};

export const IMAGE_TYPE: ObjectType<readonly string[]> = {
  name: 'Image',
  leaves: leavesByIndex(ALL_IMAGE_PARTS),
  links: {
    copies: many(IMAGE_COPY_TYPE, (parts, _, { copiesOf }) => copiesOfImage(parts, copiesOf), {
      entries: TYPICAL_COPIES,
    }),
  },
};

function copiesOfImage(parts: readonly string[], copiesOf: CopiesOf): readonly PictureCopy[] | null {
  // Both are JSON: a text or null.
  const large: string | null = JSON.parse(IMAGE_TYPE.leaves.urlLarge?.(parts) ?? 'null');
  const original: string | null = large ?? JSON.parse(IMAGE_TYPE.leaves.urlSmall?.(parts) ?? 'null');
  return original === null ? null : copiesOf(original);
}

export const PRICE_TYPE: ObjectType<readonly string[]> = {
  name: 'Price',
  leaves: leavesByIndex(PRICE_PARTS),
};

/** Fields of an occurrence: nodes and repetitions read the same columns. */
const OCCURRENCE: Pick<ObjectType<RepetitionNode>, 'leaves' | 'links'> = {
  leaves: {
    startDate: ({ view, row }) => `"${formatOslo(at(view.columns.start, row))}"`,
    endDate: ({ view, row }) => `"${formatOslo(at(view.columns.end, row))}"`,
    startTime: ({ view, row }) => `"${formatMinute(at(view.columns.startTime, row))}"`,
    duration: ({ view, row }) => {
      const minutes = at(view.columns.duration, row);
      return minutes < 0 ? 'null' : String(minutes);
    },
    ticketsURL: ({ view, row, fragment }) => {
      const index = at(view.columns.ticketsURL, row);
      return index === ABSENT ? 'null' : (fragment.ticketsURLs[index] ?? 'null');
    },
    allDay: occurrenceFlag('allDay'),
    eventCancelled: occurrenceFlag('cancelled'),
    status: ({ view, row }) => `"${statusOf(at(view.columns.occurrenceFlags, row))}"`,
    previousStartDate: ({ view, row }) => {
      const before = previousStartOf(view.columns, row);
      return before === null ? 'null' : `"${formatOslo(before)}"`;
    },
    eventSoldOut: occurrenceFlag('soldOut'),
    occurrenceLink,
  },
  links: {
    venue: one(VENUE_TYPE, ({ view, row }) => view.directory.venues[at(view.columns.venue, row)] ?? null),
  },
};

/** The prices of an occurrence; null where its event's apply. */
function occurrencePricesOf({
  view,
  row,
  fragment,
}: RepetitionNode): RepetitionNode['fragment']['prices'] | null {
  const index = at(view.columns.prices, row);
  return index === ABSENT ? null : (fragment.priceLists[index] ?? null);
}

const ID_LINE = EVENT_SCALARS.indexOf('id');

/** The id of an occurrence (A16). */
function occurrenceId({ view, row, fragment }: RepetitionNode): string {
  const eventId = fragment.scalars[ID_LINE] ?? '""';
  const { start, nth } = view.columns;
  return withEnding(eventId, `@${tailOf({ start: at(start, row), nth: at(nth, row) })}`);
}

/** A string of JSON with a plain text at its end. Parsing it first would cost time in each row. */
function withEnding(json: string, ending: string): string {
  return `${json.slice(0, -1)}${ending}"`;
}

const LINK_LINE = EVENT_SCALARS.indexOf('eventLink');
const SLUG_LINE = EVENT_SCALARS.indexOf('event_slug');

/** The address of a date (I12); null where the event's page is on another site. */
function occurrenceLink({ view, row, fragment }: RepetitionNode): string {
  const { start, nth, occurrenceFlags } = view.columns;
  const pages = eventPagesOf(view.lists.licence.siteUrl);
  const link = fragment.scalars[LINK_LINE] ?? 'null';
  const slug = fragment.scalars[SLUG_LINE] ?? '""';
  if (pages === null) return 'null';
  // G8: a slug has no letters that JSON escapes.
  const slugWithoutQuotes = slug.slice(1, -1);
  if (link !== withEnding(JSON.stringify(pages), `${slugWithoutQuotes}.html`)) return 'null';
  const isAllDay = (at(occurrenceFlags, row) & OCCURRENCE_FLAGS.allDay) !== 0;
  return withEnding(link, `?date=${dateText({ start: at(start, row), nth: at(nth, row), isAllDay })}`);
}

function occurrenceFlag(name: keyof typeof OCCURRENCE_FLAGS): (node: RepetitionNode) => string {
  const bit = OCCURRENCE_FLAGS[name];
  return ({ view, row }) => ((at(view.columns.occurrenceFlags, row) & bit) === 0 ? 'false' : 'true');
}

/** E5: fields that the interface no longer describes but older clients still select. */
const OLDER_EVENT_LEAVES = leavesOf(
  OLDER_EVENT_FIELDS,
  ({ fragment }: EventNode, _, index) => fragment.older[index] ?? 'null',
);

const TICKETS_LINE = EVENT_SCALARS.indexOf('ticketsInformation');

const PRICE_OPTIONS: Readonly<Record<string, string>> = {
  '"ticketsInfo"': '"non-gratis"',
  '"free"': '"gratis"',
};

/** Amount, as JSON, of the first price of a type. */
function priceOf(prices: EventNode['fragment']['prices'], type: string): string {
  const found = prices.find((price) => PRICE_TYPE.leaves.type?.(price) === type);
  const amount = (found && PRICE_TYPE.leaves.price?.(found)) ?? 'null';
  return amount === 'null' ? 'null' : `"${amount}"`;
}

const CONTACT_CUSTOM_TYPE: ObjectType<EventNode> = { name: 'ContactCustom', leaves: OLDER_EVENT_LEAVES };

/** Null if both are missing. */
function contactOf(node: EventNode): EventNode | null {
  const has = (name: string) => (OLDER_EVENT_LEAVES[name]?.(node) ?? 'null') !== 'null';
  return has('email') || has('phone') ? node : null;
}

const OLDER_DATE_LEAVES = leavesOf(
  OLDER_DATE_FIELDS,
  ({ view, row, fragment }: RepetitionNode, _, index) =>
    fragment.olderTexts[view.columns.olderTexts[row] ?? ABSENT]?.[index] ?? 'null',
);

export const REPETITION_TYPE: ObjectType<RepetitionNode> = {
  name: 'Repetition',
  leaves: {
    ...OCCURRENCE.leaves,
    id: occurrenceId,
    ...OLDER_DATE_LEAVES,
  },
  links: { ...OCCURRENCE.links, prices: many(PRICE_TYPE, occurrencePricesOf) },
};

const SOURCE_TYPE: ObjectType<EventSource> = {
  name: 'Source',
  leaves: stringsOf(['id', 'name', 'url', 'licence']),
};

export const EVENT_TYPE: ObjectType<EventNode> = {
  name: 'Event',
  leaves: {
    ...leavesOf(EVENT_SCALARS, ({ fragment }: EventNode, _, line) => fragment.scalars[line] ?? 'null'),
    super_event: containerId,
    ...OCCURRENCE.leaves,
    occurrenceID: occurrenceId,
    accessibility: ({ view, row }) => JSON.stringify(wordsIn(at(view.columns.accessibility, row))),
    ...OLDER_EVENT_LEAVES,
    priceOption: ({ fragment }) => PRICE_OPTIONS[fragment.scalars[TICKETS_LINE] ?? ''] ?? 'null',
    regularPrice: ({ fragment }) => priceOf(fragment.prices, '"REGULAR"'),
    reducedPrice: ({ fragment }) => priceOf(fragment.prices, '"REDUCED"'),
  },
  links: {
    ...OCCURRENCE.links,
    source: one(
      SOURCE_TYPE,
      ({ view, row }) => view.lists.sources[at(view.columns.source, at(view.columns.event, row))] ?? null,
    ),
    organizers: many(ORGANIZER_TYPE, organizersOf),
    images: many(IMAGE_TYPE, ({ fragment }) => fragment.images),
    prices: many(PRICE_TYPE, ({ fragment }) => fragment.prices),
    occurrencePrices: many(PRICE_TYPE, occurrencePricesOf),
    repetitions: many(REPETITION_TYPE, repetitionsOf, { entries: TYPICAL_REPETITIONS }),
    contact_custom: one(CONTACT_CUSTOM_TYPE, contactOf),
  },
};

/** The calendar at the moment of an answer. */
interface CalendarState {
  readonly snapshot: Snapshot;
  /** The instant of the next change (D6); Infinity if none follows. */
  readonly nextChange: () => number;
}

const DATA_LICENCE_TYPE = { name: 'DataLicence', leaves: stringsOf(['name', 'url']) };

const CONTACT_TYPE = { name: 'Contact', leaves: stringsOf(['name', 'email', 'url']) };

const SNAPSHOT_TYPE: ObjectType<Snapshot> = {
  name: 'SnapshotInfo',
  leaves: {
    id: ({ id }) => JSON.stringify(id),
    builtAt: ({ builtAt }) => JSON.stringify(formatOslo(builtAt)),
    events: ({ meta }) => String(meta.counts.events),
    occurrences: ({ meta }) => String(meta.counts.occurrences),
  },
};

export const CALENDAR_TYPE: ObjectType<CalendarState> = {
  name: 'Calendar',
  leaves: {
    ...leavesOf(['id', 'name', 'siteUrl', 'portalUrl', 'attribution'], ({ snapshot }: CalendarState, name) =>
      JSON.stringify(snapshot.lists.licence[name]),
    ),
    timeZone: () => '"Europe/Oslo"',
    nextChange: ({ nextChange }) => {
      const instant = nextChange();
      return Number.isFinite(instant) ? JSON.stringify(formatOslo(instant)) : 'null';
    },
  },
  links: {
    dataLicence: one(DATA_LICENCE_TYPE, ({ snapshot }) => snapshot.lists.licence.dataLicence),
    contact: one(CONTACT_TYPE, ({ snapshot }) => snapshot.lists.licence.contact),
    snapshot: one(SNAPSHOT_TYPE, ({ snapshot }) => snapshot),
  },
};

export const CHANGES_TYPE: ObjectType<ChangesJson> = {
  name: 'Changes',
  leaves: {
    ...stringsOf(['from', 'to']),
    builtAt: ({ builtAt }) => JSON.stringify(formatOslo(builtAt)),
    added: ({ added }) => added,
    changed: ({ changed }) => changed,
    removed: ({ removed }) => removed,
  },
};

/** Fields that are texts or null. */
export function stringsOf<Name extends string>(
  names: readonly Name[],
): Leaves<{ readonly [Field in Name]: string | null }> {
  return leavesOf(names, (source, name) => JSON.stringify(source[name]));
}

const CONTAINER_LINE = EVENT_SCALARS.indexOf('super_event');

/** Null as long as the container is not published (A9). */
function containerId({ view, row, fragment }: EventNode): string {
  const container = at(view.columns.container, at(view.columns.event, row));
  const isNamed = container >= 0 && view.isContainerPublished(container);
  return isNamed ? (fragment.scalars[CONTAINER_LINE] ?? 'null') : 'null';
}

function organizersOf({ view, row }: EventNode): readonly OrganizerJson[] {
  const { organizers, organizersAt, event } = view.columns;
  const ordinal = at(event, row);
  const found: OrganizerJson[] = [];
  // By index: a copy of the list, through its iterator, costs 1.1 µs an event, and this 0.05.
  for (let index = at(organizersAt, ordinal); index < at(organizersAt, ordinal + 1); index++) {
    const organizer = view.directory.organizers[at(organizers, index)];
    if (organizer !== undefined) found.push(organizer);
  }
  return found;
}

function at(column: { readonly [position: number]: number }, index: number): number {
  return column[index] ?? 0;
}
