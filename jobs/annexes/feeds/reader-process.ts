/** Has documents from outside read in another process, where an endless loop or a flood of data does no harm. */
import { type ChildProcess, fork } from 'node:child_process';
import { inheritedOptions, programPath } from '../../../src/package.ts';
import { FeedProblem, type FeedReason } from './health.ts';
import type { ReadTask } from './reading.ts';

/** `output`: path for the records, which are flushed to disk. */
export type ReadRequest = ReadTask & { readonly output: string };

/** Null once the records are written, else the problem of the feed. */
export type ReadAnswer = { readonly reason: FeedReason; readonly message: string } | null;

/** For each feed. `megabytes`: of JavaScript's heap. */
const LIMITS = { milliseconds: 60_000, megabytes: 1024 };

export type ReaderProcess = ReturnType<typeof createReaderProcess>;

/** One process for all feeds of a refresh: beginning one takes half a second of CPU. A dead one is replaced. */
export function createReaderProcess({ milliseconds, megabytes } = LIMITS) {
  let child: ChildProcess | null = null;
  let last: Promise<unknown> = Promise.resolve();

  async function readNow(request: ReadRequest, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    const reader = child ?? begin(megabytes);
    child = reader;
    let said = '';
    const hear = (text: Buffer) => {
      said = (said + text).slice(-LONGEST_SAID);
    };
    const kill = () => reader.kill('SIGKILL');
    const timer = setTimeout(kill, milliseconds);
    signal?.addEventListener('abort', kill);
    reader.stderr?.on('data', hear);
    const answer = await new Promise<ReadAnswer | string>((resolve) => {
      reader.once('message', resolve);
      reader.once('error', ({ message }) => resolve(`not begun: ${message}`));
      reader.once('close', (code, by) => resolve(by === null ? `exit code ${code}` : `ended by ${by}`));
      // A process that died tells why as it closes.
      reader.send(request, () => undefined);
    });
    clearTimeout(timer);
    signal?.removeEventListener('abort', kill);
    reader.removeAllListeners();
    reader.stderr?.off('data', hear);
    if (answer === null) return;
    if (typeof answer !== 'string') throw new FeedProblem(answer.reason, answer.message);
    child = null;
    signal?.throwIfAborted();
    const why = said.split('\n').find((line) => /Error|heap/.test(line)) ?? '';
    const found = `${answer} after at most ${milliseconds / 1000} s ${why.trim()}`.trim();
    const message = `expected the feed to be read within its limits, found the process ${found}`;
    throw new FeedProblem('parser killed', message);
  }

  return {
    /** One feed at a time, in the order of the calls. Throws FeedProblem, and the signal's reason. */
    read(request: ReadRequest, signal?: AbortSignal): Promise<void> {
      const reading = last.then(() => readNow(request, signal));
      last = reading.catch(() => undefined);
      return reading;
    },
    end: () => void child?.kill('SIGKILL'),
  };
}

const LONGEST_SAID = 8 * 1_024;

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
