/** Has documents from outside read in other processes, where an endless loop or a flood of data does no harm. */
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

/** Processes at most: one for feeds of any size, and some for small ones, so that together they need less than twice as much memory as one. */
const MOST_PROCESSES = 4;
const MEGABYTES_OF_SMALL = 256;
/** Bytes of a small feed's documents: most are much smaller. */
const SMALL = 1024 * 1024;

export type Readers = ReturnType<typeof createReaders>;

interface Waiting {
  readonly isSmall: boolean;
  readonly begin: (place: Place) => void;
}

/** A process for one feed after another. */
interface Place {
  readonly megabytes: number;
  readonly isForSmall: boolean;
  child: ChildProcess | null;
  isBusy: boolean;
}

/**
 * One process reads the feeds of a refresh, because beginning one takes half a second of CPU; a dead one is replaced. Others begin only
 * where a feed has waited: some slow feeds do not keep the rest from being read.
 */
export function createReaders({
  milliseconds,
  megabytes,
  patience = LIMITS.patience,
}: ReaderLimits = LIMITS) {
  const places: Place[] = [{ megabytes, isForSmall: false, child: null, isBusy: false }];
  const waiting: Waiting[] = [];

  /** Gives each place that is free to the first that waits for it. */
  function serve(): void {
    for (const place of places) {
      if (place.isBusy) continue;
      const at = waiting.findIndex(({ isSmall }) => isSmall || !place.isForSmall);
      const [next] = at < 0 ? [] : waiting.splice(at, 1);
      if (next === undefined) continue;
      place.isBusy = true;
      next.begin(place);
    }
  }

  function addPlace(): void {
    if (places.length === MOST_PROCESSES) return;
    const own = Math.min(megabytes, MEGABYTES_OF_SMALL);
    places.push({ megabytes: own, isForSmall: true, child: null, isBusy: false });
    serve();
  }

  async function placeFor(isSmall: boolean): Promise<Place> {
    const timer = isSmall ? setTimeout(addPlace, patience) : undefined;
    const place = await new Promise<Place>((begin) => {
      waiting.push({ isSmall, begin });
      serve();
    });
    clearTimeout(timer);
    return place;
  }

  return {
    /** Throws FeedProblem, and the signal's reason. */
    async read(request: ReadRequest, signal?: AbortSignal): Promise<void> {
      const bytes = request.documents.reduce((sum, document) => sum + (document.bytes?.length ?? 0), 0);
      const place = await placeFor(bytes <= SMALL);
      try {
        await readIn(place, request, { milliseconds, signal });
      } finally {
        place.isBusy = false;
        serve();
      }
    },
    end: () => {
      for (const { child } of places) child?.kill('SIGKILL');
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
  place: Place,
  request: ReadRequest,
  { milliseconds, signal }: ReadingLimits,
): Promise<void> {
  signal?.throwIfAborted();
  const reader = place.child ?? begin(place.megabytes);
  place.child = reader;
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
  place.child = null;
  signal?.throwIfAborted();
  const why = said.split('\n').find((line) => /Error|heap/.test(line)) ?? '';
  const found = `${answer} after at most ${milliseconds / 1000} s ${why.trim()}`.trim();
  const message = `expected the feed to be read within its limits, found the process ${found}`;
  throw new FeedProblem('parser killed', message);
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
