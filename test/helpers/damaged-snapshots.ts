/** Snapshot files with faults that are not seen when they are opened. */
import { truncateSync, writeFileSync } from 'node:fs';
import { APPLICATION_ID, FORMAT, PAGE_SIZE } from '../../src/snapshot/format.ts';
import { openWriter } from '../../src/snapshot/sqlite.ts';

/** Puts the rows of an index in the wrong order. SQLite finds this only when it checks the index. */
export async function misleadIndex(path: string): Promise<void> {
  await replaceInSchema(path, 'primary key', 'primary key desc');
  const writer = await openWriter(path);
  await writer.exec("insert into sequence values ('a', 1, 1), ('b', 1, 1); reindex sequence");
  await writer.close();
  await replaceInSchema(path, 'primary key desc', 'primary key');
}

async function replaceInSchema(path: string, from: string, to: string): Promise<void> {
  const writer = await openWriter(path);
  await writer.exec(`pragma writable_schema = on;
    update sqlite_schema set sql = replace(sql, '${from}', '${to}') where name = 'sequence'`);
  await writer.close();
}

/** Offsets in the header of a database file (https://www.sqlite.org/fileformat.html, section 1.3). */
const AT = {
  pageSize: 16,
  /** The versions for writing and for reading, a byte each. */
  versions: 18,
  pages: 28,
  textEncoding: 56,
  userVersion: 60,
  applicationId: 68,
};
const HEADER_BYTES = 100;
const LEGACY_JOURNAL = 0x0101;
const UTF_8 = 1;
const ENDLESS_BYTES = 2 ** 42;

/** Writes the header of a snapshot with zeros after it: a sparse file that takes hours to hash, and hardly any room on the disk. */
export function makeEndless(path: string): void {
  const header = Buffer.alloc(HEADER_BYTES);
  header.write('SQLite format 3\0', 'latin1');
  header.writeUInt16BE(PAGE_SIZE, AT.pageSize);
  header.writeUInt16BE(LEGACY_JOURNAL, AT.versions);
  header.writeUInt32BE(ENDLESS_BYTES / PAGE_SIZE, AT.pages);
  header.writeUInt32BE(UTF_8, AT.textEncoding);
  header.writeUInt32BE(FORMAT, AT.userVersion);
  header.writeUInt32BE(APPLICATION_ID, AT.applicationId);
  writeFileSync(path, header);
  truncateSync(path, ENDLESS_BYTES);
}
