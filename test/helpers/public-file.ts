/** The public edition of a snapshot folder, and rows of its tables. */
import { join } from 'node:path';
import { parseManifest, readManifestText } from '../../src/snapshot/manifest.ts';
import type { Row } from '../../src/snapshot/reader.ts';
import { openReader } from '../../src/snapshot/sqlite.ts';

/** The path of the folder's public edition. */
export async function publicPath(folder: string): Promise<string> {
  const { public: edition } = parseManifest((await readManifestText(folder)) ?? '');
  if (edition === undefined) throw new Error(`expected a public edition in ${folder}, found none`);
  return join(folder, edition.file);
}

/** The rows that a statement gives on the public edition at this path. */
export async function publicRows(path: string, sql: string): Promise<readonly Row[]> {
  const reader = await openReader(path, { connections: 1, timeout: 0 });
  return reader.all(sql, [], (row) => row).finally(reader.close);
}
