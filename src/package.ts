/** Where this package lies, whether it runs from its sources or compiled. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = findRoot(dirname(fileURLToPath(import.meta.url)));

/** Absolute path of a file of this package, such as `src/serve/graphql/schema.graphql`. */
export function packagePath(path: string): string {
  return join(ROOT, path);
}

function findRoot(folder: string): string {
  if (existsSync(join(folder, 'package.json'))) return folder;
  const parent = dirname(folder);
  if (parent === folder) throw new Error('expected a package.json above this file, found none');
  return findRoot(parent);
}
