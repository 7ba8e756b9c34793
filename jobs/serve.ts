/** A program that serves: with all settings, and with what keeps its snapshot folder current. */
import { type BuilderOptions, runServer } from '../src/runtime/server.ts';
import { readSettings } from './settings.ts';

/**
 * `args`: `start` keeps the folder current and serves, `serve` serves only (H1, a fresh clone; H2, commands). Throws INVALID_SETTING.
 * Resolves when it serves.
 */
export async function serveByCommand(args: readonly string[]): Promise<void> {
  const { settings, warnings } = readSettings(process.env, process.cwd());
  const loadBuilder = async () => {
    const { startBuilder } = await import('./builder.ts');
    return (options: BuilderOptions) => startBuilder(settings, options);
  };
  await runServer(args, { settings, warnings, loadBuilder });
}
