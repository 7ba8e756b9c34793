/** The arguments of a command. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type ParseArgsConfig, parseArgs } from 'node:util';
import { CalendarError, messageOf } from '../src/calendar/errors.ts';
import { commandLine, packagePath } from '../src/package.ts';
import { readEnvironment } from '../src/settings/read.ts';

/** Node's own parser. Throws INVALID_SETTING, followed by the usage. */
export function parseArguments<const Config extends ParseArgsConfig>(config: Config, usage: string) {
  try {
    return parseArgs(config);
  } catch (cause) {
    throw new CalendarError('INVALID_SETTING', `${messageOf(cause)}\n${usage}`, { cause });
  }
}

/** Options of commands that keep running. Each sets a variable of the environment. */
const VARIABLES = { source: 'ALMANAKK_SOURCE', snapshots: 'ALMANAKK_SNAPSHOTS', port: 'PORT' } as const;

const usageOf = (command: string) => `Usage: ${commandLine(command, '[options]')}

  --source DIR        source folder (ALMANAKK_SOURCE)
  --snapshots FOLDER  snapshot folder (ALMANAKK_SNAPSHOTS)
  --port N            port to listen on (PORT)
  --help              print this help

Every other setting is an environment variable.
`;

/** Returns false if only help was asked for, and printed. Throws INVALID_SETTING for an unknown option. */
export function setVariables(command: string, args: readonly string[]): boolean {
  const usage = usageOf(command);
  const text = { type: 'string' } as const;
  const options = { source: text, snapshots: text, port: text, help: { type: 'boolean' } } as const;
  const { values } = parseArguments({ args: [...args], options }, usage);
  if (values.help) {
    process.stdout.write(usage);
    return false;
  }
  for (const [option, name] of Object.entries(VARIABLES)) {
    const value = values[option as keyof typeof VARIABLES];
    if (value !== undefined) process.env[name] = value;
  }
  useSampleByDefault(command, process.env, process.cwd());
  return true;
}

/** Uses the package's sample if no source is set and the folder has none. Prints a note if this command builds it. */
export function useSampleByDefault(command: string, environment: NodeJS.ProcessEnv, folder: string): void {
  const given = readEnvironment(environment, folder);
  if (given.ALMANAKK_SOURCE !== undefined || existsSync(join(folder, 'data/sample'))) return;
  const sample = packagePath('data/sample');
  environment.ALMANAKK_SOURCE = sample;
  const isCopying = given.ALMANAKK_ORIGIN !== undefined && (command === 'start' || command === 'schedule');
  if (command !== 'serve' && !isCopying)
    process.stderr.write(`no --source given: building the sample in ${sample}\n`);
}
