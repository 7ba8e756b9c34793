/** One pull of a snapshot from an origin that a test can make faulty. */
import { createHash } from 'node:crypto';
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'uvu';
import { copySnapshot, fetchManifest, readOriginManifest } from '../../../../jobs/annexes/pull/copy.ts';
import { MANIFEST } from '../../../../src/snapshot/files.ts';
import { type Manifest, parseManifest, renderManifest } from '../../../../src/snapshot/manifest.ts';
import { built, sourceOfEvents } from '../../../helpers/build.ts';
import { NOW } from '../../../helpers/calendar.ts';
import { manifestTextIn, publishCalendar, temporaryFolder } from '../../../helpers/folder.ts';
import { verifyHere } from '../../../helpers/keeper.ts';
import { type Fault, type Origin, startOrigin } from '../../../helpers/origin.ts';

export interface Context {
  /** Closed after each test. */
  readonly origins: Origin[];
}

/** Has the origins of a suite closed after each test. */
export function closingOrigins(pulling: Test<Context>): Test<Context> {
  pulling.after.each(async ({ origins }) => {
    for (const origin of origins.splice(0)) await origin.close();
  });
  return pulling;
}

export const { signal } = new AbortController();

export interface Given {
  readonly allowPrivate?: boolean;
  readonly token?: string | null;
  readonly stallMs?: number;
  readonly totalMs?: number;
  readonly onPublicLost?: (reason: string) => void;
  readonly verify?: typeof verifyHere;
}

/** An origin with its folder, `theirs`, and `pull`, which copies its snapshot into `ours`. */
export async function startOriginToPull({ origins }: Context, place = temporaryFolder()) {
  const theirs = temporaryFolder();
  const ours = join(place, 'made', 'by the pull');
  const manifest = await publishCalendar(theirs, { name: 'Opphav' });
  const origin = await startOrigin(theirs);
  origins.push(origin);
  const pull = async (url = origin.url, given: Given = {}) => {
    const options = {
      origin: url,
      folder: ours,
      signal,
      allowPrivate: false,
      verify: verifyHere,
      clock: () => Date.UTC(2100, 0),
      ...given,
    };
    return copySnapshot(options, await readOriginManifest(await fetchManifest(options), options));
  };
  return { theirs, ours, origin, manifest, pull };
}

export const publishedIn = (folder: string) => readdirSync(folder).filter((name) => name !== '.lock');

/** Replaces what the folder has by a snapshot with a public edition. */
export async function publishEdition(folder: string, events: number) {
  for (const name of publishedIn(folder)) rmSync(join(folder, name));
  await built(sourceOfEvents(events), folder, { isPublic: true, force: true, now: NOW + 60 * events });
  const manifest = parseManifest(manifestTextIn(folder));
  const { public: edition } = manifest;
  if (edition === undefined) throw new Error(`expected a public edition in ${folder}, found none`);
  return { manifest, edition };
}

/** The same for three events, with three bytes in place of the edition's file, and without its compressed copy. */
export async function publishDamagedEdition(folder: string) {
  const { manifest, edition } = await publishEdition(folder, 3);
  writeFileSync(join(folder, edition.file), 'bad');
  const { compressed: _, ...plain } = edition;
  writeFileSync(join(folder, MANIFEST), renderManifest({ ...manifest, public: plain }));
  return { manifest };
}

export const isFile = (path: string) => path.endsWith('.sqlite');

export function onManifest(manifest: Manifest): Fault {
  return (path, response) => !isFile(path) && end(response, renderManifest(manifest));
}

export function end(response: Parameters<Fault>[1], text = ''): true {
  response.end(text);
  return true;
}

export function flipped(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes);
  copy[copy.length - 1] = (copy.at(-1) ?? 0) ^ 1;
  return copy;
}

/** Puts a compressed copy beside the file. Returns its name. */
export function addCopy(folder: string, manifest: Manifest, copy: Buffer | null): string {
  const file = `${manifest.file}.br`;
  if (copy !== null) writeFileSync(join(folder, file), copy);
  const sha256 = createHash('sha256')
    .update(copy ?? '')
    .digest('hex');
  const compressed = { file, bytes: copy?.length ?? 1, sha256 };
  writeFileSync(join(folder, MANIFEST), renderManifest({ ...manifest, compressed }));
  return file;
}
