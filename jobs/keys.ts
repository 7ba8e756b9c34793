/** Entry point of `npm run keys`. */
import { randomBytes } from 'node:crypto';
import { isCalendarError } from '../src/calendar/errors.ts';
import { KEY_ENTROPY } from '../src/identity/key.ts';
import { runKeysCommand } from './keys/commands.ts';

const path = process.env.ALMANAKK_KEYS ?? 'data/keys.json';
try {
  const context = { path, now: new Date(), random: randomBytes(KEY_ENTROPY) };
  for (const line of await runKeysCommand(process.argv.slice(2), context)) console.log(line);
} catch (thrown) {
  if (!isCalendarError(thrown)) throw thrown;
  console.error(thrown.message);
  process.exitCode = 1;
}
