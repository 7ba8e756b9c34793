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

/** Milliseconds of CPU that the thread which asks has taken: on Linux nothing of others, the garbage collector's threads say. */
export function threadCpu(): number {
  if (!existsSync(SCHEDULED)) {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000;
  }
  return Number(readFileSync(SCHEDULED, 'latin1').split(' ')[0]) / 1e6;
}

const SCHEDULED = '/proc/thread-self/schedstat';

/** Milliseconds of CPU that some work takes of this thread, however often it waits: the least of some tries. */
export async function leastCpu(work: () => unknown, { most, tries = 3 }: CpuLimit): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let nth = 0; nth < tries && least > most; nth++) {
    const before = threadCpu();
    await work();
    least = Math.min(least, threadCpu() - before);
  }
  return least;
}

export interface CpuLimit {
  /** Milliseconds that are few enough: then it is not tried again. */
  readonly most: number;
  readonly tries?: number;
}

/** Milliseconds of CPU that some work takes: unlike the time until it is done, the same however busy the machine is. */
export function cpuOf(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
