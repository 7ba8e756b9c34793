/**
 * A build in a process of its own: it cannot slow down, run out of memory or hang what serves meanwhile. Here the two halves
 * meet: a server starts `jobs/rebuild` as a child, and reads what it prints with `--json`.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { isObject, parsedJson } from '../calendar/json.ts';
import { programPath } from '../package.ts';
import type { BuildRecord } from '../serve/operator/builds.ts';
import { isCounts } from '../snapshot/meta.ts';

interface BuildOptions {
  /** Milliseconds after which a build is ended. */
  readonly timeoutMs: number;
  /** Ends the build, as the time limit does. */
  readonly signal: AbortSignal;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** In place of the build's script and arguments, for tests. */
  readonly command?: readonly string[];
  /** Milliseconds between asking it to end and killing it. */
  readonly patienceMs?: number;
}

export interface FinishedBuild {
  readonly record: BuildRecord;
  /** What it wrote to stderr, the end of it. */
  readonly said: string;
}

/** Never rejects. */
export async function runBuild(options: BuildOptions): Promise<FinishedBuild> {
  const { clock, command = BUILD } = options;
  const startedAt = clock();
  const child = spawn(process.execPath, [...flagsOfThisProcess(), ...command], {
    // A group of its own, so that what a build has started ends with it, and a Ctrl-C here is for us to hand on.
    detached: true,
    // Over the channel, a build notices that this process has died.
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const printed = collect(child.stdout, LONGEST_REPORT);
  const reported = collect(child.stderr, LONGEST_FINDING);
  const limit = endInTime(child, options);
  const ending = await endingOf(child);
  limit.lift();
  // Nobody waits for what it has left running, and that may hold the pipes open for ever.
  kill(child, 'SIGKILL');
  await Promise.race([Promise.all([printed.ended, reported.ended]), pause(1_000, null, { ref: false })]);

  const said = reported.text();
  const outcome = outcomeOf(printed.text(), { why: limit.reason() ?? ending, said });
  return { record: { kind: 'rebuild', ...outcome, startedAt, ms: Math.max(0, clock() - startedAt) }, said };
}

/** Beside this file's folder, compiled or not. */
const BUILD = [programPath('jobs/rebuild'), '--json'];

/** Characters. A report keeps itself far below this. */
const LONGEST_REPORT = 64 * 1_024 * 1_024;
const LONGEST_FINDING = 8 * 1_024;

/** A debugger's port cannot be had twice. */
function flagsOfThisProcess(): readonly string[] {
  return process.execArgv.filter((flag) => !flag.startsWith('--inspect'));
}

interface Collected {
  readonly text: () => string;
  readonly ended: Promise<unknown>;
}

/** The end of what it says, when it says too much. */
function collect(stream: Readable | null, longest: number): Collected {
  let text = '';
  stream?.setEncoding('utf8').on('data', (more: string) => {
    text = (text + more).slice(-longest);
  });
  return { text: () => text, ended: new Promise((resolve) => stream?.once('close', resolve)) };
}

interface Limit {
  /** Why it was ended; null when it was not. */
  readonly reason: () => string | null;
  readonly lift: () => void;
}

/** The reason of a build that was ended because this process ends. */
export const STOPPED = 'stopped';

function endInTime(child: ChildProcess, { timeoutMs, signal, patienceMs = 5_000 }: BuildOptions): Limit {
  let reason: string | null = null;
  let killing: NodeJS.Timeout | undefined;
  const end = (why: string) => {
    reason ??= why;
    kill(child, 'SIGTERM');
    killing ??= setTimeout(() => kill(child, 'SIGKILL'), patienceMs);
  };
  const timer = setTimeout(() => end(`not done after ${timeoutMs / 1_000} s, so it was ended`), timeoutMs);
  const onAbort = () => end(STOPPED);
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort);
  return {
    reason: () => reason,
    lift: () => {
      clearTimeout(timer);
      clearTimeout(killing);
      signal.removeEventListener('abort', onAbort);
    },
  };
}

/** How a process ended; null when it did so as it should. */
async function endingOf(child: ChildProcess): Promise<string | null> {
  try {
    await once(child, 'exit');
  } catch (cause) {
    return `not begun: ${cause instanceof Error ? cause.message : String(cause)}`;
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
    // Gone already.
  }
}

type PrintedOutcome = Pick<BuildRecord, 'outcome' | 'id' | 'counts' | 'reason' | 'report'>;

/** Of a build that has printed no outcome, the reason is what became of its process, with the last that it said. */
interface Circumstances {
  /** Null for a process that ended as it should. */
  readonly why: string | null;
  readonly said: string;
}

export function outcomeOf(printed: string, { why, said }: Circumstances): PrintedOutcome {
  const printedValue = parsedJson(printed);
  const found = isObject(printedValue) ? printedValue : {};
  const { outcome, id, counts, message } = found;
  const report = isObject(found.report) ? withFewFindings(found.report) : null;
  if (why === null && (outcome === 'published' || outcome === 'unchanged')) {
    const known = { id: typeof id === 'string' ? id : null, counts: isCounts(counts) ? counts : null };
    return { outcome, ...known, reason: null, report };
  }
  const known = [why ?? 'it said nothing', lastLine(said)].filter((part) => part !== '').join(': ');
  return {
    outcome: 'failed',
    id: null,
    counts: null,
    reason: typeof message === 'string' ? message : known,
    report,
  };
}

/** Enough to see what is wrong; the report in the snapshot has them all. */
const MOST_FINDINGS = 100;

function withFewFindings(report: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { findings } = report;
  return Array.isArray(findings) ? { ...report, findings: findings.slice(0, MOST_FINDINGS) } : report;
}

/** Of a stack trace, the line that names the error: frames are indented. */
function lastLine(text: string): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return (lines.findLast((line) => /^\S*Error\b.*: /.test(line)) ?? lines.at(-1) ?? '').trim();
}
