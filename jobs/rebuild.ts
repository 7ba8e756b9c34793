/** Entry point of `npm run rebuild`: one build. A server starts it, too, as a child (src/runtime/child-build.ts). */
import { enter } from '../src/runtime/entry.ts';
import { readEnvironment, readSettings } from '../src/settings.ts';

// Where a server has started it: nobody is left to end a build that hangs once that server is gone.
process.once('disconnect', () => process.exit(1));
process.channel?.unref();
if (process.connected === false) process.exit(1);

await enter(async () => {
  const { runRebuild } = await import('./rebuild/command.ts');
  const { settings, warnings } = readSettings(process.env, process.cwd());
  for (const warning of warnings) process.stderr.write(`warning: ${warning}\n`);
  const { source, snapshots, horizonMonths, allowPrivateFeeds } = settings;
  const environment = readEnvironment(process.env, process.cwd());
  const feedSettings = {
    allowPrivate: allowPrivateFeeds,
    variable: (name: string) => environment[name],
  };
  process.exitCode = await runRebuild(process.argv.slice(2), {
    defaults: { source, target: snapshots, horizonMonths, feedSettings },
    now: Math.floor(Date.now() / 1000),
    stdout: (text) => process.stdout.write(text),
    stderr: process.stderr,
  });
});
