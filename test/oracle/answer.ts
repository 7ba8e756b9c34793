/**
 * The second reading of sections A, B and C: every root field over plain arrays, at any moment at or after the
 * build. It is slow and simple on purpose: each function says one rule.
 */
import { formatOslo, instantOfWritten, readArgument, readWritten } from './clock.ts';
import {
  type Area,
  carriesCategory,
  conditionsOf,
  type Filter,
  HOURS_RANGE,
  hasOrganizer,
  isInArea,
  isInMunicipality,
  type Near,
  offers,
  searchOf,
  textOf,
} from './conditions.ts';
import { categoryJson, organizerJson, venueJson } from './directory.ts';
import { eventJson } from './event-json.ts';
import { dayNodesOf, lookUpWindow, type Node, nodesOf, periodAt, publishedEvents } from './nodes.ts';
import { ACCESSIBILITY, type Json } from './records.ts';
import type { Calendar, CalendarEvent } from './source.ts';
import { byCodePoint, byName, fold, foldsEqual } from './text.ts';

/** What a root field answers: its value, or the names of the arguments that are no good. */
export type Answer = { readonly found: Json } | { readonly refused: readonly string[] };

export type Oracle = ReturnType<typeof oracle>;

/** The answers of a calendar at `now`, in seconds. */
export function oracle(calendar: Calendar, now: number) {
  const existing = publishedEvents(calendar, now);
  const upcoming = nodesOf(existing, lookUpWindow(now));
  const show = (node: Node) => eventJson(node, calendar.licence);
  const list = (nodes: readonly Node[]): Answer => ({ found: nodes.map(show) });
  const first = (nodes: readonly Node[]): Answer => ({ found: nodes.map(show)[0] ?? null });

  return {
    events(filter: Filter = {}, page = 0, pageSize = 10, first: Firsts = {}): Answer {
      const refused = [...badFilterFields(filter), ...badPaging(page, pageSize)];
      if (refused.length > 0) return { refused };
      if (Object.values(first).some((count) => (count ?? 1) < 1)) return { refused: ['first'] };
      const nodes = matchingNodes(filter);
      // B7: more than 1000 is served as 1000.
      const size = Math.min(pageSize, 1000);
      return {
        found: {
          totalCount: nodes.length,
          hasMore: nodes.length > (page + 1) * size,
          pageInfo: { currentPage: page, pageSize: size, totalPages: Math.ceil(nodes.length / size) },
          approximate: searchOf(filter, calendar, now)?.isApproximate ?? false,
          data: nodes
            .slice(page * size, (page + 1) * size)
            .map((node) => show({ ...node, repetitions: top(node.repetitions, first.repetitions) })),
          ...firstOf({ ...facetsOf(nodes, calendar), ...derivedFacetsOf(nodes, calendar) }, first),
        },
      };
    },
    eventByID: (id: string) => first(upcoming.filter(({ event }) => event.record.id === id)),
    eventBySlug: (slug: string) => first(upcoming.filter(({ event }) => event.slug === slug)),
    // A8: in order, each event once, unknown slugs left out.
    eventsBySlugs: (slugs: readonly (string | null)[]) =>
      list(upcoming.filter(({ event }) => slugs.includes(event.slug))),
    eventByTitle(title: string, lan: string): Answer {
      if (lan !== 'nb' && lan !== 'en') return { refused: ['lan'] };
      return first(upcoming.filter(({ event }) => event[`title_${lan}`] === title));
    },
    allUpcomingSuperEvents: () => list(upcoming.filter(({ event }) => event.record.isSuperEvent === true)),
    allUpcomingEventsInArea(area: Area): Answer {
      const refused = badAreaArguments(area);
      return refused.length > 0 ? { refused } : list(upcoming.filter((node) => isInArea(node, area)));
    },
    // E: the taxonomy in the licence's order, hidden ones too; directories whole, by name.
    categories: (): Answer => ({ found: calendar.categories.map(categoryJson) }),
    venues: (): Answer => ({ found: calendar.venues.toSorted(byName).map(venueJson) }),
    organizers: (): Answer => ({ found: calendar.organizers.toSorted(byName).map(organizerJson) }),
    calendar: (): Answer => ({ found: calendarJson(calendar, now) }),
  };

  /** A4: the window picks what is shown, every other condition tests it. */
  function matchingNodes(filter: Filter): readonly Node[] {
    const moment = (text: string | null | undefined) => readArgument(textOf(text) ?? '');
    const before = moment(filter.untilDate);
    const period = typeof filter.period === 'string' ? periodAt(filter.period, Math.floor(now)) : null;
    const [begins, ends] = period ?? [now, Number.POSITIVE_INFINITY];
    const window = {
      from: Math.max(now, moment(filter.fromDate) ?? now, begins),
      startingFrom: moment(filter.fromStartDate),
      startingBefore: period === null ? before : Math.min(ends, before ?? ends),
    };
    const nodes =
      filter.groupRepetitionsByDay === true ? dayNodesOf(existing, window) : nodesOf(existing, window);
    const conditions = conditionsOf(filter, calendar, now);
    return nodes.filter((node) => conditions.every((holds) => holds(node)));
  }
}

/** E: what the licence says, and what the build made of the source. The snapshot's id is the product's own. */
function calendarJson({ licence, events, builtAt }: Calendar, now: number): Json {
  const { id, name, siteUrl = 'http://localhost:4000/events.html', dataLicence, contact } = licence;
  const kept = events.filter(({ occurrences }) => occurrences.length > 0);
  // Before the build, where a clock is behind the builder's, nothing is known beyond it.
  const next = Math.min(...[builtAt, ...changesOf(kept)].filter((moment) => moment > now));
  return {
    id,
    name,
    siteUrl,
    portalUrl: licence.portalUrl ?? null,
    dataLicence: dataLicence === undefined ? null : { name: dataLicence.name, url: dataLicence.url ?? null },
    attribution: licence.attribution ?? null,
    contact:
      contact === undefined
        ? null
        : { name: contact.name ?? null, email: contact.email ?? null, url: contact.url ?? null },
    timeZone: 'Europe/Oslo',
    snapshot: {
      builtAt: formatOslo(builtAt),
      events: kept.length,
      occurrences: kept.flatMap(({ occurrences }) => occurrences).length,
    },
    nextChange: next === Number.POSITIVE_INFINITY ? null : formatOslo(next),
  };
}

/** D6: an occurrence ends, a scheduled event appears. */
function changesOf(events: readonly CalendarEvent[]): readonly number[] {
  return events.flatMap(({ record, occurrences }) => {
    const written = record.publishingDate == null ? null : readWritten(record.publishingDate);
    const over = occurrences.map((occurrence) => occurrence.over);
    return written === null ? over : [...over, instantOfWritten(written)];
  });
}

/** C1: for every entity the number of nodes left when it is also demanded; none left, no entry. */
function facetsOf(nodes: readonly Node[], calendar: Calendar) {
  const hits = (holds: (node: Node) => boolean) => nodes.filter(holds).length;
  const venues = calendar.venues.map((venue) => ({
    ...venue,
    hits: hits(({ shown }) => shown.venue?.id === venue.id),
  }));
  const organizers = calendar.organizers.map((organizer) => ({
    ...organizer,
    hits: hits((node) => hasOrganizer(node, organizer.slug)),
  }));
  const categories = calendar.categories
    .flatMap((category) => [category, ...category.subcategories])
    .map((category) => ({
      ...category,
      // Norwegian labels put them in order.
      name: category.name_nb,
      hits: hits((node) => carriesCategory(node, category.id, calendar.categories)),
    }));
  return {
    venues: inFacetOrder(venues).map(({ hits, ...venue }) => ({ ...asObject(venueJson(venue)), hits })),
    organizers: inFacetOrder(organizers).map(({ hits, ...organizer }) => ({ ...organizer, hits })),
    categories: inFacetOrder(categories).map(({ hits, name: _name, ...category }) => ({
      ...asObject(categoryJson(category)),
      hits,
    })),
  };
}

/** C4: of each list only so many, from the top. */
export type Firsts = Readonly<Partial<Record<string, number | null>>>;

function firstOf(facets: Readonly<Record<string, readonly Json[]>>, first: Firsts) {
  return Object.fromEntries(Object.entries(facets).map(([name, list]) => [name, top(list, first[name])]));
}

function top<T>(list: readonly T[], count: number | null | undefined): readonly T[] {
  return list.slice(0, count ?? list.length);
}

/** C4: facets of what is in no directory. */
function derivedFacetsOf(nodes: readonly Node[], calendar: Calendar) {
  const days = nodes.map(({ shown }) => formatOslo(shown.start).slice(0, 10));
  return {
    days: [...counted(days)].toSorted(([a], [b]) => byCodePoint(a, b)).map(([day, hits]) => ({ day, hits })),
    municipalities: municipalitiesOf(nodes, calendar),
    tags: tagsOf(nodes),
    accessibilities: accessibilitiesOf(nodes),
  };
}

/** One that the register knows is told by its number, any other by its name: as the filter takes them (B6, C1). */
function municipalitiesOf(nodes: readonly Node[], { venues }: Calendar): readonly Json[] {
  const named = venues.flatMap(({ municipality, municipalityNumber }) => {
    const name = municipality ?? municipalityNumber;
    return name === null ? [] : [{ name, number: municipality === null ? null : municipalityNumber }];
  });
  const isOne = (one: (typeof named)[number], other: (typeof named)[number]) =>
    one.number === other.number && (one.number !== null || foldsEqual(one.name, other.name));
  const entries = named
    .filter((one, at) => named.findIndex((other) => isOne(one, other)) === at)
    .map((one) => {
      const spellings = named.filter((other) => isOne(one, other)).map(({ name }) => name);
      const often = (name: string) => spellings.filter((other) => other === name).length;
      const [name = ''] = spellings.toSorted((x, y) => often(y) - often(x) || byCodePoint(x, y));
      const hits = nodes.filter((node) => isInMunicipality(one.number ?? name, node)).length;
      return { id: one.number ?? '', number: one.number, name, hits };
    });
  return inFacetOrder(entries).map(({ id: _id, ...entry }) => entry);
}

/** E6: of equal hits in the enum's order. */
function accessibilitiesOf(nodes: readonly Node[]): readonly Json[] {
  return ACCESSIBILITY.map((value) => ({ value, hits: nodes.filter((node) => offers(node, value)).length }))
    .filter(({ hits }) => hits > 0)
    .toSorted((a, b) => b.hits - a.hits);
}

/** Tags that fold to the same are one, spelled as most nodes spell it, of equals the first by code point. */
function tagsOf(nodes: readonly Node[]): readonly Json[] {
  const written = nodes.map(({ event }) => [...new Set(event.record.tags ?? [])]);
  const spelled = [...counted(written.flat())].toSorted(([a, m], [b, n]) => n - m || byCodePoint(a, b));
  const hits = counted(written.flatMap((tags) => [...new Set(tags.map(fold))]));
  const entries = [...hits].map(([folded, count]) => {
    const [tag = ''] = spelled.find(([spelling]) => fold(spelling) === folded) ?? [];
    return { id: tag, name: tag, hits: count };
  });
  return inFacetOrder(entries.filter(({ name }) => fold(name).trim() !== '')).map((entry) => ({
    tag: entry.name,
    hits: entry.hits,
  }));
}

function counted(texts: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return counts;
}

/** C1: hits descending, then name in Norwegian alphabetical order, then id. */
function inFacetOrder<T extends { readonly id: string; readonly name: string; readonly hits: number }>(
  entries: readonly T[],
): readonly T[] {
  return entries.filter(({ hits }) => hits > 0).toSorted((a, b) => b.hits - a.hits || byName(a, b));
}

/** A14, B4: every bad argument at once. */
function badFilterFields(filter: Filter): readonly string[] {
  const bad = (field: keyof Filter, isGood: (text: string) => boolean) => {
    const value = filter[field];
    const text = typeof value === 'string' ? textOf(value) : null;
    return text === null || isGood(text) ? [] : [field];
  };
  return [
    ...bad('fromDate', (text) => readArgument(text) !== null),
    ...bad('untilDate', (text) => readArgument(text) !== null),
    ...bad('fromStartDate', (text) => readArgument(text) !== null),
    ...bad('mode', (text) => text === 'online' || text === 'offline'),
    ...bad('hoursRange', (text) => HOURS_RANGE.test(text)),
    ...(filter.near && !isGoodNear(filter.near) ? ['near'] : []),
    ...(filter.area && badAreaArguments(filter.area).length > 0 ? ['area'] : []),
  ];
}

/** B13. */
function isGoodNear({ latitude, longitude, km }: Near): boolean {
  return Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180 && km > 0 && km <= 1000;
}

function badPaging(page: number, pageSize: number): readonly string[] {
  return [...(page < 0 ? ['page'] : []), ...(pageSize <= 0 ? ['pageSize'] : [])];
}

/** B4: latitudes and longitudes within their range. */
function badAreaArguments(area: Area): readonly string[] {
  return Object.entries(area)
    .filter(([name, value]) => Math.abs(value) > (name.endsWith('Latitude') ? 90 : 180))
    .map(([name]) => name);
}

function asObject(json: Json) {
  return typeof json === 'object' && !Array.isArray(json) ? json : {};
}
