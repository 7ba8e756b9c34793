/** Verifies a file in a process of its own: hashing delays no request there, and it can be killed, whatever the file does to SQLite. */
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { CalendarError } from '../calendar/errors.ts';
import { parsedJson } from '../calendar/json.ts';
import { callChild, programPath } from '../package.ts';
import type { Expected, Thoroughness, VerifiedFile } from './verify.ts';

interface VerifyOptions extends Thoroughness {
  /** Aborts at once. */
  readonly signal: AbortSignal;
  /** Milliseconds until the process is killed. */
  readonly timeoutMs?: number;
}

/** The input of the process, as JSON; `Answer` is its output. */
export interface Task extends Thoroughness {
  readonly path: string;
  readonly expected: Expected;
}

export type Answer = { readonly verified: VerifiedFile } | { readonly problem: string };

/** There is no verdict: the process did not begin, was killed, or took too long. */
export class Unverified extends CalendarError {}

/** Throws SNAPSHOT_UNUSABLE: what was expected, and what was found. */
export async function verifyApart(
  path: string,
  expected: Expected,
  { signal, timeoutMs, ...thoroughness }: VerifyOptions,
): Promise<VerifiedFile> {
  const milliseconds = timeoutMs ?? (await patienceFor(path));
  const task: Task = { path, expected, ...thoroughness };
  const { how, limit, printed } = await callChild(
    [programPath('src/snapshot/verify-child')],
    { input: [JSON.stringify(task)], isBackground: true },
    { milliseconds, signal, megabytes: MOST_MEMORY },
  );
  const answer = limit === null ? (parsedJson(printed) as Answer | undefined) : undefined;
  if (answer === undefined) {
    const ended = { time: `no end of it after ${milliseconds / 1_000} s`, signal: 'a program that stops' };
    const found = limit === null ? `its process ${how ?? 'gave no answer'}` : ended[limit];
    throw new Unverified('SNAPSHOT_UNUSABLE', `${basename(path)}: expected to be verified, found ${found}`);
  }
  if ('problem' in answer) throw new CalendarError('SNAPSHOT_UNUSABLE', answer.problem);
  return answer.verified;
}

/** Milliseconds: ten times the time on a slow disk. */
async function patienceFor(path: string): Promise<number> {
  const found = await stat(path).catch(() => null);
  return LEAST_PATIENCE_MS + Math.round((found?.size ?? 0) / LEAST_BYTES_A_MS);
}

/** On a machine that is slow and busy, the process has come to its end after more than 20 s. */
const LEAST_PATIENCE_MS = 60_000;
const LEAST_BYTES_A_MS = 4_000;

/** Megabytes of JavaScript heap: the process parses facts and no lists. */
const MOST_MEMORY = 256;
