/** Snapshot folders in other formats than that of this program: those of release 1.0.0, and one as a newer version would publish it. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { packagePath } from '../../src/package.ts';
import { MANIFEST, snapshotFile, snapshotId } from '../../src/snapshot/files.ts';
import { parseManifest, renderManifest } from '../../src/snapshot/manifest.ts';
import { manifestTextIn } from './folder.ts';

/** What release 1.0.0 wrote: its source, its snapshot folder, and its record of announcements. */
export const RELEASE = packagePath('test/fixtures/release-1.0.0');

/** Publishes the two snapshots of release 1.0.0. */
export function publishRelease(folder: string): void {
  for (const name of readdirSync(join(RELEASE, 'snapshots'))) {
    const bytes = readFileSync(join(RELEASE, 'snapshots', name));
    writeFileSync(join(folder, name), bytes);
    if (name.endsWith('.br')) writeFileSync(join(folder, name.slice(0, -3)), brotliDecompressSync(bytes));
  }
}

const NEWER = 99;
/** Bytes before SQLite's `user_version` in the header of a file. */
const AT_FORMAT = 60;

/** Replaces the folder's newest snapshot by one in a newer format. */
export function makeNewer(folder: string): void {
  const { compressed: _, ...manifest } = parseManifest(manifestTextIn(folder));
  const bytes = readFileSync(join(folder, manifest.file));
  bytes.writeUInt32BE(NEWER, AT_FORMAT);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const id = snapshotId(sha256);
  const file = snapshotFile(id);
  writeFileSync(join(folder, file), bytes);
  writeFileSync(join(folder, MANIFEST), renderManifest({ ...manifest, id, file, sha256, format: NEWER }));
  rmSync(join(folder, manifest.file));
}
