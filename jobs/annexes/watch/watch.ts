/**
 * H11, watching: notices changes in a source folder by its names, sizes and times. Looked at twice a second, a source of a dozen files
 * takes 0.2 % of a core; events of the file system would come sooner, and not at all from those of networks and containers.
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
/** A look that takes long rests a hundred times as long, up to so many milliseconds. */
const REST = 100;
const LONGEST_REST_MS = 5_000;
/** Entries of a folder that are checked: sources have a dozen files. */
const MOST_ENTRIES = 5_000;
const DEEPEST = 4;

interface Watched {
  /** Resolves once the folder was read for the first time: changes are those after it. */
  readonly begun: Promise<void>;
  readonly stop: () => void;
}

export function watchSource({ folder, onChange, quietMs = QUIET_MS }: WatchOptions): Watched {
  let known: string | null = null;
  let seen: string | null = null;
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;

  /** Two equal looks in a row that differ from the known state are a change. */
  const look = async () => {
    const begun = performance.now();
    const signature = await signatureOf(folder);
    if (isStopped) return;
    known ??= signature;
    const isChange = signature !== known && signature === seen;
    seen = signature;
    if (isChange) {
      known = signature;
      onChange();
    }
    const rest = Math.min(REST * (performance.now() - begun), LONGEST_REST_MS);
    timer = setTimeout(() => void look(), signature === known ? Math.max(quietMs, rest) : quietMs);
  };
  return {
    begun: look(),
    stop: () => {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}

/** Changes whenever a file does: paths, sizes and times, without hidden files and editors' copies (`name~`). */
async function signatureOf(folder: string): Promise<string> {
  const lines: string[] = [];
  const walk = async (path: string, depth: number): Promise<void> => {
    const entries = await readdir(path, { withFileTypes: true }).catch(() => []);
    for (const entry of entries.sort((left, right) => (left.name < right.name ? -1 : 1))) {
      if (/^\.|~$/.test(entry.name) || lines.length >= MOST_ENTRIES) continue;
      const place = join(path, entry.name);
      if (entry.isDirectory()) {
        if (depth < DEEPEST) await walk(place, depth + 1);
        continue;
      }
      const found = await stat(place).catch(() => null);
      if (found?.isFile()) lines.push(`${place} ${found.size} ${found.mtimeMs} ${found.ino}`);
    }
  };
  await walk(folder, 1);
  return lines.join('\n');
}
