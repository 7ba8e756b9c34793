/** Whether `05/06/2027` is in June or in May: decided for a whole column, and never guessed. */
import { FeedProblem } from '../health.ts';
import { type DateOrder, momentReader, type ReadMoment } from '../moments.ts';
import type { TableField as Field } from '../table-fields.ts';
import type { Columns } from './columns.ts';
import type { Row } from './table.ts';

/** The reader of a column's dates. Throws FeedProblem if their order is uncertain. */
export function dateReaders(
  rows: readonly Row[],
  columns: Columns,
  format: string | null,
): (field: Field) => ReadMoment {
  if (format !== null) {
    const read = momentReader(format);
    return () => read;
  }
  const read = { 'day first': momentReader(null), 'month first': momentReader(null, 'month first') };
  const tallies = DATES.filter((field) => columns.has(field)).map((field) => tallyOf(field, rows, columns));
  const orders = new Map<Field, DateOrder>(
    tallies.map((tally) => [tally.field, orderOf(tally, tallies, { rows, columns })]),
  );
  return (field) => read[orders.get(field) ?? 'day first'];
}

const DATES = ['start', 'date', 'end', 'endDate', 'except', 'publishingDate', 'ticketsFromDate'] as const;

/** The dates of a column that prove an order, and those that are ambiguous. */
interface Tally {
  readonly field: (typeof DATES)[number];
  readonly 'day first': readonly string[];
  readonly 'month first': readonly string[];
  /** `05/06/2027`; with dots the Norwegian order is certain. */
  readonly doubtful: readonly string[];
}

const NUMERIC = /(?<![\d./-])(\d{1,2})([./-]) ?(\d{1,2})\2 ?(?:\d{4}|\d{2})(?!\d)/g;

function tallyOf(field: Tally['field'], rows: readonly Row[], { cellOf }: Columns): Tally {
  const tally = {
    field,
    'day first': [] as string[],
    'month first': [] as string[],
    doubtful: [] as string[],
  };
  for (const row of rows) {
    for (const [date, first, separator, second] of cellOf(row, field).matchAll(NUMERIC)) {
      if (Number(first) > 12 && Number(second) <= 12) tally['day first'].push(date);
      else if (Number(second) > 12 && Number(first) <= 12) tally['month first'].push(date);
      else if (separator !== '.' && Number(first) !== Number(second)) tally.doubtful.push(date);
    }
  }
  return tally;
}

interface Table {
  readonly rows: readonly Row[];
  readonly columns: Columns;
}

/** By its own dates, else by those of the other columns, else by the program that wrote the table. */
function orderOf(tally: Tally, all: readonly Tally[], table: Table): DateOrder {
  const own = decided(tally);
  if (own !== null) return own;
  const [doubtful] = tally.doubtful;
  if (doubtful === undefined) return 'day first';
  const others = all.map(decided).filter((order) => order !== null);
  const order = new Set(others).size === 1 ? others[0] : programOrder(table);
  if (order !== null && order !== undefined) return order;
  throw problem(tally.field, table, `"${doubtful}", which is ${readings(doubtful)}`);

  function decided(column: Tally): DateOrder | null {
    const [days, months] = [column['day first'], column['month first']];
    const [few, many] = [days.length, months.length].sort((left, right) => left - right);
    if (many === 0 || few === undefined || many === undefined) return null;
    if (column.doubtful.length > 0 && many <= SLIPS * few)
      throw problem(column.field, table, `both "${days[0]}" and "${months[0]}"`);
    return days.length === many ? 'day first' : 'month first';
  }
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
  const expected = `dates in the column ${JSON.stringify(columns.titleOf(field))} whose order is certain`;
  const settings = 'say "format": "DD/MM/YYYY" or "format": "MM/DD/YYYY", with " HH:mm" if it has times';
  return new FeedProblem('unreadable answer', `expected ${expected}, found ${found}; ${settings}`);
}

const MONTHS = 'January February March April May June July August September October November December'.split(
  ' ',
);

/** `5 June 2027 by DD/MM/YYYY and 6 May 2027 by MM/DD/YYYY` */
function readings(date: string): string {
  const [first = '', second = '', year = ''] = date.split(/[./-] ?/);
  const written = (day: string, month: string) =>
    `${Number(day)} ${MONTHS[Number(month) - 1] ?? month} ${year}`;
  return `${written(first, second)} by DD/MM/YYYY and ${written(second, first)} by MM/DD/YYYY`;
}
