/** H7: checks that a snapshot file has the schema of the format: until then, a statement on it may run something else. */
import { TABLES } from './format.ts';
import type { Reader } from './reader.ts';
import { openWriter } from './sqlite.ts';

/** Expects exactly the tables of the format and SQLite's own indexes, so no view, trigger or computed column among them. */
export async function checkSchema(reader: Pick<Reader, 'all'>): Promise<void> {
  const expected = await readExpectedSchema();
  const found = await readSchema(reader, expected.length + 1);
  const nameOf = (entry: string) => entry.split('\n')[0];
  // So one entry too many is an unexpected one: SQLite itself refuses a schema that lists one twice.
  const extra = found.find((entry) => !expected.includes(entry));
  if (extra !== undefined)
    throw new Error(`expected the format's tables and indexes, found ${nameOf(extra)}`);
  const missing = expected.find((entry) => !found.includes(entry));
  if (missing !== undefined) throw new Error(`expected ${nameOf(missing)}, found none`);
}

async function readExpectedSchema(): Promise<readonly string[]> {
  const writer = await openWriter(':memory:');
  try {
    await writer.exec(TABLES);
    return await readSchema(writer, 1_000);
  } finally {
    await writer.close();
  }
}

/** The type, name and table of each table and index, with its SQL on a second line. Automatic indexes of SQLite have no SQL. */
function readSchema(reader: Pick<Reader, 'all'>, most: number): Promise<readonly string[]> {
  const sql = 'select type, name, tbl_name as owner, sql from sqlite_schema order by rowid limit ?';
  return reader.all(sql, [most], ({ type, name, owner, sql: text }) => {
    const entry = `${type} ${JSON.stringify(name)} of ${JSON.stringify(owner)}`.slice(0, 200);
    // Without insignificant blanks.
    return `${entry}\n${String(text).replace(/\s+/g, ' ')}`;
  });
}
