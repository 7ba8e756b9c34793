/** What a process takes: another one by Linux's /proc, this one by its own account. */
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'uvu';
import { when } from './when.ts';

/** A suite, or a test of it, that is skipped elsewhere than on Linux. */
export function whereProcIs<T>(suite: Test<T>): Test<T> {
  return when(existsSync('/proc/self/fd'), 'there is no /proc here', suite);
}

export interface Usage {
  /** Resident memory, in MB. */
  readonly memory: number;
  readonly files: number;
}

export function usageOf(pid: number): Usage {
  const [, kilobytes = ''] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return { memory: Number(kilobytes) / 1_024, files: readdirSync(`/proc/${pid}/fd`).length };
}

/** Where each open file leads, as the kernel names it: `(deleted)` behind what has no name any more. */
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

/** Milliseconds of CPU that some work takes: unlike the time until it is done, the same however busy the machine is. */
export function cpuOf(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
