/** This package: where its files are, whether it runs from its sources or compiled, its version, and how its programs are called. */
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Absolute path of a file of this package, such as `src/serve/graphql/schema.graphql`. */
export function packagePath(path: string): string {
  return join(ROOT, path);
}

export function packageVersion(): string {
  const { version }: { readonly version: string } = JSON.parse(
    readFileSync(packagePath('package.json'), 'utf8'),
  );
  return version;
}

/** The commit that `dist/` was compiled from, with "+" if the sources differed from it; null if it was compiled without a repository. */
export function packageCommit(): string | null {
  const file = packagePath('dist/commit.txt');
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : null;
}

/** Absolute path of a module of this package, such as `src/main`, in the form that runs now: source or compiled. */
export function programPath(name: string): string {
  const extension = extname(import.meta.url);
  return join(ROOT, extension === '.ts' ? '' : 'dist', `${name}${extension}`);
}

/** A command as people type it here: `almanakk NAME` where the package is installed, `npm run NAME` in a clone. */
export function commandLine(name: string, options = ''): string {
  // The published package has no setup.
  const isClone = existsSync(packagePath('jobs/setup.mjs')) && basename(process.argv[1] ?? '') !== 'almanakk';
  if (!isClone) return `almanakk ${name} ${options}`.trimEnd();
  const script = name === 'check' ? 'check:source' : name;
  return options === '' ? `npm run ${script}` : `npm run ${script} -- ${options}`;
}

/**
 * This process's Node options, for a process that it starts: without a debugger, whose port opens once, and without traces, which V8 prints
 * into the output.
 */
export function inheritedOptions(): readonly string[] {
  return process.execArgv.filter((option) => !/^--(?:inspect|trace)/.test(option));
}

const ROOT = findRoot(dirname(fileURLToPath(import.meta.url)));

function findRoot(folder: string): string {
  if (existsSync(join(folder, 'package.json'))) return folder;
  const parent = dirname(folder);
  if (parent === folder) throw new Error('expected a package.json above this file, found none');
  return findRoot(parent);
}
