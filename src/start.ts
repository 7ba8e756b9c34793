/**
 * Puts a server together: the settings of both halves, the server, and, unless it only serves, the builder that keeps its snapshot folder
 * current. Of src/, only this file and package.ts name jobs/.
 */

import { applyOptionsToEnvironment, surroundingsOfProcess } from '../jobs/commands/start-options.ts';
import { readSettings } from '../jobs/settings.ts';
import { CalendarError } from './calendar/errors.ts';
import { type BuilderOptions, runServer } from './runtime/server.ts';
import { freezeSettings } from './settings/read.ts';

const MODES = ['start', 'serve'];

/**
 * `args`: `start` keeps the folder current and serves, `serve` serves only (H1, H2), then its options. Throws INVALID_SETTING. Resolves
 * when it serves.
 */
export async function startServer([mode = 'start', ...args]: readonly string[]): Promise<void> {
  if (!MODES.includes(mode)) {
    throw new CalendarError('INVALID_SETTING', `expected one of ${MODES.join(', ')}, found ${mode}`);
  }
  // Before anything reads settings: child processes inherit these values (H3).
  freezeSettings(process.env, process.cwd());
  if (!applyOptionsToEnvironment(mode, args, surroundingsOfProcess())) return;
  const { settings, warnings } = readSettings(process.env, process.cwd());
  const loadBuilder = async () => {
    const { startBuilder } = await import('../jobs/commands/builder.ts');
    return (options: BuilderOptions) => startBuilder(settings, options);
  };
  await runServer({ settings, warnings, loadBuilder: mode === 'start' ? loadBuilder : undefined });
}
