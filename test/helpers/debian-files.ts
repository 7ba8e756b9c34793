/** The files of the setup that docs/operating.md describes, in folders as on the machine. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { packagePath } from '../../src/package.ts';

const FOLDER = packagePath('docs/debian');

/** Their paths on the machine, without the slash in front. */
export function debianPaths(): readonly string[] {
  const names = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' });
  return names.filter((name) => statSync(join(FOLDER, name)).isFile()).sort();
}

export function debianFile(path: string): string {
  return readFileSync(join(FOLDER, path), 'utf8');
}
