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
  const batch = batchOf(writer, name);
  for (const row of rows) await batch.add(JSON.stringify(cells(row)));
  await batch.end();
}

/** Rows of a batch. */
const MOST_ROWS = 500;
/** UTF-16 units; long descriptions make the batches shorter. */
const LONGEST_BATCH = 1_000_000;

/** A batch is one JSON document, which SQLite parses faster than it binds values one by one. */
export function batchOf(writer: Writer, table: string) {
  let sql = '';
  let rows: string[] = [];
  let length = 0;

  /** Writes the remaining rows. */
  async function end(): Promise<void> {
    if (rows.length === 0) return;
    const batch = `[${rows.join(',')}]`;
    rows = [];
    length = 0;
    await writer.run(sql, [batch]);
  }

  /** `row`: JSON, by column. */
  async function add(row: string): Promise<void> {
    sql ||= insertOf(table, Object.keys(JSON.parse(row)));
    rows.push(row);
    length += row.length;
    if (rows.length === MOST_ROWS || length > LONGEST_BATCH) await end();
  }

  return { add, end };
}

function insertOf(table: string, columns: readonly string[]): string {
  const values = columns.map((column) => `value ->> '$.${column}'`).join(', ');
  return `insert into ${table} (${columns.join(', ')})
    select ${values} from jsonb_each(?) as batch order by batch.rowid`;
}
