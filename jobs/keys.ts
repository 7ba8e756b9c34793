/** Entry point of `npm run keys`. */
import { randomBytes } from 'node:crypto';
import { KEY_ENTROPY } from '../src/identity.ts';
import { enter } from '../src/runtime/entry.ts';
import { readSettings } from '../src/settings.ts';

await enter(async () => {
  const { runKeysCommand } = await import('./keys/commands.ts');
  const { settings, warnings } = readSettings(process.env, process.cwd());
  for (const warning of warnings) process.stderr.write(`warning: ${warning}\n`);
  const context = { path: settings.keys, now: new Date(), random: randomBytes(KEY_ENTROPY) };
  for (const line of await runKeysCommand(process.argv.slice(2), context)) process.stdout.write(`${line}\n`);
});
