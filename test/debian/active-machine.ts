/** A folder in place of the root of a machine with an active version, for the scripts that install, prepare and add. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { debianFile, debianPaths } from '../helpers/debian-files.ts';
import { save, saveProgram } from '../helpers/debian-root.ts';
import { temporaryFolder } from '../helpers/folder.ts';

/** A script that works in this folder in place of `/`. */
export const scriptAt = (root: string, name: string) =>
  debianFile(`usr/local/sbin/${name}`).replaceAll(
    /(?<![\w.$}/:])\/(?=(?:opt|etc|var\/lib)\/|srv\b|\$)/g,
    `${root}/`,
  );

/** What the active version has at a path of the setup: a file that names itself, or the real one in `etc`. */
export const setupFile = (path: string) =>
  path.startsWith('etc/') ? debianFile(path) : `# ${path}: kalender.example\n`;

/** A machine with an active version, and with the programs that the scripts need. */
export function createMachine(): string {
  const root = temporaryFolder();
  const active = join(root, 'opt/almanakk/current');
  for (const path of debianPaths()) save(join(active, 'docs/debian', path), setupFile(path));
  save(join(active, 'data/sample/licence.json'), '{}');
  mkdirSync(join(root, 'srv'));
  saveProgram(root, 'chgrp', 'true');
  // No program listens there, whatever listens on this machine.
  saveProgram(root, 'ss', 'true');
  saveProgram(root, 'getent', `test -e ${root}/users`);
  saveProgram(root, 'useradd', `test ! -e ${root}/users && echo "$*" > ${root}/users`);
  // The user is not on this machine.
  saveProgram(
    root,
    'install',
    `PATH="${process.env.PATH}"; install $(echo "$*" | sed 's/--owner almanakk //; s/--group almanakk //')`,
  );
  return root;
}
