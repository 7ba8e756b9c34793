/** The tables about the last runs of the guides on booted Debian systems, from the files that `.ci/debian.sh` and `.ci/debian-pair.sh` write. */
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { packagePath } from '../../src/package.ts';
import { readPage, tableIn } from './document.ts';

interface Guide {
  readonly page: string;
  /** Its files: one for each release of Debian, such as debian-run-12.md, or for each program in front. */
  readonly results: RegExp;
  /** What its runs install of docs/examples. */
  readonly examples: readonly string[];
}

export const DEBIAN: Guide = {
  page: 'docs/operating.md',
  results: /^debian-run-\d+\.md$/,
  examples: ['nftables.conf'],
};
export const CDN: Guide = {
  page: 'docs/cdn.md',
  results: /^cdn-run-\w+\.md$/,
  examples: ['nftables.conf'],
};
export const DEBIAN_PAIR: Guide = {
  page: 'docs/two-machines.md',
  results: /^debian-pair-run-\d+\.md$/,
  examples: ['nftables.conf', 'keepalived.conf'],
};

/** What stands in front of the machines, by the results that it has. */
const IN_FRONT: Readonly<Record<string, string>> = {
  'cdn-run-nginx.md': 'caching-proxy.conf',
  'cdn-run-varnish.md': 'caching-proxy.vcl',
};

const FOLDER = 'test/heavy';
const SETUP = 'docs/debian';
const CHANGED = 'files of the setup that have changed since';
const APPLICATION = 'files of the application that have changed since';
const NOT_RUN = 'not run';
const NO_FILES = 'none';

interface Run {
  /** Such as "Debian 12" or "nginx". */
  readonly release: string;
  readonly rows: ReadonlyMap<string, string>;
}

/** A column for each release, and a row for each name that one of the files has. */
export function debianRunTable(guide: Guide): string {
  const runs = resultsOf(guide).map((file) => runOf(file, guide));
  const names = new Set(runs.flatMap(({ rows }) => [...rows.keys()]));
  const lines = [...names].map((name) => [name, ...runs.map(({ rows }) => rows.get(name) ?? NOT_RUN)]);
  const releases = runs.map(({ release }) => release);
  return [
    `| | ${releases.join(' | ')} |\n`,
    `|---|${'---|'.repeat(runs.length)}\n`,
    ...lines.map((cells) => `| ${cells.join(' | ')} |\n`),
  ].join('');
}

export const resultsOf = ({ results }: Guide): readonly string[] =>
  readdirSync(packagePath(FOLDER))
    .filter((file) => results.test(file))
    .toSorted();

/** The files and folders that a run with this file of results installs. */
export function setupOf(file: string, { examples }: Guide): readonly string[] {
  const inFront = IN_FRONT[file];
  const all = inFront === undefined ? examples : [...examples, inFront];
  return [SETUP, ...all.map((name) => `docs/examples/${name}`)];
}

function runOf(file: string, guide: Guide): Run {
  const path = `${FOLDER}/${file}`;
  const table = tableIn(readPage(path), 'Run');
  const commit = /\(([\da-f]{8,})\+?\)/.exec(table)?.[1];
  if (commit === undefined) throw new Error(`${path}: expected a package with its commit, found none`);
  const [heading = '', , ...lines] = table.trimEnd().split('\n');
  const release = cellsOf(heading)[1] ?? '';
  const rows = lines.map((line): [string, string] => {
    const [name = '', value = ''] = cellsOf(line);
    return [name, value];
  });
  const changes: readonly [string, string][] = [
    [CHANGED, changedSince(commit, file, guide) ?? statedOn(guide.page, release)],
    [APPLICATION, applicationSince(commit)],
  ];
  return { release, rows: new Map([...rows, ...changes]) };
}

/** The command that counts the changed files of the application: a number here would be out of date after nearly every commit. */
export const applicationSince = (commit: string): string =>
  `see \`git diff --shortstat ${commit} -- src jobs\``;

export function cellsOf(line: string): readonly string[] {
  return line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());
}

/** Warns only: what the table says about the run is right, whatever has changed since. A clone without the commit keeps what the page says. */
function changedSince(commit: string, file: string, guide: Guide): string | null {
  const changed = changedFiles(commit, setupOf(file, guide))?.replaceAll(`\`${SETUP}/`, '`') ?? null;
  if (changed !== null && changed !== NO_FILES)
    console.warn(`${FOLDER}/${file}: changed in the setup since ${commit}: ${changed}`);
  return changed;
}

/** The files of these paths that have changed since a commit; null in a clone that does not have the commit. */
export function changedFiles(commit: string, paths: readonly string[]): string | null {
  const args = ['diff', '--name-only', commit, '--', ...paths];
  const { status, stdout } = spawnSync('git', args, { cwd: packagePath('.'), encoding: 'utf8' });
  if (status !== 0) return null;
  const changed = stdout.split('\n').filter((path) => path !== '');
  return changed.length === 0 ? NO_FILES : changed.map((path) => `\`${path}\``).join(', ');
}

function statedOn(page: string, release: string): string {
  const lines = readPage(page).split('\n');
  const column = cellsOf(lines.find((line) => line.includes(`| ${release} |`)) ?? '').indexOf(release);
  const stated = lines.find((line) => line.startsWith(`| ${CHANGED} |`)) ?? '';
  return cellsOf(stated)[column] ?? 'unknown';
}
