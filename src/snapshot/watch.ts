/** Tells when a folder may have changed: at once where the file system has events, at the next poll everywhere else. */
import { type FSWatcher, watch } from 'node:fs';
import { stat } from 'node:fs/promises';
import { idOfFile, MANIFEST } from './folder.ts';

export interface FolderWatch {
  readonly stop: () => void;
}

export type WatchFolder = (folder: string, options: WatchOptions) => FolderWatch;

interface WatchOptions {
  readonly pollMs: number;
  /** May be called with nothing changed. */
  readonly onChange: () => void;
}

/** A file that is being copied gives hundreds of events a second. */
const SETTLE_MS = 20;

/** Neither the watcher nor the timer keeps the program alive. */
export function watchFolder(folder: string, options: WatchOptions): FolderWatch {
  const { onChange } = options;
  let watcher: FSWatcher | null = null;
  let watched: number | null = null;
  let stopped = false;
  let settling: NodeJS.Timeout | undefined;

  const settle = (): void => {
    if (stopped) return;
    settling ??= setTimeout(() => {
      settling = undefined;
      onChange();
    }, SETTLE_MS).unref();
  };
  const unwatch = (): void => {
    watcher?.close();
    watcher = null;
    watched = null;
  };
  /** A watcher stays with the folder it was made for, also when another one takes that folder's name. */
  const rewatch = async (): Promise<void> => {
    const found = await inodeOf(folder);
    if (stopped || (found !== null && found === watched)) return;
    unwatch();
    if (found === null) return;
    try {
      watcher = watch(folder, { persistent: false }, (_, name) => {
        if (name === null || name === MANIFEST || idOfFile(name) !== null) settle();
      }).on('error', unwatch);
      watched = found;
    } catch {
      // No events here (none supported, or too many watchers on this machine): polling goes on.
    }
  };
  const poll = pollFolder(folder, {
    ...options,
    onChange() {
      void rewatch();
      onChange();
    },
  });
  // What came before the watcher gave no event.
  void rewatch().then(settle);

  return {
    stop() {
      stopped = true;
      poll.stop();
      clearTimeout(settling);
      unwatch();
    },
  };
}

/** For file systems without events. */
export function pollFolder(_: string, { pollMs, onChange }: WatchOptions): FolderWatch {
  const timer = setInterval(onChange, pollMs).unref();
  return { stop: () => clearInterval(timer) };
}

async function inodeOf(folder: string): Promise<number | null> {
  try {
    return (await stat(folder)).ino;
  } catch {
    return null;
  }
}
