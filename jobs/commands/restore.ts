/**
 * H14: `almanakk restore`, which puts an older snapshot back, of the folder or of a backup, and holds builds, which would replace it at
 * once.
 */
import { copyFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { printableLine } from '../../src/calendar/display-text.ts';
import { CalendarError, isMissing, messageOf } from '../../src/calendar/errors.ts';
import { isoSecond } from '../../src/calendar/time.ts';
import { commandLine } from '../../src/package.ts';
import { idOfFile, openRegular } from '../../src/snapshot/files.ts';
import { type DatedSnapshot, listByBuild } from '../../src/snapshot/folder.ts';
import { type Manifest, parseManifest, readManifestText } from '../../src/snapshot/manifest.ts';
import { type VerifiedFile, verifyFile } from '../../src/snapshot/verify.ts';
import { verifyApart } from '../../src/snapshot/verify-apart.ts';
import { parseArguments } from '../arguments.ts';
import { compareSnapshots } from '../changes/reappearing.ts';
import { faultOf } from '../machine-fault.ts';
import { makePublicEdition } from '../public-edition/edition.ts';
import { compress } from '../publish/compress.ts';
import { holdBuilds, releaseBuilds } from '../publish/hold.ts';
import { withLock } from '../publish/lock.ts';
import { type PublicDraft, verifyAndPublish } from '../publish/publish.ts';
import { removeDebris, unfinishedPath } from '../publish/unfinished.ts';
import { counted, DATES, EVENTS, VENUES } from '../report/lines.ts';
import type { CommandContext } from './build-command.ts';
import { commandContext } from './command-context.ts';

const USAGE = `Usage: ${commandLine('restore', '[ID | FILE | --resume] [--compare] [options]')}

  no argument       list the snapshots in the folder, with their build times and contents
  ID                serve the snapshot with this id, and pause builds
  FILE              the same for a snapshot file of this calendar, such as one from a backup
  --compare         with ID or FILE: publish nothing; list the events that would appear again, and those that would differ from
                    the snapshot that is served. Exits with 2 if there are any
  --resume          resume builds
  --target FOLDER   snapshot folder (ALMANAKK_SNAPSHOTS)
  --help            print this help
`;

/** The command with this process's settings. Resolves to the exit code. Throws the errors of `runRestore`. */
export async function restoreByCommand(args: readonly string[]): Promise<number> {
  return runRestore(args, await commandContext());
}

/** Returns the exit code; 2 if a comparison has found something. Throws INVALID_SETTING, SNAPSHOT_UNUSABLE for a damaged snapshot, and BUILD_LOCKED. */
export async function runRestore(args: readonly string[], context: CommandContext): Promise<0 | 2> {
  const { stdout, defaults } = context;
  const config = { args: [...args], options: OPTIONS, allowPositionals: true } as const;
  const { values, positionals } = parseArguments(config, USAGE);
  const { help, resume, compare } = values;
  const target = resolve(values.target ?? defaults.target);
  const [snapshotName, surplus] = positionals;
  const isAlone = snapshotName === undefined;
  const hasTooMany = surplus !== undefined;
  const resumesOne = resume && !isAlone;
  const comparesNothing = compare && isAlone && !help;
  if (hasTooMany || resumesOne || comparesNothing)
    throw new CalendarError(
      'INVALID_SETTING',
      `expected one id or file, with or without --compare, or --resume alone\n${USAGE}`,
    );
  if (help) stdout(USAGE);
  else if (resume) stdout(await resumeBuilds(target));
  else if (isAlone) stdout(await listOf(target));
  else if (compare) return compareWithServed(snapshotName, target, context);
  else stdout(await withLock(target, () => restore(snapshotName, target, context), { wait: LOCK_WAIT }));
  return 0;
}

async function resumeBuilds(folder: string): Promise<string> {
  await releaseBuilds(folder);
  return 'builds resumed\n';
}

const OPTIONS = {
  compare: { type: 'boolean', default: false },
  resume: { type: 'boolean', default: false },
  target: { type: 'string' },
  help: { type: 'boolean', default: false },
} as const;

/** Seconds to wait for a build that is running: people who restore a snapshot are in a hurry, and should not have to try again. */
const LOCK_WAIT = 60;

/** A line a snapshot, the latest build first. */
async function listOf(folder: string): Promise<string> {
  const snapshots = await listByBuild(folder);
  if (snapshots.length === 0) return `${folder}: there are no snapshots\n`;
  const current = await currentIn(folder);
  const lines = snapshots.map((snapshot) => {
    const state = snapshot.id === current?.id ? '  served now' : '';
    return `${describe(snapshot)}${state}\n`;
  });
  return lines.join('');
}

function describe({ id, builtAt, counts }: Pick<DatedSnapshot, 'id' | 'builtAt' | 'counts'>): string {
  const contents = [
    counted(counts.events, EVENTS),
    counted(counts.occurrences, DATES),
    counted(counts.venues, VENUES),
  ];
  return `${id}  built at ${builtAt}  ${contents.join(', ')}`;
}

/** The manifest of the folder's current snapshot; null if there is none, or if it cannot be read. */
async function currentIn(folder: string): Promise<Manifest | null> {
  try {
    return parseManifest((await readManifestText(folder)) ?? '');
  } catch {
    // A damaged manifest may be the reason for the restore.
    return null;
  }
}

/** Prints what a restore would show, and publishes nothing. */
async function compareWithServed(
  snapshotName: string,
  folder: string,
  { stdout, now }: CommandContext,
): Promise<0 | 2> {
  const own = await pathIn(folder, snapshotName);
  const older = own ?? (await fileElsewhere(snapshotName));
  const verified = own === null ? await verifyStranger(older) : await verifyFile(older, {});
  await checkCalendar(folder, verified, older);
  const { builtAt } = verified;
  const served = await currentIn(folder);
  if (served === null)
    throw new CalendarError('SNAPSHOT_UNUSABLE', `${folder}: expected a snapshot that is served, found none`);
  const { again, different } = await compareSnapshots({
    older,
    served: join(folder, served.file),
    now,
    print: (line) => stdout(`${printableLine(line)}\n`),
  });
  const only = `${counted(again, EVENTS)} only in the older snapshot (built at ${builtAt})`;
  const differing = `${counted(different, EVENTS)} with other values in the one that is served (built at ${served.builtAt})`;
  stdout(`${only}; ${differing}. Nothing was published\n`);
  return again + different > 0 ? 2 : 0;
}

/** The path of the folder's snapshot with this id; null for the path of a file. Throws INVALID_SETTING for an unknown id. */
async function pathIn(folder: string, snapshotName: string): Promise<string | null> {
  const found = (await listByBuild(folder)).find(({ id }) => id === snapshotName);
  if (found !== undefined) return found.path;
  if (isPath(snapshotName)) return null;
  const wrong = `expected an id or the path of a file, found ${JSON.stringify(snapshotName)}`;
  throw new CalendarError('INVALID_SETTING', `${folder}: ${wrong}; there are\n${await listOf(folder)}`);
}

async function restore(snapshotName: string, folder: string, context: CommandContext): Promise<string> {
  const found = await pathIn(folder, snapshotName);
  try {
    const file = found ?? (await copyInto(folder, snapshotName));
    const { sign, keepDays } = context.defaults;
    const publicDraft = await publicEditionOf(folder, file, context);
    const warn = (warning: string) => context.stderr(`${printableLine(`warning: ${warning}`)}\n`);
    // Builds are paused first: if this process is killed after the publication, the next build must not replace the snapshot.
    const resumeAgain = await holdBuilds(folder, `a restore began at ${isoSecond(context.now)}`);
    const publication = { folder, file, compress, publicDraft, sign, keepDays, warn };
    const manifest = await verifyAndPublish(publication).catch(async (cause: unknown) => {
      await resumeAgain();
      throw cause;
    });
    // Builds are paused already, so only the reason is out of date if this fails.
    await holdBuilds(folder, `restored ${manifest.id} at ${isoSecond(context.now)}`).catch(
      (cause: unknown) => {
        warn(`builds are paused, but the reason could not be written: ${messageOf(cause)}`);
      },
    );
    const resume = commandLine('restore', '--resume');
    return `restored: ${describe(manifest)}; builds are paused until "${resume}"\n`;
  } catch (cause) {
    throw faultOf(folder, cause);
  } finally {
    // The next build removes what cannot be removed now.
    await removeDebris(folder).catch(() => undefined);
  }
}

/** J5: makes the public edition of the restored snapshot, which replaces that of the later one; null if the settings want none. */
async function publicEditionOf(
  folder: string,
  snapshot: string,
  { defaults, now }: CommandContext,
): Promise<PublicDraft | null> {
  const { isPublic, ownUrl = null, sign } = defaults;
  if (!isPublic) return null;
  await verifyFile(snapshot, {});
  return makePublicEdition({ folder, snapshot, now, address: ownUrl, sign });
}

const isPath = (text: string): boolean => text.includes('/') || text.endsWith('.sqlite');

/** Copies a file from elsewhere into the folder. Its content must match its name. Returns the path of the copy. */
async function copyInto(folder: string, path: string): Promise<string> {
  const from = await fileElsewhere(path);
  const copy = unfinishedPath(folder, idOfFile(basename(from)) === null ? 'restored.sqlite' : basename(from));
  await copyFile(from, copy);
  await checkCalendar(folder, await verifyStranger(copy), from);
  return copy;
}

/** H7: every row, in a process that can be killed. Throws SNAPSHOT_UNUSABLE. */
function verifyStranger(path: string): Promise<VerifiedFile> {
  // The check has a time limit of its own.
  const { signal } = new AbortController();
  return verifyApart(path, {}, { isThorough: true, signal });
}

/** The whole path of a file. Throws INVALID_SETTING if there is none. */
async function fileElsewhere(path: string): Promise<string> {
  const from = resolve(path);
  const file = await openRegular(from).catch((cause: unknown) => {
    if (!isMissing(cause)) throw cause;
    throw new CalendarError('INVALID_SETTING', `${from}: expected a snapshot, found no file`);
  });
  await file.close();
  return from;
}

/** Throws INVALID_SETTING for a snapshot of another calendar than the folder's. `from`: the path that people gave. */
async function checkCalendar(folder: string, verified: VerifiedFile, from: string): Promise<void> {
  const { id, licence } = (await currentIn(folder)) ?? {};
  if (licence === undefined || verified.licence === licence) return;
  const expected = `expected a snapshot of ${JSON.stringify(licence)}, as ${id} is`;
  throw new CalendarError(
    'INVALID_SETTING',
    `${from}: ${expected}, found ${JSON.stringify(verified.licence)}`,
  );
}
