/**
 * Facets as they are answered: an entity's fields and its hits (contract E). A page has hundreds of them, and all but the
 * hits is the same in every answer: so each entity is written once a snapshot, as bytes, with gaps for the hits.
 */
import { LRUCache } from 'lru-cache';
import { createAdmissionFilter, shareOfHeap } from '../bounded-cache.ts';
import type { Directory } from '../query/directory.ts';
import type { DayHits, FacetKind, MunicipalityHits, TagHits } from '../query/facets.ts';
import type { NodeSet, View } from '../query/view.ts';
import { CATEGORY, ORGANIZER, VENUE } from './entities.ts';
import {
  beginAside,
  checkRoom,
  firstIn,
  type Link,
  type Output,
  type Shape,
  takeRoom,
  type Write,
} from './project.ts';

/** An entity with its number of hits, or with the gap where that goes. */
interface Facet<Json> {
  readonly json: Json;
  readonly hits: number | typeof GAP;
}

/** JSON text never holds a raw control character. */
const GAP = '\0';

export const VENUE_FACET = facetOf('VenueFacet', VENUE);
export const ORGANIZER_FACET = facetOf('OrganizerFacet', ORGANIZER);
export const CATEGORY_FACET = facetOf('CategoryFacet', CATEGORY);

/** A node set in a view, of which facets are asked. */
interface Counted {
  readonly view: View;
  readonly set: NodeSet;
}

export function facetLink<Json>(
  shape: Shape<Facet<Json>>,
  kind: FacetKind,
  listOf: (directory: Directory) => readonly Json[],
): Link<Counted> {
  return {
    shape: () => shape,
    follow: ({ view, set }, first) => {
      const list = listOf(view.directory);
      return view.facets
        .entries(set.counts(), kind, first)
        .map(({ ordinal, hits }) => ({ json: entityAt(list, ordinal), hits }));
    },
    write: (project, { selections, first }) => {
      const write = project(shape, selections);
      const key = JSON.stringify([kind, selections]);
      const isSplit = selections.filter(({ name }) => name === 'hits').length <= MOST_GAPS;
      const partsOf = (json: Json, out: Output): EntityParts => {
        const alone = beginAside(out);
        write({ json, hits: GAP }, alone);
        const parts = `,${alone.text}`.split(GAP).map((part) => Buffer.from(part));
        return { parts, size: parts.reduce((sum, { length }) => sum + length, 0) };
      };
      return ({ view, set }, out) => {
        const list = listOf(view.directory);
        const { ordinals, hits } = view.facets.ranked(set.counts(), kind, firstIn(out.values, first));
        const store = storeOf(view.directory);
        const known = isSplit ? store.find(key) : undefined;
        if (known === undefined) return writeOnce({ list, ordinals, hits, write }, out);
        const entities = [];
        for (let place = 0; place < ordinals.length; place++) {
          const ordinal = ordinals[place] as number;
          let entity = known.entities[ordinal];
          if (entity === undefined) {
            entity = partsOf(entityAt(list, ordinal), out);
            known.entities[ordinal] = entity;
            known.bytes += entity.size + entity.parts.length * PART_BYTES;
          }
          entities.push(entity);
        }
        store.keep(key, known);
        writeFacets(entities, hits, out);
      };
    },
  };
}

interface Ranking<Json> {
  readonly list: readonly Json[];
  readonly ordinals: Int32Array;
  readonly hits: Int32Array;
  readonly write: Write<Facet<Json>>;
}

/** For a selection that may never come again. */
function writeOnce<Json>({ list, ordinals, hits, write }: Ranking<Json>, out: Output): void {
  out.text += '[';
  for (let place = 0; place < ordinals.length; place++) {
    if (place > 0) out.text += ',';
    write({ json: entityAt(list, ordinals[place] as number), hits: hits[place] as number }, out);
    checkRoom(out);
  }
  out.text += ']';
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
  /** Undefined for a selection that was not asked for lately. */
  readonly find: (key: string) => SelectionParts | undefined;
  /** To be called when parts have been added. */
  readonly keep: (key: string, parts: SelectionParts) => void;
}

/** Of all parts of a snapshot's entities: a front end has a few selections, of some hundred KB each. */
const CACHE_PARTS = 16 * 1_024 * 1_024;
const HEAP_SHARE = 0.03;

const stores = new WeakMap<Directory, PartsStore>();

function storeOf(directory: Directory): PartsStore {
  let store = stores.get(directory);
  if (store === undefined) {
    store = createStore();
    stores.set(directory, store);
  }
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
    keep: (key, parts) => {
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

/** C4: what hits are counted of besides. */
export const DAY_FACET: Shape<DayHits> = {
  name: 'DayFacet',
  leaves: { day: ({ day }) => `"${day}"`, hits: ({ hits }) => String(hits) },
  links: {},
};

export const MUNICIPALITY_FACET: Shape<MunicipalityHits> = {
  name: 'MunicipalityFacet',
  leaves: {
    number: ({ number }) => JSON.stringify(number),
    name: ({ name }) => JSON.stringify(name),
    hits: ({ hits }) => String(hits),
  },
  links: {},
};

export const TAG_FACET: Shape<TagHits> = {
  name: 'TagFacet',
  leaves: { tag: ({ tag }) => JSON.stringify(tag), hits: ({ hits }) => String(hits) },
  links: {},
};

function facetOf<Json>(name: string, shape: Shape<Json>): Shape<Facet<Json>> {
  const leaves = Object.entries(shape.leaves).map(
    ([field, leaf]) => [field, ({ json }: Facet<Json>) => leaf(json)] as const,
  );
  const links = Object.entries(shape.links).map(([field, link]) => [
    field,
    {
      shape: link.shape,
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
