/**
 * Reads settings from environment variables: nothing else looks at these. Three rules decide which text counts:
 *
 * - A variable of the environment counts before a line of `.env` in the working folder.
 * - A blank variable is not set, and hides the line of `.env`. If it is a secret, the line counts, and without one the settings are refused.
 * - A program that runs on reads its settings once (H3): `freezeSettings` copies the lines of `.env` into its environment, for the
 *   processes that it starts.
 */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { CalendarError, isMissing, messageOf } from '../calendar/errors.ts';
import { createNearest, withNearest } from '../calendar/nearest.ts';
import { foundSecret, type Setting, type SettingsOf, type SettingsTable } from './kinds.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

interface ValuesRead<Table extends SettingsTable> {
  readonly values: SettingsOf<Table>;
  /** All variables. */
  readonly variables: Environment;
  /** For the log: variables named like settings that do not exist. */
  readonly warnings: readonly string[];
}

/** Throws INVALID_SETTING with every invalid setting. `folder` contains `.env`, and relative paths begin there. */
export function readValues<Table extends SettingsTable>(
  table: Table,
  environment: Environment,
  folder: string,
): ValuesRead<Table> {
  const lines = readEnvFile(environment, folder);
  const base = environment[FROZEN_FOLDER] ?? folder;
  const { variables, faults: fileFaults } = withSecretFiles(combine(environment, lines), base);
  const values: Record<string, unknown> = {};
  const faults: string[] = [];
  for (const [key, setting] of Object.entries(table)) {
    const { name, fallback, expected } = setting;
    const text = variables[name]?.trim() || fallback;
    const value = setting.parse(text, base);
    values[key] = value;
    if (value === undefined) faults.push(`${name}: expected ${expected}, found ${foundIn(setting, text)}`);
  }
  const all = [...fileFaults, ...blankSecrets({ ...lines, ...environment }, variables), ...faults];
  if (all.length > 0) throw new CalendarError('INVALID_SETTING', all.join('\n'));
  // Each value was parsed by its own kind.
  return { values: values as SettingsOf<Table>, variables, warnings: unknownNames(table, variables) };
}

function foundIn({ isSecret = false }: Setting<unknown>, text: string): string {
  return isSecret ? foundSecret(text) : JSON.stringify(withoutCredentials(text));
}

/** Hides the credentials in a text that should be a URL. It may be invalid because its password contains a slash or another `@`. */
function withoutCredentials(text: string): string {
  const [scheme = ''] = /^[a-z][a-z\d+.-]*:\/\//i.exec(text) ?? [];
  const end = text.lastIndexOf('@');
  const mayHavePassword = end > scheme.length && (scheme !== '' || text.slice(0, end).includes(':'));
  return mayHavePassword ? `${scheme}…${text.slice(end)}` : text;
}

/** The environment, with what `.env` in the folder adds. */
export function readEnvironment(environment: Environment, folder: string): Environment {
  return combine(environment, readEnvFile(environment, folder));
}

function combine(environment: Environment, lines: Environment): Environment {
  const added = Object.entries(lines).filter(([name]) => {
    const text = environment[name];
    return text === undefined || (isBlank(text) && SECRET.test(name));
  });
  return { ...withoutBlanks(Object.fromEntries(added)), ...withoutBlanks(environment) };
}

/** The variable that says in which folder the settings of this environment were read; without it, they are still to be read. */
const FROZEN_FOLDER = 'SETTINGS_READ_IN';

/**
 * H3: writes the settings of `.env`, and secrets that are in files, into this process's environment, which every process that it starts
 * inherits: an edit of these files changes nothing before a restart. Keys of feeds, whose names `sources.json` gives, are still read with
 * each build.
 */
export function freezeSettings(environment: Record<string, string | undefined>, folder: string): void {
  if (environment[FROZEN_FOLDER] !== undefined) return;
  const { variables, read } = withSecretFiles(readEnvironment(environment, folder), folder);
  for (const [name, text] of Object.entries(variables)) if (OF_SETTINGS.test(name)) environment[name] = text;
  // A blank variable is not set.
  for (const name of read) environment[name] = '';
  environment[FROZEN_FOLDER] = folder;
}

/** Names of settings, and of those of Amazon's programs. */
const OF_SETTINGS = /^(?:almanakk|aws)_|^(?:port|host)$/i;

/** H8: secrets that are set to a blank text, and so protect nothing. `.env` may still set one that is blank in the environment. */
function blankSecrets(named: Environment, variables: Environment): readonly string[] {
  return Object.entries(named)
    .filter(([name, text]) => SECRET.test(name) && text !== undefined && variables[name] === undefined)
    .map(([name]) => `${name}: expected a value, found it set and blank: set a value, or remove it`);
}

const SECRET = /^(?:ALMANAKK|AWS)_(?:\w+_)?(?:TOKENS?|KEY|SECRET|TRUST|ACCESS_KEY_ID)$/;

/** Names that begin with `ALMANAKK_TEST_` are set by the test runner. */
function unknownNames(table: SettingsTable, variables: Environment): readonly string[] {
  const names = new Set(Object.values(table).map(({ name }) => name));
  const nearest = createNearest(names, (name) => [name]);
  return Object.keys(variables)
    .filter((name) => /^almanakk_(?!test_)/i.test(name) && !names.has(name))
    .map((name) => `${name}: ${withNearest('expected a setting', nearest(name))}; it is ignored`);
}

/** The lines of `.env`; without settings if these are frozen. */
function readEnvFile(environment: Environment, folder: string): Environment {
  const frozenFolder = environment[FROZEN_FOLDER];
  const file = join(frozenFolder ?? folder, '.env');
  try {
    const lines = parseEnv(readFileSync(file, 'utf8'));
    if (frozenFolder === undefined) return lines;
    return Object.fromEntries(Object.entries(lines).filter(([name]) => !OF_SETTINGS.test(name)));
  } catch (cause) {
    if (isMissing(cause)) return {};
    throw new CalendarError('INVALID_SETTING', `${file}: ${messageOf(cause)}`, { cause });
  }
}

function withoutBlanks(environment: Environment): Environment {
  return Object.fromEntries(Object.entries(environment).filter(([, text]) => !isBlank(text)));
}

function isBlank(text = ''): boolean {
  return text.trim() === '';
}

interface SecretsRead {
  /** With the secrets, and without the variables that named their files. */
  readonly variables: Environment;
  /** The variables whose files were read. */
  readonly read: readonly string[];
  /** Messages about the others. */
  readonly faults: readonly string[];
}

/**
 * H8: secrets in files, as containers and systemd provide them: `ALMANAKK_ADMIN_TOKEN_FILE` names the file of a secret. Relative paths begin in
 * `folder`.
 */
function withSecretFiles(variables: Environment, folder: string): SecretsRead {
  const resolved = { ...variables };
  const read: string[] = [];
  const faults: string[] = [];
  for (const [name, path = ''] of Object.entries(variables)) {
    const [, secret] = IN_FILE.exec(name) ?? [];
    if (secret === undefined) continue;
    const found = variables[secret] === undefined ? readSecret(resolve(folder, path)) : BOTH;
    if ('text' in found) {
      read.push(name);
      resolved[secret] = found.text;
      delete resolved[name];
    } else faults.push(`${name}: ${found.fault}`);
  }
  return { variables: resolved, read, faults };
}

/** The secrets are named by their form: other names that end like this are settings, or belong to Amazon's programs. */
const IN_FILE =
  /^(ALMANAKK_(?:\w+_)?(?:TOKENS?|SECRET|SMTP_URL|HOOKS)|AWS_(?:ACCESS_KEY_ID|SECRET_ACCESS_KEY|SESSION_TOKEN))_FILE$/;

const BOTH = { fault: 'expected either a file or the value itself, found both: remove one of them' };

function readSecret(path: string): { readonly text: string } | { readonly fault: string } {
  try {
    const text = readFileSync(path, 'utf8').trim();
    return text === '' ? { fault: `expected a value in ${path}, found an empty file` } : { text };
  } catch (cause) {
    return { fault: `expected a readable file, found ${messageOf(cause)}` };
  }
}
