/** The clocks on which dates recur: of zones of the time zone database, by their names, and of the time zone definitions of feeds. */
import { lastUpTo } from '../../src/calendar/groups.ts';
import { DAY, type OffsetAt, osloOffset, zoneNamed } from '../../src/calendar/time.ts';
import type { Allowance, EventAllowance } from './allowance.ts';
import { expand } from './expand.ts';
import { isFlaw, type Rule, readRule } from './rule.ts';
import type { Observance, ZoneName } from './series.ts';

/** Clocks by name; each is created once. Throws for a name that the database does not have. */
type Clocks = (name: ZoneName) => OffsetAt;

export function createClocks(allowance: Allowance): Clocks {
  const clocks = new Map<string, OffsetAt>();
  return (name) => {
    const key = typeof name === 'string' ? name : JSON.stringify(name);
    const clock = clocks.get(key) ?? clockOf(name, allowance);
    clocks.set(key, clock);
    return clock;
  };
}

function clockOf(name: ZoneName, allowance: Allowance): OffsetAt {
  const clock = typeof name === 'string' ? namedClock(name) : definedClock(name.observances, allowance);
  if (clock === null) throw new RangeError(`expected the name of a time zone, found ${String(name)}`);
  return clock;
}

/** Null if the time zone database does not have the name. */
export function namedClock(name: string): OffsetAt | null {
  if (name === 'UTC') return utc;
  if (name === 'Europe/Oslo') return osloOffset;
  const offsetAt = zoneNamed(name);
  return offsetAt === null ? null : withCache(offsetAt);
}

export const utc: OffsetAt = () => 0;

/** Seconds. Clocks change only at quarters of an hour, and each call of the zone library is slow. */
const QUARTER = 900;
const MOST_QUARTERS = 50_000;

/** A clock that looks up each quarter of an hour in the other one, and only once. */
function withCache(offsetAt: OffsetAt): OffsetAt {
  const offsetsByQuarter = new Map<number, number>();
  return (instant) => {
    const quarter = Math.floor(instant / QUARTER);
    let offset = offsetsByQuarter.get(quarter);
    if (offset === undefined) {
      offset = offsetAt(quarter * QUARTER);
      if (offsetsByQuarter.size < MOST_QUARTERS) offsetsByQuarter.set(quarter, offset);
    }
    return offset;
  };
}

/** The instant of a clock change, and the offset from then on, in seconds ahead of UTC. */
interface Onset {
  readonly instant: number;
  readonly offset: number;
}

/** Rules of zones are followed up to here, in seconds since 1970; the last offset applies from then on. */
const LAST = Date.UTC(2100, 0) / 1000;

/** The clock of a time zone definition. Its rules are expanded at the first call. */
export function definedClock(observances: readonly Observance[], allowance: Allowance): OffsetAt {
  let onsets: readonly Onset[] | null = null;
  const initial = observances.toSorted((left, right) => left.start - right.start)[0]?.from ?? 0;
  return (instant) => {
    onsets ??= onsetsOf(observances, allowance.forEvent());
    return lastUpTo(onsets, (onset) => onset.instant <= instant)?.offset ?? initial;
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

/** Clock changes are yearly, even where a rule is written by the hour (Lotus): any other rule is ignored. */
function yearlyRule({ rule, from }: Observance): Rule | null {
  const read = rule === null ? null : readRule(rule, { clock: () => from, isOfFeed: true });
  return read === null || isFlaw(read) || read.frequency !== 'YEARLY' ? null : read;
}

/** Whether a clock agrees with Norway's for two years from an instant. */
export function hasNorwaysClock(offsetAt: OffsetAt, from: number): boolean {
  // Steps of a week find every difference in summer time.
  for (let week = 0; week < 104; week++) {
    const at = from + week * 7 * DAY;
    if (offsetAt(at) !== osloOffset(at)) return false;
  }
  return true;
}

/** The reading of a place's clock at an instant. */
export function wallIn(offsetAt: OffsetAt, instant: number): number {
  return instant + offsetAt(instant);
}
