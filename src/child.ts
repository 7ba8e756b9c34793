/**
 * Runs a script of this package in a process of its own, within limits. Work that could be slow, large or endless runs so: a build, the
 * verification of a snapshot.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants, setPriority } from 'node:os';
import type { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { inheritedOptions } from './package.ts';

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
  /** Environment variables besides those of this process, or in their place. */
  readonly env?: Readonly<Record<string, string>>;
}

interface ChildResult {
  /** How the process failed; null for exit code 0. */
  readonly failure: string | null;
  /** The limit that ended it; null if it ended on its own. */
  readonly limit: Limit | null;
  /** The last characters of its standard output and standard error. */
  readonly stdout: string;
  readonly stderr: string;
}

type Limit = 'time' | 'signal';

/** `command`: a script with its arguments. Never rejects. */
export async function runChild(command: readonly string[], options: ChildOptions): Promise<ChildResult> {
  let child: ChildProcess;
  try {
    child = start(command, options);
  } catch (cause) {
    // For some errors, such as too little memory, `spawn` throws; for others, the process emits them.
    return { failure: notBegun(cause), limit: null, stdout: '', stderr: '' };
  }
  const stdout = collect(child.stdout, LONGEST_STDOUT);
  const stderr = collect(child.stderr, LONGEST_STDERR);
  const limits = limitLife(child, options);
  // A process that dies stops reading; its exit says why.
  child.stdin?.on('error', () => undefined).end(options.input);
  const failure = await failureOf(child);
  limits.lift();
  // Processes that it left running could hold its pipes open for ever.
  kill(child, 'SIGKILL');
  await Promise.race([Promise.all([stdout.ended, stderr.ended]), pause(PIPES_MS, null, { ref: false })]);
  return { failure, limit: limits.reached(), stdout: stdout.text(), stderr: stderr.text() };
}

/** Characters. The largest output is the report of a build, which is far smaller. */
const LONGEST_STDOUT = 64 * 1_024 * 1_024;
const LONGEST_STDERR = 8 * 1_024;

/** Milliseconds for the pipes of an ended process to close. */
const PIPES_MS = 1_000;

function start(
  command: readonly string[],
  { megabytes, isBackground = false, env = {} }: ChildOptions,
): ChildProcess {
  const heap = megabytes === undefined ? [] : [`--max-old-space-size=${megabytes}`];
  const child = spawn(process.execPath, [...inheritedOptions(), ...heap, ...command], {
    // With this variable, node:cluster would make it a worker.
    env: { ...process.env, ...env, NODE_UNIQUE_ID: undefined },
    // Its own process group: processes that it starts end with it, and a Ctrl-C reaches only this process.
    detached: true,
    // The channel closes when this process dies, which the child notices.
    stdio: ['pipe', 'pipe', 'pipe', 'ipc'],
  });
  if (isBackground) lowerPriority(child);
  return child;
}

/** On few cores, requests come first. */
function lowerPriority({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // Some machines forbid it: the work is done all the same.
  }
}

/** Ends the process when its time is over or the signal aborts. */
function limitLife(child: ChildProcess, { milliseconds, signal, patienceMs }: ChildOptions) {
  let reached: Limit | null = null;
  let killing: NodeJS.Timeout | undefined;
  const end = (limit: Limit) => {
    if (reached !== null) return;
    reached = limit;
    kill(child, patienceMs === undefined ? 'SIGKILL' : 'SIGTERM');
    killing = setTimeout(() => kill(child, 'SIGKILL'), patienceMs ?? 0);
  };
  // Not by `AbortSignal.any`: in Node 20 the timeout that it waits for may be collected as garbage, and never ends.
  const timer = setTimeout(end, milliseconds, 'time');
  const onAbort = () => end('signal');
  signal.addEventListener('abort', onAbort);
  if (signal.aborted) onAbort();
  return {
    reached: () => reached,
    /** Called once the process has ended. */
    lift: () => {
      signal.removeEventListener('abort', onAbort);
      clearTimeout(timer);
      clearTimeout(killing);
    },
  };
}

/** The end of a stream's text, if it is too long. */
function collect(stream: Readable | null, longest: number) {
  let text = '';
  stream?.setEncoding('utf8').on('data', (more: string) => {
    text = (text + more).slice(-longest);
  });
  const ended = new Promise<void>((resolve) => stream?.once('close', resolve));
  return { text: () => text, ended };
}

async function failureOf(child: ChildProcess): Promise<string | null> {
  try {
    await once(child, 'exit');
  } catch (cause) {
    return notBegun(cause);
  }
  const { exitCode, signalCode } = child;
  if (signalCode !== null) return `ended by ${signalCode}`;
  return exitCode === 0 ? null : `exit code ${exitCode}`;
}

const notBegun = (cause: unknown): string => `not begun: ${cause instanceof Error ? cause.message : cause}`;

function kill({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // The process has ended already.
  }
}
