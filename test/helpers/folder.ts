/** Temporary folders, and snapshots in them. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { firstComparison } from '../../jobs/changes/changes.ts';
import { verifyAndPublish } from '../../jobs/publish/publish.ts';
import { unfinishedPath } from '../../jobs/publish/unfinished.ts';
import { type SnapshotContent, writeSnapshot } from '../../jobs/write.ts';
import { MANIFEST } from '../../src/snapshot/files.ts';
import type { Manifest } from '../../src/snapshot/manifest.ts';
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

export function snapshotContentOf({ calendar, columnSet }: MadeCalendar, builtAt = NOW): SnapshotContent {
  const meta = () => ({
    builtAt,
    sourceHash: 'a'.repeat(64),
    report: '{}',
    ledger: '{}',
    changes: '[]',
    notices: '[]',
    brand: 'null',
    feeds: '[]',
  });
  return { calendar, columnSet, comparison: firstComparison({ calendar, now: builtAt }), meta };
}

export interface Published {
  readonly name?: string;
  readonly events?: number;
  /** Instant of the build. */
  readonly builtAt?: number;
}

/** Publishes a small calendar. Calendars with different names have different snapshots. */
export async function publishCalendar(
  folder: string,
  { name, events, builtAt }: Published = {},
): Promise<Manifest> {
  const file = unfinishedPath(folder, 'calendar.sqlite');
  const made = await makeCalendar({
    ...(name === undefined ? {} : { name }),
    ...(events === undefined ? {} : { events }),
  });
  await writeSnapshot(file, snapshotContentOf(made, builtAt));
  await made.calendar.close();
  return verifyAndPublish({ folder, file });
}

/** The names of the files in a folder, sorted. */
export const filesIn = (folder: string): string[] => readdirSync(folder).sort();

export const manifestTextIn = (folder: string): string => readFileSync(join(folder, MANIFEST), 'utf8');
