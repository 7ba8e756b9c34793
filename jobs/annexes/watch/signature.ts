/** H11: the state of a source folder as a text, by the names, sizes and times of its files. */
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

interface Limits {
  readonly files: number;
  /** The source folder included. Each folder costs a read every fifteen seconds, and a watcher. */
  readonly folders: number;
  /** Levels of folders, the source folder included. */
  readonly levels: number;
}

/** Sources have a dozen files in a handful of folders. */
const LIMITS: Limits = { files: 5_000, folders: 1_000, levels: 4 };
/** Files that are looked at together: fewer wake-ups than one by one. */
const BATCH = 64;

interface SourceState {
  /** Changes whenever one of the files does. */
  readonly signature: string;
  /** The folders that could be read. */
  readonly folders: ReadonlySet<string>;
}

/** Reads the names of all files, then their sizes and times. Files and folders beyond the limits are skipped. `onFolder` is called before a folder is read. */
export async function readSignature(
  source: string,
  onFolder: (folder: string) => void,
  { files, folders, levels }: Limits = LIMITS,
): Promise<SourceState> {
  const readable = new Set<string>();
  const paths: string[] = [];
  let visited = 0;
  const walk = async (folder: string, level: number): Promise<void> => {
    visited++;
    onFolder(folder);
    // A folder that cannot be read has no files; the build says why, if it needs them.
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => null);
    if (entries !== null) readable.add(folder);
    for (const entry of entries?.filter(({ name }) => isRead(name)) ?? []) {
      if (paths.length >= files) return;
      const path = join(folder, entry.name);
      if (!entry.isDirectory()) paths.push(path);
      else if (level < levels && visited < folders) await walk(path, level + 1);
    }
  };
  await walk(source, 1);
  const lines: string[] = [];
  for (let first = 0; first < paths.length; first += BATCH) {
    const batch = paths.slice(first, first + BATCH);
    lines.push(...(await Promise.all(batch.map(lineOf))));
  }
  return { signature: lines.sort().join('\n'), folders: readable };
}

/** The state of a file; empty for one that is gone. */
async function lineOf(path: string): Promise<string> {
  const found = await stat(path).catch(() => null);
  return found?.isFile() ? `${path} ${found.size} ${found.mtimeMs} ${found.ino}` : '';
}

/** Hidden files and the copies that editors make (`name~`) are not read. */
export function isRead(name: string): boolean {
  return !HIDDEN_OR_COPY.test(name);
}

const HIDDEN_OR_COPY = /^\.|~$/;
