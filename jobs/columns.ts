/** The columns that a server loads into memory, from the finished calendar, and the columns derived from them. */
import { maskOf } from '../src/calendar/accessibility.ts';
import type { Organizer, Venue } from '../src/calendar/model.ts';
import { compareCodePoints, compareNorwegian, fold } from '../src/calendar/text.ts';
import { osloDay, osloMinute } from '../src/calendar/time.ts';
import type { Columns } from '../src/snapshot/columns.ts';
import { type Counts, type EarlierSlug, sizesOf } from '../src/snapshot/meta.ts';
import { changesOf, facetCountsOf } from './columns/facet-counts.ts';
import { type GatheredLists, gatherPlaces, rowIndexOf, windowsOf } from './columns/row-index.ts';
import type { Calendar, CalendarEvent, ColumnSet, Occurrences } from './records.ts';

/** `now` is the moment of the build: no request concerns a time before it. */
export function columnsOf(calendar: Calendar, now: number): ColumnSet {
  const { events, occurrences } = calendar;
  const containers = listOf(events, ({ superEvent }) => (superEvent === null ? [] : [superEvent]));
  const foldedTags = folder();
  const tags = listOf(events, foldedTags);
  const spellings = listOf(events, (event) => event.tags, inNorwegianOrder);
  const rows = gatherPlaces(occurrences.event, events.length);
  // C1: an organizer that is named twice counts once.
  const organizers = gatherLists(events, (event) => new Set(event.organizers));
  const categories = gatherLists(events, (event) => event.categories);
  const tagged = gatherLists(events, (event) => foldedTags(event).map(tags.placeOf));
  const spelled = gatherLists(events, (event) => ascendingPlaces(event.tags, spellings.placeOf));
  const day = Int32Array.from(occurrences.start, osloDay);
  const shown = {
    ...occurrences,
    ...predecessorsOf(occurrences, rows.values, day),
    publishing: Float64Array.from(events, ({ publishingDate }) => publishingDate ?? Number.NEGATIVE_INFINITY),
    occurrencesAt: rows.at,
    occurrences: rows.values,
    organizersAt: organizers.at,
    organizers: organizers.values,
    categoriesAt: categories.at,
    categories: categories.values,
  };
  const changes = changesOf(calendar, shown, now);
  const given = {
    ...shown,
    // I9: both are worked out in the comparison with the previous snapshot.
    sequence: new Uint8Array(occurrences.start.length),
    nextSince: new Float64Array(events.length).fill(Number.NEGATIVE_INFINITY),
    day,
    minute: Uint16Array.from(occurrences.start, osloMinute),
    eventFlags: Uint8Array.from(events, ({ flags }) => flags),
    accessibility: accessibilityOf(calendar),
    container: Int32Array.from(events, ({ superEvent }) => containers.placeOf(superEvent ?? '')),
    tagsAt: tagged.at,
    tags: tagged.values,
    spellingsAt: spelled.at,
    spellings: spelled.values,
    tagOfSpelling: Int32Array.from(spellings.list, (text) => tags.placeOf(fold(text))),
    northward: northwardOf(calendar.venues),
    moments: momentsOf(occurrences.over, shown.publishing, now),
    ...changes,
  };
  const lists = {
    licence: calendar.licence,
    venues: calendar.venues,
    organizers: calendar.organizers,
    categories: calendar.categories,
    containers: containers.list,
    tags: tags.list,
    spellings: spellings.list,
    earlierSlugs: earlierSlugsOf(calendar),
  };
  const sizes = sizesOf(countsOf(calendar), lists);
  return {
    columns: { ...given, ...rowIndexOf(given, sizes), ...windowsOf(given) },
    lists,
    facetCounts: { [Symbol.iterator]: () => facetCountsOf(calendar, changes) },
  };
}

/** A17: former slugs by which filters find venues and organizers. */
function earlierSlugsOf({ venues, organizers, slugs }: Calendar): readonly EarlierSlug[] {
  const ofKind = (kind: EarlierSlug['kind'], entities: readonly (Venue | Organizer)[]) => {
    const { owned, merged } = slugs[kind];
    const places = new Map(entities.map(({ id }, place) => [id, place]));
    const survivors = new Map(merged.map(({ id, survivor }) => [id, survivor]));
    return owned.flatMap(({ slug, id }) => {
      const place = places.get(survivors.get(id) ?? id);
      return place === undefined || entities[place]?.slug === slug ? [] : { kind, slug, place };
    });
  };
  return [...ofKind('venue', venues), ...ofKind('organizer', organizers)];
}

export function countsOf({ events, occurrences, venues, organizers, categories }: Calendar): Counts {
  return {
    events: events.length,
    occurrences: occurrences.start.length,
    venues: venues.length,
    organizers: organizers.length,
    categories: categories.length,
  };
}

/** B6: tags are compared in the folded form of search. Few tags are on many events, and each event's are folded twice. */
function folder(): (event: CalendarEvent) => readonly string[] {
  const known = new Map<string, string>();
  const folded = (tag: string): string => {
    const text = known.get(tag) ?? fold(tag);
    known.set(tag, text);
    return text;
  };
  return ({ tags }) => [...new Set(tags.map(folded))];
}

function gatherLists(
  events: readonly CalendarEvent[],
  listOf: (event: CalendarEvent) => Iterable<number>,
): GatheredLists {
  const at = new Int32Array(events.length + 1);
  const values: number[] = [];
  for (const [place, event] of events.entries()) {
    for (const value of listOf(event)) values.push(value);
    at[place + 1] = values.length;
  }
  return { at, values: Int32Array.from(values) };
}

interface List {
  readonly list: readonly string[];
  /** -1 if the text is not in the list. */
  readonly placeOf: (text: string) => number;
}

/** Every text once, in byte order by default. */
function listOf(
  events: readonly CalendarEvent[],
  textsOf: (event: CalendarEvent) => readonly string[],
  compare = compareCodePoints,
): List {
  const distinct = new Set<string>();
  for (const event of events) for (const text of textsOf(event)) distinct.add(text);
  const list = [...distinct].sort(compare);
  const places = new Map(list.map((text, place) => [text, place]));
  return { list, placeOf: (text) => places.get(text) ?? -1 };
}

function inNorwegianOrder(left: string, right: string): number {
  return compareNorwegian(left, right) || compareCodePoints(left, right);
}

function ascendingPlaces(texts: readonly string[], placeOf: List['placeOf']): readonly number[] {
  return [...new Set(texts.map(placeOf))].sort((left, right) => left - right);
}

/** `rows` lists the rows of one event after the other, each event's in A2's order. */
function predecessorsOf(
  { event, over }: Occurrences,
  rows: Int32Array,
  day: Int32Array,
): Pick<Columns, 'next' | 'predecessorsOver' | 'sameDayPredecessorsOver'> {
  const next = new Int32Array(rows.length).fill(-1);
  const predecessorsOver = new Float64Array(rows.length).fill(Number.NEGATIVE_INFINITY);
  const sameDayPredecessorsOver = predecessorsOver.slice();
  for (let place = 1; place < rows.length; place++) {
    const before = rows[place - 1] ?? 0;
    const row = rows[place] ?? 0;
    if (event[row] !== event[before]) continue;
    next[before] = row;
    predecessorsOver[row] = Math.max(predecessorsOver[before] ?? 0, over[before] ?? 0);
    if (day[row] !== day[before]) continue;
    sameDayPredecessorsOver[row] = Math.max(sameDayPredecessorsOver[before] ?? 0, over[before] ?? 0);
  }
  return { next, predecessorsOver, sameDayPredecessorsOver };
}

/** E6: the features of each row's event and venue. */
function accessibilityOf({ events, venues, occurrences }: Calendar): Uint8Array<ArrayBuffer> {
  const ofVenues = venues.map(({ accessibility }) => maskOf(accessibility));
  return Uint8Array.from(
    occurrences.event,
    (event, row) => (events[event]?.accessibility ?? 0) | (ofVenues[occurrences.venue[row] ?? -1] ?? 0),
  );
}

function northwardOf(venues: readonly Venue[]): Int32Array<ArrayBuffer> {
  const placed = venues.flatMap(({ location }, ordinal) =>
    location === null ? [] : { ordinal, latitude: location.latitude },
  );
  placed.sort((left, right) => left.latitude - right.latitude || left.ordinal - right.ordinal);
  return Int32Array.from(placed, ({ ordinal }) => ordinal);
}

function momentsOf(over: Float64Array, publishing: Float64Array, now: number): Float64Array<ArrayBuffer> {
  const moments = new Float64Array(over.length + publishing.length);
  moments.set(over);
  moments.set(publishing, over.length);
  const sorted = moments.filter((moment) => moment > now).sort();
  return sorted.filter((moment, place) => place === 0 || moment !== sorted[place - 1]);
}
