/** What an operator asks of a snapshot at a second. */
import type { Snapshot } from '../snapshot/open.ts';
import { epochAt } from './freshness.ts';
import { viewAt } from './nodes/view.ts';

/** Events that have not ended, as `totalCount` without a filter has them. */
export function upcomingEvents(snapshot: Snapshot, now: number): number {
  return viewAt(snapshot, Math.floor(now)).tally.unfiltered(Math.floor(now))[0] ?? 0;
}

/** The next second at which any answer changes; Infinity when none does any more. */
export function nextChangeAt(snapshot: Snapshot, now: number): number {
  return epochAt(snapshot, Math.floor(now)).until;
}
