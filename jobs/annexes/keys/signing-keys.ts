/** J3: the files of a key pair with which a builder signs manifests. */
import { rmSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { basename, join } from 'node:path';
import { messageOf, systemCodeOf } from '../../../src/calendar/errors.ts';
import { makeSigningKeys } from '../../kit/signature.ts';
import { diskFault, invalid } from './key-file.ts';

const PRIVATE_MODE = 0o600;
const PUBLIC_MODE = 0o644;

/**
 * Writes the private key to a file, and the public one beside it. Never overwrites a file, and leaves no half of a pair. Returns the lines to
 * print. Throws INVALID_SETTING and DISK_FULL.
 */
export function writeSigningKeys(file: string): readonly string[] {
  const { id, privateKey, publicKey } = makeSigningKeys();
  writeNew(file, privateKey, PRIVATE_MODE);
  try {
    writeNew(`${file}.pub`, publicKey, PUBLIC_MODE);
  } catch (thrown) {
    // Next to the public key of another pair, it would be taken for that pair's private key.
    rmSync(file, { force: true });
    throw thrown;
  }
  return [
    `key ${id}`,
    `${file}: keep it on the builder, as ALMANAKK_SIGNING_KEY; no one else may read it`,
    `${file}.pub: give it to the replicas, as ALMANAKK_TRUST`,
    `to keep it in a folder that belongs to root: ${installLine(file)}`,
  ];
}

/** The command that root runs: root owns the folder of settings, and the service's user reads the key. */
function installLine(file: string): string {
  return `install -o ${userName()} -m 600 ${file} /etc/almanakk/${basename(file)}`;
}

/** A container may run as a number for which its system has no name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `${process.getuid?.()}`;
  }
}

function writeNew(file: string, text: string, mode: number): void {
  try {
    writeFileSync(file, text, { flag: 'wx', mode });
  } catch (cause) {
    const full = diskFault(file, cause);
    if (full !== null) {
      // A partial key file is of no use, and would block the next attempt.
      rmSync(file, { force: true });
      throw full;
    }
    const isRefused = systemCodeOf(cause) === 'EACCES';
    const serviceFile = join('/var/lib/almanakk', basename(file));
    const advice = `: create it in a folder that this user may write to, such as --out ${serviceFile}, then run as root: ${installLine(serviceFile)}`;
    throw invalid(`${file}: ${messageOf(cause)}${isRefused ? advice : ''}`, cause);
  }
}
