#!/usr/bin/env node
/** Entry point of `almanakk COMMAND`, and of the scripts in package.json. A server starts builds by it, too (schedule annex). */
import { readFileSync } from 'node:fs';
import { enter } from '../src/runtime/entry.ts';

const usage = (commandLine: (name: string, options: string) => string, others: readonly string[]) =>
  `Usage: ${commandLine('COMMAND', '[options]')}

  start       keep the snapshot current, and serve it
  serve       serve only
  rebuild     build once, and print the report
  check       build once beside the snapshot, publish nothing, and print the report
  restore     put an older snapshot back, and hold builds
  schedule    keep the snapshot current, serve nothing

Further commands: ${others.join(', ')}.

"${commandLine('start', '--help')}" and so on print the options of each. Every other setting is an environment variable.
--version prints the version.
`;

const COMMANDS: Readonly<Record<string, (args: readonly string[]) => Promise<unknown>>> = {
  start: (args) => serve('start', args),
  serve: (args) => serve('serve', args),
  schedule: async (args) => {
    const { setVariables } = await import('./arguments.ts');
    const { holdSettings } = await import('../src/settings/read.ts');
    holdSettings(process.env, process.cwd());
    if (!setVariables('schedule', args)) return;
    const { runBuilder } = await import('./builder.ts');
    const { readSettings } = await import('./settings.ts');
    await runBuilder(readSettings(process.env, process.cwd()));
  },
  rebuild: async (args) => {
    await useSample('rebuild', args);
    const { rebuildByCommand } = await import('./rebuild.ts');
    process.exitCode = await rebuildByCommand(args);
  },
  check: async (args) => {
    await useSample('check', args);
    const { checkByCommand } = await import('./check.ts');
    process.exitCode = await checkByCommand(args);
  },
  restore: async (args) => {
    const { restoreByCommand } = await import('./restore.ts');
    process.exitCode = await restoreByCommand(args);
  },
};

await enter(async () => {
  const [name = '--help', ...args] = process.argv.slice(2);
  const { commandLine, packagePath } = await import('../src/package.ts');
  if (name === '--version') {
    const about: { readonly version: string } = JSON.parse(readFileSync(packagePath('package.json'), 'utf8'));
    process.stdout.write(`${about.version}\n`);
  } else if (Object.hasOwn(COMMANDS, name)) await COMMANDS[name]?.(args);
  else {
    const { COMMAND_NAMES, runCommand } = await import('./builder.ts');
    if (name === '--help') process.stdout.write(usage(commandLine, COMMAND_NAMES));
    else if (COMMAND_NAMES.includes(name)) process.exitCode = await runCommand(name, args);
    else {
      const { CalendarError } = await import('../src/calendar/errors.ts');
      const { createNearest, withNearest } = await import('../src/calendar/text.ts');
      const known = [...Object.keys(COMMANDS), ...COMMAND_NAMES];
      const nearest = createNearest(known, (command) => [command])(name);
      const found = withNearest(`found ${JSON.stringify(name)}`, nearest);
      throw new CalendarError('INVALID_SETTING', `expected one of ${known.join(', ')}, ${found}`);
    }
  }
});

async function serve(mode: 'start' | 'serve', args: readonly string[]): Promise<void> {
  const { serveByCommand } = await import('./serve.ts');
  await serveByCommand([mode, ...args]);
}

async function useSample(command: string, args: readonly string[]): Promise<void> {
  if (args.some((arg) => /^--(?:source(?:=|$)|help$)/.test(arg))) return;
  const { useSampleElse } = await import('./arguments.ts');
  useSampleElse(command);
}
