/** `npm run keys`: what a person does with application keys. */
import { CalendarError } from '../../src/calendar/errors.ts';
import { hashKey, makeKey } from '../../src/identity/key.ts';
import { changeKeyFile, type KeyEntry, readKeyFile } from '../../src/identity/key-file.ts';

interface KeysContext {
  /** The key file. */
  readonly path: string;
  readonly now: Date;
  /** KEY_ENTROPY bytes fit for secrets. */
  readonly random: Uint8Array;
}

export const USAGE = `Usage: npm run keys -- COMMAND
  issue --app NAME    make a key for an application and show it, once
  revoke KEY-ID       serve calls with that key as anonymous from now on
  list                show all keys: their ids, never the keys themselves`;

/** Gives the lines to print. Throws INVALID_SETTING when the arguments or the file are not as they must be. */
export async function runKeysCommand(
  args: readonly string[],
  context: KeysContext,
): Promise<readonly string[]> {
  const [name = '', ...rest] = args;
  const command = COMMANDS.get(name);
  if (command === undefined) {
    throw new CalendarError('INVALID_SETTING', `expected a command, found "${name}"\n${USAGE}`);
  }
  return command(rest, context);
}

type Command = (args: readonly string[], context: KeysContext) => Promise<readonly string[]>;

const COMMANDS: ReadonlyMap<string, Command> = new Map([
  ['issue', issue],
  ['revoke', revoke],
  ['list', list],
]);

async function issue(
  args: readonly string[],
  { path, now, random }: KeysContext,
): Promise<readonly string[]> {
  const [flag, app, more] = args;
  if (flag !== '--app' || app === undefined || app.trim() === '' || app.length > 100 || more !== undefined) {
    throw new CalendarError('INVALID_SETTING', `expected --app NAME, found "${args.join(' ')}"\n${USAGE}`);
  }
  const key = makeKey(random);
  const hash = hashKey(key);
  const id = hash.slice(0, ID_LENGTH);
  const entry = { id, app: app.trim(), hash, created: now.toISOString(), revoked: null };
  await changeKeyFile(path, now, (keys) => {
    if (keys.some((other) => other.id === id)) {
      throw new CalendarError('INVALID_SETTING', `key id ${id} is taken: run the command again`);
    }
    return [...keys, entry];
  });
  return [key, `id ${id}, for ${entry.app}. This is the only time that the key is shown.`];
}

/** Hex digits: enough that they never meet, few enough to type. */
const ID_LENGTH = 10;

async function revoke(args: readonly string[], { path, now }: KeysContext): Promise<readonly string[]> {
  const [id, more] = args;
  if (id === undefined || more !== undefined) {
    throw new CalendarError('INVALID_SETTING', `expected one KEY-ID, found "${args.join(' ')}"\n${USAGE}`);
  }
  let line = '';
  await changeKeyFile(path, now, (keys) => {
    const found = keys.find((entry) => entry.id === id);
    if (found === undefined) {
      throw new CalendarError('INVALID_SETTING', `expected the id of a key in ${path}, found "${id}"`);
    }
    line = `${id} (${found.app}) is revoked since ${found.revoked ?? now.toISOString()}`;
    return keys.map((entry) =>
      entry === found ? { ...entry, revoked: entry.revoked ?? now.toISOString() } : entry,
    );
  });
  return [line];
}

async function list(_args: readonly string[], { path }: KeysContext): Promise<readonly string[]> {
  const keys = await readKeyFile(path);
  if (keys.length === 0) return [`no keys in ${path}`];
  return keys.map(describe);
}

function describe({ id, app, created, revoked }: KeyEntry): string {
  return `${id}  ${created}  ${revoked === null ? 'valid' : `revoked ${revoked}`}  ${app}`;
}
