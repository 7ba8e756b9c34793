/** Where this package lies, whether it runs from its sources or compiled. */
import { existsSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = findRoot(dirname(fileURLToPath(import.meta.url)));

/** Absolute path of a file of this package, such as `src/serve/graphql/schema.graphql`. */
export function packagePath(path: string): string {
  return join(ROOT, path);
}

/** Absolute path of a module of this package, such as `src/main`, to be run as this one is: from its source or compiled. */
export function programPath(name: string): string {
  const extension = extname(import.meta.url);
  return join(ROOT, extension === '.ts' ? '' : 'dist', `${name}${extension}`);
}

/** The options of this process for one that it starts: all but a debugger's, whose port cannot be had twice. */
export function inheritedOptions(): readonly string[] {
  return process.execArgv.filter((option) => !option.startsWith('--inspect'));
}

function findRoot(folder: string): string {
  if (existsSync(join(folder, 'package.json'))) return folder;
  const parent = dirname(folder);
  if (parent === folder) throw new Error('expected a package.json above this file, found none');
  return findRoot(parent);
}
