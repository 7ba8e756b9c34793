/**
 * Keeps the snapshot that requests are answered from, and adopts a new one when the folder has it: check, open, swap the reference, close
 * the old one after its last request (H5). An invalid delivery is refused, and the present snapshot stays. A snapshot that is found damaged
 * while it is used (`rehash.ts`) is replaced by the newest valid one.
 */
import { basename, join } from 'node:path';
import { CalendarError, messageOf } from '../calendar/errors.ts';
import type { Log } from '../calendar/log.ts';
import { createDamagedFiles, type SnapshotProblem } from './damaged-files.ts';
import { type FileStamp, MANIFEST, stampOf } from './files.ts';
import { listByBuild, listSnapshots, openSnapshotFile, watchFolder } from './folder.ts';
import { parseManifest, readManifestText } from './manifest.ts';
import type { Snapshot } from './open.ts';
import { createPins, type Pin } from './pins.ts';
import { createRefusedDeliveries, type RefusedDeliveries } from './refused-deliveries.ts';
import { createRehash, type Damage, type ServedFile } from './rehash.ts';
import type { Expected, Thoroughness } from './verify.ts';
import { verifyApart } from './verify-apart.ts';

export type SwapListener = (snapshot: Snapshot) => void;

export interface KeeperState {
  readonly current: Snapshot | null;
  /** Milliseconds since 1970; null without a snapshot. */
  readonly adoptedAt: number | null;
  /** The latest problem: a refusal, also if a good delivery came after it, or the damage below. */
  readonly lastRefusal: SnapshotProblem | null;
  /** H14: of a file that was left as damaged, until a delivery takes its place. */
  readonly damage: SnapshotProblem | null;
}

/** All that may keep a snapshot from being served, the newest first: a delivery can be refused after an older file was damaged. */
export function reasonsOf({ lastRefusal, damage }: Pick<KeeperState, 'lastRefusal' | 'damage'>): string {
  const problems = new Set([lastRefusal, damage]);
  return [...problems].flatMap((problem) => problem?.reason ?? []).join('; ');
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
  /** Called with a snapshot before it takes the place of the present one; what it throws refuses the snapshot. */
  readonly prepare?: (snapshot: Snapshot) => unknown;
  /** Replaces verification in its own process, for tests. */
  readonly verify?: typeof verifyApart;
}

/** Resolves when it has adopted the manifest's snapshot, or else the newest good one, if there is one. */
export async function createKeeper(options: KeeperOptions): Promise<Keeper> {
  const keeper = new Keeper(options);
  await keeper.start();
  return keeper;
}

/** The snapshot that is served. */
interface Current {
  readonly snapshot: Snapshot;
  readonly file: ServedFile;
  readonly pin: () => Pin;
  /** Held by the keeper while the snapshot is current. */
  readonly keeperPin: Pin;
  readonly adoptedAt: number;
}

interface OpenedFile {
  readonly snapshot: Snapshot;
  /** The stamp of the bytes that were verified. */
  readonly stamp: FileStamp;
}

export class Keeper {
  readonly #options: KeeperOptions;
  readonly #clock: () => number;
  readonly #listeners = new Set<SwapListener>();

  /** What is served. */
  #current: Current | null = null;
  /** Text of the manifest that names it; null if none does. */
  #manifest: string | null = null;

  /** Deliveries that are not tried again yet, and why the last one was refused. */
  readonly #refused: RefusedDeliveries;
  #refusal: SnapshotProblem | null = null;
  /** Files that were served, and left. */
  readonly #damaged = createDamagedFiles();
  readonly #rehash: ReturnType<typeof createRehash>;

  /** The running check of the folder; null while there is none. */
  #checking: Promise<void> | null = null;
  /** Whether another check follows it. */
  #checkAgain = false;
  #unwatch: (() => void) | undefined;

  readonly #stopping = new AbortController();
  /** One for each snapshot that is not closed yet. */
  readonly #closings = new Set<Promise<void>>();

  constructor(options: KeeperOptions) {
    this.#options = options;
    this.#clock = options.clock ?? Date.now;
    this.#refused = createRefusedDeliveries(options.pollMs, this.#clock);
    this.#rehash = createRehash({
      verify: (path, thoroughness) => this.#verify(path, {}, thoroughness),
      clock: this.#clock,
    });
  }

  async start(): Promise<void> {
    await this.check();
    if (this.#current === null) await this.#fallBack();
    const { folder, pollMs, watch = watchFolder } = this.#options;
    this.#unwatch = watch(folder, pollMs, () => void this.check());
    // A change before the watcher existed caused no event.
    void this.check();
  }

  /** The file of the current snapshot. */
  get path(): string | null {
    return this.#current?.file.path ?? null;
  }

  /** The current snapshot, held open for as long as a request needs it. Throws SERVICE_UNAVAILABLE if there is none. */
  pin(): Pin {
    if (this.#current !== null && !this.#isStopping()) return this.#current.pin();
    const why = reasonsOf(this.state()) || `no ${MANIFEST} in the folder yet`;
    throw new CalendarError('SERVICE_UNAVAILABLE', `No snapshot is open: ${why}`);
  }

  state(): KeeperState {
    const { snapshot: current = null, adoptedAt = null } = this.#current ?? {};
    const damage = this.#damaged.latest();
    return { current, adoptedAt, lastRefusal: latestOf(this.#refusal, damage), damage };
  }

  /** H14: has the current file hashed again, because of what `reason` says. */
  doubt(reason: string): void {
    if (this.#current !== null) this.#current.file.doubt ??= reason;
    void this.check();
  }

  /** H14: whether the file of that name in the folder, as it is now, was left because it is damaged. */
  async isDamaged(file: string): Promise<boolean> {
    const path = join(this.#options.folder, file);
    return this.#damaged.includes(path, await stampOf(path));
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
    this.#stopping.abort();
    this.#unwatch?.();
    await this.#checking;
    this.#current?.keeperPin.release();
    await Promise.all(this.#closings);
  }

  async #checkUntilQuiet(): Promise<void> {
    do {
      this.#checkAgain = false;
      if (this.#isStopping()) break;
      await this.#checkCurrent();
      await this.#checkManifest();
    } while (this.#checkAgain);
    // Synchronous with the check above, so that no call falls between the two.
    this.#checking = null;
  }

  /** Adopts the snapshot that the manifest names, unless it is current, or was refused or damaged as it is now. */
  async #checkManifest(): Promise<void> {
    /** The delivery, as far as it could be read when something fails. */
    const read = { manifest: '', stamp: '' };
    try {
      const text = await readManifestText(this.#options.folder);
      if (text === null || text === this.#manifest) return;
      read.manifest = text;
      const manifest = parseManifest(text);
      const path = join(this.#options.folder, manifest.file);
      const stamp = await stampOf(path);
      read.stamp = stamp.text;
      if (this.#refused.blocks(text, stamp.text) || this.#damaged.includes(path, stamp)) return;
      if (manifest.id !== this.#current?.snapshot.id) await this.#adopt(path, manifest);
      this.#manifest = text;
      this.#refused.forgive();
      this.#damaged.forgive();
    } catch (cause) {
      if (this.#isStopping()) return;
      const reason = messageOf(cause);
      this.#refusal = { reason, at: this.#clock() };
      if (this.#refused.record(read.manifest, read.stamp, reason)) this.#warn(reason);
    }
  }

  async #adopt(path: string, expected: Expected): Promise<void> {
    const started = this.#clock();
    const { snapshot, stamp } = await this.#openVerified(path, expected);
    this.#swap(snapshot, { path, stamp });
    const { id, meta } = snapshot;
    const { events, occurrences } = meta.counts;
    this.#options.log.info({ id, events, occurrences, ms: this.#clock() - started }, 'snapshot adopted');
    for (const listener of this.#listeners) listener(snapshot);
  }

  /** Opens the very bytes that were verified. Throws SNAPSHOT_UNUSABLE. */
  async #openVerified(path: string, expected: Expected): Promise<OpenedFile> {
    const stamp = await stampOf(path);
    await this.#verify(path, expected);
    const onDamage = (reason: string) => {
      if (this.path === path) this.doubt(reason);
    };
    const snapshot = await openSnapshotFile(path, { cacheBytes: this.#options.cacheBytes, onDamage });
    try {
      await this.#options.prepare?.(snapshot);
    } catch (cause) {
      await snapshot.close();
      const message = `${basename(path)}: expected a calendar that can be served, found ${messageOf(cause)}`;
      throw new CalendarError('SNAPSHOT_UNUSABLE', message, { cause });
    }
    if ((await stampOf(path)).text !== stamp.text || this.#isStopping()) {
      await snapshot.close();
      const message = `${basename(path)}: expected it not to change while it is checked, found that it did`;
      throw new CalendarError('SNAPSHOT_UNUSABLE', message);
    }
    return { snapshot, stamp };
  }

  #swap(snapshot: Snapshot, { path, stamp }: Pick<ServedFile, 'path' | 'stamp'>): void {
    const old = this.#current;
    const { pin, closed } = createPins(snapshot);
    const now = this.#clock();
    const file: ServedFile = { path, stamp, hashedAt: now, doubt: null };
    this.#current = { snapshot, file, pin, keeperPin: pin(), adoptedAt: now };
    const closing = closed
      .catch((cause) => this.#options.log.warn({ reason: messageOf(cause) }, 'snapshot not closed'))
      .finally(() => this.#closings.delete(closing));
    this.#closings.add(closing);
    old?.keeperPin.release();
  }

  async #verify(path: string, expected: Expected, thoroughness: Thoroughness = {}): Promise<void> {
    const { verify = verifyApart } = this.#options;
    await verify(path, expected, { signal: this.#stopping.signal, ...thoroughness });
  }

  /** H14: leaves the current file if it is damaged. */
  async #checkCurrent(): Promise<void> {
    const current = this.#current;
    if (current === null) return;
    const found = await this.#rehash(current.file);
    // Stopping also ends verification.
    if (this.#isStopping() || found.kind === 'not due') return;
    if (found.kind === 'damaged') {
      await this.#leave(current, found);
      return;
    }
    if (found.kind === 'unverified') this.#warn(found.reason, 'snapshot not verified');
    if (found.isDoubted) await this.#openAgain(current);
  }

  /** Opens a file whose doubt is settled, and verifies it once more: another file may have its name by now. */
  async #openAgain({ file }: Current): Promise<void> {
    await this.#adopt(file.path, {}).catch((cause) => {
      if (!this.#isStopping()) this.#warn(messageOf(cause));
    });
  }

  /** H14: leaves a damaged file at once, for the newest good one. */
  async #leave({ file, keeperPin }: Current, damage: Damage): Promise<void> {
    const { path } = file;
    const reason = `${basename(path)}: found damaged while it was served: ${damage.reason}`;
    this.#current = null;
    this.#manifest = null;
    this.#damaged.record(path, damage.stamp, { reason, at: this.#clock() });
    keeperPin.release();
    this.#warn(reason, 'damaged snapshot no longer used');
    this.#options.onDamage?.();
    await this.#fallBack();
  }

  #isStopping(): boolean {
    return this.#stopping.signal.aborted;
  }

  /** Adopts the newest build that is good; files without an instant of their build come last, so that the log names their fault. */
  async #fallBack(): Promise<void> {
    const { folder } = this.#options;
    const files = await Promise.all([listByBuild(folder), listSnapshots(folder)]).catch(() => []);
    for (const path of new Set(files.flat().map((file) => file.path))) {
      if (this.#damaged.includes(path, await stampOf(path))) continue;
      try {
        return await this.#adopt(path, {});
      } catch (cause) {
        if (this.#isStopping()) return;
        const reason = messageOf(cause);
        // What is wrong with an older file matters only if nothing is known of a newer one.
        if (this.state().lastRefusal === null) this.#refusal = { reason, at: this.#clock() };
        this.#warn(reason);
      }
    }
  }

  #warn(reason: string, message = 'snapshot refused'): void {
    this.#options.log.warn({ reason, keeps: this.#current?.snapshot.id ?? null }, message);
  }
}

function latestOf(refusal: SnapshotProblem | null, damage: SnapshotProblem | null): SnapshotProblem | null {
  if (refusal === null || damage === null) return refusal ?? damage;
  return refusal.at >= damage.at ? refusal : damage;
}
