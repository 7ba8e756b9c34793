/**
 * Puts a finished file into a snapshot folder: the folder has the old snapshot or the new one at every instant (G1, H5). J4: a compressed
 * copy goes with it, for transfer; the plain file is what is hashed, signed and adopted.
 */

import { open, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import {
  type CompressedCopy,
  compressedFile,
  idOfCompressed,
  idOfFile,
  listSnapshots,
  MANIFEST,
  type Manifest,
  parseManifest,
  readManifestText,
  renderManifest,
  type Signature,
  snapshotFile,
  snapshotId,
  UNFINISHED,
} from '../src/snapshot/folder.ts';
import { FORMAT } from '../src/snapshot/format.ts';
import { type Expected, type VerifiedFile, verifyFile } from '../src/snapshot/verify.ts';

/** The path that a build writes to before it publishes: within the folder, because a rename is atomic only within one file system. */
export function unfinishedPath(folder: string, name: string): string {
  return join(folder, UNFINISHED + name);
}

/** The file exists once this resolves. A stream that opened it later would create it after a failure has been cleaned up. */
export async function createFile(
  path: string,
  options: { readonly flush?: boolean } = {},
): Promise<Writable> {
  return (await open(path, 'w')).createWriteStream(options);
}

interface Publication {
  readonly folder: string;
  /** A finished file within the folder; see `unfinishedPath`. */
  readonly file: string;
  /** Facts known of the file beforehand, such as the manifest of its origin. */
  readonly expected?: Expected;
  /** Throws for an invalid file. */
  readonly verify?: (file: string) => Promise<VerifiedFile>;
  /** J4: makes a compressed copy, for others to fetch. */
  readonly compress?: Compress;
  /** J3: signs what is published, or passes on an existing signature. */
  readonly sign?: Sign | undefined;
}

/** Writes a copy beside the file; null if that failed. */
export type Compress = (file: string, to: string) => Promise<Omit<CompressedCopy, 'file'> | null>;

/** Null for a manifest without a signature. */
export type Sign = (manifest: Manifest) => Signature | null;

/** Verifies the file and makes it the folder's current snapshot. The caller holds the folder's lock. */
export async function publish(publication: Publication): Promise<Manifest> {
  const { folder, file, expected = {}, sign = () => null } = publication;
  const copyDraft = unfinishedPath(folder, 'copy.br');
  const copying = Promise.all([publication.compress?.(file, copyDraft) ?? null, flushToDisk(file)]);
  const verifying = publication.verify?.(file) ?? verifyFile(file, expected, { isThorough: true });
  const [verified, [copy]] = await Promise.all([verifying.finally(() => copying), copying]);
  const { bytes, sha256, builtAt, counts, licence } = verified;
  const id = snapshotId(sha256);
  const plain = { format: FORMAT, id, file: snapshotFile(id), bytes, sha256, builtAt, counts, licence };
  const named = copy === null ? plain : { ...plain, compressed: { file: compressedFile(id), ...copy } };
  const signature = sign(named);
  const manifest: Manifest = signature === null ? named : { ...named, signature };
  const draft = unfinishedPath(folder, MANIFEST);
  // All files that take space are written before the first rename, so that a full disk leaves only debris.
  await writeFile(draft, renderManifest(manifest), { flush: true });
  await rename(file, join(folder, manifest.file));
  if (copy !== null) await rename(copyDraft, join(folder, compressedFile(id)));
  await flushToDisk(folder);
  await rename(draft, join(folder, MANIFEST));
  await flushToDisk(folder);
  await prune(folder, manifest.id);
  return manifest;
}

/** Signs the current snapshot's manifest if this key has not signed it yet. The caller holds the folder's lock. */
export async function signAgain(folder: string, sign: Sign, licence: string): Promise<void> {
  const text = await readManifestText(folder);
  if (text === null) return;
  const manifest = { ...parseManifest(text), licence };
  const signature = sign(manifest);
  const signed = renderManifest(signature === null ? manifest : { ...manifest, signature });
  if (signed === text) return;
  const draft = unfinishedPath(folder, MANIFEST);
  await writeFile(draft, signed, { flush: true });
  await rename(draft, join(folder, MANIFEST));
  await flushToDisk(folder);
}

/** Removes the files of killed builds. The caller holds the folder's lock, so none of them is in use. */
export async function removeDebris(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (name.startsWith(UNFINISHED)) await rm(join(folder, name), { force: true, recursive: true });
  }
}

/** H5: the current one and the two before it. Servers that still read an older one have it open until they close it. */
const MOST_SNAPSHOTS = 3;

/** H5: the names of snapshots to remove. `latest`: ids, the latest first; repeats are allowed. */
export function namesToRemove(
  names: readonly string[],
  current: string,
  latest: readonly string[],
): readonly string[] {
  const retained = new Set([current]);
  for (const id of latest) if (retained.size < MOST_SNAPSHOTS) retained.add(id);
  return names.filter((name) => {
    const id = idOfSnapshot(name);
    return id !== null && !retained.has(id);
  });
}

/** The id in the name of a snapshot's file or of its compressed copy; null for any other name. */
export function idOfSnapshot(name: string): string | null {
  return idOfFile(name) ?? idOfCompressed(name);
}

async function prune(folder: string, current: string): Promise<void> {
  const latest = (await listSnapshots(folder)).map(({ id }) => id);
  for (const name of namesToRemove(await readdir(folder), current, latest)) {
    await rm(join(folder, name), { force: true });
  }
}

/** For a folder: its names. For a file: its bytes. */
export async function flushToDisk(path: string): Promise<void> {
  const handle = await open(path);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
