/** Whether `05/06/2027` is in June or in May: decided for a whole table, and never guessed. */
import { FeedProblem } from '../health.ts';
import { type DateOrder, momentReader, type ReadMoment } from '../moments.ts';
import type { TableField as Field } from '../table-fields.ts';
import type { Columns } from './columns.ts';
import type { Row } from './table.ts';

/** The reader of the table's dates. Throws FeedProblem if their order is uncertain. */
export function dateReader(table: Table, format: string | null): ReadMoment {
  return format === null ? momentReader(null, orderOf(table)) : momentReader(format);
}

const DATES = ['start', 'date', 'end', 'endDate', 'except', 'publishingDate', 'ticketsFromDate'] as const;
const NUMERIC = /(?<![\d./-])(\d{1,2})([./-]) ?(\d{1,2})\2 ?(?:\d{4}|\d{2})(?!\d)/g;

interface Table {
  readonly rows: readonly Row[];
  readonly columns: Columns;
}

/** By the dates that have one reading, else by the program that wrote the table. */
function orderOf(table: Table): DateOrder {
  const { dayFirst, monthFirst, doubtful } = readingsIn(table);
  const [few = 0, many = 0] = [dayFirst.length, monthFirst.length].sort((left, right) => left - right);
  const isMixed = many > 0 && many <= SLIPS * few;
  if (doubtful !== null && isMixed)
    throw problem(doubtful.field, table, `both "${dayFirst[0]}" and "${monthFirst[0]}"`);
  if (many > 0) return dayFirst.length === many ? 'day first' : 'month first';
  if (doubtful === null) return 'day first';
  const order = programOrder(table);
  if (order !== null) return order;
  const { field, date } = doubtful;
  throw problem(field, table, `"${date}", which is ${readings(date)}`);
}

interface Readings {
  /** Dates that have one reading, by their order. */
  readonly dayFirst: readonly string[];
  readonly monthFirst: readonly string[];
  /** The first date with two readings: `05/06/2027`. With dots the Norwegian order is certain. */
  readonly doubtful: { readonly date: string; readonly field: Field } | null;
}

function readingsIn({ rows, columns }: Table): Readings {
  const dayFirst: string[] = [];
  const monthFirst: string[] = [];
  let doubtful: Readings['doubtful'] = null;
  for (const field of DATES) {
    if (!columns.has(field)) continue;
    for (const row of rows) {
      for (const [date, first, sign, second] of columns.cellOf(row, field).matchAll(NUMERIC)) {
        if (Number(first) > 12 && Number(second) <= 12) dayFirst.push(date);
        else if (Number(second) > 12 && Number(first) <= 12) monthFirst.push(date);
        else if (sign !== '.' && Number(first) !== Number(second)) doubtful ??= { date, field };
      }
    }
  }
  return { dayFirst, monthFirst, doubtful };
}

/** A date in another order than this many others is an error, not an ambiguity: it is dropped alone. */
const SLIPS = 10;

/** Google's calendar and the English Outlook use these column names and American dates; AM and PM also mean American dates. */
function programOrder({ rows, columns }: Table): DateOrder | null {
  const { names, cellOf } = columns;
  if (names.has('start date') && (names.has('all day event') || names.has('all day'))) return 'month first';
  if (names.has('startdato') && names.has('heldagshendelse')) return 'day first';
  const isHalved = (row: Row) => CLOCKS.some((field) => /\d ?[ap]\.?m\b/i.test(cellOf(row, field)));
  return rows.some(isHalved) ? 'month first' : null;
}

const CLOCKS = ['start', 'date', 'startTime', 'end', 'endDate', 'endTime'] as const;

function problem(field: Field, { columns }: Table, found: string): FeedProblem {
  const expected = `dates in the column ${JSON.stringify(columns.columnName(field))} whose order is certain`;
  const settings =
    'set "format": "DD/MM/YYYY" or "format": "MM/DD/YYYY", with " HH:mm" if the column has times';
  return new FeedProblem('unreadable answer', `expected ${expected}, found ${found}; ${settings}`);
}

/** `2027-06-05 by DD/MM/YYYY and 2027-05-06 by MM/DD/YYYY` */
function readings(date: string): string {
  const [first = '', second = '', year = ''] = date.split(/[./-] ?/).map((part) => part.padStart(2, '0'));
  return `${year}-${second}-${first} by DD/MM/YYYY and ${year}-${first}-${second} by MM/DD/YYYY`;
}
