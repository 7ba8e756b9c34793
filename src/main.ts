/** Entry point of the server: `start` keeps its snapshot current and serves, `serve` serves only (H1, H2). */
import { isCalendarError } from './calendar/errors.ts';
import { type Builder, startBuilder } from './runtime/builder.ts';
import { createLog } from './runtime/log.ts';
import { startServing } from './runtime/serving.ts';
import { stopOnSignals } from './runtime/stop.ts';
import { readSettings } from './settings.ts';

const MODES = ['start', 'serve'];

try {
  await main(process.argv.slice(2));
} catch (thrown) {
  if (!isCalendarError(thrown)) throw thrown;
  process.stderr.write(`${thrown.message}\n`);
  process.exit(1);
}

async function main(args: readonly string[]): Promise<void> {
  const [mode = 'start', ...rest] = args;
  if (!MODES.includes(mode) || rest.length > 0) {
    process.stderr.write(`expected one of ${MODES.join(', ')}, found ${args.join(' ')}\n`);
    process.exitCode = 1;
    return;
  }
  const { settings, warnings } = readSettings(process.env, process.cwd());
  const log = createLog({ level: settings.logLevel, format: settings.logFormat });
  for (const warning of warnings) log.warn(warning);

  const serving = await startServing({ settings, log });
  let builder: Builder | undefined;
  stopOnSignals(async (signal) => {
    log.info({ signal }, 'stopping');
    await Promise.all([serving.stop(), builder?.stop()]);
    log.info('stopped');
  });
  if (mode === 'start') {
    builder = startBuilder({ settings, log, onBuild: () => void serving.keeper.look() });
  }
  if (serving.keeper.state().current === null) {
    log.info(`listening on ${serving.url}, waiting for the first snapshot`);
  }
  await serving.ready;
  log.info(`serving ${serving.url}`);
}
