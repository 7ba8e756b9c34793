/** One row of a table: what it says of its event, and when its date is. */
import type { JsonObject } from '../../../src/calendar/json.ts';
import { nameKey } from '../../../src/calendar/text.ts';
import type { Places } from '../../feeds/collector.ts';
import type { Categories, TableField as Field } from '../../feeds/config.ts';
import {
  BEHIND,
  type DatedTime,
  daysLater,
  type ReadMoment,
  timedDate,
  type WrittenDate,
  type WrittenMoment,
  wholeDays,
  writtenAt,
} from '../../feeds/moments.ts';
import type { OwnValues } from '../../feeds/own-values.ts';
import { type ReadPlace, readPlace } from '../../feeds/places.ts';
import { readPrices, ticketsOf } from '../../feeds/prices.ts';
import type { AddFinding } from '../../feeds/slice.ts';
import { excerpt } from '../../records.ts';
import { webAddress } from '../../validate/sanitize.ts';
import type { ParsedFeed } from '../parser.ts';
import type { Columns } from './columns.ts';
import type { Row } from './table.ts';

export interface RowContext {
  readonly feed: ParsedFeed;
  readonly columns: Columns;
  readonly places: Places;
  readonly categories: Categories;
  readonly readMoment: ReadMoment;
  /** The address of a venue whose other rows have one; null for others. */
  readonly addressOfVenue: (name: string) => string | null;
  readonly addFinding: AddFinding;
  /** An id of the table as an id of the calendar. */
  readonly idOf: (id: string) => string;
}

export interface Entry {
  readonly row: Row;
  /** Of the table; empty where it gives none. */
  readonly id: string;
  /** What is the same for rows of one event: the title, in one of its languages, and the place. */
  readonly title: string;
  readonly place: string;
  readonly date: WrittenDate;
  /** What a date may have of its own (F5). */
  readonly own: OwnValues;
  /** The rest: only what the row says. */
  readonly fields: JsonObject;
}

interface Reading extends RowContext {
  readonly row: Row;
  /** Empty for a column that is not there. */
  readonly cell: (field: Field) => string;
  readonly place: ReadPlace;
  /** Of a cell that cannot be read. The row is left out where it has no title, or no day. */
  readonly refuse: (field: Field, expected: string, action?: 'dropped record') => void;
}

type Dating = Omit<Reading, 'place'>;

/** Null, after a finding, for a row that is no date of an event. */
export function readRow(row: Row, context: RowContext): Entry | null {
  const { columns, idOf, addFinding } = context;
  const cell = (field: Field) => row.cells[columns.places.get(field) ?? -1] ?? '';
  const id = cell('id');
  const title = [cell('title_nb'), cell('title_en')].find((text) => text !== '') ?? '';
  const refuse: Reading['refuse'] = (field, expected, action) => {
    const about = { line: row.number, id: id === '' ? null : idOf(id), field: columns.titleOf(field) };
    const found = excerpt(cell(field) === '' ? undefined : cell(field));
    addFinding({ action: action ?? 'changed value', ...about, expected, found });
  };
  if (title === '' && id === '') {
    refuse(columns.places.has('title_nb') ? 'title_nb' : 'title_en', 'a title', 'dropped record');
    return null;
  }
  const partial = { ...context, row, cell, refuse };
  const date = dateOf(partial);
  if (date === null) return null;
  const reading = { ...partial, place: placeOf(partial) };
  const place = nameKey(cell('venue') || cell('address'));
  return { row, id, title, place, date, own: ownOf(reading), fields: fieldsOf(reading) };
}

/** What a cell says, as a native value. Undefined for a blank one, and, after a finding, for one that says something else. */
function cellAs<Value>(
  field: Field,
  { cell, refuse }: Dating,
  { expected, read }: { readonly expected: string; readonly read: (cell: string) => Value | undefined },
): Value | undefined {
  if (cell(field) === '') return undefined;
  const value = read(cell(field));
  if (value === undefined) refuse(field, expected);
  return value;
}

const FLAG = { expected: 'ja or nei', read: flagOf };
const URL_OF = { expected: 'an http or https URL', read: urlOf };
const INTEGER = {
  expected: 'a whole number',
  read: (cell: string) => (/^\d{1,6}$/.test(cell) ? Number(cell) : undefined),
};
const DURATION = { expected: 'minutes, or hours and minutes such as 1:30', read: durationOf };

function ownOf(reading: Reading): OwnValues {
  const { cell, feed, refuse, place, places, row } = reading;
  const { prices, unread } = readPrices(cell('prices'), feed.language);
  if (unread.length > 0) refuse('prices', 'a price such as 150 or 149,50, or gratis (the text is kept)');
  const status = nameKey(cell('status'));
  return {
    venue: place.venue === null ? null : places.venue(place.venue, row.number),
    ticketsURL: cellAs('ticketsURL', reading, URL_OF) ?? null,
    tickets: prices.length === 0 ? null : ticketsOf(prices),
    eventCancelled: cellAs('eventCancelled', reading, FLAG) === true || /avlyst|cancel/.test(status),
    eventSoldOut: cellAs('eventSoldOut', reading, FLAG) === true || /utsolgt|sold out/.test(status),
  };
}

function fieldsOf(reading: Reading): JsonObject {
  const { cell, categories, places, place, row, readMoment, refuse, idOf } = reading;
  const fields: Record<string, unknown> = {};
  // Set one by one, and blank ones never: most are blank, and copies of 20,000 rows took 0.3 s.
  const set = (field: string, value: unknown) => {
    if (value !== undefined && value !== '') fields[field] = value;
  };
  for (const field of TEXTS) set(field, cell(field));
  for (const field of URLS) set(field, cellAs(field, reading, URL_OF));
  for (const field of FLAGS) set(field, cellAs(field, reading, FLAG));
  for (const field of INTEGERS) set(field, cellAs(field, reading, INTEGER));
  for (const field of MOMENTS) {
    if (cell(field) === '') continue;
    const { day = null, time = null, offset = '' } = readMoment(cell(field)) ?? {};
    if (day === null) refuse(field, A_DATE);
    else set(field, writtenAt({ day, time: time ?? '00:00', offset }));
  }
  const sorted = categories.sort(partsOf(cell('categories'), /[,;|\n]/));
  const tags = [...(sorted.tags ?? []), ...partsOf(cell('tags'), /[,;|\n]/)];
  const organizers = partsOf(cell('organizers'), /[;|\n]/).map((name) =>
    places.organizer({ name }, row.number),
  );
  const images = imagesOf(reading);
  set('categories', sorted.categories);
  if (tags.length > 0) set('tags', [...new Set(tags)]);
  if (organizers.length > 0) set('organizers', organizers);
  if (images.length > 0) set('images', images);
  if (cell('superEvent') !== '') set('superEvent', idOf(cell('superEvent')));
  if (place.stream !== null) {
    // Beside an address on the web there may be one in the town.
    if (place.venue === null) set('mode', 'online');
    set('streamingURL', place.stream);
  }
  return fields;
}

const TEXTS = ['title_nb', 'title_en', 'desc_nb', 'desc_en', 'ageRestriction', 'venueNote'] as const;
const URLS = ['moreInfoURL', 'eventLink', 'streamingURL', 'facebookURL'] as const;
const FLAGS = ['isSuperEvent', 'isFeaturedEvent'] as const;
const INTEGERS = ['minimumAge', 'maximumAge'] as const;
const MOMENTS = ['publishingDate', 'ticketsFromDate'] as const;

/** People leave out what browsers add. */
function urlOf(cell: string): string | undefined {
  return webAddress(/^www\.[^\s/]+\.[^\s]+$/i.test(cell) ? `https://${cell}` : cell) ?? undefined;
}

function imagesOf({ cell, refuse }: Reading): readonly unknown[] {
  return partsOf(cell('images'), /[\s;|]+/).flatMap((written) => {
    const url = urlOf(written);
    if (url !== undefined) return [{ urlSmall: url, urlLarge: url }];
    refuse('images', 'the http or https URL of an image');
    return [];
  });
}

/** Parts of a list; names of organizers may have commas in them. */
function partsOf(cell: string, separators: RegExp): readonly string[] {
  const parts = cell.split(separators).map((part) => part.replace(/\s+/g, ' ').trim());
  return [...new Set(parts.filter((part) => part !== ''))];
}

/** The place, and what of it cannot be kept, for the row's findings. */
function placeOf({ cell, addressOfVenue, refuse }: Dating): ReadPlace {
  const address = cell('address');
  const place = readPlace({
    name: cell('venue'),
    address: address === '' ? addressOfVenue(cell('venue')) : address,
    postalCode: cell('postalCode'),
    locality: cell('locality'),
    municipality: cell('municipality'),
    latitude: cell('latitude'),
    longitude: cell('longitude'),
  });
  for (const { part, expected } of place.lost) {
    if (part === 'postalCode') refuse('postalCode', expected);
    else refuse(cell('latitude') === '' ? 'longitude' : 'latitude', expected);
  }
  return place;
}

const YES = new Set([
  ...['ja', 'yes', 'true', 'sann', '1', 'x', 'j', 'y'],
  ...['avlyst', 'cancelled', 'canceled', 'utsolgt', 'sold out'],
]);
const NO = new Set(['nei', 'no', 'false', 'usann', '0', 'n', '-']);

function flagOf(cell: string): boolean | undefined {
  const key = nameKey(cell).replace(/[.!]+$/, '');
  if (YES.has(key)) return true;
  return NO.has(key) ? false : undefined;
}

/** Minutes: `90`, `90 min`, `1:30`, `1,5 t`, `1 t 30 min`. */
function durationOf(cell: string): number | undefined {
  const key = nameKey(cell);
  const [, minutes] = /^(\d{1,5}) ?(?:m|min\.?|minutter|minutes)?$/.exec(key) ?? [];
  if (minutes !== undefined) return Number(minutes);
  const [, hours, rest] = /^(\d{1,3}):([0-5]\d)(?::[0-5]\d)?$/.exec(key) ?? [];
  if (hours !== undefined) return Number(hours) * 60 + Number(rest);
  const [, whole, more] =
    /^(\d{1,3}(?:[.,]\d{1,2})?) ?(?:t|h|timer?|hours?)\.?(?: (?:og )?(\d{1,2}) ?(?:m|min\.?|minutter|minutes))?$/.exec(
      key,
    ) ?? [];
  if (whole === undefined) return undefined;
  return Math.round(Number(whole.replace(',', '.')) * 60) + Number(more ?? 0);
}

const A_DATE = 'a date such as 14.02.2027 kl. 19.00 or 2027-02-14 19:00';
const A_TIME = 'a time of day such as 19.00';
const NOTHING: WrittenMoment = { day: null, time: null, offset: '', until: null, lastDay: null };

/** Null, after a finding, for a row without a day that can be told. */
function dateOf(reading: Dating): WrittenDate | null {
  const { cell, refuse } = reading;
  const start = momentIn('start', reading);
  const date = momentIn('date', reading);
  const day = start?.day ?? date?.day ?? null;
  if (start === null || date === null || day === null) {
    const field = start === null || (cell('date') === '' && cell('start') !== '') ? 'start' : 'date';
    refuse(cell(field) === '' && cell('start') === '' ? 'start' : field, formOf(reading), 'dropped record');
    return null;
  }
  const clock = isWholeDay(cell('startTime')) ? NOTHING : momentIn('startTime', reading);
  if (clock === null) refuse('startTime', A_TIME);
  const said = [start, clock ?? NOTHING, date].find(({ time }) => time !== null) ?? NOTHING;
  const end = endOf(reading, { until: said.until, lastDay: start.lastDay ?? date.lastDay });
  if (flagOf(cell('allDay')) === true) return allDay(day, lastDayOf(end), reading);
  return said.time === null
    ? allDay(day, end, reading)
    : timed({ ...said, day, time: said.time }, end, reading);
}

/** Nothing said for a blank cell; null for one that says something else. */
function momentIn(field: Field, { cell, readMoment }: Dating): WrittenMoment | null {
  return cell(field) === '' ? NOTHING : readMoment(cell(field));
}

/** How dates are to be written, for findings. */
function formOf({ feed: { format } }: Dating): string {
  return format === null ? A_DATE : `a date of the form ${format}`;
}

function isWholeDay(cell: string): boolean {
  return /^(?:hele dagen|heldags?|all day|-)$/i.test(cell);
}

/** Calendars end a whole day at the midnight behind it. */
function lastDayOf(end: End): End {
  const day = end.time === '00:00' && end.day !== null ? daysLater(end.day, -1) : end.day;
  return { ...end, day, time: null };
}

interface End {
  readonly day: string | null;
  readonly time: string | null;
  readonly offset: string;
  /** The column that a finding about it names. */
  readonly field: Field;
}

/** Where an end may stand. */
const ENDS = ['end', 'endDate', 'endTime', 'start', 'date'] as const;

/** In columns of its own, or else behind the start in one. */
function endOf(reading: Dating, { until, lastDay }: Pick<WrittenMoment, 'until' | 'lastDay'>): End {
  const read = (field: Field, expected: string): WrittenMoment => {
    const moment = momentIn(field, reading);
    if (moment === null) reading.refuse(field, expected);
    return moment ?? NOTHING;
  };
  const end = read('end', formOf(reading));
  const last = read('endDate', formOf(reading));
  const clock = read('endTime', A_TIME);
  const { time, offset } = [end, clock, last].find((said) => said.time !== null) ?? {
    time: until,
    offset: '',
  };
  const field = ENDS.find((named) => reading.cell(named) !== '') ?? 'start';
  return { day: end.day ?? last.day ?? lastDay, time, offset, field };
}

function allDay(day: string, { day: last, time, field }: End, { refuse }: Dating): WrittenDate {
  if (time !== null) refuse(field, 'a time of day at the start, too');
  return wholeDays(day, last, () => refuse(field, BEHIND));
}

function timed(said: DatedTime, end: End, reading: Dating): WrittenDate {
  const start = writtenAt(said);
  if (end.time === null && (end.day === null || end.day === said.day)) {
    const duration = cellAs('duration', reading, DURATION);
    return duration === undefined ? { start } : { start, duration };
  }
  // F4: a last day is included. What ends at an hour that is past already does so the night after.
  const day = end.day ?? (end.time !== null && end.time < said.time ? daysLater(said.day, 1) : said.day);
  return timedDate(start, { ...end, day }, () => reading.refuse(end.field, BEHIND));
}
