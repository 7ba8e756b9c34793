/** G11: refuses new records that differ too much from the feed's last ones, or from those of any feed. `--force` accepts them. */
import { failureText } from '../../../src/calendar/failures.ts';
import { formatDay, isoSecond, osloDay } from '../../../src/calendar/time.ts';
import type { Feed } from './config.ts';
import { CORRECTION_LAYOUT } from './corrections/sheet-columns.ts';
import { FeedProblem } from './feed-problem.ts';
import { isSheet, type SheetKind } from './kinds.ts';
import type { LastGood } from './last-good.ts';
import { LIST_LAYOUT } from './lists/sheet-columns.ts';
import { VENUE_LAYOUT } from './venues/sheet-columns.ts';
import { isOver } from './waiting.ts';

/** What a feed contained when it was read, and its size. */
interface FeedTotals extends Readonly<LastGood['end']> {
  readonly bytes: number;
}

/** A daily event has 548 dates up to the horizon. */
const FIRST_DATES_PER_ENTRY = 600;
/** A large region has as many in a year. */
const MOST_FIRST_DATES = 200_000;

/** A new feed has no earlier reading to compare with, so it is compared with a typical calendar. Throws FeedProblem. */
export function refuseTooManyDates({ counts, dates = 0 }: FeedTotals): void {
  const most = Math.min(MOST_FIRST_DATES, FIRST_DATES_PER_ENTRY * counts.entries);
  if (dates <= most) return;
  const limits = `${FIRST_DATES_PER_ENTRY} for each of ${counts.entries} entries, and ${MOST_FIRST_DATES} in all`;
  const expected = `expected at most ${most} dates when a feed is first read (${limits})`;
  throw new FeedProblem('size limit', `${expected}, found ${dates}; ${BY_FORCE}`);
}

/** Dates that a feed may have however few it had before. */
const ALWAYS_ALLOWED_DATES = 10_000;
/** As factors of the earlier numbers. */
const MOST_GROWTH_OF_DATES = 50;
const MOST_GROWTH = 100;

/** Throws FeedProblem for a feed that has become empty, truncated or much larger. */
export function refuseSuspicious({ kind, mayBeEmpty }: Feed, before: FeedTotals, after: FeedTotals): void {
  if (isSheet(kind)) refuseLostRows({ kind, mayBeEmpty }, before, after);
  refuseDates(before, after);
  const had = before.counts.events;
  const has = after.counts.events;
  // A feed that had no events may grow as a new one may, within its limit of bytes.
  if (had === 0) return;
  if (has === 0 && !mayBeEmpty) throw emptied('events', had);
  if (before.isComplete && !after.isComplete) throw new FeedProblem('truncated', failureText('cutOff'));
  const hasManyEvents = has > MOST_GROWTH * had;
  const hasManyBytes = before.bytes > 0 && after.bytes > MOST_GROWTH * before.bytes;
  if (hasManyEvents || hasManyBytes) {
    const earlier = `${had} events, ${before.bytes} bytes`;
    const expected = `${failureText('muchLarger', { factor: MOST_GROWTH })} (${earlier})`;
    const found = `${has} events, ${after.bytes} bytes`;
    throw new FeedProblem('much larger than before', `${expected}, found ${found}; ${BY_FORCE}`);
  }
}

/** Fewer upcoming events than this may all go at once. */
const FEWEST_UPCOMING = 20;
const LARGEST_LOSS = 1 / 2;
/** Seconds: time for people to correct a mistake in the feed. */
const HOLD_BACK = 86_400;

interface Shrinking {
  readonly before: LastGood;
  readonly after: LastGood;
  /** When a reading was first refused for this; null if none was since the last accepted one. */
  readonly shrunkAt: string | null;
  readonly now: number;
}

/** Throws FeedProblem for a feed that has lost most of the events that are still to come, for a day after this was first found. */
export async function refuseShrunk(
  { mayBeEmpty }: Feed,
  { before, after, shrunkAt, now }: Shrinking,
): Promise<void> {
  const until = (shrunkAt === null ? now : Date.parse(shrunkAt) / 1_000) + HOLD_BACK;
  // The numbers of all events spare most readings the second count.
  const most = before.end.counts.events;
  if (mayBeEmpty || now >= until || most < FEWEST_UPCOMING) return;
  const has = await countUpcoming(after, now);
  if (has >= most * LARGEST_LOSS) return;
  const had = await countUpcoming(before, now);
  if (had < FEWEST_UPCOMING || has >= had * LARGEST_LOSS) return;
  const next = `builds use them from ${isoSecond(until)}, or with --force`;
  throw new FeedProblem('much smaller than before', `${failureText('muchSmaller', { had, has })}; ${next}`);
}

/** Events that are not over. One with a rule counts as upcoming. */
async function countUpcoming({ records }: LastGood, now: number): Promise<number> {
  const today = formatDay(osloDay(now));
  let upcoming = 0;
  for await (const { value } of records('events')) if (!isOver(value, today)) upcoming += 1;
  return upcoming;
}

function refuseDates(before: FeedTotals, after: FeedTotals): void {
  if (before.dates === undefined) {
    refuseTooManyDates(after);
    return;
  }
  const most = Math.max(ALWAYS_ALLOWED_DATES, MOST_GROWTH_OF_DATES * before.dates);
  if ((after.dates ?? 0) <= most) return;
  const factor = `${MOST_GROWTH_OF_DATES} times what was there before (${before.dates})`;
  const expected = `${failureText('manyMoreDates', { dates: most })}, ${factor} or ${ALWAYS_ALLOWED_DATES}`;
  throw new FeedProblem('much larger than before', `${expected}, found ${after.dates}; ${BY_FORCE}`);
}

function emptied(entries: 'events' | SheetKind, had: number): FeedProblem {
  return new FeedProblem('empty', `${failureText('emptied', { entries, had })}; ${IF_EMPTY}`);
}

const IF_EMPTY = 'if this is intended, set "mayBeEmpty" or build with --force';
const BY_FORCE = 'if this is intended, build with --force';

/**
 * F15, F16, F18: refuses a sheet that has lost a column or all of its rows: hidden events would come back, and events would lose their places
 * or be gone.
 */
function refuseLostRows(
  { kind, mayBeEmpty }: { readonly kind: SheetKind; readonly mayBeEmpty: boolean },
  before: FeedTotals,
  after: FeedTotals,
): void {
  const filled = Object.entries(before.columns ?? {}).filter(([, isFilled]) => isFilled);
  const lost = filled.find(([column]) => after.columns?.[column] === undefined);
  if (lost !== undefined) {
    const column = LAYOUTS[kind].titleOf(lost[0]);
    throw new FeedProblem('unreadable answer', `${failureText('lostColumn', { column })}; ${IF_LOST}`);
  }
  const had = before.counts[kind] ?? 0;
  const has = after.counts[kind] ?? 0;
  if (has === 0 && had > MOST_REMOVED[kind] && !mayBeEmpty) throw emptied(kind, had);
}

const LAYOUTS = { corrections: CORRECTION_LAYOUT, venues: VENUE_LAYOUT, feeds: LIST_LAYOUT };

/** Editors remove so many rows at once. The row of a feed stands for all of its events. */
const MOST_REMOVED: Readonly<Record<SheetKind, number>> = { corrections: 10, venues: 10, feeds: 1 };

const IF_LOST = 'if it was renamed, rename it back; if it was removed, add it without values';
