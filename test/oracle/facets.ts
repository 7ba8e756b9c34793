/** The oracle for C1, C4 and E6: facets, which say how many nodes each value has. */
import { formatOslo } from './clock.ts';
import { carriesCategory, hasOrganizer, isInMunicipality, offers } from './conditions.ts';
import { venueJson } from './directory.ts';
import type { Node } from './nodes.ts';
import { ACCESSIBILITY, type Json } from './records.ts';
import type { Calendar } from './source.ts';
import { byCodePoint, byName, fold } from './text.ts';

/** C1: for every entity the number of nodes left when it is also demanded; C4: facets of what is in no directory. */
export function facetsOf(
  nodes: readonly Node[],
  calendar: Calendar,
): Readonly<Record<string, readonly Json[]>> {
  const hits = (holds: (node: Node) => boolean) => nodes.filter(holds).length;
  const venues = calendar.venues.map((venue) => ({
    ...venue,
    json: venueJson(venue),
    hits: hits(({ shown }) => shown.venue?.id === venue.id),
  }));
  const organizers = calendar.organizers.map((organizer) => ({
    ...organizer,
    json: organizer,
    hits: hits((node) => hasOrganizer(node, organizer.slug)),
  }));
  const categories = calendar.categories
    .flatMap((category) => [
      category,
      ...category.subcategories.map((sub) => ({ ...sub, subcategories: [] })),
    ])
    .map((category) => ({
      id: category.id,
      // Norwegian labels put them in order.
      name: category.name_nb,
      json: category,
      hits: hits((node) => carriesCategory(node, category.id, calendar.categories)),
    }));
  const days = counted(nodes.map(({ shown }) => formatOslo(shown.start).slice(0, 10)));
  // E6: of equal hits in the enum's order.
  const accessibilities = ACCESSIBILITY.map((value) => ({
    value,
    hits: hits((node) => offers(node, value)),
  }));
  return {
    venues: inFacetOrder(venues),
    organizers: inFacetOrder(organizers),
    categories: inFacetOrder(categories),
    days: [...days].toSorted(([a], [b]) => byCodePoint(a, b)).map(([day, hits]) => ({ day, hits })),
    municipalities: inFacetOrder(municipalitiesOf(nodes, calendar)),
    tags: inFacetOrder(tagsOf(nodes)),
    accessibilities: accessibilities.filter(({ hits }) => hits > 0).toSorted((a, b) => b.hits - a.hits),
  };
}

interface Entry {
  readonly id: string;
  readonly name: string;
  readonly json: { readonly [field: string]: Json };
  readonly hits: number;
}

/** C1: hits descending, then name in Norwegian alphabetical order, then id; none left, no entry. */
function inFacetOrder(entries: readonly Entry[]): readonly Json[] {
  return entries
    .filter(({ hits }) => hits > 0)
    .toSorted((a, b) => b.hits - a.hits || byName(a, b))
    .map(({ json, hits }) => ({ ...json, hits }));
}

/** One that the register knows is identified by its number, any other by its name: as the filter takes them (B6, C1). */
function municipalitiesOf(nodes: readonly Node[], { venues }: Calendar): readonly Entry[] {
  const named = venues.flatMap(({ municipality, municipalityNumber }) => {
    const name = municipality ?? municipalityNumber;
    return name === null ? [] : [{ name, number: municipality === null ? null : municipalityNumber }];
  });
  const groups = grouped(named, ({ name, number }) => number ?? fold(name));
  return [...groups.values()].flatMap((spellings) => {
    const names = counted(spellings.map(({ name }) => name));
    const [[name] = ['']] = [...names].toSorted(([a, m], [b, n]) => n - m || byCodePoint(a, b));
    const number = spellings[0]?.number ?? null;
    const hits = nodes.filter((node) => isInMunicipality(number ?? name, node)).length;
    return { id: number ?? '', name, json: { number, name }, hits };
  });
}

/** Tags that fold to the same are one, spelled as most nodes spell it, of equals the first by code point. */
function tagsOf(nodes: readonly Node[]): readonly Entry[] {
  const written = nodes.map(({ event }) => [...new Set(event.record.tags ?? [])]);
  const spelled = [...counted(written.flat())].toSorted(([a, m], [b, n]) => n - m || byCodePoint(a, b));
  const hits = counted(written.flatMap((tags) => [...new Set(tags.map(fold))]));
  return [...hits]
    .filter(([folded]) => folded.trim() !== '')
    .map(([folded, count]) => {
      const [tag = ''] = spelled.find(([spelling]) => fold(spelling) === folded) ?? [];
      return { id: tag, name: tag, json: { tag }, hits: count };
    });
}

function counted(texts: readonly string[]): ReadonlyMap<string, number> {
  return new Map([...grouped(texts, (text) => text)].map(([text, all]) => [text, all.length]));
}

function grouped<T>(items: readonly T[], keyOf: (item: T) => string): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, readonly T[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
}
