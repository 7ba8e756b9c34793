/** A memory group of exactly so many bytes for a process (control groups of Linux, version 2 or 1); none where that cannot be had. */
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface MemoryGroup {
  /** What holds it: `cgroup v2`, `cgroup v1`, or `none`. */
  readonly kind: string;
  readonly add: (pid: number) => void;
  /** Processes of it that the kernel has killed. */
  readonly kills: () => number;
  readonly remove: () => void;
}

export function createMemoryGroup(name: string, bytes: number): MemoryGroup {
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
