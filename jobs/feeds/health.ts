import type { Feed } from './config.ts';
import type { FeedReason } from './problem.ts';
import type { FeedCounts } from './record.ts';

/** How a feed is, for the report and for whoever runs the server. Never its address, which may be a secret. */
export interface FeedHealth {
  readonly id: string;
  readonly kind: Feed['kind'];
  /** `ok`; `stale`: failing, with its last good records; `failed`: without any. */
  readonly state: 'ok' | 'stale' | 'failed';
  /** ISO moments in UTC: since when it has been failing; when its records were last found to be current. */
  readonly since: string | null;
  readonly readAt: string | null;
  readonly reason: FeedReason | null;
  readonly why: string | null;
  readonly counts: FeedCounts;
}
