/** Starts a server in a memory group of limited size, and observes it from outside (Linux). */
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { isOver, startAlmanakk } from '../processes.ts';

export interface BoundedOptions {
  readonly dist: string;
  readonly folder: string;
  readonly megabytes: number;
  readonly workers: number;
}

const MB = 1_024 * 1_024;
/** The memory of a first process that serves nothing. */
const FIRST_BYTES = 128 * MB;
/** The longest wait for a busy process. */
const PATIENCE_MS = 15_000;

export async function startBounded({ dist, folder, megabytes, workers }: BoundedOptions) {
  const bytes = workers * megabytes * MB + FIRST_BYTES * (workers - 1);
  const group = createMemoryGroup(`almanakk-storm-${process.pid}`, bytes);
  const server = await startAlmanakk({
    dist,
    folder,
    allCores: true,
    env: {
      ALMANAKK_SERVE_SNAPSHOTS: 'true',
      ALMANAKK_MEMORY_MB: `${megabytes}`,
      ALMANAKK_WORKERS: `${workers}`,
    },
    spawned: group.add,
  });
  const { child, port } = server;
  const serving = () => (workers === 1 ? [child.pid ?? 0] : childrenOf(child.pid ?? 0));
  const canAsk = () => workers === 1 && child.connected && !isOver(child);
  return {
    port,
    group: group.kind,
    /** The memory of the largest serving process. */
    memory: () => largest(serving().map(memoryOf)),
    forgetPeak: () => serving().forEach(forgetPeak),
    watchLoop: async () => {
      if (canAsk()) await server.watchLoop();
    },
    /** Milliseconds; null where it cannot be asked. */
    longestStall: async () =>
      canAsk() ? Promise.race([server.longestStall(), pause(PATIENCE_MS, null)]) : null,
    deaths: () => {
      const replaced = server.output().split('worker ended').length - 1;
      return (isOver(child) ? 1 : 0) + Math.max(replaced, group.kills());
    },
    end: async () => {
      const exited = isOver(child) ? undefined : once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
      await pause(500);
      group.remove();
    },
  };
}

function childrenOf(pid: number): readonly number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(/\s+/).map(Number);
}

interface Memory {
  readonly now: number;
  readonly peak: number;
}

/** MB; 0 for a process that is gone. */
function memoryOf(pid: number): Memory {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const field = (name: string) =>
      Math.round(Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0) / 1_024);
    return { now: field('VmRSS'), peak: field('VmHWM') };
  } catch {
    return { now: 0, peak: 0 };
  }
}

function largest(all: readonly Memory[]): Memory {
  return {
    now: Math.max(0, ...all.map(({ now }) => now)),
    peak: Math.max(0, ...all.map(({ peak }) => peak)),
  };
}

function forgetPeak(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, '5');
  } catch {
    // Gone, or another's.
  }
}

interface MemoryGroup {
  /** What bounds its memory: `cgroup v2`, `cgroup v1`, or `none`. */
  readonly kind: string;
  readonly add: (pid: number) => void;
  /** Processes of it that the kernel has killed. */
  readonly kills: () => number;
  readonly remove: () => void;
}

/** A memory group of exactly so many bytes (control groups of Linux, version 2 or 1); none where that cannot be had. */
function createMemoryGroup(name: string, bytes: number): MemoryGroup {
  for (const { kind, root, limit, events } of VERSIONS) {
    const folder = join(root, name);
    try {
      if (!existsSync(join(root, 'cgroup.procs'))) continue;
      mkdirSync(folder, { recursive: true });
      for (const file of limit)
        if (existsSync(join(folder, file))) writeFileSync(join(folder, file), `${bytes}`);
      return {
        kind,
        add: (pid) => writeFileSync(join(folder, 'cgroup.procs'), `${pid}`),
        kills: () => Number(/^oom_kill (\d+)$/m.exec(readFileSync(join(folder, events), 'utf8'))?.[1] ?? 0),
        remove: () => rmdirSync(folder),
      };
    } catch {
      // Another version, or none: a machine may keep these to itself.
    }
  }
  return { kind: 'none', add: () => undefined, kills: () => 0, remove: () => undefined };
}

/** The limit with swap counts as well, or what does not fit would be swapped out. */
const VERSIONS = [
  {
    kind: 'cgroup v1',
    root: '/sys/fs/cgroup/memory',
    limit: ['memory.limit_in_bytes', 'memory.memsw.limit_in_bytes'],
    events: 'memory.oom_control',
  },
  {
    kind: 'cgroup v2',
    root: '/sys/fs/cgroup',
    limit: ['memory.max', 'memory.swap.max'],
    events: 'memory.events',
  },
];
