/** What `npm run rebuild` puts together: settings, signature and store, around one build. */
import { setTimeout as pause } from 'node:timers/promises';
import { printable } from '../../src/calendar/text.ts';
import { readEnvironment, readSettings, type Settings } from '../../src/settings.ts';
import { runRebuild } from './command.ts';

/** Resolves to the exit code. Throws INVALID_SETTING. */
export async function rebuildByCommand(args: readonly string[]): Promise<number> {
  const { settings, warnings } = readSettings(process.env, process.cwd());
  for (const warning of warnings) process.stderr.write(printable(`warning: ${warning}\n`));
  const { source, snapshots, horizonMonths, allowPrivateFeeds, signingKey } = settings;
  const sign =
    signingKey === null ? {} : { sign: (await import('../signature.ts')).readSigningKey(signingKey) };
  const environment = readEnvironment(process.env, process.cwd());
  const feedSettings = {
    allowPrivate: allowPrivateFeeds,
    variable: (name: string) => environment[name],
  };
  return runRebuild(args, {
    defaults: { source, target: snapshots, horizonMonths, feedSettings, ...sign },
    now: Math.floor(Date.now() / 1000),
    stdout: (text) => process.stdout.write(printable(text)),
    stderr: process.stderr,
    ...(await storeOf(settings)),
  });
}

/** J1. A server that has started this build sends on by itself what comes of it. */
async function storeOf({ publish, s3, buildTimeoutSeconds }: Settings) {
  if (publish === null || s3 === null || process.channel !== undefined) return {};
  const { openStore } = await import('../store/s3.ts');
  const { replicateNow } = await import('../store/replicate.ts');
  const { signal } = new AbortController();
  const totalMs = buildTimeoutSeconds * 1_000;
  const store = openStore({ location: publish, s3, signal, clock: Date.now, totalMs });
  return { replicate: (folder: string) => replicateNow(folder, store, { pause }) };
}
