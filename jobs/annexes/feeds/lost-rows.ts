/**
 * F15, F16: refuses a sheet of corrections or venues that has lost a column or all of its rows: hidden events would come back, and events would
 * lose their places. `--force` accepts it.
 */
import { CORRECTION_COLUMNS } from './corrections/sheet-columns.ts';
import { FeedProblem } from './health.ts';
import type { SheetKind } from './kinds.ts';
import type { LastGood } from './last-good.ts';
import { VENUE_COLUMNS } from './venues/sheet-columns.ts';

const COLUMNS = { corrections: CORRECTION_COLUMNS, venues: VENUE_COLUMNS };

/** Editors remove so many rows at once. */
const MOST_REMOVED = 10;

interface SheetFeed {
  readonly kind: SheetKind;
  readonly mayBeEmpty: boolean;
}

/** `before`: the last good reading. Throws FeedProblem. */
export function refuseLostRows(
  { kind, mayBeEmpty }: SheetFeed,
  before: LastGood['end'],
  after: LastGood['end'],
): void {
  const filled = Object.entries(before.columns ?? {}).filter(([, isFilled]) => isFilled);
  const lost = filled.find(([column]) => after.columns?.[column] === undefined);
  const had = before.counts[kind] ?? 0;
  const has = after.counts[kind] ?? 0;
  if (lost !== undefined) {
    const expected = `the column ${COLUMNS[kind].titleOf(lost[0])}, which had values before`;
    throw new FeedProblem('unreadable answer', `expected ${expected}, found none of this name; ${IF_LOST}`);
  }
  if (has === 0 && had > MOST_REMOVED && !mayBeEmpty)
    throw new FeedProblem('empty', `expected ${kind}, as before (${had}), found none; ${IF_EMPTY}`);
}

const IF_EMPTY = 'if this is intended, set "mayBeEmpty" or build with --force';
const IF_LOST = 'if it was renamed, rename it back; if it was removed, add it without values';
