/** The keys that are valid now. The file is looked at again and again, so that issuing and revoking need no restart. */
import { type FSWatcher, watch } from 'node:fs';
import { basename, dirname } from 'node:path';
import { messageOf } from '../calendar/errors.ts';
import { formatDay, osloDay } from '../calendar/time.ts';
import { hashKey, isWellFormedKey } from '../identity/key.ts';
import { readKeyFile } from '../identity/key-file.ts';
import { noteSeen } from '../identity/last-seen.ts';
import { stampOf } from '../snapshot/folder.ts';
import type { Log } from './log.ts';

export interface KeyRing {
  /** The application a key was issued to; undefined when it is unknown, revoked or no key at all. */
  readonly applicationOf: (key: string) => string | undefined;
  /** Reads the file if it has changed. A broken one is logged, and the last good one stays. Never rejects. */
  readonly refresh: () => Promise<void>;
  readonly close: () => void;
}

interface KeyRingOptions {
  readonly path: string;
  readonly log: Log;
  /** Milliseconds between looks at the file, for where watching it does not work. */
  readonly interval?: number;
  /** Milliseconds since 1970. */
  readonly clock?: () => number;
}

/** Throws INVALID_SETTING when the file is broken at the start: then there is no last good one. */
export async function openKeyRing(options: KeyRingOptions): Promise<KeyRing> {
  const { path, log, interval = 2_000, clock = Date.now } = options;
  const dayNow = () => formatDay(osloDay(Math.floor(clock() / 1_000)));
  let stamp = await stampOf(path);
  let keys = await readValidKeys(path);
  /** By the key itself, so that a known key is not hashed again. Only valid keys get in. */
  let seen = new Map<string, ValidKey>();
  let today = dayNow();
  let reading: Promise<void> = Promise.resolve();
  let isNoting = true;

  const note = (key: ValidKey) => {
    key.seenOn = today;
    noteSeen(path, key.id, today).catch((cause: unknown) => {
      // Of every failure, the first one says it.
      if (isNoting) log.warn({ reason: messageOf(cause) }, 'last use of keys not noted');
      isNoting = false;
    });
  };
  const refreshOnce = async () => {
    today = dayNow();
    const found = await stampOf(path);
    if (found === stamp) return;
    stamp = found;
    try {
      keys = await readValidKeys(path);
      seen = new Map();
      log.info({ keys: keys.size }, 'keys read');
    } catch (cause) {
      log.error({ reason: messageOf(cause) }, 'keys not read, the last good ones stay');
    }
  };
  const refresh = () => {
    reading = reading.then(refreshOnce);
    return reading;
  };
  const timer = setInterval(refresh, interval);
  timer.unref();
  const watcher = watchFile(path, refresh);

  return {
    applicationOf: (key) => {
      let known = seen.get(key);
      if (known === undefined) {
        if (!isWellFormedKey(key)) return undefined;
        known = keys.get(hashKey(key));
        if (known === undefined) return undefined;
        seen.set(key, known);
      }
      if (known.seenOn !== today) note(known);
      return known.app;
    },
    refresh,
    close: () => {
      clearInterval(timer);
      watcher?.close();
    },
  };
}

interface ValidKey {
  readonly id: string;
  readonly app: string;
  /** Day of its last use here, once that is noted. */
  seenOn: string | null;
}

/** By their hashes. */
async function readValidKeys(path: string): Promise<ReadonlyMap<string, ValidKey>> {
  const keys = await readKeyFile(path);
  return new Map(
    keys
      .filter(({ revoked }) => revoked === null)
      .map(({ id, app, hash }) => [hash, { id, app, seenOn: null }]),
  );
}

/** Watches the folder, because the file is replaced. Not every file system can: then the timer has to do. */
function watchFile(path: string, onChange: () => void): FSWatcher | undefined {
  try {
    const watcher = watch(dirname(path), { persistent: false }, (_event, name) => {
      if (name === null || name === basename(path)) onChange();
    });
    watcher.on('error', () => watcher.close());
    return watcher;
  } catch {
    return undefined;
  }
}
