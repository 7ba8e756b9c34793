/** Temporary folders, and snapshots in them. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { firstComparison } from '../../jobs/changes/changes.ts';
import { verifyAndPublish } from '../../jobs/publish.ts';
import { unfinishedPath } from '../../jobs/unfinished.ts';
import { type SnapshotContent, writeSnapshot } from '../../jobs/write.ts';
import { MANIFEST } from '../../src/snapshot/files.ts';
import { APPLICATION_ID, FORMAT, PAGE_SIZE } from '../../src/snapshot/format.ts';
import type { Manifest } from '../../src/snapshot/manifest.ts';
import { openWriter } from '../../src/snapshot/sqlite.ts';
import { type MadeCalendar, makeCalendar, NOW } from './calendar.ts';

const folders: string[] = [];
process.on('exit', () => {
  // A program that was killed a moment ago may still be writing there.
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

/** A folder that is gone when the process ends. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'almanakk-'));
  folders.push(folder);
  return folder;
}

export function contentOf({ calendar, columnSet }: MadeCalendar, builtAt = NOW): SnapshotContent {
  const meta = () => ({ builtAt, sourceHash: 'a'.repeat(64), ledger: '{}', report: '{}' });
  return { calendar, columnSet, comparison: firstComparison({ calendar, now: builtAt }), meta };
}

export interface Published {
  readonly name?: string;
  readonly events?: number;
  /** Instant of the build. */
  readonly builtAt?: number;
}

/** Builds a calendar of its own and publishes it. Another name, another snapshot. */
export async function publishCalendar(
  folder: string,
  { name, events, builtAt }: Published = {},
): Promise<Manifest> {
  const file = unfinishedPath(folder, 'calendar.sqlite');
  const made = await makeCalendar({
    ...(name === undefined ? {} : { name }),
    ...(events === undefined ? {} : { events }),
  });
  await writeSnapshot(file, contentOf(made, builtAt));
  await made.calendar.close();
  return verifyAndPublish({ folder, file });
}

/** The names of the files in a folder, sorted. */
export const filesIn = (folder: string): string[] => readdirSync(folder).sort();

export const manifestTextIn = (folder: string): string => readFileSync(join(folder, MANIFEST), 'utf8');

/** Fills an index in the wrong order: what SQLite finds only when it looks for it. */
export async function misleadIndex(path: string): Promise<void> {
  const swap = async (from: string, to: string) => {
    const writer = await openWriter(path);
    await writer.exec(`pragma writable_schema = on;
      update sqlite_schema set sql = replace(sql, '${from}', '${to}') where name = 'sequence'`);
    await writer.close();
  };
  await swap('primary key', 'primary key desc');
  const writer = await openWriter(path);
  await writer.exec("insert into sequence values ('a', 1, 1), ('b', 1, 1); reindex sequence");
  await writer.close();
  await swap('primary key desc', 'primary key');
}

/** Writes the header of a snapshot and zeros after it: a sparse file that takes hours to hash and hardly any disk. */
export function makeEndless(path: string): void {
  const header = Buffer.alloc(100);
  header.write('SQLite format 3\0', 'latin1');
  header.writeUInt16BE(PAGE_SIZE, 16);
  header.writeUInt16BE(0x0101, 18);
  header.writeUInt32BE(2 ** 42 / PAGE_SIZE, 28);
  header.writeUInt32BE(1, 56);
  header.writeUInt32BE(FORMAT, 60);
  header.writeUInt32BE(APPLICATION_ID, 68);
  writeFileSync(path, header);
  truncateSync(path, 2 ** 42);
}
