/**
 * J1: makes a folder of an object store as a snapshot folder is: the file first, the manifest last. No store has to offer a lock
 * or a conditional put for it. The manifest that is there is read again just before it is replaced, and whoever loses a race
 * of milliseconds all the same finds out at the next look.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { StoreState } from '../../../src/annexes/common/upkeep.ts';
import { messageOf } from '../../../src/calendar/errors.ts';
import {
  LONGEST_MANIFEST,
  listSnapshots,
  MANIFEST,
  type Manifest,
  parseManifest,
  readManifestText,
} from '../../../src/snapshot/folder.ts';
import type { Log } from '../../../src/snapshot/keeper.ts';
import { idOfSnapshot, namesToRemove } from '../../publish.ts';
import { waitBeforeLook } from '../fetch/fetch.ts';
import { type Store, StoreProblem } from '../s3/s3.ts';

/** What one look came to. */
export interface Replication {
  /** Of the snapshot that the store has now; null while the folder has none. */
  readonly id: string | null;
  /** How many bytes were sent; 0 when the store had everything. */
  readonly bytes: number;
  /** Somebody else's manifest that was replaced; null for none. */
  readonly replaced: Foreign | null;
}

type Foreign = Pick<Manifest, 'id' | 'builtAt'>;

/** A build that the store has, and that is later than ours. */
export class NewerThere extends StoreProblem {
  /** Null when this folder has built it, with a clock that was ahead. */
  readonly foreign: Foreign | null;

  constructor(store: Store, ours: Manifest, theirs: Foreign, isForeign: boolean) {
    const whose = isForeign
      ? 'by another builder: two must not publish to one place'
      : 'by this very builder, whose clock was ahead: the next later build takes its place';
    const expected = `${store.name}: expected no later build than ours of ${ours.builtAt}`;
    super('newer build there', `${expected}, found ${theirs.id} of ${theirs.builtAt}, ${whose}`);
    this.name = 'NewerThere';
    this.foreign = isForeign ? theirs : null;
  }
}

interface Before {
  /** The snapshot beside which there is nothing old left; null when that is not known. */
  readonly cleaned: string | null;
}

/** Brings the store up to date with the folder. Throws StoreProblem; what it has sent stays, and is found the next time. */
export async function replicate(folder: string, store: Store, { cleaned }: Before): Promise<Replication> {
  const text = await readManifestText(folder);
  if (text === null) return { id: null, bytes: 0, replaced: null };
  const ours = parseManifest(text);
  const first = await lookAt(store, { folder, ours, text });
  let bytes = await putFiles(folder, store, ours);
  let replaced: Foreign | null = null;
  if (first.isOurs && bytes === 0 && ours.id === cleaned) return { id: ours.id, bytes, replaced };
  // Files take their time, in which somebody else may have been here.
  const before = await lookAt(store, { folder, ours, text });
  if (!before.isOurs) {
    bytes += await store.put(MANIFEST, { body: text, type: 'application/json', cacheControl: NO_STORE });
    replaced = before.foreign;
    // Without it, what this folder put there long ago is taken for somebody else's, and told of.
    await writeFile(join(folder, LAST_PUT), ours.id).catch(() => undefined);
  }
  await removeOld(folder, store, ours);
  return { id: ours.id, bytes, replaced };
}

/** Has the id of the snapshot that was put last from this folder, which may have gone from it since. */
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
  /** Letter by letter. */
  readonly isOurs: boolean;
  /** The one that is there and that this folder does not know; null for none. */
  readonly foreign: Foreign | null;
}

/** Throws unless ours may take the place of what is there. */
async function lookAt(store: Store, { folder, ours, text }: Folder): Promise<There> {
  const { text: there, at } = await store.read(MANIFEST);
  if (there === text) return { isOurs: true, foreign: null };
  if (at !== null && Date.parse(ours.builtAt) > at + SLACK_MS) {
    const found = `${ours.builtAt}, which is to come: this machine’s clock was ahead`;
    const expected = 'a build that is over by the store’s clock';
    throw new StoreProblem('build from the future', `${store.name}: expected ${expected}, found ${found}`);
  }
  const theirs = manifestIn(there);
  // Nothing, or nothing that anybody could use.
  if (theirs === null) return { isOurs: false, foreign: null };
  const isForeign = !(await idsOf(folder)).has(theirs.id);
  const isLater = Date.parse(theirs.builtAt) > Date.parse(ours.builtAt);
  const isSameSecond = theirs.builtAt === ours.builtAt && isForeign;
  if (isLater || isSameSecond) throw new NewerThere(store, ours, theirs, isForeign);
  return { isOurs: false, foreign: isForeign ? { id: theirs.id, builtAt: theirs.builtAt } : null };
}

/** Of what is in the folder, and of what was put last from it. */
async function idsOf(folder: string): Promise<ReadonlySet<string>> {
  const lastPut = await readFile(join(folder, LAST_PUT), 'utf8').catch(() => '');
  return new Set([lastPut, ...(await listSnapshots(folder)).map(({ id }) => id)]);
}

/** Milliseconds that the clocks of a builder and of its store may be apart. */
const SLACK_MS = 300_000;

function manifestIn(text: string | null): Manifest | null {
  if (text === null || text.length > LONGEST_MANIFEST) return null;
  try {
    return parseManifest(text);
  } catch {
    return null;
  }
}

/** Those that are not there yet, or not whole. Gives how many bytes were sent. */
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

/** H5: ours, and the two that were put last before it; of what was put in one second, what this folder has built last. */
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

/** In a word or two, for metrics. */
function whyOf(thrown: unknown): string {
  return thrown instanceof StoreProblem ? thrown.why : 'other';
}

/** For `npm run rebuild`, which waits for it: some tries, and then the reason. Gives what to print. */
export async function replicateNow(
  folder: string,
  store: Store,
  { pause }: { readonly pause: (ms: number) => Promise<unknown> },
): Promise<Replication> {
  for (let tries = 1; ; tries++) {
    try {
      return await replicate(folder, store, { cleaned: null });
    } catch (cause) {
      if (tries === MOST_TRIES || !mayPass(cause)) throw cause;
      await pause(1_000 * 2 ** (tries - 1));
    }
  }
}

const MOST_TRIES = 4;

/** What this machine was refused for, or another builder's build, is the same a few seconds later. */
function mayPass(cause: unknown): boolean {
  return !(cause instanceof NewerThere) && !whyOf(cause).startsWith('status 4');
}

interface WatchFolderOptions {
  readonly folder: string;
  /** Its requests are to end with `stopping`. */
  readonly store: Store;
  readonly stopping: AbortController;
  readonly log: Log;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** From 0 up to but not including 1. */
  readonly random: () => number;
  /** Told whenever anything of it changes. */
  readonly onState: (state: StoreState) => void;
  /** Milliseconds between two looks while all is well. */
  readonly lookMs?: number;
  /** Milliseconds before the second try; each one after it is put off twice as long, up to a minute. */
  readonly retryMs?: number;
}

interface StoreWatch {
  /** The folder has changed. */
  readonly look: () => void;
  /** Resolves when what was at work has ended, unfinished. */
  readonly stop: () => Promise<void>;
}

/** What somebody removes or replaces there is noticed within this. */
const LOOK_MS = 60_000;
const RETRY_MS = 2_000;
/** Two builders on one bucket meet at each build; one that was moved is forgotten. */
const RIVAL_MS = 86_400_000;

export function watchStore(options: WatchFolderOptions): StoreWatch {
  const { folder, store, stopping, clock, random, lookMs = LOOK_MS, retryMs = RETRY_MS } = options;
  const account = createAccount(options);
  let failures = 0;
  let waiting = new AbortController();
  let isWanted = false;
  let cleaned: string | null = null;

  const lookOnce = async () => {
    const begun = clock();
    try {
      const replication = await replicate(folder, store, { cleaned });
      cleaned = replication.id;
      failures = 0;
      account.replicated(replication, Math.max(0, clock() - begun));
    } catch (cause) {
      if (stopping.signal.aborted) return;
      failures++;
      account.failed(cause);
    }
  };
  const rest = async () => {
    const wait = waitBeforeLook({ pollMs: failures === 0 ? lookMs : retryMs, failures, random });
    if (isWanted) return;
    waiting = new AbortController();
    await pause(wait, undefined, waiting).catch(() => undefined);
  };

  const done = (async () => {
    while (!stopping.signal.aborted) {
      isWanted = false;
      await lookOnce();
      if (!stopping.signal.aborted) await rest();
    }
  })();
  return {
    look: () => {
      isWanted = true;
      waiting.abort();
    },
    stop: () => {
      stopping.abort();
      waiting.abort();
      return done;
    },
  };
}

/** Keeps the state of the store that is shown, and logs what is new in it. */
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
        log.info({ since: iso(state.failing.since) }, 'the store has all again');
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
