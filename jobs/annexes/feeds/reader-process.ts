/** A process that reads documents from outside, where an endless loop or a flood of data does no harm. */
import { type ChildProcess, fork } from 'node:child_process';
import { inheritedOptions, programPath } from '../../../src/package.ts';
import { FeedProblem, type FeedReason } from './feed-problem.ts';
import type { ReadTask } from './reading.ts';

/** `output`: path for the records, which are flushed to disk. */
export type ReadRequest = ReadTask & { readonly output: string };

/** As the process gets it: with the time after which it is killed. */
export type TimedRequest = ReadRequest & { readonly milliseconds: number };

/** Null once the records are written, else the problem of the feed. */
export type ReadAnswer = { readonly reason: FeedReason; readonly message: string } | null;

export interface ReaderProcess {
  /** One request at a time. Throws FeedProblem, and the signal's reason. The next request starts a new process if this one died. */
  readonly read: (request: ReadRequest, signal?: AbortSignal) => Promise<void>;
  readonly end: () => void;
}

interface ProcessLimits {
  /** For each feed. */
  readonly milliseconds: number;
  /** The size of JavaScript's heap. */
  readonly megabytes: number;
}

/** The process starts with the first request. */
export function createReaderProcess({ milliseconds, megabytes }: ProcessLimits): ReaderProcess {
  let child: ChildProcess | null = null;

  async function read(request: ReadRequest, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    child ??= startProcess(megabytes);
    const outcome = await ask(child, request, { milliseconds, signal });
    if (outcome.isAlive) {
      if (outcome.answer === null) return;
      throw new FeedProblem(outcome.answer.reason, outcome.answer.message);
    }
    child = null;
    signal?.throwIfAborted();
    const limits = `in at most ${milliseconds / 1000} s and within its memory limit`;
    const found = `that the process ${outcome.death} ${outcome.errorLine}`.trim();
    throw new FeedProblem('parser killed', `expected the feed to be read ${limits}, found ${found}`);
  }

  return { read, end: () => void child?.kill('SIGKILL') };
}

type Outcome =
  | { readonly isAlive: true; readonly answer: ReadAnswer }
  | {
      readonly isAlive: false;
      /** How the process ended, such as `was ended by SIGKILL`. */
      readonly death: string;
      /** The line of its output that names the error; empty for none. */
      readonly errorLine: string;
    };

interface AskLimits {
  readonly milliseconds: number;
  readonly signal: AbortSignal | undefined;
}

/** Sends the request, and waits for the answer or for the end of the process, which is killed after that time. */
async function ask(
  child: ChildProcess,
  request: ReadRequest,
  { milliseconds, signal }: AskLimits,
): Promise<Outcome> {
  let errorOutput = '';
  const onErrorOutput = (text: Buffer) => {
    errorOutput = (errorOutput + text).slice(-LONGEST_ERROR_OUTPUT);
  };
  const kill = () => child.kill('SIGKILL');
  const timer = setTimeout(kill, milliseconds);
  signal?.addEventListener('abort', kill);
  child.stderr?.on('data', onErrorOutput);
  const answer = await answerOf(child, { ...request, milliseconds });
  clearTimeout(timer);
  signal?.removeEventListener('abort', kill);
  child.removeAllListeners();
  child.stderr?.off('data', onErrorOutput);
  if (typeof answer !== 'string') return { isAlive: true, answer };
  const errorLine = errorOutput.split('\n').find((line) => /Error|heap/.test(line)) ?? '';
  return { isAlive: false, death: answer, errorLine: errorLine.trim() };
}

/** A text if the process ends before it answers: how it ended. */
function answerOf(child: ChildProcess, request: TimedRequest): Promise<ReadAnswer | string> {
  return new Promise((resolve) => {
    child.once('message', resolve);
    child.once('error', ({ message }) => resolve(`could not start: ${message}`));
    child.once('close', (code, killer) =>
      resolve(killer === null ? `exited with code ${code}` : `was ended by ${killer}`),
    );
    // Ignore send errors: the close event reports why the process died.
    child.send(request, () => undefined);
  });
}

/** Characters: the end of the output, where the error stands. */
const LONGEST_ERROR_OUTPUT = 8 * 1_024;

function startProcess(megabytes: number): ChildProcess {
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
