/**
 * Facets as they are answered: an entity's fields and its hits (contract E). A page has hundreds of them, and all but the
 * hits is the same in every answer: so each entity's text is written once a snapshot, with gaps for the hits.
 */
import { LRUCache } from 'lru-cache';
import type { Directory } from '../nodes/directory.ts';
import type { FacetKind } from '../nodes/facets.ts';
import type { NodeSet, View } from '../nodes/view.ts';
import { CATEGORY, ORGANIZER, VENUE } from './entities.ts';
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
      return view.tally
        .entries(set.counts(), kind)
        .map(({ ordinal, hits }) => ({ json: entityAt(list, ordinal), hits }));
    },
    write: (project, selections) => {
      const write = project(shape, selections);
      const key = JSON.stringify([kind, selections]);
      return ({ view, set }) => {
        const list = listOf(view.directory);
        const texts = textsFor(view.directory, key);
        let json = '';
        view.tally.each(set.counts(), kind, (ordinal, hits) => {
          let text = texts[ordinal];
          if (text === undefined) {
            text = write({ json: entityAt(list, ordinal), hits: GAP }).split(GAP);
            texts[ordinal] = text;
          }
          json += json === '' ? '[' : ',';
          json += text[0];
          for (let part = 1; part < text.length; part++) json += hits + (text[part] as string);
        });
        return json === '' ? '[]' : `${json}]`;
      };
    },
  };
}

/** By ordinal: what stands before, between and behind the gaps. */
type Texts = (readonly string[])[];

/** Selections whose texts are kept: a front end has a few, and a few front ends share a server. */
const SELECTIONS_KEPT = 30;

const known = new WeakMap<Directory, LRUCache<string, Texts>>();

function textsFor(directory: Directory, key: string): Texts {
  let bySelection = known.get(directory);
  if (bySelection === undefined) {
    bySelection = new LRUCache({ max: SELECTIONS_KEPT });
    known.set(directory, bySelection);
  }
  let texts = bySelection.get(key);
  if (texts === undefined) {
    texts = [];
    bySelection.set(key, texts);
  }
  return texts;
}

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
