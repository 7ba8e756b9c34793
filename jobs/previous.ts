/** Finds the previous snapshot of a target folder, and reads from it what the next build needs. */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { CalendarError, isCalendarError, messageOf, systemCodeOf } from '../src/calendar/errors.ts';
import { readColumns } from '../src/snapshot/column-blobs.ts';
import type { Columns } from '../src/snapshot/columns.ts';
import { idOfPath, snapshotFile } from '../src/snapshot/files.ts';
import { FINGERPRINT } from '../src/snapshot/fingerprint.ts';
import { type DatedSnapshot, listByBuild } from '../src/snapshot/folder.ts';
import { FORMAT } from '../src/snapshot/format.ts';
import { type Manifest, parseManifest, readManifestText } from '../src/snapshot/manifest.ts';
import { type Meta, metaText, readMeta } from '../src/snapshot/meta.ts';
import { integerOf, type Reader, textOf } from '../src/snapshot/reader.ts';
import { openReader } from '../src/snapshot/sqlite.ts';
import { type Expected, openVerified } from '../src/snapshot/verify.ts';
import { isOfTables, readOlderTimes } from './changes/older.ts';
import type { PreviousSlugs } from './slugs/ledger.ts';
import { readSlugLedger } from './slugs/ledger-tables.ts';

export interface Previous {
  readonly id: string;
  readonly file: string;
  readonly path: string;
  readonly meta: Meta;
  /** False if the manifest or its file is unusable: this is the snapshot that a server would fall back to. */
  readonly isCurrent: boolean;
  /** H14: whether the folder has one that was built later, as after `restore`. Those of the future do not count. */
  readonly isSuperseded: boolean;
  /** J5: whether a public edition is published with it. */
  readonly hasPublicEdition: boolean;
  /** Whether an event's `publishingDate` has passed since. */
  readonly hasAppeared: boolean;
  /** JSON. */
  readonly ledger: string;
  /** A17: the slugs that its ids have, and had. */
  readonly slugs: PreviousSlugs;
  /** JSON: the changes of the latest builds (G10). */
  readonly recentChanges: string;
  /** JSON, in the form of the snapshot's format. */
  readonly report: string;
  /** Ids of its events with an occurrence that is not over now, by ordinal. */
  readonly upcoming: ReadonlyMap<number, string>;
  /** Whether it has this build's format, so that its contents are comparable. */
  readonly isComparable: boolean;
}

interface FoundPrevious {
  /** Null in a folder without a usable one. */
  readonly previous: Previous | null;
  /** Unusable files, for people. */
  readonly warnings: readonly string[];
}

/** Throws BUILD_REFUSED if the folder has snapshots and none of them can be read (H14), unless it is forced. */
export async function findPrevious(
  folder: string,
  { now, force }: { readonly now: number; readonly force: boolean },
): Promise<FoundPrevious> {
  const warnings: string[] = [];
  let firstCause: unknown;
  const { builds, candidates } = await candidatesIn(folder);
  for (const { isCurrent, open } of candidates) {
    try {
      const opened = await open();
      if (opened === null) continue;
      const previous = await readPrevious(opened, { folder, now, isCurrent, builds });
      return {
        previous,
        warnings: [...warnings, ...unknownSince(previous, warnings), ...clockWarnings(previous, now)],
      };
    } catch (cause) {
      if (!isFileFault(cause)) throw cause;
      warnings.push(messageOf(cause));
      firstCause ??= cause;
    }
  }
  const why = [...new Set(warnings)];
  if (why.length === 0) return { previous: null, warnings: [] };
  if (force) return { previous: null, warnings: [...why, LOST] };
  const expected = `expected at least one readable snapshot, found none: ${why.join('; ')}`;
  throw new CalendarError('BUILD_REFUSED', `${folder}: ${expected}; ${RESTORE}. With --force, ${LOST}`, {
    cause: firstCause,
  });
}

/** Whether a file is at fault: it is damaged, or the system or SQLite could not read it. Other errors are faults of this program. */
function isFileFault(cause: unknown): boolean {
  if (isCalendarError(cause) || cause instanceof SyntaxError) return true;
  return systemCodeOf(cause) !== '';
}

/** A17, G4: a lost ledger cannot be rebuilt. */
const LOST =
  'slugs, retired category ids and the change history start over, so previously published links may break';
const RESTORE = 'if there is a backup of the snapshot folder, restore it and build again';

/** A17: another file, which could not be read, may have been published after this one. */
function unknownSince({ file, meta }: Previous, unreadable: readonly string[]): readonly string[] {
  if (unreadable.length === 0) return [];
  const unknown = 'slugs and category ids that were published since then are not known';
  return [`${file}: built at ${meta.builtAt}, is the newest that could be read: ${unknown}`];
}

/** If the clock was set back, events that are over would return. The build still uses the clock. */
function clockWarnings({ file, meta }: Previous, now: number): readonly string[] {
  if (Date.parse(meta.builtAt) / 1000 <= now) return [];
  const found = new Date(now * 1000).toISOString();
  return [`${file}: built at ${meta.builtAt}, later than now (${found}): check this machine's clock`];
}

/** A snapshot that is open for reading, whether a present server could serve it or not. */
type OpenSnapshot = Pick<Previous, 'id' | 'meta' | 'isComparable' | 'hasPublicEdition'> & Reader;

/** The manifest's file, then the others, the newest build first: the order in which a server tries them at its start. */
async function candidatesIn(folder: string) {
  const builds = await listByBuild(folder);
  const current = { isCurrent: true, open: () => openCurrent(folder) };
  const others = builds.map(({ path }) => ({ isCurrent: false, open: () => openFile(path, {}) }));
  return { builds, candidates: [current, ...others] };
}

async function openCurrent(folder: string): Promise<OpenSnapshot | null> {
  const text = await readManifestText(folder);
  if (text === null) return null;
  const manifest = parseManifest(text);
  const opened = await openFile(join(folder, manifest.file), manifest);
  return { ...opened, hasPublicEdition: await hasEdition(folder, manifest) };
}

/** Whether the folder has the public edition of a manifest. */
async function hasEdition(folder: string, { public: edition }: Manifest): Promise<boolean> {
  if (edition === undefined) return false;
  const found = await stat(join(folder, edition.file)).catch(() => null);
  return found?.size === edition.bytes;
}

/** For one pass over a file. */
const READING = { connections: 1, timeout: 0 };

/** Verifies a snapshot of this format; any other one is only opened. */
async function openFile(path: string, expected: Expected): Promise<OpenSnapshot> {
  try {
    const { id, meta, close } = await openVerified(path, expected, READING);
    await close();
    return { id, meta, ...(await openReader(path, READING)), isComparable: true, hasPublicEdition: false };
  } catch (cause) {
    const older = await openOlder(path).catch(() => null);
    if (older !== null) return older;
    throw cause;
  }
}

/** The format of version 1.0.0. Earlier files do not say which slugs belong to which ids. */
const FIRST_WITH_LEDGERS = 3;

/** Whether a build continues from snapshots in this format. */
export function canContinue(format: number): boolean {
  return format >= FIRST_WITH_LEDGERS && format <= FORMAT;
}

/**
 * G4, A17: ledgers survive a change of the format. `meta`, `slug`, `merged`, the lists of venues and organizers, and the
 * ids and slugs of events are the same in all formats since then. Null for a file that has neither one of these formats nor another form of this one.
 */
async function openOlder(path: string): Promise<OpenSnapshot | null> {
  const reader = await openReader(path, READING);
  try {
    const [format = 0] = await reader.all('pragma user_version', [], (row) => integerOf(row, 'user_version'));
    const meta = canContinue(format) ? await readMeta(reader) : null;
    if (meta !== null && (meta.format < FORMAT || meta.shape !== FINGERPRINT)) {
      return { id: idOfPath(path), meta, ...reader, isComparable: false, hasPublicEdition: false };
    }
    await reader.close();
    return null;
  } catch (cause) {
    await reader.close();
    throw cause;
  }
}

interface Candidate {
  readonly folder: string;
  readonly now: number;
  readonly isCurrent: boolean;
  /** All of the folder. */
  readonly builds: readonly DatedSnapshot[];
}

type EventTimes = Pick<Columns, 'eventOver' | 'publishing'>;

async function readPrevious(
  opened: OpenSnapshot,
  { folder, now, isCurrent, builds }: Candidate,
): Promise<Previous> {
  try {
    const { id, meta, isComparable, hasPublicEdition, all } = opened;
    const times = isOfTables(meta)
      ? await readOlderTimes(opened)
      : await readColumns(opened, ['eventOver', 'publishing']);
    const file = snapshotFile(id);
    return {
      id,
      file,
      path: join(folder, file),
      meta,
      isCurrent,
      isSuperseded: wasBuiltBefore(meta, builds, now),
      hasPublicEdition,
      hasAppeared: haveEventsAppeared(times, meta.builtAt, now),
      ledger: await metaText(opened, 'ledger', ''),
      recentChanges: await metaText(opened, 'changes', '[]'),
      slugs: await readSlugLedger(all, meta.builtAt),
      report: await metaText(opened, 'report', 'null'),
      upcoming: await upcomingIn(opened, times, now),
      isComparable,
    };
  } finally {
    await opened.close();
  }
}

/** Ids of the events that are not over, by ordinal. */
async function upcomingIn({ all }: Pick<OpenSnapshot, 'all'>, { eventOver }: EventTimes, now: number) {
  const ids = await all('select id from event order by ordinal', [], (row) => textOf(row, 'id'));
  return new Map([...ids.entries()].filter(([ordinal]) => (eventOver[ordinal] ?? 0) > now));
}

/** Whether any of these was built later, but not in the future. */
function wasBuiltBefore({ builtAt }: Meta, builds: readonly DatedSnapshot[], now: number): boolean {
  const instants = builds.map((build) => Date.parse(build.builtAt));
  return instants.some((instant) => instant > Date.parse(builtAt) && instant <= now * 1_000);
}

/** Whether an event has become public since the snapshot was built. */
function haveEventsAppeared({ publishing }: EventTimes, builtAt: string, now: number): boolean {
  const before = Date.parse(builtAt) / 1_000;
  return publishing.some((instant) => instant > before && instant <= now);
}
