/** H6, replicas: follows the origin in place of builds; and `npm run pull`, which copies once, or follows with `--watch`. */
import type { Origin } from '../../../src/annexes/common/upkeep.ts';
import { CalendarError } from '../../../src/calendar/errors.ts';
import { commandLine } from '../../../src/package.ts';
import type { CoreSettings } from '../../../src/settings/core.ts';
import type { BuildRecord } from '../../../src/upkeep.ts';
import type { CommandContext, Follow } from '../../annex.ts';
import { parseArguments } from '../../arguments.ts';
import { originOf } from '../../kit/s3.ts';
import { readTrust } from '../../kit/signature.ts';
import { type CopyOptions, copySnapshot, fetchManifest, isCurrent, readOriginManifest } from './copy.ts';
import type { PullSettings } from './settings.ts';
import { type Pull, watchOrigin } from './watch.ts';

type ReplicaSettings = CoreSettings & PullSettings;

export const follow: Follow<ReplicaSettings> = (settings, { tell, ...program }, keep) => {
  const copying = copyingOf(settings);
  let origin: Origin = { outOfReach: null, since: null };
  tell({ origin });
  return watchOrigin({
    ...program,
    ...copying,
    pollMs: settings.pollSeconds * 1_000,
    totalMs: settings.buildTimeoutSeconds * 1_000,
    onReach: (reason) => {
      const since = reason === null ? null : (origin.since ?? program.clock());
      origin = { outOfReach: reason, since };
      tell({ origin });
    },
    onPull: (pull) => keep(recordOf(pull)),
  });
};

function recordOf({ manifest, reason, startedAt, ms }: Pull): BuildRecord {
  return {
    kind: 'pull',
    outcome: manifest === null ? 'failed' : 'published',
    startedAt,
    ms,
    id: manifest?.id ?? null,
    counts: manifest?.counts ?? null,
    reason,
    dropped: 0,
  };
}

/** Throws INVALID_SETTING. */
function copyingOf(settings: ReplicaSettings): Omit<CopyOptions, 'signal'> {
  const { origin, s3, snapshotsToken, trust, snapshots: folder, allowPrivateFeeds: allowPrivate } = settings;
  if (origin === null) {
    throw new CalendarError('INVALID_SETTING', 'ALMANAKK_ORIGIN: expected the URL to copy from, found none');
  }
  return { ...originOf(origin, s3, snapshotsToken), trust: readTrust(trust), folder, allowPrivate };
}

const USAGE = `Usage: ${commandLine('pull', '[options]')}

  --watch   go on, and copy each new snapshot of the origin
  --help    print this`;

/** Throws INVALID_SETTING. */
export async function run(
  args: readonly string[],
  { settings, print, keepCurrent }: CommandContext<PullSettings>,
): Promise<number> {
  const flag = { type: 'boolean', default: false } as const;
  const { watch, help } = parseArguments(
    { args: [...args], options: { watch: flag, help: flag } },
    USAGE,
  ).values;
  if (help) {
    print(USAGE);
    return 0;
  }
  const copying = copyingOf(settings);
  if (watch) await keepCurrent();
  else print(await pullOnce({ ...copying, signal: new AbortController().signal }));
  return 0;
}

async function pullOnce(options: CopyOptions): Promise<string> {
  const wanted = await readOriginManifest(await fetchManifest(options), options);
  const current = await isCurrent(options, wanted, { thorough: true });
  const { file, builtAt, counts } = current ? wanted : await copySnapshot(options, wanted);
  const outcome = current ? 'unchanged' : 'published';
  return `${outcome}: ${file}, built at ${builtAt}, ${counts.events} events`;
}
