/** What a reader needs to judge a result: the command, the time, the commits, the machine, and how often it was measured. */
import { spawnSync } from 'node:child_process';
import { cpus, loadavg, release, totalmem, type } from 'node:os';
import { basename, dirname, resolve } from 'node:path';
import { ROOT } from './processes.ts';
import { markdownTable } from './tables.ts';

export interface Measurement {
  readonly command: string;
  /** The compiled programs that were measured. */
  readonly dist: string;
  /** The compiled programs of another commit, if they were measured too. */
  readonly otherDist?: string | undefined;
  /** How often each figure was measured, and which of the values a table has. */
  readonly runs: string;
}

/** Of the machine while it was idle: the benchmark itself is a load. */
const LOAD_AT_START = loadavg()[0] ?? Number.NaN;

/** The first table of every file of results. */
export function provenanceTable({ command, dist, otherDist, runs }: Measurement): string {
  return markdownTable(
    ['', 'this result'],
    [
      ['command', `\`${command}\``],
      ['measured', `${new Date().toISOString().slice(0, 16).replace('T', ' ')} UTC`],
      ['commit', commitOf(dist)],
      ...(otherDist === undefined ? [] : [['compared with', commitOf(otherDist)]]),
      ['Node', process.versions.node],
      ['machine', describeMachine()],
      ['load of the machine before', LOAD_AT_START.toFixed(1)],
      ['runs', runs],
    ],
    COLUMNS,
  );
}

const COLUMNS = 2;

/** The measured code, and the code of the measurements. Results and texts may differ from the commit. */
const MEASURED = [
  'src',
  'jobs',
  'data',
  'test/bench',
  'test/helpers',
  'package.json',
  ':!test/bench/results',
];

/**
 * The commit from which the programs in this folder were compiled, with `-dirty` if files differ from it. Outside of Git, the name of the
 * folder's parent.
 */
export function commitOf(dist: string): string {
  const commit = COMMITS.get(dist) ?? readCommit(dist);
  COMMITS.set(dist, commit);
  return commit;
}

/** By folder. A checkout may change while it is measured. */
const COMMITS = new Map<string, string>();

function readCommit(dist: string): string {
  const folder = dirname(resolve(ROOT, dist));
  const git = (...args: readonly string[]) => spawnSync('git', args, { cwd: folder, encoding: 'utf8' });
  const commit = git('rev-parse', '--short=8', 'HEAD');
  if (commit.status !== 0) return basename(folder);
  const changed = git('status', '--porcelain', '--untracked-files=no', '--', ...MEASURED).stdout.trim();
  return commit.stdout.trim() + (changed === '' ? '' : '-dirty');
}

function describeMachine(): string {
  const [core, ...others] = cpus();
  const memory = Math.round(totalmem() / 2 ** 30);
  return `${core?.model.trim() ?? 'unknown'}, ${others.length + 1} cores, ${memory} GB, ${type()} ${release()}`;
}
