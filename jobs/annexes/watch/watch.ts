/**
 * H11: notices changes in a source folder by the names, sizes and times of its files. They are read when the file system reports an event, and
 * every fifteen seconds besides: file systems of networks and of some containers report none. To read them more often would keep an idle
 * machine awake.
 */
import { type FSWatcher, watch } from 'node:fs';
import type { CoreSettings } from '../../../src/settings/core.ts';
import type { BuildPart } from '../../annex.ts';
import { isRead, readSignature } from './signature.ts';

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
  /** Milliseconds without a change after which the folder counts as quiet. */
  readonly quietMs?: number;
  /** Milliseconds between two checks without an event. */
  readonly pollMs?: number;
}

/** Milliseconds. Editors and copies write a file in several steps; a build must not begin between them. */
const QUIET_MS = 500;
const POLL_MS = 15_000;

interface SourceWatch {
  /** Resolves once the folder has been read for the first time. Later changes are reported. */
  readonly begun: Promise<void>;
  readonly stop: () => void;
}

/** Watches a folder until it is stopped. The first check, of the present state, begins at once. */
export function watchSource(options: WatchOptions): SourceWatch {
  const { folder, onChange, quietMs = QUIET_MS, pollMs = POLL_MS } = options;
  const detect = createChangeDetector();
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  let hadEvent = false;
  /** Whether the next check is `quietMs` away at most. */
  let isSoon = false;

  const events = watchFolders(() => {
    hadEvent = true;
    if (!isSoon) checkIn(quietMs);
  });

  const checkIn = (milliseconds: number) => {
    if (isStopped) return;
    clearTimeout(timer);
    isSoon = milliseconds === quietMs;
    timer = setTimeout(() => void check(), milliseconds);
  };

  const check = async () => {
    // An event during the check may be of a file that was read before it.
    isSoon = true;
    // Without events, the folder may have been replaced by another of the same name, while the watcher still watches the old one.
    if (!hadEvent) events.keep(NONE);
    hadEvent = false;
    const { signature, folders } = await readSignature(folder, events.add);
    if (isStopped) return;
    events.keep(folders);
    const { isChange, isSettled } = detect(signature);
    if (isChange) onChange();
    checkIn(hadEvent || !isSettled ? quietMs : pollMs);
  };
  return {
    begun: check(),
    stop: () => {
      isStopped = true;
      clearTimeout(timer);
      events.keep(NONE);
    },
  };
}

const NONE: ReadonlySet<string> = new Set();

interface Detected {
  readonly isChange: boolean;
  /** Whether the folder is in the state that was reported last. */
  readonly isSettled: boolean;
}

/** Creates the function that finds a change when two checks in a row agree, and differ from the state that was reported last. */
function createChangeDetector(): (signature: string) => Detected {
  let reported: string | null = null;
  let seen: string | null = null;
  return (signature) => {
    reported ??= signature;
    const isChange = signature !== reported && signature === seen;
    if (isChange) reported = signature;
    seen = signature;
    return { isChange, isSettled: signature === reported };
  };
}

interface FolderEvents {
  /** Watches a folder, unless it is watched already. */
  readonly add: (folder: string) => void;
  /** Stops watching all other folders. */
  readonly keep: (folders: ReadonlySet<string>) => void;
}

/** Calls back with each event of a file. Has one watcher for each folder; file systems without events never call back. */
function watchFolders(onEvent: () => void): FolderEvents {
  const watchers = new Map<string, FSWatcher>();
  const drop = (folder: string) => {
    watchers.get(folder)?.close();
    watchers.delete(folder);
  };
  return {
    add: (folder) => {
      if (watchers.has(folder)) return;
      try {
        const watcher = watch(folder, { persistent: false }, (_, name) => {
          if (name === null || isRead(name)) onEvent();
        });
        watcher.on('error', () => drop(folder));
        watchers.set(folder, watcher);
      } catch {
        // The folder is gone, or the machine has no watcher left: polling goes on.
      }
    },
    keep: (folders) => {
      for (const folder of watchers.keys()) if (!folders.has(folder)) drop(folder);
    },
  };
}
