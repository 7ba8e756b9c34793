/** Memory and open files of another process, by Linux's /proc. */
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'uvu';
import { when } from './when.ts';

/** A suite, or a test of it, that is skipped elsewhere than on Linux. */
export function whereProcIs<T>(suite: Test<T>): Test<T> {
  return when(existsSync('/proc/self/fd'), 'there is no /proc here', suite);
}

/** More values than a call takes as arguments: V8's stack has room for some 125,000. */
export const MORE_THAN_ARGUMENTS = 130_000;

export interface Usage {
  /** Resident memory, in MB. */
  readonly memory: number;
  readonly files: number;
}

/** Of a running process, its memory and its open files. */
export function usageOf(pid: number): Usage {
  const [, kilobytes = ''] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return { memory: Number(kilobytes) / 1_024, files: readdirSync(`/proc/${pid}/fd`).length };
}

/** The path of each open file, as the kernel names it: a removed one ends in `(deleted)`. */
export function openFilesOf(pid: number): readonly string[] {
  return readdirSync(`/proc/${pid}/fd`).flatMap((name) => {
    try {
      return readlinkSync(join(`/proc/${pid}/fd`, name));
    } catch {
      return [];
    }
  });
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((left, right) => left - right);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
