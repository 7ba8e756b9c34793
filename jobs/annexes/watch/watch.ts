/**
 * H11, watching: notices changes in a source folder. `fs.watch` reports them at once on most file systems; a check of names, sizes and
 * times every few seconds finds those that network and container file systems do not report, and decides whether anything has changed at
 * all.
 */
import { watch as watchFolder } from 'node:fs';
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
  /** Called once the folder has changed and been quiet for `QUIET_MS`. */
  readonly onChange: () => void;
  /** Milliseconds between two checks without an event. */
  readonly pollMs?: number;
}

/** Milliseconds. Editors and copies write a file in several steps; a build must not begin between them. */
const QUIET_MS = 500;
const POLL_MS = 5_000;
/** Entries of a folder that are checked: sources have a dozen files. */
const MOST_ENTRIES = 5_000;
const DEEPEST = 4;

interface Watched {
  /** Resolves once the folder was read for the first time: changes are those after it. */
  readonly begun: Promise<void>;
  readonly stop: () => void;
}

export function watchSource({ folder, onChange, pollMs = POLL_MS }: WatchOptions): Watched {
  let known: string | null = null;
  let seen: string | null = null;
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;

  /** Two equal checks, `QUIET_MS` apart, that differ from the known state are a change. */
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
    // The first of the two checks is immediate: then most saves are confirmed after `QUIET_MS`, not after twice that.
    if (known !== null) lookIn(seen === known ? 0 : QUIET_MS);
  });
  return {
    begun: look(),
    stop: () => {
      isStopped = true;
      clearTimeout(timer);
      stopEvents();
    },
  };
}

/** A missing folder, or a system without free watches, reports nothing; periodic checks continue. */
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
