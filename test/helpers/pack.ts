/** The package of this checkout. */
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { packagePath } from '../../src/package.ts';
import { fixtureOf } from './program.ts';
import { until } from './until.ts';

/**
 * Copies the package that `npm pack` makes into a folder, and gives the name of its file. npm takes two seconds of CPU, so all processes of a
 * run share one package.
 */
export async function packInto(folder: string): Promise<string> {
  const { version }: { readonly version: string } = JSON.parse(
    readFileSync(packagePath('package.json'), 'utf8'),
  );
  const name = `almanakk-${version}.tgz`;
  const shared = join(dirname(fixtureOf('pack')), name);
  const making = `${shared}.making`;
  while (!existsSync(shared)) {
    if (isMade(making)) {
      try {
        pack(making);
        renameSync(join(making, name), shared);
      } finally {
        rmSync(making, { recursive: true, force: true });
      }
    } else await until('another process has packed', () => !existsSync(making));
  }
  copyFileSync(shared, join(folder, name));
  return name;
}

/** Makes a folder, unless another process has it. */
function isMade(folder: string): boolean {
  try {
    mkdirSync(folder);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

function pack(folder: string): void {
  const args = ['pack', '--silent', '--pack-destination', folder];
  const { status, stdout, stderr } = spawnSync('npm', args, { cwd: packagePath('.'), encoding: 'utf8' });
  if (status !== 0) throw new Error(`npm pack: exit code ${status}\n${stdout}${stderr}`);
}
