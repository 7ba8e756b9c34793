/** Rows of the tables of a folder's snapshot, and of its public edition. */
import { join } from 'node:path';
import { writePublicEdition } from '../../jobs/public-edition/write.ts';
import { parseManifest, readManifestText } from '../../src/snapshot/manifest.ts';
import { textOf } from '../../src/snapshot/reader.ts';
import { openReader } from '../../src/snapshot/sqlite.ts';
import { temporaryFolder } from './folder.ts';

/** The column `text` of each row. */
export async function snapshotRows(folder: string, sql: string): Promise<readonly string[]> {
  return textsIn((await currentIn(folder)).path, sql);
}

/** The same of the public edition, as it is at the moment of the build. */
export async function editionRows(folder: string, sql: string): Promise<readonly string[]> {
  const { path: snapshot, builtAt } = await currentIn(folder);
  const to = join(temporaryFolder(), 'public.sqlite');
  await writePublicEdition({ snapshot, to, now: Date.parse(builtAt) / 1_000, address: null });
  return textsIn(to, sql);
}

async function currentIn(folder: string) {
  const { file, builtAt } = parseManifest((await readManifestText(folder)) ?? '');
  return { path: join(folder, file), builtAt };
}

async function textsIn(path: string, sql: string): Promise<readonly string[]> {
  const reader = await openReader(path, { connections: 1, timeout: 0 });
  try {
    return await reader.all(sql, [], (row) => textOf(row, 'text'));
  } finally {
    await reader.close();
  }
}
