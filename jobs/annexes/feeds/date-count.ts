/** G11: counts the dates of a feed, and bounds those of its rules. */
import { parseSourceDatetime } from '../../../src/calendar/input-datetime.ts';
import { DAY, instantIn, instantOf, osloOffset } from '../../../src/calendar/time.ts';
import type { AddOptions } from '../../annex.ts';
import type { Allowance, EventAllowance } from '../../recurrence/allowance.ts';
import { expandSet, type RecurrenceSet } from '../../recurrence/dates.ts';
import { isFlaw, readRule } from '../../recurrence/rule.ts';
import { FeedProblem } from './feed-problem.ts';
import type { FeedRecord } from './last-good.ts';

/** Dates of all rules of a feed: more than a large region has in a year. */
const MOST_RULE_DATES = 1_000_000;

/** The number of a feed's dates. Its functions throw FeedProblem if rules have too many dates. */
export interface DateCount {
  /** Counts the dates of a set from now up to the horizon. Returns the exceptions in that time, as instants, that match no date. */
  readonly addSet: (set: RecurrenceSet, event?: EventAllowance) => ReadonlySet<number>;
  /** Counts the listed dates of an event, over or not, and those of its `repeats`. */
  readonly addEvent: (event: FeedRecord) => void;
  readonly total: () => number;
}

/** `allowance` bounds the work for all rules of the feed. */
export function createDateCount(
  { now, horizonDay }: Pick<AddOptions, 'now' | 'horizonDay'>,
  allowance: Allowance,
): DateCount {
  const endOfHorizon = instantOf((horizonDay + 1) * DAY);
  const until = endOfHorizon - 1;
  let listed = 0;
  let byRule = 0;

  function addSet(set: RecurrenceSet, event = allowance.forEvent()): ReadonlySet<number> {
    const instantAt = (wall: number) => instantIn(set.clock, wall);
    const exceptions = new Set(set.except.map(instantAt));
    const matched = new Set<number>();
    const keep = (wall: number) => {
      // Without exceptions, no instant is computed: a set may have a million dates.
      if (exceptions.size === 0) return true;
      const instant = instantAt(wall);
      const isException = exceptions.has(instant);
      if (isException) matched.add(instant);
      return !isException;
    };
    // The exceptions are compared here, so that it is known which of them match.
    const { walls, cut } = expandSet({ ...set, except: [] }, { from: now, until, keep }, event);
    byRule += walls.length;
    if (byRule > MOST_RULE_DATES)
      throw new FeedProblem('size limit', `expected at most ${MOST_RULE_DATES} dates, found more`);
    const isComplete = cut === null;
    const isUnmatched = (instant: number) => instant > now && instant <= until && !matched.has(instant);
    return new Set(isComplete ? [...exceptions].filter(isUnmatched) : []);
  }

  function addEvent({ value: { dates, repeats } }: FeedRecord): void {
    if (Array.isArray(dates)) listed += dates.length;
    if (!Array.isArray(repeats)) return;
    const event = allowance.forEvent();
    for (const { rule: written, start } of repeats) {
      const rule = readRule(String(written));
      const first = parseSourceDatetime(`${String(start).slice(0, 10)} 00:00`);
      if (isFlaw(rule) || first === null) continue;
      const set = { start: first.wall, rules: [rule], exceptRules: [], starts: [], except: [] };
      addSet({ ...set, clock: osloOffset }, event);
    }
  }

  return { addSet, addEvent, total: () => listed + byRule };
}
