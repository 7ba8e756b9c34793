/** Every object type of the schema below Query, as it is answered. */

import { formatMinute } from '../../calendar/time.ts';
import { ABSENT, DATETIME_WIDTH, OCCURRENCE_FLAGS } from '../../snapshot/columns.ts';
import { EVENT_SCALARS, IMAGE_PARTS, PRICE_PARTS } from '../../snapshot/fragments.ts';
import type { CategoryJson, LocationJson, OrganizerJson, VenueJson } from '../nodes/directory.ts';
import type { FacetKind } from '../nodes/facets.ts';
import { type EventNode, type RepetitionNode, repetitionsOf } from '../nodes/node.ts';
import type { NodeSet, View } from '../nodes/view.ts';
import type { EventsPlan } from '../plan.ts';
import { many, one, type Shape } from './shape.ts';

/** What one `events` field is answered from. */
export interface Connection {
  readonly view: View;
  readonly set: NodeSet;
  readonly plan: EventsPlan;
  /** The page; empty when `data` is not selected. */
  readonly nodes: readonly EventNode[];
}

/** An entity with its number of hits. */
interface Facet<Json> {
  readonly json: Json;
  readonly hits: number;
}

export const LOCATION: Shape<LocationJson> = {
  name: 'Location',
  leaves: leavesOf(['latitude', 'longitude']),
  links: {},
};

export const VENUE: Shape<VenueJson> = {
  name: 'Venue',
  leaves: leavesOf(['id', 'name', 'slug', 'address', 'postalCode', 'municipality']),
  links: {
    location: one(
      () => LOCATION,
      ({ location }) => location,
    ),
  },
};

export const ORGANIZER: Shape<OrganizerJson> = {
  name: 'Organizer',
  leaves: leavesOf(['id', 'name', 'slug', 'website']),
  links: {},
};

export const SUBCATEGORY: Shape<CategoryJson> = {
  name: 'Subcategory',
  leaves: leavesOf(['id', 'name_nb', 'name_en', 'slug_nb', 'slug_en', 'visible']),
  links: {},
};

export const CATEGORY: Shape<CategoryJson> = {
  name: 'Category',
  leaves: SUBCATEGORY.leaves,
  links: {
    subcategories: many(
      () => SUBCATEGORY,
      ({ subcategories }) => subcategories,
    ),
  },
};

export const VENUE_FACET = facetOf('VenueFacet', VENUE);
export const ORGANIZER_FACET = facetOf('OrganizerFacet', ORGANIZER);
export const CATEGORY_FACET = facetOf('CategoryFacet', CATEGORY);

export const IMAGE: Shape<readonly string[]> = { name: 'Image', leaves: partsOf(IMAGE_PARTS), links: {} };

export const PRICE: Shape<readonly string[]> = { name: 'Price', leaves: partsOf(PRICE_PARTS), links: {} };

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
  leaves: OCCURRENCE.leaves,
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
  },
};

const PAGE_INFO: Shape<Connection> = {
  name: 'PageInfo',
  leaves: {
    currentPage: ({ plan }) => String(plan.page),
    pageSize: ({ plan }) => String(plan.pageSize),
    totalPages: ({ plan, set }) => String(Math.ceil(set.rows.length / plan.pageSize)),
  },
  links: {},
};

export const CONNECTION: Shape<Connection> = {
  name: 'EventConnection',
  leaves: {
    totalCount: ({ set }) => String(set.rows.length),
    hasMore: ({ plan, set }) => String((plan.page + 1) * plan.pageSize < set.rows.length),
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
    venues: many(
      () => VENUE_FACET,
      (connection) => facets(connection, 'venues', connection.view.directory.venues),
    ),
    organizers: many(
      () => ORGANIZER_FACET,
      (connection) => facets(connection, 'organizers', connection.view.directory.organizers),
    ),
    categories: many(
      () => CATEGORY_FACET,
      (connection) =>
        facets(
          connection,
          'categories',
          connection.view.directory.categories,
          connection.view.directory.categoryRank,
        ),
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
  CATEGORY,
  SUBCATEGORY,
  CATEGORY_FACET,
];

function facets<Json>(
  { view, set }: Connection,
  kind: FacetKind,
  directory: readonly Json[],
  rank?: Int32Array,
): readonly Facet<Json>[] {
  return view.tally.entries(set.counts(), kind, rank).flatMap(({ ordinal, hits }) => {
    const json = directory[ordinal];
    return json === undefined ? [] : [{ json, hits }];
  });
}

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

function occurrenceFlag(name: keyof typeof OCCURRENCE_FLAGS): (node: RepetitionNode) => string {
  const bit = OCCURRENCE_FLAGS[name];
  return ({ view, row }) => ((at(view.columns.occurrenceFlags, row) & bit) === 0 ? 'false' : 'true');
}

/** Facet types have their entity's fields and `hits` (contract E). */
function facetOf<Json>(name: string, shape: Shape<Json>): Shape<Facet<Json>> {
  const leaves = Object.entries(shape.leaves).map(
    ([field, leaf]) => [field, ({ json }: Facet<Json>) => leaf(json)] as const,
  );
  const links = Object.entries(shape.links).map(([field, link]) => [
    field,
    {
      shape: link.shape,
      follow: ({ json }: Facet<Json>) => link.follow(json),
      write: (...args: Parameters<typeof link.write>) => {
        const write = link.write(...args);
        return ({ json }: Facet<Json>) => write(json);
      },
    },
  ]);
  return {
    name,
    leaves: { ...Object.fromEntries(leaves), hits: ({ hits }) => String(hits) },
    links: Object.fromEntries(links),
  };
}

function leavesOf<Name extends string>(
  names: readonly Name[],
): Readonly<Record<string, (json: { readonly [Field in Name]: string }) => string>> {
  return Object.fromEntries(
    names.map((name) => [name, (json: { readonly [Field in Name]: string }) => json[name]]),
  );
}

/** Values that stand in a list in the order of the names. */
function partsOf(names: readonly string[]): Readonly<Record<string, (parts: readonly string[]) => string>> {
  return Object.fromEntries(
    names.map((name, place) => [name, (parts: readonly string[]) => parts[place] ?? 'null']),
  );
}

function datetime(texts: string, row: number): string {
  return `"${texts.slice(row * DATETIME_WIDTH, (row + 1) * DATETIME_WIDTH)}"`;
}

function at(column: { readonly [place: number]: number }, place: number): number {
  return column[place] ?? 0;
}
