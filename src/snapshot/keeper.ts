/**
 * Keeps the snapshot that requests are answered from, and adopts a new one when the folder has it: check, open, swap the reference, close
 * the old one after its last request (H5, the snapshot folder). An invalid delivery is refused, and the present snapshot stays; one that
 * turns out damaged is left (H14, damage while it is served).
 */
import { basename, join } from 'node:path';
import { CalendarError, messageOf } from '../calendar/errors.ts';
import type { Log } from '../calendar/log.ts';
import { type AdoptionProblem, BadDeliveries } from './bad-deliveries.ts';
import {
  inodeIn,
  listByBuild,
  listSnapshots,
  MANIFEST,
  type Manifest,
  parseManifest,
  readManifestText,
  type SnapshotFile,
  stampOf,
  watchFolder,
} from './folder.ts';
import { FORMAT } from './format.ts';
import { openSnapshot, type Snapshot } from './open.ts';
import { type Expected, formatMismatch } from './verify.ts';
import { Unverified, verifyApart } from './verify-apart.ts';

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
  /** H14: the same for a file that was left as damaged, until a delivery takes its place. */
  readonly damage: AdoptionProblem | null;
}

export interface KeeperOptions {
  readonly folder: string;
  readonly log: Pick<Log, 'info' | 'warn'>;
  readonly pollMs: number;
  /** Bytes of cached bodies of events; none are cached by default. */
  readonly cacheBytes?: () => number;
  /** H14: called when the current file is left as damaged, for whoever can make or fetch it again. */
  readonly onDamage?: () => void;
  /** Milliseconds since 1970. */
  readonly clock?: () => number;
  readonly watch?: typeof watchFolder;
  /** Replaces verification in its own process, for tests. */
  readonly verify?: typeof verifyApart;
}

/** Resolves once it has adopted the manifest's snapshot, else the newest good one, else none. */
export async function createKeeper(options: KeeperOptions): Promise<Keeper> {
  const keeper = new Keeper(options);
  await keeper.start();
  return keeper;
}

export class Keeper {
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
  /** H14: why the current file may be damaged, until it is hashed. */
  #doubt: string | null = null;
  /** No doubt is looked into before. */
  #doubtAfter = 0;
  #damage: AdoptionProblem | null = null;
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

  /** The current snapshot, held open for as long as a request needs it. Throws SERVICE_UNAVAILABLE if there is none. */
  pin(): Pin {
    if (this.#current !== null && !this.#isClosed()) return this.#current.pin();
    const why = this.state().lastRefusal?.reason ?? `no ${MANIFEST} in the folder yet`;
    throw new CalendarError('SERVICE_UNAVAILABLE', `No snapshot is open: ${why}`);
  }

  state(): KeeperState {
    const current = this.#current?.snapshot ?? null;
    const lastRefusal = this.#damage ?? this.#bad.last;
    return { current, adoptedAt: this.#adoptedAt, lastRefusal, damage: this.#damage };
  }

  /** H14: has the current file hashed again, because of what `reason` says. */
  doubt(reason: string): void {
    this.#doubt ??= reason;
    void this.check();
  }

  /** H14: whether the file of that name in the folder, as it is now, was left because it is damaged. */
  async isDamaged(file: string): Promise<boolean> {
    const path = join(this.#options.folder, file);
    return this.#damaged.has(`${path} ${await stampOf(path)}`);
  }

  /** Calls back synchronously with each swap; the listener must not throw. Returns a function that removes it. */
  onSwap(listener: SwapListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Checks the folder now; problems are in the state and in the log, not thrown. One check at a time: a call during a check causes another
   * one after it, because the first may have been too early.
   */
  check(): Promise<void> {
    this.#checkAgain = this.#checking !== null;
    this.#checking ??= this.#checkUntilQuiet();
    return this.#checking;
  }

  /** Resolves when every pin is released and every file is closed. */
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
      await this.#checkCurrent();
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
      this.#damage = null;
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
    const { snapshot, stamp } = await this.#openVerified(path, expected);
    const old = this.#current;
    this.#current = pinned(snapshot, stamp);
    this.#adoptedAt = this.#clock();
    this.#hashedAt = this.#adoptedAt;
    this.#doubt = null;
    this.#retire(old);
    const { events, occurrences } = snapshot.meta.counts;
    this.#options.log.info(
      { id: snapshot.id, events, occurrences, ms: this.#adoptedAt - started },
      'snapshot adopted',
    );
    for (const listener of this.#listeners) listener(snapshot);
  }

  /** Opens the very bytes that were verified, or throws. */
  async #openVerified(path: string, expected: Expected): Promise<Pick<Pinned, 'snapshot' | 'stamp'>> {
    const stamp = await stampOf(path);
    await this.#verify(path, expected);
    const onDamage = (reason: string) => {
      if (this.#current?.snapshot.path === path) this.doubt(reason);
    };
    const snapshot = await openSnapshot(path, { cacheBytes: this.#options.cacheBytes, onDamage });
    if ((await stampOf(path)) === stamp && !this.#isClosed()) return { snapshot, stamp };
    await snapshot.close();
    const message = `${basename(path)}: expected it to stay as it is while it is checked, found it changed`;
    throw new CalendarError('SNAPSHOT_UNUSABLE', message);
  }

  async #verify(path: string, expected: Expected, isSlow = false): Promise<void> {
    const { verify = verifyApart } = this.#options;
    await verify(path, expected, { signal: this.#closing.signal, isSlow });
  }

  /**
   * H14: hashes the current file again where anything says that it is damaged, and once a day, because disks spoil what was good. What is
   * in order is opened again after a doubt: another file may have its name by now.
   */
  async #checkCurrent(): Promise<void> {
    const current = this.#current;
    if (current === null) return;
    const { path } = current.snapshot;
    const stamp = await stampOf(path);
    // A file that was removed or replaced is still open, and as good as it was.
    const isThere = inodeIn(stamp) === inodeIn(current.stamp);
    if (isThere && stamp !== current.stamp) this.#doubt ??= 'expected it to stay as it is, found it changed';
    const doubt = this.#clock() < this.#doubtAfter ? null : this.#doubt;
    if (doubt === null && (!isThere || this.#clock() < this.#hashedAt + DAY_MS)) return;
    this.#hashedAt = this.#clock();
    try {
      await this.#verify(path, {}, doubt === null);
    } catch (cause) {
      if (!(cause instanceof Unverified))
        return this.#leave(current, { stamp, reason: doubt ?? messageOf(cause) });
      this.#warn(messageOf(cause));
    }
    if (doubt === null) return;
    this.#doubtAfter = this.#clock() + DOUBT_MS;
    await this.#adopt(path, {}).catch((cause) => this.#warn(messageOf(cause)));
  }

  /** H14: leaves a damaged file at once, for the newest good one. */
  async #leave(current: Pinned, { stamp, reason }: { stamp: string; reason: string }): Promise<void> {
    if (this.#isClosed()) return;
    const { path } = current.snapshot;
    this.#current = null;
    this.#adoptedAt = null;
    this.#manifest = null;
    this.#doubt = null;
    this.#damaged.add(`${path} ${stamp}`);
    this.#damage = {
      reason: `${basename(path)}: found damaged while it was served: ${reason}`,
      at: this.#clock(),
    };
    this.#retire(current);
    this.#warn(this.#damage.reason);
    this.#options.onDamage?.();
    await this.#fallBack();
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
/** Milliseconds after a doubt without reason, in which there is no other one. */
const DOUBT_MS = 60_000;

interface Pinned {
  readonly snapshot: Snapshot;
  /** Of its file when it was verified. */
  readonly stamp: string;
  readonly pin: () => Pin;
  /** Closes the snapshot as soon as no pin is left; resolves then. */
  readonly retire: () => Promise<void>;
}

/** Keeps a snapshot open until the last request that began with it is done. */
function pinned(snapshot: Snapshot, stamp: string): Pinned {
  let pins = 0;
  let closeNow: (() => void) | null = null;
  let closed: Promise<void> | null = null;
  return {
    snapshot,
    stamp,
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
