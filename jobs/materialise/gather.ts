/** One pass over the records: what can be settled at once is, and the texts go to disk. */
import type { EventFields, Occurrence } from '../../src/calendar/model.ts';
import { EVENT_FLAGS } from '../../src/snapshot/columns.ts';
import type { CalendarEvent, EventRecord, EventTexts, Records, Reporter } from '../records.ts';
import { createProgrammes, type Programmes } from './containers.ts';
import type { Dating } from './dating.ts';
import type { Directories } from './directories.ts';
import { createLinks, type Link } from './links.ts';
import { createRows, type RowPlaces, type Rows } from './rows.ts';
import type { Spool } from './spool.ts';
import { createTextLists } from './texts.ts';

export interface Gathering {
  readonly directories: Directories;
  readonly dating: Dating;
  readonly spool: Spool;
  readonly report: Reporter;
}

export interface Gathered {
  /** In source order. An entry's number is its place here. */
  readonly entries: readonly Entry[];
  readonly rows: Rows;
  readonly programmes: Programmes;
  readonly undated: readonly Undated[];
}

/** An event that waits for its ordinal, and for the word on what it refers to. */
export interface Entry extends Omit<CalendarEvent, 'superEvent'> {
  /** As the record says. */
  readonly super_event: string | null;
  readonly isFeaturedInSpecialEvent: boolean;
  /** Their number in the spool. */
  readonly texts: number;
}

/** A container that takes its dates from its programme, once that is known. */
export interface Undated extends Pick<EventRecord, 'origin' | 'id' | keyof OwnValues> {
  readonly entry: number;
  readonly places: RowPlaces;
}

type OwnValues = Pick<Occurrence, 'venue' | 'ticketsURL' | 'eventCancelled' | 'eventSoldOut'>;

export async function gather(records: Records, gathering: Gathering): Promise<Gathered> {
  const { directories, dating, spool, report } = gathering;
  const entries: Entry[] = [];
  const undated: Undated[] = [];
  const rows = createRows();
  const programmes = createProgrammes();
  const links = createLinks(records.licence.siteUrl, report);
  for await (const record of records.events()) {
    const { id, super_event: container } = record;
    const { kept, span, isDated } = dating.date(record);
    if (!isDated && !record.isSuperEvent) {
      complainOfNoDate(record, report);
      continue;
    }
    const link = links.take(record);
    programmes.add({ id, container, span, isDateless: !isDated });
    if (isDated && kept.length === 0) continue;
    const { placesOf, ...lists } = createTextLists(record, report);
    const rowPlaces = (of: Pick<Occurrence, 'venue' | 'ticketsURL' | 'prices'>): RowPlaces => ({
      venue: directories.venueOf(of.venue),
      ...placesOf(of),
    });
    const entry = entries.length;
    for (const occurrence of kept) rows.add(entry, occurrence, rowPlaces(occurrence));
    if (!isDated) undated.push(undatedOf(record, entry, rowPlaces({ ...record, prices: null })));
    const texts: EventTexts = { ...lists, fields: fieldsOf(record, link) };
    entries.push(entryOf(record, { link, directories, texts: spool.add(JSON.stringify(texts)) }));
  }
  return { entries, rows, programmes, undated };
}

function complainOfNoDate({ origin, id }: EventRecord, report: Reporter): void {
  const expected = 'at least one date, or a repeat with a good rule';
  report.complain({ action: 'dropped record', origin, id, field: 'dates', expected, found: 'none' });
}

function undatedOf(record: EventRecord, entry: number, places: RowPlaces): Undated {
  const { origin, id, venue, ticketsURL, eventCancelled, eventSoldOut } = record;
  return { origin, id, venue, ticketsURL, eventCancelled, eventSoldOut, entry, places };
}

interface EntryParts {
  readonly link: Link;
  readonly directories: Directories;
  readonly texts: number;
}

/** One literal with every field: objects that are put together in steps take twice the memory, and there are many. */
function entryOf(record: EventRecord, { link, directories, texts }: EntryParts): Entry {
  return {
    id: record.id,
    slug: link.slug,
    publishingDate: record.publishingDate,
    flags: flagsOf(record),
    super_event: record.super_event,
    isFeaturedInSpecialEvent: record.isFeaturedInSpecialEvent,
    organizers: directories.organizersOf(record.organizers),
    categories: directories.categoriesOf(record.categories),
    tags: record.tags,
    texts,
  };
}

/** All but the special event's, which the licence must have. */
function flagsOf({ mode, isFeaturedEvent, isSuperEvent }: EventRecord): number {
  return (
    (mode === 'online' ? EVENT_FLAGS.online : 0) |
    (isFeaturedEvent ? EVENT_FLAGS.featured : 0) |
    (isSuperEvent ? EVENT_FLAGS.container : 0)
  );
}

/** Written out, because copying all but some fields takes a hundred times as long. */
function fieldsOf(record: EventRecord, { slug, link }: Link): EventFields {
  return {
    id: record.id,
    event_slug: slug,
    eventLink: link,
    title_nb: record.title_nb,
    title_en: record.title_en,
    desc_nb: record.desc_nb,
    desc_en: record.desc_en,
    categories: record.categories,
    tags: record.tags,
    mode: record.mode,
    organizers: record.organizers,
    images: record.images,
    ticketsInformation: record.ticketsInformation,
    prices: record.prices,
    minimumAge: record.minimumAge,
    maximumAge: record.maximumAge,
    cancellationPeriod: record.cancellationPeriod,
    views: record.views,
    publishingDate: record.publishingDate,
    ticketsFromDate: record.ticketsFromDate,
    created_at: record.created_at,
    updated_at: record.updated_at,
    registrationEnabled: record.registrationEnabled,
    availableTickets: record.availableTickets,
    activeTickets: record.activeTickets,
    maxBookingDate: record.maxBookingDate,
    maxBookingTime: record.maxBookingTime,
    paymentMethod: record.paymentMethod,
    super_event: record.super_event,
    isSuperEvent: record.isSuperEvent,
    isFeaturedEvent: record.isFeaturedEvent,
    isFeaturedInSpecialEvent: record.isFeaturedInSpecialEvent,
    moreInfoURL: record.moreInfoURL,
    streamingURL: record.streamingURL,
    facebookURL: record.facebookURL,
    venueNote: record.venueNote,
    ageRestriction: record.ageRestriction,
  };
}
