/** Reads documents from outside in other processes, where an endless loop or a flood of data does no harm. */
import { type ChildProcess, fork } from 'node:child_process';
import { inheritedOptions, programPath } from '../../../src/package.ts';
import { FeedProblem, type FeedReason } from './health.ts';
import type { ReadTask } from './reading.ts';

/** `output`: path for the records, which are flushed to disk. */
export type ReadRequest = ReadTask & { readonly output: string };

/** Null once the records are written, else the problem of the feed. */
export type ReadAnswer = { readonly reason: FeedReason; readonly message: string } | null;

/** For each feed. `megabytes`: of JavaScript's heap, in the first process; `patience`: milliseconds that a feed waits before another begins. */
const LIMITS = { milliseconds: 60_000, megabytes: 1024, patience: 2_000 };

/** One process for feeds of any size, the others for small feeds. Together they need less than twice the memory of one. */
const MOST_PROCESSES = 4;
const MEGABYTES_OF_SMALL = 256;
/** Bytes of a small feed's documents: most are much smaller. */
const SMALL = 1024 * 1024;

export interface Readers {
  /** Throws FeedProblem, and the signal's reason. */
  readonly read: (request: ReadRequest, signal?: AbortSignal) => Promise<void>;
  readonly end: () => void;
}

interface Waiting {
  readonly isSmall: boolean;
  readonly assign: (slot: Slot) => void;
}

/** A process for one feed after another. */
interface Slot {
  readonly megabytes: number;
  readonly isForSmall: boolean;
  child: ChildProcess | null;
  isBusy: boolean;
}

/**
 * One process reads the feeds of a refresh, because starting one takes half a second of CPU. A dead process is replaced. Others start only
 * when a feed has waited, so that a few slow feeds do not delay the rest.
 */
export function createReaders({
  milliseconds,
  megabytes,
  patience = LIMITS.patience,
}: ReaderLimits = LIMITS): Readers {
  const slots: Slot[] = [{ megabytes, isForSmall: false, child: null, isBusy: false }];
  const waiting: Waiting[] = [];

  /** Assigns each free slot to the first feed that waits for one. */
  function serve(): void {
    for (const slot of slots) {
      if (slot.isBusy) continue;
      const at = waiting.findIndex(({ isSmall }) => isSmall || !slot.isForSmall);
      const [next] = at < 0 ? [] : waiting.splice(at, 1);
      if (next === undefined) continue;
      slot.isBusy = true;
      next.assign(slot);
    }
  }

  function addSlot(): void {
    if (slots.length === MOST_PROCESSES) return;
    const slotMegabytes = Math.min(megabytes, MEGABYTES_OF_SMALL);
    slots.push({ megabytes: slotMegabytes, isForSmall: true, child: null, isBusy: false });
    serve();
  }

  async function slotFor(isSmall: boolean): Promise<Slot> {
    const timer = isSmall ? setTimeout(addSlot, patience) : undefined;
    const slot = await new Promise<Slot>((assign) => {
      waiting.push({ isSmall, assign });
      serve();
    });
    clearTimeout(timer);
    return slot;
  }

  return {
    async read(request: ReadRequest, signal?: AbortSignal): Promise<void> {
      const bytes = request.documents.reduce((sum, document) => sum + (document.bytes?.length ?? 0), 0);
      const slot = await slotFor(bytes <= SMALL);
      try {
        await readIn(slot, request, { milliseconds, signal });
      } finally {
        slot.isBusy = false;
        serve();
      }
    },
    end: () => {
      for (const { child } of slots) child?.kill('SIGKILL');
    },
  };
}

interface ReaderLimits {
  readonly milliseconds: number;
  readonly megabytes: number;
  readonly patience?: number;
}

interface ReadingLimits {
  readonly milliseconds: number;
  readonly signal: AbortSignal | undefined;
}

async function readIn(
  slot: Slot,
  request: ReadRequest,
  { milliseconds, signal }: ReadingLimits,
): Promise<void> {
  signal?.throwIfAborted();
  const reader = slot.child ?? startProcess(slot.megabytes);
  slot.child = reader;
  let errorOutput = '';
  const hear = (text: Buffer) => {
    errorOutput = (errorOutput + text).slice(-LONGEST_ERROR_OUTPUT);
  };
  const kill = () => reader.kill('SIGKILL');
  const timer = setTimeout(kill, milliseconds);
  signal?.addEventListener('abort', kill);
  reader.stderr?.on('data', hear);
  const answer = await new Promise<ReadAnswer | string>((resolve) => {
    reader.once('message', resolve);
    reader.once('error', ({ message }) => resolve(`could not start: ${message}`));
    reader.once('close', (code, by) =>
      resolve(by === null ? `exited with code ${code}` : `was ended by ${by}`),
    );
    // Ignore send errors: the close event reports why the process died.
    reader.send(request, () => undefined);
  });
  clearTimeout(timer);
  signal?.removeEventListener('abort', kill);
  reader.removeAllListeners();
  reader.stderr?.off('data', hear);
  if (answer === null) return;
  if (typeof answer !== 'string') throw new FeedProblem(answer.reason, answer.message);
  slot.child = null;
  signal?.throwIfAborted();
  const why = errorOutput.split('\n').find((line) => /Error|heap/.test(line)) ?? '';
  const limit = `at most ${milliseconds / 1000} s`;
  const found = `that the process ${answer} ${why.trim()}`.trim();
  const message = `expected the feed to be read in ${limit} and within its memory limit, found ${found}`;
  throw new FeedProblem('parser killed', message);
}

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
