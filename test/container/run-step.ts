/** The commands of a Containerfile, in a stage's folder. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export interface RunOptions {
  readonly cwd: string;
  /** A checkout with its packages installed. */
  readonly context: string;
}

export function runStep(line: string, options: RunOptions): void {
  const instead = INSTEAD[line] ?? runInShell;
  instead(line, options);
}

/** As written, but for two that would take minutes, or reach into the packages of the checkout itself. */
const INSTEAD: Readonly<Record<string, typeof runInShell>> = {
  // `npm ci` takes minutes, and test/setup.test.ts tries it. With the packages in place, there is nothing to do.
  'node jobs/setup.mjs --dev --no-compile': (line, options) => {
    symlinkSync(join(options.context, 'node_modules'), join(options.cwd, 'node_modules'));
    runInShell(line, options);
  },
  'npm prune --omit=dev': (_line, options) => linkProduction(options),
};

function runInShell(line: string, { cwd }: RunOptions): void {
  const { status, stdout, stderr } = spawnSync('sh', ['-c', line], { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`RUN ${line}: exit code ${status}\n${stdout}${stderr}`);
}

interface LockedPackage {
  readonly dev?: boolean;
  readonly devOptional?: boolean;
}

/** In place of the link to all packages: one to each that is not for development, and npm's own list of them. */
function linkProduction({ cwd, context }: RunOptions): void {
  const from = join(context, 'node_modules');
  const to = join(cwd, 'node_modules');
  const list: { readonly packages: Readonly<Record<string, LockedPackage>> } = JSON.parse(
    readFileSync(join(from, '.package-lock.json'), 'utf8'),
  );
  const kept = Object.entries(list.packages).filter(([, { dev, devOptional }]) => !dev && !devOptional);
  unlinkSync(to);
  for (const [path] of kept) {
    const name = path.slice('node_modules/'.length);
    // Those below another package come with it.
    if (name.includes('/node_modules/')) continue;
    mkdirSync(dirname(join(to, name)), { recursive: true });
    symlinkSync(join(from, name), join(to, name));
  }
  writeFileSync(
    join(to, '.package-lock.json'),
    JSON.stringify({ ...list, packages: Object.fromEntries(kept) }),
  );
}
