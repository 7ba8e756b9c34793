/** Keys for signatures, and manifests that are signed with them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runKeysCommand } from '../../../../jobs/annexes/keys/commands.ts';
import { readSigningKey } from '../../../../jobs/kit/signature.ts';
import { MANIFEST } from '../../../../src/snapshot/files.ts';
import { parseManifest } from '../../../../src/snapshot/manifest.ts';
import { temporaryFolder } from '../../../helpers/folder.ts';

export const makeKeys = (args: readonly string[]) =>
  runKeysCommand(['signing', ...args], { path: '', now: new Date(), random: new Uint8Array() });

/** A pair of keys: its id, the file of the private key, and what signs with it. */
export async function newKeys() {
  const file = join(temporaryFolder(), 'signing.pem');
  const [line = ''] = await makeKeys(['--out', file]);
  return { file, id: line.replace('key ', ''), sign: readSigningKey(file) };
}

export type Keys = Awaited<ReturnType<typeof newKeys>>;

export const manifestIn = (folder: string) => parseManifest(readFileSync(join(folder, MANIFEST), 'utf8'));
