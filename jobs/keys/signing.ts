/** `npm run keys -- signing --out FILE` (J3): the pair with which a builder signs, and by which replicas know it. */
import { rmSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { CalendarError, messageOf } from '../../src/calendar/errors.ts';
import { makeSigningKeys } from '../signature.ts';

export const SIGNING_USAGE =
  '  signing --out FILE                   make a key pair for manifests: FILE (0600) and FILE.pub';

/** Gives the lines to print. Throws INVALID_SETTING; a file that is there is never written over. */
export async function signing(args: readonly string[]): Promise<readonly string[]> {
  const file = fileOf(args);
  const { id, privateKey, publicKey } = makeSigningKeys();
  write(file, privateKey, 0o600);
  try {
    write(`${file}.pub`, publicKey, 0o644);
  } catch (thrown) {
    // Beside somebody else's public key it would be taken for the other half of that one.
    rmSync(file, { force: true });
    throw thrown;
  }
  return [
    `key ${id}`,
    `${file}: keep it on the builder, as ALMANAKK_SIGNING_KEY; nobody else may read it`,
    `${file}.pub: give it to the replicas, as ALMANAKK_TRUST`,
  ];
}

function fileOf(args: readonly string[]): string {
  try {
    const { out } = parseArgs({ args: [...args], options: { out: { type: 'string' } } }).values;
    if (out !== undefined && out.trim() !== '') return out;
  } catch (cause) {
    throw new CalendarError('INVALID_SETTING', `${messageOf(cause)}\n${SIGNING_USAGE}`, { cause });
  }
  throw new CalendarError('INVALID_SETTING', `expected --out FILE, found none\n${SIGNING_USAGE}`);
}

function write(file: string, text: string, mode: number): void {
  try {
    writeFileSync(file, text, { flag: 'wx', mode });
  } catch (cause) {
    throw new CalendarError('INVALID_SETTING', `${file}: ${messageOf(cause)}`, { cause });
  }
}
