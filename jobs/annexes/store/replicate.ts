/**
 * J1: mirrors a snapshot folder to a folder of an object store: the file first, the manifest last. The store needs neither locks nor
 * conditional puts. The present manifest is read again just before it is replaced, and a builder that still loses a race of milliseconds
 * notices it at the next check.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ifMissing } from '../../../src/calendar/errors.ts';
import { MANIFEST } from '../../../src/snapshot/files.ts';
import { listSnapshots } from '../../../src/snapshot/folder.ts';
import {
  LONGEST_MANIFEST,
  type Manifest,
  parseManifest,
  readManifestText,
} from '../../../src/snapshot/manifest.ts';
import {
  chooseOtherFormats,
  isManifestOfFormat,
  manifestIn,
  manifestOfFormat,
} from '../../../src/snapshot/other-formats.ts';
import { type Store, StoreProblem } from '../../kit/s3.ts';
import { idOfSnapshot, namesToRemove } from '../../publish/retention.ts';
import { putFiles, removeOldEditions, UNCACHED } from './files.ts';
import { checkReplaceable, type Foreign } from './foreign.ts';
import { replicatePublic } from './replicate-public.ts';

export interface Replication {
  /** The id of the store's present snapshot; null while the folder has none. */
  readonly id: string | null;
  /** Bytes that were sent; 0 if the store had everything. */
  readonly bytes: number;
  /** Another builder's manifest that was replaced; null for none. */
  readonly replaced: Foreign | null;
}

/** A failure in one or two words, for metrics. */
export function reasonWords(thrown: unknown): string {
  return thrown instanceof StoreProblem ? thrown.why : 'other';
}

/** Updates the store from the folder. Throws StoreProblem; uploaded files stay, and are found the next time. */
export async function replicate(folder: string, store: Store): Promise<Replication> {
  const text = await readManifestText(folder);
  if (text === null) return { id: null, bytes: 0, replaced: null };
  const local = parseManifest(text);
  // Before the uploads, so that a builder that may not publish sends nothing.
  await standingOf(store, { folder, local, text });
  const { compressed, public: edition } = local;
  const bytes = await putFiles(folder, store, [local, compressed, edition, edition?.compressed]);
  // Uploads take time, in which another builder may have published.
  const { isOurs, foreign, stored } = await standingOf(store, { folder, local, text });
  if (isOurs) return { id: local.id, bytes, replaced: null };
  const putManifest = (name: string, body: string) =>
    store.put(name, { body, type: 'application/json', cacheControl: UNCACHED });
  // H5: for replicas of another version. They read it as soon as the manifest has this builder's format.
  if (stored !== null && stored.format !== local.format)
    await putManifest(manifestOfFormat(stored.format), stored.text);
  const sent = await putManifest(MANIFEST, text);
  // Without it, an old upload of this folder looks like another builder's, and is reported.
  await writeFile(join(folder, LAST_PUT), local.id).catch(() => undefined);
  await removeOld(folder, store, local);
  return { id: local.id, bytes: bytes + sent, replaced: foreign };
}

/** Where a folder is published to. */
export interface Targets {
  /** For replicas; null for none. */
  readonly store: Store | null;
  /** J5: for everybody; null for none. */
  readonly publicStore?: Store | null;
}

/** Updates all targets. Throws StoreProblem. */
export async function replicateAll(folder: string, targets: Targets): Promise<Replication> {
  const { store, publicStore = null } = targets;
  const replication = store === null ? NOT_SENT : await replicate(folder, store);
  if (publicStore === null) return replication;
  const { id, bytes } = await replicatePublic(folder, publicStore);
  return { ...replication, id: replication.id ?? id, bytes: replication.bytes + bytes };
}

const NOT_SENT: Replication = { id: null, bytes: 0, replaced: null };

/** Contains the id of the snapshot that this folder uploaded last, which the folder may have removed since. */
const LAST_PUT = '.last-put';

interface Folder {
  readonly folder: string;
  readonly local: Manifest;
  /** The local manifest, as in its file. */
  readonly text: string;
}

/** The store's manifest, compared with the folder's. */
interface Standing {
  /** Whether the store has the folder's manifest, byte by byte. */
  readonly isOurs: boolean;
  /** The store's snapshot, if this folder does not know it. */
  readonly foreign: Foreign | null;
  /** The store's manifest; null without a usable one. */
  readonly stored: { readonly format: number; readonly text: string } | null;
}

/** Throws ForeignThere unless this folder's manifest may replace the store's. */
async function standingOf(store: Store, { folder, local, text }: Folder): Promise<Standing> {
  const storedText = await store.read(MANIFEST);
  if (storedText === text) return { isOurs: true, foreign: null, stored: null };
  const present = manifestIn(storedText?.slice(0, LONGEST_MANIFEST) ?? null);
  const lastPut = await readFile(join(folder, LAST_PUT), 'utf8').catch(ifMissing(''));
  const publishedHere = [lastPut, ...(await listSnapshots(folder)).map(({ id }) => id)];
  // A manifest that this folder put there may be replaced by an older one, too. Anybody may replace an unusable one.
  if (present === null) return { isOurs: false, foreign: null, stored: null };
  const stored = { format: present.format, text: storedText ?? '' };
  if (publishedHere.includes(present.id)) return { isOurs: false, foreign: null, stored };
  checkReplaceable(store, local, present);
  return { isOurs: false, foreign: { id: present.id, builtAt: present.builtAt }, stored };
}

/** H5: keeps this one and the two uploaded before it; within one second, those that this folder built last. */
async function removeOld(folder: string, store: Store, local: Manifest): Promise<void> {
  const built = (await listSnapshots(folder)).map(({ id }) => id);
  const rankOf = (id: string) => (built.includes(id) ? built.indexOf(id) : built.length);
  const stored = (await store.list('calendar-')).flatMap(({ name, modified }) => {
    const id = idOfSnapshot(name);
    return id === null ? [] : [{ name, id, modified: Date.parse(modified) }];
  });
  stored.sort((left, right) => right.modified - left.modified || rankOf(left.id) - rankOf(right.id));
  const latest = stored.map(({ id }) => id);
  const names = stored.map(({ name }) => name);
  const others = chooseOtherFormats(await manifestsOfFormats(store), local);
  const old = [...namesToRemove(names, [local.id, ...others.keptIds], latest), ...others.removedNames];
  for (const name of old) await store.remove(name);
  await removeOldEditions(store);
}

async function manifestsOfFormats(store: Store): Promise<readonly { name: string; text: string | null }[]> {
  const names = (await store.list('manifest-')).map(({ name }) => name).filter(isManifestOfFormat);
  return Promise.all(names.map(async (name) => ({ name, text: await store.read(name) })));
}
