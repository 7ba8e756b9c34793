/** A program that serves with all settings, and keeps its snapshot folder current if it is told to. */
import { CalendarError } from '../src/calendar/errors.ts';
import { type BuilderOptions, runServer } from '../src/runtime/server.ts';
import { freezeSettings } from '../src/settings/read.ts';
import { readSettings } from './settings.ts';
import { applyOptionsToEnvironment, surroundingsOfProcess } from './start-options.ts';

const MODES = ['start', 'serve'];

/**
 * `args`: `start` keeps the folder current and serves, `serve` serves only (H1, H2), then its options. Throws INVALID_SETTING. Resolves
 * when it serves.
 */
export async function serveByCommand([mode = 'start', ...args]: readonly string[]): Promise<void> {
  if (!MODES.includes(mode)) {
    throw new CalendarError('INVALID_SETTING', `expected one of ${MODES.join(', ')}, found ${mode}`);
  }
  // Before anything reads settings: child processes inherit these values (H3).
  freezeSettings(process.env, process.cwd());
  if (!applyOptionsToEnvironment(mode, args, surroundingsOfProcess())) return;
  const { settings, warnings } = readSettings(process.env, process.cwd());
  const loadBuilder = async () => {
    const { startBuilder } = await import('./builder.ts');
    return (options: BuilderOptions) => startBuilder(settings, options);
  };
  await runServer({ settings, warnings, loadBuilder: mode === 'start' ? loadBuilder : undefined });
}
