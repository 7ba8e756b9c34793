/** The tables about the last runs of the guides on booted Debian systems, from the files that `.ci/debian.sh` and `.ci/debian-pair.sh` write. */
import { readdirSync } from 'node:fs';
// @ts-expect-error: plain JavaScript
import { changesSince, recordedRuns } from '../../.ci/records.mjs';
import { packagePath } from '../../src/package.ts';
import { readPage, tableIn } from './document.ts';

interface Guide {
  readonly page: string;
  /** Its files: one for each release of Debian, such as debian-run-12.md, or for each program in front. */
  readonly results: RegExp;
}

export const DEBIAN: Guide = {
  page: 'docs/operating.md',
  results: /^debian-run-\d+\.md$/,
};
export const CDN: Guide = {
  page: 'docs/cdn.md',
  results: /^cdn-run-\w+\.md$/,
};
export const LINK: Guide = {
  page: 'docs/two-machines.md',
  results: /^link-run\.md$/,
};
export const DEBIAN_PAIR: Guide = {
  page: 'docs/two-machines.md',
  results: /^debian-pair-run-\d+\.md$/,
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

const resultsOf = ({ results }: Guide): readonly string[] =>
  readdirSync(packagePath(FOLDER))
    .filter((file) => results.test(file))
    .toSorted();

function runOf(file: string, guide: Guide): Run {
  const path = `${FOLDER}/${file}`;
  const table = tableIn(readPage(path), 'Run');
  const [heading = '', , ...lines] = table.trimEnd().split('\n');
  const release = cellsOf(heading)[1] ?? '';
  const rows = lines.map((line): [string, string] => {
    const [name = '', value = ''] = cellsOf(line);
    return [name, value];
  });
  const { commit, changed } = recordedRun(path);
  const changes: readonly [string, string][] = [
    [CHANGED, changed?.replaceAll(`\`${SETUP}/`, '`') ?? statedOn(guide.page, release)],
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

interface Recorded {
  readonly record: string;
  readonly commit: string;
}

/** The run of a record, and the files of its setup that have changed since; null in a clone that does not have its commit. */
export function recordedRun(record: string) {
  const runs: readonly Recorded[] = recordedRuns(packagePath('.'));
  const run = runs.find((one) => one.record === record);
  if (run === undefined) throw new Error(`${record}: expected a run in .ci/records.mjs, found none`);
  const changes: readonly string[] | null = changesSince(run, packagePath('.'));
  const changed = changes?.map((path) => `\`${path}\``).join(', ') ?? null;
  return { commit: run.commit, changed: changed === '' ? NO_FILES : changed };
}

/** What the page says, for a clone that does not have the commit. */
function statedOn(page: string, release: string): string {
  const lines = readPage(page).split('\n');
  const column = cellsOf(lines.find((line) => line.includes(`| ${release} |`)) ?? '').indexOf(release);
  const stated = lines.find((line) => line.startsWith(`| ${CHANGED} |`)) ?? '';
  return cellsOf(stated)[column] ?? 'unknown';
}
