/** Commands as the pages print them, in folders that look like a clone. */
import { mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../helpers/folder.ts';
import { type Ran, ROOT, runCommand, SHORT_LIVED, startCommand } from '../helpers/program.ts';

/** The address of the server on the pages. */
export const ADDRESS = 'http://localhost:4000';

/** Entries of this tree that a clone has of its own, because its commands write them. */
const NOT_SHARED = new Set(['data', 'dist', '.git', '.env']);

/** Creates a folder like a clone of this package after `npm install`. Commands write to it, and not to this tree. */
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
  /** Replaces the address of the pages. */
  readonly address?: string;
  /** `PORT`; a server takes any free one by default. */
  readonly port?: string;
}

/** Programs that replace expensive ones. */
const COMMANDS = join(ROOT, 'test/fixtures/commands');
/** A `node` that adds `SHORT_LIVED`. */
const NODE = join(ROOT, 'test/fixtures/short-lived');

/** Runs commands to their end. The first that fails ends them. */
export async function runShell(text: string, options: ShellOptions): Promise<Ran> {
  return runCommand(...shellOf(text, options, `${COMMANDS}:${process.env.PATH}`));
}

/** Starts a program that runs until it is stopped, and waits for its line `ready`. */
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

function shellOf(
  text: string,
  { folder, address = ADDRESS, port = '0' }: ShellOptions,
  path = process.env.PATH,
) {
  // The environment of the tests does not reach the commands.
  const env = {
    PATH: `${NODE}:${path}`,
    TEST_NODE: process.execPath,
    TEST_NODE_OPTIONS: SHORT_LIVED.join(' '),
    HOME: folder,
    HOST: '127.0.0.1',
    PORT: port,
    PYTHONUNBUFFERED: '1',
    npm_config_update_notifier: 'false',
  };
  return ['sh', ['-e', '-c', text.replaceAll(ADDRESS, address)], { cwd: folder, env }] as const;
}
