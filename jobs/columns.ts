/** The columns that a server loads into memory, from the finished calendar, and the columns derived from them. */
import { maskOf } from '../src/calendar/accessibility.ts';
import type { Organizer, Venue } from '../src/calendar/model.ts';
import { compareCodePoints, compareNorwegian, fold } from '../src/calendar/text.ts';
import { osloDay, osloMinute } from '../src/calendar/time.ts';
import type { Columns } from '../src/snapshot/columns.ts';
import type { Counts, EarlierSlug, Lists } from '../src/snapshot/meta.ts';
import { type GatheredLists, gatherPlaces, rowIndexOf } from './columns/row-index.ts';
import type { Calendar, CalendarEvent } from './records.ts';

export interface ColumnSet {
  readonly columns: Columns;
  readonly lists: Lists;
}

/** `now` is the moment of the build. */
export function columnsOf(calendar: Calendar, now: number): ColumnSet {
  const { events, occurrences } = calendar;
  const containers = listOf(new Set(events.flatMap(({ superEvent }) => superEvent ?? [])));
  const { tags, tagged, spellings, spelled, tagOfSpelling } = tagsOf(events);
  const rows = gatherPlaces(occurrences.event, events.length);
  // C1, hits: an organizer that is named twice counts once.
  const organizers = gatherLists(events, (event) => new Set(event.organizers));
  const categories = gatherLists(events, (event) => event.categories);
  const publishing = Float64Array.from(
    events,
    ({ publishingDate }) => publishingDate ?? Number.NEGATIVE_INFINITY,
  );
  const given = {
    ...occurrences,
    publishing,
    // I9, small subscriptions: counted in the comparison with the previous snapshot.
    sequence: new Uint8Array(occurrences.start.length),
    // H14, damage while it is served: of what SQLite makes of the rows, once they are written.
    bodyCheck: new Uint32Array(events.length),
    nextSince: Float64Array.from(events, ({ nextSince }) => nextSince ?? Number.NEGATIVE_INFINITY),
    day: Int32Array.from(occurrences.start, osloDay),
    minute: Uint16Array.from(occurrences.start, osloMinute),
    eventFlags: Uint8Array.from(events, ({ flags }) => flags),
    accessibility: accessibilityOf(calendar),
    container: Int32Array.from(events, ({ superEvent }) => containers.placeOf(superEvent ?? '')),
    occurrencesAt: rows.at,
    occurrences: rows.values,
    organizersAt: organizers.at,
    organizers: organizers.values,
    categoriesAt: categories.at,
    categories: categories.values,
    tagsAt: tagged.at,
    tags: tagged.values,
    spellingsAt: spelled.at,
    spellings: spelled.values,
    tagOfSpelling,
    moments: momentsOf(occurrences.over, publishing, now),
    ...calendar.searchIndex,
  };
  const lists = {
    licence: calendar.licence,
    venues: calendar.venues,
    organizers: calendar.organizers,
    categories: calendar.categories,
    containers: containers.list,
    tags,
    spellings,
    earlierSlugs: earlierSlugsOf(calendar),
  };
  return { columns: { ...given, ...rowIndexOf(given, lists) }, lists };
}

/** A17, a published slug stays with its id: former slugs by which filters find venues and organizers. */
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

/**
 * B6, tags and municipalities: tags are compared in the folded form of search. Few tags are on many events: each is looked up once, then it
 * is a number.
 */
function tagsOf(events: readonly CalendarEvent[]) {
  const known = new Map<string, number>();
  const numberOf = (tag: string) => known.get(tag) ?? known.set(tag, known.size).size - 1;
  const written = gatherLists(events, (event) => event.tags.map(numberOf));
  const spellings = listOf(known.keys(), inNorwegianOrder);
  const folded = spellings.list.map(fold);
  const tags = listOf(new Set(folded));
  const tagOfSpelling = Int32Array.from(folded, tags.placeOf);
  const spellingOf = Int32Array.from(known.keys(), spellings.placeOf);
  const spellingsOf = (event: number) =>
    part(written.values, written.at, event).map((number) => spellingOf[number] ?? -1);
  const tagsIn = (event: number) => spellingsOf(event).map((spelling) => tagOfSpelling[spelling] ?? -1);
  return {
    tags: tags.list,
    tagged: gatherLists(events, (_, event) => new Set(tagsIn(event))),
    spellings: spellings.list,
    spelled: gatherLists(events, (_, event) => new Set(spellingsOf(event).sort())),
    tagOfSpelling,
  };
}

function gatherLists(
  events: readonly CalendarEvent[],
  listOf: (event: CalendarEvent, ordinal: number) => Iterable<number>,
): GatheredLists {
  const at = new Int32Array(events.length + 1);
  const values: number[] = [];
  for (const [place, event] of events.entries()) {
    for (const value of listOf(event, place)) values.push(value);
    at[place + 1] = values.length;
  }
  return { at, values: Int32Array.from(values) };
}

/** Distinct texts, in byte order by default. The place of any other text is -1. */
function listOf(distinct: Iterable<string>, compare = compareCodePoints) {
  const list = [...distinct].sort(compare);
  const places = new Map(list.map((text, place) => [text, place]));
  return { list, placeOf: (text: string) => places.get(text) ?? -1 };
}

function inNorwegianOrder(left: string, right: string): number {
  return compareNorwegian(left, right) || compareCodePoints(left, right);
}

/** E6, accessibility: the features of each row's event and venue. By events apart: looking up a million of them is slow. */
function accessibilityOf({ events, venues, occurrences }: Calendar): Uint8Array<ArrayBuffer> {
  const ofVenues = venues.map(({ accessibility }) => maskOf(accessibility));
  const ofEvents = Uint8Array.from(events, ({ accessibility }) => accessibility);
  const { event, venue } = occurrences;
  return new Uint8Array(event.length).map(
    (_, row) => (ofEvents[event[row] ?? -1] ?? 0) | (ofVenues[venue[row] ?? -1] ?? 0),
  );
}

function momentsOf(over: Float64Array, publishing: Float64Array, now: number): Float64Array<ArrayBuffer> {
  const moments = new Float64Array(over.length + publishing.length + 1).fill(now);
  moments.set(over);
  moments.set(publishing, over.length);
  const sorted = moments.filter((moment) => moment >= now).sort();
  return sorted.filter((moment, place) => place === 0 || moment !== sorted[place - 1]);
}

function part(values: Int32Array, at: Int32Array, event: number): Int32Array {
  return values.subarray(at[event], at[event + 1]);
}
