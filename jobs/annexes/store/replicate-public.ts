/**
 * J5: the public edition alone at a target of its own, such as a web root: the file under its id, a copy of it as `calendar.sqlite`, and
 * last a manifest of it. Nothing of the snapshot goes there.
 */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { ifMissing } from '../../../src/calendar/errors.ts';
import { parsedJson } from '../../../src/calendar/json.ts';
import { MANIFEST } from '../../../src/snapshot/files.ts';
import {
  type Manifest,
  type PublicFile,
  parseManifest,
  readManifestText,
} from '../../../src/snapshot/manifest.ts';
import type { Store } from '../../kit/s3.ts';
import { putFiles, removeOldEditions, UNCACHED } from './files.ts';
import { checkSameCalendar } from './foreign.ts';

/** The name under which people download the current file. */
const ALIAS = 'calendar.sqlite';
/** Its media type, so that browsers know what they download; programs fetch the same bytes under their id, as untyped bytes. */
const SQLITE_TYPE = 'application/vnd.sqlite3';

interface PublicReplication {
  /** The id of the snapshot whose public edition is there; null without one. */
  readonly id: string | null;
  /** Bytes that were sent; 0 if the store had everything. */
  readonly bytes: number;
}

/**
 * Uploads the folder's public edition: first the file and its compressed copy, then the alias, last the manifest. Sends nothing if all of them
 * are current, or if the folder has no public edition. Throws StoreProblem.
 */
export async function replicatePublic(folder: string, store: Store): Promise<PublicReplication> {
  const text = await readManifestText(folder);
  const manifest = text === null ? null : parseManifest(text);
  const edition = manifest?.public;
  if (manifest === null || edition === undefined) return { id: null, bytes: 0 };
  const manifestText = publicManifest(manifest, edition);
  // The manifest is put last, so the alias is of this edition. Its size alone would not say so: editions are multiples of a page.
  const stored = await store.read(MANIFEST);
  const isCurrent = stored === manifestText;
  if (isCurrent && (await store.sizeOf(ALIAS)) === edition.bytes) return { id: manifest.id, bytes: 0 };
  await checkReplaces(folder, store, { manifest, stored });
  const { file, bytes, sha256 } = edition;
  const fileBytes = await putFiles(folder, store, [edition, edition.compressed]);
  // Uploads take time, in which another builder may have published.
  await checkReplaces(folder, store, { manifest, stored: await store.read(MANIFEST) });
  const aliasBytes = await store.put(ALIAS, {
    body: { file: join(folder, file), bytes, sha256 },
    type: SQLITE_TYPE,
    cacheControl: 'public, no-cache',
  });
  const manifestBytes = await store.put(MANIFEST, {
    body: manifestText,
    type: 'application/json',
    cacheControl: UNCACHED,
  });
  // Without it, an old edition of this folder looks like another calendar's once this one has a new licence id.
  await writeFile(join(folder, LAST_PUT), file).catch(() => undefined);
  await removeOldEditions(store);
  return { id: manifest.id, bytes: fileBytes + aliasBytes + manifestBytes };
}

/** Contains the name of the edition that this folder uploaded last, which the folder may have removed since. */
const LAST_PUT = '.last-put-public';

/** What a public manifest says of its calendar. */
const STATED = z.object({ file: z.string(), licence: z.string() });

interface Replacement {
  readonly manifest: Manifest;
  /** The text of the target's manifest. */
  readonly stored: string | null;
}

/** Throws ForeignThere for a target with another calendar's edition. This calendar may change the licence id of its own editions. */
async function checkReplaces(folder: string, store: Store, { manifest, stored }: Replacement): Promise<void> {
  const { data: stated } = STATED.safeParse(parsedJson(stored ?? ''));
  if (stated === undefined) return;
  const lastPut = await readFile(join(folder, LAST_PUT), 'utf8').catch(ifMissing(''));
  const publishedHere = [lastPut, ...(await readdir(folder))];
  if (!publishedHere.includes(stated.file)) checkSameCalendar(store, manifest.licence, stated.licence);
}

function publicManifest(
  { builtAt, licence }: Manifest,
  { file, bytes, sha256, compressed, signature }: PublicFile,
): string {
  return `${JSON.stringify({ file, bytes, sha256, builtAt, licence, compressed, signature }, null, 2)}\n`;
}
