/** F15: reads a correction sheet. Its rows become entries of the form of `corrections.json` (F13). */
import { shortened } from '../../../../src/calendar/display-text.ts';
import type { JsonObject } from '../../../../src/calendar/json.ts';
import { whereSchema } from '../../../corrections/schemas.ts';
import { excerpt, shorten } from '../../../findings.ts';
import { FLAG, wordReader, words } from '../csv/cells.ts';
import { createColumns } from '../csv/columns.ts';
import { dateReader } from '../csv/date-order.ts';
import { type OpenSheet, sheetReader } from '../csv/sheet.ts';
import type { SheetColumns } from '../csv/sheet-layout.ts';
import type { NewFinding } from '../last-good.ts';
import { readMomentList } from '../moment-lists.ts';
import type { ReadMoment, WrittenMoment } from '../moments.ts';
import { writtenAt } from '../native-dates.ts';
import { cellAt, type Row } from '../table-rows.ts';
import { CORRECTION_LAYOUT, columnOf, columnsByField, type SheetField } from './sheet-columns.ts';
import {
  AN_EVENT,
  isUnset,
  readValues,
  type SheetContext,
  type SheetReading,
  type SheetValues,
} from './sheet-values.ts';

/** People write them by hand. A row has one for each of its days. Each one costs work for every date of its event. */
const MOST_CORRECTIONS = 2_000;

/** Also throws FeedProblem for dates in an uncertain order. */
export const readCorrectionSheet = sheetReader<SheetField>('corrections', {
  layout: CORRECTION_LAYOUT,
  most: MOST_CORRECTIONS,
  isUnset,
  createReadRow: (sheet) => {
    const { columns, feed, addFinding } = sheet;
    const context = { columns, language: feed.language, read: momentReaderOf(sheet), addFinding };
    return (row) => readSheetRow(row, context);
  },
});

/** The reader of days and times of day, as tables have them. */
function momentReaderOf({ columns, rows, feed }: OpenSheet<SheetField>): ReadMoment {
  const dates = new Map(
    (['date', 'start', 'end'] as const).flatMap((field) => {
      const index = columns.indexes.get(field);
      return index === undefined ? [] : [[field, [index]] as const];
    }),
  );
  return dateReader({ rows, columns: createColumns(columns.head, dates, []) }, feed.format);
}

/** An entry as its row states it. Categories and the venue are words, until the directories of the calendar are known. */
interface SheetEntry extends JsonObject, Partial<SheetValues> {
  readonly where: JsonObject;
  readonly hide?: true;
  readonly note: string | null;
  /** The names of the columns by the field of the row that they give, for findings. */
  readonly columns: Readonly<Record<string, string>>;
}

/**
 * The entries of a row: one, or one for each of several days. None, after a finding, for a row that is left out: a part of it could hide or
 * change more than is meant. Null for a row without a correction.
 */
function readSheetRow(row: Row, context: SheetContext): readonly SheetEntry[] | null {
  const cell = (field: SheetField) => context.columns.cellOf(row, field);
  if (isBlank(context.columns, cell)) return null;
  const flaws: CellFlaw[] = [];
  const reportCell: SheetReading['reportCell'] = (field, expected, action) =>
    void flaws.push({ field, expected, action: action ?? 'dropped value' });
  const price = cellAt(row, context.columns.indexes.get('prices'));
  const entries = entriesOf({ ...context, cell, price, reportCell });
  const id = cell('id') === '' ? null : shorten(cell('id'));
  for (const [index, { field, expected, action }] of flaws.entries()) {
    // A row that is left out is counted once.
    const isOfRow = entries.length === 0 && index === 0;
    const lost = isOfRow ? DROPPED_ROW : { action };
    context.addFinding({
      ...lost,
      line: row.number,
      id,
      field: context.columns.nameOf(field),
      expected,
      found: excerpt(cell(field) || undefined),
    });
  }
  return entries;
}

const DROPPED_ROW = { action: 'dropped record', kind: 'corrections' } as const satisfies Partial<NewFinding>;

interface CellFlaw {
  readonly field: SheetField;
  readonly expected: string;
  readonly action: 'dropped value' | 'changed value';
}

/**
 * Spreadsheets fill the rest of a column of check boxes with FALSE. A note alone corrects nothing; nor does the id of an event in a sheet with
 * decisions, whose editor has not decided yet.
 */
function isBlank({ fields }: SheetColumns<SheetField>, cell: SheetReading['cell']): boolean {
  const hasDecisions = fields.includes('approved');
  const isMute = (field: SheetField) =>
    columnOf(field).effect === 'none' || (hasDecisions && field === 'id') || isUnset(field, cell);
  return fields.every(isMute);
}

/** None, after at least one finding, for a row that is left out. */
function entriesOf(reading: SheetReading): readonly SheetEntry[] {
  const id = idOf(reading);
  const dates = datesOf(reading);
  const isHiding = hides(reading);
  if (id === null || dates === null || isHiding === null) return [];
  const effect = isHiding ? hidingOf(reading) : readValues(reading, dates.length > 0);
  if (effect === null) return [];
  const note = shortened(reading.cell('note'), LONGEST_NOTE);
  const entry = {
    ...effect,
    note: note === '' ? null : note,
    columns: columnsByField(reading),
  };
  if (dates.length === 0) return [{ ...entry, where: { id } }];
  return dates.map((date) => ({ ...entry, where: { id, date } }));
}

/** Characters: the report repeats it. */
const LONGEST_NOTE = 500;

function idOf({ cell, reportCell }: SheetReading): string | null {
  const id = cell('id');
  const [issue] = whereSchema.safeParse({ id }).error?.issues ?? [];
  if (id !== '' && issue === undefined) return id;
  reportCell('id', id === '' ? AN_EVENT : `${AN_EVENT} (${issue?.message})`);
  return null;
}

const SOME_DATES = 'a date such as 14.02.2031 or 14.02.2031 kl. 19.00, or several with commas between them';

/** Null for a cell that cannot be read: without its dates, the row would apply to the whole event. */
function datesOf({ cell, read, reportCell }: SheetReading): readonly string[] | null {
  if (cell('date') === '') return [];
  const dates = readMomentList(cell('date'), read)?.map(dateText) ?? [null];
  const readable = dates.filter((date) => date !== null);
  const isRead = readable.length === dates.length;
  if (isRead && readable.every((date) => whereSchema.safeParse({ date }).success)) return readable;
  reportCell('date', SOME_DATES);
  return null;
}

/** Null without a day, and for a span of days. */
function dateText({ day, time, offset, lastDay }: WrittenMoment): string | null {
  if (day === null || lastDay !== null) return null;
  return time === null ? day : writtenAt({ day, time, offset });
}

const readHide = wordReader({
  yes: words('skjul|skjult|skjules|goym|goymd|goymt|goymast|hide|hidden'),
  no: words('vis|vises|visast|show'),
});

/** Null for a word that cannot be read. */
function hides({ cell, reportCell }: SheetReading): boolean | null {
  if (cell('hide') === '') return false;
  const isHiding = readHide(cell('hide')) ?? null;
  if (isHiding === null) reportCell('hide', FLAG.expected);
  return isHiding;
}

/** What is hidden cannot be changed. */
function hidingOf({ columns, cell, reportCell }: SheetReading): { readonly hide: true } {
  const others = columns.fields.filter(
    (field) => columnOf(field).effect === 'changes' && !isUnset(field, cell),
  );
  for (const field of others)
    reportCell(field, `nothing, because ${columns.nameOf('hide')} hides what the row selects`);
  return { hide: true };
}
