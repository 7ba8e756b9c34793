/** F18: reads a list of feeds, with one feed a row. */
import { failureText } from '../../../../src/calendar/failures.ts';
import { withNearest } from '../../../../src/calendar/nearest.ts';
import { nameKey, slugOf } from '../../../../src/calendar/text.ts';
import { shorten } from '../../../findings.ts';
import { A_CATEGORY } from '../../../validate/taxonomy.ts';
import { type Categories, createCategories } from '../categories.ts';
import { safeExcerpt } from '../config-errors.ts';
import { FLAG, splitCell, WEB_ADDRESS, words } from '../csv/cells.ts';
import { type OpenSheet, sheetReader } from '../csv/sheet.ts';
import { takes } from '../kinds.ts';
import type { NewFinding } from '../last-good.ts';
import type { Row } from '../table-rows.ts';
import { KIND_WORDS, type ListRow, ROW_KINDS, type RowKind } from './row.ts';
import { LIST_LAYOUT, type ListField } from './sheet-columns.ts';

/** The most feeds of one list, far more than a town has. */
const MOST_FEEDS = 100;

export const readFeedList = sheetReader<ListField>('feeds', {
  layout: LIST_LAYOUT,
  most: MOST_FEEDS,
  isUnset: (field, cell) => cell(field) === '',
  createReadRow: (sheet) => {
    const context: ListContext = { ...sheet, ids: new Set(), categories: createCategories(sheet.feed) };
    return (row) => readListRow(row, context);
  },
});

interface ListContext extends OpenSheet<ListField> {
  /** The ids of the rows so far. */
  readonly ids: Set<string>;
  readonly categories: Categories;
}

/** What the readers of cells need. */
interface ListReading extends ListContext {
  readonly cell: (field: ListField) => string;
  /** Leaves a cell out, after a finding. */
  readonly reportCell: (field: ListField, expected: string) => void;
  /** Reports a cell without which the feed cannot be read. */
  readonly block: (field: ListField, expected: string) => void;
}

/**
 * Null for a blank row. Empty, after a finding, for a row that names no feed. A row with another fault is a feed that fails: it keeps its last
 * good records, because its id is known.
 */
function readListRow(row: Row, context: ListContext): readonly ListRow[] | null {
  const { columns, feed, addFinding, ids } = context;
  const cell = (field: ListField) => columns.cellOf(row, field);
  if (columns.fields.every((field) => field === 'note' || cell(field) === '')) return null;
  const id = slugOf(cell('id') || cell('name')).slice(0, LONGEST_ID);
  let fault: string | null = null;
  const report = (field: ListField, expected: string, lost: Pick<NewFinding, 'action' | 'kind'>) =>
    addFinding({
      ...lost,
      line: row.number,
      id: id || null,
      field: columns.nameOf(field),
      expected,
      found: foundIn(cell(field)),
    });
  const reportCell: ListReading['reportCell'] = (field, expected) => report(field, expected, VALUE);
  const block: ListReading['block'] = (field, expected) => {
    reportCell(field, expected);
    fault ??= failureText('listedRow', {
      list: feed.id,
      row: row.number,
      column: shorten(columns.nameOf(field)),
      expected,
      found: foundIn(cell(field)),
    });
  };
  const named = cell('id') === '' ? 'name' : 'id';
  if (id === '' || ids.has(id)) {
    report(named, id === '' ? 'the name of a feed' : 'a name or an id that no earlier row has', ROW);
    return [];
  }
  ids.add(id);
  const reading = { ...context, cell, reportCell, block };
  const value = { id, name: cell('name') || null, ...addressIn(reading), ...detailsIn(reading) };
  return [{ ...value, fault }];
}

/** Characters. */
const LONGEST_ID = 64;

const VALUE = { action: 'dropped value' } as const;
const ROW = { action: 'dropped record', kind: 'feeds' } as const;

/** Without the secrets of private addresses. */
const foundIn = (cell: string): string => (cell === '' ? 'nothing' : safeExcerpt(cell));

function addressIn({ cell, reportCell, block }: ListReading): Pick<ListRow, 'url' | 'kind' | 'follow'> {
  // Calendars give addresses with a scheme of their own, which means HTTPS.
  const written = cell('url').replace(/^webcals?:\/\//i, 'https://');
  const url = WEB_ADDRESS.read(written) ?? null;
  if (url === null) block('url', WEB_ADDRESS.expected);
  const kind = cell('kind') === '' ? kindOfAddress(url) : KIND_OF_WORD.get(nameKey(cell('kind')));
  if (url !== null && kind === undefined) block('kind', SOME_KIND);
  const follow = cell('follow') || null;
  const isFollowing = follow !== null && kind !== undefined && takes(kind, 'follow') && PATH.test(follow);
  if (follow !== null && !isFollowing) reportCell('follow', FOLLOW);
  return { url, kind: kind ?? 'ical', follow: isFollowing ? follow : null };
}

const SOME_KIND = 'kalender, regneark or nettside';
const PATH = /^\/[^\s?#]*$/;
const FOLLOW = 'the beginning of a path, such as /arrangement/, for a nettside';

const KIND_OF_WORD = new Map(
  ROW_KINDS.flatMap((kind) => words(KIND_WORDS[kind]).map((word) => [word, kind] as const)),
);

/** By the end of its path; undefined for another one. */
function kindOfAddress(url: string | null): RowKind | undefined {
  if (url === null) return undefined;
  const { pathname } = new URL(url);
  if (/\.ics$/i.test(pathname)) return 'ical';
  return /\.(?:csv|xlsx)$/i.test(pathname) ? 'csv' : undefined;
}

type Details = Omit<ListRow, 'id' | 'name' | 'url' | 'kind' | 'follow' | 'fault'>;

function detailsIn(reading: ListReading): Details {
  const { cell, reportCell } = reading;
  const link = WEB_ADDRESS.read(cell('link')) ?? null;
  if (cell('link') !== '' && link === null) reportCell('link', WEB_ADDRESS.expected);
  const mayBeEmpty = cell('mayBeEmpty') === '' ? false : FLAG.read(cell('mayBeEmpty'));
  if (mayBeEmpty === undefined) reportCell('mayBeEmpty', FLAG.expected);
  return {
    municipality: municipalityIn(reading),
    categories: categoriesIn(reading),
    link,
    licence: cell('licence') || null,
    expectChangesWithinDays: daysIn(reading),
    mayBeEmpty: mayBeEmpty ?? false,
  };
}

/** The municipality of places that are in no other. A list with one municipality alone needs no column for it. */
function municipalityIn({ cell, block, feed: { municipalities } }: ListReading): string | null {
  const written = cell('municipality');
  if (municipalities === null) return written || null;
  if (written === '') return municipalities.length === 1 ? (municipalities[0] ?? null) : null;
  const allowed = municipalities.find((one) => nameKey(one) === nameKey(written));
  if (allowed === undefined)
    block('municipality', `a municipality of this list (${municipalities.join(', ')})`);
  return allowed ?? null;
}

function categoriesIn({ cell, reportCell, categories }: ListReading): readonly string[] {
  return splitCell(cell('category'), /[,;|\n]/).flatMap((word) => {
    const { fields, unnamed } = categories.sortNames([word]);
    if (fields.categories === undefined)
      reportCell('category', withNearest(A_CATEGORY, unnamed[0]?.nearest ?? null));
    return fields.categories ?? [];
  });
}

const MOST_DAYS = 366;

function daysIn({ cell, reportCell }: ListReading): number | null {
  if (cell('days') === '') return null;
  const days = /^\d{1,3}$/.test(cell('days')) ? Number(cell('days')) : 0;
  if (days >= 1 && days <= MOST_DAYS) return days;
  reportCell('days', 'a whole number from 1 to 366');
  return null;
}
