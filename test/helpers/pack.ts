/** The package of this checkout. */
import { spawnSync } from 'node:child_process';
import { packagePath } from '../../src/package.ts';

/** Gives the name of the file that `npm pack` makes in that folder. */
export function packInto(folder: string): string {
  const args = ['pack', '--silent', '--pack-destination', folder];
  const { status, stdout, stderr } = spawnSync('npm', args, { cwd: packagePath('.'), encoding: 'utf8' });
  if (status !== 0) throw new Error(`npm pack: exit code ${status}\n${stdout}${stderr}`);
  return stdout.trim();
}
