/**
 * Many rows by few calls. A call through the driver's thread pool costs about 35 µs, so a call a row is what makes a
 * build slow: 200,000 rows of 13 columns take 7.6 s that way and 0.5 s as below (the shell's own inserts: 1.1 s).
 */
import type { Value, Writer } from '../../src/snapshot/sqlite.ts';

export interface Table<Row> {
  readonly name: string;
  /** In the order in which `cells` gives their values. */
  readonly columns: readonly string[];
  /** Integers, texts and null only: SQLite would keep any other number as REAL (G5). */
  readonly cells: (row: Row) => readonly (string | number | null)[];
}

export interface Batch<Row> {
  /** Takes a row; writes when there are enough of them. */
  readonly add: (row: Row) => Promise<void>;
  /** Writes what is left. */
  readonly flush: () => Promise<void>;
}

export async function insertRows<Row>(writer: Writer, table: Table<Row>, rows: Iterable<Row>): Promise<void> {
  const batch = batchOf(writer, table);
  for (const row of rows) await batch.add(row);
  await batch.flush();
}

const ROWS = 500;
/** UTF-16 units; long descriptions make the batches shorter. */
const TEXT = 1_000_000;

/** A batch travels as one JSON document, which SQLite takes apart faster than it takes values one by one. */
export function batchOf<Row>(writer: Writer, { name, columns, cells }: Table<Row>): Batch<Row> {
  const values = columns.map((_, at) => `value ->> ${at}`).join(', ');
  const sql = `insert into ${name} (${columns.join(', ')})
    select ${values} from jsonb_each(?) as batch order by batch.rowid`;
  let rows: string[] = [];
  let length = 0;
  const flush = async (): Promise<void> => {
    if (rows.length > 0) await writer.run(sql, [`[${rows.join(',')}]`]);
    rows = [];
    length = 0;
  };
  const add = async (row: Row): Promise<void> => {
    const text = JSON.stringify(cells(row));
    rows.push(text);
    length += text.length;
    if (rows.length === ROWS || length > TEXT) await flush();
  };
  return { add, flush };
}

export type Body = readonly [event: number, body: string];

const BODIES = 50;

/** Bound values, because long texts full of quotes cost more as JSON within JSON: 50,000 take 0.9 s so and 0.4 s here. */
export function batchOfBodies(writer: Writer): Batch<Body> {
  let values: Value[] = [];
  const flush = async (): Promise<void> => {
    const marks = Array.from({ length: values.length / 2 }, () => '(?, ?)').join(', ');
    if (values.length > 0) await writer.run(`insert into event_json (event, body) values ${marks}`, values);
    values = [];
  };
  const add = async (body: Body): Promise<void> => {
    values.push(...body);
    if (values.length === 2 * BODIES) await flush();
  };
  return { add, flush };
}
