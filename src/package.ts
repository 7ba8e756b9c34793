/** The location of this package, whether it runs from its sources or compiled. */
import { existsSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = findRoot(dirname(fileURLToPath(import.meta.url)));

/** Absolute path of a file of this package, such as `src/serve/graphql/schema.graphql`. */
export function packagePath(path: string): string {
  return join(ROOT, path);
}

/** Absolute path of a module of this package, such as `src/main`, in the form that runs now: source or compiled. */
export function programPath(name: string): string {
  const extension = extname(import.meta.url);
  return join(ROOT, extension === '.ts' ? '' : 'dist', `${name}${extension}`);
}

/** The Node options of this process for one that it starts, except a debugger's, whose port cannot be opened twice. */
export function inheritedOptions(): readonly string[] {
  return process.execArgv.filter((option) => !option.startsWith('--inspect'));
}

function findRoot(folder: string): string {
  if (existsSync(join(folder, 'package.json'))) return folder;
  const parent = dirname(folder);
  if (parent === folder) throw new Error('expected a package.json above this file, found none');
  return findRoot(parent);
}
