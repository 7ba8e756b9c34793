/** One row of a table: its dates, and its values for its event. */
import { accessibilityNamed } from '../../../../src/annexes/common/accessibility.ts';
import type { Accessibility } from '../../../../src/calendar/accessibility.ts';
import type { Field, FieldKind } from '../../../../src/calendar/field.ts';
import { unlessEmpty } from '../../../../src/calendar/groups.ts';
import type { JsonObject } from '../../../../src/calendar/json.ts';
import { nameKey } from '../../../../src/calendar/text.ts';
import { excerpt } from '../../../findings.ts';
import type { CategoryFields } from '../categories.ts';
import type { DateValues } from '../event-assembly.ts';
import { withoutFiller } from '../event-fields.ts';
import type { ReadMoment } from '../moments.ts';
import { writtenAt } from '../native-dates.ts';
import { type ReadPlace, readPlace } from '../places.ts';
import { A_PRICE, readPrices, ticketsOf } from '../prices.ts';
import { PLAIN_OF_EVENTS, PLAIN_OF_VENUES, type TableField } from '../table-fields.ts';
import type { Row } from '../table-rows.ts';
import { townKey } from '../venue-ids.ts';
import {
  CANCELLED_FLAG,
  type CellReader,
  cellAs,
  FLAG,
  INTEGER,
  organizersIn,
  picturesIn,
  SOLD_OUT_FLAG,
  splitCell,
  WEB_ADDRESS,
} from './cells.ts';
import type { ReadRow, RowCells, TableContext } from './row.ts';
import { datesOfRow } from './row-dates.ts';
import { publishedLater } from './visibility.ts';

/** Null, after a finding, for a row that is not a date of an event. */
export function readRow(row: Row, context: TableContext): ReadRow | null {
  const cells = cellsOf(row, context);
  if (dropUnusable(cells)) return null;
  const dates = datesOfRow(cells);
  if (dates === null) return null;
  const { cell } = cells;
  const id = cell('id');
  const title = titleOf(cells);
  const venue = placeOfRow(cells);
  const named = context.categories.sortNames(splitCell(cell('categories'), SEPARATORS));
  return {
    row,
    id,
    title,
    place: nameKey(cell('venue') || cell('address')),
    municipality: townKey(cell('municipality')),
    ...dates,
    values: dateValuesOf(cells, venue),
    fields: fieldsOfRow(cells, venue, named.fields),
    unnamed: named.unnamed,
  };
}

/** The cells of a row, and findings about them. */
function cellsOf(row: Row, context: TableContext): RowCells {
  const { columns, idOf, addFinding } = context;
  const cell = (field: TableField) => columns.cellOf(row, field);
  const usedCells = (field: TableField) => columns.usedCellsOf(row, field);
  const id = cell('id');
  const reportIn: RowCells['reportIn'] = ({ column, value }, expected, action) => {
    const about = { line: row.number, id: id === '' ? null : idOf(id), field: column };
    const found = excerpt(value === '' ? undefined : value);
    addFinding({ action: action ?? 'changed value', ...about, expected, found });
  };
  const reportCell: RowCells['reportCell'] = (field, expected, action) => {
    const [used = { column: columns.columnIn(row, field), value: '' }] = usedCells(field);
    reportIn(used, expected, action);
  };
  return { ...context, row, cell, usedCells, reportCell, reportIn };
}

function titleOf({ cell }: RowCells): string {
  return cell('title_nb') || cell('title_en');
}

/**
 * Drops a row, with a finding, that has neither a title nor an id, or (G2) that might be shown too early, because its publishing date cannot
 * be read. Returns whether it has dropped it.
 */
function dropUnusable(cells: RowCells): boolean {
  const { cell, columns, read, reportCell } = cells;
  if (titleOf(cells) === '' && cell('id') === '') {
    reportCell(columns.has('title_nb') ? 'title_nb' : 'title_en', 'a title', 'dropped record');
    return true;
  }
  const publishing = momentReaderOf(read);
  const isUnreadable = cell('publishingDate') !== '' && publishing.read(cell('publishingDate')) === undefined;
  if (isUnreadable) reportCell('publishingDate', publishing.expected, 'dropped record');
  return isUnreadable;
}

function dateValuesOf(cells: RowCells, { venue }: ReadPlace): DateValues {
  const { cell, directory, row } = cells;
  const prices = pricesOfRow(cells);
  const status = nameKey(cell('status')).replace(DENIED_STATE, '');
  return {
    venue: venue === null ? null : directory.venue({ ...venue, ...venueFieldsOf(cells) }, row.number),
    ticketsURL: cellAs('ticketsURL', cells, WEB_ADDRESS) ?? null,
    tickets: prices.length === 0 ? null : ticketsOf(prices),
    status: statusIn(status, cellAs('eventCancelled', cells, CANCELLED_FLAG) === true),
    eventSoldOut: cellAs('eventSoldOut', cells, SOLD_OUT_FLAG) === true || SOLD_OUT.test(status),
  };
}

/** The plain fields of the row's venue. */
function venueFieldsOf(cells: RowCells): object {
  const plain = PLAIN_VENUE_FIELDS.map(([field, kind]) => [field, plainCell(field, kind, cells)]);
  const accessibility = accessibilityIn('venueAccessibility', cells);
  return { ...Object.fromEntries(plain), accessibility: unlessEmpty(accessibility) };
}

function statusIn(word: string, isCancelled: boolean): DateValues['status'] {
  if (CANCELLED.test(word)) return 'CANCELLED';
  if (POSTPONED.test(word)) return 'POSTPONED';
  return isCancelled ? 'CANCELLED' : null;
}

/** `Ikke utsolgt`: the state that an event does not have. */
const DENIED_STATE = /(?<![a-z])(?:ikke|ikkje|not) (?:lenger |longer )?(?:sold out|[a-z]+)/g;
const CANCELLED = /avlyst|kansellert|innstilt|cancel/;
const POSTPONED = /utsatt|utsett|postponed/;
const SOLD_OUT = /utsolgt|utsel[dt]|sold out/;

/** With several columns, each is a ticket with the column's name. */
function pricesOfRow({ columns, row, feed, reportIn }: RowCells) {
  const cells = columns.cellsOf(row, 'prices');
  return cells.flatMap((cell) => {
    const offer = cells.length > 1 ? { label: cell.name } : {};
    const { prices, unread } = readPrices(cell.value, feed.language, offer);
    if (unread.length > 0) reportIn(cell, A_PRICE);
    return prices;
  });
}

function fieldsOfRow(cells: RowCells, place: ReadPlace, named: CategoryFields): JsonObject {
  const { venue, stream, isOnline } = place;
  const { cell, idOf } = cells;
  const fields: Record<string, unknown> = {};
  // Fields are set one by one: most are blank, and copies without these took 0.3 s for 20,000 rows.
  const set = (field: string, value: unknown) => {
    if (!isBlank(value)) fields[field] = value;
  };
  for (const field of TEXTS) set(field, cell(field));
  set('eventLink', cellAs('eventLink', cells, WEB_ADDRESS));
  for (const [field, kind] of PLAIN_EVENT_FIELDS) {
    if (kind !== 'accessibility') set(field, plainCell(field, kind, cells));
  }
  if (fields.publishingDate === undefined) set('publishingDate', publishedLater(cells.row, cells));
  set('categories', named.categories);
  set('accessibility', [...accessibilityIn('accessibility', cells), ...(named.accessibility ?? [])]);
  set('tags', [...new Set([...(named.tags ?? []), ...splitCell(cell('tags'), SEPARATORS)])]);
  set('organizers', organizersOf(cells));
  set('images', imagesOf(cells));
  if (cell('superEvent') !== '') set('superEvent', idOf(cell('superEvent')));
  // A place may accompany a web address.
  if (isOnline && venue === null) set('mode', 'online');
  if (stream !== null) fields.streamingURL ??= stream;
  return fields;
}

/** Between the words of a cell. */
const SEPARATORS = /[,;|\n]/;

function isBlank(value: unknown): boolean {
  return value === undefined || value === '' || (Array.isArray(value) && value.length === 0);
}

const TEXTS = ['title_nb', 'title_en', 'desc_nb', 'desc_en'] as const;

type FieldsWithKind = readonly (readonly [field: TableField, kind: FieldKind])[];

const PLAIN_EVENT_FIELDS = withKinds(PLAIN_OF_EVENTS);
const PLAIN_VENUE_FIELDS = withKinds(PLAIN_OF_VENUES);

function withKinds(table: Readonly<Record<string, Field>>): FieldsWithKind {
  return Object.entries(table).map(([name, { kind }]) => [name as TableField, kind] as const);
}

/** A plain field's native value; undefined for a blank cell. */
function plainCell(field: TableField, kind: FieldKind, cells: RowCells): unknown {
  const readers: Partial<Record<FieldKind, CellReader<unknown>>> = {
    url: WEB_ADDRESS,
    flag: FLAG,
    integer: INTEGER,
  };
  const reader = kind === 'moment' ? momentReaderOf(cells.read) : readers[kind];
  return reader === undefined ? cells.cell(field) || undefined : cellAs(field, cells, reader);
}

/** E6: words separated by commas or semicolons, each one any name of a feature. */
function accessibilityIn(field: TableField, { cell, reportCell }: RowCells): readonly Accessibility[] {
  return splitCell(cell(field), SEPARATORS).flatMap((name) => {
    const word = accessibilityNamed(name);
    if (word === undefined)
      reportCell(field, 'words such as rullestol, teleslynge, tegnspråk or synstolking');
    return word ?? [];
  });
}

/** Reads a moment as a datetime of the native format; a day alone is its first midnight. */
function momentReaderOf(reader: ReadMoment): CellReader<string> {
  const read = (cell: string) => {
    const { day = null, time = null, offset = '' } = reader(cell) ?? {};
    return day === null ? undefined : writtenAt({ day, time: time ?? '00:00', offset });
  };
  return { expected: 'a date such as 14.02.2027 kl. 19.00', read };
}

function organizersOf({ usedCells, directory, row, reportIn }: RowCells): readonly string[] {
  const names = usedCells('organizers').flatMap((cell) =>
    organizersIn(cell.value, (expected) => reportIn(cell, expected)),
  );
  const named = names.filter((name) => withoutFiller(name) !== '');
  return [...new Set(named.map((name) => directory.organizer({ name }, row.number)))];
}

/** Each once, although several columns may have it. */
function imagesOf({ usedCells, reportIn }: RowCells): readonly unknown[] {
  const pictures = usedCells('images').flatMap((cell) =>
    picturesIn(cell.value, (expected) => reportIn(cell, expected)),
  );
  return [...new Map(pictures.map((picture) => [picture.urlLarge, picture])).values()];
}

/** The place; parts that cannot be stored are named in the row's findings. */
function placeOfRow({ cell, addressOfVenue, reportCell }: RowCells): ReadPlace {
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
    if (part === 'postalCode') reportCell('postalCode', expected);
    else reportCell(cell('latitude') === '' ? 'longitude' : 'latitude', expected);
  }
  return place;
}
