/** Counts the dates that the rules of a feed's events will yield at the build, in the process that bounds its time. */
import { DAY, parseSourceDatetime, wallOf } from '../../../src/calendar/time.ts';
import type { AddOptions } from '../../annex.ts';
import { createAllowance, expand } from '../../recurrence/expand.ts';
import { isFlaw, readRule } from '../../recurrence/rule.ts';
import { FeedProblem } from './health.ts';
import type { FeedRecord } from './slice.ts';

/** More dates than a large region has in a year. */
const MOST_DATES = 1_000_000;

/** Throws FeedProblem if all records together have more dates. */
export function createExpansionCheck({
  now,
  horizonDay,
}: Pick<AddOptions, 'now' | 'horizonDay'>): (record: FeedRecord) => void {
  const allowance = createAllowance();
  const wanted = { from: wallOf(now), until: (horizonDay + 1) * DAY - 1, keep: () => true };
  let dates = 0;
  return ({ value: { repeats } }) => {
    if (!Array.isArray(repeats)) return;
    const event = allowance.forEvent();
    for (const { rule: written, start } of repeats) {
      const rule = readRule(String(written));
      const first = parseSourceDatetime(`${String(start).slice(0, 10)} 00:00`);
      if (isFlaw(rule) || first === null) continue;
      dates += expand(rule, { ...wanted, start: first.wall }, event).walls.length;
      if (dates > MOST_DATES)
        throw new FeedProblem('size limit', `expected at most ${MOST_DATES} dates, found more`);
    }
  };
}
