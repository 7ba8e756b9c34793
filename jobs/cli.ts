#!/usr/bin/env node
/** Entry point of `almanakk COMMAND`, and of the scripts in package.json. A server starts builds by it, too (schedule annex). */
import { enter } from '../src/runtime/entry.ts';

const usage = (others: readonly string[]) => `Usage: almanakk COMMAND [options]

  start       keep the snapshot current, and serve it
  serve       serve only
  rebuild     build once, and print the report
  check       build once beside the snapshot, publish nothing, and print the report
  restore     put an older snapshot back, and hold builds
  schedule    keep the snapshot current, serve nothing

Further commands: ${others.join(', ')}.

For start, serve and schedule:
  --source DIR        folder of the records (ALMANAKK_SOURCE)
  --snapshots FOLDER  snapshot folder (ALMANAKK_SNAPSHOTS)
  --port N            port to listen on (PORT)

"almanakk rebuild --help" and so on print the options of the others. Every other setting is an environment variable.
`;

/** Options that set a variable, for commands whose own parser does not know them. */
const VARIABLES = { source: 'ALMANAKK_SOURCE', snapshots: 'ALMANAKK_SNAPSHOTS', port: 'PORT' } as const;

const COMMANDS: Readonly<Record<string, (args: readonly string[]) => Promise<unknown>>> = {
  start: (args) => serve('start', args),
  serve: (args) => serve('serve', args),
  schedule: async (args) => {
    await setVariables(args);
    const { runBuilder } = await import('./builder.ts');
    const { readSettings } = await import('./settings.ts');
    await runBuilder(readSettings(process.env, process.cwd()));
  },
  rebuild: async (args) => {
    if (!args.some((arg) => /^--source(=|$)/.test(arg))) await useSampleElse();
    const { rebuildByCommand } = await import('./rebuild.ts');
    process.exitCode = await rebuildByCommand(args);
  },
  check: async (args) => {
    if (!args.some((arg) => /^--source(=|$)/.test(arg))) await useSampleElse();
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
  if (name === '--version') process.stdout.write(`${await version()}\n`);
  else if (Object.hasOwn(COMMANDS, name)) await COMMANDS[name]?.(args);
  else {
    const { COMMAND_NAMES, runCommand } = await import('./builder.ts');
    if (name === '--help') process.stdout.write(usage(COMMAND_NAMES));
    else if (COMMAND_NAMES.includes(name)) process.exitCode = await runCommand([name, ...args]);
    else {
      const { CalendarError } = await import('../src/calendar/errors.ts');
      const known = [...Object.keys(COMMANDS), ...COMMAND_NAMES].join(', ');
      throw new CalendarError('INVALID_SETTING', `expected one of ${known}, found ${JSON.stringify(name)}`);
    }
  }
});

async function serve(mode: 'start' | 'serve', args: readonly string[]): Promise<void> {
  await setVariables(args);
  const { serveByCommand } = await import('./serve.ts');
  await serveByCommand([mode]);
}

/** Throws INVALID_SETTING for an option that is not one of `VARIABLES`. */
async function setVariables(args: readonly string[]): Promise<void> {
  const { parseArguments } = await import('./arguments.ts');
  const text = { type: 'string' } as const;
  const options = { source: text, snapshots: text, port: text };
  const { values } = parseArguments({ args: [...args], options }, '"almanakk --help" lists the options.');
  for (const [option, name] of Object.entries(VARIABLES)) {
    const value = values[option as keyof typeof VARIABLES];
    if (value !== undefined) process.env[name] = value;
  }
  await useSampleElse();
}

/** Uses the package's sample if there is no source: a folder that npm has installed into has none. */
async function useSampleElse(): Promise<void> {
  const { existsSync } = await import('node:fs');
  const { packagePath } = await import('../src/package.ts');
  const { readEnvironment } = await import('../src/settings/read.ts');
  const { ALMANAKK_SOURCE: source = '' } = readEnvironment(process.env, process.cwd());
  if (source !== '' || existsSync('data/sample')) return;
  const sample = packagePath('data/sample');
  process.env.ALMANAKK_SOURCE = sample;
  process.stderr.write(`no --source: the sample is built, ${sample}\n`);
}

async function version(): Promise<string> {
  const { readFileSync } = await import('node:fs');
  const { packagePath } = await import('../src/package.ts');
  const { version: found }: { readonly version: string } = JSON.parse(
    readFileSync(packagePath('package.json'), 'utf8'),
  );
  return found;
}
