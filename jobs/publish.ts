/**
 * Puts a finished file into a snapshot folder: the folder has the old snapshot or the new one at every instant (G1, H5). J4: a compressed
 * copy goes with it, for transfer; the plain file is what is hashed, signed and adopted.
 */

import { open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { osloDay } from '../src/calendar/time.ts';
import {
  compressedFile,
  idOfCompressed,
  idOfFile,
  isPublicFile,
  MANIFEST,
  snapshotFile,
  snapshotId,
  UNFINISHED,
} from '../src/snapshot/files.ts';
import { type DatedSnapshot, listByBuild, listSnapshots } from '../src/snapshot/folder.ts';
import { FORMAT } from '../src/snapshot/format.ts';
import {
  type CompressedCopy,
  type Manifest,
  type PublicFile,
  parseManifest,
  readManifestText,
  renderManifest,
  type Signature,
  signedPublicText,
  signedText,
} from '../src/snapshot/manifest.ts';
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
  /** J4: the compressed copy of its origin, in place of one that is made here. */
  readonly copied?: CopiedDraft | null;
  /** J5: the public edition that goes with it. */
  readonly publicDraft?: PublicDraft | null;
  /** H5: keep the last file of each of so many days; none by default. */
  readonly keepDays?: number | undefined;
  /** J3: signs what is published. */
  readonly sign?: Sign | undefined;
  /** J3: the signature of its origin, in place of one by this machine. */
  readonly signature?: Signature | undefined;
}

/** Writes a copy beside the file; null if that failed. */
export type Compress = (file: string, to: string) => Promise<Omit<CompressedCopy, 'file'> | null>;

/** J3: signs a text. */
export type Sign = (text: string) => Signature;

/** A compressed copy within the folder, and its entry in the manifest. */
export interface CopiedDraft {
  readonly path: string;
  readonly entry: CompressedCopy;
}

/** J5: a public edition within the folder, and its entry in the manifest. */
export interface PublicDraft {
  /** Null where there is only the entry. */
  readonly path: string | null;
  /** Its compressed copy; null without one. */
  readonly copy: string | null;
  readonly entry: PublicFile;
}

/** Verifies the file and makes it the folder's current snapshot. The caller holds the folder's lock. */
export async function verifyAndPublish(publication: Publication): Promise<Manifest> {
  const { folder, file, expected = {}, publicDraft = null, sign, keepDays = 0 } = publication;
  const copying = Promise.all([compressedDraft(publication), flushToDisk(file)]);
  const verifying = publication.verify?.(file) ?? verifyFile(file, expected, { isThorough: true });
  const [verified, [copied]] = await Promise.all([verifying.finally(() => copying), copying]);
  const { bytes, sha256, builtAt, counts, licence } = verified;
  const id = snapshotId(sha256);
  const manifest: Manifest = {
    format: FORMAT,
    id,
    file: snapshotFile(id),
    bytes,
    sha256,
    builtAt,
    counts,
    licence,
    compressed: copied === null ? undefined : namedCopy(id, copied.entry),
    public: publicDraft?.entry,
  };
  const signature = publication.signature ?? sign?.(signedText(manifest));
  const draft = unfinishedPath(folder, MANIFEST);
  // All files that take space are written before the first rename, so that a full disk leaves only debris.
  const text = renderManifest({ ...manifest, signature });
  await writeFile(draft, text, { flush: true });
  await rename(file, join(folder, manifest.file));
  if (copied !== null) await rename(copied.path, join(folder, compressedFile(id)));
  if (publicDraft !== null) await placePublic(folder, publicDraft);
  await flushToDisk(folder);
  await rename(draft, join(folder, MANIFEST));
  await flushToDisk(folder);
  await prune(folder, manifest, keepDays);
  return parseManifest(text);
}

async function compressedDraft({
  folder,
  file,
  compress,
  copied = null,
}: Publication): Promise<{ readonly path: string; readonly entry: Omit<CompressedCopy, 'file'> } | null> {
  if (copied !== null) return copied;
  const path = unfinishedPath(folder, 'copy.br');
  const entry = (await compress?.(file, path)) ?? null;
  return entry && { path, entry };
}

/** Properties have a fixed order, so that a manifest copied from an origin stays identical byte for byte. */
function namedCopy(id: string, { bytes, sha256 }: Omit<CompressedCopy, 'file'>): CompressedCopy {
  return { file: compressedFile(id), bytes, sha256 };
}

async function placePublic(folder: string, { path, copy, entry }: PublicDraft): Promise<void> {
  if (path !== null) await rename(path, join(folder, entry.file));
  if (copy !== null) await rename(copy, join(folder, `${entry.file}.br`));
}

/** Signs the current snapshot's manifest if this key has not signed it yet. The caller holds the folder's lock. */
export async function signAgain(folder: string, sign: Sign, licence: string): Promise<void> {
  const text = await readManifestText(folder);
  if (text === null) return;
  const { signature: _, ...unsigned } = parseManifest(text);
  const manifest: Manifest = { ...unsigned, licence, public: publicSigned({ ...unsigned, licence }, sign) };
  const signed = renderManifest({ ...manifest, signature: sign(signedText(manifest)) });
  if (signed === text) return;
  const draft = unfinishedPath(folder, MANIFEST);
  await writeFile(draft, signed, { flush: true });
  await rename(draft, join(folder, MANIFEST));
  await flushToDisk(folder);
}

function publicSigned(manifest: Manifest, sign: Sign): PublicFile | undefined {
  const { public: edition } = manifest;
  return edition && { ...edition, signature: sign(signedPublicText(edition, manifest)) };
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

async function prune(folder: string, { id, public: edition }: Manifest, keepDays: number): Promise<void> {
  const names = await readdir(folder);
  const latest = (await listSnapshots(folder)).map((snapshot) => snapshot.id);
  const ofDays = keepDays === 0 ? [] : lastOfDays(await listByBuild(folder), keepDays);
  // Nobody fetches these: without their compressed copies.
  const retained = new Set(ofDays.map(snapshotFile));
  const removed = namesToRemove(names, id, latest).filter((name) => !retained.has(name));
  const old = [...removed, ...(await oldPublicFiles(folder, names, edition?.file))];
  for (const name of old) await rm(join(folder, name), { force: true });
}

/** H5: ids of the last build of each of so many days before that of the latest build, by Norwegian days. */
export function lastOfDays(
  byBuild: readonly Pick<DatedSnapshot, 'id' | 'builtAt'>[],
  days: number,
): readonly string[] {
  const last = new Map<number, string>();
  for (const { id, builtAt } of byBuild) {
    const day = osloDay(Date.parse(builtAt) / 1_000);
    if (!last.has(day)) last.set(day, id);
  }
  const today = Math.max(...last.keys());
  return [...last].filter(([day]) => day < today && day >= today - days).map(([, id]) => id);
}

/** J5: of public editions the current one and the two written before it stay: readers by byte ranges still read them. */
async function oldPublicFiles(
  folder: string,
  names: readonly string[],
  current: string | undefined,
): Promise<readonly string[]> {
  const written = new Map<string, number>();
  for (const name of names) {
    if (!isPublicFile(name) || name.endsWith('.br')) continue;
    const found = await stat(join(folder, name)).catch(() => null);
    written.set(name, found?.mtimeMs ?? 0);
  }
  const latest = [...written].sort(([, one], [, other]) => other - one).map(([name]) => name);
  const retained = new Set(current === undefined ? [] : [current]);
  for (const name of latest) if (retained.size < MOST_SNAPSHOTS) retained.add(name);
  return names.filter((name) => isPublicFile(name) && !retained.has(name.replace(/\.br$/, '')));
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
