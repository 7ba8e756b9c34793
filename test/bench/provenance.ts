/** What a reader needs to judge a result: the command, the time, the commits, the machine, and how often it was measured. */
import { spawnSync } from 'node:child_process';
import { cpus, loadavg, release, totalmem, type } from 'node:os';
import { basename, dirname, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
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

/** The highest load of a machine without other work. */
export const MOST_LOAD = 0.5;

const currentLoad = (): number => loadavg()[0] ?? Number.NaN;

/** Before the benchmark, which is a load itself. */
let loadBefore = currentLoad();

/** Resolves when the machine has no other work, or after some minutes: the load is an average, and falls slowly after other work has ended. */
export async function waitForIdleMachine(longestMs: number): Promise<void> {
  const end = performance.now() + longestMs;
  while (currentLoad() > MOST_LOAD && performance.now() < end) await pause(5_000);
  loadBefore = currentLoad();
}

/** Why the result of these programs could not be compared with others, or repeated; null if it can. */
export function objectionTo(dists: readonly string[], load = loadBefore): string | null {
  const changed = dists.map(commitOf).find((commit) => commit.endsWith(DIRTY));
  if (changed !== undefined) return `a commit without changes, found ${changed}`;
  return load > MOST_LOAD
    ? `a load of at most ${MOST_LOAD} before the measurement, found ${load.toFixed(1)}`
    : null;
}

/** The first table of every file of results. Before it, a result that cannot be compared says so. */
export function provenanceTable({ command, dist, otherDist, runs }: Measurement): string {
  const dists = otherDist === undefined ? [dist] : [dist, otherDist];
  const objection = objectionTo(dists);
  const mark =
    objection === null ? '' : `**Do not compare these figures with others.** Expected ${objection}.\n\n`;
  const table = markdownTable(
    ['', 'this result'],
    [
      ['command', `\`${command}\``],
      ['measured', `${new Date().toISOString().slice(0, 16).replace('T', ' ')} UTC`],
      ['commit', commitOf(dist)],
      ...(otherDist === undefined ? [] : [['compared with', commitOf(otherDist)]]),
      ['Node', process.versions.node],
      ['machine', describeMachine()],
      ['load of the machine before', loadBefore.toFixed(1)],
      ['runs', runs],
    ],
    COLUMNS,
  );
  return mark + table;
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
  return commit.stdout.trim() + (changed === '' ? '' : DIRTY);
}

const DIRTY = '-dirty';

export function describeMachine(): string {
  const [core, ...others] = cpus();
  const memory = Math.round(totalmem() / 2 ** 30);
  return `${core?.model.trim() ?? 'unknown'}, ${others.length + 1} cores, ${memory} GB, ${type()} ${release()}`;
}
