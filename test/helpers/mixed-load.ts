/** A second process that asks a server all kinds of questions, and checks each answer: see `fixtures/mixed-load.ts`. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fixtureOf } from './program.ts';

export interface Tally {
  readonly requests: number;
  /** Of these, the ones that were answered with 304. */
  readonly notModified: number;
  readonly failed: number;
  /** What was wrong with the first few. */
  readonly failures: readonly string[];
  /** That were ever opened. */
  readonly connections: number;
  /** Different ones that were seen. */
  readonly generations: number;
}

export interface MixedLoad {
  readonly tally: () => Tally;
  /** Resolves when the last answers are in. */
  readonly stop: () => Promise<Tally>;
  readonly kill: () => void;
}

export interface MixedLoadOptions {
  /** Without a slash at the end. */
  readonly url: string;
  readonly connections: number;
  /** Milliseconds that each client rests between two requests. */
  readonly restMs?: number;
}

export function startMixedLoad({ url, connections, restMs = 0 }: MixedLoadOptions): MixedLoad {
  const child = fork(fixtureOf('mixed-load'), [url, `${connections}`, `${restMs}`]);
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  let tally: Tally = { requests: 0, notModified: 0, failed: 0, failures: [], connections: 0, generations: 0 };
  child.on('message', (message: Tally) => {
    tally = message;
  });
  const ended = once(child, 'exit');
  return {
    tally: () => tally,
    stop: async () => {
      child.send('stop');
      await ended;
      process.off('exit', kill);
      return tally;
    },
    kill,
  };
}
