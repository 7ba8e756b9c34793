/** The valid application keys. Their file is read again when it changes, so issuing and revoking need no restart. */
import { messageOf } from '../../calendar/errors.ts';
import type { Log } from '../../calendar/log.ts';
import { formatDay, osloDay } from '../../calendar/time.ts';
import type { ServeContext, ServePart } from '../../serve/annex.ts';
import type { SettingsOf } from '../../settings/kinds.ts';
import { stampOf } from '../../snapshot/files.ts';
import { hashKey, isWellFormedKey, noteSeen, readKeyFile } from '../common/keys.ts';
import type { KEYS } from '../common/settings.ts';

/** Throws INVALID_SETTING. */
export async function create({ settings, log }: ServeContext<SettingsOf<typeof KEYS>>): Promise<ServePart> {
  const { applicationOf, close } = await openKeyRing({ path: settings.keys, log });
  return { applicationOf, close };
}

interface KeyRingOptions {
  readonly path: string;
  readonly log: Log;
  /** Milliseconds between two checks of the file. */
  readonly interval?: number;
  /** Milliseconds since 1970. */
  readonly clock?: () => number;
}

export type KeyRing = Awaited<ReturnType<typeof openKeyRing>>;

/** Throws INVALID_SETTING if the file is broken at the start: then there are no last good keys. */
export async function openKeyRing(options: KeyRingOptions) {
  const { path, log, interval = 2_000, clock = Date.now } = options;
  const dayNow = () => formatDay(osloDay(Math.floor(clock() / 1_000)));
  let stamp = await stampOf(path);
  let keys = await readValidKeys(path);
  let today = dayNow();
  let isNoting = true;

  const note = (key: ValidKey) => {
    key.seenOn = today;
    noteSeen(path, key.id, today).catch((cause: unknown) => {
      // Logs only the first failure.
      if (isNoting) log.warn({ reason: messageOf(cause) }, 'last use of keys not noted');
      isNoting = false;
    });
  };
  const refresh = async () => {
    today = dayNow();
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
    applicationOf: (key: string): string | undefined => {
      const issued = isWellFormedKey(key) ? keys.get(hashKey(key)) : undefined;
      if (issued === undefined) return undefined;
      if (issued.seenOn !== today) note(issued);
      return issued.app;
    },
    /** Reads the file if it has changed. A broken file is logged, and the last good keys stay. Never rejects. */
    refresh,
    close: () => clearInterval(timer),
  };
}

interface ValidKey {
  readonly id: string;
  readonly app: string;
  /** Day of its last use in this process, once that is noted. */
  seenOn: string | null;
}

/** Valid keys by their hashes. */
async function readValidKeys(path: string): Promise<ReadonlyMap<string, ValidKey>> {
  const keys = await readKeyFile(path);
  return new Map(
    keys
      .filter(({ revoked }) => revoked === null)
      .map(({ id, app, hash }) => [hash, { id, app, seenOn: null }]),
  );
}
