/** The snapshot folder, which a build publishes into and servers read from (H5): the snapshots in it, and how changes are noticed. */
import { type FSWatcher, watch } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { CalendarError, isMissing, messageOf } from '../calendar/errors.ts';
import { idOfFile, idOfPath, MANIFEST } from './files.ts';
import { type Meta, readMeta } from './meta.ts';
import { type OpenOptions, openSnapshot, type Snapshot } from './open.ts';
import { openReader, type ReaderOptions } from './sqlite.ts';

/** Opens a snapshot file, whose name has its id. Throws SNAPSHOT_UNUSABLE for a file that lacks what a server loads. */
export async function openSnapshotFile(
  path: string,
  options: OpenOptions & ReaderOptions = {},
): Promise<Snapshot> {
  return openSnapshot(await openReader(path, options), idOfPath(path), options);
}

interface SnapshotFile {
  readonly id: string;
  readonly path: string;
  /** Milliseconds since 1970. */
  readonly modified: number;
}

/** Every file with a snapshot's name, the latest written first. A missing folder has none. */
export async function listSnapshots(folder: string): Promise<readonly SnapshotFile[]> {
  const files: SnapshotFile[] = [];
  const names = await readdir(folder).catch((cause): string[] => {
    if (isMissing(cause)) return [];
    throw new CalendarError('SNAPSHOT_UNUSABLE', `${folder}: ${messageOf(cause)}`, { cause });
  });
  for (const name of names) {
    const id = idOfFile(name);
    if (id === null) continue;
    const path = join(folder, name);
    // A builder may have removed it meanwhile.
    const found = await lstat(path).catch(() => null);
    if (found?.isFile() === true) files.push({ id, path, modified: found.mtimeMs });
  }
  return files.sort((left, right) => right.modified - left.modified || (left.id < right.id ? -1 : 1));
}

export interface DatedSnapshot extends SnapshotFile, Pick<Meta, 'builtAt' | 'counts'> {}

/** The snapshots of a folder, the latest build first: a copy of the folder keeps this order. Files whose facts cannot be read are left out. */
export async function listByBuild(folder: string): Promise<readonly DatedSnapshot[]> {
  const dated: DatedSnapshot[] = [];
  for (const file of await listSnapshots(folder)) {
    const meta = await metaOf(file.path).catch(() => null);
    if (meta !== null) dated.push({ ...file, builtAt: meta.builtAt, counts: meta.counts });
  }
  // Files of the same instant stay in the order of writing.
  return dated.sort((left, right) => Date.parse(right.builtAt) - Date.parse(left.builtAt));
}

async function metaOf(path: string): Promise<Meta> {
  const reader = await openReader(path, { connections: 1 });
  return readMeta(reader).finally(reader.close);
}

/**
 * Calls back when the manifest may have changed: at once if the file system reports events, otherwise at the next poll. Neither keeps the process
 * alive. Returns a function that stops it.
 */
export function watchFolder(folder: string, pollMs: number, onChange: () => void): () => void {
  let watcher: FSWatcher | undefined;
  // A watcher follows the folder that it was made for, even when another one takes that name.
  const rewatch = (): void => {
    watcher?.close();
    try {
      watcher = watch(folder, { persistent: false }, (_, name) => {
        if (name === null || name === MANIFEST) onChange();
      }).on('error', () => undefined);
    } catch {
      // Without events (no folder, not supported, or too many watchers on this machine) polling goes on.
    }
  };
  rewatch();
  const poll = setInterval(() => {
    rewatch();
    onChange();
  }, pollMs).unref();
  return () => {
    clearInterval(poll);
    watcher?.close();
  };
}
