/** The snapshot folder, the whole protocol between a build and its servers (H5): its files, its manifest, and how changes are noticed. */

import { constants, type FSWatcher, watch } from 'node:fs';
import { type FileHandle, lstat, open, readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import * as z from 'zod';
import { CalendarError, isCalendarError, isMissing, messageOf } from '../calendar/errors.ts';
import { parsedJson } from '../calendar/json.ts';
import { unusable } from './format.ts';
import { type Counts, isCounts, isIsoSecond, type Meta, readMeta } from './meta.ts';
import { type OpenOptions, openSnapshot, type Snapshot } from './open.ts';
import { openReader, type ReaderOptions } from './sqlite.ts';

// A name is never a path: names from outside are matched against a pattern, not joined to a path.

export const MANIFEST = 'manifest.json';

/**
 * The caller closes it. A link may lead out of the folder, and a pipe would block whatever opens it, even the end of the process: both
 * are refused. Throws SNAPSHOT_UNUSABLE for those, and the error of `open` for a missing file.
 */
export async function openRegular(path: string): Promise<FileHandle> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
    (cause) => {
      throw NO_FILE.has(cause?.code) ? notRegular(path, cause) : cause;
    },
  );
  if ((await file.stat()).isFile()) return file;
  await file.close();
  throw notRegular(path);
}

/** Error codes of opening a link, and a socket. */
const NO_FILE: ReadonlySet<unknown> = new Set(['ELOOP', 'EMLINK', 'ENXIO']);

function notRegular(path: string, cause?: unknown): CalendarError {
  return unusable(path, 'a file', 'something else', cause);
}

/** Prefix of unpublished files; the next build removes them. */
export const UNFINISHED = '.unfinished-';

/** The file that a build locks while it uses the folder; it remains between builds. */
export const LOCK = '.lock';

const FILE = /^calendar-([0-9a-f]{16})\.sqlite$/;

/** The first 16 hex digits of the content's SHA-256. */
export function snapshotId(sha256: string): string {
  return sha256.slice(0, 16);
}

export function snapshotFile(id: string): string {
  return `calendar-${id}.sqlite`;
}

export function compressedFile(id: string): string {
  return `${snapshotFile(id)}.br`;
}

const PUBLIC_FILE = /^public-([0-9a-f]{16})\.sqlite$/;

/** J5: the name of a public edition; its id is made of its own bytes. */
export function publicFile(id: string): string {
  return `public-${id}.sqlite`;
}

/** Whether it is the name of a public edition or of its compressed copy. */
export function isPublicFile(name: string): boolean {
  return PUBLIC_FILE.test(name.endsWith('.br') ? name.slice(0, -'.br'.length) : name);
}

/** The id in a snapshot's file name; null if the name is not a snapshot's. */
export function idOfFile(name: string): string | null {
  return FILE.exec(name)?.[1] ?? null;
}

/** The same for the name of a compressed copy. */
export function idOfCompressed(name: string): string | null {
  return name.endsWith('.br') ? idOfFile(name.slice(0, -'.br'.length)) : null;
}

/** Opens a snapshot file, whose name has its id. Throws SNAPSHOT_UNUSABLE for a file that lacks what a server loads. */
export async function openSnapshotFile(
  path: string,
  options: OpenOptions & ReaderOptions = {},
): Promise<Snapshot> {
  return openSnapshot(await openReader(path, options), idOfPath(path), options);
}

export function idOfPath(path: string): string {
  return idOfFile(basename(path)) ?? basename(path);
}

const form = (pattern: RegExp, expected: string) => z.string(expected).regex(pattern, expected);

const COUNT = z.int('a whole number').min(0, 'a whole number');
const ID = form(/^[0-9a-f]{16}$/, '16 hex digits');
const SHA_256 = form(/^[0-9a-f]{64}$/, '64 hex digits');
const NAME = form(/./s, 'a text');

/** J4: a compressed copy of the file, for transfer. `file`: the snapshot's name and `.br`. */
const COMPRESSED = z.object({ file: NAME, bytes: COUNT, sha256: SHA_256 }, 'an object');

/** J3: it signs all other fields. */
const SIGNATURE = z.object(
  {
    /** The beginning of the public key's SHA-256: it identifies the key. */
    key: ID,
    /** Ed25519. */
    value: form(/^[A-Za-z0-9+/]{86}==$/, 'Base64 of 64 bytes'),
  },
  'an object',
);

/** J5: the public edition that was made with the snapshot. Its signature is for those who fetch it alone. */
const PUBLIC = z.object(
  {
    file: form(PUBLIC_FILE, 'public-<id>.sqlite'),
    bytes: COUNT,
    sha256: SHA_256,
    compressed: COMPRESSED.optional(),
    signature: SIGNATURE.optional(),
  },
  'an object',
);

const FIELDS = z.object(
  {
    format: COUNT,
    id: ID,
    /** A name within the folder: `calendar-<id>.sqlite`. */
    file: form(FILE, 'calendar-<id>.sqlite'),
    bytes: COUNT,
    sha256: SHA_256,
    builtAt: z.custom<string>(isIsoSecond, 'an ISO 8601 moment in UTC'),
    counts: z.custom<Counts>(isCounts, 'counts by name'),
    /** Id of the calendar's licence. Builds before signatures existed did not write it. */
    licence: NAME.optional(),
    compressed: COMPRESSED.optional(),
    public: PUBLIC.optional(),
    signature: SIGNATURE.optional(),
  },
  'an object',
);

export type PublicFile = Readonly<z.infer<typeof PUBLIC>>;
export type Manifest = Readonly<z.infer<typeof FIELDS>>;
export type CompressedCopy = Readonly<z.infer<typeof COMPRESSED>>;
export type Signature = Readonly<z.infer<typeof SIGNATURE>>;

/** Bytes: ten times a usual manifest. */
export const LONGEST_MANIFEST = 8_192;

/** The manifest's text as it is, or null if there is none. */
export async function readManifestText(folder: string): Promise<string | null> {
  const path = join(folder, MANIFEST);
  try {
    const file = await openRegular(path);
    try {
      const { size } = await file.stat();
      if (size <= LONGEST_MANIFEST) return await file.readFile('utf8');
      throw wrong(`${LONGEST_MANIFEST} bytes at most`, size);
    } finally {
      await file.close();
    }
  } catch (cause) {
    if (isMissing(cause)) return null;
    if (isCalendarError(cause)) throw cause;
    throw new CalendarError('SNAPSHOT_UNUSABLE', `${MANIFEST}: ${messageOf(cause)}`, { cause });
  }
}

/** Throws SNAPSHOT_UNUSABLE for half a manifest, garbage, and names that would lead out of the folder. */
export function parseManifest(text: string): Manifest {
  const value = parsedJson(text);
  if (value === undefined) throw wrong('JSON', text);
  const { data: manifest, error } = FIELDS.safeParse(value, { reportInput: true });
  if (manifest === undefined) {
    const [issue] = error.issues;
    const where = issue?.path.length ? `"${issue.path.join('.')}" to be ` : '';
    throw wrong(`${where}${issue?.message}`, issue?.input);
  }
  const { id, file, sha256, compressed } = manifest;
  if (file !== snapshotFile(id)) throw wrong(`"file" to be ${snapshotFile(id)}`, file);
  if (!sha256.startsWith(id)) throw wrong('"sha256" to begin with the id', sha256);
  if (compressed !== undefined && compressed.file !== compressedFile(id))
    throw wrong(`"compressed.file" to be ${compressedFile(id)}`, compressed.file);
  if (manifest.public !== undefined) checkPublic(manifest.public);
  return manifest;
}

function checkPublic({ file, sha256, compressed }: PublicFile): void {
  const expected = publicFile(snapshotId(sha256));
  if (file !== expected) throw wrong(`"public.file" to be ${expected}`, file);
  if (compressed !== undefined && compressed.file !== `${expected}.br`)
    throw wrong(`"public.compressed.file" to be ${expected}.br`, compressed.file);
}

export function renderManifest(manifest: Manifest): string {
  const { format, id, file, bytes, sha256, builtAt, counts, licence, compressed, signature } = manifest;
  const ordered = {
    format,
    id,
    file,
    bytes,
    sha256,
    builtAt,
    counts,
    licence,
    compressed,
    public: manifest.public,
    signature,
  };
  return `${JSON.stringify(ordered, null, 2)}\n`;
}

/**
 * J3: the text that a builder signs. It begins with its purpose, so that no other text signed by the key can be mistaken for it. The public
 * edition is part of it only where there is one: replicas of version 1.0.0 know the first seven values.
 */
export function signedText(manifest: Omit<Manifest, 'signature'>): string {
  const { id, sha256, bytes, builtAt, format, licence } = manifest;
  const ofPublic = manifest.public === undefined ? [] : [manifest.public.file, manifest.public.sha256];
  return JSON.stringify(['almanakk manifest', id, sha256, bytes, builtAt, format, licence, ...ofPublic]);
}

/** J5: the same for the public edition alone. */
export function signedPublicText(
  { file, sha256, bytes }: PublicFile,
  { builtAt, licence }: Pick<Manifest, 'builtAt' | 'licence'>,
): string {
  return JSON.stringify(['almanakk public file', file, sha256, bytes, builtAt, licence]);
}

interface SnapshotFile {
  readonly id: string;
  readonly path: string;
  /** Milliseconds since 1970. */
  readonly modified: number;
}

/** Every file with a snapshot's name, the latest written first. A missing folder has none. */
export async function listSnapshots(folder: string): Promise<readonly SnapshotFile[]> {
  const files: SnapshotFile[] = [];
  const names = await readdir(folder).catch((cause): string[] => {
    if (isMissing(cause)) return [];
    throw new CalendarError('SNAPSHOT_UNUSABLE', `${folder}: ${messageOf(cause)}`, { cause });
  });
  for (const name of names) {
    const id = idOfFile(name);
    if (id === null) continue;
    const path = join(folder, name);
    const found = await lstat(path).catch(() => null);
    if (found?.isFile() === true) files.push({ id, path, modified: found.mtimeMs });
  }
  return files.sort((left, right) => right.modified - left.modified || (left.id < right.id ? -1 : 1));
}

export interface DatedSnapshot extends SnapshotFile, Pick<Meta, 'builtAt' | 'counts'> {}

/** The same by the instant of the build, which a copied folder keeps. Files without it are left out. */
export async function listByBuild(folder: string): Promise<readonly DatedSnapshot[]> {
  const dated: DatedSnapshot[] = [];
  for (const file of await listSnapshots(folder)) {
    const meta = await metaOf(file.path).catch(() => null);
    if (meta !== null) dated.push({ ...file, builtAt: meta.builtAt, counts: meta.counts });
  }
  return dated.sort((left, right) => (left.builtAt < right.builtAt ? 1 : -1));
}

async function metaOf(path: string): Promise<Meta> {
  const reader = await openReader(path, { connections: 1 });
  return readMeta(reader).finally(reader.close);
}

/** Changes whenever a file is written to or replaced. */
export async function stampOf(path: string): Promise<string> {
  try {
    const { size, mtimeMs, ino } = await stat(path);
    return `${size} ${mtimeMs} ${ino}`;
  } catch (cause) {
    return messageOf(cause);
  }
}

/** The same for a file that was only written to. */
export function inodeIn(stamp: string): string | undefined {
  return stamp.split(' ')[2];
}

function wrong(expected: string, found: unknown): CalendarError {
  return unusable(MANIFEST, expected, typeof found === 'string' ? found.trim() || 'an empty file' : found);
}

/**
 * Calls back when the manifest may have changed: at once where the file system has events, else at the next poll. Neither keeps the process
 * alive. Returns a function that stops it.
 */
export function watchFolder(folder: string, pollMs: number, onChange: () => void): () => void {
  let watcher: FSWatcher | undefined;
  // A watcher follows the folder that it was made for, even when another one takes that name.
  const rewatch = (): void => {
    watcher?.close();
    try {
      watcher = watch(folder, { persistent: false }, (_, name) => {
        if (name === null || name === MANIFEST) onChange();
      }).on('error', () => undefined);
    } catch {
      // Without events (no folder, not supported, or too many watchers on this machine) polling goes on.
    }
  };
  rewatch();
  const poll = setInterval(() => {
    rewatch();
    onChange();
  }, pollMs).unref();
  return () => {
    clearInterval(poll);
    watcher?.close();
  };
}
