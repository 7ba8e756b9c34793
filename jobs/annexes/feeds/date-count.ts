/** G11: counts the dates of a feed, and bounds those of its rules. */
import { parseSourceDatetime } from '../../../src/calendar/input-datetime.ts';
import { DAY, instantIn, instantOf, osloOffset } from '../../../src/calendar/time.ts';
import type { AddOptions } from '../../annex.ts';
import type { Allowance, EventAllowance } from '../../recurrence/allowance.ts';
import { expandSet, type RecurrenceSet } from '../../recurrence/dates.ts';
import { isFlaw, readRule } from '../../recurrence/rule.ts';
import { FeedProblem } from './health.ts';
import type { FeedRecord } from './last-good.ts';

/** More dates than a large region has in a year. */
const MOST_DATES = 1_000_000;

/** Its functions throw FeedProblem if rules have too many dates. */
export interface DateCount {
  /** Counts the dates of a set, from now up to the horizon. Returns those of its exceptions then, as instants, that match none. */
  readonly addSet: (set: RecurrenceSet, event?: EventAllowance) => ReadonlySet<number>;
  /** Counts the listed dates of an event, over or not, and those of its `repeats`. */
  readonly addEvent: (event: FeedRecord) => void;
  readonly total: () => number;
}

export function createDateCount(
  { now, horizonDay }: Pick<AddOptions, 'now' | 'horizonDay'>,
  allowance: Allowance,
): DateCount {
  const until = instantOf((horizonDay + 1) * DAY) - 1;
  let listed = 0;
  let byRule = 0;

  function addSet(set: RecurrenceSet, event = allowance.forEvent()): ReadonlySet<number> {
    const instantAt = (wall: number) => instantIn(set.clock, wall);
    const misses = new Set(set.except.map(instantAt));
    const except = new Set(misses);
    const keep = (wall: number) => {
      const instant = instantAt(wall);
      misses.delete(instant);
      return !except.has(instant);
    };
    const window = { from: now, until, keep: except.size === 0 ? () => true : keep };
    const { walls, cut } = expandSet({ ...set, except: [] }, window, event);
    byRule += walls.length;
    if (byRule > MOST_DATES)
      throw new FeedProblem('size limit', `expected at most ${MOST_DATES} dates, found more`);
    return new Set(cut === null ? [...misses].filter((miss) => miss > now && miss <= until) : []);
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
