/**
 * J1, publishing to an object store: mirrors a snapshot folder to a folder of an object store: the file first, the manifest last. The store
 * needs neither locks nor conditional puts. The present manifest is read again just before it is replaced, and a builder that still loses a
 * race of milliseconds notices it at the next check.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { StoreState } from '../../../src/annexes/common/upkeep.ts';
import { messageOf } from '../../../src/calendar/errors.ts';
import type { Log } from '../../../src/calendar/log.ts';
import {
  LONGEST_MANIFEST,
  listSnapshots,
  MANIFEST,
  type Manifest,
  parseManifest,
  readManifestText,
} from '../../../src/snapshot/folder.ts';
import type { Program } from '../../annex.ts';
import { type Polling, startPolling, type Trying, tryAgain } from '../../kit/polling.ts';
import { type Store, StoreProblem } from '../../kit/s3.ts';
import { idOfSnapshot, namesToRemove } from '../../publish.ts';

export interface Replication {
  /** Id of the store's present snapshot; null while the folder has none. */
  readonly id: string | null;
  /** Bytes sent; 0 if the store had everything. */
  readonly bytes: number;
  /** Another builder's manifest that was replaced; null for none. */
  readonly replaced: Foreign | null;
}

type Foreign = Pick<Manifest, 'id' | 'builtAt'>;

/** The store has a later build than this folder. */
export class NewerThere extends StoreProblem {
  /** Null if this folder built it, with a clock that was ahead. */
  readonly foreign: Foreign | null;

  constructor(store: Store, ours: Manifest, theirs: Foreign, isForeign: boolean) {
    const whose = isForeign
      ? 'by another builder: two must not publish to one place'
      : 'by this same builder, whose clock was ahead: the next later build replaces it';
    const expected = `${store.name}: expected no later build than ours of ${ours.builtAt}`;
    super('newer build there', `${expected}, found ${theirs.id} of ${theirs.builtAt}, ${whose}`);
    this.name = 'NewerThere';
    this.foreign = isForeign ? theirs : null;
  }
}

interface Before {
  /** The snapshot for which old files have been removed; null if unknown. */
  readonly cleaned: string | null;
}

/** Updates the store from the folder. Throws StoreProblem; uploaded files stay, and are found the next time. */
export async function replicate(folder: string, store: Store, { cleaned }: Before): Promise<Replication> {
  const text = await readManifestText(folder);
  if (text === null) return { id: null, bytes: 0, replaced: null };
  const ours = parseManifest(text);
  const first = await standingOf(store, { folder, ours, text });
  let bytes = await putFiles(folder, store, ours);
  let replaced: Foreign | null = null;
  if (first.isOurs && bytes === 0 && ours.id === cleaned) return { id: ours.id, bytes, replaced };
  // Uploads take time, in which another builder may have published.
  const before = await standingOf(store, { folder, ours, text });
  if (!before.isOurs) {
    bytes += await store.put(MANIFEST, { body: text, type: 'application/json', cacheControl: NO_STORE });
    replaced = before.foreign;
    // Without it, an old upload of this folder looks like another builder's, and is reported.
    await writeFile(join(folder, LAST_PUT), ours.id).catch(() => undefined);
  }
  await removeOld(folder, store, ours);
  return { id: ours.id, bytes, replaced };
}

/** Contains the id of the snapshot that this folder uploaded last, which the folder may have removed since. */
const LAST_PUT = '.last-put';

const NO_STORE = 'no-cache, no-store';
/** The name changes with the content. */
const FOR_GOOD = 'public, max-age=31536000, immutable';

interface Folder {
  readonly folder: string;
  readonly ours: Manifest;
  readonly text: string;
}

interface There {
  /** Compared byte by byte. */
  readonly isOurs: boolean;
  /** The store's manifest, if this folder does not know it; else null. */
  readonly foreign: Foreign | null;
}

/** Throws unless this folder's manifest may replace the store's. */
async function standingOf(store: Store, { folder, ours, text }: Folder): Promise<There> {
  const { text: there, at } = await store.read(MANIFEST);
  if (there === text) return { isOurs: true, foreign: null };
  if (at !== null && Date.parse(ours.builtAt) > at + SLACK_MS) {
    const found = `${ours.builtAt}, which is to come: this machine’s clock was ahead`;
    const expected = 'a build that is over by the store’s clock';
    throw new StoreProblem('build from the future', `${store.name}: expected ${expected}, found ${found}`);
  }
  const theirs = manifestIn(there);
  // The store has no manifest, or an unusable one.
  if (theirs === null) return { isOurs: false, foreign: null };
  const isForeign = !(await idsOf(folder)).has(theirs.id);
  const isLater = Date.parse(theirs.builtAt) > Date.parse(ours.builtAt);
  const isSameSecond = theirs.builtAt === ours.builtAt && isForeign;
  if (isLater || isSameSecond) throw new NewerThere(store, ours, theirs, isForeign);
  return { isOurs: false, foreign: isForeign ? { id: theirs.id, builtAt: theirs.builtAt } : null };
}

/** Ids of the folder's snapshots, and of the one that it uploaded last. */
async function idsOf(folder: string): Promise<ReadonlySet<string>> {
  const lastPut = await readFile(join(folder, LAST_PUT), 'utf8').catch(() => '');
  return new Set([lastPut, ...(await listSnapshots(folder)).map(({ id }) => id)]);
}

/** Milliseconds by which the clocks of a builder and of its store may differ. */
const SLACK_MS = 300_000;

function manifestIn(text: string | null): Manifest | null {
  if (text === null || text.length > LONGEST_MANIFEST) return null;
  try {
    return parseManifest(text);
  } catch {
    return null;
  }
}

/** Uploads files that are missing or incomplete. Returns the number of bytes sent. */
async function putFiles(folder: string, store: Store, { compressed, ...plain }: Manifest): Promise<number> {
  let sent = 0;
  for (const { file, bytes, sha256 } of [plain, ...(compressed === undefined ? [] : [compressed])]) {
    if ((await store.sizeOf(file)) === bytes) continue;
    sent += await store.put(file, {
      body: { file: join(folder, file), bytes, sha256 },
      type: 'application/octet-stream',
      cacheControl: FOR_GOOD,
    });
  }
  return sent;
}

/** H5, the snapshot folder: keeps this one and the two uploaded before it; within one second, those that this folder built last. */
async function removeOld(folder: string, store: Store, { id: ours }: Manifest): Promise<void> {
  const built = (await listSnapshots(folder)).map(({ id }) => id);
  const rank = (id: string) => (built.includes(id) ? built.indexOf(id) : built.length);
  const there = (await store.list('calendar-')).flatMap(({ name, modified }) => {
    const id = idOfSnapshot(name);
    return id === null ? [] : [{ name, id, modified: Date.parse(modified) }];
  });
  there.sort((left, right) => right.modified - left.modified || rank(left.id) - rank(right.id));
  const latest = there.map(({ id }) => id);
  const names = there.map(({ name }) => name);
  for (const name of namesToRemove(names, ours, latest)) await store.remove(name);
}

/** One or two words, for metrics. */
function whyOf(thrown: unknown): string {
  return thrown instanceof StoreProblem ? thrown.why : 'other';
}

/** For `rebuild`, which waits: a few attempts. */
export function replicateNow(
  folder: string,
  store: Store,
  how: Pick<Trying, 'pause'> = {},
): Promise<Replication> {
  return tryAgain({
    attempt: () => replicate(folder, store, { cleaned: null }),
    pauseMs: (tries, cause) => (tries === MOST_TRIES || !mayPass(cause) ? null : 1_000 * 2 ** (tries - 1)),
    ...how,
  });
}

const MOST_TRIES = 4;

/** A refusal of this machine, or another builder's build, will not change within seconds. */
function mayPass(cause: unknown): boolean {
  return !(cause instanceof NewerThere) && !whyOf(cause).startsWith('status 4');
}

interface WatchFolderOptions extends Pick<Program, 'clock' | 'random'> {
  readonly folder: string;
  /** Its requests must abort with `stopping`. */
  readonly store: Store;
  readonly stopping: AbortController;
  readonly log: Pick<Log, 'info' | 'warn'>;
  /** Called whenever any part of it changes. */
  readonly onState: (state: StoreState) => void;
  /** Milliseconds between two checks while all succeed. */
  readonly pollMs?: number;
  /** Milliseconds before the second attempt; the pause doubles each time, up to a minute. */
  readonly retryMs?: number;
}

/** Milliseconds until changes by others in the store are noticed. */
const POLL_MS = 60_000;
const RETRY_MS = 2_000;
/** Milliseconds. Two builders with one bucket meet at each build; one that was moved away is forgotten. */
const RIVAL_MS = 86_400_000;

export function watchStore(options: WatchFolderOptions): Polling {
  const { folder, store, stopping, clock, random, pollMs = POLL_MS, retryMs = RETRY_MS } = options;
  const account = createAccount(options);
  let cleaned: string | null = null;

  const attempt = async () => {
    const begun = clock();
    try {
      const replication = await replicate(folder, store, { cleaned });
      cleaned = replication.id;
      account.replicated(replication, Math.max(0, clock() - begun));
      return true;
    } catch (cause) {
      if (!stopping.signal.aborted) account.failed(cause);
      return false;
    }
  };
  return startPolling({ attempt, pollMs, retryMs, random, stopping });
}

/** Keeps the state of the store for servers, and logs its changes. */
function createAccount({
  store,
  log,
  clock,
  onState,
}: Pick<WatchFolderOptions, 'store' | 'log' | 'clock' | 'onState'>) {
  const { name } = store;
  let state: StoreState = { name, id: null, sentAt: null, bytes: 0, ms: 0, failing: null, rival: null };

  const update = (changes: Partial<StoreState>) => {
    state = { ...state, ...changes };
    onState(state);
  };
  const meet = (foreign: Foreign | null) => {
    if (foreign === null) return;
    if (state.rival?.id !== foreign.id) {
      log.warn({ id: foreign.id, builtAt: foreign.builtAt }, 'another builder publishes to this store, too');
    }
    update({ rival: { ...foreign, seenAt: clock() } });
  };

  return {
    replicated: ({ id, bytes, replaced }: Replication, ms: number) => {
      if (bytes > 0) {
        log.info({ id, bytes, ms }, 'published to the store');
        update({ id, sentAt: clock(), bytes: state.bytes + bytes, ms: state.ms + ms });
      } else if (id !== state.id) update({ id });
      meet(replaced);
      if (state.failing !== null) {
        log.info({ since: iso(state.failing.since) }, 'store complete again');
        update({ failing: null });
      }
      if (state.rival !== null && clock() - state.rival.seenAt > RIVAL_MS) update({ rival: null });
    },
    failed: (cause: unknown) => {
      const reason = messageOf(cause);
      if (cause instanceof NewerThere) meet(cause.foreign);
      if (reason === state.failing?.reason) return;
      const since = state.failing?.since ?? clock();
      log.warn({ reason, since: iso(since) }, 'not published to the store');
      update({ failing: { since, why: whyOf(cause), reason } });
    },
  };
}

function iso(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
