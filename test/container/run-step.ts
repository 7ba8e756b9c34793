/** The commands of a Containerfile, in a stage's folder. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { packagePath } from '../../src/package.ts';

export function runStep(line: string, cwd: string): void {
  const instead = INSTEAD[line] ?? runInShell;
  instead(line, cwd);
}

/** As written, but for one that would take minutes: the packages of this checkout stand for those that npm would install. */
const INSTEAD: Readonly<Record<string, typeof runInShell>> = {
  'npm ci --omit=dev': (_line, cwd) => linkProduction(cwd),
};

function runInShell(line: string, cwd: string): void {
  const { status, stdout, stderr } = spawnSync('sh', ['-c', line], { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`RUN ${line}: exit code ${status}\n${stdout}${stderr}`);
}

interface LockedPackage {
  readonly dev?: boolean;
  readonly devOptional?: boolean;
}

/** A link to each package that is not for development. */
function linkProduction(cwd: string): void {
  const from = packagePath('node_modules');
  const list: { readonly packages: Readonly<Record<string, LockedPackage>> } = JSON.parse(
    readFileSync(join(from, '.package-lock.json'), 'utf8'),
  );
  for (const [path, { dev, devOptional }] of Object.entries(list.packages)) {
    const name = path.slice('node_modules/'.length);
    // Those below another package come with it.
    if (dev || devOptional || name.includes('/node_modules/')) continue;
    const to = join(cwd, path);
    mkdirSync(dirname(to), { recursive: true });
    symlinkSync(join(from, name), to);
  }
}
