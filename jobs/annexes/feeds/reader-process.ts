/** Has documents from outside read in another process, where an endless loop or a flood of data does no harm. */
import { type ChildProcess, fork } from 'node:child_process';
import { inheritedOptions, programPath } from '../../../src/package.ts';
import { FeedProblem, type FeedReason } from './health.ts';
import type { ReadTask } from './reading.ts';

export interface ReadRequest extends ReadTask {
  /** Path for the records, which are flushed to disk. */
  readonly output: string;
}

/** Null once the records are written, else the problem of the feed. */
export type ReadAnswer = { readonly reason: FeedReason; readonly message: string } | null;

/** One process for all feeds of a refresh: beginning one takes half a second of CPU. A dead one is replaced. */
export interface ReaderProcess {
  /** One feed at a time, in the order of the calls. Throws FeedProblem, and the signal's reason. */
  readonly read: (request: ReadRequest, signal?: AbortSignal) => Promise<void>;
  readonly end: () => void;
}

/** For each feed. `megabytes`: of JavaScript's heap. */
const LIMITS = { milliseconds: 60_000, megabytes: 1024 };

export function createReaderProcess(limits = LIMITS): ReaderProcess {
  let child: ChildProcess | null = null;
  let last: Promise<unknown> = Promise.resolve();

  async function readNow(request: ReadRequest, signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    if (child === null || !isAlive(child)) child = begin(limits.megabytes);
    const answer = await answerOf(child, request, { ...limits, signal });
    if (answer === null) return;
    if (!('how' in answer)) throw new FeedProblem(answer.reason, answer.message);
    signal?.throwIfAborted();
    throw killed(answer, limits.milliseconds);
  }

  return {
    read(request, signal) {
      const reading = last.then(() => readNow(request, signal));
      last = reading.catch(() => undefined);
      return reading;
    },
    end: () => void child?.kill('SIGKILL'),
  };
}

function begin(megabytes: number): ChildProcess {
  return fork(programPath('jobs/annexes/feeds/child'), {
    // It needs no keys.
    env: {},
    // A Ctrl-C reaches only this process.
    detached: true,
    execArgv: [...inheritedOptions(), `--max-old-space-size=${megabytes}`],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
}

function isAlive({ connected, exitCode, signalCode }: ChildProcess): boolean {
  return connected && exitCode === null && signalCode === null;
}

interface Killed {
  readonly how: string;
  readonly isLate: boolean;
  readonly said: string;
}

interface Waiting {
  readonly milliseconds: number;
  readonly signal: AbortSignal | undefined;
}

/** How the process ended, if it did. */
async function answerOf(
  child: ChildProcess,
  request: ReadRequest,
  { milliseconds, signal }: Waiting,
): Promise<ReadAnswer | Killed> {
  let isLate = false;
  let said = '';
  const kill = () => child.kill('SIGKILL');
  const timer = setTimeout(() => {
    isLate = true;
    kill();
  }, milliseconds);
  const hear = (text: Buffer) => {
    said = (said + text).slice(-LONGEST_SAID);
  };
  signal?.addEventListener('abort', kill);
  child.stderr?.on('data', hear);
  try {
    return await new Promise((resolve) => {
      child.once('message', resolve);
      child.once('error', ({ message }) => resolve({ how: `not begun: ${message}`, isLate, said }));
      child.once('close', (code, by) =>
        resolve({ how: by === null ? `exit code ${code}` : `ended by ${by}`, isLate, said }),
      );
      // A process that died tells why as it closes.
      child.send(request, () => undefined);
    });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', kill);
    child.removeAllListeners();
    child.stderr?.off('data', hear);
  }
}

const LONGEST_SAID = 8 * 1_024;

function killed({ how, isLate, said }: Killed, milliseconds: number): FeedProblem {
  const after = isLate ? ` after at most ${milliseconds / 1000} s` : '';
  const why = said.split('\n').find((line) => /Error|heap/.test(line)) ?? '';
  const message = `expected the feed to be read within its limits, found the process ${how}${after} ${why.trim()}`;
  return new FeedProblem('parser killed', message.trim());
}
