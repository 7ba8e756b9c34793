/** Entry point of `npm run rebuild`: one build. */
import { isCalendarError } from '../src/calendar/errors.ts';
import { readEnvironment, readSettings } from '../src/settings.ts';
import { runRebuild } from './rebuild/command.ts';

// Where a server has started it: nobody is left to end a build that hangs once that server is gone.
process.once('disconnect', () => process.exit(1));
process.channel?.unref();
if (process.connected === false) process.exit(1);

try {
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
} catch (thrown) {
  if (!isCalendarError(thrown)) throw thrown;
  process.stderr.write(`${thrown.message}\n`);
  process.exitCode = 1;
}
