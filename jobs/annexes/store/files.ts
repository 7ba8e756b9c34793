/** The files of a snapshot folder in a store: put if they are missing, and removed when they are old. */
import { join } from 'node:path';
import { compareCodePoints } from '../../../src/calendar/text.ts';
import { isPublicFile } from '../../../src/snapshot/files.ts';
import type { Manifest } from '../../../src/snapshot/manifest.ts';
import type { Store } from '../../kit/s3.ts';

/** `Cache-Control` of a manifest. */
export const UNCACHED = 'no-cache, no-store';
/** `Cache-Control` of other files, whose names change with the content. */
const IMMUTABLE = 'public, max-age=31536000, immutable';

/** A file that a manifest names. */
type FileEntry = Pick<Manifest, 'file' | 'bytes' | 'sha256'>;

/** Uploads files that are missing or incomplete. Returns the number of bytes sent. Throws StoreProblem. */
export async function putFiles(
  folder: string,
  store: Store,
  entries: readonly (FileEntry | undefined)[],
): Promise<number> {
  let sent = 0;
  for (const { file, bytes, sha256 } of entries.filter((entry) => entry !== undefined)) {
    if ((await store.sizeOf(file)) === bytes) continue;
    sent += await store.put(file, {
      body: { file: join(folder, file), bytes, sha256 },
      type: 'application/octet-stream',
      cacheControl: IMMUTABLE,
    });
  }
  return sent;
}

/** H5: the latest public editions stay, because clients still read byte ranges of them. */
const MOST_EDITIONS = 3;

/** Removes older public editions and their compressed copies. Throws StoreProblem. */
export async function removeOldEditions(store: Store): Promise<void> {
  const stored = (await store.list('public-')).filter(({ name }) => isPublicFile(name));
  const plain = stored.filter(({ name }) => !name.endsWith('.br'));
  // ISO 8601: the order of the texts is that of the times.
  const latest = [...plain].sort((left, right) => compareCodePoints(right.modified, left.modified));
  const retained = new Set(latest.slice(0, MOST_EDITIONS).map(({ name }) => name));
  for (const { name } of stored) if (!retained.has(name.replace(/\.br$/, ''))) await store.remove(name);
}
