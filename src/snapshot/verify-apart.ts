/**
 * Verifies a file in its own process. Hashing then does not delay requests, and that process can be killed, whatever the file does to
 * SQLite or to this program's memory.
 */
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { CalendarError } from '../calendar/errors.ts';
import { isCount, isObject, isText, objectOf, parsedJson } from '../calendar/json.ts';
import { callChild } from '../child.ts';
import { programPath } from '../package.ts';
import { isCounts } from './meta.ts';
import type { Depth, Expected, VerifiedFile } from './verify.ts';

interface VerifyOptions {
  readonly depth: Depth;
  /** Aborts at once. */
  readonly signal: AbortSignal;
  /** Milliseconds until the process is killed. */
  readonly timeoutMs?: number;
}

/** Throws SNAPSHOT_UNUSABLE: what was expected, and what was found. */
export async function verifyApart(
  path: string,
  expected: Expected,
  { depth, signal, timeoutMs }: VerifyOptions,
): Promise<VerifiedFile> {
  const milliseconds = timeoutMs ?? (await patienceFor(path));
  const task: Task = { path, expected, depth };
  const input = [JSON.stringify(task)];
  const limits = { milliseconds, signal, megabytes: MOST_MEMORY };
  const { how, limit, printed } = await callChild([SCRIPT], { input, isBackground: true }, limits);
  const answer = limit === null && how === null ? parsedJson(printed) : undefined;
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

const LEAST_PATIENCE_MS = 20_000;
const LEAST_BYTES_A_MS = 4_000;

/** The input of the process, as JSON; `Answer` is its output. */
export interface Task {
  readonly path: string;
  readonly expected: Expected;
  readonly depth: Depth;
}

export type Answer = { readonly verified: VerifiedFile } | { readonly problem: string };

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
