/** The clock of a VTIMEZONE (RFC 5545, 3.6.5), for zones that the time zone database does not have. */
import type { OffsetAt } from '../../../src/calendar/time.ts';
import type { Allowance, EventAllowance } from '../../recurrence/allowance.ts';
import { expand } from '../../recurrence/expand.ts';
import { isFlaw, type Rule, readRule } from '../../recurrence/rule.ts';
import { ruleOnClock } from './rules.ts';

/** A STANDARD or DAYLIGHT part: from its onsets on, the clock is that far ahead of UTC. */
export interface Observance {
  /** Reading of the clock before the change. */
  readonly start: number;
  /** Seconds ahead of UTC, before and after. */
  readonly from: number;
  readonly to: number;
  readonly rule: string | null;
  /** Further onsets. */
  readonly dates: readonly number[];
}

interface Onset {
  readonly instant: number;
  readonly offset: number;
}

/** Rules of zones are followed that far, in seconds since 1970; the last offset is kept from then on. */
const LAST = Date.UTC(2100, 0) / 1000;

export function customClock(observances: readonly Observance[], allowance: Allowance): OffsetAt {
  let onsets: readonly Onset[] | null = null;
  const initial = observances.toSorted((left, right) => left.start - right.start)[0]?.from ?? 0;
  return (instant) => {
    onsets ??= onsetsOf(observances, allowance.forEvent());
    let low = 0;
    let high = onsets.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((onsets[middle]?.instant ?? 0) <= instant) low = middle + 1;
      else high = middle;
    }
    return onsets[low - 1]?.offset ?? initial;
  };
}

function onsetsOf(observances: readonly Observance[], allowance: EventAllowance): readonly Onset[] {
  return observances
    .flatMap((observance) => {
      const rule = yearlyRule(observance);
      const wanted = { start: observance.start, from: observance.start, until: LAST, keep: () => true };
      const walls = rule === null ? [] : expand(rule, wanted, allowance).walls;
      return [observance.start, ...observance.dates, ...walls].map((wall) => ({
        instant: wall - observance.from,
        offset: observance.to,
      }));
    })
    .sort((left, right) => left.instant - right.instant);
}

/** Clocks are changed on a day of the year, at one time: a rule that says anything else is not followed. */
function yearlyRule({ rule, from }: Observance): Rule | null {
  const read = rule === null ? null : readRule(ruleOnClock(rule, () => from));
  if (read === null || isFlaw(read) || read.frequency !== 'YEARLY') return null;
  return Object.keys(read.by).some((name) => TIMES_OF_DAY.has(name)) ? null : read;
}

const TIMES_OF_DAY: ReadonlySet<string> = new Set(['BYHOUR', 'BYMINUTE', 'BYSECOND']);
