/** The table of docs/operating.md about the last run of the Debian guide on a booted system, from the file that `.ci/debian.sh` writes. */
import { spawnSync } from 'node:child_process';
import { packagePath } from '../../src/package.ts';
import { readPage, tableIn } from './document.ts';

const RESULT = 'test/heavy/debian-run.md';
const PAGE = 'docs/operating.md';
const CHANGED = 'files of the setup that have changed since';

export function debianRunTable(): string {
  const table = tableIn(readPage(RESULT), 'Run');
  const commit = /\(([\da-f]{8,})\+?\)/.exec(table)?.[1];
  if (commit === undefined) throw new Error(`${RESULT}: expected a package with its commit, found none`);
  return `${table}| ${CHANGED} | ${changedSince(commit)} |\n`;
}

/** Warns only: what the table says about the run is right, whatever has changed since. A clone without the commit keeps what the page says. */
function changedSince(commit: string): string {
  const args = ['diff', '--name-only', '--relative=docs/debian', commit, '--', 'docs/debian'];
  const { status, stdout } = spawnSync('git', args, { cwd: packagePath('.'), encoding: 'utf8' });
  if (status !== 0) return statedOn(PAGE);
  const paths = stdout.split('\n').filter((path) => path !== '');
  if (paths.length === 0) return 'none';
  console.warn(`${RESULT}: changed in docs/debian since ${commit}: ${paths.join(', ')}`);
  return paths.map((path) => `\`${path}\``).join(', ');
}

function statedOn(page: string): string {
  const line = readPage(page)
    .split('\n')
    .find((one) => one.startsWith(`| ${CHANGED} |`));
  return line?.split('|')[2]?.trim() ?? 'unknown';
}
