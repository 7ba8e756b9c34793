/** The CPU and the memory of a process and of all that it starts, as Linux counts them. */
import { readFileSync } from 'node:fs';
import { sumOf } from '../../../src/calendar/groups.ts';

export interface TreeUsage {
  /** User and system time of all processes. */
  readonly cpuSeconds: number;
  /** The highest sum over all processes at one moment. Pages that they share count once. */
  readonly peakBytes: number;
}

const INTERVAL_MS = 100;
/** `getconf CLK_TCK`, which is 100 on every common platform. */
const TICKS_PER_SECOND = 100;

/** Samples from now on. `end` gives what was found; CPU after the last sample of a process is not counted. */
export function watchTree(root: number): { readonly end: () => TreeUsage } {
  const cpu = new Map<number, number>();
  let peakBytes = 0;
  const sample = () => {
    const pids = treeOf(root);
    for (const pid of pids) cpu.set(pid, cpuSecondsOf(pid) ?? cpu.get(pid) ?? 0);
    peakBytes = Math.max(peakBytes, sumOf(pids.map(bytesOf)));
  };
  const timer = setInterval(sample, INTERVAL_MS);
  const end = () => {
    clearInterval(timer);
    return { cpuSeconds: sumOf([...cpu.values()]), peakBytes };
  };
  return { end };
}

function treeOf(pid: number): readonly number[] {
  const children = read(`/proc/${pid}/task/${pid}/children`)?.trim() ?? '';
  const pids = children === '' ? [] : children.split(' ').map(Number);
  return [pid, ...pids.flatMap(treeOf)];
}

/** Null for a process that has ended. */
function cpuSecondsOf(pid: number): number | null {
  // The name before the bracket may contain blanks.
  const fields = read(`/proc/${pid}/stat`)?.split(') ')[1]?.split(' ');
  if (fields === undefined) return null;
  const [user, system] = fields.slice(11, 13).map(Number);
  return ((user ?? 0) + (system ?? 0)) / TICKS_PER_SECOND;
}

/** Proportional resident memory; 0 for a process that has ended. */
function bytesOf(pid: number): number {
  const [, kibibytes] = /^Pss:\s+(\d+) kB/m.exec(read(`/proc/${pid}/smaps_rollup`) ?? '') ?? [];
  return Number(kibibytes ?? 0) * 1_024;
}

/** Undefined for a process that has ended. */
function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
