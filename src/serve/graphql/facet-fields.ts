/** C4: the facets of a connection as fields: how each counts its entries, and how they are written. */
import { ACCESSIBILITY } from '../../calendar/accessibility.ts';
import type { FacetKind } from '../query/facet-counts.ts';
import { type Entity, type EntityHits, entityTextsKey, LONGEST_TEXT } from '../query/facets.ts';
import { planFirst } from '../query/plan.ts';
import type { NodeSet, View } from '../query/view.ts';
import { Output } from './output.ts';
import { itemsOf, joinedFlat, type ObjectType, openingOf, type Part, project, writeList } from './project.ts';
import type { SelectedField, Selections } from './selection.ts';
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

type WriteEntry<Entry> = (entry: Entry, out: Output) => void;

/** Writes entries with texts that a view has cached. */
type WriterIn<Entry> = (view: View) => WriteEntry<Entry>;

/** Undefined for a selection whose texts cannot be cached. */
type CachedWriter<Entry> = (selections: Selections) => WriterIn<Entry> | undefined;

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

/** An answer has hundreds of entities, which differ from those of the next one only in their hits: if these come last, the rest is cached. */
function cachedTexts<Kind extends FacetKind>(
  kind: Kind,
  type: ObjectType<EntityHits<Kind>>,
): CachedWriter<EntityHits<Kind>> {
  return (selections) => {
    const last = selections.at(-1);
    const others = selections.slice(0, -1);
    const hasOtherHits = others.some(({ name }) => name === 'hits');
    if (last?.name !== 'hits' || others.length === 0 || hasOtherHits) return undefined;
    const selection = shortTextOf(selections);
    if (selection === undefined) return undefined;
    const { write } = project(type, others);
    const textOf = (entry: EntityHits<Kind>) => {
      const out = new Output();
      write(entry, out);
      const json = Buffer.concat(out.end()).toString();
      const withoutBrace = json.slice(0, -1);
      return joinedFlat(withoutBrace, openingOf(last, others.length));
    };
    const key = entityTextsKey(kind, selection);
    return ({ facets }) => {
      const texts = facets.textsFor(key);
      const makeText = (entry: EntityHits<Kind>) => {
        const text = textOf(entry);
        if (text.length <= LONGEST_TEXT) texts[entry.ordinal] = text;
        return text;
      };
      return (entry, out) => {
        const text = texts[entry.ordinal] ?? makeText(entry);
        out.text += text;
        out.text += `${entry.hits}}`;
      };
    };
  };
}

/** UTF-16 units. What a longer selection writes of an entity is hardly ever short enough to be cached. */
const LONGEST_SELECTION = 10 * LONGEST_TEXT;

/**
 * JSON of the selections; undefined if it is longer than LONGEST_SELECTION. Equal selections of an operation are one list: written out, they
 * could have a million times the length of the document, so nothing is written after the limit.
 */
function shortTextOf(selections: Selections): string | undefined {
  let length = 0;
  const text = JSON.stringify(selections, (key: string, value: unknown) => {
    length += key.length + (typeof value === 'string' ? value.length : 1);
    return length > LONGEST_SELECTION ? undefined : value;
  });
  return length > LONGEST_SELECTION ? undefined : text;
}

function entityOf<Kind extends FacetKind>({ entity }: EntityHits<Kind>): Entity<Kind> {
  return entity;
}
