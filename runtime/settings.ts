/**
 * Every setting: an environment variable, read and checked only here. Entry points read them and pass on what their parts need. `.env` in
 * the working folder adds variables that the environment lacks.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import * as jobAnnexes from '../jobs/annexes.ts';
import * as serveAnnexes from '../src/annexes.ts';
import { CalendarError, isMissing, messageOf } from '../src/calendar/errors.ts';
import { nearestTo } from '../src/calendar/text.ts';
import { CORE_SETTINGS } from '../src/settings/core.ts';
import { foundSecret, type Setting, type SettingsOf, type SettingsTable } from '../src/settings/kinds.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

type All<Lists> = Lists[keyof Lists];
type Tables<Annex> = Annex extends { readonly settings: infer Table } ? (table: Table) => void : never;
/** All annexes together: a union of functions as a parameter infers an intersection. */
type AnnexTable =
  Tables<All<typeof jobAnnexes> | All<typeof serveAnnexes>> extends (
    table: infer Table extends SettingsTable,
  ) => void
    ? Table
    : Readonly<Record<never, never>>;

/** Every setting of the core and of the listed annexes, by its name in the code. */
export const SETTINGS = Object.assign(
  { ...CORE_SETTINGS },
  ...[...listed(jobAnnexes), ...listed(serveAnnexes)].map(({ settings }) => settings),
) as typeof CORE_SETTINGS & AnnexTable;

interface Listed {
  readonly settings: SettingsTable;
  readonly derive?: (settings: Values, variable: (name: string) => string | undefined) => object;
}

function listed(annexes: object): readonly Listed[] {
  return Object.values(annexes);
}

type Values = SettingsOf<typeof SETTINGS>;
type Derived<Annex> = Annex extends { readonly derive: (...args: never[]) => infer More }
  ? (more: More) => void
  : never;
type AnnexMore =
  Derived<All<typeof jobAnnexes>> extends (more: infer More) => void ? More : Readonly<Record<never, never>>;

/** Paths are absolute. */
export type Settings = Values & AnnexMore;

export interface SettingsRead {
  readonly settings: Settings;
  /** For the log: variables named like settings that do not exist. */
  readonly warnings: readonly string[];
}

/** Throws INVALID_SETTING with every invalid setting. `folder` contains `.env`, and relative paths begin there. */
export function readSettings(environment: Environment, folder: string): SettingsRead {
  const given = readEnvironment(environment, folder);
  const read: Record<string, unknown> = {};
  const wrong = blankSecrets(environment, folder);
  for (const [key, setting] of Object.entries<Setting<unknown>>(SETTINGS)) {
    const { name, fallback, expected } = setting;
    const text = given[name]?.trim() || fallback;
    read[key] = setting.parse(text, folder);
    if (read[key] === undefined) wrong.push(`${name}: expected ${expected}, found ${foundIn(setting, text)}`);
  }
  if (wrong.length > 0) throw new CalendarError('INVALID_SETTING', wrong.join('\n'));
  // Each value was parsed by its own kind.
  const values = read as Values;
  const derived = listed(jobAnnexes).map(({ derive }) => derive?.(values, (name) => given[name]));
  const settings: Settings = Object.assign({}, values, ...derived);
  return { settings, warnings: unknownNames(given) };
}

function foundIn({ isSecret = false }: Setting<unknown>, text: string): string {
  return isSecret ? foundSecret(text) : JSON.stringify(text.replace(CREDENTIALS, '//…@'));
}

/** In a URL. */
const CREDENTIALS = /\/\/[^/@]*@/g;

/** The environment, with what `.env` in the folder adds. */
export function readEnvironment(environment: Environment, folder: string): Environment {
  return { ...withoutBlanks(readEnvFile(folder)), ...withoutBlanks(environment) };
}

/** H8: secrets that are set to a blank text, and so protect nothing. `.env` may still set one that is blank in the environment. */
function blankSecrets(environment: Environment, folder: string): string[] {
  const given = readEnvironment(environment, folder);
  const named = Object.entries({ ...readEnvFile(folder), ...environment });
  return named
    .filter(([name, text]) => SECRET.test(name) && text !== undefined && given[name] === undefined)
    .map(([name]) => `${name}: expected a value, found it set and blank: set a value, or remove it`);
}

const SECRET = /^(?:ALMANAKK|AWS)_(?:\w+_)?(?:TOKEN|KEY|SECRET|TRUST|ACCESS_KEY_ID)$/;

/** Names that begin with `ALMANAKK_TEST_` are set by the test runner. */
function unknownNames(given: Environment): readonly string[] {
  const known = new Set<string>(Object.values(SETTINGS).map(({ name }) => name));
  return Object.keys(given)
    .filter((name) => /^almanakk_(?!test_)/i.test(name) && !known.has(name))
    .map((name) => `${name}: expected a setting such as ${nearestTo(name, [...known])}; it is ignored`);
}

function readEnvFile(folder: string): Environment {
  const file = join(folder, '.env');
  try {
    return parseEnv(readFileSync(file, 'utf8'));
  } catch (cause) {
    if (isMissing(cause)) return {};
    throw new CalendarError('INVALID_SETTING', `${file}: ${messageOf(cause)}`, { cause });
  }
}

/** An empty `NAME=` means the default, and does not hide the value in `.env`. */
function withoutBlanks(environment: Environment): Environment {
  return Object.fromEntries(Object.entries(environment).filter(([, text]) => (text ?? '').trim() !== ''));
}
