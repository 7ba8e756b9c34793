/** Every object type of the schema below Query, as it is answered. */

import { compactUtc, formatMinute } from '../../calendar/time.ts';
import { ABSENT, DATETIME_WIDTH, OCCURRENCE_FLAGS } from '../../snapshot/columns.ts';
import { EVENT_SCALARS } from '../../snapshot/fragments.ts';
import type { OrganizerJson } from '../query/directory.ts';
import { type EventNode, type RepetitionNode, repetitionsOf } from '../query/node.ts';
import type { EventsPlan } from '../query/plan.ts';
import type { NodeSet, View } from '../query/view.ts';
import { CALENDAR_SHAPES } from './calendar.ts';
import { CATEGORY, IMAGE, LOCATION, ORGANIZER, PRICE, SUBCATEGORY, VENUE } from './entities.ts';
import {
  CATEGORY_FACET,
  DAY_FACET,
  facetLink,
  MUNICIPALITY_FACET,
  ORGANIZER_FACET,
  TAG_FACET,
  VENUE_FACET,
} from './facets.ts';
import { CONTACT_CUSTOM, contactOf, OLDER_DATE_LEAVES, OLDER_EVENT_LEAVES } from './older.ts';
import { many, one, type Shape } from './project.ts';

/** What one `events` field is answered from. */
export interface Connection {
  readonly view: View;
  readonly set: NodeSet;
  readonly plan: EventsPlan;
  /** The page; empty when `data` is not selected. */
  readonly nodes: readonly EventNode[];
}

/** What an occurrence lifts into the node, and what a repetition shows: the same fields from the same columns. */
const OCCURRENCE: Pick<Shape<RepetitionNode>, 'leaves' | 'links'> = {
  leaves: {
    startDate: ({ view, row }) => datetime(view.texts.start, row),
    endDate: ({ view, row }) => datetime(view.texts.end, row),
    startTime: ({ view, row }) => `"${formatMinute(at(view.columns.startTime, row))}"`,
    duration: ({ view, row }) => {
      const minutes = at(view.columns.duration, row);
      return minutes < 0 ? 'null' : String(minutes);
    },
    ticketsURL: ({ view, row, fragment }) => {
      const place = at(view.columns.ticketsURL, row);
      return place === ABSENT ? 'null' : (fragment.ticketsURLs[place] ?? 'null');
    },
    allDay: occurrenceFlag('allDay'),
    eventCancelled: occurrenceFlag('cancelled'),
    eventSoldOut: occurrenceFlag('soldOut'),
  },
  links: {
    venue: one(
      () => VENUE,
      ({ view, row }) => view.directory.venues[at(view.columns.venue, row)] ?? null,
    ),
  },
};

export const REPETITION: Shape<RepetitionNode> = {
  name: 'Repetition',
  leaves: {
    ...OCCURRENCE.leaves,
    id: occurrenceId,
    ...OLDER_DATE_LEAVES,
  },
  links: {
    ...OCCURRENCE.links,
    prices: many(
      () => PRICE,
      ({ view, row, fragment }) => {
        const place = at(view.columns.prices, row);
        return place === ABSENT ? null : (fragment.priceLists[place] ?? null);
      },
    ),
  },
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
    ...OLDER_EVENT_LEAVES,
  },
  links: {
    ...OCCURRENCE.links,
    organizers: many(() => ORGANIZER, organizersOf),
    images: many(
      () => IMAGE,
      ({ fragment }) => fragment.images,
    ),
    prices: many(
      () => PRICE,
      ({ fragment }) => fragment.prices,
    ),
    repetitions: many(() => REPETITION, repetitionsOf),
    contact_custom: one(() => CONTACT_CUSTOM, contactOf),
  },
};

const PAGE_INFO: Shape<Connection> = {
  name: 'PageInfo',
  leaves: {
    currentPage: ({ plan }) => String(plan.page),
    pageSize: ({ plan }) => String(plan.pageSize),
    totalPages: ({ plan, set }) => String(Math.ceil(set.total / plan.pageSize)),
  },
  links: {},
};

export const CONNECTION: Shape<Connection> = {
  name: 'EventConnection',
  leaves: {
    totalCount: ({ set }) => String(set.total),
    hasMore: ({ plan, set }) => String((plan.page + 1) * plan.pageSize < set.total),
    approximate: ({ set }) => String(set.isApproximate),
  },
  links: {
    pageInfo: one(
      () => PAGE_INFO,
      (connection) => connection,
    ),
    data: many(
      () => EVENT,
      ({ nodes }) => nodes,
    ),
    venues: facetLink(VENUE_FACET, 'venues', ({ venues }) => venues),
    organizers: facetLink(ORGANIZER_FACET, 'organizers', ({ organizers }) => organizers),
    categories: facetLink(CATEGORY_FACET, 'categories', ({ categories }) => categories),
    days: many(
      () => DAY_FACET,
      ({ view, set }, first) => view.facets.days(set.rows, first),
    ),
    municipalities: many(
      () => MUNICIPALITY_FACET,
      ({ view, set }, first) => view.facets.municipalities(set.counts(), first),
    ),
    tags: many(
      () => TAG_FACET,
      ({ view, set }, first) => view.facets.tags(set.rows, first),
    ),
  },
};

/** All of them. What a shape reads from is its own affair, so nothing can be said of it here. */
export const SHAPES: readonly Shape<never>[] = [
  CONNECTION,
  PAGE_INFO,
  EVENT,
  REPETITION,
  VENUE,
  VENUE_FACET,
  LOCATION,
  ORGANIZER,
  ORGANIZER_FACET,
  IMAGE,
  PRICE,
  CONTACT_CUSTOM,
  CATEGORY,
  SUBCATEGORY,
  CATEGORY_FACET,
  DAY_FACET,
  MUNICIPALITY_FACET,
  TAG_FACET,
  ...CALENDAR_SHAPES,
];

function organizersOf({ view, row }: EventNode): readonly OrganizerJson[] {
  const { event, organizers, organizersAt } = view.columns;
  const ordinal = at(event, row);
  const found: OrganizerJson[] = [];
  for (let place = at(organizersAt, ordinal); place < at(organizersAt, ordinal + 1); place++) {
    const organizer = view.directory.organizers[at(organizers, place)];
    if (organizer !== undefined) found.push(organizer);
  }
  return found;
}

const ID_LINE = EVENT_SCALARS.indexOf('id');

/** A16. */
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

function datetime(texts: Buffer, row: number): string {
  return `"${texts.toString('latin1', row * DATETIME_WIDTH, (row + 1) * DATETIME_WIDTH)}"`;
}

function at(column: { readonly [place: number]: number }, place: number): number {
  return column[place] ?? 0;
}
