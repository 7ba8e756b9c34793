/** Entry point of `npm run schedule`: keeps the snapshot folder current, for servers that do not do it themselves. */
import { isCalendarError } from '../src/calendar/errors.ts';
import { startBuilder } from '../src/runtime/builder.ts';
import { createLog } from '../src/runtime/log.ts';
import { stopOnSignals } from '../src/runtime/stop.ts';
import { readSettings } from '../src/settings.ts';

try {
  const { settings, warnings } = readSettings(process.env, process.cwd());
  const log = createLog({ level: settings.logLevel, format: settings.logFormat });
  for (const warning of warnings) log.warn(warning);
  const builder = startBuilder({ settings, log });
  stopOnSignals(async (signal) => {
    log.info({ signal }, 'stopping');
    await builder.stop();
    log.info('stopped');
  });
} catch (thrown) {
  if (!isCalendarError(thrown)) throw thrown;
  process.stderr.write(`${thrown.message}\n`);
  process.exitCode = 1;
}
