/**
 * The object types of the schema below Query, as they are answered; `events` and its facets are in roots.ts. A type stands before
 * the types that lead to it.
 */
import { wordsIn } from '../../calendar/accessibility.ts';
import { OLDER_DATE_FIELDS, OLDER_EVENT_FIELDS } from '../../calendar/model.ts';
import { compactUtc, formatMinute, formatOslo } from '../../calendar/time.ts';
import type { ChangesJson } from '../../snapshot/changes.ts';
import { ABSENT, listAt, OCCURRENCE_FLAGS } from '../../snapshot/columns.ts';
import { ALL_IMAGE_PARTS, EVENT_SCALARS, PRICE_PARTS } from '../../snapshot/fragments.ts';
import type { Snapshot } from '../../snapshot/open.ts';
import {
  CATEGORY_FIELDS,
  type CategoryJson,
  LOCATION_FIELDS,
  type LocationJson,
  ORGANIZER_FIELDS,
  type OrganizerJson,
  VENUE_FIELDS,
  type VenueJson,
} from '../query/directory.ts';
import { type EventNode, type RepetitionNode, repetitionsOf } from '../query/select.ts';
import { many, one, type Shape } from './project.ts';

const LOCATION: Shape<LocationJson> = { name: 'Location', leaves: leavesOf(LOCATION_FIELDS), links: {} };

export const VENUE: Shape<VenueJson> = {
  name: 'Venue',
  leaves: leavesOf(VENUE_FIELDS),
  links: { location: one(LOCATION, ({ location }) => location) },
};

export const ORGANIZER: Shape<OrganizerJson> = {
  name: 'Organizer',
  leaves: leavesOf(ORGANIZER_FIELDS),
  links: {},
};

const SUBCATEGORY: Shape<CategoryJson> = {
  name: 'Subcategory',
  leaves: leavesOf(CATEGORY_FIELDS),
  links: {},
};

export const CATEGORY: Shape<CategoryJson> = {
  name: 'Category',
  leaves: SUBCATEGORY.leaves,
  links: { subcategories: many(SUBCATEGORY, ({ subcategories }) => subcategories, 4) },
};

export const IMAGE: Shape<readonly string[]> = { name: 'Image', leaves: partsOf(ALL_IMAGE_PARTS), links: {} };

export const PRICE: Shape<readonly string[]> = { name: 'Price', leaves: partsOf(PRICE_PARTS), links: {} };

/** Fields of an occurrence: nodes and repetitions read the same columns. */
const OCCURRENCE: Pick<Shape<RepetitionNode>, 'leaves' | 'links'> = {
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
    eventSoldOut: occurrenceFlag('soldOut'),
  },
  links: {
    venue: one(VENUE, ({ view, row }) => view.directory.venues[at(view.columns.venue, row)] ?? null),
  },
};

/** E5, fields of older clients: fields that the interface no longer describes but older clients still select. */
const OLDER_PARTS = partsOf(OLDER_EVENT_FIELDS);

/** The last three are computed from the fields that replaced them. */
const OLDER_EVENT_LEAVES: Shape<EventNode>['leaves'] = {
  ...Object.fromEntries(
    Object.entries(OLDER_PARTS).map(([name, leaf]) => [
      name,
      ({ fragment }: EventNode) => leaf(fragment.older),
    ]),
  ),
  priceOption: ({ fragment }) => PRICE_OPTIONS[fragment.scalars[TICKETS_LINE] ?? ''] ?? 'null',
  regularPrice: ({ fragment }) => priceOf(fragment.prices, '"REGULAR"'),
  reducedPrice: ({ fragment }) => priceOf(fragment.prices, '"REDUCED"'),
};

const TICKETS_LINE = EVENT_SCALARS.indexOf('ticketsInformation');

const PRICE_OPTIONS: Readonly<Record<string, string>> = {
  '"ticketsInfo"': '"non-gratis"',
  '"free"': '"gratis"',
};

/** Amount, as JSON, of the first price of a type. */
function priceOf(prices: EventNode['fragment']['prices'], type: string): string {
  const found = prices.find((price) => PRICE.leaves.type?.(price) === type);
  const amount = (found && PRICE.leaves.price?.(found)) ?? 'null';
  return amount === 'null' ? 'null' : `"${amount}"`;
}

const CONTACT_CUSTOM: Shape<readonly string[]> = { name: 'ContactCustom', leaves: OLDER_PARTS, links: {} };

/** Null if both are missing. */
function contactOf({ fragment }: EventNode): readonly string[] | null {
  const has = (name: string) => (OLDER_PARTS[name]?.(fragment.older) ?? 'null') !== 'null';
  return has('email') || has('phone') ? fragment.older : null;
}

const OLDER_DATE_LEAVES: Shape<RepetitionNode>['leaves'] = Object.fromEntries(
  OLDER_DATE_FIELDS.map((name, part) => [
    name,
    ({ view, row, fragment }: RepetitionNode) => {
      const index = view.columns.olderTexts[row] ?? ABSENT;
      return index === ABSENT ? 'null' : (fragment.olderTexts[index]?.[part] ?? 'null');
    },
  ]),
);

export const REPETITION: Shape<RepetitionNode> = {
  name: 'Repetition',
  leaves: {
    ...OCCURRENCE.leaves,
    id: occurrenceId,
    ...OLDER_DATE_LEAVES,
  },
  links: { ...OCCURRENCE.links, prices: many(PRICE, ownPricesOf) },
};

export const EVENT: Shape<EventNode> = {
  name: 'Event',
  leaves: {
    ...Object.fromEntries(
      EVENT_SCALARS.map((name, line) => [
        name,
        ({ fragment }: EventNode) => fragment.scalars[line] ?? 'null',
      ]),
    ),
    ...OCCURRENCE.leaves,
    occurrenceID: occurrenceId,
    accessibility: ({ view, row }) => JSON.stringify(wordsIn(at(view.columns.accessibility, row))),
    ...OLDER_EVENT_LEAVES,
  },
  links: {
    ...OCCURRENCE.links,
    organizers: many(ORGANIZER, organizersOf),
    images: many(IMAGE, ({ fragment }) => fragment.images),
    prices: many(PRICE, ({ fragment }) => fragment.prices),
    occurrencePrices: many(PRICE, ownPricesOf),
    repetitions: many(REPETITION, repetitionsOf, 3),
    contact_custom: one(CONTACT_CUSTOM, contactOf),
  },
};

/** The calendar at the moment of an answer. */
interface CalendarState {
  readonly snapshot: Snapshot;
  /** The instant of the next change (D6, exact freshness); Infinity if none follows. */
  readonly nextChange: () => number;
}

type Licence = Snapshot['lists']['licence'];

const DATA_LICENCE: Shape<NonNullable<Licence['dataLicence']>> = {
  name: 'DataLicence',
  leaves: stringsOf(['name', 'url']),
  links: {},
};

const CONTACT: Shape<NonNullable<Licence['contact']>> = {
  name: 'Contact',
  leaves: stringsOf(['name', 'email', 'url']),
  links: {},
};

const SNAPSHOT: Shape<Snapshot> = {
  name: 'SnapshotInfo',
  leaves: {
    id: ({ id }) => JSON.stringify(id),
    builtAt: ({ meta }) => JSON.stringify(formatOslo(Math.floor(Date.parse(meta.builtAt) / 1_000))),
    events: ({ meta }) => String(meta.counts.events),
    occurrences: ({ meta }) => String(meta.counts.occurrences),
  },
  links: {},
};

export const CALENDAR: Shape<CalendarState> = {
  name: 'Calendar',
  leaves: {
    id: ({ snapshot }) => JSON.stringify(snapshot.lists.licence.id),
    name: ({ snapshot }) => JSON.stringify(snapshot.lists.licence.name),
    siteUrl: ({ snapshot }) => JSON.stringify(snapshot.lists.licence.siteUrl),
    portalUrl: ({ snapshot }) => JSON.stringify(snapshot.lists.licence.portalUrl),
    attribution: ({ snapshot }) => JSON.stringify(snapshot.lists.licence.attribution),
    timeZone: () => '"Europe/Oslo"',
    nextChange: ({ nextChange }) => {
      const instant = nextChange();
      return Number.isFinite(instant) ? JSON.stringify(formatOslo(instant)) : 'null';
    },
  },
  links: {
    dataLicence: one(DATA_LICENCE, ({ snapshot }) => snapshot.lists.licence.dataLicence),
    contact: one(CONTACT, ({ snapshot }) => snapshot.lists.licence.contact),
    snapshot: one(SNAPSHOT, ({ snapshot }) => snapshot),
  },
};

export const CHANGES: Shape<ChangesJson> = {
  name: 'Changes',
  leaves: {
    from: ({ from }) => JSON.stringify(from),
    to: ({ to }) => JSON.stringify(to),
    builtAt: ({ builtAt }) => JSON.stringify(formatOslo(builtAt)),
    added: ({ added }) => added,
    changed: ({ changed }) => changed,
    removed: ({ removed }) => removed,
  },
  links: {},
};

/** Fields that are stored as JSON. */
function leavesOf<Name extends string>(
  names: readonly Name[],
): Readonly<Record<string, (json: { readonly [Field in Name]: string }) => string>> {
  return Object.fromEntries(
    names.map((name) => [name, (json: { readonly [Field in Name]: string }) => json[name]]),
  );
}

/** Values that are stored as a list, in the order of these names. */
function partsOf(names: readonly string[]): Readonly<Record<string, (parts: readonly string[]) => string>> {
  return Object.fromEntries(
    names.map((name, index) => [name, (parts: readonly string[]) => parts[index] ?? 'null']),
  );
}

/** Fields that are texts or null. */
export function stringsOf<Name extends string>(
  names: readonly Name[],
): Readonly<Record<string, (source: { readonly [Field in Name]: string | null }) => string>> {
  return Object.fromEntries(names.map((name) => [name, (source) => JSON.stringify(source[name])]));
}

function organizersOf({ view, row }: EventNode): readonly OrganizerJson[] {
  const own = listAt(view.columns, 'organizers', at(view.columns.event, row));
  return Array.from(own).flatMap((ordinal) => view.directory.organizers[ordinal] ?? []);
}

/** The prices of an occurrence; null where its event's apply. */
function ownPricesOf({ view, row, fragment }: RepetitionNode): RepetitionNode['fragment']['prices'] | null {
  const index = at(view.columns.prices, row);
  return index === ABSENT ? null : (fragment.priceLists[index] ?? null);
}

const ID_LINE = EVENT_SCALARS.indexOf('id');

/** The id of A16, ids of occurrences. */
function occurrenceId({ view, row, fragment }: RepetitionNode): string {
  const eventId = fragment.scalars[ID_LINE] ?? '""';
  const nth = at(view.columns.nth, row);
  const suffix = nth > 1 ? `-${nth}` : '';
  return `${eventId.slice(0, -1)}@${compactUtc(at(view.columns.start, row))}${suffix}"`;
}

function occurrenceFlag(name: keyof typeof OCCURRENCE_FLAGS): (node: RepetitionNode) => string {
  const bit = OCCURRENCE_FLAGS[name];
  return ({ view, row }) => ((at(view.columns.occurrenceFlags, row) & bit) === 0 ? 'false' : 'true');
}

function at(column: { readonly [index: number]: number }, index: number): number {
  return column[index] ?? 0;
}
