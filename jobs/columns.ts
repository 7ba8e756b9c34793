/**
 * The columns that a server loads into memory: those of occurrences, which are collected event by event and returned in serving order, and
 * below those that are derived from the finished calendar.
 */
import { maskOf } from '../src/calendar/accessibility.ts';
import type { Occurrence, OlderDateFields, Organizer, Price, Venue } from '../src/calendar/model.ts';
import { compareCodePoints, compareNorwegian, fold } from '../src/calendar/text.ts';
import { osloDay, osloMinute, overAt, parseMinute } from '../src/calendar/time.ts';
import { ABSENT, type Columns, OCCURRENCE_FLAGS } from '../src/snapshot/columns.ts';
import type { OccurrenceTexts } from '../src/snapshot/fragments.ts';
import type { Counts, EarlierSlug, Lists } from '../src/snapshot/meta.ts';
import { type GatheredLists, gatherPlaces, rowIndexOf } from './columns/row-index.ts';
import type { Calendar, CalendarEvent, EventRecord, Occurrences, Reporter } from './records.ts';

/** Values of a row that are indexes: ABSENT for no text, -1 for no venue. */
export interface RowPlaces extends TextPlaces {
  readonly venue: number;
  /** A16, ids of occurrences. */
  readonly nth: number;
  /** Bits of OCCURRENCE_FLAGS that are not from the record. */
  readonly ruleFlags: number;
}

/** Indexes into the event's own lists. */
interface TextPlaces {
  readonly ticketsURL: number;
  readonly prices: number;
  readonly olderTexts: number;
}

export interface Rows {
  /** Occurrences of one event come in A2's order. `entry` is the event's number until it has an ordinal. */
  readonly add: (entry: number, occurrence: Occurrence, places: RowPlaces) => void;
  /** Sorts; `ordinals` has each entry's ordinal. Called once. */
  readonly finish: (ordinals: Int32Array) => Occurrences;
}

export function createRows(): Rows {
  let size = 0;
  let rows = emptyRows(1024);

  function add(entry: number, occurrence: Occurrence, places: RowPlaces): void {
    if (size === rows.start.length) rows = grown(rows);
    const { start, end, duration, startTime, allDay, eventCancelled, eventSoldOut } = occurrence;
    const { venue, nth, ruleFlags, ticketsURL, prices, olderTexts } = places;
    rows.start[size] = start;
    rows.end[size] = end;
    rows.over[size] = overAt(start, end);
    rows.event[size] = entry;
    rows.venue[size] = venue;
    rows.startTime[size] = parseMinute(startTime) ?? 0;
    rows.duration[size] = duration ?? -1;
    rows.occurrenceFlags[size] =
      ruleFlags |
      (eventCancelled ? OCCURRENCE_FLAGS.cancelled : 0) |
      (eventSoldOut ? OCCURRENCE_FLAGS.soldOut : 0) |
      (allDay ? OCCURRENCE_FLAGS.allDay : 0);
    rows.nth[size] = nth;
    rows.ticketsURL[size] = ticketsURL;
    rows.prices[size] = prices;
    rows.olderTexts[size] = olderTexts;
    size++;
  }

  function finish(ordinals: Int32Array): Occurrences {
    for (let row = 0; row < size; row++) rows.event[row] = ordinals[rows.event[row] ?? -1] ?? -1;
    return inOrder(rows, servingOrder(rows, size));
  }

  return { add, finish };
}

function emptyRows(length: number): Occurrences {
  return {
    start: new Float64Array(length),
    end: new Float64Array(length),
    over: new Float64Array(length),
    event: new Int32Array(length),
    venue: new Int32Array(length),
    startTime: new Uint16Array(length),
    duration: new Int32Array(length),
    occurrenceFlags: new Uint8Array(length),
    nth: new Int32Array(length),
    ticketsURL: new Uint16Array(length),
    prices: new Uint16Array(length),
    olderTexts: new Uint16Array(length),
  };
}

function grown(rows: Occurrences): Occurrences {
  const larger = emptyRows(rows.start.length * 2);
  for (const name of NAMES) larger[name].set(rows[name]);
  return larger;
}

/** By start, then event; equals are already in A2's order, and stay in it. */
function servingOrder({ start, event }: Occurrences, size: number): Uint32Array {
  const order = new Uint32Array(size);
  for (let row = 0; row < size; row++) order[row] = row;
  return order.sort(
    (a, b) => (start[a] ?? 0) - (start[b] ?? 0) || (event[a] ?? 0) - (event[b] ?? 0) || a - b,
  );
}

function inOrder(rows: Occurrences, order: Uint32Array): Occurrences {
  const ordered = emptyRows(order.length);
  for (const name of NAMES) {
    const from = rows[name];
    const to = ordered[name];
    for (let row = 0; row < order.length; row++) to[row] = from[order[row] ?? 0] ?? 0;
  }
  return ordered;
}

const NONE = emptyRows(0);
const isName = (name: string): name is keyof Occurrences => name in NONE;
const NAMES = Object.keys(NONE).filter(isName);

interface TextLists {
  readonly lists: OccurrenceTexts;
  readonly placesOf: (texts: OwnTexts) => TextPlaces;
}

interface OwnTexts {
  readonly ticketsURL: string | null;
  readonly prices: readonly Price[] | null;
  readonly older?: OlderDateFields | undefined;
}

export function createTextLists({ origin, id }: EventRecord, report: Reporter): TextLists {
  const ticketsURLs: string[] = [];
  const priceLists: (readonly Price[])[] = [];
  const olderTexts: OlderDateFields[] = [];
  const places = new Map<string, number>();

  function placeIn<Text>(list: Text[], text: Text | null, field: string): number {
    if (text === null) return ABSENT;
    const key = `${field} ${JSON.stringify(text)}`;
    const known = places.get(key);
    if (known !== undefined) return known;
    if (list.length === ABSENT) {
      const expected = `at most ${ABSENT} different values in the dates of one event`;
      report.addFinding({ action: 'changed value', origin, id, field, expected, found: 'more' });
      return ABSENT;
    }
    places.set(key, list.length);
    return list.push(text) - 1;
  }

  return {
    lists: { ticketsURLs, priceLists, olderTexts },
    placesOf: ({ ticketsURL, prices, older }) => ({
      ticketsURL: placeIn(ticketsURLs, ticketsURL, 'dates[].ticketsURL'),
      prices: placeIn(priceLists, prices, 'dates[].prices'),
      olderTexts: placeIn(olderTexts, older ?? null, 'dates[].streamingURL'),
    }),
  };
}

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
    // I9, small subscriptions, E: known by the comparison with the previous snapshot.
    sequence: new Uint8Array(occurrences.start.length),
    changed: new Int32Array(events.length),
    // H14, damage while it is served: of what SQLite makes of the rows, once they are written.
    bodyCheck: new Uint32Array(),
    nameCheck: new Uint32Array(),
    textCheck: new Uint32Array(),
    keyHash: new Float64Array(),
    keyCheck: new Uint32Array(),
    keyEvent: new Int32Array(),
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

/** B6, tags and municipalities: tags are compared in the folded form of search. */
function tagsOf(events: readonly CalendarEvent[]) {
  const spellings = listOf(new Set(events.flatMap(({ tags }) => tags)), inNorwegianOrder);
  const folded = spellings.list.map(fold);
  const tags = listOf(new Set(folded));
  const tagOfSpelling = Int32Array.from(folded, tags.placeOf);
  const spellingsOf = (event: CalendarEvent) => Int32Array.from(event.tags, spellings.placeOf);
  const tagsIn = (event: CalendarEvent) => spellingsOf(event).map((place) => tagOfSpelling[place] ?? -1);
  return {
    tags: tags.list,
    tagged: gatherLists(events, (event) => new Set(tagsIn(event))),
    spellings: spellings.list,
    spelled: gatherLists(events, (event) => new Set(spellingsOf(event).sort())),
    tagOfSpelling,
  };
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
