/** Bounds all requests for one feed together. */
import { failureText } from '../../../src/calendar/failures.ts';
import type { FeedLimits } from './config.ts';
import { FeedProblem } from './feed-problem.ts';

/** The limits of all requests together, as multiples of those of one request. */
const SECONDS_FACTOR = 10;
const BYTES_FACTOR = 4;

export interface RequestBudget {
  /** Throws FeedProblem once the bytes, or the time, of all answers exceed the limit. */
  readonly check: () => void;
  /** Takes the bytes of an answer, and checks. */
  readonly take: (bytes: number) => void;
  /** Bytes of all answers so far. */
  readonly bytes: () => number;
  readonly secondsLeft: () => number;
}

/** Bounds all requests for a feed together: its answers are in memory together, and a build must end. `about` begins the messages. */
export function createRequestBudget(limits: FeedLimits, about = ''): RequestBudget {
  const began = performance.now();
  const most = {
    seconds: limits.seconds * SECONDS_FACTOR,
    bytes: Math.floor(limits.bytes * BYTES_FACTOR),
  };
  let bytes = 0;
  const secondsLeft = () => most.seconds - (performance.now() - began) / 1000;

  function check(): void {
    if (secondsLeft() <= 0) throw new FeedProblem('time limit', about + failureText('lateAnswers', most));
    if (bytes <= most.bytes) return;
    const expected = `expected at most ${most.bytes} bytes in all answers together`;
    throw new FeedProblem('size limit', `${about}${expected}, found more`);
  }

  function take(more: number): void {
    bytes += more;
    check();
  }

  return { check, take, bytes: () => bytes, secondsLeft };
}
