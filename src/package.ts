/**
 * The location of this package, whether it runs from its sources or compiled; and its programs, each in its own process, within limits.
 * Work that could be slow, large or endless runs so: a build, the verification of a snapshot, the parsing of a feed.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { basename, dirname, extname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const ROOT = findRoot(dirname(fileURLToPath(import.meta.url)));

/** Absolute path of a file of this package, such as `src/serve/graphql/schema.graphql`. */
export function packagePath(path: string): string {
  return join(ROOT, path);
}

export function packageVersion(): string {
  const { version }: { readonly version: string } = JSON.parse(
    readFileSync(packagePath('package.json'), 'utf8'),
  );
  return version;
}

/** Absolute path of a module of this package, such as `src/main`, in the form that runs now: source or compiled. */
export function programPath(name: string): string {
  const extension = extname(import.meta.url);
  return join(ROOT, extension === '.ts' ? '' : 'dist', `${name}${extension}`);
}

/**
 * A command as people type it here: `almanakk NAME` where the package is installed, `npm run NAME` in a clone, which alone has the setup.
 */
export function commandLine(name: string, options = ''): string {
  const isClone = existsSync(packagePath('jobs/setup.mjs')) && basename(process.argv[1] ?? '') !== 'almanakk';
  const script = name === 'check' ? 'check:source' : name;
  const before = isClone ? `npm run ${script}${options === '' ? '' : ' --'}` : `almanakk ${name}`;
  return `${before} ${options}`.trimEnd();
}

/** This process's Node options for one that it starts: without a debugger, whose port opens once, and traces, which V8 prints into output. */
export function inheritedOptions(): readonly string[] {
  return process.execArgv.filter((option) => !/^--(?:inspect|trace)/.test(option));
}

function findRoot(folder: string): string {
  if (existsSync(join(folder, 'package.json'))) return folder;
  const parent = dirname(folder);
  if (parent === folder) throw new Error('expected a package.json above this file, found none');
  return findRoot(parent);
}

interface ChildOptions {
  readonly milliseconds: number;
  /** Ends the process, like the time limit. */
  readonly signal: AbortSignal;
  /** Milliseconds between SIGTERM and SIGKILL; without it, SIGKILL follows at once. */
  readonly patienceMs?: number;
  /** Limit of JavaScript's heap. */
  readonly megabytes?: number;
  /** Written to its standard input, which then ends. */
  readonly input?: string;
  /** Lowers its priority below that of serving processes. */
  readonly isBackground?: boolean;
}

/**
 * `command`: a script with its arguments. Never rejects. `how` says how the process ended, null for exit code 0; `limit` what ended it, null if
 * it ended by itself; `printed` and `said` are the last characters of its standard output and standard error.
 */
export async function callChild(command: readonly string[], options: ChildOptions) {
  const { milliseconds, signal, patienceMs, megabytes, input, isBackground = false } = options;
  const heap = megabytes === undefined ? [] : [`--max-old-space-size=${megabytes}`];
  const child = spawn(process.execPath, [...inheritedOptions(), ...heap, ...command], {
    // With this variable, node:cluster would make it a worker.
    env: { ...process.env, NODE_UNIQUE_ID: undefined },
    // Its own process group: processes that it starts end with it, and a Ctrl-C reaches only this process.
    detached: true,
    // The channel closes when this process dies, which the child notices.
    stdio: ['pipe', 'pipe', 'pipe', 'ipc'],
  });
  // On few cores, requests come first.
  if (isBackground && child.pid !== undefined)
    setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
  const printed = collect(child.stdout, LONGEST_OUTPUT);
  const said = collect(child.stderr, LONGEST_SAID);
  let limit: 'time' | 'signal' | null = null;
  let killing: NodeJS.Timeout | undefined;
  const end = (by: 'time' | 'signal') => {
    if (limit !== null) return;
    limit = by;
    kill(child, patienceMs === undefined ? 'SIGKILL' : 'SIGTERM');
    killing = setTimeout(() => kill(child, 'SIGKILL'), patienceMs ?? 0);
  };
  // Not by `AbortSignal.any`: in Node 20 the timeout that it waits for may be collected as garbage, and never ends.
  const timer = setTimeout(end, milliseconds, 'time');
  const onAbort = () => end('signal');
  signal.addEventListener('abort', onAbort);
  if (signal.aborted) onAbort();
  // A process that dies stops reading; its exit says why.
  child.stdin?.on('error', () => undefined).end(input);
  const how = await endOf(child);
  signal.removeEventListener('abort', onAbort);
  clearTimeout(timer);
  clearTimeout(killing);
  // Processes that it left running could hold its pipes open for ever.
  kill(child, 'SIGKILL');
  await Promise.race([Promise.all([printed.ended, said.ended]), pause(1_000, null, { ref: false })]);
  return { how, limit, printed: printed.text(), said: said.text() };
}

/** Characters. The largest output is the report of a build, which is far smaller. */
const LONGEST_OUTPUT = 64 * 1_024 * 1_024;
const LONGEST_SAID = 8 * 1_024;

/** The end of a stream's text, if it is too long. */
function collect(stream: Readable | null, longest: number) {
  let text = '';
  stream?.setEncoding('utf8').on('data', (more: string) => {
    text = (text + more).slice(-longest);
  });
  return { text: () => text, ended: new Promise<void>((resolve) => stream?.once('close', resolve)) };
}

async function endOf(child: ChildProcess): Promise<string | null> {
  try {
    await once(child, 'exit');
  } catch (cause) {
    return `not begun: ${cause instanceof Error ? cause.message : cause}`;
  }
  const { exitCode, signalCode } = child;
  if (signalCode !== null) return `ended by ${signalCode}`;
  return exitCode === 0 ? null : `exit code ${exitCode}`;
}

function kill({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // The process has ended already.
  }
}
