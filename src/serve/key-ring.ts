/** The keys that are valid now. The file is looked at again and again, so that issuing and revoking need no restart. */
import { type FSWatcher, watch } from 'node:fs';
import { basename, dirname } from 'node:path';
import { messageOf } from '../calendar/errors.ts';
import { hashKey, isWellFormedKey } from '../identity/key.ts';
import { readKeyFile } from '../identity/key-file.ts';
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
}

/** Throws INVALID_SETTING when the file is broken at the start: then there is no last good one. */
export async function openKeyRing({ path, log, interval = 2_000 }: KeyRingOptions): Promise<KeyRing> {
  let stamp = await stampOf(path);
  let applications = await readApplications(path);
  /** Applications by the key itself, so that a known key is not hashed again. Only valid keys get in. */
  let seen = new Map<string, string>();
  let reading: Promise<void> = Promise.resolve();

  const refreshOnce = async () => {
    const found = await stampOf(path);
    if (found === stamp) return;
    stamp = found;
    try {
      applications = await readApplications(path);
      seen = new Map();
      log.info({ keys: applications.size }, 'keys read');
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
      const known = seen.get(key);
      if (known !== undefined) return known;
      if (!isWellFormedKey(key)) return undefined;
      const application = applications.get(hashKey(key));
      if (application !== undefined) seen.set(key, application);
      return application;
    },
    refresh,
    close: () => {
      clearInterval(timer);
      watcher?.close();
    },
  };
}

async function readApplications(path: string): Promise<ReadonlyMap<string, string>> {
  const keys = await readKeyFile(path);
  return new Map(keys.filter(({ revoked }) => revoked === null).map(({ hash, app }) => [hash, app]));
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
