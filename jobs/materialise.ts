/**
 * Turns validated records into the finished calendar: slugs and links (F6), occurrences (F4, A11, A12), containers (A10), and the order of
 * everything. Occurrences that are over at the build are left out; slugs and containers still count them, so that they do not depend on
 * when the build runs. Records pass through one by one; little more than their ids stays in memory.
 */

import { maskOf } from '../src/calendar/accessibility.ts';
import type { Category, Occurrence, Organizer, Venue } from '../src/calendar/model.ts';
import { byNameThenId, compareCodePoints, slugOf } from '../src/calendar/text.ts';
import { formatDay, osloDay, overAt, timeOfDay, wallOf } from '../src/calendar/time.ts';
import { EVENT_FLAGS, OCCURRENCE_FLAGS } from '../src/snapshot/columns.ts';
import { FILTER_COLUMNS } from '../src/snapshot/filters.ts';
import { createRows, createTextLists, type OwnTexts, type RowIndexes, type Rows } from './columns.ts';
import { createDating, type Span, unite } from './materialise/dating.ts';
import { openSpool, type Spool } from './materialise/spool.ts';
import type {
  Calendar,
  CalendarEvent,
  EventRecord,
  EventTexts,
  Finding,
  OrganizerRecord,
  Records,
  Reporter,
  SlugKind,
  SlugLedger,
  VenueRecord,
} from './records.ts';
import type { Allowance } from './recurrence/allowance.ts';
import type { OwnValues } from './recurrence/series.ts';
import { createSearchIndexer, type SearchIndexer } from './search.ts';
import { createLinks, createSlugRegister, type PreviousSlugs, type SlugRegister } from './slug-ledger.ts';

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

/** Venues and organizers in their final order, with slugs, and every entity's ordinal by its id. */
interface Directories {
  readonly venues: readonly Venue[];
  readonly organizers: readonly Organizer[];
  readonly categories: readonly Category[];
  /** By the id of its feed; -1 for none. */
  readonly sourceOf: (feed: string | null) => number;
  /** -1 for none. */
  readonly venueOf: (id: string | null) => number;
  readonly organizersOf: (ids: readonly string[]) => readonly number[];
  readonly categoriesOf: (ids: readonly string[]) => readonly number[];
}

/** The slugs of each kind: A17's ledger of a build. */
type Registers = Readonly<Record<SlugKind, SlugRegister>>;

function orderDirectories(records: Records, registers: Registers): Directories {
  const { sources = [] } = records;
  const venues = slugged(records.venues, registers.venue).sort(byNameThenId);
  const organizers = slugged(records.organizers, registers.organizer).sort(byNameThenId);
  const venueOf = ordinalsOf(venues);
  return {
    venues,
    organizers,
    sourceOf: (feed) => sources.findIndex(({ id }) => id === feed),
    categories: records.categories,
    venueOf: (id) => venueOf([id ?? ''])[0] ?? -1,
    organizersOf: ordinalsOf(organizers),
    categoriesOf: ordinalsOf(records.categories),
  };
}

/** Finds the ordinals of ids; an id that there is not has none. */
function ordinalsOf(entities: readonly { readonly id: string }[]) {
  const ordinals = new Map(entities.map(({ id }, ordinal) => [id, ordinal]));
  return (ids: readonly string[]): readonly number[] => {
    const found = ids.map((id) => ordinals.get(id) ?? -1);
    // `filter` returns an array with spare capacity; there are hundreds of thousands.
    return found.includes(-1) ? found.filter((place) => place !== -1) : found;
  };
}

/** Slugs are made in source order (F6), before the sorting. */
function slugged<Kind extends VenueRecord | OrganizerRecord>(
  records: readonly Kind[],
  slugs: SlugRegister,
): (Omit<Kind, 'origin' | 'slug'> & { readonly slug: string })[] {
  return records.map(({ origin, slug: own, ...entity }) => {
    const { id, name } = entity;
    return { ...entity, slug: slugs.take({ origin, id, own, ofName: slugOf(name) }) };
  });
}

/** C2: these categories, then the parents that are missing among them. */
function withParents(carried: readonly number[], categories: readonly Category[]): readonly number[] {
  const parents = carried.map((place) => categories[place]?.parent ?? -1).filter((parent) => parent !== -1);
  return [...new Set([...carried, ...parents])];
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
      report.event(span === null ? 'dropped' : 'over');
      if (span !== null && !registers.event.isKnown(id)) report.addFinding(overOf(container, span.end));
    } else {
      const ruleFlags = span.byRule ? OCCURRENCE_FLAGS.endsByRule : 0;
      rows.add(entry, containerOccurrence(span, container), { ...indexes, ruleFlags });
    }
  }
  return empty;
}

type Programmes = ReturnType<typeof createProgrammes>;

interface ProgrammeSpan extends Span {
  /** Whether a part of it is by rule: then its end moves with the horizon. */
  readonly byRule: boolean;
}

interface Part {
  readonly id: string;
  readonly container: string | null;
  readonly span: Span | null;
  /** Whether it has no dates of its own: then its own programme counts. */
  readonly isDateless: boolean;
  readonly byRule: boolean;
}

/** Levels of nested programmes that are followed; a deeper source is hostile. */
const DEEPEST = 10;

function createProgrammes() {
  const spans = new Map<string, Span>();
  /** Containers without dates, by the container that they belong to. */
  const dateless = new Map<string, string[]>();
  const withRules = new Set<string>();

  /** Adds a part of a container; `span` is null for a container without dates of its own. */
  function add({ id, container, span, isDateless, byRule }: Part): void {
    if (container === null) return;
    if (byRule) withRules.add(container);
    if (span !== null) spans.set(container, unite(spans.get(container) ?? null, span));
    if (!isDateless) return;
    const others = dateless.get(container);
    if (others === undefined) dateless.set(container, [id]);
    else others.push(id);
  }

  /** Null if no part of the programme has a date. */
  function spanOf(container: string): ProgrammeSpan | null {
    const seen = new Set([container]);
    let level: readonly string[] = [container];
    for (let depth = 0; depth < DEEPEST && level.length > 0; depth++) {
      level = level.flatMap((id) => dateless.get(id) ?? []).filter((id) => !seen.has(id));
      for (const id of level) seen.add(id);
    }
    const span = [...seen].flatMap((id) => spans.get(id) ?? []).reduce<Span | null>(unite, null);
    return span && { ...span, byRule: [...seen].some((id) => withRules.has(id)) };
  }

  return { add, spanOf };
}

/** The single occurrence of such a container, with the event's own values. */
function containerOccurrence({ start, end }: Span, own: Omit<OwnValues, 'prices'>): Occurrence {
  const duration = Math.round((end - start) / 60);
  return { start, end, duration, startTime: timeOfDay(wallOf(start)), allDay: false, ...own, prices: null };
}

function inOrder(entries: readonly Entry[], empty: ReadonlySet<number>): readonly number[] {
  const ids = entries.map(({ id }) => id);
  return [...entries.keys()]
    .filter((entry) => !empty.has(entry))
    .sort((left, right) => compareCodePoints(ids[left] ?? '', ids[right] ?? ''));
}

/** A separate function, so that its closure holds only what it needs. */
function createReader(events: readonly Entry[], spool: Spool): Calendar['read'] {
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
  readonly entries: readonly Entry[];
  readonly rows: Rows;
  readonly programmes: Programmes;
  readonly undated: readonly Undated[];
}

/** An event of the calendar, once its references are known. */
interface Entry extends CalendarEvent {
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
  const entries: Entry[] = [];
  const undated: Undated[] = [];
  const rows = createRows();
  const programmes = createProgrammes();
  const linkOf = createLinks(records.licence.siteUrl, registers.event);
  for await (const record of records.events()) {
    const { id, super_event: container, venue, ticketsURL } = record;
    const { upcoming, numbers, byRule, nextSince, span, isDated } = date(record);
    const link = linkOf(record);
    programmes.add({ id, container, span, isDateless: !isDated, byRule: byRule.size > 0 });
    if (isDated && upcoming.length === 0) {
      report.event('over');
      if (span !== null && !registers.event.isKnown(id))
        report.addFinding(overOf(record, nextSince() ?? (record.series.length === 0 ? span.end : null)));
      continue;
    }
    if (record.categories.length === 0 && records.categories.length > 0)
      report.addFinding(noCategory(record));
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
    const entry = entries.length;
    for (const [place, one] of upcoming.entries())
      rows.add(entry, one, indexesOfRow(one, numbers[place] ?? 1, byRule.has(one)));
    if (!isDated) {
      const indexes = indexesOfRow({ venue, ticketsURL, prices: null }, 1, false);
      undated.push(undatedOf(record, entry, indexes));
    }
    const { origin: _, dates: __, series: ___, ...fields } = record;
    const texts = spool.add(JSON.stringify({ fields, link, ...lists } satisfies EventTexts));
    const event = entryOf(record, directories, { slug: link.slug, nextSince: nextSince(), texts });
    entries.push(event);
    const venues = new Set(isDated ? upcoming.map((one) => one.venue) : [venue]);
    indexer.take(record, event, [...venues].map(directories.venueOf));
  }
  return { entries, rows, programmes, undated };
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
  return { action: 'over', origin, id, field: 'dates', expected: 'a date to come of a new event', found };
}

function undatedOf(record: EventRecord, entry: number, indexes: RowIndexes): Undated {
  const { origin, id, venue, ticketsURL, status, eventSoldOut } = record;
  return { origin, id, venue, ticketsURL, status, previousStart: null, eventSoldOut, entry, indexes };
}

/** One literal with every field: objects that are built in steps take twice the memory, and there are many. */
function entryOf(
  record: EventRecord,
  directories: Directories,
  { slug, nextSince, texts }: Pick<Entry, 'slug' | 'nextSince' | 'texts'>,
): Entry {
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
