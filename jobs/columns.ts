/** The columns that a server loads into memory, from the finished calendar, and the columns derived from them. */
import { maskOf } from '../src/calendar/accessibility.ts';
import type { Organizer, Venue } from '../src/calendar/model.ts';
import { compareCodePoints, compareNorwegian, fold } from '../src/calendar/text.ts';
import { osloDay, osloMinute } from '../src/calendar/time.ts';
import type { Columns } from '../src/snapshot/columns.ts';
import { type Counts, type EarlierSlug, type Lists, sizesOf } from '../src/snapshot/meta.ts';
import { type GatheredLists, gatherPlaces, rowIndexOf, windowsOf } from './columns/row-index.ts';
import type { Calendar, CalendarEvent, Occurrences } from './records.ts';

/** All that columnsOf derives from a calendar. Counts are made while they are read: there may be a million of them. */
export interface ColumnSet {
  readonly columns: Columns;
  readonly lists: Lists;
  /** By kind (total, venue, organizer, category), then ordinal, then time. */
  readonly facetCounts: Iterable<FacetCount>;
}

/** The number of nodes of the unfiltered `events`, in total or with an entity, in a period. Periods with none are omitted. */
export interface FacetCount {
  /** 0 for the total, 1 for a venue, 2 for an organizer, 3 for a category. */
  readonly kind: number;
  /** Its ordinal; 0 for the total. */
  readonly entity: number;
  readonly since: number;
  /** Exclusive. */
  readonly until: number;
  readonly hits: number;
}

/** `now` is the moment of the build: no request concerns a time before it. */
export function columnsOf(calendar: Calendar, now: number): ColumnSet {
  const { events, occurrences } = calendar;
  const containers = listOf(new Set(events.flatMap(({ superEvent }) => superEvent ?? [])));
  const { tags, tagged, spellings, spelled, tagOfSpelling } = tagsOf(events);
  const rows = gatherPlaces(occurrences.event, events.length);
  // C1: an organizer that is named twice counts once.
  const organizers = gatherLists(events, (event) => new Set(event.organizers));
  const categories = gatherLists(events, (event) => event.categories);
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
    // I9: counted in the comparison with the previous snapshot.
    sequence: new Uint8Array(occurrences.start.length),
    nextSince: Float64Array.from(events, ({ nextSince }) => nextSince ?? Number.NEGATIVE_INFINITY),
    day,
    minute: Uint16Array.from(occurrences.start, osloMinute),
    eventFlags: Uint8Array.from(events, ({ flags }) => flags),
    accessibility: accessibilityOf(calendar),
    container: Int32Array.from(events, ({ superEvent }) => containers.placeOf(superEvent ?? '')),
    tagsAt: tagged.at,
    tags: tagged.values,
    spellingsAt: spelled.at,
    spellings: spelled.values,
    tagOfSpelling,
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
    tags,
    spellings,
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

/** B6: tags are compared in the folded form of search. Few tags are on many events: each is looked up once, then it is a number. */
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

/** E6: the features of each row's event and venue. By events apart: looking up a million of them is slow. */
function accessibilityOf({ events, venues, occurrences }: Calendar): Uint8Array<ArrayBuffer> {
  const ofVenues = venues.map(({ accessibility }) => maskOf(accessibility));
  const ofEvents = Uint8Array.from(events, ({ accessibility }) => accessibility);
  const { event, venue } = occurrences;
  return new Uint8Array(event.length).map(
    (_, row) => (ofEvents[event[row] ?? -1] ?? 0) | (ofVenues[venue[row] ?? -1] ?? 0),
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
  const moments = new Float64Array(over.length + publishing.length + 1).fill(now);
  moments.set(over);
  moments.set(publishing, over.length);
  const sorted = moments.filter((moment) => moment >= now).sort();
  return sorted.filter((moment, place) => place === 0 || moment !== sorted[place - 1]);
}

type Changes = Pick<Columns, 'changeAt' | 'changeOf' | 'changeBy'>;

/** The columns that the changes are computed from. */
type Shown = Pick<
  Columns,
  | 'over'
  | 'predecessorsOver'
  | 'venue'
  | 'publishing'
  | 'occurrencesAt'
  | 'occurrences'
  | 'organizersAt'
  | 'organizers'
  | 'categoriesAt'
  | 'categories'
>;

/**
 * The number of nodes of the unfiltered `events`, in total and for each entity, at every moment from the build on (C1, C2): the counts at
 * the build, and their changes. An event has one node from its publication (A9) until its last occurrence is over; only its venue may
 * change meanwhile (A4).
 */
function changesOf(calendar: Calendar, shown: Shown, now: number): Changes {
  const firstVenue = 1;
  const firstOrganizer = firstVenue + calendar.venues.length;
  const firstCategory = firstOrganizer + calendar.organizers.length;
  const changes = createChanges(firstCategory + calendar.categories.length);
  for (const event of calendar.events.keys()) {
    const stays = staysOf(shown, event, now);
    const [first, last] = [stays[0], stays.at(-1)];
    if (first === undefined || last === undefined) continue;
    const [since, until] = [changes.moment(first.since), changes.moment(last.until)];
    changes.add(0, since, until);
    for (const organizer of part(shown.organizers, shown.organizersAt, event))
      changes.add(firstOrganizer + organizer, since, until);
    for (const category of part(shown.categories, shown.categoriesAt, event))
      changes.add(firstCategory + category, since, until);
    for (const stay of stays) {
      if (stay.venue === -1) continue;
      changes.add(firstVenue + stay.venue, changes.moment(stay.since), changes.moment(stay.until));
    }
  }
  return changes.finish();
}

/** A period in which an event's node is at one venue. */
interface Stay {
  readonly venue: number;
  readonly since: number;
  readonly until: number;
}

/** Consecutive periods without gaps, from the build on: each occurrence is shown once those before it are over. */
function staysOf(shown: Shown, event: number, now: number): readonly Stay[] {
  const stays: Stay[] = [];
  const exists = Math.max(now, shown.publishing[event] ?? now);
  for (const row of part(shown.occurrences, shown.occurrencesAt, event)) {
    const since = Math.max(exists, shown.predecessorsOver[row] ?? exists);
    const until = shown.over[row] ?? since;
    if (since >= until) continue;
    const venue = shown.venue[row] ?? -1;
    const before = stays.at(-1);
    if (before?.venue === venue) stays[stays.length - 1] = { ...before, until };
    else stays.push({ venue, since, until });
  }
  return stays;
}

function part(values: Int32Array, at: Int32Array, event: number): Int32Array {
  return values.subarray(at[event], at[event + 1]);
}

/** Collects changes and merges those of one moment and entity; changes that cancel out are dropped. */
function createChanges(entities: number) {
  /** Each moment once, with its index: there are ten changes at each. */
  const places = new Map<number, number>();
  /** One number a change: the index of its moment, its entity, and in the last bit whether it begins. */
  const codes: number[] = [];

  function moment(time: number): number {
    const known = places.get(time);
    if (known !== undefined) return known;
    places.set(time, places.size);
    return places.size - 1;
  }

  function add(entity: number, since: number, until: number): void {
    codes.push((since * entities + entity) * 2 + 1, (until * entities + entity) * 2);
  }

  return { moment, add, finish: () => mergeChanges({ places, codes, entities }) };
}

interface Gathered {
  readonly places: ReadonlyMap<number, number>;
  readonly codes: readonly number[];
  readonly entities: number;
}

function mergeChanges({ places, codes, entities }: Gathered): Changes {
  const times = Float64Array.from(places.keys()).sort();
  const rankOf = new Int32Array(times.length);
  for (const [rank, time] of times.entries()) rankOf[places.get(time) ?? 0] = rank;
  // One number contains moment and code, so that the engine's own sort of numbers applies: many times faster than a comparison.
  const width = entities * 2;
  const keys = Float64Array.from(
    codes,
    (code) => (rankOf[Math.floor(code / width)] ?? 0) * width + (code % width),
  );
  keys.sort();
  // Half as wide where they fit: four bytes hold instants from 1970 to 2106.
  const isNear = (times[0] ?? 0) >= 0 && (times.at(-1) ?? 0) < 2 ** 32;
  const changeAt = new (isNear ? Uint32Array : Float64Array)(keys.length);
  const changeOf = new (entities <= 2 ** 16 ? Uint16Array : Int32Array)(keys.length);
  const changeBy = new Int32Array(keys.length);
  let size = 0;
  for (let step = 0; step < keys.length; ) {
    const pair = Math.floor((keys[step] ?? 0) / 2);
    let by = 0;
    for (; Math.floor((keys[step] ?? -1) / 2) === pair; step++) by += (keys[step] ?? 0) % 2 === 1 ? 1 : -1;
    if (by === 0) continue;
    changeAt[size] = times[Math.floor(pair / entities)] ?? 0;
    changeOf[size] = pair % entities;
    changeBy[size] = by;
    size++;
  }
  return {
    changeAt: changeAt.slice(0, size),
    changeOf: changeOf.slice(0, size),
    changeBy: changeBy.slice(0, size),
  };
}

/** The same as periods, for people. */
function* facetCountsOf(
  { venues, organizers, categories }: Calendar,
  { changeAt, changeOf, changeBy }: Changes,
): Generator<FacetCount> {
  const sizes = [1, venues.length, organizers.length, categories.length];
  const { at, values: changes } = gatherPlaces(
    changeOf,
    sizes.reduce((sum, size) => sum + size, 0),
  );
  let first = 0;
  for (const [kind, size] of sizes.entries()) {
    for (let entity = 0; entity < size; entity++) {
      let hits = 0;
      const end = at[first + entity + 1] ?? 0;
      for (let place = at[first + entity] ?? 0; place < end; place++) {
        const change = changes[place] ?? 0;
        hits += changeBy[change] ?? 0;
        if (hits === 0) continue;
        const [since, until] = [changeAt[change] ?? 0, changeAt[changes[place + 1] ?? 0] ?? 0];
        yield { kind, entity, since, until, hits };
      }
    }
    first += size;
  }
}
