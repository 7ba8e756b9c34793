/**
 * Every setting: an environment variable, read and checked here and nowhere else. Entry points read them and hand on what
 * their parts need. `.env` in the working folder fills in what the environment does not say.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { CalendarError, isMissing, messageOf } from './calendar/errors.ts';
import type { Setting } from './settings/kinds.ts';
import { SETTINGS, type Settings } from './settings/table.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export { SETTINGS, type Settings } from './settings/table.ts';

export interface SettingsRead {
  readonly settings: Settings;
  /** For the log: names that look like settings and are none. */
  readonly warnings: readonly string[];
}

/** Throws INVALID_SETTING that names every wrong one. `folder` is where `.env` is and where relative paths begin. */
export function readSettings(environment: Environment, folder: string): SettingsRead {
  const given = readEnvironment(environment, folder);
  const textOf = ({ name, fallback }: Setting<unknown>) => given[name]?.trim() || fallback;
  const refusal = (setting: Setting<unknown>) =>
    `${setting.name}: expected ${setting.expected}, found ${foundIn(setting, textOf(setting))}`;
  const isWrong = (setting: Setting<unknown>) => setting.parse(textOf(setting), folder) === undefined;
  const wrong = Object.values<Setting<unknown>>(SETTINGS).filter(isWrong);
  if (wrong.length > 0) throw new CalendarError('INVALID_SETTING', wrong.map(refusal).join('\n'));
  const read = <T>(setting: Setting<T>): T => {
    const value = setting.parse(textOf(setting), folder);
    if (value === undefined) throw new CalendarError('INVALID_SETTING', refusal(setting));
    return value;
  };
  const settings: Settings = {
    port: read(SETTINGS.port),
    host: read(SETTINGS.host),
    source: read(SETTINGS.source),
    snapshots: read(SETTINGS.snapshots),
    cron: read(SETTINGS.cron),
    horizonMonths: read(SETTINGS.horizonMonths),
    keys: read(SETTINGS.keys),
    maxAge: read(SETTINGS.maxAge),
    pollSeconds: read(SETTINGS.pollSeconds),
    logLevel: read(SETTINGS.logLevel),
    cacheMegabytes: read(SETTINGS.cacheMegabytes),
    workers: read(SETTINGS.workers),
    origin: read(SETTINGS.origin),
    serveSnapshots: read(SETTINGS.serveSnapshots),
    buildTimeoutSeconds: read(SETTINGS.buildTimeoutSeconds),
    allowPrivateFeeds: read(SETTINGS.allowPrivateFeeds),
    logFormat: read(SETTINGS.logFormat),
    stopDelaySeconds: read(SETTINGS.stopDelaySeconds),
    publicUrl: read(SETTINGS.publicUrl),
    notice: read(SETTINGS.notice),
    adminPort: read(SETTINGS.adminPort),
    adminHost: read(SETTINGS.adminHost),
    adminToken: read(SETTINGS.adminToken),
    logQueries: read(SETTINGS.logQueries),
  };
  return { settings, warnings: unknownNames(given) };
}

function foundIn({ isSecret = false }: Setting<unknown>, text: string): string {
  return isSecret ? `${text.length} characters` : JSON.stringify(text);
}

/** The environment, filled in with what `.env` in the folder says. */
export function readEnvironment(environment: Environment, folder: string): Environment {
  return { ...readEnvFile(join(folder, '.env')), ...withoutBlanks(environment) };
}

const PREFIX = 'ALMANAKK_';
/** Set by the test runner for the tests. */
const TEST_PREFIX = 'ALMANAKK_TEST_';

function unknownNames(given: Environment): readonly string[] {
  const known = new Set<string>(Object.values(SETTINGS).map(({ name }) => name));
  return Object.keys(given)
    .filter((name) => name.startsWith(PREFIX) && !name.startsWith(TEST_PREFIX) && !known.has(name))
    .map((name) => `${name}: expected one of ${[...known].join(', ')}; it is ignored`);
}

function readEnvFile(file: string): Environment {
  try {
    return withoutBlanks(parseEnv(readFileSync(file, 'utf8')));
  } catch (cause) {
    if (isMissing(cause)) return {};
    throw new CalendarError('INVALID_SETTING', `${file}: ${messageOf(cause)}`, { cause });
  }
}

/** `NAME=` with nothing behind it means the default, and does not hide what `.env` says. */
function withoutBlanks(environment: Environment): Environment {
  return Object.fromEntries(Object.entries(environment).filter(([, text]) => (text ?? '').trim() !== ''));
}
