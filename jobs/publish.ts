/** Puts a finished file into a snapshot folder: the folder has the old snapshot or the new one at every instant (G1, H5). */
import { open, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  listSnapshots,
  MANIFEST,
  type Manifest,
  renderManifest,
  snapshotFile,
  snapshotId,
  UNFINISHED,
} from '../src/snapshot/folder.ts';
import { FORMAT } from '../src/snapshot/format.ts';
import { type Expected, type VerifiedFile, verifyFile } from '../src/snapshot/verify.ts';

/** Where a build writes before it publishes: within the folder, because a rename is atomic on one file system only. */
export function unfinishedPath(folder: string, name: string): string {
  return join(folder, UNFINISHED + name);
}

interface Publication {
  readonly folder: string;
  /** A file within the folder that nobody writes to any more; see `unfinishedPath`. */
  readonly file: string;
  /** What is known of the file beforehand, such as the manifest of where it was fetched. */
  readonly expected?: Expected;
  /** Throws for a file that is not what it should be. */
  readonly verify?: (file: string, expected: Expected) => Promise<VerifiedFile>;
}

/** Verifies the file and makes it the folder's current snapshot. To be called with the folder's lock held. */
export async function publish({
  folder,
  file,
  expected = {},
  verify = verifyBuilt,
}: Publication): Promise<Manifest> {
  await flushToDisk(file);
  const { bytes, sha256, builtAt, counts } = await verify(file, expected);
  const id = snapshotId(sha256);
  const manifest = { format: FORMAT, id, file: snapshotFile(id), bytes, sha256, builtAt, counts };
  const draft = unfinishedPath(folder, MANIFEST);
  // Whatever takes room comes before the first rename, so that a full disk leaves nothing but debris.
  await writeFile(draft, renderManifest(manifest), { flush: true });
  await rename(file, join(folder, manifest.file));
  await flushToDisk(folder);
  await rename(draft, join(folder, MANIFEST));
  await flushToDisk(folder);
  await prune(folder, manifest.id);
  return manifest;
}

function verifyBuilt(file: string, expected: Expected): Promise<VerifiedFile> {
  return verifyFile(file, expected, 'publish');
}

/** Removes what killed builds left. To be called with the folder's lock held, when all of it is dead. */
export async function removeDebris(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (name.startsWith(UNFINISHED)) await rm(join(folder, name), { force: true, recursive: true });
  }
}

/** H5: the current one and the two before it. Servers that still read an older one keep it until they close it. */
const KEPT = 3;

async function prune(folder: string, current: string): Promise<void> {
  const older = (await listSnapshots(folder)).filter(({ id }) => id !== current);
  for (const { path } of older.slice(KEPT - 1)) await rm(path, { force: true });
}

/** Of a folder: its names. Of a file: its bytes. */
async function flushToDisk(path: string): Promise<void> {
  const handle = await open(path);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
