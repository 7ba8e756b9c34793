/**
 * Verifies a file in a process of its own. Hashing it takes nothing from those who serve meanwhile, and whatever a
 * stranger's file does to SQLite or to this program's memory, that process can be killed.
 */
import { fork } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { constants, setPriority } from 'node:os';
import { basename } from 'node:path';
import { CalendarError, messageOf } from '../calendar/errors.ts';
import { isCount, isObject, isText, objectOf } from '../calendar/json.ts';
import { inheritedOptions, programPath } from '../package.ts';
import { isCounts } from './meta.ts';
import type { Depth, Expected, VerifiedFile } from './verify.ts';

interface VerifyOptions {
  readonly depth: Depth;
  /** Gives up at once. */
  readonly signal: AbortSignal;
  /** Milliseconds until the process is killed. */
  readonly timeoutMs?: number;
}

/** Throws SNAPSHOT_UNUSABLE: what was expected, and what was found. */
export async function verifyApart(
  path: string,
  expected: Expected,
  options: VerifyOptions,
): Promise<VerifiedFile> {
  const { depth, signal, timeoutMs = await patienceFor(path) } = options;
  const task: Task = { path, expected, depth };
  let child: Child | undefined;
  const timer = setTimeout(() => child?.kill(`no end of it after ${timeoutMs / 1_000} s`), timeoutMs);
  const onAbort = () => child?.kill('a program that stops');
  signal.addEventListener('abort', onAbort);
  try {
    child = startChild(task);
    if (signal.aborted) onAbort();
    const found = await child.answer;
    if ('verified' in found) return found.verified;
    throw new CalendarError('SNAPSHOT_UNUSABLE', found.problem);
  } catch (cause) {
    if (cause instanceof CalendarError) throw cause;
    const message = `${basename(path)}: expected to be verified, found ${messageOf(cause)}`;
    throw new CalendarError('SNAPSHOT_UNUSABLE', message, { cause });
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
    child?.kill('its answer');
  }
}

/** Milliseconds: ten times what it takes on a slow disk. */
async function patienceFor(path: string): Promise<number> {
  const found = await stat(path).catch(() => null);
  return LEAST_PATIENCE_MS + Math.round((found?.size ?? 0) / LEAST_BYTES_A_MS);
}

const LEAST_PATIENCE_MS = 20_000;
const LEAST_BYTES_A_MS = 4_000;

/** The message to the process; `Answer` is its reply. */
export interface Task {
  readonly path: string;
  readonly expected: Expected;
  readonly depth: Depth;
}

export type Answer = { readonly verified: VerifiedFile } | { readonly problem: string };

interface Child {
  /** Rejects with what became of the process in place of an answer. */
  readonly answer: Promise<Answer>;
  readonly kill: (why: string) => void;
}

const SCRIPT = programPath('src/snapshot/verify-child');

/** Megabytes of JavaScript's heap: lists are parsed there, and texts one by one. */
const MOST_MEMORY = 1_024;

function startChild(task: Task): Child {
  const child = fork(SCRIPT, {
    execArgv: [...inheritedOptions(), `--max-old-space-size=${MOST_MEMORY}`],
    // It would take itself for one of the workers.
    env: { ...process.env, NODE_UNIQUE_ID: undefined },
    // A Ctrl-C is for us to hand on.
    detached: true,
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  // Where cores are few, requests come first.
  if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
  let end: (why: string) => void = () => undefined;
  const answer = new Promise<Answer>((resolve, reject) => {
    end = (why) => reject(new Error(why));
    child.on('error', reject);
    child.once('exit', (code, signal) => end(`an end of its process by ${signal ?? `exit code ${code}`}`));
    child.once('message', (message) => {
      if (isAnswer(message)) resolve(message);
      else end('another answer');
    });
    child.send(task, (cause) => {
      if (cause !== null) reject(cause);
    });
  });
  const kill = (why: string) => {
    end(why);
    child.kill('SIGKILL');
  };
  return { answer, kill };
}

function isAnswer(value: unknown): value is Answer {
  if (!isObject(value)) return false;
  return value.verified === undefined ? isText(value.problem) : isVerified(value.verified);
}

const isVerified = objectOf<VerifiedFile>({
  bytes: isCount,
  sha256: isText,
  builtAt: isText,
  counts: isCounts,
  licence: isText,
});
