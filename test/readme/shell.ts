/** Commands as the pages print them, in folders that look like a clone. */
import { mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../helpers/folder.ts';
import { type Ran, ROOT, runCommand, startCommand } from '../helpers/program.ts';

/** The address of the server on the pages. */
export const ADDRESS = 'http://localhost:4000';

/** Entries that a clone does not share with this tree: it has its own, or its commands write them. */
const NOT_SHARED = new Set(['data', 'dist', '.git', '.env']);

/** A folder with all that a clone has, set up and ready; what commands write lands in it and not in the clone. */
export function makeClone(): string {
  const folder = temporaryFolder();
  for (const name of readdirSync(ROOT)) {
    if (!NOT_SHARED.has(name)) symlinkSync(join(ROOT, name), join(folder, name));
  }
  // A symbolic link: setting up may replace the folder.
  symlinkSync(join(ROOT, 'dist'), join(folder, 'dist'));
  mkdirSync(join(folder, 'data'));
  symlinkSync(join(ROOT, 'data/sample'), join(folder, 'data/sample'));
  return folder;
}

interface ShellOptions {
  readonly folder: string;
  /** Takes the place of the pages' own. */
  readonly address?: string;
}

/** Programs that take the place of dear ones. */
const COMMANDS = join(ROOT, 'test/fixtures/commands');

/** Runs lines to their end; the first that fails is the last. */
export async function runShell(text: string, options: ShellOptions): Promise<Ran> {
  return runCommand(...shellOf(text, options, `${COMMANDS}:${process.env.PATH}`));
}

/** Starts what goes on until it is stopped, and waits for a line that says that it is ready. */
export async function startService(text: string, ready: RegExp, options: ShellOptions) {
  const [command, args, how] = shellOf(text, options);
  const { says, lines, kill, ended } = startCommand(command, args, { ...how, detached: true });
  const line = await says(ready);
  return {
    /** Without a slash at the end; empty for a program that does not say it. */
    url: /https?:\/\/[^/\s]+/.exec(line)?.[0] ?? '',
    output: () => lines.join('\n'),
    /** Stops it as Control-C does. Resolves when it has ended. */
    stop: async () => {
      kill('SIGINT');
      await ended;
    },
  };
}

function shellOf(text: string, { folder, address = ADDRESS }: ShellOptions, path = process.env.PATH) {
  // The environment of the tests does not reach the commands.
  const env = {
    PATH: path,
    HOME: folder,
    HOST: '127.0.0.1',
    PORT: '0',
    PYTHONUNBUFFERED: '1',
    npm_config_update_notifier: 'false',
  };
  return ['sh', ['-e', '-c', text.replaceAll(ADDRESS, address)], { cwd: folder, env }] as const;
}
