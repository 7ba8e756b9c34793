/** G14: copies the previous snapshot from elsewhere, for machines that keep nothing: `rebuild --previous URL|FOLDER`. */
import { copyFile, mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CalendarError, isMissing } from '../../../src/calendar/errors.ts';
import { MANIFEST } from '../../../src/snapshot/files.ts';
import { type Manifest, readManifestText } from '../../../src/snapshot/manifest.ts';
import { verifyApart } from '../../../src/snapshot/verify-apart.ts';
import type { BuildPart } from '../../annex.ts';
import { originOf } from '../../kit/s3.ts';
import type { InStore } from '../../kit/s3-settings.ts';
import { readTrust } from '../../kit/signature.ts';
import { withLock } from '../../lock.ts';
import { verifyAndPublish } from '../../publish.ts';
import { removeDebris, unfinishedPath } from '../../unfinished.ts';
import { type CopyOptions, copySnapshot, fetchManifest, isCurrent, readOriginManifest } from './copy.ts';

interface PreviousSettings extends InStore {
  readonly trust: readonly string[];
  readonly snapshotsToken: string | null;
  readonly allowPrivateFeeds: boolean;
}

export function create(settings: PreviousSettings): BuildPart {
  return { fetchPrevious: (from, target) => fetchPrevious(settings, from, target) };
}

/** With the checks of a replica (H7, J3). Throws ORIGIN_UNUSABLE, SNAPSHOT_UNUSABLE, or INVALID_SETTING for another kind of place. */
async function fetchPrevious(settings: PreviousSettings, from: string, target: string): Promise<void> {
  const { signal } = new AbortController();
  const trust = readTrust(settings.trust);
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(from))
    return copyFrom(resolve(from), { folder: target, trust, signal });
  const url = URL.canParse(from) ? new URL(from.endsWith('/') ? from : `${from}/`) : null;
  if (url?.protocol === 'file:') return copyFrom(fileURLToPath(url), { folder: target, trust, signal });
  const isKnown = url !== null && ['http:', 'https:', 's3:'].includes(url.protocol);
  if (!isKnown) throw unusable('an http, https, s3 or file URL, or a folder', from);
  if (url.protocol === 's3:' && settings.s3 === null)
    throw unusable('ALMANAKK_PUBLISH or ALMANAKK_ORIGIN at an object store, for its credentials', 'neither');
  const options = {
    ...originOf(url, settings.s3, settings.snapshotsToken),
    folder: target,
    trust,
    allowPrivate: settings.allowPrivateFeeds,
    signal,
  };
  const manifest = await readOriginManifest(await fetchManifest(options), options);
  if (!(await isCurrent(options, manifest, { isThorough: true }))) await copySnapshot(options, manifest);
}

async function copyFrom(
  from: string,
  options: Pick<CopyOptions, 'folder' | 'trust' | 'signal'>,
): Promise<void> {
  const { folder, signal } = options;
  const text = await readManifestText(from);
  if (text === null) throw unusable(`a snapshot folder with ${MANIFEST}`, from);
  const manifest = await readOriginManifest(text, options);
  if (await isCurrent(options, manifest, { isThorough: true })) return;
  await mkdir(folder, { recursive: true });
  await withLock(folder, () => takeOver(from, manifest, { folder, signal }));
}

async function takeOver(
  from: string,
  manifest: Manifest,
  { folder, signal }: Pick<CopyOptions, 'folder' | 'signal'>,
): Promise<void> {
  const { compressed, public: edition } = manifest;
  const file = unfinishedPath(folder, manifest.file);
  const copyIfPresent = async (name: string) => {
    const to = unfinishedPath(folder, name);
    return (await isCopied(join(from, name), to)) ? to : null;
  };
  try {
    await copyFile(join(from, manifest.file), file);
    const copy = compressed === undefined ? null : await copyIfPresent(compressed.file);
    const publicPath = edition === undefined ? null : await copyIfPresent(edition.file);
    const publicCopy =
      edition?.compressed === undefined ? null : await copyIfPresent(edition.compressed.file);
    await verifyAndPublish({
      folder,
      file,
      expected: manifest,
      verify: (path) => verifyApart(path, manifest, { isThorough: true, signal }),
      copied: compressed === undefined || copy === null ? null : { path: copy, entry: compressed },
      publicDraft: edition === undefined ? null : { path: publicPath, copy: publicCopy, entry: edition },
      signature: manifest.signature,
    });
  } finally {
    await removeDebris(folder);
  }
}

/** False for a file that is missing: a folder may have lost what no server needs. */
async function isCopied(from: string, to: string): Promise<boolean> {
  try {
    await copyFile(from, to);
    return true;
  } catch (cause) {
    if (isMissing(cause)) return false;
    throw cause;
  }
}

function unusable(expected: string, found: string): CalendarError {
  return new CalendarError('INVALID_SETTING', `--previous: expected ${expected}, found ${found}`);
}
