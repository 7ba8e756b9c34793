/**
 * J5: the public edition alone at a target of its own, such as a web root: the file under its id, a manifest of it, and last the name that
 * people use. Nothing of the snapshot goes there.
 */
import { join } from 'node:path';
import { MANIFEST } from '../../../src/snapshot/files.ts';
import { type Manifest, parseManifest, readManifestText } from '../../../src/snapshot/manifest.ts';
import type { Store } from '../../kit/s3.ts';
import { NO_STORE, putFiles, removeOldEditions } from './files.ts';

/** The name that people use: a copy of the current file. */
const ALIAS = 'calendar.sqlite';
const TYPE = 'application/vnd.sqlite3';

/** `id`: of the snapshot whose public edition is there; null without one. Throws StoreProblem. */
export async function replicatePublic(folder: string, store: Store) {
  const text = await readManifestText(folder);
  const manifest = text === null ? null : parseManifest(text);
  const edition = manifest?.public;
  if (manifest === null || edition === undefined) return { id: null, bytes: 0 };
  const statement = publicManifest(manifest, edition);
  const isThere = (await store.read(MANIFEST)) === statement;
  if (isThere && (await store.sizeOf(ALIAS)) === edition.bytes) return { id: manifest.id, bytes: 0 };
  const sent = await putFiles(folder, store, [edition, edition.compressed]);
  const stated = await store.put(MANIFEST, {
    body: statement,
    type: 'application/json',
    cacheControl: NO_STORE,
  });
  const { file, bytes, sha256 } = edition;
  const named = await store.put(ALIAS, {
    body: { file: join(folder, file), bytes, sha256 },
    type: TYPE,
    cacheControl: 'public, no-cache',
  });
  await removeOldEditions(store);
  return { id: manifest.id, bytes: sent + stated + named };
}

function publicManifest(
  { builtAt, licence }: Manifest,
  { file, bytes, sha256, compressed, signature }: NonNullable<Manifest['public']>,
): string {
  return `${JSON.stringify({ file, bytes, sha256, builtAt, licence, compressed, signature }, null, 2)}\n`;
}
