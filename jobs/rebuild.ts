/** Entry point of `npm run rebuild`: one build. A server starts it, too, as a child (src/runtime/builder.ts). */
import { setTimeout as pause } from 'node:timers/promises';
import { enter } from '../src/runtime/entry.ts';
import { readEnvironment, readSettings, type Settings } from '../src/settings.ts';

// Where a server has started it: nobody is left to end a build that hangs once that server is gone.
process.once('disconnect', () => process.exit(1));
process.channel?.unref();
if (process.connected === false) process.exit(1);

await enter(async () => {
  const { runRebuild } = await import('./rebuild/command.ts');
  const { settings, warnings } = readSettings(process.env, process.cwd());
  for (const warning of warnings) process.stderr.write(`warning: ${warning}\n`);
  const { source, snapshots, horizonMonths, allowPrivateFeeds, signingKey } = settings;
  const sign =
    signingKey === null ? {} : { sign: (await import('./signature.ts')).readSigningKey(signingKey) };
  const environment = readEnvironment(process.env, process.cwd());
  const feedSettings = {
    allowPrivate: allowPrivateFeeds,
    variable: (name: string) => environment[name],
  };
  process.exitCode = await runRebuild(process.argv.slice(2), {
    defaults: { source, target: snapshots, horizonMonths, feedSettings, ...sign },
    now: Math.floor(Date.now() / 1000),
    stdout: (text) => process.stdout.write(text),
    stderr: process.stderr,
    ...(await storeOf(settings)),
  });
});

/** J1. A server that has started this build sends on by itself what comes of it. */
async function storeOf({ publish, s3, buildTimeoutSeconds }: Settings) {
  if (publish === null || s3 === null || process.channel !== undefined) return {};
  const { openStore } = await import('./store/s3.ts');
  const { replicateNow } = await import('./store/replicate.ts');
  const { signal } = new AbortController();
  const totalMs = buildTimeoutSeconds * 1_000;
  const store = openStore({ location: publish, s3, signal, clock: Date.now, totalMs });
  return { replicate: (folder: string) => replicateNow(folder, store, { pause }) };
}
