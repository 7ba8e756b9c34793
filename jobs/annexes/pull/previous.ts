/** G14: copies the previous snapshot from elsewhere, for machines that keep nothing: `rebuild --previous URL|FOLDER`. */
import { copyFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { CalendarError, isMissing } from '../../../src/calendar/errors.ts';
import { parsedUrl } from '../../../src/calendar/urls.ts';
import { MANIFEST, makeFolder } from '../../../src/snapshot/files.ts';
import { type Manifest, readManifestText } from '../../../src/snapshot/manifest.ts';
import type { BuildPart } from '../../annex.ts';
import { originAccessOf } from '../../kit/s3.ts';
import type { InStore } from '../../kit/s3-settings.ts';
import { readTrust } from '../../kit/signature.ts';
import { withLock } from '../../publish/lock.ts';
import { verifyAndPublish } from '../../publish/publish.ts';
import { removeDebris, unfinishedPath } from '../../publish/unfinished.ts';
import {
  type CopyOptions,
  copySnapshot,
  fetchManifest,
  findWanted,
  isIntact,
  readOriginManifest,
  verifyCopy,
} from './copy.ts';

interface PreviousSettings extends InStore {
  /** Null for a machine that builds. */
  readonly origin: URL | null;
  readonly trust: readonly string[];
  readonly snapshotsToken: string | null;
  readonly allowPrivateFeeds: boolean;
}

export function create(settings: PreviousSettings): BuildPart {
  return {
    fetchPrevious: (from, target) => fetchPrevious(settings, from, target),
    refusal: settings.origin === null ? undefined : refusalOf(settings.origin),
  };
}

/** Without the path, a name or a password. */
function refusalOf({ protocol, host }: URL): string {
  const found = `expected none where a calendar is built, found ${protocol}//${host}`;
  const remedy = 'build there, or put ALMANAKK_ORIGIN= in front of this command';
  return `ALMANAKK_ORIGIN: ${found}, from which this machine copies its snapshots; ${remedy}`;
}

/**
 * Makes the snapshot of a URL or a folder the current one of `target`, unless it is already, with the checks of a replica (H7, J3). Throws
 * ORIGIN_UNUSABLE, SNAPSHOT_UNUSABLE, or INVALID_SETTING for another kind of place, and errors of the file system, as for a folder that it may
 * not read. Returns a warning if the URL has a later one in a newer format.
 */
async function fetchPrevious(
  settings: PreviousSettings,
  from: string,
  target: string,
): Promise<string | null> {
  const options = {
    folder: target,
    trust: readTrust(settings.trust),
    isForBuild: true,
    signal: NEVER_ABORTED,
  };
  const url = HAS_SCHEME.test(from) ? urlOf(from) : pathToFileURL(resolve(from));
  if (url.protocol === 'file:') return copyFromFolder(fileURLToPath(url), options);
  if (url.protocol === 's3:' && settings.s3 === null)
    throw invalid('ALMANAKK_PUBLISH at an object store, for its credentials', 'none');
  return copyFromOrigin({
    ...options,
    ...originAccessOf(url, settings.s3, settings.snapshotsToken),
    allowPrivate: settings.allowPrivateFeeds,
  });
}

/** Only the end of the process stops a build, while a replica's copying stops with its server. */
const NEVER_ABORTED = new AbortController().signal;

const HAS_SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i;
const SCHEMES = ['http:', 'https:', 's3:', 'file:'];

/** The URL of a folder; ends in a slash. Throws INVALID_SETTING. */
function urlOf(text: string): URL {
  const url = parsedUrl(text.endsWith('/') ? text : `${text}/`);
  if (url !== null && SCHEMES.includes(url.protocol)) return url;
  throw invalid('an http, https, s3 or file URL, or a folder', text);
}

/** Returns why this is not the latest one; null if it is. */
async function copyFromOrigin(options: CopyOptions): Promise<string | null> {
  const { manifest, behind } = await findWanted(options, await fetchManifest(options));
  if (!(await isIntact(options, manifest))) await copySnapshot(options, manifest);
  return behind === null
    ? null
    : `${behind.message}; this build continues from ${manifest.id}, built at ${manifest.builtAt}`;
}

type FolderOptions = Pick<CopyOptions, 'folder' | 'trust' | 'signal' | 'isForBuild'>;

async function copyFromFolder(from: string, options: FolderOptions): Promise<null> {
  const { folder } = options;
  const text = await readManifestText(from);
  if (text === null) throw invalid(`a snapshot folder with ${MANIFEST}`, from);
  const manifest = await readOriginManifest(text, options);
  if (await isIntact(options, manifest)) return null;
  await makeFolder(folder);
  await withLock(folder, () => copyAndPublish(from, manifest, options));
  return null;
}

/** The lock of the folder is held. */
async function copyAndPublish(
  from: string,
  manifest: Manifest,
  { folder, signal }: FolderOptions,
): Promise<void> {
  const { compressed, public: edition } = manifest;
  const file = unfinishedPath(folder, manifest.file);
  /** The path of the copy; null if the folder lacks the file. */
  const draftOf = async (name: string) => {
    const to = unfinishedPath(folder, name);
    return (await copyIfThere(join(from, name), to)) ? to : null;
  };
  try {
    if (!(await copyIfThere(join(from, manifest.file), file))) throw withoutFile(from, manifest.file);
    const copy = compressed === undefined ? null : await draftOf(compressed.file);
    const publicPath = edition === undefined ? null : await draftOf(edition.file);
    const publicCopy = edition?.compressed === undefined ? null : await draftOf(edition.compressed.file);
    await verifyAndPublish({
      folder,
      file,
      origin: {
        manifest,
        compressed: compressed === undefined || copy === null ? null : { path: copy, entry: compressed },
        verify: (path) => verifyCopy(path, manifest, { signal }),
      },
      publicDraft: edition === undefined ? null : { path: publicPath, copy: publicCopy, entry: edition },
    });
  } finally {
    // The build that follows removes what cannot be removed now.
    await removeDebris(folder).catch(() => undefined);
  }
}

/** Returns false if the file is missing: a folder may lack those that no server needs. */
async function copyIfThere(from: string, to: string): Promise<boolean> {
  try {
    await copyFile(from, to);
    return true;
  } catch (cause) {
    if (isMissing(cause)) return false;
    throw cause;
  }
}

function withoutFile(folder: string, file: string): CalendarError {
  const message = `${folder}: expected the file that ${MANIFEST} names, found no ${file}`;
  return new CalendarError('SNAPSHOT_UNUSABLE', message);
}

function invalid(expected: string, found: string): CalendarError {
  return new CalendarError('INVALID_SETTING', `--previous: expected ${expected}, found ${found}`);
}
