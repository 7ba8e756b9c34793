/**
 * Turns validated records into the finished calendar: slugs and links (F6), occurrences (F4, A11, A12), containers (A10), and the order of
 * everything. Occurrences that are over at the build are left out; slugs and containers still count them, so that they do not depend on
 * when the build runs. Records pass through one by one; little more than their ids stays in memory.
 */

import { maskOf } from '../src/calendar/accessibility.ts';
import type { Occurrence } from '../src/calendar/model.ts';
import { compareCodePoints } from '../src/calendar/text.ts';
import { formatDay, osloDay, overAt } from '../src/calendar/time.ts';
import { FILTER_COLUMNS } from '../src/snapshot/filters.ts';
import { EVENT_FLAGS, OCCURRENCE_FLAGS } from '../src/snapshot/flags.ts';
import { createDating } from './materialise/dating.ts';
import {
  type Directories,
  orderDirectories,
  type Registers,
  withParents,
} from './materialise/directories.ts';
import { containerOccurrence, createProgrammes, type Programmes } from './materialise/programmes.ts';
import {
  createRows,
  createTextLists,
  type OwnTexts,
  type RowIndexes,
  type Rows,
} from './materialise/rows.ts';
import { openSpool, type Spool } from './materialise/spool.ts';
import type {
  Calendar,
  CalendarEvent,
  EventRecord,
  EventTexts,
  Finding,
  Records,
  Reporter,
  SlugKind,
  SlugLedger,
} from './records.ts';
import type { Allowance } from './recurrence/allowance.ts';
import type { OwnValues } from './recurrence/series.ts';
import { createSearchIndexer, type SearchIndexer } from './search.ts';
import { createLinks, createSlugRegister, type PreviousSlugs } from './slug-ledger.ts';

interface MaterialiseOptions {
  /** Instant, whole seconds. */
  readonly now: number;
  /** Last day on which an occurrence of a rule may start, in days since 1970-01-01 (A11). */
  readonly horizonDay: number;
  readonly allowance: Allowance;
  readonly report: Reporter;
  /** A17: the slugs of the previous snapshot. */
  readonly slugs: PreviousSlugs;
  /** Path of a file that stores the texts until `read`. It must not exist; it is unlinked at once. */
  readonly scratch: string;
}

export async function materialise(records: Records, options: MaterialiseOptions): Promise<Calendar> {
  const registers = registersOf(options);
  const directories = orderDirectories(records, registers);
  const spool = openSpool(options.scratch);
  const indexer = createSearchIndexer(directories);
  try {
    const gathered = await gather(records, { ...options, registers, directories, spool, indexer });
    const empty = placeContainers(gathered, { ...options, registers });
    const { superEvent, specialEvent } = records.references();
    const hasSpecialEvent = specialEvent !== null;
    const ordered = inOrder(gathered.entries, empty);
    const events = ordered.flatMap((entry) => gathered.entries[entry] ?? []);
    for (const event of events) {
      event.superEvent = superEvent({ id: event.id, super_event: event.superEvent });
      if (hasSpecialEvent && event.isFeaturedInSpecialEvent)
        event.flags |= EVENT_FLAGS.featuredInSpecialEvent;
    }
    const ordinals = new Int32Array(gathered.entries.length).fill(-1);
    for (const [ordinal, entry] of ordered.entries()) ordinals[entry] = ordinal;
    return {
      licence: { ...records.licence, specialEvent },
      venues: directories.venues,
      organizers: directories.organizers,
      sources: records.sources ?? [],
      categories: records.categories,
      horizonDay: formatDay(options.horizonDay),
      events,
      occurrences: gathered.rows.finish(ordinals),
      slugs: ledgerOf(records, registers, { ...directories, events }),
      read: createReader(events, spool),
      searchIndex: indexer.finish(ordinals),
      close: spool.close,
    };
  } catch (thrown) {
    spool.close();
    throw thrown;
  }
}

function registersOf({ slugs: previous, now, report }: MaterialiseOptions): Registers {
  const registerOf = (kind: SlugKind) => createSlugRegister({ kind, previous, now, report });
  return { event: registerOf('event'), venue: registerOf('venue'), organizer: registerOf('organizer') };
}

/** A17: the slugs for the next build, once it is known which ids this one publishes. */
function ledgerOf(
  records: Records,
  registers: Registers,
  { events, venues, organizers }: Pick<Calendar, 'events' | 'venues' | 'organizers'>,
): SlugLedger {
  for (const { kind, id, survivor } of records.merged?.() ?? []) registers[kind].merge(id, survivor);
  return {
    event: registers.event.finish(new Set(events.map(({ id }) => id))),
    venue: registers.venue.finish(new Set(venues.map(({ id }) => id))),
    organizer: registers.organizer.finish(new Set(organizers.map(({ id }) => id))),
  };
}

/** A10. Returns the entries without an occurrence that is not over. */
function placeContainers(
  { undated, programmes, rows }: Gathered,
  { now, report, registers }: MaterialiseOptions & Pick<Gathering, 'registers'>,
): ReadonlySet<number> {
  const empty = new Set<number>();
  for (const container of undated) {
    const { origin, id, entry, indexes } = container;
    const span = programmes.spanOf(id);
    if (span === null) {
      const expected = 'a container with dates, or with a programme that has dates';
      report.addFinding({ action: 'dropped record', origin, id, field: 'dates', expected, found: 'neither' });
    }
    if (span === null || overAt(span.start, span.end) <= now) {
      empty.add(entry);
      report.countFate(span === null ? 'dropped' : 'over');
      if (span !== null && !registers.event.isKnown(id)) report.addFinding(overOf(container, span.end));
    } else {
      const ruleFlags = span.byRule ? OCCURRENCE_FLAGS.endsByRule : 0;
      rows.add(entry, containerOccurrence(span, container), { ...indexes, ruleFlags });
    }
  }
  return empty;
}

function inOrder(entries: readonly CollectedEvent[], empty: ReadonlySet<number>): readonly number[] {
  const ids = entries.map(({ id }) => id);
  return [...entries.keys()]
    .filter((entry) => !empty.has(entry))
    .sort((left, right) => compareCodePoints(ids[left] ?? '', ids[right] ?? ''));
}

/** A separate function, so that its closure holds only what it needs. */
function createReader(events: readonly CollectedEvent[], spool: Spool): Calendar['read'] {
  return (ordinal) => {
    const event = events[ordinal];
    if (event === undefined)
      throw new RangeError(`expected an event ordinal below ${events.length}, found ${ordinal}`);
    return JSON.parse(spool.read(event.texts));
  };
}

interface Gathering extends MaterialiseOptions {
  readonly registers: Registers;
  readonly directories: Directories;
  readonly spool: Spool;
  readonly indexer: SearchIndexer;
}

interface Gathered {
  /** In source order. An entry's number is its index here. */
  readonly entries: readonly CollectedEvent[];
  readonly rows: Rows;
  readonly programmes: Programmes;
  readonly undated: readonly Undated[];
}

/** An event of the calendar, once its references are known. */
interface CollectedEvent extends CalendarEvent {
  /** Until then as in the record. */
  superEvent: string | null;
  /** Until then without the special event's. */
  flags: number;
  readonly isFeaturedInSpecialEvent: boolean;
  /** The number of its texts in the spool. */
  readonly texts: number;
}

/** A container that takes its dates from its programme, once that is known. */
interface Undated extends Pick<EventRecord, 'origin' | 'id'>, Omit<OwnValues, 'prices'> {
  readonly entry: number;
  readonly indexes: RowIndexes;
}

async function gather(records: Records, gathering: Gathering): Promise<Gathered> {
  const { directories, registers, spool, indexer, report } = gathering;
  const date = createDating(gathering);
  const entries: CollectedEvent[] = [];
  const undated: Undated[] = [];
  const rows = createRows();
  const programmes = createProgrammes();
  const linkOf = createLinks(records.licence.siteUrl, registers.event);
  for await (const record of records.events()) {
    const { id, super_event: superEvent } = record;
    const dated = date(record);
    const { upcoming, byRule, nextSince, span, isDated } = dated;
    const link = linkOf(record);
    programmes.add({ id, container: superEvent, span, isDateless: !isDated, byRule: byRule.size > 0 });
    if (isDated && upcoming.length === 0) {
      report.countFate('over');
      if (span !== null && !registers.event.isKnown(id))
        report.addFinding(overOf(record, nextSince() ?? (record.series.length === 0 ? span.end : null)));
      continue;
    }
    if (record.categories.length === 0 && records.categories.length > 0)
      report.addFinding(noCategory(record));
    const {
      lists,
      venues,
      undated: container,
    } = addRows(record, {
      entry: entries.length,
      dated,
      rows,
      directories,
      report,
    });
    if (container !== null) undated.push(container);
    const { origin: _, dates: __, series: ___, ...fields } = record;
    const texts = spool.add(JSON.stringify({ fields, link, ...lists } satisfies EventTexts));
    const event = entryOf(record, directories, { slug: link.slug, nextSince: nextSince(), texts });
    entries.push(event);
    indexer.take(record, event, venues.map(directories.venueOf));
  }
  return { entries, rows, programmes, undated };
}

interface Placing extends Pick<Gathering, 'directories' | 'report'> {
  readonly entry: number;
  readonly dated: ReturnType<ReturnType<typeof createDating>>;
  readonly rows: Rows;
}

/** Adds the rows of an event's occurrences, and returns the lists of texts that they refer to. `undated`: for a container without dates. */
function addRows(record: EventRecord, { entry, dated, rows, directories, report }: Placing) {
  const { upcoming, numbers, byRule, isDated } = dated;
  const { indexesOf, lists } = createTextLists(record, report);
  const indexesOfRow = (
    of: OwnTexts & Pick<Occurrence, 'venue'>,
    nth: number,
    isByRule: boolean,
  ): RowIndexes => ({
    venue: directories.venueOf(of.venue),
    nth,
    ruleFlags: isByRule ? OCCURRENCE_FLAGS.byRule : 0,
    ...indexesOf(of),
  });
  for (const [index, one] of upcoming.entries())
    rows.add(entry, one, indexesOfRow(one, numbers[index] ?? 1, byRule.has(one)));
  if (isDated) {
    const venues = [...new Set(upcoming.map(({ venue }) => venue))];
    return { lists, venues, undated: null };
  }
  const { venue, ticketsURL } = record;
  const indexes = indexesOfRow({ venue, ticketsURL, prices: null }, 1, false);
  return { lists, venues: [venue], undated: undatedOf(record, entry, indexes) };
}

/** G2: readers and programs find events by their categories. */
function noCategory({ origin, id }: EventRecord): Finding {
  const expected = 'at least one category of the licence';
  return { action: 'no category', origin, id, field: 'categories', expected, found: 'none' };
}

/** G2: of an event that no snapshot has had: a wrong year is the commonest slip of January. `last`: when its last date was over; null if that was long ago. */
function overOf({ origin, id }: Pick<EventRecord, 'origin' | 'id'>, last: number | null): Finding {
  const found =
    last === null ? 'none in the last 400 days' : `the last one on ${formatDay(osloDay(last - 1))}`;
  return { action: 'over', origin, id, field: 'dates', expected: 'a future date', found };
}

function undatedOf(record: EventRecord, entry: number, indexes: RowIndexes): Undated {
  const { origin, id, venue, ticketsURL, status, eventSoldOut } = record;
  return { origin, id, venue, ticketsURL, status, previousStart: null, eventSoldOut, entry, indexes };
}

/** One literal with every field: objects that are built in steps take twice the memory, and there are many. */
function entryOf(
  record: EventRecord,
  directories: Directories,
  { slug, nextSince, texts }: Pick<CollectedEvent, 'slug' | 'nextSince' | 'texts'>,
): CollectedEvent {
  const own = directories.categoriesOf(record.categories);
  return {
    id: record.id,
    slug,
    publishingDate: record.publishingDate,
    flags: flagsOf(record),
    superEvent: record.super_event,
    isFeaturedInSpecialEvent: record.isFeaturedInSpecialEvent,
    organizers: directories.organizersOf(record.organizers),
    categories: withParents(own, directories.categories),
    ownCategories: new Set(own).size,
    tags: record.tags,
    accessibility: maskOf(record.accessibility),
    nextSince,
    source: directories.sourceOf(record.feed),
    filterValues: FILTER_COLUMNS.map((column) => column.of(record)),
    texts,
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
