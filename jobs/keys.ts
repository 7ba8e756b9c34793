/** Entry point of `npm run keys`. */
import { printable } from '../src/calendar/text.ts';
import { enter } from '../src/runtime/entry.ts';

await enter(async () => {
  const { randomBytes } = await import('node:crypto');
  const { KEY_ENTROPY } = await import('../src/identity.ts');
  const { readSettings } = await import('../src/settings.ts');
  const { runKeysCommand } = await import('./keys/commands.ts');
  const { settings, warnings } = readSettings(process.env, process.cwd());
  for (const warning of warnings) process.stderr.write(printable(`warning: ${warning}\n`));
  const context = { path: settings.keys, now: new Date(), random: randomBytes(KEY_ENTROPY) };
  for (const line of await runKeysCommand(process.argv.slice(2), context))
    process.stdout.write(printable(`${line}\n`));
});
