/** Inserts many rows in few calls: each call goes through the driver's thread pool, so one call a row makes a build slow. */
import type { Writer } from './sqlite.ts';

export interface Table<Row> {
  readonly name: string;
  /** By column, always in the same order. Only integers, texts and null: SQLite would store any other number as REAL (G5). */
  readonly cells: (row: Row) => Readonly<Record<string, string | number | null>>;
}

export async function insertRows<Row>(
  writer: Writer,
  { name, cells }: Table<Row>,
  rows: Iterable<Row>,
): Promise<void> {
  let columns: readonly string[] | undefined;
  let batch: Batch | undefined;
  for (const row of rows) {
    const byColumn = cells(row);
    columns ??= Object.keys(byColumn);
    batch ??= batchOf(writer, { name, columns });
    await batch.add(JSON.stringify(columns.map((column) => byColumn[column])));
  }
  await batch?.end();
}

export interface Batch {
  /** `row`: a JSON array of its cells, in the order of the columns. */
  readonly add: (row: string) => Promise<void>;
  /** Writes the remaining rows. */
  readonly end: () => Promise<void>;
}

/** Rows of a batch. */
const MOST_ROWS = 500;
/** UTF-16 units; long descriptions make the batches shorter. */
const LONGEST_BATCH = 1_000_000;

interface BatchOptions {
  /** Name of the table. */
  readonly name: string;
  readonly columns: readonly string[];
}

/**
 * A batch is one JSON array, which SQLite parses faster than it binds values one by one. Its rows are arrays, too: SQLite finds a cell by
 * its position in two thirds of the time that a name takes.
 */
export function batchOf(writer: Writer, { name, columns }: BatchOptions): Batch {
  const cells = columns.map((_, position) => `value ->> ${position}`);
  const sql = `insert into ${name} (${columns.join(', ')})
    select ${cells.join(', ')} from jsonb_each(?) as batch order by batch.rowid`;
  let rows: string[] = [];
  let length = 0;

  async function end(): Promise<void> {
    if (rows.length === 0) return;
    const batch = `[${rows.join(',')}]`;
    rows = [];
    length = 0;
    await writer.run(sql, [batch]);
  }

  async function add(row: string): Promise<void> {
    rows.push(row);
    length += row.length;
    if (rows.length === MOST_ROWS || length > LONGEST_BATCH) await end();
  }

  return { add, end };
}
