/**
 * Reads settings from environment variables: nothing else looks at these. `.env` in the working folder adds variables that the environment
 * lacks. A program that runs on reads them once (H3): the processes that it starts are given what it has read.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { CalendarError, isMissing, messageOf } from '../calendar/errors.ts';
import { createNearest, withNearest } from '../calendar/nearest.ts';
import { foundSecret, type Setting, type SettingsOf, type SettingsTable } from './kinds.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

interface ValuesRead<Table extends SettingsTable> {
  readonly values: SettingsOf<Table>;
  /** All variables. */
  readonly given: Environment;
  /** For the log: variables named like settings that do not exist. */
  readonly warnings: readonly string[];
}

/** Throws INVALID_SETTING with every invalid setting. `folder` contains `.env`, and relative paths begin there. */
export function readValues<Table extends SettingsTable>(
  table: Table,
  environment: Environment,
  folder: string,
): ValuesRead<Table> {
  const given = readEnvironment(environment, folder);
  const read: Record<string, unknown> = {};
  const wrong = blankSecrets({ ...readEnvFile(environment, folder), ...environment }, given);
  const base = environment[HELD] ?? folder;
  for (const [key, setting] of Object.entries(table)) {
    const { name, fallback, expected } = setting;
    const text = given[name]?.trim() || fallback;
    read[key] = setting.parse(text, base);
    if (read[key] === undefined) wrong.push(`${name}: expected ${expected}, found ${foundIn(setting, text)}`);
  }
  if (wrong.length > 0) throw new CalendarError('INVALID_SETTING', wrong.join('\n'));
  // Each value was parsed by its own kind.
  return { values: read as SettingsOf<Table>, given, warnings: unknownNames(table, given) };
}

function foundIn({ isSecret = false }: Setting<unknown>, text: string): string {
  return isSecret ? foundSecret(text) : JSON.stringify(text.replace(CREDENTIALS, '//…@'));
}

/** In a URL. */
const CREDENTIALS = /\/\/[^/@]*@/g;

/** The environment, with what `.env` in the folder adds. */
export function readEnvironment(environment: Environment, folder: string): Environment {
  const lines = Object.entries(readEnvFile(environment, folder)).filter(
    ([name]) => environment[name] === undefined || (isBlank(environment[name]) && SECRET.test(name)),
  );
  return { ...withoutBlanks(Object.fromEntries(lines)), ...withoutBlanks(environment) };
}

/** The variable with the folder of a program whose settings are held. */
const HELD = 'SETTINGS_READ_IN';

/**
 * H3: writes what `.env` says into this process's environment, from where every process that it ever starts has it: whoever edits `.env`
 * changes nothing before a restart. Keys of feeds, whose names `sources.json` gives, are still read with each build.
 */
export function holdSettings(environment: Record<string, string | undefined>, folder: string): void {
  if (environment[HELD] !== undefined) return;
  for (const [name, text] of Object.entries(readEnvironment(environment, folder)))
    if (OF_SETTINGS.test(name)) environment[name] = text;
  environment[HELD] = folder;
}

/** Names of settings, and of those of Amazon's programs. */
const OF_SETTINGS = /^(?:almanakk|aws)_|^(?:port|host)$/i;

/** H8: secrets that are set to a blank text, and so protect nothing. `.env` may still set one that is blank in the environment. */
function blankSecrets(named: Environment, given: Environment): string[] {
  return Object.entries(named)
    .filter(([name, text]) => SECRET.test(name) && text !== undefined && given[name] === undefined)
    .map(([name]) => `${name}: expected a value, found it set and blank: set a value, or remove it`);
}

const SECRET = /^(?:ALMANAKK|AWS)_(?:\w+_)?(?:TOKEN|KEY|SECRET|TRUST|ACCESS_KEY_ID)$/;

/** Names that begin with `ALMANAKK_TEST_` are set by the test runner. */
function unknownNames(table: SettingsTable, given: Environment): readonly string[] {
  const names = new Set(Object.values(table).map(({ name }) => name));
  const nearest = createNearest(names, (name) => [name]);
  return Object.keys(given)
    .filter((name) => /^almanakk_(?!test_)/i.test(name) && !names.has(name))
    .map((name) => `${name}: ${withNearest('expected a setting', nearest(name))}; it is ignored`);
}

function readEnvFile(environment: Environment, folder: string): Environment {
  const { [HELD]: heldFolder } = environment;
  const file = join(heldFolder ?? folder, '.env');
  try {
    const lines = parseEnv(readFileSync(file, 'utf8'));
    if (heldFolder === undefined) return lines;
    return Object.fromEntries(Object.entries(lines).filter(([name]) => !OF_SETTINGS.test(name)));
  } catch (cause) {
    if (isMissing(cause)) return {};
    throw new CalendarError('INVALID_SETTING', `${file}: ${messageOf(cause)}`, { cause });
  }
}

/** An empty `NAME=` means the default. In the environment it hides the line of `.env`. */
function withoutBlanks(environment: Environment): Environment {
  return Object.fromEntries(Object.entries(environment).filter(([, text]) => !isBlank(text)));
}

function isBlank(text = ''): boolean {
  return text.trim() === '';
}
