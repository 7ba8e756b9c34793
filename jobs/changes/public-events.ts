/**
 * G10: the values that the interface shows of an event, by its fields, read from a snapshot. Two snapshots of different formats (G15) are
 * compared on the fields that every format has: `shared` in names here. All other comparisons are `whole`.
 */
import { tailOf } from '../../src/calendar/date-address.ts';
import type { Organizer, Venue } from '../../src/calendar/model.ts';
import { OLDER_EVENT_FIELDS } from '../../src/calendar/older-fields.ts';
import { ABSENT, type Columns, listAt, previousStartOf } from '../../src/snapshot/columns.ts';
import { EVENT_FLAGS, OCCURRENCE_FLAGS, statusOf } from '../../src/snapshot/flags.ts';
import type { EventColumn } from '../../src/snapshot/format.ts';
import { BODY_SCALARS, type EventFragment, readFragment } from '../../src/snapshot/fragments.ts';

export const COMPARED_COLUMNS = [
  'start',
  'end',
  'over',
  'venue',
  'day',
  'startTime',
  'duration',
  'occurrenceFlags',
  'nth',
  'ticketsURL',
  'prices',
  'olderTexts',
  'sequence',
  'eventFlags',
  'occurrencesAt',
  'occurrences',
  'organizersAt',
  'organizers',
  'publishing',
  'eventOver',
  'changed',
  'movedRow',
  'movedFrom',
] as const;

type ComparedColumns = Pick<Columns, (typeof COMPARED_COLUMNS)[number]>;

/** A snapshot whose events are compared. */
interface ComparedSnapshot {
  readonly columns: ComparedColumns;
  readonly venues: readonly Pick<Venue, 'id'>[];
  readonly organizers: readonly Pick<Organizer, 'id'>[];
  /** G15: whether the other snapshot has another format. */
  readonly isShared?: boolean;
}

interface StoredEvent {
  readonly ordinal: number;
  /** Its row of the table `event`, by column. */
  readonly cells: Readonly<Record<string, unknown>>;
  readonly body: string;
}

export interface PublicEvent {
  readonly id: string;
  readonly title: string;
  /** Values, or their JSON, by the interface's fields. */
  readonly fields: ReadonlyMap<string, unknown>;
  readonly dates: readonly PublicDate[];
}

export type PublicEventOf = (stored: StoredEvent) => PublicEvent;

export interface PublicDate {
  /** Its row in the snapshot's columns. */
  readonly row: number;
  /** As in A16. */
  readonly id: string;
  readonly start: number;
  /** The instant at which it is over. */
  readonly over: number;
  /** Day number. */
  readonly day: number;
  /** G10: its rule goes on beyond the horizon of the build. */
  readonly isByRule: boolean;
  /** The values that are compared. */
  readonly fields: DateFields;
}

export const DATE_FIELDS = [
  'dates',
  'venue',
  'eventCancelled',
  'status',
  'eventSoldOut',
  'ticketsURL',
  'prices',
] as const;

/** Creates the function that reads the values that a snapshot shows of an event. */
export function publicEventsOf(snapshot: ComparedSnapshot): PublicEventOf {
  return snapshot.isShared === true ? sharedEventsOf(snapshot) : wholeEventsOf(snapshot);
}

function wholeEventsOf({ columns, ...lists }: ComparedSnapshot): PublicEventOf {
  const venues = lists.venues.map((venue) => JSON.stringify(venue));
  const organizers = lists.organizers.map((organizer) => JSON.stringify(organizer));
  return ({ ordinal, cells, body }: StoredEvent) => {
    const texts = readFragment(body, BODY_SCALARS);
    const flags = columns.eventFlags[ordinal] ?? 0;
    const fieldCells = Object.entries(cells).filter(([column]) => !NO_FIELDS.has(column));
    const ordinals = listAt(columns.organizers, columns.organizersAt, ordinal);
    const fields = new Map<string, unknown>([
      ...fieldCells.map(([column, value]) => [FIELD_NAMES[column] ?? column, value] as const),
      ...BODY_SCALARS.map((name, line) => [name, texts.scalars[line]] as const),
      ...OLDER_EVENT_FIELDS.map((name, part) => [name, texts.older[part] ?? 'null'] as const),
      ['images', JSON.stringify(texts.images)],
      ['prices', JSON.stringify(texts.prices)],
      ['organizers', Array.from(ordinals, (index) => organizers[index]).join()],
      ['isFeaturedInSpecialEvent', flags & EVENT_FLAGS.featuredInSpecialEvent],
    ]);
    const dateFieldsOf = (row: number) => wholeDateFields(row, { columns, venues, texts });
    return publicEvent(ordinal, fields, { columns, dateFieldsOf });
  };
}

/** G15: the columns of `event` that every format has. */
const SHARED_COLUMNS: ReadonlySet<string> = new Set<EventColumn>([
  'id',
  'slug',
  'link',
  'title_nb',
  'title_en',
  'desc_nb',
  'desc_en',
  'mode',
  'tickets_information',
  'super_event',
  'is_super_event',
  'is_featured',
  'tags',
  'minimum_age',
  'maximum_age',
  'accessibility',
]);

/** An event reduced to what every format has. */
function sharedEventsOf({ columns, ...lists }: ComparedSnapshot): PublicEventOf {
  const venues = lists.venues.map(({ id }) => id);
  return ({ ordinal, cells }: StoredEvent) => {
    const fieldCells = Object.entries(cells).filter(([column]) => SHARED_COLUMNS.has(column));
    const fields = new Map<string, unknown>([
      ...fieldCells.map(([column, value]) => [FIELD_NAMES[column] ?? column, value] as const),
      ['publishingDate', columns.publishing[ordinal]],
    ]);
    // The end of a programme may move with the horizon, which other formats store elsewhere.
    const ignoresEnd = Boolean(fields.get('isSuperEvent'));
    const dateFieldsOf = (row: number) => sharedDateFields(row, { columns, venues, ignoresEnd });
    return publicEvent(ordinal, fields, { columns, dateFieldsOf });
  };
}

/** Columns that are not fields, or whose text has the fields. */
const NO_FIELDS: ReadonlySet<string> = new Set<EventColumn>(['ordinal', 'body']);

/** Columns of `event` whose fields have another name in the interface. */
const FIELD_NAMES: Readonly<Record<string, string>> = {
  slug: 'event_slug',
  link: 'eventLink',
  tickets_information: 'ticketsInformation',
  minimum_age: 'minimumAge',
  maximum_age: 'maximumAge',
  is_super_event: 'isSuperEvent',
  is_featured: 'isFeaturedEvent',
} satisfies Partial<Record<EventColumn, string>>;

interface DateReading {
  readonly columns: ComparedColumns;
  /** Reads what is compared of the date in a row. */
  readonly dateFieldsOf: (row: number) => DateFields;
}

type DateFields = Readonly<Record<(typeof DATE_FIELDS)[number], string | number | undefined>>;

function publicEvent(
  ordinal: number,
  fields: ReadonlyMap<string, unknown>,
  reading: DateReading,
): PublicEvent {
  const { occurrences, occurrencesAt } = reading.columns;
  const id = String(fields.get('id'));
  return {
    id,
    title: String(fields.get('title_nb') ?? fields.get('title_en') ?? ''),
    fields,
    dates: Array.from(listAt(occurrences, occurrencesAt, ordinal), (row) => publicDate(id, row, reading)),
  };
}

function publicDate(event: string, row: number, { columns, dateFieldsOf }: DateReading): PublicDate {
  const start = columns.start[row] ?? 0;
  return {
    row,
    id: `${event}@${tailOf({ start, nth: columns.nth[row] ?? 1 })}`,
    start,
    over: columns.over[row] ?? 0,
    day: columns.day[row] ?? 0,
    isByRule: ((columns.occurrenceFlags[row] ?? 0) & OCCURRENCE_FLAGS.byRule) !== 0,
    fields: dateFieldsOf(row),
  };
}

interface WholeDates {
  readonly columns: ComparedColumns;
  /** JSON, by ordinal. */
  readonly venues: readonly string[];
  readonly texts: Pick<EventFragment, 'ticketsURLs' | 'priceLists' | 'olderTexts'>;
}

function wholeDateFields(row: number, { columns, venues, texts }: WholeDates): DateFields {
  const flags = columns.occurrenceFlags[row] ?? 0;
  const older = textAt(texts.olderTexts, columns.olderTexts[row]);
  return {
    dates: [...timesAt(columns, row), older].join(),
    venue: venues[columns.venue[row] ?? -1],
    eventCancelled: flags & OCCURRENCE_FLAGS.cancelled,
    status: `${statusOf(flags)} ${previousStartOf(columns, row)}`,
    eventSoldOut: flags & OCCURRENCE_FLAGS.soldOut,
    ticketsURL: textAt(texts.ticketsURLs, columns.ticketsURL[row]),
    prices: textAt(texts.priceLists, columns.prices[row]),
  };
}

interface SharedDates {
  readonly columns: ComparedColumns;
  /** Ids, by ordinal. */
  readonly venues: readonly string[];
  readonly ignoresEnd: boolean;
}

/** G15: fields that not every format has are undefined, and therefore equal. */
function sharedDateFields(row: number, { columns, venues, ignoresEnd }: SharedDates): DateFields {
  const flags = columns.occurrenceFlags[row] ?? 0;
  return {
    dates: (ignoresEnd ? startAt(columns, row) : timesAt(columns, row)).join(),
    venue: venues[columns.venue[row] ?? -1],
    eventCancelled: flags & OCCURRENCE_FLAGS.cancelled,
    status: undefined,
    eventSoldOut: flags & OCCURRENCE_FLAGS.soldOut,
    ticketsURL: undefined,
    prices: undefined,
  };
}

/** Start time and end. The end of a container whose programme has rules moves with the horizon, and is left out. */
function timesAt(columns: ComparedColumns, row: number): readonly (number | undefined)[] {
  const flags = columns.occurrenceFlags[row] ?? 0;
  const endsByRule = (flags & OCCURRENCE_FLAGS.endsByRule) !== 0;
  return endsByRule
    ? startAt(columns, row)
    : [...startAt(columns, row), columns.end[row], columns.duration[row]];
}

function startAt(columns: ComparedColumns, row: number): readonly (number | undefined)[] {
  const flags = columns.occurrenceFlags[row] ?? 0;
  return [columns.startTime[row], flags & OCCURRENCE_FLAGS.allDay];
}

function textAt(list: readonly unknown[], index: number = ABSENT): string | undefined {
  return index === ABSENT ? undefined : JSON.stringify(list[index]);
}
