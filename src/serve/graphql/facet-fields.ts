/** C4: the facets of a connection as fields: how each counts its entries, and how they are written. */
import { ACCESSIBILITY } from '../../calendar/accessibility.ts';
import type { FacetKind } from '../query/facet-counts.ts';
import type { Entity, EntityHits } from '../query/facets.ts';
import { planFirst } from '../query/plan.ts';
import type { NodeSet, View } from '../query/view.ts';
import { type CachedWriter, cachedTexts } from './facet-texts.ts';
import { itemsOf, type ObjectType, type Part, project, writeList } from './project.ts';
import type { SelectedField } from './selection.ts';
import { categoryIn, organizerIn, stringsOf, venueIn } from './types.ts';

/** The nodes that one `events` field selects, which its facets count. */
interface Counted {
  readonly view: View;
  readonly set: NodeSet;
}

type Facet = (field: SelectedField) => Part<Counted, Promise<void>>;

/** D2: entries of a facet that are counted before it is known. A regional directory's facets run into the hundreds at most. */
const TYPICAL_ENTRIES = 100;

/** C4 adds facets of values that no directory lists. */
export const FACETS: Readonly<Record<string, Facet>> = {
  venues: entities('venues', venueIn('VenueFacet', entityOf<'venues'>)),
  organizers: entities('organizers', organizerIn('OrganizerFacet', entityOf<'organizers'>)),
  categories: entities('categories', categoryIn('CategoryFacet', entityOf<'categories'>)),
  days: facet(withTexts('DayFacet', ['day']), ({ view, set }) => view.facets.days(set.rows)),
  municipalities: facet(withTexts('MunicipalityFacet', ['number', 'name']), ({ view, set }) =>
    view.facets.municipalities(set.counts()),
  ),
  tags: facet(withTexts('TagFacet', ['tag']), ({ view, set }) => view.facets.tags(set.rows)),
  accessibilities: facet(
    withTexts('AccessibilityFacet', ['value']),
    ({ view, set }) => view.facets.accessibilities(set.rows),
    { typical: ACCESSIBILITY.length },
  ),
};

type Texts<Name extends string> = { readonly [Field in Name]: string | null };

function withTexts<Name extends string>(
  name: string,
  fields: readonly Name[],
): ObjectType<Texts<Name> & { readonly hits: number }> {
  return { name, leaves: stringsOf(fields) };
}

interface FacetOptions<Entry> {
  /** Entries that are counted before they are known. */
  readonly typical?: number;
  readonly cached?: CachedWriter<Entry>;
}

/** `type`: of an entry, without its hits. `get`: all entries of a set of nodes; they are worked out once, however many fields ask for them. */
function facet<Entry extends { readonly hits: number }>(
  type: ObjectType<Entry>,
  get: (counted: Counted) => readonly Entry[],
  { typical = TYPICAL_ENTRIES, cached }: FacetOptions<Entry> = {},
): Facet {
  const whole = { ...type, leaves: { ...type.leaves, hits: ({ hits }: Entry) => String(hits) } };
  const allOf = (source: Counted) => {
    const { facetEntries } = source.set;
    // Each facet finds its own entries.
    const counted = facetEntries.get(whole) as readonly Entry[] | undefined;
    const entries = counted ?? get(source);
    facetEntries.set(whole, entries);
    return entries;
  };
  return ({ selections, first }) => {
    const { write, fields } = project(whole, selections);
    const writerIn = cached?.(selections) ?? (() => write);
    const limit = planFirst(first);
    return {
      fields: 1 + Math.min(typical, limit ?? typical) * fields,
      write: (source, out) => {
        const entries = allOf(source).slice(0, limit ?? undefined);
        return writeList(itemsOf(entries), writerIn(source.view), out);
      },
    };
  };
}

function entities<Kind extends FacetKind>(kind: Kind, type: ObjectType<EntityHits<Kind>>): Facet {
  return facet(type, ({ view, set }) => view.facets.entities(set.counts(), kind), {
    cached: cachedTexts(kind, type),
  });
}

function entityOf<Kind extends FacetKind>({ entity }: EntityHits<Kind>): Entity<Kind> {
  return entity;
}
