/** Names of the files in a snapshot folder. A name is never a path: what comes from outside is matched, not joined. */
import { basename } from 'node:path';

export const MANIFEST = 'manifest.json';

/** Whatever a build has not published yet begins with this, and the next build removes it. */
export const UNFINISHED = '.unfinished-';

/** Held by the build that works on the folder; stays there in between. */
export const LOCK = '.lock';

const FILE = /^calendar-([0-9a-f]{16})\.sqlite$/;

/** The first 16 hex digits of the content's SHA-256. */
export function snapshotId(sha256: string): string {
  return sha256.slice(0, 16);
}

export function snapshotFile(id: string): string {
  return `calendar-${id}.sqlite`;
}

/** The id in a snapshot's file name, or null when the name is not one. */
export function idOfFile(name: string): string | null {
  return FILE.exec(name)?.[1] ?? null;
}

export function idOfPath(path: string): string {
  return idOfFile(basename(path)) ?? basename(path);
}
