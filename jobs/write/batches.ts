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

interface Batch<Row> {
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
  const line = lineTo(writer);
  let rows: string[] = [];
  let length = 0;
  const send = async (): Promise<void> => {
    if (rows.length > 0) await line.run(sql, [`[${rows.join(',')}]`]);
    rows = [];
    length = 0;
  };
  return {
    async add(row) {
      const text = JSON.stringify(cells(row));
      rows.push(text);
      length += text.length;
      if (rows.length === ROWS || length > TEXT) await send();
    },
    async flush() {
      await send();
      await line.end();
    },
  };
}

type Body = readonly [event: number, body: string];

const BODIES = 50;

/** Bound values, because long texts full of quotes cost more as JSON within JSON: 50,000 take 0.9 s so and 0.4 s here. */
export function batchOfBodies(writer: Writer): Batch<Body> {
  const line = lineTo(writer);
  let values: Value[] = [];
  const send = async (): Promise<void> => {
    const marks = Array.from({ length: values.length / 2 }, () => '(?, ?)').join(', ');
    if (values.length > 0) await line.run(`insert into event_json (event, body) values ${marks}`, values);
    values = [];
  };
  return {
    async add(body) {
      values.push(...body);
      if (values.length === 2 * BODIES) await send();
    },
    async flush() {
      await send();
      await line.end();
    },
  };
}

interface Line {
  readonly run: Writer['run'];
  readonly end: () => Promise<void>;
}

/** Lets SQLite write one batch while the next is made. Batches of all tables arrive in the order in which they were sent. */
function lineTo(writer: Writer): Line {
  let sent: Promise<void> = Promise.resolve();
  return {
    async run(sql, values) {
      await sent;
      sent = writer.run(sql, values);
      // Who waits for it next is told; until then it is nobody's failure.
      sent.catch(() => undefined);
    },
    end: () => sent,
  };
}
