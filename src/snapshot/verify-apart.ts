/** Verifies a file in a process of its own: hashing delays no request there, and it can be killed, whatever the file does to SQLite. */
import { basename } from 'node:path';
import { CalendarError } from '../calendar/errors.ts';
import { parsedJson } from '../calendar/json.ts';
import { runChild } from '../child.ts';
import { programPath } from '../package.ts';
import { Unverified } from './unusable.ts';
import type { Expected, Thoroughness, VerifiedFile } from './verify.ts';

interface VerifyOptions extends Thoroughness {
  /** Aborts at once. */
  readonly signal: AbortSignal;
  /** Milliseconds until the process is killed. */
  readonly timeoutMs?: number;
}

/** The input of the process, as JSON: the arguments of `verifyFile`. */
export interface Task {
  readonly path: string;
  readonly expected: Expected;
  readonly thoroughness: Thoroughness;
}

/** The output of the process, as JSON. */
export type Answer = VerifiedFile | Fault;

interface Fault {
  /** Why the file is bad, or why that is unknown. */
  readonly fault: string;
  readonly isVerdict: boolean;
}

/** Throws SNAPSHOT_UNUSABLE: what was expected, and what was found. It is `Unverified` if there is no verdict. */
export async function verifyApart(
  path: string,
  expected: Expected,
  { signal, timeoutMs = TIMEOUT_MS, ...thoroughness }: VerifyOptions,
): Promise<VerifiedFile> {
  const task: Task = { path, expected, thoroughness };
  const { failure, limit, stdout } = await runChild([programPath('src/snapshot/verify-child')], {
    milliseconds: timeoutMs,
    signal,
    megabytes: MOST_HEAP_MB,
    input: JSON.stringify(task),
    isBackground: true,
    env: KEEP_FREED_MEMORY,
  });
  const answer = limit === null ? (parsedJson(stdout) as Answer | undefined) : undefined;
  if (answer === undefined) {
    const stopped = {
      time: `its process still running after ${timeoutMs / 1_000} s`,
      signal: 'this program stopping',
    };
    const found = limit === null ? `its process ${failure ?? 'gave no answer'}` : stopped[limit];
    throw new Unverified('SNAPSHOT_UNUSABLE', `${basename(path)}: expected to be verified, found ${found}`);
  }
  if (!('fault' in answer)) return answer;
  const { fault, isVerdict } = answer;
  throw isVerdict
    ? new CalendarError('SNAPSHOT_UNUSABLE', fault)
    : new Unverified('SNAPSHOT_UNUSABLE', fault);
}

/** A disk that reads 10 MB a second has read 9 GB by then. */
const TIMEOUT_MS = 900_000;

/** Megabytes of JavaScript heap: the process parses facts and no lists. */
const MOST_HEAP_MB = 256;

/**
 * For malloc, in bytes. A server returns freed memory to the system at once, because it runs for months. This process reads blobs of many
 * megabytes for a second: getting new pages for each of them would take a quarter of its CPU.
 */
const KEEP_FREED_MEMORY = {
  MALLOC_MMAP_THRESHOLD_: `${32 * 1_024 * 1_024}`,
  MALLOC_TRIM_THRESHOLD_: `${256 * 1_024 * 1_024}`,
};
