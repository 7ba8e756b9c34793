/**
 * `events`: its page, and its facets (contract E): entities with their hits. A page has hundreds of those, and all but the hits
 * is the same in every answer: so each entity is written once a snapshot, as bytes, with gaps for the hits.
 */
import { LRUCache } from 'lru-cache';
import { createAdmissionFilter, shareOfHeap } from '../query/bounded-cache.ts';
import type { Directory } from '../query/directory.ts';
import type { DayHits, FacetKind, MunicipalityHits, TagHits } from '../query/facets.ts';
import type { EventNode } from '../query/node.ts';
import type { EventsPlan } from '../query/plan.ts';
import type { NodeSet, View } from '../query/view.ts';
import {
  beginAside,
  firstIn,
  type Link,
  many,
  type Output,
  one,
  project,
  type Shape,
  takeRoom,
  writeList,
} from './project.ts';
import { CATEGORY, EVENT, ORGANIZER, VENUE } from './types.ts';

/** What one `events` field is answered from. */
export interface Connection {
  readonly view: View;
  readonly set: NodeSet;
  readonly plan: EventsPlan;
  /** The page; empty when `data` is not selected. */
  readonly nodes: readonly EventNode[];
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

/** C4: what hits are counted of besides. */
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

export const CONNECTION: Shape<Connection> = {
  name: 'EventConnection',
  leaves: {
    totalCount: ({ set }) => String(set.total),
    hasMore: ({ plan, set }) => String((plan.page + 1) * plan.pageSize < set.total),
    approximate: ({ set }) => String(set.isApproximate),
  },
  links: {
    pageInfo: one(PAGE_INFO, (connection) => connection),
    data: many(EVENT, ({ nodes }) => nodes),
    venues: facetLink('venues', VENUE_FACET),
    organizers: facetLink('organizers', ORGANIZER_FACET),
    categories: facetLink('categories', CATEGORY_FACET),
    days: many(DAY_FACET, ({ view, set }, first) => view.facets.days(set.rows, first)),
    municipalities: many(MUNICIPALITY_FACET, ({ view, set }, first) =>
      view.facets.municipalities(set.counts(), first),
    ),
    tags: many(TAG_FACET, ({ view, set }, first) => view.facets.tags(set.rows, first)),
  },
};

export const CONNECTION_SHAPES: readonly Shape<never>[] = [
  ...[CONNECTION, PAGE_INFO, VENUE_FACET, ORGANIZER_FACET, CATEGORY_FACET],
  ...[DAY_FACET, MUNICIPALITY_FACET, TAG_FACET],
];

/** An entity with its number of hits, or with the gap where that goes. */
interface Facet<Json> {
  readonly json: Json;
  readonly hits: number | typeof GAP;
}

/** JSON text never holds a raw control character. */
const GAP = '\0';

function facetOf<Json>(name: string, shape: Shape<Json>): Shape<Facet<Json>> {
  const leaves = Object.entries(shape.leaves).map(
    ([field, leaf]) => [field, ({ json }: Facet<Json>) => leaf(json)] as const,
  );
  const links = Object.entries(shape.links).map(([field, link]) => [
    field,
    {
      follow: ({ json }: Facet<Json>) => link.follow(json, null),
      write: (...args: Parameters<typeof link.write>) => {
        const write = link.write(...args);
        return ({ json }: Facet<Json>, out: Output) => write(json, out);
      },
    },
  ]);
  return {
    name,
    leaves: { ...Object.fromEntries(leaves), hits: ({ hits }) => String(hits) },
    links: Object.fromEntries(links),
  };
}

type Entity<Kind extends FacetKind> = Directory[Kind][number];

function facetLink<Kind extends FacetKind>(kind: Kind, shape: Shape<Facet<Entity<Kind>>>): Link<Connection> {
  const follow = ({ view, set }: Connection, first: number | null) =>
    view.facets
      .entries(set.counts(), kind, first)
      .map(({ ordinal, hits }) => ({ json: entityAt<Entity<Kind>>(view.directory[kind], ordinal), hits }));
  return {
    follow,
    write: ({ selections, first }) => {
      const write = project(shape, selections);
      const key = JSON.stringify([kind, selections]);
      const isSplit = selections.filter(({ name }) => name === 'hits').length <= MOST_GAPS;
      const partsOf = (json: Entity<Kind>, out: Output): EntityParts => {
        const alone = beginAside(out);
        write({ json, hits: GAP }, alone);
        const parts = `,${alone.text}`.split(GAP).map((part) => Buffer.from(part));
        return { parts, size: parts.reduce((sum, { length }) => sum + length, 0) };
      };
      return (connection, out) => {
        const { view, set } = connection;
        const most = firstIn(out.values, first);
        const store = storeOf(view.directory);
        const known = isSplit ? store.find(key) : undefined;
        // A selection that may never come again is written as it is.
        if (known === undefined) return writeList(follow(connection, most), write, out);
        const { ordinals, hits } = view.facets.ranked(set.counts(), kind, most);
        const entities = [];
        for (let place = 0; place < ordinals.length; place++) {
          const ordinal = ordinals[place] as number;
          let entity = known.entities[ordinal];
          if (entity === undefined) {
            entity = partsOf(entityAt<Entity<Kind>>(view.directory[kind], ordinal), out);
            known.entities[ordinal] = entity;
            known.bytes += entity.size + entity.parts.length * PART_BYTES;
          }
          entities.push(entity);
        }
        store.cache(key, known);
        writeFacets(entities, hits, out);
      };
    },
  };
}

/** UTF-8 of an entity behind a comma: what stands before, between and behind the gaps. */
interface EntityParts {
  readonly parts: readonly Uint8Array[];
  /** Of all parts together. */
  readonly size: number;
}

/** Hits under so many names: who asks for more of them makes more work than the parts save. */
const MOST_GAPS = 4;

/** What a part takes in memory besides its bytes. */
const PART_BYTES = 150;

/** The parts of one selection. */
class SelectionParts {
  /** By ordinal. */
  readonly entities: EntityParts[] = [];
  bytes = 0;
  /** When they were last weighed. */
  weighed = -1;
}

interface PartsStore {
  /** Undefined for a selection that was not requested lately. */
  readonly find: (key: string) => SelectionParts | undefined;
  /** To be called when parts have been added. */
  readonly cache: (key: string, parts: SelectionParts) => void;
}

/** Of all parts of a snapshot's entities: a front end has a few selections, of some hundred KB each. */
const CACHE_PARTS = 16 * 1_024 * 1_024;
const HEAP_SHARE = 0.03;

const stores = new WeakMap<Directory, PartsStore>();

function storeOf(directory: Directory): PartsStore {
  const store = stores.get(directory) ?? createStore();
  stores.set(directory, store);
  return store;
}

function createStore(): PartsStore {
  const cache = new LRUCache<string, SelectionParts>({
    maxSize: shareOfHeap(HEAP_SHARE, CACHE_PARTS),
    sizeCalculation: ({ bytes }, key) => bytes + 2 * key.length + PART_BYTES,
  });
  const wasRequested = createAdmissionFilter();
  return {
    find: (key) => cache.get(key) ?? (wasRequested(key) ? new SelectionParts() : undefined),
    cache: (key, parts) => {
      if (parts.weighed === parts.bytes) return;
      parts.weighed = parts.bytes;
      // Setting what is there already would leave its size as it was.
      cache.delete(key);
      cache.set(key, parts);
    },
  };
}

/** Writes the list of facets, with the hits in the gaps. */
function writeFacets(entities: readonly EntityParts[], hits: Int32Array, out: Output): void {
  if (entities.length === 0) {
    out.text += '[]';
    return;
  }
  let length = 0;
  for (let place = 0; place < entities.length; place++) {
    const { parts, size } = entities[place] as EntityParts;
    length += size + (parts.length - 1) * digitsOf(hits[place] as number);
  }
  const { bytes, start } = takeRoom(out, length);
  let end = start;
  for (let place = 0; place < entities.length; place++) {
    const { parts } = entities[place] as EntityParts;
    for (let nth = 0; nth < parts.length; nth++) {
      if (nth > 0) end = writeDigits(bytes, hits[place] as number, end);
      const part = parts[nth] as Uint8Array;
      // What is as short as a bracket is written faster than a copy of it is begun.
      if (part.length === 1) bytes[end++] = part[0] as number;
      else {
        bytes.set(part, end);
        end += part.length;
      }
    }
  }
  // Each entity begins with a comma, the first one with the bracket in its place.
  bytes[start] = OPENING;
  out.text = ']';
}

const OPENING = 91;

function digitsOf(count: number): number {
  let digits = 1;
  for (let rest = count; rest >= 10; rest = Math.trunc(rest / 10)) digits++;
  return digits;
}

/** Gives the place behind them. */
function writeDigits(bytes: Uint8Array, count: number, at: number): number {
  const end = at + digitsOf(count);
  let rest = count;
  for (let place = end - 1; place >= at; place--) {
    bytes[place] = DIGIT_0 + (rest % 10);
    rest = Math.trunc(rest / 10);
  }
  return end;
}

const DIGIT_0 = 48;

function entityAt<Json>(list: readonly Json[], ordinal: number): Json {
  const json = list[ordinal];
  if (json === undefined) throw new RangeError(`expected an entity at ${ordinal}, found none`);
  return json;
}
