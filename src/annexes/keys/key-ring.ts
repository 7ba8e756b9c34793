/** The valid application keys. Their file is read again when it changes, so issuing and revoking need no restart. */
import { messageOf } from '../../calendar/errors.ts';
import type { Log } from '../../calendar/log.ts';
import type { ServeContext, ServePart } from '../../serve/annex.ts';
import type { SettingsOf } from '../../settings/kinds.ts';
import { stampOf } from '../../snapshot/folder.ts';
import { hashKey, isWellFormedKey, readKeyFile } from '../common/keys.ts';
import type { KEYS } from '../common/settings.ts';

/** Throws INVALID_SETTING. */
export const create = ({ settings, log }: ServeContext<SettingsOf<typeof KEYS>>): Promise<ServePart> =>
  openKeyRing({ path: settings.keys, log });

interface KeyRingOptions {
  readonly path: string;
  readonly log: Log;
  /** Milliseconds between two checks of the file. */
  readonly interval?: number;
}

export type KeyRing = Awaited<ReturnType<typeof openKeyRing>>;

/** Throws INVALID_SETTING if the file is broken at the start: then there are no last good keys. */
export async function openKeyRing({ path, log, interval = 2_000 }: KeyRingOptions) {
  let stamp = await stampOf(path);
  let keys = await readValidKeys(path);
  const refresh = async () => {
    const found = await stampOf(path);
    if (found === stamp) return;
    stamp = found;
    try {
      keys = await readValidKeys(path);
      log.info({ keys: keys.size }, 'keys read');
    } catch (cause) {
      log.error({ reason: messageOf(cause) }, 'keys not read, the last good ones stay valid');
    }
  };
  const timer = setInterval(refresh, interval);
  timer.unref();

  return {
    applicationOf: (key: string): string | undefined =>
      isWellFormedKey(key) ? keys.get(hashKey(key)) : undefined,
    /** Reads the file if it has changed. A broken file is logged, and the last good keys stay. Never rejects. */
    refresh,
    close: () => clearInterval(timer),
  };
}

/** The applications of valid keys, by the keys' hashes. */
async function readValidKeys(path: string): Promise<ReadonlyMap<string, string>> {
  const valid = (await readKeyFile(path)).filter(({ revoked }) => revoked === null);
  return new Map(valid.map(({ app, hash }) => [hash, app]));
}
