/**
 * The oracle for sections A, B and C: every root field over plain arrays, at any moment at or after the
 * build. It is slow and simple on purpose: each function says one rule.
 */
import { formatOslo, readArgument, readInstant } from './clock.ts';
import {
  type Area,
  type Filter,
  type Given,
  given,
  HOURS_RANGE,
  isInArea,
  meets,
  type Near,
} from './conditions.ts';
import { venueJson } from './directory.ts';
import { eventJson } from './event-json.ts';
import { facetsOf } from './facets.ts';
import { dayNodesOf, lookUpWindow, type Node, nodesOf, periodAt, publishedEvents } from './nodes.ts';
import type { Json } from './records.ts';
import { searchFor } from './search.ts';
import type { Calendar, CalendarEvent } from './source.ts';
import { byName } from './text.ts';

/** The answer of a root field: its value, or the names of its wrong arguments. */
export type Answer = { readonly found: Json } | { readonly refused: readonly string[] };

type Nothing = Readonly<Record<never, never>>;

/** The arguments of all root fields. */
export interface Arguments {
  readonly events: {
    readonly filter?: Filter | null;
    readonly page?: number | null;
    readonly pageSize?: number | null;
    /** C4: of lists by their names only so many, from the top. */
    readonly first?: Readonly<Partial<Record<string, number | null>>>;
  };
  readonly eventByID: { readonly eventID: string };
  readonly eventBySlug: { readonly eventSlug: string };
  readonly eventsBySlugs: { readonly eventsSlugs: readonly (string | null)[] };
  readonly eventByTitle: { readonly title: string; readonly lan: string };
  readonly allUpcomingEventsInArea: Area;
  readonly allUpcomingSuperEvents: Nothing;
  readonly categories: Nothing;
  readonly venues: Nothing;
  readonly organizers: Nothing;
  readonly calendar: Nothing;
}

export type Oracle = { readonly [Field in keyof Arguments]: (args: Arguments[Field]) => Answer };

/** The answers of a calendar at `now`, in seconds. */
export function oracle(calendar: Calendar, now: number): Oracle {
  const existing = publishedEvents(calendar, now);
  const upcoming = nodesOf(existing, lookUpWindow(now));
  const show = (node: Node) => eventJson(node, calendar.licence);
  const allWhere = (holds: (node: Node) => boolean): Answer => ({ found: upcoming.filter(holds).map(show) });
  const firstWhere = (holds: (node: Node) => boolean): Answer => ({
    found: upcoming.filter(holds).map(show)[0] ?? null,
  });

  return {
    events(args) {
      const refused = badArgumentsOfEvents(args);
      return refused.length > 0 ? { refused } : { found: connectionOf(args) };
    },
    eventByID: ({ eventID }) => firstWhere(({ event }) => event.record.id === eventID),
    eventBySlug: ({ eventSlug }) => firstWhere(({ event }) => event.slug === eventSlug),
    // A8: in order, each event once, unknown slugs left out.
    eventsBySlugs: ({ eventsSlugs }) => allWhere(({ event }) => eventsSlugs.includes(event.slug)),
    eventByTitle({ title, lan }) {
      if (lan !== 'nb' && lan !== 'en') return { refused: ['lan'] };
      return firstWhere(({ event }) => event[`title_${lan}`] === title);
    },
    allUpcomingSuperEvents: () => allWhere(({ event }) => event.record.isSuperEvent === true),
    allUpcomingEventsInArea(area) {
      const refused = badAreaArguments(area);
      return refused.length > 0 ? { refused } : allWhere((node) => isInArea(node, area));
    },
    // E: the taxonomy in the licence's order, hidden ones too; directories whole, by name.
    categories: () => ({ found: calendar.categories }),
    venues: () => ({ found: calendar.venues.toSorted(byName).map(venueJson) }),
    organizers: () => ({ found: calendar.organizers.toSorted(byName) }),
    calendar: () => ({ found: calendarJson(calendar, now) }),
  };

  /** EventConnection: the nodes of a page, and the totals and facets of all nodes that match. */
  function connectionOf({ filter: wanted, page: nth, pageSize, first = {} }: Arguments['events']): Json {
    const filter = wanted ?? {};
    const page = nth ?? 0;
    // B7: more than 1000 is served as 1000.
    const size = Math.min(pageSize ?? 10, 1000);
    const term = given(filter.searchTerm);
    const search = term === null ? null : searchFor(calendar, term, now);
    const nodes = matchingNodes(filter).filter(({ event }) => search?.matches(event) ?? true);
    const facets = Object.entries(facetsOf(nodes, calendar));
    return {
      totalCount: nodes.length,
      hasMore: nodes.length > (page + 1) * size,
      pageInfo: { currentPage: page, pageSize: size, totalPages: Math.ceil(nodes.length / size) },
      approximate: search?.isApproximate ?? false,
      data: nodes
        .slice(page * size, (page + 1) * size)
        .map((node) => show({ ...node, repetitions: top(node.repetitions, first.repetitions) })),
      ...Object.fromEntries(facets.map(([name, entries]) => [name, top(entries, first[name])])),
    };
  }

  /** A4: the window picks the shown occurrence, every other condition tests it. */
  function matchingNodes(filter: Filter): readonly Node[] {
    const moment = (text: string | null | undefined) => readArgument(text ?? '');
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
    return nodes.filter((node) => meets(node, filter, calendar));
  }
}

/** E: fields of the licence and counts of the build. The snapshot's id is the product's own. */
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
  return events.flatMap(({ record, occurrences }) => [
    ...occurrences.map(({ over }) => over),
    readInstant(record.publishingDate) ?? Number.NEGATIVE_INFINITY,
  ]);
}

function top<T>(list: readonly T[], count: number | null | undefined): readonly T[] {
  return list.slice(0, count ?? list.length);
}

/** A14, B4: every bad argument at once. */
function badArgumentsOfEvents({
  filter,
  page,
  pageSize,
  first = {},
}: Arguments['events']): readonly string[] {
  return [
    ...badFilterFields(filter ?? {}),
    ...namesOf({
      page: (page ?? 0) < 0,
      pageSize: (pageSize ?? 10) <= 0,
      first: Object.values(first).some((count) => (count ?? 1) < 1),
    }),
  ];
}

function badFilterFields(filter: Filter): readonly string[] {
  const { fromDate, untilDate, fromStartDate, mode, hoursRange, ids, age, near, area } = filter;
  return namesOf({
    fromDate: isBad(fromDate, isDatetime),
    untilDate: isBad(untilDate, isDatetime),
    fromStartDate: isBad(fromStartDate, isDatetime),
    mode: isBad(mode, (name) => name === 'online' || name === 'offline'),
    hoursRange: isBad(hoursRange, (text) => HOURS_RANGE.test(text)),
    ids: isBad(ids, ({ length }) => length <= 1000),
    age: isBad(age, isAge),
    near: isBad(near, isCircle),
    area: isBad(area, (corners) => badAreaArguments(corners).length === 0),
  });
}

/** The names of those that are bad. */
function namesOf(faults: Readonly<Record<string, boolean>>): readonly string[] {
  return Object.keys(faults).filter((name) => faults[name]);
}

/** A value that is not given is good. */
function isBad<Value>(value: Value, isGood: (found: Given<Value>) => boolean): boolean {
  const found = given(value);
  return found !== null && !isGood(found);
}

const isDatetime = (text: string): boolean => readArgument(text) !== null;

/** B15. */
const isAge = (age: number): boolean => age >= 0 && age <= 130;

/** B13. */
function isCircle({ latitude, longitude, km }: Near): boolean {
  return Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180 && km > 0 && km <= 1000;
}

/** B4: latitudes and longitudes within their range. */
function badAreaArguments(area: Area): readonly string[] {
  return Object.entries(area)
    .filter(([name, degrees]) => Math.abs(degrees) > (name.endsWith('Latitude') ? 90 : 180))
    .map(([name]) => name);
}
