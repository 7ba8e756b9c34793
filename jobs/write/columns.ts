/** The server's columns and lists, one blob or document each. */
import { COLUMNS, type Columns, type Lists } from '../../src/snapshot/columns.ts';
import { COLUMN_NAMES, LISTS } from '../../src/snapshot/lift.ts';
import type { Writer } from '../../src/snapshot/sqlite.ts';

export async function writeColumns(writer: Writer, columns: Columns): Promise<void> {
  for (const name of COLUMN_NAMES) {
    const { buffer, byteOffset, byteLength, length } = columns[name];
    const bytes = new Uint8Array(buffer, byteOffset, byteLength);
    const sql = 'insert into column_blob (name, kind, length, bytes) values (?, ?, ?, ?)';
    await writer.run(sql, [name, COLUMNS[name], length, bytes]);
  }
}

export async function writeLists(writer: Writer, lists: Lists): Promise<void> {
  for (const name of LISTS) {
    const sql = 'insert into list_json (name, body) values (?, ?)';
    await writer.run(sql, [name, JSON.stringify(lists[name])]);
  }
}
