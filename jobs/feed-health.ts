/** How a feed is, for the report and for whoever runs the server, and why it may not be well. */

export interface FeedHealth {
  readonly id: string;
  readonly kind: FeedKind;
  /** `ok`; `stale`: failing, with its last good records; `failed`: without any. */
  readonly state: 'ok' | 'stale' | 'failed';
  /** ISO moments in UTC: since when it has been failing; when its records were last found to be current. */
  readonly since: string | null;
  readonly readAt: string | null;
  readonly reason: FeedReason | null;
  /** Never names the feed's address, which may be a secret. */
  readonly why: string | null;
  readonly counts: FeedCounts;
}

export type FeedKind = 'ical' | 'csv' | 'jsonld' | 'graphql';

/** How many of a feed's entries became what: `entries` is the sum of the other three. */
export interface FeedCounts {
  /** Entries in the feed: VEVENTs, rows of a table, events of a page or an endpoint. */
  readonly entries: number;
  readonly events: number;
  /** Part of another entry's event: a moved or cancelled date, an older version, a copy. */
  readonly merged: number;
  readonly dropped: number;
}

/** A closed set, so that a snapshot can say by it that a feed's state has changed; the message is for people. */
export const FEED_REASONS = [
  'unreachable',
  'address refused',
  'time limit',
  'size limit',
  'redirect limit',
  'HTTP status',
  'not a calendar',
  'empty',
  'truncated',
  'much larger than before',
  'parser killed',
  'changing while read',
  'unreadable answer',
  'missing key',
  'file',
  'unexpected failure',
] as const;

export type FeedReason = (typeof FEED_REASONS)[number];

/** Why a feed cannot be taken this time. Never stops a build: the feed keeps its last good records. */
export class FeedProblem extends Error {
  readonly reason: FeedReason;
  /** Seconds that the server asked to be left alone. */
  readonly retryAfter: number | null;

  constructor(reason: FeedReason, message: string, options: FeedProblemOptions = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined);
    this.name = 'FeedProblem';
    this.reason = reason;
    this.retryAfter = options.retryAfter ?? null;
  }
}

interface FeedProblemOptions {
  readonly cause?: unknown;
  readonly retryAfter?: number | null;
}
