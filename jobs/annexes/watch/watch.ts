/**
 * H11: notices changes in a source folder by its names, sizes and times, looked at twice a second: events of the file system would come
 * sooner, and not at all from those of networks and containers.
 */
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { CoreSettings } from '../../../src/settings/core.ts';
import type { BuildPart } from '../../annex.ts';

export function create({ source }: CoreSettings): BuildPart {
  return {
    startService: ({ build }) => {
      const watched = build === null ? null : watchSource({ folder: source, onChange: build });
      return { stop: async () => watched?.stop() };
    },
  };
}

interface WatchOptions {
  readonly folder: string;
  /** Called once the folder has changed and been quiet. */
  readonly onChange: () => void;
  /** Milliseconds. */
  readonly quietMs?: number;
}

/** Editors and copies write a file in several steps; a build must not begin between them. */
const QUIET_MS = 500;
/** A check that takes long rests a hundred times as long, up to so many milliseconds. */
const REST = 100;
const LONGEST_REST_MS = 5_000;
/** Files that are checked: sources have a dozen. */
const MOST_FILES = 5_000;
const DEEPEST = 4;

/** `begun` resolves once the folder was read for the first time: changes are those after it. */
export function watchSource({ folder, onChange, quietMs = QUIET_MS }: WatchOptions) {
  let reported: string | null = null;
  let seen: string | null = null;
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;

  /** Two equal checks in a row that differ from the state that was reported last are a change. */
  const check = async () => {
    const begun = performance.now();
    const signature = await signatureOf(folder);
    if (isStopped) return;
    reported ??= signature;
    if (signature !== reported && signature === seen) {
      reported = signature;
      onChange();
    }
    seen = signature;
    const rest = Math.min(REST * (performance.now() - begun), LONGEST_REST_MS);
    timer = setTimeout(() => void check(), signature === reported ? Math.max(quietMs, rest) : quietMs);
  };
  return {
    begun: check(),
    stop: () => {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}

/** Changes whenever a file does: paths, sizes and times. */
async function signatureOf(folder: string): Promise<string> {
  const lines: string[] = [];
  for await (const path of filesIn(folder, DEEPEST)) {
    const found = await stat(path).catch(() => null);
    if (found?.isFile()) lines.push(`${path} ${found.size} ${found.mtimeMs} ${found.ino}`);
    if (lines.length >= MOST_FILES) break;
  }
  return lines.sort().join('\n');
}

/** Without hidden files and editors' copies (`name~`). */
async function* filesIn(folder: string, levels: number): AsyncGenerator<string, void, undefined> {
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
    const path = join(folder, entry.name);
    if (/^\.|~$/.test(entry.name)) continue;
    if (!entry.isDirectory()) yield path;
    else if (levels > 1) yield* filesIn(path, levels - 1);
  }
}
