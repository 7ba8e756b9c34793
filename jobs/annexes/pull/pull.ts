/** H6: follows the origin instead of building; and `npm run pull`, which copies once, or follows with `--watch`. */
import { invalidSetting } from '../../../src/calendar/errors.ts';
import { commandLine } from '../../../src/package.ts';
import type { CoreSettings } from '../../../src/settings/core.ts';
import type { CommandContext, Follow, Program } from '../../annex.ts';
import { parseArguments } from '../../arguments.ts';
import { originAccessOf } from '../../kit/s3.ts';
import type { InStore } from '../../kit/s3-settings.ts';
import { readTrust } from '../../kit/signature.ts';
import { counted, EVENTS } from '../../report/lines.ts';
import { type CopyOptions, copySnapshot, fetchManifest, findWanted, isIntact } from './copy.ts';
import { watchOrigin } from './watch.ts';

interface PullSettings extends InStore {
  /** Ends in a slash; null for a machine that builds itself. */
  readonly origin: URL | null;
  readonly trust: readonly string[];
  readonly snapshotsToken: string | null;
  readonly allowPrivateFeeds: boolean;
}

type ReplicaSettings = CoreSettings & PullSettings;

export const follow: Follow<ReplicaSettings> = (settings, { reportState, log, clock, random }, addRecord) => {
  const onReachability = createReachability(reportState, clock);
  onReachability(null);
  return watchOrigin({
    ...copyOptionsOf(settings),
    log,
    clock,
    random,
    pollMs: settings.pollSeconds * 1_000,
    totalMs: settings.buildTimeoutSeconds * 1_000,
    onReachability,
    addRecord,
  });
};

/** Creates the function that reports to servers why the origin is unreachable, and since when. `reason`: null while it is reachable. */
function createReachability(
  reportState: Program['reportState'],
  clock: Program['clock'],
): (reason: string | null) => void {
  let since: number | null = null;
  return (reason) => {
    since = reason === null ? null : (since ?? clock());
    reportState({ origin: { outOfReach: reason, since } });
  };
}

/** Throws INVALID_SETTING. */
function copyOptionsOf(settings: ReplicaSettings): Omit<CopyOptions, 'signal'> {
  const { origin, s3, snapshotsToken, trust, snapshots: folder, allowPrivateFeeds: allowPrivate } = settings;
  const keepDays = settings.keepDays ?? 0;
  if (origin === null) throw invalidSetting('ALMANAKK_ORIGIN', 'the URL to copy from', 'none');
  return {
    ...originAccessOf(origin, s3, snapshotsToken),
    trust: readTrust(trust),
    folder,
    allowPrivate,
    keepDays,
  };
}

const USAGE = `Usage: ${commandLine('pull', '[options]')}

  --watch   keep running, and copy each new snapshot of the origin
  --help    print this help`;

/** The command `pull`. Resolves to the exit code. Throws INVALID_SETTING and, without `--watch`, the errors of a copy. */
export async function run(
  args: readonly string[],
  { settings, print, keepCurrent }: CommandContext<PullSettings>,
): Promise<number> {
  const flag = { type: 'boolean', default: false } as const;
  const options = { watch: flag, help: flag };
  const { watch, help } = parseArguments({ args: [...args], options }, USAGE).values;
  if (help) {
    print(USAGE);
    return 0;
  }
  // With `--watch`, too: invalid settings are then reported before anything starts.
  const copyOptions = copyOptionsOf(settings);
  if (watch) await keepCurrent();
  else await copyOnce(copyOptions, print);
  return 0;
}

/** Copies the origin's snapshot unless the folder has it, and prints which one that is. */
async function copyOnce(
  copyOptions: Omit<CopyOptions, 'signal'>,
  print: (line: string) => void,
): Promise<void> {
  const options = {
    ...copyOptions,
    signal: new AbortController().signal,
    onPublicLost: (reason: string) => print(`public edition not copied: ${reason}`),
    warn: (warning: string) => print(`warning: ${warning}`),
  };
  const { manifest: wanted, behind } = await findWanted(options, await fetchManifest(options));
  const isHere = await isIntact(options, wanted);
  const { file, builtAt, counts } = isHere ? wanted : await copySnapshot(options, wanted);
  const outcome = isHere ? 'unchanged' : 'published';
  print(`${outcome}: ${file}, built at ${builtAt}, ${counted(counts.events, EVENTS)}`);
  // The copy is good, but the command fails: the origin's latest snapshot has another format.
  if (behind !== null) throw behind;
}
