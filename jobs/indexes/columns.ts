/** The columns that a server loads into memory: those of occurrences, and those that a build derives so that no server has to. */
import { maskOf } from '../../src/calendar/accessibility.ts';
import type { Organizer, Venue } from '../../src/calendar/model.ts';
import { compareCodePoints, compareNorwegian, fold } from '../../src/calendar/text.ts';
import { osloDay, osloMinute } from '../../src/calendar/time.ts';
import type { Columns } from '../../src/snapshot/columns.ts';
import type { FilterColumns } from '../../src/snapshot/filters/filter.ts';
import { FILTER_COLUMNS } from '../../src/snapshot/filters.ts';
import type { EarlierSlug, Lists } from '../../src/snapshot/lists.ts';
import type { Calendar, CalendarEvent } from '../calendar.ts';
import { rowIndexOf } from './row-index.ts';
import { columnPairs, groupByKey, indexesByKey, type ShortLists } from './short-lists.ts';

/** Columns, and the short texts that they index. */
export interface ColumnSet {
  /** All but the checks. `sequence` and `changed` are placeholders until `ComparedBuild.columns` replaces them (E7, I9). */
  readonly columns: Omit<Columns, keyof Checks>;
  readonly filterColumns: FilterColumns;
  readonly lists: Pick<Lists, 'containers' | 'tags' | 'spellings' | 'earlierSlugs'>;
}

/** H14: the columns that are computed from the rows that SQLite has written, so that they are known last. */
export type Checks = Pick<
  Columns,
  'bodyCheck' | 'nameCheck' | 'textCheck' | 'keyHash' | 'keyCheck' | 'keyEvent'
>;

/** The columns of a finished calendar. `now`: instant of the build. */
export function columnsOf(calendar: Calendar, now: number): ColumnSet {
  const { events, occurrences } = calendar;
  const containers = sortedTexts(new Set(events.flatMap(({ superEvent }) => superEvent ?? [])));
  const { tags, spellings, tagOfSpelling, tagLists } = tagsOf(events);
  const publishing = Float64Array.from(
    events,
    ({ publishingDate }) => publishingDate ?? Number.NEGATIVE_INFINITY,
  );
  const { previousStart, ...occurrenceColumns } = occurrences;
  const ownColumns = {
    ...occurrenceColumns,
    ...movedOf(previousStart),
    publishing,
    // E7, I9: placeholders.
    sequence: new Uint8Array(occurrences.start.length),
    changed: new Int32Array(events.length),
    nextSince: Float64Array.from(events, ({ nextSince }) => nextSince ?? Number.NEGATIVE_INFINITY),
    day: Int32Array.from(occurrences.start, osloDay),
    minute: Uint16Array.from(occurrences.start, osloMinute),
    eventFlags: Uint8Array.from(events, ({ flags }) => flags),
    accessibility: accessibilityOf(calendar),
    source: Int32Array.from(events, ({ source }) => source),
    container: Int32Array.from(events, ({ superEvent }) => containers.indexOf(superEvent ?? '')),
    ...columnPairs({
      occurrences: indexesByKey(occurrences.event, events.length),
      // C1: an organizer that is named twice counts once.
      organizers: listsOfEvents(events, (event) => new Set(event.organizers)),
      categories: listsOfEvents(events, (event) => event.categories),
      ...tagLists,
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
  const columns = { ...ownColumns, ...rowIndexOf(ownColumns, calendar, lists) };
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
    const ordinals = new Map(entities.map(({ id }, ordinal) => [id, ordinal]));
    const survivors = new Map(merged.map(({ id, survivor }) => [id, survivor]));
    return owned.flatMap(({ slug, id }) => {
      const ordinal = ordinals.get(survivors.get(id) ?? id);
      const isFormer = ordinal !== undefined && entities[ordinal]?.slug !== slug;
      return isFormer ? { kind, slug, ordinal } : [];
    });
  };
  return [...ofKind('venue', venues), ...ofKind('organizer', organizers)];
}

/** B6: tags are compared in the folded form of search. */
function tagsOf(events: readonly CalendarEvent[]) {
  const spellings = sortedTexts(new Set(events.flatMap(({ tags }) => tags)), inNorwegianOrder);
  const folded = spellings.list.map(fold);
  const tags = sortedTexts(new Set(folded));
  const tagOfSpelling = Int32Array.from(folded, tags.indexOf);
  const spellingsOf = (event: CalendarEvent) => Int32Array.from(event.tags, spellings.indexOf);
  const tagsIn = (event: CalendarEvent) =>
    spellingsOf(event).map((spelling) => tagOfSpelling[spelling] ?? -1);
  const tagLists = {
    tags: listsOfEvents(events, (event) => new Set(tagsIn(event))),
    spellings: listsOfEvents(events, (event) => new Set(spellingsOf(event).sort())),
  };
  return { tags: tags.list, spellings: spellings.list, tagOfSpelling, tagLists };
}

/** Distinct texts, in byte order by default. The index of any other text is -1. */
function sortedTexts(distinct: Iterable<string>, compare = compareCodePoints) {
  const list = [...distinct].sort(compare);
  const indexes = new Map(list.map((text, index) => [text, index]));
  return { list, indexOf: (text: string) => indexes.get(text) ?? -1 };
}

function inNorwegianOrder(left: string, right: string): number {
  return compareNorwegian(left, right) || compareCodePoints(left, right);
}

/** E6: the features of each row's event and venue, as bits. Those of events are copied first: looking up a million objects is slow. */
function accessibilityOf({ events, venues, occurrences }: Calendar): Uint8Array<ArrayBuffer> {
  const ofVenues = venues.map(({ accessibility }) => maskOf(accessibility));
  const ofEvents = Uint8Array.from(events, ({ accessibility }) => accessibility);
  const { event, venue } = occurrences;
  return new Uint8Array(event.length).map(
    (_, row) => (ofEvents[event[row] ?? -1] ?? 0) | (ofVenues[venue[row] ?? -1] ?? 0),
  );
}

/** The instants from now on at which an occurrence is over or an event becomes public: ascending, each once. */
function momentsOf(over: Float64Array, publishing: Float64Array, now: number): Float64Array<ArrayBuffer> {
  const moments = new Float64Array(over.length + publishing.length + 1).fill(now);
  moments.set(over);
  moments.set(publishing, over.length);
  const sorted = moments.filter((moment) => moment >= now).sort();
  return sorted.filter((moment, index) => index === 0 || moment !== sorted[index - 1]);
}

/** A list of numbers for each event. */
function listsOfEvents(
  events: readonly CalendarEvent[],
  listOf: (event: CalendarEvent) => Iterable<number>,
): ShortLists {
  return groupByKey(events.length, (take) => {
    for (const [ordinal, event] of events.entries()) {
      for (const value of listOf(event)) take(ordinal, value);
    }
  });
}
