/** The machine that is measured on: what it is, and how a process is held to one of its cores. */
import { spawnSync } from 'node:child_process';
import { cpus, release, totalmem, type } from 'node:os';

export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGB: number;
  readonly system: string;
  readonly node: string;
  /** Whether servers have the first core for themselves and the load comes from the second. */
  readonly pinned: boolean;
}

export function describeMachine(): Machine {
  const cores = cpus();
  return {
    cpu: cores[0]?.model.trim() ?? 'unknown',
    cores: cores.length,
    memoryGB: Math.round(totalmem() / 2 ** 30),
    system: `${type()} ${release()}`,
    node: process.version,
    pinned: canPin,
  };
}

export function writeMachine({ cpu, cores, memoryGB, system, node }: Machine): string {
  return `${cpu}, ${cores} cores, ${memoryGB} GB, ${system}, Node ${node}`;
}

export const SERVER_CORE = 0;
export const LOAD_CORE = 1;

/** A command line that runs on that core, where the system can do that. */
export function onCore(
  core: number,
  command: readonly [string, ...string[]],
): readonly [string, ...string[]] {
  return canPin ? ['taskset', '-c', `${core}`, ...command] : command;
}

const canPin =
  cpus().length >= 2 &&
  spawnSync('taskset', ['-c', `${LOAD_CORE}`, 'true'], { stdio: 'ignore' }).status === 0;
