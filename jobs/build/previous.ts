/** The snapshot that a target folder has, as the next build needs it: what it was made from, its ledger, its events. */
import { join } from 'node:path';
import { messageOf } from '../../src/calendar/errors.ts';
import { listByBuild, parseManifest, readManifestText } from '../../src/snapshot/folder.ts';
import type { Meta } from '../../src/snapshot/meta.ts';
import { snapshotFile } from '../../src/snapshot/names.ts';
import type { Snapshot } from '../../src/snapshot/open.ts';
import { textOf } from '../../src/snapshot/rows.ts';
import { type Expected, openVerified } from '../../src/snapshot/verify.ts';

export interface Previous {
  readonly id: string;
  readonly file: string;
  readonly meta: Meta;
  /** False when the manifest or its file is unusable and this is what a server would fall back to. */
  readonly current: boolean;
  /** JSON. */
  readonly ledger: string;
  /** Ids of its events with an occurrence that is not over now. */
  readonly upcoming: readonly string[];
}

export interface FoundPrevious {
  /** Null in a folder without a usable one. */
  readonly previous: Previous | null;
  /** What was found unusable, for people. */
  readonly warnings: readonly string[];
}

export async function findPrevious(folder: string, now: number): Promise<FoundPrevious> {
  const warnings: string[] = [];
  for await (const { current, open } of candidatesIn(folder)) {
    try {
      const snapshot = await open();
      if (snapshot === null) continue;
      const previous = await readPrevious(snapshot, { now, current });
      return { previous, warnings: [...warnings, ...clockWarnings(previous, now)] };
    } catch (cause) {
      warnings.push(messageOf(cause));
    }
  }
  return { previous: null, warnings: [...new Set(warnings)] };
}

/** A clock that was set back would let events that are over come back; what is built is right for the clock as it is. */
function clockWarnings({ file, meta }: Previous, now: number): readonly string[] {
  if (Date.parse(meta.builtAt) / 1000 <= now) return [];
  const found = new Date(now * 1000).toISOString();
  return [`${file}: built at ${meta.builtAt}, later than now (${found}): look at this machine's clock`];
}

interface Candidate {
  readonly current: boolean;
  readonly open: () => Promise<Snapshot | null>;
}

/** The manifest's file, then the others, the newest build first: as a server chooses at its start. */
async function* candidatesIn(folder: string): AsyncGenerator<Candidate> {
  yield { current: true, open: () => openCurrent(folder) };
  for (const { path } of await listByBuild(folder)) {
    yield { current: false, open: () => openFile(path, {}) };
  }
}

async function openCurrent(folder: string): Promise<Snapshot | null> {
  const text = await readManifestText(folder);
  if (text === null) return null;
  const manifest = parseManifest(text);
  return openFile(join(folder, manifest.file), manifest);
}

async function openFile(path: string, expected: Expected): Promise<Snapshot> {
  return (await openVerified(path, expected, { connections: 1, timeout: 0 })).snapshot;
}

const LEDGER = `select value from meta where key = 'ledger'`;
const UPCOMING = `select id from event where exists
  (select 1 from occurrence where occurrence.event = event.ordinal and occurrence.over > ?) order by ordinal`;

interface Moment {
  readonly now: number;
  readonly current: boolean;
}

async function readPrevious(snapshot: Snapshot, { now, current }: Moment): Promise<Previous> {
  try {
    const [ledger = ''] = await snapshot.query(LEDGER, [], (row) => textOf(row, 'value'));
    const upcoming = await snapshot.query(UPCOMING, [now], (row) => textOf(row, 'id'));
    const { id, meta } = snapshot;
    return { id, file: snapshotFile(id), meta, current, ledger, upcoming };
  } finally {
    await snapshot.close();
  }
}
