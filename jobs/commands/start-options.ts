/** The options of commands that keep running. Each sets a variable of the environment, which child processes inherit (H3). */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { commandLine, packagePath } from '../../src/package.ts';
import { readEnvironment } from '../../src/settings/read.ts';
import { parseArguments } from '../arguments.ts';

/** The parts of a process that commands use. */
interface Surroundings {
  /** Variables that options set. */
  readonly environment: NodeJS.ProcessEnv;
  /** The working directory. */
  readonly folder: string;
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
}

export function surroundingsOfProcess(): Surroundings {
  return {
    environment: process.env,
    folder: process.cwd(),
    stdout: (text) => process.stdout.write(text),
    stderr: (text) => process.stderr.write(text),
  };
}

const TEXT = { type: 'string' } as const;
const OPTIONS = { source: TEXT, snapshots: TEXT, port: TEXT, help: { type: 'boolean' } } as const;

const VARIABLES = [
  ['source', 'ALMANAKK_SOURCE'],
  ['snapshots', 'ALMANAKK_SNAPSHOTS'],
  ['port', 'PORT'],
] as const;

/** Returns false if only help was requested, and printed. Throws INVALID_SETTING for an unknown option. */
export function applyOptionsToEnvironment(
  command: string,
  args: readonly string[],
  surroundings: Surroundings,
): boolean {
  const { environment, stdout } = surroundings;
  const usage = usageOf(command);
  const { values } = parseArguments({ args: [...args], options: OPTIONS }, usage);
  if (values.help) {
    stdout(usage);
    return false;
  }
  for (const [option, variable] of VARIABLES) {
    const value = values[option];
    if (value !== undefined) environment[variable] = value;
  }
  useSampleByDefault(command, surroundings);
  return true;
}

/** Sets the package's sample as the source if none is set and the folder has none. Prints a note if this command builds it. */
export function useSampleByDefault(command: string, { environment, folder, stderr }: Surroundings): void {
  const given = readEnvironment(environment, folder);
  if (given.ALMANAKK_SOURCE !== undefined || existsSync(join(folder, 'data/sample'))) return;
  const sample = packagePath('data/sample');
  environment.ALMANAKK_SOURCE = sample;
  const builds = command !== 'serve' && given.ALMANAKK_ORIGIN === undefined;
  if (builds) stderr(`no --source given: building the sample in ${sample}\n`);
}

function usageOf(command: string): string {
  return `Usage: ${commandLine(command, '[options]')}

  --source DIR        source folder (ALMANAKK_SOURCE)
  --snapshots FOLDER  snapshot folder (ALMANAKK_SNAPSHOTS)
  --port N            port to listen on (PORT)
  --help              print this help

Every other setting is an environment variable.
`;
}
