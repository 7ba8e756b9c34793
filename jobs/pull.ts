/** Entry point of `npm run pull`: copies the origin's snapshot once, or follows it with `--watch` (H6). */
import { parseArgs } from 'node:util';
import { CalendarError, isCalendarError, messageOf } from '../src/calendar/errors.ts';
import { startBuilder } from '../src/runtime/builder.ts';
import { createLog } from '../src/runtime/log.ts';
import { stopOnSignals } from '../src/runtime/stop.ts';
import { readSettings, type Settings } from '../src/settings.ts';
import { type CopyOptions, copySnapshot, fetchManifest, isCurrent, readOriginManifest } from './pull/copy.ts';

try {
  const watch = readArguments(process.argv.slice(2));
  const { settings, warnings } = readSettings(process.env, process.cwd());
  for (const warning of warnings) process.stderr.write(`warning: ${warning}\n`);
  const { origin, snapshots: folder, allowPrivateFeeds: allowPrivate } = settings;
  if (origin === null) {
    throw new CalendarError('INVALID_SETTING', 'ALMANAKK_ORIGIN: expected the URL to copy from, found none');
  }
  if (watch) follow(settings);
  else await pullOnce({ origin, folder, allowPrivate, signal: new AbortController().signal });
} catch (thrown) {
  if (!isCalendarError(thrown)) throw thrown;
  process.stderr.write(`${thrown.message}\n`);
  process.exitCode = 1;
}

function readArguments(args: readonly string[]): boolean {
  try {
    const options = { watch: { type: 'boolean', default: false } } as const;
    return parseArgs({ args: [...args], options }).values.watch;
  } catch (cause) {
    throw new CalendarError('INVALID_SETTING', `${messageOf(cause)}\nUsage: npm run pull [-- --watch]`, {
      cause,
    });
  }
}

async function pullOnce(options: CopyOptions): Promise<void> {
  const wanted = readOriginManifest(await fetchManifest(options));
  const current = await isCurrent(options.folder, wanted, { thorough: true });
  const { file, builtAt, counts } = current ? wanted : await copySnapshot(options, wanted);
  const outcome = current ? 'unchanged' : 'published';
  process.stdout.write(`${outcome}: ${file}, built at ${builtAt}, ${counts.events} events\n`);
}

function follow(settings: Settings): void {
  const log = createLog({ level: settings.logLevel, format: settings.logFormat });
  const builder = startBuilder({ settings, log });
  stopOnSignals(async (signal) => {
    log.info({ signal }, 'stopping');
    await builder.stop();
    log.info('stopped');
  });
}
