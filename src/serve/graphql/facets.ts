/**
 * Facets as they are answered: an entity's fields and its hits (contract E). A page has hundreds of them, and all but the
 * hits is the same in every answer: so each entity is written once a snapshot, as bytes, with gaps for the hits.
 */
import { LRUCache } from 'lru-cache';
import type { Directory } from '../query/directory.ts';
import type { FacetKind } from '../query/facets.ts';
import type { NodeSet, View } from '../query/view.ts';
import { CATEGORY, ORGANIZER, VENUE } from './entities.ts';
import { beginAside, type Output, takeRoom } from './output.ts';
import type { Link, Shape } from './shape.ts';

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
    follow: ({ view, set }) => {
      const list = listOf(view.directory);
      return view.facets
        .entries(set.counts(), kind)
        .map(({ ordinal, hits }) => ({ json: entityAt(list, ordinal), hits }));
    },
    write: (project, selections) => {
      const write = project(shape, selections);
      const key = JSON.stringify([kind, selections]);
      const partsOf = (json: Json): EntityParts => {
        const alone = beginAside();
        write({ json, hits: GAP }, alone);
        const parts = `,${alone.text}`.split(GAP).map((part) => Buffer.from(part));
        return { parts, size: parts.reduce((sum, { length }) => sum + length, 0) };
      };
      return ({ view, set }, out) => {
        const list = listOf(view.directory);
        const known = partsFor(view.directory, key);
        const ranked = view.facets.ranked(set.counts(), kind);
        const entities = [];
        for (let place = 0; place < ranked.ordinals.length; place++) {
          const ordinal = ranked.ordinals[place] as number;
          let entity = known[ordinal];
          if (entity === undefined) {
            entity = partsOf(entityAt(list, ordinal));
            known[ordinal] = entity;
          }
          entities.push(entity);
        }
        writeFacets(entities, ranked.hits, out);
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

/** Selections whose parts are kept: a front end has a few, and a few front ends share a server. */
const SELECTIONS_KEPT = 30;

const kept = new WeakMap<Directory, LRUCache<string, EntityParts[]>>();

/** By ordinal. */
function partsFor(directory: Directory, key: string): EntityParts[] {
  let bySelection = kept.get(directory);
  if (bySelection === undefined) {
    bySelection = new LRUCache({ max: SELECTIONS_KEPT });
    kept.set(directory, bySelection);
  }
  let parts = bySelection.get(key);
  if (parts === undefined) {
    parts = [];
    bySelection.set(key, parts);
  }
  return parts;
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
