/** What a process holds of the machine's memory, by kind of mapping, as Linux reports it in `/proc/PID/smaps`; bytes. */
import { readFileSync } from 'node:fs';

export interface Resident {
  readonly rss: number;
  /** The part of it that other processes have, too. */
  readonly shared: number;
  /** Resident bytes. */
  readonly kinds: Readonly<Record<Kind, number>>;
}

export const KINDS = [
  /** Programs and libraries: their pages are one copy for all processes, as far as they are not written to. */
  'files',
  /** Machine code that V8 has made, and its tables. */
  'code',
  /** malloc's heap: the main thread's part. */
  'heap',
  /** malloc's heaps of the other threads. */
  'arenas',
  /** All else that no file stands for: V8's heap, large buffers, stacks. */
  'anonymous',
] as const;

export type Kind = (typeof KINDS)[number];

interface Mapping {
  readonly from: number;
  readonly to: number;
  readonly access: string;
  readonly path: string;
  readonly rss: number;
  readonly shared: number;
}

export function residentOf(pid: number): Resident {
  const mappings = mappingsOf(readFileSync(`/proc/${pid}/smaps`, 'utf8'));
  const kinds = { files: 0, code: 0, heap: 0, arenas: 0, anonymous: 0 };
  for (const [place, mapping] of mappings.entries())
    kinds[kindOf(mapping, mappings[place + 1])] += mapping.rss;
  const sum = (of: 'rss' | 'shared') => mappings.reduce((total, mapping) => total + mapping[of], 0);
  return { rss: sum('rss'), shared: sum('shared'), kinds };
}

/**
 * What processes of one program take together: the pages that each has for itself, and the shared ones once. A single process takes
 * `rss`, on a machine that runs nothing else of Node.
 */
export function togetherOf(all: readonly Resident[]): number {
  const own = all.reduce((sum, { rss, shared }) => sum + rss - shared, 0);
  return own + Math.max(...all.map(({ shared }) => shared));
}

/** The processes that it has started, and those that they have. */
export function familyOf(pid: number): readonly number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
  return [pid, ...children.flatMap((child) => familyOf(Number(child)))];
}

/** glibc gives each thread's heap 64 MiB of addresses, at a multiple of that, of which the end is not accessible. */
const ARENA = 64 * 1_024 * 1_024;

function kindOf({ from, to, access, path }: Mapping, next: Mapping | undefined): Kind {
  if (path === '[heap]') return 'heap';
  if (path.startsWith('/')) return 'files';
  if (access.includes('x')) return 'code';
  const end = next?.from === to && next.access.startsWith('---') ? next.to : to;
  return from % ARENA === 0 && end - from === ARENA ? 'arenas' : 'anonymous';
}

const HEAD = /^([0-9a-f]+)-([0-9a-f]+) (\S+) \S+ \S+ \d+ *(.*)$/;

function mappingsOf(smaps: string): readonly Mapping[] {
  return smaps.split(/\n(?=[0-9a-f]+-[0-9a-f]+ )/).map((text) => {
    const [, from = '0', to = '0', access = '', path = ''] = HEAD.exec(text.split('\n')[0] ?? '') ?? [];
    const kilobytes = (name: string) => Number(new RegExp(`^${name}: *(\\d+) kB`, 'm').exec(text)?.[1] ?? 0);
    const shared = kilobytes('Shared_Clean') + kilobytes('Shared_Dirty');
    const bytes = {
      rss: 1_024 * kilobytes('Rss'),
      shared: 1_024 * shared,
    };
    return { from: Number.parseInt(from, 16), to: Number.parseInt(to, 16), access, path, ...bytes };
  });
}
