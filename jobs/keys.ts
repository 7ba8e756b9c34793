/** Entry point of `npm run keys`. */
import { randomBytes } from 'node:crypto';
import { isCalendarError } from '../src/calendar/errors.ts';
import { KEY_ENTROPY } from '../src/identity/key.ts';
import { readSettings } from '../src/settings.ts';
import { runKeysCommand } from './keys/commands.ts';

try {
  const { settings, warnings } = readSettings(process.env, process.cwd());
  for (const warning of warnings) process.stderr.write(`warning: ${warning}\n`);
  const context = { path: settings.keys, now: new Date(), random: randomBytes(KEY_ENTROPY) };
  for (const line of await runKeysCommand(process.argv.slice(2), context)) process.stdout.write(`${line}\n`);
} catch (thrown) {
  if (!isCalendarError(thrown)) throw thrown;
  process.stderr.write(`${thrown.message}\n`);
  process.exitCode = 1;
}
