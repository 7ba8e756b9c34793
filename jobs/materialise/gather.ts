/**
 * Reads the records of a build one by one. It gathers the rows of their occurrences, their texts, and the values that containers take from
 * their parts. A row is an occurrence. An event has three numbers: `collectedAt` among the events that are read here, in source order;
 * `spooledAt` for its texts in the spool; and, once the published events are known, its ordinal among these, in the order of their ids.
 */
import { maskOf } from '../../src/calendar/accessibility.ts';
import { formatDay, osloDay } from '../../src/calendar/time.ts';
import { FILTER_COLUMNS } from '../../src/snapshot/filters.ts';
import { EVENT_FLAGS, OCCURRENCE_FLAGS } from '../../src/snapshot/flags.ts';
import type { OccurrenceTexts } from '../../src/snapshot/fragments.ts';
import type { CalendarEvent, EventTexts } from '../calendar.ts';
import { venuesOf } from '../event-dates.ts';
import type { Finding, Reporter } from '../findings.ts';
import type { SearchIndexer } from '../indexes/search.ts';
import type { EventRecord, Records } from '../records.ts';
import type { Allowance } from '../recurrence/allowance.ts';
import type { OwnValues } from '../recurrence/series.ts';
import { createSlugs, type Linked } from '../slugs/links.ts';
import { createDating, type Dated } from './dating.ts';
import { type Directories, type Registers, withParents } from './directories.ts';
import { createProgrammes, type Programmes } from './programmes.ts';
import { createRows, createTextLists, type RowIndexes, type Rows } from './rows.ts';
import type { Spool } from './spool.ts';

export interface GatherOptions {
  /** Instant, whole seconds. */
  readonly now: number;
  /** Last day on which an occurrence of a rule may start, in days since 1970-01-01 (A11). */
  readonly horizonDay: number;
  readonly allowance: Allowance;
  readonly report: Reporter;
}

interface Gathering extends GatherOptions {
  readonly registers: Registers;
  readonly directories: Directories;
  readonly spool: Spool;
  readonly indexer: SearchIndexer;
}

export interface Gathered {
  /** In source order. `collectedAt` is an index of this list. */
  readonly collected: readonly CollectedEvent[];
  readonly rows: Rows;
  readonly programmes: Programmes;
  readonly undated: readonly Undated[];
}

/** An event of the calendar, once its references are known. */
export interface CollectedEvent extends CalendarEvent {
  /** As in the record until then. */
  superEvent: string | null;
  /** Without the special event's until then. */
  flags: number;
  readonly isFeaturedInSpecialEvent: boolean;
  /** The number of its texts in the spool. */
  readonly spooledAt: number;
}

/** The texts of an event whose address is not known yet: corrections may change the municipality of its place. */
export interface SpooledTexts extends Omit<EventTexts, 'link'> {
  readonly named: Linked;
}

/** A container that takes its dates from its programme, once that is known. */
interface Undated extends Pick<EventRecord, 'origin' | 'id'>, Omit<OwnValues, 'prices'> {
  readonly collectedAt: number;
  readonly indexes: RowIndexes;
}

/** Reads all events once. Those that are over are counted and left out. */
export async function gather(records: Records, gathering: Gathering): Promise<Gathered> {
  const { directories, registers, spool, indexer, report } = gathering;
  const datesOf = createDating(gathering);
  const collected: CollectedEvent[] = [];
  const undated: Undated[] = [];
  const rows = createRows();
  const programmes = createProgrammes();
  const slugOf = createSlugs(registers.event);
  for await (const record of records.events()) {
    const { id, super_event: superEvent } = record;
    const dated = datesOf(record);
    const { upcoming, byRule, nextSince, span, isDated } = dated;
    const slug = slugOf(record);
    programmes.add({ id, container: superEvent, span, isDateless: !isDated, isByRule: byRule.size > 0 });
    if (isDated && upcoming.length === 0) {
      reportOver(record, dated, gathering);
      continue;
    }
    if (record.categories.length === 0 && records.categories.length > 0)
      report.addFinding(noCategory(record));
    const placed = addRows(record, { collectedAt: collected.length, dated, rows, directories, report });
    const { lists, venues } = placed;
    if (placed.undated !== null) undated.push(placed.undated);
    const { origin: _, dates: __, series: ___, ...fields } = record;
    const named = { slug, eventLink: record.eventLink, venues: [...venuesOf(record)] };
    const spooledAt = spool.add(JSON.stringify({ fields, named, ...lists } satisfies SpooledTexts));
    const event = collectedOf(record, directories, { slug, nextSince: nextSince(), spooledAt });
    collected.push(event);
    indexer.take(record, event, venues.map(directories.venueOf));
  }
  return { collected, rows, programmes, undated };
}

/** Counts an event that is over. G2: if the event is new, this is also a finding. */
function reportOver(record: EventRecord, { span, nextSince }: Dated, { report, registers }: Gathering): void {
  report.countFate('over');
  if (span === null || registers.event.isKnown(record.id)) return;
  const lastEnd = nextSince() ?? (record.series.length === 0 ? span.end : null);
  report.addFinding(overOf(record, lastEnd));
}

interface Placing extends Pick<Gathering, 'directories' | 'report'> {
  readonly collectedAt: number;
  readonly dated: Dated;
  readonly rows: Rows;
}

interface Placed {
  /** The texts that the rows refer to. */
  readonly lists: OccurrenceTexts;
  /** Ids, each once; null for none. */
  readonly venues: readonly (string | null)[];
  /** For a container without dates; null for any other event. */
  readonly undated: Undated | null;
}

/** Adds the rows of an event's occurrences. */
function addRows(record: EventRecord, { collectedAt, dated, rows, directories, report }: Placing): Placed {
  const { upcoming, numbers, byRule, isDated } = dated;
  const { indexesOf, lists } = createTextLists(record, report);
  for (const [index, occurrence] of upcoming.entries()) {
    rows.add(collectedAt, occurrence, {
      venue: directories.venueOf(occurrence.venue),
      nth: numbers[index] ?? 1,
      ruleFlags: byRule.has(occurrence) ? OCCURRENCE_FLAGS.byRule : 0,
      ...indexesOf(occurrence),
    });
  }
  if (isDated) {
    const venues = [...new Set(upcoming.map(({ venue }) => venue))];
    return { lists, venues, undated: null };
  }
  const { venue, ticketsURL } = record;
  const indexes = {
    venue: directories.venueOf(venue),
    nth: 1,
    ruleFlags: 0,
    ...indexesOf({ ticketsURL, prices: null }),
  };
  return { lists, venues: [venue], undated: undatedOf(record, collectedAt, indexes) };
}

/** G2: the finding about an event without a category, by which readers and programs would find it. */
function noCategory({ origin, id }: EventRecord): Finding {
  const expected = 'at least one category of the licence';
  return { action: 'no category', origin, id, field: 'categories', expected, found: 'none' };
}

/**
 * G2: the finding about a new event that is over: in January, a wrong year is a common mistake. `last`: when its last date was over; null if
 * that was long ago.
 */
export function overOf({ origin, id }: Pick<EventRecord, 'origin' | 'id'>, last: number | null): Finding {
  const found =
    last === null ? 'none in the last 400 days' : `the last one on ${formatDay(osloDay(last - 1))}`;
  return { action: 'over', origin, id, field: 'dates', expected: 'a future date', found };
}

function undatedOf(record: EventRecord, collectedAt: number, indexes: RowIndexes): Undated {
  const { origin, id, venue, ticketsURL, status, eventSoldOut } = record;
  return { origin, id, venue, ticketsURL, status, previousStart: null, eventSoldOut, collectedAt, indexes };
}

/** One literal with every field: objects that are built in steps take twice the memory, and there are many. */
function collectedOf(
  record: EventRecord,
  directories: Directories,
  { slug, nextSince, spooledAt }: Pick<CollectedEvent, 'slug' | 'nextSince' | 'spooledAt'>,
): CollectedEvent {
  const categories = directories.categoriesOf(record.categories);
  return {
    id: record.id,
    slug,
    publishingDate: record.publishingDate,
    flags: flagsOf(record),
    superEvent: record.super_event,
    isFeaturedInSpecialEvent: record.isFeaturedInSpecialEvent,
    organizers: directories.organizersOf(record.organizers),
    categories: withParents(categories, directories.categories),
    ownCategories: new Set(categories).size,
    tags: record.tags,
    accessibility: maskOf(record.accessibility),
    nextSince,
    source: directories.sourceOf(record.feed),
    filterValues: FILTER_COLUMNS.map((column) => column.of(record)),
    spooledAt,
  };
}

/** All flags but the special event's, which needs the licence. */
function flagsOf({ mode, ticketsInformation, isFeaturedEvent, isSuperEvent }: EventRecord): number {
  return (
    (mode === 'online' ? EVENT_FLAGS.online : 0) |
    (isFeaturedEvent ? EVENT_FLAGS.featured : 0) |
    (isSuperEvent ? EVENT_FLAGS.container : 0) |
    (ticketsInformation === 'free' ? EVENT_FLAGS.free : 0)
  );
}
