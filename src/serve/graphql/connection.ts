/** `events`: its page, and its facets (contract E, C4): entities, days, municipalities and tags with their hits. */
import type { Directory } from '../query/directory.ts';
import type { AccessibilityHits, DayHits, FacetKind, MunicipalityHits, TagHits } from '../query/facets.ts';
import type { NodePage } from '../query/node.ts';
import type { EventsPlan } from '../query/plan.ts';
import type { NodeSet, View } from '../query/view.ts';
import { firstIn, type Link, many, Output, one, paged, project, type Shape } from './project.ts';
import { CATEGORY, EVENT, ORGANIZER, VENUE } from './types.ts';

/** The source of one `events` field. */
export interface Connection {
  readonly view: View;
  readonly set: NodeSet;
  readonly plan: EventsPlan;
  /** The page; empty when `data` is not selected. */
  readonly page: NodePage;
}

const PAGE_INFO: Shape<Connection> = {
  name: 'PageInfo',
  leaves: {
    currentPage: ({ plan }) => String(plan.page),
    pageSize: ({ plan }) => String(plan.pageSize),
    totalPages: ({ plan, set }) => String(Math.ceil(set.total / plan.pageSize)),
  },
  links: {},
};

const VENUE_FACET = facetOf('VenueFacet', VENUE);
const ORGANIZER_FACET = facetOf('OrganizerFacet', ORGANIZER);
const CATEGORY_FACET = facetOf('CategoryFacet', CATEGORY);

/** C4: facets of values that no directory lists. */
const DAY_FACET: Shape<DayHits> = {
  name: 'DayFacet',
  leaves: { day: ({ day }) => `"${day}"`, hits: ({ hits }) => String(hits) },
  links: {},
};

const MUNICIPALITY_FACET: Shape<MunicipalityHits> = {
  name: 'MunicipalityFacet',
  leaves: {
    number: ({ number }) => JSON.stringify(number),
    name: ({ name }) => JSON.stringify(name),
    hits: ({ hits }) => String(hits),
  },
  links: {},
};

const TAG_FACET: Shape<TagHits> = {
  name: 'TagFacet',
  leaves: { tag: ({ tag }) => JSON.stringify(tag), hits: ({ hits }) => String(hits) },
  links: {},
};

const ACCESSIBILITY_FACET: Shape<AccessibilityHits> = {
  name: 'AccessibilityFacet',
  leaves: { value: ({ value }) => JSON.stringify(value), hits: ({ hits }) => String(hits) },
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
    pageInfo: one(PAGE_INFO, (connection) => connection),
    data: paged(EVENT, ({ page }) => page),
    venues: facetLink('venues', VENUE_FACET),
    organizers: facetLink('organizers', ORGANIZER_FACET),
    categories: facetLink('categories', CATEGORY_FACET),
    days: many(DAY_FACET, ({ view, set }, first) => view.facets.days(set.rows, first)),
    municipalities: many(MUNICIPALITY_FACET, ({ view, set }, first) =>
      view.facets.municipalities(set.counts(), first),
    ),
    tags: many(TAG_FACET, ({ view, set }, first) => view.facets.tags(set.rows, first)),
    accessibilities: many(ACCESSIBILITY_FACET, ({ view, set }, first) =>
      view.facets.accessibilities(set.rows, first),
    ),
  },
};

export const CONNECTION_SHAPES: readonly Shape<never>[] = [
  ...[CONNECTION, PAGE_INFO, VENUE_FACET, ORGANIZER_FACET, CATEGORY_FACET],
  ...[DAY_FACET, MUNICIPALITY_FACET, TAG_FACET, ACCESSIBILITY_FACET],
];

/** An entity with its number of hits, or with the placeholder for it. */
interface Facet<Json> {
  readonly json: Json;
  readonly hits: number | typeof GAP;
}

/** JSON text never contains a raw control character. */
const GAP = '\0';

function facetOf<Json>(name: string, shape: Shape<Json>): Shape<Facet<Json>> {
  const leaves = Object.entries(shape.leaves).map(
    ([field, leaf]) => [field, ({ json }: Facet<Json>) => leaf(json)] as const,
  );
  return {
    name,
    leaves: { ...Object.fromEntries(leaves), hits: ({ hits }) => String(hits) },
    links: Object.fromEntries(Object.entries(shape.links).map(([field, link]) => [field, ofJson(link)])),
  };
}

function ofJson<Json>(link: Link<Json>): Link<Facet<Json>> {
  return {
    follow: ({ json }, first) => link.follow(json, first),
    write: (...selected) => {
      const write = link.write(...selected);
      return ({ json }, out) => write(json, out);
    },
    slices: (...selected) => {
      const slices = link.slices(...selected);
      return ({ json }, out) => slices(json, out);
    },
  };
}

/**
 * A page has hundreds of facets, and only their hits differ between answers of a snapshot: so each entity is made once for each selection
 * of it. Without this an answer with three facets takes 1.4 times as long.
 */
function facetLink<Kind extends FacetKind>(
  kind: Kind,
  shape: Shape<Facet<Directory[Kind][number]>>,
): Link<Connection> {
  const entityAt = ({ directory }: View, ordinal: number): Directory[Kind][number] => {
    const json = directory[kind][ordinal];
    if (json === undefined) throw new RangeError(`expected an entity at ${ordinal}, found none`);
    return json;
  };
  const link = many(shape, ({ view, set }: Connection, first) =>
    view.facets
      .entries(set.counts(), kind, first)
      .map(({ ordinal, hits }) => ({ json: entityAt(view, ordinal), hits })),
  );
  const slices: typeof link.slices = (field, writers) => {
    const { selections, first } = field;
    // Hits under several aliases are rare.
    if (selections.filter(({ name }) => name === 'hits').length !== 1) return link.slices(field, writers);
    const key = JSON.stringify([kind, selections]);
    const write = project(shape, selections, writers);
    return function* ({ view, set }, out) {
      const { ordinals, hits } = view.facets.ranked(set.counts(), kind, firstIn(out.values, first));
      const known = view.facetParts.get(key);
      const parts = known ?? { entities: [], weight: 0 };
      const before = parts.weight;
      out.text += '[';
      for (let place = 0; place < ordinals.length; place++) {
        const ordinal = ordinals[place] as number;
        let part = parts.entities[ordinal];
        if (part === undefined) {
          const alone = new Output(out.values);
          write({ json: entityAt(view, ordinal), hits: GAP }, alone);
          const [head = '', tail = ''] = Buffer.concat(alone.end()).toString().split(GAP);
          part = { head, tail };
          parts.entities[ordinal] = part;
          parts.weight += head.length + tail.length + PART_BYTES;
        }
        out.text += (place > 0 ? ',' : '') + part.head + hits[place] + part.tail;
        if (out.settle()) yield undefined;
      }
      out.text += ']';
      if (known === undefined) view.facetParts.offer(key, parts);
      else if (parts.weight > before) view.facetParts.reweigh(key, parts);
    };
  };
  return { ...link, slices };
}

/** Bytes of memory that an entity takes besides its JSON. */
const PART_BYTES = 150;
