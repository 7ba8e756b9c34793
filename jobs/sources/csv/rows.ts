/** One row of a table: what it says of its event, and of its date. */
import { nameKey } from '../../../src/calendar/text.ts';
import type { Categories } from '../../feeds/config.ts';
import type { WrittenDate } from '../../feeds/moments.ts';
import { type ReadMoment, writtenAt } from '../../feeds/moments.ts';
import type { OwnValues } from '../../feeds/own-values.ts';
import type { Places } from '../../feeds/places.ts';
import type { AddFinding } from '../../feeds/slice.ts';
import { readTickets } from '../../feeds/tickets.ts';
import { excerpt } from '../../records.ts';
import { webAddress } from '../../validate/sanitize.ts';
import type { ParsedFeed } from '../parser.ts';
import { addressOf, flagOf, integerOf, numberOf, partsOf, postalCodeOf } from './cells.ts';
import type { Columns, Field } from './columns.ts';
import { dateOf } from './dates.ts';
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

type Fields = Readonly<Record<string, unknown>>;

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
  readonly fields: Fields;
}

/** Null, after a finding, for a row that is no date of an event. */
export function readRow(row: Row, context: RowContext): Entry | null {
  const { feed, columns, readMoment } = context;
  const cell = (field: Field) => row.cells[columns.places.get(field) ?? -1] ?? '';
  const id = cell('id');
  const title = [cell('title_nb'), cell('title_en')].find((text) => text !== '') ?? '';
  const refuse: Refuse = (field, expected, action = 'changed value') => {
    const named = id === '' ? null : context.idOf(id);
    const found = excerpt(cell(field) === '' ? undefined : cell(field));
    context.addFinding({
      action,
      line: row.number,
      id: named,
      field: columns.titleOf(field),
      expected,
      found,
    });
  };
  if (title === '' && id === '') {
    refuse(columns.places.has('title_nb') ? 'title_nb' : 'title_en', 'a title', 'dropped record');
    return null;
  }
  const expected = feed.format === null ? A_DATE : `a date of the form ${feed.format}`;
  const date = dateOf({ cell, readMoment, expected, refuse });
  if (date === null) return null;
  const reading = { ...context, row, cell, refuse };
  return {
    row,
    id,
    title,
    place: nameKey(cell('venue')),
    date,
    own: ownOf(reading),
    fields: fieldsOf(reading),
  };
}

const A_DATE = 'a date such as 14.02.2027 kl. 19.00 or 2027-02-14 19:00';

type Refuse = (field: Field, expected: string, action?: 'dropped record' | 'changed value') => void;

interface Reading extends RowContext {
  readonly row: Row;
  readonly cell: (field: Field) => string;
  readonly refuse: Refuse;
}

function ownOf(reading: Reading): OwnValues {
  const { cell, feed, refuse } = reading;
  const tickets = readTickets(cell('prices'), feed.language);
  if (tickets !== null && tickets.unread.length > 0)
    refuse('prices', 'a price such as 150 or 149,50, or gratis (the text is kept)');
  const status = nameKey(cell('status'));
  return {
    venue: venueOf(reading),
    ticketsURL: urlOf('ticketsURL', reading) ?? null,
    tickets:
      tickets === null ? null : { ticketsInformation: tickets.ticketsInformation, prices: tickets.prices },
    eventCancelled: flag('eventCancelled', reading) === true || /avlyst|cancel/.test(status),
    eventSoldOut: flag('eventSoldOut', reading) === true || /utsolgt|sold out/.test(status),
  };
}

function fieldsOf(reading: Reading): Fields {
  const { cell, categories, places, row, readMoment, refuse, idOf } = reading;
  const fields: Record<string, unknown> = {};
  for (const field of TEXTS) fields[field] = cell(field);
  for (const field of URLS) fields[field] = urlOf(field, reading);
  for (const field of FLAGS) fields[field] = flag(field, reading);
  for (const field of INTEGERS) {
    fields[field] = integerOf(cell(field));
    if (cell(field) !== '' && fields[field] === undefined) refuse(field, 'a whole number');
  }
  for (const field of MOMENTS) {
    if (cell(field) === '') continue;
    const { day = null, time = null, offset = '' } = readMoment(cell(field)) ?? {};
    if (day === null) refuse(field, A_DATE);
    else fields[field] = writtenAt({ day, time: time ?? '00:00', offset });
  }
  const sorted = categories.sort(partsOf(cell('categories'), /[,;|\n]/));
  const tags = [...(sorted.tags ?? []), ...partsOf(cell('tags'), /[,;|\n]/)];
  const organizers = partsOf(cell('organizers'), /[;|\n]/).map((name) =>
    places.organizer({ name }, row.number),
  );
  const images = imagesOf(reading);
  const isOnline = webAddress(cell('venue')) !== null;
  Object.assign(fields, {
    categories: sorted.categories,
    tags: tags.length > 0 ? [...new Set(tags)] : undefined,
    organizers: organizers.length > 0 ? organizers : undefined,
    images: images.length > 0 ? images : undefined,
    superEvent: cell('superEvent') === '' ? undefined : idOf(cell('superEvent')),
    ...(isOnline ? { mode: 'online', streamingURL: cell('venue') } : {}),
  });
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== ''),
  );
}

const TEXTS = ['title_nb', 'title_en', 'desc_nb', 'desc_en', 'ageRestriction', 'venueNote'] as const;
const URLS = ['moreInfoURL', 'eventLink', 'streamingURL', 'facebookURL'] as const;
const FLAGS = ['isSuperEvent', 'isFeaturedEvent'] as const;
const INTEGERS = ['minimumAge', 'maximumAge'] as const;
const MOMENTS = ['publishingDate', 'ticketsFromDate'] as const;

function urlOf(field: Field, { cell, refuse }: Reading): string | undefined {
  if (cell(field) === '') return undefined;
  const url = webAddress(addressOf(cell(field)));
  if (url === null) refuse(field, 'an http or https URL');
  return url ?? undefined;
}

function flag(field: Field, { cell, refuse }: Reading): boolean | undefined {
  if (cell(field) === '') return undefined;
  const read = flagOf(cell(field));
  if (read === undefined) refuse(field, 'ja or nei');
  return read;
}

function imagesOf({ cell, refuse }: Reading): readonly unknown[] {
  return partsOf(cell('images'), /[\s;|]+/).flatMap((written) => {
    const url = webAddress(addressOf(written));
    if (url === null) refuse('images', 'the http or https URL of an image');
    return url === null ? [] : [{ urlSmall: url, urlLarge: url }];
  });
}

/** Null for a row that names no place, or where to look on the web. */
function venueOf(reading: Reading): string | null {
  const { cell, places, row, addressOfVenue } = reading;
  const name = cell('venue').replace(/\s+/g, ' ');
  if (name === '' || webAddress(name) !== null) return null;
  const written = cell('address').replace(/\s+/g, ' ');
  const address = written === '' ? addressOfVenue(name) : written;
  const latitude = coordinate('latitude', 90, reading);
  const longitude = coordinate('longitude', 180, reading);
  const isPoint = latitude !== undefined && longitude !== undefined;
  return places.venue(
    {
      name,
      address,
      ...(cell('postalCode') === '' ? {} : { postalCode: postalCodeOf(cell('postalCode')) }),
      ...(cell('municipality') === '' ? {} : { municipality: cell('municipality') }),
      ...(isPoint ? { latitude, longitude } : {}),
    },
    row.number,
  );
}

function coordinate(field: Field, most: number, { cell, refuse }: Reading): number | undefined {
  if (cell(field) === '') return undefined;
  const number = numberOf(cell(field));
  if (number !== undefined && Math.abs(number) <= most) return number;
  refuse(field, `a number from -${most} to ${most}`);
  return undefined;
}
