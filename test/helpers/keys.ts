/** The commands of `npm run keys`, on the key file of a test, with randomness and a time that the test knows. */
import { runKeysCommand } from '../../jobs/annexes/keys/commands.ts';
import { KEY_ENTROPY } from '../../src/annexes/common/keys.ts';

export const KEYS_ISSUED_AT = new Date('2026-06-01T10:00:00Z');

/** Bytes for a key. Keys of different bytes differ. */
export const randomOf = (byte: number) => new Uint8Array(KEY_ENTROPY).fill(byte);

interface KeysRun {
  readonly now?: Date;
  /** See `randomOf`. */
  readonly byte?: number;
}

/** `command`: arguments without blanks in them. */
export function runKeys(
  path: string,
  command: string,
  { now = KEYS_ISSUED_AT, byte = 1 }: KeysRun = {},
): Promise<readonly string[]> {
  return runKeysCommand(command.split(' '), { path, now, random: randomOf(byte) });
}

interface IssuedKey {
  readonly key: string;
  readonly id: string;
}

/** `app`: the name of an application, and further options. */
export async function issueKey(path: string, app: string, byte: number): Promise<IssuedKey> {
  const [key, line = ''] = await runKeys(path, `issue --app ${app}`, { byte });
  const id = /id (\w+)/.exec(line)?.[1];
  if (key === undefined || id === undefined)
    throw new Error(`expected a key and its id, found ${key} and ${line}`);
  return { key, id };
}
