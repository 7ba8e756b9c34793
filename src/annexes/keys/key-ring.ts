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
  const ring = await openKeyRing({ path: settings.keys, log });
  return {
    applicationOf: (key) => ring.applicationOf(key),
    close: () => ring.close(),
  };
}

interface KeyRingOptions {
  readonly path: string;
  readonly log: Log;
  /** Milliseconds between two checks of the file. */
  readonly interval?: number;
  /** Milliseconds since 1970. */
  readonly clock?: () => number;
}

/** Throws INVALID_SETTING if the file is broken at the start: then there are no last good keys. */
export async function openKeyRing(options: KeyRingOptions): Promise<KeyRing> {
  // Taken before the file is read: a change in between is then found by the next check.
  const { text: stamp } = await stampOf(options.path);
  return new KeyRing(options, stamp, await readValidKeys(options.path));
}

/** Owns the timer that checks the file. */
export class KeyRing {
  readonly #path: string;
  readonly #log: Log;
  readonly #clock: () => number;
  readonly #timer: NodeJS.Timeout;
  #keys: ReadonlyMap<string, ValidKey>;
  /** Stamp of the file that the keys were read from. */
  #stamp: string;
  /** Stamp of the file whose failure was logged last. */
  #loggedStamp: string | null = null;
  #today: string;
  #isNoteFailureLogged = false;

  constructor(options: KeyRingOptions, stamp: string, keys: ReadonlyMap<string, ValidKey>) {
    const { path, log, interval = 2_000, clock = Date.now } = options;
    this.#path = path;
    this.#log = log;
    this.#clock = clock;
    this.#stamp = stamp;
    this.#keys = keys;
    this.#today = this.#dayNow();
    this.#timer = setInterval(() => this.refresh(), interval);
    this.#timer.unref();
  }

  applicationOf(key: string): string | undefined {
    const issued = isWellFormedKey(key) ? this.#keys.get(hashKey(key)) : undefined;
    if (issued === undefined) return undefined;
    if (issued.seenOn !== this.#today) this.#note(issued);
    return issued.app;
  }

  /**
   * Reads the file if it has changed, or if the last attempt failed: the cause may pass, such as too many open files, and the file may hold
   * a revocation. Until then, the last good keys stay. Never rejects.
   */
  async refresh(): Promise<void> {
    this.#today = this.#dayNow();
    const { text: stamp } = await stampOf(this.#path);
    if (stamp === this.#stamp) return;
    try {
      this.#keys = await readValidKeys(this.#path);
      this.#stamp = stamp;
      this.#loggedStamp = null;
      this.#log.info({ keys: this.#keys.size }, 'keys read');
    } catch (cause) {
      if (stamp === this.#loggedStamp) return;
      this.#loggedStamp = stamp;
      this.#log.error({ reason: messageOf(cause) }, 'keys not read; the last good ones stay valid');
    }
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #note(key: ValidKey): void {
    key.seenOn = this.#today;
    noteSeen(this.#path, key.id, this.#today).catch((cause: unknown) => {
      if (!this.#isNoteFailureLogged)
        this.#log.warn({ reason: messageOf(cause) }, 'last use of keys not saved');
      this.#isNoteFailureLogged = true;
    });
  }

  #dayNow(): string {
    return formatDay(osloDay(Math.floor(this.#clock() / 1_000)));
  }
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
