/** F15: refuses a correction sheet that has lost a column or all of its rows, because hidden events would come back. `--force` accepts it. */
import { FeedProblem } from '../health.ts';
import type { LastGood } from '../last-good.ts';
import { columnTitle } from './sheet-columns.ts';

/** Editors remove so many corrections at once. */
const MOST_REMOVED = 10;

/** `before`: the last good reading. Throws FeedProblem. */
export function refuseLostCorrections(
  mayBeEmpty: boolean,
  before: LastGood['end'],
  after: LastGood['end'],
): void {
  const filled = Object.entries(before.columns ?? {}).filter(([, isFilled]) => isFilled);
  const lost = filled.find(([column]) => after.columns?.[column] === undefined);
  const had = before.counts.corrections ?? 0;
  const has = after.counts.corrections ?? 0;
  if (lost !== undefined) {
    const expected = `the column ${columnTitle(lost[0])}, which had values before`;
    throw new FeedProblem('unreadable answer', `expected ${expected}, found none of this name; ${IF_LOST}`);
  }
  if (has === 0 && had > MOST_REMOVED && !mayBeEmpty)
    throw new FeedProblem('empty', `expected corrections, as before (${had}), found none; ${IF_EMPTY}`);
}

const IF_EMPTY = 'if this is intended, set "mayBeEmpty" or build with --force';
const IF_LOST = 'if it was renamed, rename it back; if it was removed, add it without values';
