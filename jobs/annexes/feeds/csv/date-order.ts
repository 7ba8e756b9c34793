/** Whether `05/06/2027` is in June or in May: decided for a whole table, and never guessed. */
import { FeedProblem } from '../feed-problem.ts';
import type { DateOrder } from '../moment-forms.ts';
import { momentReader, type ReadMoment } from '../moments.ts';
import type { TableField } from '../table-fields.ts';
import type { Row } from '../table-rows.ts';
import type { Columns } from './columns.ts';

interface Table {
  readonly rows: readonly Row[];
  readonly columns: Columns;
}

/** The reader of the table's dates. With a format, their order is that of the format. Throws FeedProblem if their order is uncertain. */
export function dateReader(table: Table, format: string | null): ReadMoment {
  return format === null ? momentReader(null, orderOf(table)) : momentReader(format);
}

/** By the dates that have one reading, else by the program that wrote the table. */
function orderOf(table: Table): DateOrder {
  const { dayFirst, monthFirst, ambiguous } = datesByOrder(table);
  const isMonthFirst = monthFirst.length > dayFirst.length;
  const fewer = isMonthFirst ? dayFirst : monthFirst;
  const more = isMonthFirst ? monthFirst : dayFirst;
  const isMixed = fewer.length * MISTAKES_APART >= more.length && more.length > 0;
  if (ambiguous !== null && isMixed)
    throw uncertainOrder(ambiguous.column, `both "${dayFirst[0]}" and "${monthFirst[0]}"`);
  if (more.length > 0) return isMonthFirst ? 'month first' : 'day first';
  if (ambiguous === null) return 'day first';
  const order = orderOfProgram(table);
  if (order !== null) return order;
  const { column, date } = ambiguous;
  throw uncertainOrder(column, `"${date}", which is ${bothReadings(date)}`);
}

/** One date in another order than this many others is a mistake, which is dropped alone: the order of the table is certain. */
const MISTAKES_APART = 10;

interface DatesByOrder {
  /** Dates that have one reading, as written. */
  readonly dayFirst: readonly string[];
  readonly monthFirst: readonly string[];
  /** The first date with two readings: `05/06/2027`. With dots the Norwegian order is certain. */
  readonly ambiguous: { readonly date: string; readonly column: string } | null;
}

/** Columns with dates. */
const DATE_FIELDS = [
  'start',
  'date',
  'end',
  'endDate',
  'except',
  'publishingDate',
  'ticketsFromDate',
] as const;

/** A date of numbers with the year last: its first number, the separator, and its second number. */
const NUMERIC_DATE = /(?<![\d./-])(\d{1,2})([./-]) ?(\d{1,2})\2 ?(?:\d{4}|\d{2})(?!\d)/g;
const MONTHS = 12;

function datesByOrder({ rows, columns }: Table): DatesByOrder {
  const dayFirst: string[] = [];
  const monthFirst: string[] = [];
  let ambiguous: DatesByOrder['ambiguous'] = null;
  const columnWith = (date: string, row: Row, field: TableField) =>
    columns.usedCellsOf(row, field).find(({ value }) => value.includes(date))?.column ?? field;
  for (const field of DATE_FIELDS) {
    if (!columns.has(field)) continue;
    for (const row of rows) {
      for (const [date, first, separator, second] of columns.cellOf(row, field).matchAll(NUMERIC_DATE)) {
        const isFirstMonth = Number(first) <= MONTHS;
        const isSecondMonth = Number(second) <= MONTHS;
        if (!isFirstMonth && isSecondMonth) dayFirst.push(date);
        else if (isFirstMonth && !isSecondMonth) monthFirst.push(date);
        else if (separator !== '.' && Number(first) !== Number(second))
          ambiguous ??= { date, column: columnWith(date, row, field) };
      }
    }
  }
  return { dayFirst, monthFirst, ambiguous };
}

/** Google's calendar and the English Outlook use these column names and American dates; AM and PM also mean American dates. */
function orderOfProgram({ rows, columns }: Table): DateOrder | null {
  const { names, cellOf } = columns;
  if (names.has('start date') && (names.has('all day event') || names.has('all day'))) return 'month first';
  if (names.has('startdato') && names.has('heldagshendelse')) return 'day first';
  const hasHalfOfDay = (row: Row) => CLOCK_FIELDS.some((field) => /\d ?[ap]\.?m\b/i.test(cellOf(row, field)));
  return rows.some(hasHalfOfDay) ? 'month first' : null;
}

/** Columns with times of day. */
const CLOCK_FIELDS = ['start', 'date', 'startTime', 'end', 'endDate', 'endTime'] as const;

function uncertainOrder(column: string, found: string): FeedProblem {
  const expected = `dates in the column ${JSON.stringify(column)} whose order is certain`;
  const settings =
    'set "format": "DD/MM/YYYY" or "format": "MM/DD/YYYY", with " HH:mm" if the column has times';
  return new FeedProblem('unreadable answer', `expected ${expected}, found ${found}; ${settings}`);
}

/** `2027-06-05 by DD/MM/YYYY and 2027-05-06 by MM/DD/YYYY` */
function bothReadings(date: string): string {
  const [first = '', second = '', year = ''] = date.split(/[./-] ?/).map((part) => part.padStart(2, '0'));
  return `${year}-${second}-${first} by DD/MM/YYYY and ${year}-${first}-${second} by MM/DD/YYYY`;
}
