/**
 * RFC 5545's RRULE value: read, strictly, because guessing at a broken rule would put wrong dates into the calendar; and, below, expanded to
 * starts.
 */
import {
  HOUR,
  type OffsetAt,
  osloOffset,
  parseInputDatetime,
  parseSourceDatetime,
} from '../../src/calendar/time.ts';
import type { EventAllowance } from './allowance.ts';
import {
  ascending,
  type ByName,
  FREQUENCIES,
  type Frequency,
  inTens,
  LENGTHS,
  type Limit,
  modulo,
  type Periods,
  periodsOf,
  type Rule,
} from './periods.ts';

/** Their indexes are weekday numbers: Monday is 0. */
const WEEKDAYS: readonly string[] = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'];

/** The faults of a rule (G2, as little as possible is dropped, and it is named): all of its wrong parts. */
interface RuleFlaw {
  readonly part: string;
  readonly expected: string;
  readonly found: string;
}

export function isFlaw(read: Rule | RuleFlaw): read is RuleFlaw {
  return 'expected' in read;
}

/**
 * Reads a rule, with or without a leading `RRULE:` and a trailing semicolon, as real calendars write it. UNTIL in UTC is read on the
 * clock on which the rule will be expanded. A feed's rule may have both COUNT and UNTIL: the earlier one ends it.
 */
export function readRule(
  text: string,
  { clock = osloOffset, isOfFeed = false }: { readonly clock?: OffsetAt; readonly isOfFeed?: boolean } = {},
): Rule | RuleFlaw {
  const parts = new Map<string, string>();
  const flaws: RuleFlaw[] = [];
  for (const part of text
    .trim()
    .replace(/^RRULE:/i, '')
    .replace(/;$/, '')
    .toUpperCase()
    .split(';')) {
    const at = part.indexOf('=');
    const name = part.slice(0, Math.max(at, 0));
    const value = part.slice(at + 1);
    const expected = !isPart(name) ? A_PART : parts.has(name) ? 'each part once' : PARTS[name](value);
    if (expected !== null)
      flaws.push({ part: isPart(name) ? name : part.slice(0, 40), expected, found: value });
    if (flaws.length === MOST_FLAWS) break;
    parts.set(name, value);
  }
  const frequency = FREQUENCIES.find((known) => known === parts.get('FREQ'));
  if (flaws.length === 0 && !parts.has('FREQ'))
    flaws.push({ part: 'FREQ', expected: `FREQ, one of ${FREQUENCIES.join(', ')}`, found: 'none' });
  if (frequency !== undefined && flaws.length === 0)
    flaws.push(...conflictsIn(frequency, parts).filter(({ part }) => !isOfFeed || part !== 'COUNT'));
  return frequency === undefined || flaws.length > 0 ? flawOf(flaws) : ruleOf(frequency, parts, clock);
}

/** Wrong parts of a rule that are named. */
const MOST_FLAWS = 5;

/** Several faults as one. */
function flawOf(flaws: readonly RuleFlaw[]): RuleFlaw {
  const join = (textOf: (flaw: RuleFlaw) => string, by = '; ') => flaws.map(textOf).join(by);
  return {
    part: join(({ part }) => part, ','),
    expected: join(({ part, expected }) => (flaws.length === 1 ? expected : `${part}: ${expected}`)),
    found: join(({ part, found }) => `${part}: ${found.slice(0, 80)}`),
  };
}

/** Null for a valid value of a part, else what was expected. */
type Check = (value: string) => string | null;

/** The rule's parts and their valid values (RFC 5545, 3.3.10). */
const PARTS = {
  FREQ: (value) => (isFrequency(value) ? null : `one of ${FREQUENCIES.join(', ')}`),
  INTERVAL: positive,
  COUNT: positive,
  UNTIL: (value) =>
    untilOf(value, osloOffset) === null ? 'YYYYMMDD or YYYYMMDDTHHMMSS, with or without Z' : null,
  WKST: (value) => (isWeekday(value) ? null : `one of ${WEEKDAYS.join(', ')}`),
  BYSECOND: numbers(0, 60),
  BYMINUTE: numbers(0, 59),
  BYHOUR: numbers(0, 23),
  BYDAY: (value) =>
    value.split(',').every(isDay) ? null : 'weekdays such as MO or, within a month or year, -1FR',
  BYMONTHDAY: numbers(1, 31, 'signed'),
  BYYEARDAY: numbers(1, 366, 'signed'),
  BYWEEKNO: numbers(1, 53, 'signed'),
  BYMONTH: numbers(1, 12),
  BYSETPOS: numbers(1, 366, 'signed'),
} satisfies Readonly<Record<string, Check>>;

type PartName = keyof typeof PARTS;

const A_PART = `a part NAME=value with one of ${Object.keys(PARTS).join(', ')}`;

const isPart = (name: string): name is PartName => Object.hasOwn(PARTS, name);
const isBy = (name: string): name is ByName => name.startsWith('BY');
const isFrequency = (value: string): value is Frequency => FREQUENCIES.some((known) => known === value);
const isWeekday = (value: string) => WEEKDAYS.includes(value);

function positive(value: string): string | null {
  return /^\d{1,15}$/.test(value) && Number(value) > 0 ? null : 'a positive whole number';
}

function numbers(least: number, most: number, sign?: 'signed'): Check {
  const form = sign === undefined ? /^\d{1,3}$/ : /^[+-]?\d{1,3}$/;
  const expected = `numbers from ${least} to ${most}${sign === undefined ? '' : ' or the same below zero'}`;
  const isOne = (text: string) => form.test(text) && within(Math.abs(Number(text)), least, most);
  return (value) => (value.split(',').every(isOne) ? null : expected);
}

function isDay(text: string): boolean {
  const match = /^(?:[+-]?(\d{1,2}))?([A-Z]{2})$/.exec(text);
  return match !== null && isWeekday(match[2] ?? '') && within(Number(match[1] ?? '1'), 1, 53);
}

function within(value: number, least: number, most: number): boolean {
  return value >= least && value <= most;
}

/** A date alone includes the whole day. */
function untilOf(value: string, clock: OffsetAt): number | null {
  const match = /^(\d{4})(\d{2})(\d{2})(?:T(\d{2})(\d{2})(\d{2})(Z?))?$/.exec(value);
  if (match === null) return null;
  const [, year, month, day, hour = '23', minute = '59', second = '59', zone = ''] = match;
  const written = `${year}-${month}-${day} ${hour}:${minute}:${second}`;
  if (zone === '') return parseSourceDatetime(written)?.wall ?? null;
  const instant = parseInputDatetime(`${written}Z`);
  return instant === null ? null : instant + clock(instant);
}

/** Parts that RFC 5545 forbids together. */
function conflictsIn(frequency: Frequency, parts: ReadonlyMap<string, string>): readonly RuleFlaw[] {
  return CONFLICTS.filter(([name, isAllowed]) => parts.has(name) && !isAllowed(frequency, parts)).map(
    ([part, , expected]) => ({ part, expected, found: `${part} with FREQ=${frequency}` }),
  );
}

type Allows = (frequency: Frequency, parts: ReadonlyMap<string, string>) => boolean;

const hasOrdinal = (parts: ReadonlyMap<string, string>) => /\d/.test(parts.get('BYDAY') ?? '');

const CONFLICTS: readonly (readonly [PartName, Allows, string])[] = [
  ['BYWEEKNO', (frequency) => frequency === 'YEARLY', 'BYWEEKNO with FREQ=YEARLY only'],
  ['BYWEEKNO', (_, parts) => !hasOrdinal(parts), 'BYDAY without numbers beside BYWEEKNO'],
  [
    'BYYEARDAY',
    (frequency) => !['DAILY', 'WEEKLY', 'MONTHLY'].includes(frequency),
    'BYYEARDAY not with days, weeks, months',
  ],
  ['BYMONTHDAY', (frequency) => frequency !== 'WEEKLY', 'BYMONTHDAY not with FREQ=WEEKLY'],
  [
    'BYDAY',
    (frequency, parts) => frequency === 'MONTHLY' || frequency === 'YEARLY' || !hasOrdinal(parts),
    'BYDAY with numbers in FREQ=MONTHLY or YEARLY only',
  ],
  ['BYSETPOS', (_, parts) => [...parts.keys()].filter(isBy).length > 1, 'another BYxxx part beside BYSETPOS'],
  ['COUNT', (_, parts) => !parts.has('UNTIL'), 'either COUNT or UNTIL'],
];

function ruleOf(frequency: Frequency, parts: ReadonlyMap<string, string>, clock: OffsetAt): Rule {
  const count = parts.get('COUNT');
  const until = parts.get('UNTIL');
  const by: Partial<Record<ByName, readonly number[]>> = {};
  for (const [name, value] of parts) {
    const numberOf = name === 'BYDAY' ? dayNumber : Number;
    if (isBy(name)) by[name] = [...new Set(value.split(',').map(numberOf))];
  }
  return {
    frequency,
    interval: Math.min(Number(parts.get('INTERVAL') ?? '1'), LONGEST[frequency]),
    count: count === undefined ? null : Number(count),
    until: until === undefined ? null : untilOf(until, clock),
    weekStart: WEEKDAYS.indexOf(parts.get('WKST') ?? 'MO'),
    by,
  };
}

function dayNumber(text: string): number {
  return Number(text.slice(0, -2)) * 7 + WEEKDAYS.indexOf(text.slice(-2));
}

/** Ten thousand years in each unit: a longer interval never recurs. */
const LONGEST: Readonly<Record<Frequency, number>> = {
  SECONDLY: 3.2e11,
  MINUTELY: 5.3e9,
  HOURLY: 8.8e7,
  DAILY: 3_660_000,
  WEEKLY: 522_000,
  MONTHLY: 120_000,
  YEARLY: 10_000,
};

export interface Wanted {
  /** Wall clock reading at which the rule begins (DTSTART). */
  readonly start: number;
  /** The first and the last reading that is wanted. */
  readonly from: number;
  readonly until: number;
  /** Rejects exceptions, and past starts. */
  readonly keep: (wall: number) => boolean;
  /** Limit on the number; without it, as many as the allowance grants. */
  readonly most?: number;
}

export interface Expansion {
  /** Wall clock readings, ascending. */
  readonly walls: readonly number[];
  /** The expected form of a rule with more starts; null if these are all. */
  readonly cut: string | null;
}

/**
 * Expands rules to starts (F4, dates in records), by RFC 5545, 3.3.10. A rule is expanded on the wall clock, as if its place were on UTC;
 * the effect of a clock change on a start is decided later (A12, clock changes). The first start counts only if the rule yields it.
 *
 * A rule has periods, of which every INTERVALth counts. Candidates in a period are the days that meet every part of the rule, each at all
 * of the rule's times, of which BYSETPOS selects some. Periods are tried one by one, and a period without candidates costs a step: so the
 * work for any rule is bounded.
 */
export function expand(rule: Rule, wanted: Wanted, allowance: EventAllowance): Expansion {
  let cut: string | null = null;
  const work: Work = (steps) => {
    cut ??= allowance.work(steps);
    return cut === null;
  };
  const walls: number[] = [];
  for (const wall of readings(rule, wanted, work)) {
    const isKept = wanted.keep(wall);
    cut ??= isKept ? allowance.keep(1) : allowance.work(1);
    if (cut !== null || (isKept && walls.push(wall) === wanted.most)) break;
  }
  return { walls, cut };
}

/** Takes some steps; returns false if not enough are left. */
type Work = (steps: number) => boolean;

function readings(written: Rule, { start, ...wanted }: Wanted, work: Work): Iterable<number> {
  const rule = asWeekly(written);
  const times = timesOf(rule, start);
  if (!work(inTens(times.count))) return [];
  const { limits, offsets } = times.list();
  if (offsets.length === 0 || limits.some(({ values }) => values.size === 0)) return [];
  const range = {
    rule,
    start,
    from: Math.max(start, wanted.from),
    until: Math.min(wanted.until, rule.until ?? wanted.until),
    periods: periodsOf(rule, start, limits),
    candidates: candidatesOf(rule.by.BYSETPOS, offsets),
  };
  const looks = offsets.length + (rule.by.BYSETPOS?.length ?? 0);
  return range.periods.isRegular ? regularReadings(range) : unevenReadings(range, looks, work);
}

/** Every weekday, as most calendars write it, is a regular weekly rule. */
function asWeekly(rule: Rule): Rule {
  const { frequency, interval, by } = rule;
  const isWeekly =
    frequency === 'DAILY' &&
    interval === 1 &&
    by.BYDAY !== undefined &&
    (by.BYMONTHDAY ?? by.BYSETPOS) === undefined;
  return isWeekly ? { ...rule, frequency: 'WEEKLY' } : rule;
}

interface Range {
  readonly rule: Rule;
  readonly start: number;
  readonly from: number;
  readonly until: number;
  readonly periods: Periods;
  readonly candidates: (bases: readonly number[]) => readonly number[];
}

/** By arithmetic: all periods have the same candidates, relative to their beginning. Rejected ones cost nothing. */
function* regularReadings({ rule, start, from, until, periods, candidates }: Range): Generator<number> {
  const first = periods.numberOf(start);
  const origin = periods.begin(first);
  const step = periods.begin(first + rule.interval) - origin;
  const offsets = candidates(periods.bases(first)).map((wall) => wall - origin);
  if (offsets.length === 0) return;
  const passed = Math.floor((from - origin) / step);
  let left = rule.count ?? Number.POSITIVE_INFINITY;
  // COUNT begins at the start, whatever range is wanted.
  if (passed > 0) {
    left -= offsets.filter((offset) => origin + offset >= start).length + (passed - 1) * offsets.length;
  }
  for (let begin = origin + passed * step; begin <= until; begin += step) {
    for (let place = 0; place < offsets.length; place++) {
      const wall = begin + (offsets[place] ?? 0);
      if (wall < start) continue;
      if (wall > until || left <= 0) return;
      left--;
      if (wall >= from) yield wall;
    }
  }
}

function* unevenReadings(
  { rule, start, from, until, periods, candidates }: Range,
  looks: number,
  work: Work,
): Generator<number> {
  const first = periods.numberOf(start);
  const passed = rule.count === null ? Math.floor((periods.numberOf(from) - first) / rule.interval) : 0;
  let left = rule.count ?? Number.POSITIVE_INFINITY;
  let period = first + passed * rule.interval;
  while (left > 0 && periods.begin(period) <= until) {
    const bases = periods.bases(period);
    if (!work(periods.steps + inTens(bases.length * looks))) return;
    let isEmpty = true;
    for (const wall of candidates(bases)) {
      if (wall < start) continue;
      if (wall > until || left === 0) return;
      left--;
      if (wall < from) continue;
      isEmpty = false;
      yield wall;
    }
    if (isEmpty && !work(1)) return;
    const next = Math.max(period + rule.interval, bases.length === 0 ? periods.after() : 0);
    period = first + Math.ceil((next - first) / rule.interval) * rule.interval;
  }
}

/** The parts of a rule that set times, with the seconds of one unit, and the number of units. */
const TIMES = [
  ['BYHOUR', HOUR, 24],
  ['BYMINUTE', 60, 60],
  ['BYSECOND', 1, 60],
] as const;

interface Times {
  readonly limits: readonly Limit[];
  /** Seconds after the beginning of a period, or of its days, at which there is a candidate; ascending. */
  readonly offsets: readonly number[];
}

function timesOf(rule: Rule, start: number): { readonly count: number; readonly list: () => Times } {
  const length = LENGTHS[rule.frequency];
  const given = TIMES.map(([name, unit, cycle]) => ({
    unit,
    cycle,
    isLimit: unit >= length,
    // RFC 5545 allows a sixtieth second; no clock of this calendar shows one.
    values: rule.by[name]?.filter((value) => value < cycle),
  }));
  const within = given
    .filter(({ isLimit }) => !isLimit)
    .map(({ unit, cycle, values }) => ({
      unit,
      values: values ?? [modulo(Math.floor(start / unit), cycle)],
    }));
  const limits = given.flatMap(({ isLimit, unit, cycle, values }) =>
    isLimit && values !== undefined ? [{ unit, cycle, values: new Set(values) }] : [],
  );
  const list = (): Times => {
    const offsets = within.reduce<readonly number[]>(
      (all, { unit, values }) => all.flatMap((offset) => values.map((value) => offset + value * unit)),
      [0],
    );
    return { limits, offsets: offsets.toSorted(ascending) };
  };
  return { count: within.reduce((product, { values }) => product * values.length, 1), list };
}

/** All days at all times, in order; with BYSETPOS only the selected ones. */
function candidatesOf(
  positions: readonly number[] | undefined,
  offsets: readonly number[],
): Range['candidates'] {
  const all = (bases: readonly number[]) => bases.flatMap((base) => offsets.map((offset) => base + offset));
  if (positions === undefined) return all;
  return (bases) => {
    const walls = all(bases);
    const places = positions.map((position) => (position > 0 ? position - 1 : walls.length + position));
    return [...new Set(places)].sort(ascending).flatMap((place) => walls[place] ?? []);
  };
}
