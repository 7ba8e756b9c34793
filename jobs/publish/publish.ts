/**
 * Puts a finished file into a snapshot folder: the folder has the old snapshot or the new one at every instant (G1, H5). J4: a compressed
 * copy is published with it, for transfer; the plain file is hashed, signed and adopted.
 */
import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../../src/calendar/errors.ts';
import { compressedFile, MANIFEST, snapshotFile, snapshotId, stampOf } from '../../src/snapshot/files.ts';
import { FORMAT } from '../../src/snapshot/format.ts';
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
} from '../../src/snapshot/manifest.ts';
import { manifestIn, manifestOfFormat } from '../../src/snapshot/other-formats.ts';
import { type VerifiedFile, verifyFile } from '../../src/snapshot/verify.ts';
import { removeOldFiles } from './retention.ts';
import { flushToDisk, unfinishedPath } from './unfinished.ts';

interface Publication {
  readonly folder: string;
  /** A finished file within the folder; see `unfinishedPath`. */
  readonly file: string;
  /** For a file that was copied. Without it, the file was made here. */
  readonly origin?: PublicationOrigin;
  /** J4: makes a compressed copy, for others to fetch. */
  readonly compress?: Compress;
  /** J5: the public edition that goes with it. */
  readonly publicDraft?: PublicDraft | null;
  /** H5: the number of days of which the last file is kept; none by default. */
  readonly keepDays?: number | undefined;
  /** J3: signs the manifest. */
  readonly sign?: Sign | undefined;
  /** Called with the reason why an old file was not removed. The next publication tries again. */
  readonly warn?: ((warning: string) => void) | undefined;
}

/** What the origin of a copied file has published with it. */
interface PublicationOrigin {
  /** J3: the copy keeps its signature, and this machine does not sign. */
  readonly manifest: Manifest;
  /** J4: null if there is none, or no room for it. */
  readonly compressed: CopiedDraft | null;
  /** Throws for a file that is not the one of the manifest. */
  readonly verify: (file: string) => Promise<VerifiedFile>;
}

/**
 * Verifies the file and makes it the folder's current snapshot. The caller holds the folder's lock, and removes unfinished files after a
 * failure. Throws SNAPSHOT_UNUSABLE for an invalid file. Once the manifest has its name, nothing throws.
 */
export async function verifyAndPublish(publication: Publication): Promise<Manifest> {
  const { folder, file, origin, publicDraft = null, sign } = publication;
  const copying = Promise.all([compressedDraft(publication), flushToDisk(file)]);
  const verifying = origin?.verify(file) ?? verifyFile(file, {}, { isThorough: true });
  // A failed verification waits for the copy, so that the caller can remove it.
  const [verified, [copied]] = await Promise.all([verifying.finally(() => copying), copying]);
  const { bytes, sha256, builtAt, counts, licence } = verified;
  const id = snapshotId(sha256);
  const manifest: Manifest = {
    format: origin?.manifest.format ?? FORMAT,
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
  const signature = origin === undefined ? sign?.(signedText(manifest)) : origin.manifest.signature;
  const draft = unfinishedPath(folder, MANIFEST);
  // All files that take space are written before the first rename, so that a full disk leaves only debris.
  const text = renderManifest({ ...manifest, signature });
  await writeFile(draft, text, { flush: true });
  const copies = copied === null ? [] : [{ from: copied.path, to: join(folder, compressedFile(id)) }];
  const editions = publicDraft === null ? [] : publicRenames(folder, publicDraft);
  const others = await keptManifest(folder, manifest);
  // The snapshot is last: a server without a good current file looks for snapshots, and a killed build must not leave one early.
  const renames = [...others, ...copies, ...editions, { from: file, to: join(folder, manifest.file) }];
  await placeFiles(folder, renames, { from: draft, to: join(folder, MANIFEST) });
  await tidy(publication, manifest);
  return parseManifest(text);
}

/** H5: the present manifest, under the name of its format, if that is another one. */
async function keptManifest(folder: string, { format }: Manifest): Promise<readonly Rename[]> {
  // An unusable one is replaced, and nobody needs it.
  const text = await readManifestText(folder).catch(() => null);
  const present = manifestIn(text);
  if (text === null || present === null || present.format === format) return [];
  const name = manifestOfFormat(present.format);
  const from = unfinishedPath(folder, name);
  await writeFile(from, text, { flush: true });
  return [{ from, to: join(folder, name) }];
}

/** Writes a copy next to the file; null if that failed. */
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

/** The origin's compressed copy, or a new one; null without either. */
async function compressedDraft({
  folder,
  file,
  origin,
  compress,
}: Publication): Promise<{ readonly path: string; readonly entry: Omit<CompressedCopy, 'file'> } | null> {
  if (origin !== undefined) return origin.compressed;
  const path = unfinishedPath(folder, 'copy.br');
  const entry = (await compress?.(file, path)) ?? null;
  return entry && { path, entry };
}

/** The properties have a fixed order, so that a manifest copied from an origin stays identical byte for byte. */
function namedCopy(id: string, { bytes, sha256 }: Omit<CompressedCopy, 'file'>): CompressedCopy {
  return { file: compressedFile(id), bytes, sha256 };
}

interface Rename {
  readonly from: string;
  readonly to: string;
}

/** The renames that give the files of a public edition their names. */
function publicRenames(folder: string, { path, copy, entry }: PublicDraft): readonly Rename[] {
  const to = join(folder, entry.file);
  const files = path === null ? [] : [{ from: path, to }];
  const copies = copy === null ? [] : [{ from: copy, to: `${to}.br` }];
  return [...files, ...copies];
}

/** Gives the files their names, and then the manifest. After a failure, it removes the files that were not there before. */
async function placeFiles(folder: string, renames: readonly Rename[], manifest: Rename): Promise<void> {
  const added: string[] = [];
  try {
    for (const { from, to } of renames) {
      const isNew = (await stampOf(to)).inode === null;
      await rename(from, to);
      if (isNew) added.push(to);
    }
    await flushToDisk(folder);
    await rename(manifest.from, manifest.to);
  } catch (cause) {
    // A server whose current file is damaged would otherwise take a snapshot that was never published.
    for (const path of added.reverse()) await rm(path, { force: true }).catch(() => undefined);
    throw cause;
  }
}

/** Work that is left when the snapshot is published. Never rejects: a fault here must not make a build fail whose calendar is live. */
async function tidy({ folder, keepDays = 0, warn }: Publication, manifest: Manifest): Promise<void> {
  try {
    await flushToDisk(folder);
    for (const warning of await removeOldFiles(folder, manifest, keepDays)) warn?.(warning);
  } catch (cause) {
    warn?.(`old files not removed: ${messageOf(cause)}`);
  }
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
