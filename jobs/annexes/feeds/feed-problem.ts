/** Why a feed fails. */

/** A closed set, so that a snapshot shows by it whether a feed's state has changed; the message is for people. */
export const FEED_REASONS = [
  'unreachable',
  'address refused',
  'time limit',
  'size limit',
  'redirect limit',
  'unknown content coding',
  'HTTP status',
  'not a calendar',
  'empty',
  'truncated',
  'much larger than before',
  'much smaller than before',
  'parser killed',
  'changing while read',
  'unreadable answer',
  'missing key',
  'file',
  'row',
  'unexpected failure',
] as const;

export type FeedReason = (typeof FEED_REASONS)[number];

/** A server may ask for a pause of one day at most. */
export const LONGEST_PAUSE_SECONDS = 86_400;

/** Why a feed cannot be used this time. Never stops a build: the feed keeps its last good records. */
export class FeedProblem extends Error {
  readonly reason: FeedReason;
  /** Seconds for which the server asks for a pause. */
  readonly retryAfter: number | null;

  constructor(reason: FeedReason, message: string, more: ErrorOptions & { retryAfter?: number | null } = {}) {
    super(message, more);
    this.name = 'FeedProblem';
    this.reason = reason;
    this.retryAfter = more.retryAfter ?? null;
  }
}
