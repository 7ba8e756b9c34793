/**
 * Verifies a file in its own process. Hashing then does not delay requests, and that process can be killed, whatever the file does to
 * SQLite or to this program's memory.
 */
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { text } from 'node:stream/consumers';
import { CalendarError, messageOf } from '../calendar/errors.ts';
import { isCount, isObject, isText, objectOf, parsedJson } from '../calendar/json.ts';
import { callChild, programPath } from '../package.ts';
import { isCounts } from './meta.ts';
import type { Expected, VerifiedFile } from './verify.ts';

interface VerifyOptions {
  /** Aborts at once. */
  readonly signal: AbortSignal;
  /** Milliseconds until the process is killed. */
  readonly timeoutMs?: number;
  /** The program that verifies, a `serveVerifier`; `verify-child.ts` by default. */
  readonly script?: string;
}

/** Throws SNAPSHOT_UNUSABLE: what was expected, and what was found. */
export async function verifyApart(
  path: string,
  expected: Expected,
  { signal, timeoutMs, script = SCRIPT }: VerifyOptions,
): Promise<VerifiedFile> {
  const milliseconds = timeoutMs ?? (await patienceFor(path));
  const task: Task = { path, expected };
  const input = [JSON.stringify(task)];
  const limits = { milliseconds, signal, megabytes: MOST_MEMORY };
  const { how, limit, printed } = await callChild([script], { input, isBackground: true }, limits);
  const answer = limit === null ? parsedJson(printed) : undefined;
  if (isAnswer(answer)) {
    if ('verified' in answer) return answer.verified;
    throw new CalendarError('SNAPSHOT_UNUSABLE', answer.problem);
  }
  const ending = how === null ? 'another answer' : `its process ${how}`;
  const found = { time: `no end of it after ${milliseconds / 1_000} s`, signal: 'a program that stops' };
  const message = `${basename(path)}: expected to be verified, found ${limit === null ? ending : found[limit]}`;
  throw new CalendarError('SNAPSHOT_UNUSABLE', message);
}

/** Milliseconds: ten times the time on a slow disk. */
async function patienceFor(path: string): Promise<number> {
  const found = await stat(path).catch(() => null);
  return LEAST_PATIENCE_MS + Math.round((found?.size ?? 0) / LEAST_BYTES_A_MS);
}

/** On a machine that is slow and busy, the process has come to its end after more than 20 s. */
const LEAST_PATIENCE_MS = 60_000;
const LEAST_BYTES_A_MS = 4_000;

/** The input of the process, as JSON; `Answer` is its output. */
interface Task {
  readonly path: string;
  readonly expected: Expected;
}

type Answer = { readonly verified: VerifiedFile } | { readonly problem: string };

/** The whole of such a process: reads the task, verifies, prints the answer. */
export async function serveVerifier(
  verify: (path: string, expected: Expected) => Promise<VerifiedFile>,
): Promise<void> {
  // An endless statement would block any other way to end.
  process.once('disconnect', end);
  // The parent may have ended while modules were loading.
  if (process.connected === false) end();
  const { path, expected }: Task = JSON.parse(await text(process.stdin));
  const answer = await verify(path, expected).then(
    (verified): Answer => ({ verified }),
    (cause): Answer => ({ problem: messageOf(cause) }),
  );
  // A statement that still runs would hold up any other end.
  process.stdout.write(JSON.stringify(answer), end);
}

function end(): void {
  process.kill(process.pid, 'SIGKILL');
}

const SCRIPT = programPath('src/snapshot/verify-child');

/** Megabytes of JavaScript heap: the process parses lists whole, and texts one by one. */
const MOST_MEMORY = 1_024;

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
