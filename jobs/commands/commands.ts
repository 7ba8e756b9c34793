/** The commands of `almanakk COMMAND` and of the scripts in package.json: one table, and what annexes add to it. */
import { readdirSync } from 'node:fs';
import { printable } from '../../src/calendar/display-text.ts';
import { CalendarError } from '../../src/calendar/errors.ts';
import { createNearest, withNearest } from '../../src/calendar/nearest.ts';
import { commandLine, packageCommit, packagePath, packageVersion } from '../../src/package.ts';
import { freezeSettings } from '../../src/settings/read.ts';
import type { BuildAnnex } from '../annex.ts';
import * as annexes from '../annexes.ts';
import type { Settings } from '../settings.ts';
import { applyOptionsToEnvironment, surroundingsOfProcess, useSampleByDefault } from './start-options.ts';

interface Command {
  /** For the list of commands. Commands of annexes have none, and are only named there. */
  readonly about?: string;
  /** Resolves to the exit code; null for a program that runs on. Throws INVALID_SETTING. */
  readonly run: (args: readonly string[]) => Promise<number | null>;
}

/** A command loads its code when it runs: a build needs no server, and a server needs no build. */
const COMMANDS: Readonly<Record<string, Command>> = {
  start: {
    about: 'keep the snapshot current, and serve it',
    run: (args) => serve('start', args),
  },
  serve: {
    about: 'serve only',
    run: (args) => serve('serve', args),
  },
  rebuild: {
    about: 'build once, and print the report',
    async run(args) {
      useSampleUnlessGiven('rebuild', args);
      const { rebuildByCommand } = await import('./rebuild.ts');
      return rebuildByCommand(args);
    },
  },
  check: {
    about: 'build once without publishing, and print the report',
    async run(args) {
      useSampleUnlessGiven('check', args);
      const { checkByCommand } = await import('./check.ts');
      return checkByCommand(args);
    },
  },
  restore: {
    about: 'serve an older snapshot again, and pause builds',
    async run(args) {
      const { restoreByCommand } = await import('./restore.ts');
      return restoreByCommand(args);
    },
  },
  schedule: {
    about: 'keep the snapshot current, without serving it',
    async run(args) {
      freezeSettings(process.env, process.cwd());
      if (!applyOptionsToEnvironment('schedule', args, surroundingsOfProcess())) return null;
      const { runBuilder } = await import('./builder.ts');
      const { readSettings } = await import('../settings.ts');
      await runBuilder(readSettings(process.env, process.cwd()));
      return null;
    },
  },
  healthcheck: {
    about: 'check the server of a container, and kill it if it hangs',
    async run(args) {
      const { healthcheckByCommand } = await import('./healthcheck.ts');
      return healthcheckByCommand(args);
    },
  },
  docs: {
    about: 'print the location of the documentation for operators, and list its pages',
    run: async () => {
      const folder = packagePath('docs');
      const pages = readdirSync(folder).filter((name) => /\.(?:md|json|sh|ya?ml)$|^debian$/.test(name));
      process.stdout.write(`${[folder, ...pages.sort().map((name) => `  ${name}`)].join('\n')}\n`);
      return 0;
    },
  },
  ...commandsOfAnnexes(Object.values(annexes)),
};

/** Runs the command that the first argument names. Throws INVALID_SETTING for an unknown one. */
export async function runCommandLine([name = '--help', ...args]: readonly string[]): Promise<void> {
  if (name === '--help') process.stdout.write(usage());
  else if (name === '--version') process.stdout.write(`${versionText()}\n`);
  else {
    // npm needs "--" before options, and people keep it when they run the command without npm.
    const code = await commandNamed(name).run(args[0] === '--' ? args.slice(1) : args);
    if (code !== null) process.exitCode = code;
  }
}

function versionText(): string {
  const commit = packageCommit();
  return commit === null ? packageVersion() : `${packageVersion()} (${commit})`;
}

function commandNamed(name: string): Command {
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command !== undefined) return command;
  const names = Object.keys(COMMANDS);
  const nearest = createNearest(names, (command) => [command])(name);
  const found = withNearest(`found ${JSON.stringify(name)}`, nearest);
  throw new CalendarError('INVALID_SETTING', `expected one of ${names.join(', ')}, ${found}`);
}

function usage(): string {
  const commands = Object.entries(COMMANDS);
  const lines = commands.flatMap(([name, { about }]) =>
    about === undefined ? [] : [`  ${name.padEnd(11)}  ${about}\n`],
  );
  const further = commands.filter(([, { about }]) => about === undefined).map(([name]) => name);
  return `Usage: ${commandLine('COMMAND', '[options]')}

${lines.join('')}
Further commands: ${further.join(', ')}.

"${commandLine('COMMAND', '--help')}" prints the options of a command. Every other setting is an environment variable.
--version prints the version, and the commit that it was compiled from.
`;
}

async function serve(mode: 'start' | 'serve', args: readonly string[]): Promise<null> {
  const { startServer } = await import('../../src/start.ts');
  await startServer([mode, ...args]);
  return null;
}

/** Does nothing if the arguments name a source, or only ask for help. */
function useSampleUnlessGiven(command: string, args: readonly string[]): void {
  const isGiven = args.some((arg) => SOURCE_OR_HELP.test(arg));
  if (!isGiven) useSampleByDefault(command, surroundingsOfProcess());
}

const SOURCE_OR_HELP = /^--(?:source(?:=|$)|help$)/;

function commandsOfAnnexes(listed: readonly BuildAnnex<Settings>[]): Readonly<Record<string, Command>> {
  const commands = listed.flatMap(({ name, command: load }): readonly (readonly [string, Command])[] =>
    load === undefined ? [] : [[name, { run: (args) => runOfAnnex(load, args) }]],
  );
  return Object.fromEntries(commands);
}

async function runOfAnnex(
  load: NonNullable<BuildAnnex<Settings>['command']>,
  args: readonly string[],
): Promise<number> {
  const { run } = await load();
  const { readSettings } = await import('../settings.ts');
  const { settings, warnings } = readSettings(process.env, process.cwd());
  for (const warning of warnings) process.stderr.write(printable(`warning: ${warning}\n`));
  return run(args, {
    settings,
    now: new Date(),
    print: (line) => process.stdout.write(printable(`${line}\n`)),
    async keepCurrent() {
      const { runBuilder } = await import('./builder.ts');
      await runBuilder({ settings, warnings: [] });
    },
  });
}
