/** H5: the snapshots and public editions that a folder keeps, and the removal of the others. */
import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../../src/calendar/errors.ts';
import { osloDay } from '../../src/calendar/time.ts';
import { idOfCompressed, idOfFile, isPublicFile, snapshotFile } from '../../src/snapshot/files.ts';
import { type DatedSnapshot, listByBuild, listSnapshots } from '../../src/snapshot/folder.ts';
import type { Manifest } from '../../src/snapshot/manifest.ts';
import { chooseOtherFormats, isManifestOfFormat } from '../../src/snapshot/other-formats.ts';

/**
 * Removes snapshots and public editions that no server and no operator needs any more. The folder's manifest is that of the current snapshot.
 * Returns a warning for each file that remains.
 */
export async function removeOldFiles(
  folder: string,
  manifest: Manifest,
  keepDays: number,
): Promise<readonly string[]> {
  const { id, public: edition } = manifest;
  const names = await readdir(folder);
  const latest = (await listSnapshots(folder)).map((snapshot) => snapshot.id);
  const lastIds = keepDays === 0 ? [] : lastOfDays(await listByBuild(folder), keepDays);
  // Their compressed copies are removed: no replica fetches them any more.
  const retained = new Set(lastIds.map(snapshotFile));
  const others = chooseOtherFormats(await manifestsOfFormats(folder, names), manifest);
  const removed = namesToRemove(names, [id, ...others.keptIds], latest).filter((name) => !retained.has(name));
  const old = [...removed, ...others.removedNames, ...(await oldPublicFiles(folder, names, edition?.file))];
  return removeEach(folder, old);
}

function manifestsOfFormats(folder: string, names: readonly string[]) {
  const readText = (name: string) => readFile(join(folder, name), 'utf8').catch(() => null);
  return Promise.all(
    names.filter(isManifestOfFormat).map(async (name) => ({ name, text: await readText(name) })),
  );
}

/** Removes these files. Returns a warning for each one that remains. Never rejects. */
export async function removeEach(folder: string, names: readonly string[]): Promise<readonly string[]> {
  const warnings: string[] = [];
  for (const name of names) {
    await rm(join(folder, name), { force: true }).catch((cause: unknown) => {
      warnings.push(`old file not removed: ${messageOf(cause)}`);
    });
  }
  return warnings;
}

/** H5: the current one and the two before it. Servers that still read an older one have it open until they close it. */
const MOST_SNAPSHOTS = 3;

/**
 * H5: the names of snapshots to remove. `current`: the id of the current manifest's; `others`: those of the manifests that stay beside it.
 * `latest`: ids, the latest first; an id may be repeated.
 */
export function namesToRemove(
  names: readonly string[],
  [current = '', ...others]: readonly string[],
  latest: readonly string[],
): readonly string[] {
  const retained = new Set([current]);
  for (const id of latest) if (retained.size < MOST_SNAPSHOTS) retained.add(id);
  for (const id of others) retained.add(id);
  return names.filter((name) => {
    const id = idOfSnapshot(name);
    return id !== null && !retained.has(id);
  });
}

/** The id in the name of a snapshot's file or of its compressed copy; null for any other name. */
export function idOfSnapshot(name: string): string | null {
  return idOfFile(name) ?? idOfCompressed(name);
}

/** H5: ids of the last build of each of the `days` before that of the latest build, by Norwegian days. */
export function lastOfDays(
  byBuild: readonly Pick<DatedSnapshot, 'id' | 'builtAt'>[],
  days: number,
): readonly string[] {
  const last = new Map<number, string>();
  for (const { id, builtAt } of byBuild) {
    const day = osloDay(Date.parse(builtAt) / 1_000);
    if (!last.has(day)) last.set(day, id);
  }
  const today = Math.max(...last.keys());
  return [...last].filter(([day]) => day < today && day >= today - days).map(([, id]) => id);
}

/** J5: names of public editions to remove. The current one and the two before it stay, because clients still read byte ranges of them. */
async function oldPublicFiles(
  folder: string,
  names: readonly string[],
  current: string | undefined,
): Promise<readonly string[]> {
  const written = new Map<string, number>();
  for (const name of names) {
    if (!isPublicFile(name) || name.endsWith('.br')) continue;
    // One whose time is unknown counts as the oldest.
    const found = await stat(join(folder, name)).catch(() => null);
    written.set(name, found?.mtimeMs ?? 0);
  }
  const latest = [...written].sort(([, one], [, other]) => other - one).map(([name]) => name);
  const retained = new Set(current === undefined ? [] : [current]);
  for (const name of latest) if (retained.size < MOST_SNAPSHOTS) retained.add(name);
  return names.filter((name) => isPublicFile(name) && !retained.has(name.replace(/\.br$/, '')));
}
