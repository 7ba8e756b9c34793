/**
 * The columns that a server loads into memory: those of occurrences, which are collected event by event and returned in serving order, and
 * below those that are derived from the finished calendar, so that no server has to.
 */
import { bitOf, isAccessibility, maskOf } from '../src/calendar/accessibility.ts';
import type { Occurrence, OlderDateFields, Organizer, Price, Venue } from '../src/calendar/model.ts';
import { compareCodePoints, compareNorwegian, fold } from '../src/calendar/text.ts';
import { osloDay, osloMinute, overAt, parseMinute } from '../src/calendar/time.ts';
import { setBit, wordsFor } from '../src/snapshot/bitmaps.ts';
import {
  ABSENT,
  type Columns,
  EVENT_FLAGS,
  FLAGS,
  type Flag,
  flagsOfStatus,
  OCCURRENCE_FLAGS,
} from '../src/snapshot/columns.ts';
import type { FilterColumns } from '../src/snapshot/filters/filter.ts';
import { FILTER_COLUMNS } from '../src/snapshot/filters.ts';
import type { OccurrenceTexts } from '../src/snapshot/fragments.ts';
import type { EarlierSlug, Lists } from '../src/snapshot/meta.ts';
import type { Calendar, CalendarEvent, EventRecord, Occurrences, Reporter } from './records.ts';

/** Values of a row that are indexes: ABSENT for no text, -1 for no venue. */
export interface RowIndexes extends TextIndexes {
  readonly venue: number;
  /** A16: the number of an occurrence among those of its event with the same start. */
  readonly nth: number;
  /** Bits of OCCURRENCE_FLAGS that are not from the record. */
  readonly ruleFlags: number;
}

interface TextIndexes {
  readonly ticketsURL: number;
  readonly prices: number;
  readonly olderTexts: number;
}

export type Rows = ReturnType<typeof createRows>;

export function createRows() {
  let size = 0;
  let rows = emptyRows(1024);

  /** Occurrences of one event come in A2's order. `entry` is the event's number until it has an ordinal. */
  function add(entry: number, occurrence: Occurrence, indexes: RowIndexes): void {
    if (size === rows.start.length) rows = grown(rows);
    const { start, end, duration, startTime, allDay, status, eventSoldOut } = occurrence;
    const { venue, nth, ruleFlags, ticketsURL, prices, olderTexts } = indexes;
    rows.start[size] = start;
    rows.end[size] = end;
    rows.over[size] = overAt(start, end);
    rows.event[size] = entry;
    rows.venue[size] = venue;
    rows.startTime[size] = parseMinute(startTime) ?? 0;
    rows.duration[size] = duration ?? -1;
    rows.occurrenceFlags[size] =
      ruleFlags |
      flagsOfStatus(status) |
      (eventSoldOut ? OCCURRENCE_FLAGS.soldOut : 0) |
      (allDay ? OCCURRENCE_FLAGS.allDay : 0);
    rows.previousStart[size] = occurrence.previousStart ?? Number.NaN;
    rows.nth[size] = nth;
    rows.ticketsURL[size] = ticketsURL;
    rows.prices[size] = prices;
    rows.olderTexts[size] = olderTexts;
    size++;
  }

  /** Sorts; `ordinals` has each entry's ordinal. Called once. */
  function finish(ordinals: Int32Array): Occurrences {
    for (let row = 0; row < size; row++) rows.event[row] = ordinals[rows.event[row] ?? -1] ?? -1;
    return inServingOrder(rows, size);
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
    previousStart: new Float64Array(length),
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
function inServingOrder(rows: Occurrences, size: number): Occurrences {
  const { start, event } = rows;
  const order = new Uint32Array(size)
    .map((_, row) => row)
    .sort((a, b) => (start[a] ?? 0) - (start[b] ?? 0) || (event[a] ?? 0) - (event[b] ?? 0) || a - b);
  const ordered = emptyRows(size);
  for (const name of NAMES)
    for (let row = 0; row < size; row++) ordered[name][row] = rows[name][order[row] ?? 0] ?? 0;
  return ordered;
}

const NONE = emptyRows(0);
const isName = (name: string): name is keyof Occurrences => name in NONE;
const NAMES = Object.keys(NONE).filter(isName);

export interface OwnTexts {
  readonly ticketsURL: string | null;
  readonly prices: readonly Price[] | null;
  readonly older?: OlderDateFields | undefined;
}

/** The lists of an event's different texts, and their places. */
export function createTextLists({ origin, id }: EventRecord, report: Reporter) {
  const ticketsURLs: string[] = [];
  const priceLists: (readonly Price[])[] = [];
  const olderTexts: OlderDateFields[] = [];
  const indexes = new Map<string, number>();

  function indexIn<Text>(list: Text[], text: Text | null, field: string): number {
    if (text === null) return ABSENT;
    const key = `${field} ${JSON.stringify(text)}`;
    const existing = indexes.get(key);
    if (existing !== undefined) return existing;
    if (list.length === ABSENT) {
      const expected = `at most ${ABSENT} different values in the dates of one event`;
      report.addFinding({ action: 'changed value', origin, id, field, expected, found: 'more' });
      return ABSENT;
    }
    indexes.set(key, list.length);
    return list.push(text) - 1;
  }

  return {
    lists: { ticketsURLs, priceLists, olderTexts } satisfies OccurrenceTexts,
    indexesOf: ({ ticketsURL, prices, older }: OwnTexts): TextIndexes => ({
      ticketsURL: indexIn(ticketsURLs, ticketsURL, 'dates[].ticketsURL'),
      prices: indexIn(priceLists, prices, 'dates[].prices'),
      olderTexts: indexIn(olderTexts, older ?? null, 'dates[].streamingURL'),
    }),
  };
}

/** Columns, and the short texts that they index. */
export interface ColumnSet {
  readonly columns: Columns;
  readonly filterColumns: FilterColumns;
  readonly lists: Pick<Lists, 'containers' | 'tags' | 'spellings' | 'earlierSlugs'>;
}

/** `now` is the moment of the build. */
export function columnsOf(calendar: Calendar, now: number): ColumnSet {
  const { events, occurrences } = calendar;
  const containers = listOf(new Set(events.flatMap(({ superEvent }) => superEvent ?? [])));
  const { tags, spellings, tagOfSpelling, ofTags } = tagsOf(events);
  const publishing = Float64Array.from(
    events,
    ({ publishingDate }) => publishingDate ?? Number.NEGATIVE_INFINITY,
  );
  const { previousStart, ...kept } = occurrences;
  const given = {
    ...kept,
    ...movedOf(previousStart),
    publishing,
    // E7, I9: known by the comparison with the previous snapshot.
    sequence: new Uint8Array(occurrences.start.length),
    changed: new Int32Array(events.length),
    // H14: of what SQLite makes of the rows, once they are written.
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
    source: Int32Array.from(events, ({ source }) => source),
    container: Int32Array.from(events, ({ superEvent }) => containers.indexOf(superEvent ?? '')),
    ...columnPairs({
      occurrences: gatherPlaces(occurrences.event, events.length),
      // C1: an organizer that is named twice counts once.
      organizers: gatherLists(events, (event) => new Set(event.organizers)),
      categories: gatherLists(events, (event) => event.categories),
      ...ofTags,
    }),
    tagOfSpelling,
    moments: momentsOf(occurrences.over, publishing, now),
    ...calendar.searchIndex,
  };
  const lists = {
    containers: containers.list,
    tags,
    spellings,
    earlierSlugs: earlierSlugsOf(calendar),
  };
  const columns = { ...given, ...rowIndexOf(given, calendar, lists) };
  return { columns, filterColumns: filterColumnsOf(events), lists };
}

/** E12: few dates are moved, so only their rows are listed. */
function movedOf(previousStart: Float64Array): Pick<Columns, 'movedRow' | 'movedFrom'> {
  const rows = Int32Array.from(previousStart.keys()).filter((row) => !Number.isNaN(previousStart[row]));
  return { movedRow: rows, movedFrom: Float64Array.from(rows, (row) => previousStart[row] ?? 0) };
}

function filterColumnsOf(events: readonly CalendarEvent[]): FilterColumns {
  const columns = FILTER_COLUMNS.map(({ name }, index) => {
    const values = Int32Array.from(events, ({ filterValues }) => filterValues[index] ?? 0);
    return [name, values] as const;
  });
  return Object.fromEntries(columns);
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

/** B6: tags are compared in the folded form of search. */
function tagsOf(events: readonly CalendarEvent[]) {
  const spellings = listOf(new Set(events.flatMap(({ tags }) => tags)), inNorwegianOrder);
  const folded = spellings.list.map(fold);
  const tags = listOf(new Set(folded));
  const tagOfSpelling = Int32Array.from(folded, tags.indexOf);
  const spellingsOf = (event: CalendarEvent) => Int32Array.from(event.tags, spellings.indexOf);
  const tagsIn = (event: CalendarEvent) => spellingsOf(event).map((place) => tagOfSpelling[place] ?? -1);
  const ofTags = {
    tags: gatherLists(events, (event) => new Set(tagsIn(event))),
    spellings: gatherLists(events, (event) => new Set(spellingsOf(event).sort())),
  };
  return { tags: tags.list, spellings: spellings.list, tagOfSpelling, ofTags };
}

/** Distinct texts, in byte order by default. The place of any other text is -1. */
function listOf(distinct: Iterable<string>, compare = compareCodePoints) {
  const list = [...distinct].sort(compare);
  const places = new Map(list.map((text, place) => [text, place]));
  return { list, indexOf: (text: string) => places.get(text) ?? -1 };
}

function inNorwegianOrder(left: string, right: string): number {
  return compareNorwegian(left, right) || compareCodePoints(left, right);
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

function momentsOf(over: Float64Array, publishing: Float64Array, now: number): Float64Array<ArrayBuffer> {
  const moments = new Float64Array(over.length + publishing.length + 1).fill(now);
  moments.set(over);
  moments.set(publishing, over.length);
  const sorted = moments.filter((moment) => moment >= now).sort();
  return sorted.filter((moment, place) => place === 0 || moment !== sorted[place - 1]);
}

/** The rows of each entity, and when events are over. */
type IndexNames =
  | 'eventOver'
  | `${'venue' | 'organizer' | 'category' | 'tag' | 'container'}Rows${'' | 'At'}`
  | 'flagRows';

type Given = Omit<Columns, IndexNames>;

function rowIndexOf(
  given: Given,
  { venues, organizers, categories }: Calendar,
  { tags, containers }: ColumnSet['lists'],
): Pick<Columns, IndexNames> {
  const { event, container, publishing } = given;
  const eventOver = new Float64Array(publishing.length).fill(Number.NEGATIVE_INFINITY);
  for (const [row, over] of given.over.entries()) {
    const ordinal = event[row] as number;
    eventOver[ordinal] = Math.max(eventOver[ordinal] as number, over);
  }
  const containerOfRow = event.map((ordinal) => container[ordinal] as number);
  return {
    eventOver,
    ...columnPairs({
      venueRows: gatherPlaces(given.venue, venues.length),
      organizerRows: rowsOfEach(organizers.length, event, given.organizersAt, given.organizers),
      categoryRows: rowsOfEach(categories.length, event, given.categoriesAt, given.categories),
      tagRows: rowsOfEach(tags.length, event, given.tagsAt, given.tags),
      containerRows: gatherPlaces(containerOfRow, containers.length),
    }),
    flagRows: flagRowsOf(given),
  };
}

/** Many short lists in one column: list n is values[at[n]] up to values[at[n + 1]]. */
interface GatheredLists {
  readonly at: Int32Array<ArrayBuffer>;
  readonly values: Int32Array<ArrayBuffer>;
}

type ColumnPairs<Name extends string> = Readonly<Record<Name | `${Name}At`, Int32Array<ArrayBuffer>>>;

/** The columns of lists: `name` with the values, `nameAt` with their beginnings. */
export function columnPairs<Name extends string>(
  lists: Readonly<Record<Name, GatheredLists>>,
): ColumnPairs<Name> {
  const columns = Object.entries<GatheredLists>(lists).flatMap(([name, { at, values }]) => [
    [`${name}At`, at],
    [name, values],
  ]);
  return Object.fromEntries(columns) as ColumnPairs<Name>;
}

function gatherLists(
  events: readonly CalendarEvent[],
  listOf: (event: CalendarEvent) => Iterable<number>,
): GatheredLists {
  return group(events.length, (take) => {
    for (const [place, event] of events.entries()) for (const value of listOf(event)) take(place, value);
  });
}

/** For each of `size` keys, the ascending list of indexes at which `keys` has it; -1 is no key. */
export function gatherPlaces(keys: Int32Array, size: number): GatheredLists {
  return group(size, (take) => {
    for (let place = 0; place < keys.length; place++) {
      const key = keys[place] as number;
      if (key >= 0) take(key, place);
    }
  });
}

/** For each of `size` keys, the list of rows whose event has it among its own values. */
function rowsOfEach(size: number, event: Int32Array, at: Int32Array, values: Int32Array): GatheredLists {
  return group(size, (take) => {
    for (let row = 0; row < event.length; row++) {
      const ordinal = event[row] as number;
      const end = at[ordinal + 1] as number;
      for (let place = at[ordinal] as number; place < end; place++) take(values[place] as number, row);
    }
  });
}

/** A list for each key, of the values that `each` passes with it, in that order. `each` is called twice. */
export function group(
  size: number,
  each: (take: (key: number, value: number) => void) => void,
): GatheredLists {
  const at = new Int32Array(size + 1);
  each((key) => {
    at[key + 1] = (at[key + 1] as number) + 1;
  });
  for (let key = 0; key < size; key++) at[key + 1] = (at[key + 1] as number) + (at[key] as number);
  const next = at.slice();
  const values = new Int32Array(at[size] as number);
  each((key, value) => {
    const place = next[key] as number;
    values[place] = value;
    next[key] = place + 1;
  });
  return { at, values };
}

function flagRowsOf({ event, eventFlags, occurrenceFlags, accessibility }: Given): Uint32Array<ArrayBuffer> {
  const words = wordsFor(event.length);
  const rows = new Uint32Array(FLAGS.length * words);
  const ofEvents = event.map((ordinal) => eventFlags[ordinal] as number);
  for (const [place, flag] of FLAGS.entries()) {
    const ofFlag = rows.subarray(place * words, (place + 1) * words);
    const [mask, flags] = isAccessibility(flag)
      ? [bitOf(flag), accessibility]
      : isOfEvent(flag)
        ? [EVENT_FLAGS[flag], ofEvents]
        : [OCCURRENCE_FLAGS[flag], occurrenceFlags];
    for (let row = 0; row < event.length; row++) {
      if (((flags[row] as number) & mask) !== 0) setBit(ofFlag, row);
    }
  }
  return rows;
}

function isOfEvent(flag: Flag): flag is keyof typeof EVENT_FLAGS {
  return flag in EVENT_FLAGS;
}
