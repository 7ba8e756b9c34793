/**
 * The day on which each key was last used: a file a key, beside the key file, that holds nothing but the day. Serving
 * processes write it once a day each, in any order and over one another, because all of them write the same; who lists the
 * keys reads it. More than the day is nobody's business.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** `day` is `YYYY-MM-DD` in Norway; `path` is the key file. */
export async function noteSeen(path: string, id: string, day: string): Promise<void> {
  await mkdir(folderOf(path), { recursive: true });
  await writeFile(join(folderOf(path), id), `${day}\n`);
}

/** Null for a key that no process of this machine has seen, or whose file is being written. */
export async function lastSeen(path: string, id: string): Promise<string | null> {
  const text = await readFile(join(folderOf(path), id), 'latin1').catch(() => '');
  return DAY.exec(text)?.[0] ?? null;
}

const DAY = /^\d{4}-\d{2}-\d{2}(?=\n$)/;

function folderOf(path: string): string {
  return `${path}.seen`;
}
