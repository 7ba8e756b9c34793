/**
 * Keeps the snapshot that requests are answered from, and adopts a new one when the folder has it: check, open, swap the reference, close
 * the old one after its last request (H5, the snapshot folder). An invalid delivery is refused, and the present snapshot stays; one that
 * turns out damaged is left (H14, damage while it is served).
 */
import { basename, join } from 'node:path';
import { CalendarError, messageOf } from '../calendar/errors.ts';
import type { Log } from '../calendar/log.ts';
import {
  listByBuild,
  listSnapshots,
  MANIFEST,
  type Manifest,
  openRegular,
  parseManifest,
  readManifestText,
  type SnapshotFile,
  snapshotId,
  stampOf,
  watchFolder,
} from './folder.ts';
import { FORMAT } from './format.ts';
import { openSnapshot, type Snapshot } from './open.ts';
import { type Expected, formatMismatch, hashOf } from './verify.ts';
import { verifyApart } from './verify-apart.ts';

export interface Keeper {
  /** The current snapshot, held open for as long as a request needs it. Throws SERVICE_UNAVAILABLE if there is none. */
  readonly pin: () => Pin;
  readonly state: () => KeeperState;
  /** Calls back synchronously with each swap; the listener must not throw. Returns a function that removes it. */
  readonly onSwap: (listener: SwapListener) => () => void;
  /** Checks the folder now. Problems are in the state and in the log, not thrown. */
  readonly check: () => Promise<void>;
  /** Resolves when every pin is released and every file is closed. */
  readonly close: () => Promise<void>;
}

/** A request's hold on the snapshot it began with. */
interface Pin {
  readonly snapshot: Snapshot;
  /** Called once the answer is made; further calls do nothing. */
  readonly release: () => void;
}

export type SwapListener = (snapshot: Snapshot) => void;

export interface KeeperState {
  readonly current: Snapshot | null;
  /** Milliseconds since 1970; null without a snapshot. */
  readonly adoptedAt: number | null;
  /** The latest refusal, also if a good delivery came after it. */
  readonly lastRefusal: AdoptionProblem | null;
}

export interface KeeperOptions {
  readonly folder: string;
  readonly log: Pick<Log, 'info' | 'warn'>;
  readonly pollMs: number;
  /** Bytes of cached bodies of events; none are cached by default. */
  readonly cacheBytes?: () => number;
  /** Milliseconds since 1970. */
  readonly clock?: () => number;
  readonly watch?: typeof watchFolder;
  /** Replaces verification in its own process, for tests. */
  readonly verify?: typeof verifyApart;
}

/** Resolves once it has adopted the manifest's snapshot, else the newest good one, else none. */
export async function createKeeper(options: KeeperOptions): Promise<Keeper> {
  const keeper = new FolderKeeper(options);
  await keeper.start();
  return keeper;
}

class FolderKeeper implements Keeper {
  readonly #options: KeeperOptions;
  readonly #clock: () => number;
  readonly #bad: BadDeliveries;
  readonly #listeners = new Set<SwapListener>();
  /** Retired snapshots that are not closed yet. */
  readonly #retiring = new Set<Promise<void>>();
  #current: Pinned | null = null;
  #adoptedAt: number | null = null;
  /** When the current file was hashed last. */
  #hashedAt = 0;
  /** H14: files that turned out damaged, by their stamps: adopted again only if they are written again. */
  readonly #damaged = new Set<string>();
  /** Text of the current snapshot's manifest. */
  #manifest: string | null = null;
  #checking: Promise<void> | null = null;
  #checkAgain = false;
  #unwatch: (() => void) | undefined;
  readonly #closing = new AbortController();

  constructor(options: KeeperOptions) {
    this.#options = options;
    this.#clock = options.clock ?? Date.now;
    this.#bad = new BadDeliveries(options.pollMs, this.#clock);
  }

  async start(): Promise<void> {
    await this.check();
    if (this.#current === null) await this.#fallBack();
    const { folder, pollMs, watch = watchFolder } = this.#options;
    this.#unwatch = watch(folder, pollMs, () => void this.check());
    // A change before the watcher existed caused no event.
    void this.check();
  }

  pin(): Pin {
    if (this.#current !== null && !this.#isClosed()) return this.#current.pin();
    const why = this.#bad.last?.reason ?? `no ${MANIFEST} in the folder yet`;
    throw new CalendarError('SERVICE_UNAVAILABLE', `No snapshot is open: ${why}`);
  }

  state(): KeeperState {
    const current = this.#current?.snapshot ?? null;
    return { current, adoptedAt: this.#adoptedAt, lastRefusal: this.#bad.last };
  }

  onSwap(listener: SwapListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** One check at a time. A call during a check causes another one after it, because the first may have been too early. */
  check(): Promise<void> {
    this.#checkAgain = this.#checking !== null;
    this.#checking ??= this.#checkUntilQuiet();
    return this.#checking;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#unwatch?.();
    await this.#checking;
    this.#retire(this.#current);
    await Promise.all(this.#retiring);
  }

  async #checkUntilQuiet(): Promise<void> {
    do {
      this.#checkAgain = false;
      if (this.#isClosed()) break;
      await this.#hashAgain();
      await this.#checkOnce();
    } while (this.#checkAgain);
    // Synchronous with the check above, so that no call falls between the two.
    this.#checking = null;
  }

  async #checkOnce(): Promise<void> {
    let text: string | null = null;
    let stamp = '';
    try {
      text = await readManifestText(this.#options.folder);
      if (text === null || text === this.#manifest) return;
      const manifest = parseManifest(text);
      const path = join(this.#options.folder, manifest.file);
      // A delivery that was refused while half copied is checked again.
      stamp = await stampOf(path);
      if (this.#bad.blocks(text, stamp) || this.#damaged.has(`${path} ${stamp}`)) return;
      if (manifest.id !== this.#current?.snapshot.id) await this.#adopt(path, manifest);
      this.#manifest = text;
      this.#bad.forgive();
    } catch (cause) {
      if (this.#isClosed()) return;
      const reason = messageOf(cause);
      if (this.#bad.record(text ?? '', stamp, reason)) this.#warn(reason);
    }
  }

  async #adopt(path: string, expected: Partial<Manifest>): Promise<void> {
    const started = this.#clock();
    if ((expected.format ?? FORMAT) !== FORMAT) {
      throw new CalendarError('SNAPSHOT_UNUSABLE', `${MANIFEST}: ${formatMismatch(expected.format ?? 0)}`);
    }
    const snapshot = await this.#openVerified(path, expected);
    const old = this.#current;
    this.#current = pinned(snapshot);
    this.#adoptedAt = this.#clock();
    this.#hashedAt = this.#adoptedAt;
    this.#retire(old);
    const { events, occurrences } = snapshot.meta.counts;
    this.#options.log.info(
      { id: snapshot.id, events, occurrences, ms: this.#adoptedAt - started },
      'snapshot adopted',
    );
    for (const listener of this.#listeners) listener(snapshot);
  }

  /** Opens the very bytes that were verified, or throws. */
  async #openVerified(path: string, expected: Expected): Promise<Snapshot> {
    const { verify = verifyApart, cacheBytes } = this.#options;
    const stamp = await stampOf(path);
    await verify(path, expected, { signal: this.#closing.signal });
    const onDamage = (reason: string) => void this.#leave(path, stamp, reason);
    const snapshot = await openSnapshot(path, { cacheBytes, onDamage });
    if ((await stampOf(path)) === stamp && !this.#isClosed()) return snapshot;
    await snapshot.close();
    const message = `${basename(path)}: expected it to stay as it is while it is checked, found it changed`;
    throw new CalendarError('SNAPSHOT_UNUSABLE', message);
  }

  /** H14: leaves a damaged file at once, for the newest good one. */
  async #leave(path: string, stamp: string, reason: string): Promise<void> {
    const current = this.#current;
    if (current?.snapshot.path !== path || this.#isClosed()) return;
    this.#current = null;
    this.#adoptedAt = null;
    this.#manifest = null;
    this.#damaged.add(`${path} ${stamp}`);
    this.#retire(current);
    this.#warn(reason);
    // A check that is going on may adopt another one first.
    await this.#checking;
    if (this.#current !== null || this.#isClosed()) return;
    await this.#fallBack();
    this.#bad.record('', '', `${basename(path)}: found damaged while it was served: ${reason}`);
  }

  /** H14: hashes the current file again once a day, because disks spoil what was good. */
  async #hashAgain(): Promise<void> {
    const snapshot = this.#current?.snapshot;
    if (snapshot === undefined || this.#clock() - this.#hashedAt < DAY_MS) return;
    this.#hashedAt = this.#clock();
    const { path, id } = snapshot;
    const stamp = await stampOf(path);
    const sha256 = await openRegular(path)
      .then((file) => hashOf(file).finally(() => file.close()))
      .catch(() => null);
    // A file that was removed is still open.
    if (sha256 === null || snapshotId(sha256) === id) return;
    void this.#leave(path, stamp, `expected a SHA-256 that begins with ${id}, found ${sha256}`);
  }

  #isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  async #fallBack(): Promise<void> {
    for (const { path } of await candidatesIn(this.#options.folder).catch(() => [])) {
      if (this.#damaged.has(`${path} ${await stampOf(path)}`)) continue;
      try {
        await this.#adopt(path, {});
        return;
      } catch (cause) {
        if (this.#isClosed()) return;
        const reason = messageOf(cause);
        if (this.#bad.last === null) this.#bad.record('', '', reason);
        this.#warn(reason);
      }
    }
  }

  #retire(old: Pinned | null): void {
    if (old === null) return;
    const retiring = old
      .retire()
      .catch((cause) => this.#options.log.warn({ reason: messageOf(cause) }, 'snapshot not closed'))
      .finally(() => this.#retiring.delete(retiring));
    this.#retiring.add(retiring);
  }

  #warn(reason: string): void {
    this.#options.log.warn({ reason, keeps: this.#current?.snapshot.id ?? null }, 'snapshot refused');
  }
}

/** The newest build first; files without an instant of their build last, so that the log names their fault. */
async function candidatesIn(folder: string): Promise<readonly SnapshotFile[]> {
  const dated = await listByBuild(folder);
  const known = new Set(dated.map(({ path }) => path));
  return [...dated, ...(await listSnapshots(folder)).filter(({ path }) => !known.has(path))];
}

const DAY_MS = 86_400_000;

interface Pinned {
  readonly snapshot: Snapshot;
  readonly pin: () => Pin;
  /** Closes the snapshot as soon as no pin is left; resolves then. */
  readonly retire: () => Promise<void>;
}

/** Keeps a snapshot open until the last request that began with it is done. */
function pinned(snapshot: Snapshot): Pinned {
  let pins = 0;
  let closeNow: (() => void) | null = null;
  let closed: Promise<void> | null = null;
  return {
    snapshot,
    pin() {
      pins++;
      let isReleased = false;
      return {
        snapshot,
        release() {
          if (isReleased) return;
          isReleased = true;
          pins--;
          if (pins === 0) closeNow?.();
        },
      };
    },
    retire() {
      closed ??= new Promise<void>((done) => {
        closeNow = done;
        if (pins === 0) done();
      }).then(() => snapshot.close());
      return closed;
    },
  };
}

interface AdoptionProblem {
  readonly reason: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** Milliseconds. The same bytes may have failed for a temporary reason, such as too many open files. */
const LONGEST_WAIT = 300_000;

/**
 * Remembers refused deliveries, so that an invalid delivery is not hashed again and again, but one still being copied is. A *delivery* is
 * a manifest's text; its *stamp* changes whenever the file that it names is written to.
 */
export class BadDeliveries {
  last: AdoptionProblem | null = null;
  #refused: Refused | null = null;
  readonly #wait: number;
  readonly #clock: () => number;

  /** `wait`: milliseconds to the second attempt; doubled each time. */
  constructor(wait: number, clock: () => number) {
    this.#wait = wait;
    this.#clock = clock;
  }

  /** Whether this very delivery was refused and its next attempt is not due. */
  blocks(delivery: string, stamp: string): boolean {
    const refused = this.#refused;
    return refused?.delivery === delivery && refused.stamp === stamp && this.#clock() < refused.retryAt;
  }

  /** Returns whether this is new: another delivery, or another reason for the same bytes. */
  record(delivery: string, stamp: string, reason: string): boolean {
    const isSame = this.#refused?.delivery === delivery;
    const before = isSame && this.#refused?.stamp === stamp ? this.#refused : null;
    const isNews = !isSame || (before !== null && reason !== this.last?.reason);
    const attempts = before === null ? 0 : before.attempts + 1;
    const retryAt = this.#clock() + Math.min(this.#wait * 2 ** attempts, LONGEST_WAIT);
    this.#refused = { delivery, stamp, attempts, retryAt };
    this.last = { reason, at: this.#clock() };
    return isNews;
  }

  forgive(): void {
    this.#refused = null;
  }
}

interface Refused {
  readonly delivery: string;
  readonly stamp: string;
  /** Attempts after the first. */
  readonly attempts: number;
  readonly retryAt: number;
}
