/** What the tables of a folder's snapshot hold. */
import { join } from 'node:path';
import { parseManifest, readManifestText } from '../../src/snapshot/folder.ts';
import { textOf } from '../../src/snapshot/reader.ts';
import { openReader } from '../../src/snapshot/sqlite.ts';

/** The column `text` of each row. */
export async function snapshotRows(folder: string, sql: string): Promise<readonly string[]> {
  const { file } = parseManifest((await readManifestText(folder)) ?? '');
  const reader = await openReader(join(folder, file), { connections: 1, timeout: 0 });
  try {
    return await reader.all(sql, [], (row) => textOf(row, 'text'));
  } finally {
    await reader.close();
  }
}
