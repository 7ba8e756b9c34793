/** Files of a snapshot folder that are not finished: a build writes them next to the snapshots, and renames them when it publishes. */
import { open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { UNFINISHED } from '../../src/snapshot/files.ts';

/** The path that a build writes to before it publishes: within the folder, because a rename is atomic only within one file system. */
export function unfinishedPath(folder: string, name: string): string {
  return join(folder, UNFINISHED + name);
}

/** A stream into a new file, which exists once this resolves: a stream that opened it later could create it after a failure was cleaned up. */
export async function createFile(
  path: string,
  options: { readonly flush?: boolean } = {},
): Promise<Writable> {
  return (await open(path, 'w')).createWriteStream(options);
}

/** Removes the files of killed builds. The caller holds the folder's lock, so none of them is in use. */
export async function removeDebris(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (name.startsWith(UNFINISHED)) await rm(join(folder, name), { force: true, recursive: true });
  }
}

/** Flushes the bytes of a file, or the names in a folder. */
export async function flushToDisk(path: string): Promise<void> {
  const handle = await open(path);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
