/**
 * H11: notices changes in a source folder. `fs.watch` tells at once on most file systems; a look at names, sizes and times every few
 * seconds finds what network and container file systems do not tell, and decides whether anything has changed at all.
 */
import { watch as watchFolder } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { CoreSettings } from '../../../src/settings/core.ts';
import type { BuildPart } from '../../annex.ts';

export function create({ source }: CoreSettings): BuildPart {
  return {
    attend: ({ build }) => {
      const stop = build === null ? () => {} : watchSource({ folder: source, onChange: build });
      return { stop: async () => stop() };
    },
  };
}

interface WatchOptions {
  readonly folder: string;
  /** Called once the folder has changed and been quiet for `QUIET_MS`. */
  readonly onChange: () => void;
  /** Milliseconds between two looks without an event. */
  readonly pollMs?: number;
}

/** Editors and copies write a file in several steps; a build must not begin between them. */
const QUIET_MS = 500;
const POLL_MS = 5_000;
/** A folder with more entries is looked at up to here: sources are a dozen files. */
const MOST_ENTRIES = 5_000;
const DEEPEST = 4;

/** Begins with the folder as it is. Gives what ends it. */
export function watchSource({ folder, onChange, pollMs = POLL_MS }: WatchOptions): () => void {
  let known: string | null = null;
  let seen: string | null = null;
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;

  /** Two looks that agree, `QUIET_MS` apart, and differ from what was known, are a change. */
  const look = async () => {
    const signature = await signatureOf(folder);
    if (isStopped) return;
    known ??= signature;
    const isQuiet = signature === seen;
    seen = signature;
    if (signature !== known && isQuiet) {
      known = signature;
      onChange();
    }
    lookIn(signature === known ? pollMs : QUIET_MS);
  };
  const lookIn = (milliseconds: number) => {
    clearTimeout(timer);
    if (isStopped) return;
    timer = setTimeout(() => void look(), milliseconds);
  };
  const stopEvents = onEvents(folder, () => {
    // The first of the two looks at once: then most saves are known to be whole after `QUIET_MS`, not after twice that.
    if (known !== null) lookIn(seen === known ? 0 : QUIET_MS);
  });
  void look();
  return () => {
    isStopped = true;
    clearTimeout(timer);
    stopEvents();
  };
}

/** A folder that is missing, or a system without watches left, tells nothing; looking from time to time goes on. */
function onEvents(folder: string, onEvent: () => void): () => void {
  try {
    const watcher = watchFolder(folder, { persistent: false });
    watcher.on('change', onEvent);
    watcher.on('error', () => watcher.close());
    return () => watcher.close();
  } catch {
    return () => {};
  }
}

/** What a change of any file would change: paths, sizes and times, without hidden files and editors' copies (`name~`). */
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
