/** J6: a folder of this machine that is published to like an object store. */
import { randomBytes } from 'node:crypto';
import { constants, copyFile, open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isMissing, messageOf } from '../../src/calendar/errors.ts';
import { makeFolder, openRegular, UNFINISHED } from '../../src/snapshot/files.ts';
import { LONGEST_MANIFEST } from '../../src/snapshot/manifest.ts';
import { type FileContent, type Store, StoreProblem } from './s3.ts';

/** Whether other users of this machine may read the files: those of a web root, but not those with unpublished events. */
type Audience = 'everybody' | 'owner';

const FOLDER_MODE = { everybody: 0o755, owner: 0o700 };
const FILE_MODE = { everybody: 0o644, owner: 0o600 };

/** The folder is created with the first file. */
export function openFolderStore(location: URL, audience: Audience): Store {
  const folder = fileURLToPath(location);
  const pathOf = (name: string) => join(folder, name);

  /** Errors of the disk name the path. */
  const attempt = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    try {
      return await work();
    } catch (cause) {
      throw new StoreProblem('disk', `${folder}: ${messageOf(cause)}`, cause);
    }
  };

  const put = async (name: string, { body }: FileContent) => {
    await makeFolder(folder, FOLDER_MODE[audience]);
    // Readers see the old file or the new one: it gets its name once it is on the disk.
    const draft = pathOf(`${UNFINISHED}${randomBytes(6).toString('hex')}`);
    try {
      const isText = typeof body === 'string';
      if (isText) await writeFile(draft, body, { mode: FILE_MODE[audience] });
      else await copyFile(body.file, draft, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
      const handle = await open(draft, 'r+');
      try {
        await handle.chmod(FILE_MODE[audience]);
        await handle.sync();
      } finally {
        await handle.close();
      }
      await rename(draft, pathOf(name));
      return isText ? Buffer.byteLength(body) : body.bytes;
    } finally {
      await rm(draft, { force: true });
    }
  };

  return {
    name: folder,
    read: (name) => attempt(() => manifestText(pathOf(name))),
    sizeOf: (name) => attempt(() => sizeOf(pathOf(name))),
    put: (name, content) => attempt(() => put(name, content)),
    list: (beginning) => attempt(() => listIn(folder, beginning)),
    remove: (name) => attempt(() => rm(pathOf(name), { force: true })),
  };
}

/** The text of a manifest; null without one, and empty for a file that is too long to be one. */
async function manifestText(path: string): Promise<string | null> {
  try {
    const file = await openRegular(path);
    try {
      const { size } = await file.stat();
      return size > LONGEST_MANIFEST ? '' : await file.readFile('utf8');
    } finally {
      await file.close();
    }
  } catch (cause) {
    if (isMissing(cause)) return null;
    throw cause;
  }
}

/** Bytes; null for a file that does not exist. */
async function sizeOf(path: string): Promise<number | null> {
  try {
    return (await stat(path)).size;
  } catch (cause) {
    if (isMissing(cause)) return null;
    throw cause;
  }
}

async function listIn(folder: string, beginning: string) {
  const found: { readonly name: string; readonly modified: string }[] = [];
  for (const name of await namesIn(folder)) {
    if (!name.startsWith(beginning)) continue;
    // Another process may have removed it since.
    const entry = await stat(join(folder, name)).catch(() => null);
    if (entry?.isFile() === true) found.push({ name, modified: entry.mtime.toISOString() });
  }
  return found;
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (cause) {
    if (isMissing(cause)) return [];
    throw cause;
  }
}
