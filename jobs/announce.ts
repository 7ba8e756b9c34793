/** Entry point of `npm run announce`: mails planned changes to those who have a key and an address (K3). */
import { existsSync, readFileSync } from 'node:fs';
import { printable } from '../src/calendar/text.ts';
import { enter } from '../src/runtime/entry.ts';

await enter(async () => {
  const { runAnnounce } = await import('./announce/command.ts');
  const { packagePath } = await import('../src/package.ts');
  const { readSettings } = await import('../src/settings.ts');
  const { settings, warnings } = readSettings(process.env, process.cwd());
  for (const warning of warnings) process.stderr.write(printable(`warning: ${warning}\n`));
  const changelog = packagePath('CHANGELOG.md');
  process.exitCode = await runAnnounce(process.argv.slice(2), {
    settings,
    changelog: existsSync(changelog) ? readFileSync(changelog, 'utf8') : '',
    now: new Date(),
    print: (line) => process.stdout.write(printable(`${line}\n`)),
  });
});
