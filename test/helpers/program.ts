/** The programs of `dist/` as separate processes. */
import { type ExecFileOptions, execFile, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import * as assert from 'uvu/assert';
import { systemCodeOf } from '../../src/calendar/errors.ts';
import { type Client, clientOf } from './client.ts';
import { temporaryFolder } from './folder.ts';
import { until } from './until.ts';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** A script of this package, such as `src/main`. */
export function scriptOf(name: string): string {
  return join(ROOT, 'dist', `${name}.js`);
}

/** A program of `test/fixtures/`; the runner has compiled it. */
export function fixtureOf(name: string): string {
  const folder = process.env.ALMANAKK_TEST_PROGRAMS;
  if (folder === undefined) throw new Error('expected to be run by test/run.mjs');
  return join(folder, `${name}.js`);
}

interface ProgramOptions {
  readonly script: string;
  /** For Node. */
  readonly flags?: readonly string[];
  readonly args?: readonly string[];
  /** Besides those, the program gets only what it needs to run at all. */
  readonly env?: Readonly<Record<string, string>>;
}

export type Program = ReturnType<typeof startCommand>;

interface Ending {
  readonly code: number | null;
  readonly signal: string | null;
}

const running = new Set<{ readonly kill: (signal: NodeJS.Signals) => void }>();

/** Kills programs that a failed test has left. Called after each test, and when the process ends. */
export function endPrograms(): void {
  for (const { kill } of running) kill('SIGKILL');
}

process.on('exit', endPrograms);

/**
 * Options of Node for all programs that run briefly, as test/run.mjs has them for the tests: a build of the sample takes 1.1 s of CPU in
 * place of 1.6.
 */
export const SHORT_LIVED = process.execArgv;

export function startProgram({ script, flags = [], args = [], env = {} }: ProgramOptions) {
  return startCommand(process.execPath, [...SHORT_LIVED, ...flags, script, ...args], {
    // Away from any `.env` and from `data/`.
    cwd: temporaryFolder(),
    env: { PATH: process.env.PATH, HOST: '127.0.0.1', PORT: '0', ...env },
  });
}

/** Starts a program, and collects the lines of its output. If it is detached, signals reach its children, too. */
export function startCommand(command: string, args: readonly string[], options: SpawnOptions) {
  const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  const { pid } = child;
  const kill = (signal: NodeJS.Signals) => {
    if (options.detached !== true || pid === undefined) return void child.kill(signal);
    try {
      process.kill(-pid, signal);
    } catch {
      // Gone already.
    }
  };
  const lines: string[] = [];
  const started = { kill };
  running.add(started);
  for (const stream of [child.stdout, child.stderr]) {
    let rest = '';
    stream.setEncoding('utf8').on('data', (text: string) => {
      const parts = (rest + text).split('\n');
      rest = parts.pop() ?? '';
      lines.push(...parts);
    });
  }
  const ended = once(child, 'exit').then(([code, signal]): Ending => {
    running.delete(started);
    // Its own children may write there until they end: no test waits for them.
    for (const stream of [child.stdout, child.stderr]) if (stream instanceof Socket) stream.unref();
    return { code, signal };
  });
  return {
    pid: pid ?? -1,
    /** The lines of its output so far. */
    lines: lines as readonly string[],
    /** Waits for a line; gives it. */
    says: async (pattern: RegExp, milliseconds = 120_000) => {
      const find = () => lines.find((line) => pattern.test(line));
      const isOver = () => find() !== undefined || child.exitCode !== null;
      await until(`a line like ${pattern}`, isOver, milliseconds).catch(() => undefined);
      const line = find();
      if (line === undefined) throw new Error(`expected a line like ${pattern}, found\n${lines.join('\n')}`);
      return line;
    },
    kill,
    ended,
  };
}

/** Stops a program by SIGTERM, as a supervisor does, and expects exit code 0. */
export async function stopProgram({
  kill,
  ended,
  lines,
}: Pick<Program, 'kill' | 'ended' | 'lines'>): Promise<void> {
  kill('SIGTERM');
  assert.equal(await ended, { code: 0, signal: null }, lines.join('\n'));
}

/** The output of a program and its exit code, which is null where a signal ended it. */
export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program to its end. */
export async function runCommand(
  command: string,
  args: readonly string[],
  options: ExecFileOptions,
): Promise<Ran> {
  return promisify(execFile)(command, args, { ...options, encoding: 'utf8' }).then(
    (streams) => ({ code: 0, ...streams }),
    (failed: Ran) => failed,
  );
}

export interface ServerProgram extends Program, Client {}

/** Starts a server, and waits until it serves. It builds once at the start, and then only in a year. */
export async function startServerProgram(
  mode: 'start' | 'serve',
  env: Readonly<Record<string, string>>,
): Promise<ServerProgram> {
  const program = startProgram({
    script: scriptOf('src/main'),
    args: [mode],
    env: { ALMANAKK_CRON: YEARLY, ...env },
  });
  const line = await program.says(/[ "]serving http/);
  return { ...program, ...clientOf(/http:\/\/[^/]+/.exec(line)?.[0] ?? '') };
}

const YEARLY = '0 0 1 1 *';

/** The process ids of the workers. */
export const workersOf = ({ pid }: ServerProgram) => childrenOf(pid, / serve *$/);

// What Linux says of processes is read from /proc: tests ask again and again, and `ps` takes 10 ms of CPU each time.

/** Whether a process has ended. If no parent waits for it, it remains as a zombie. */
export function isGone(pid: number): boolean {
  const [, state = 'Z'] = /^.*\) (\S)/s.exec(aboutProcess(pid, 'stat')) ?? [];
  return state === 'Z';
}

/** The child processes whose command line matches. */
export function childrenOf(pid: number, args: RegExp | string): readonly number[] {
  const pattern = new RegExp(args);
  const children = (aboutProcess(pid, `task/${pid}/children`).match(/\d+/g) ?? []).map(Number);
  return children.filter((child) => pattern.test(commandOf(child)));
}

const commandOf = (pid: number): string => aboutProcess(pid, 'cmdline').replaceAll('\0', ' ');

/** Empty if the process has ended, even while its file is read. */
function aboutProcess(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch (cause) {
    if (['ENOENT', 'ESRCH'].includes(systemCodeOf(cause))) return '';
    throw cause;
  }
}
