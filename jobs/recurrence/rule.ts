/** Reads recurrence rules (RFC 5545, 3.3.10), strictly: guessing at a broken rule would put wrong dates into the calendar. */
import * as z from 'zod';
import { parseInputDatetime, parseSourceDatetime } from '../../src/calendar/input-datetime.ts';
import { type OffsetAt, osloOffset } from '../../src/calendar/time.ts';

const FREQUENCIES = ['SECONDLY', 'MINUTELY', 'HOURLY', 'DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'] as const;
type Frequency = Rule['frequency'];

const BY_NAMES = [
  'BYSECOND',
  'BYMINUTE',
  'BYHOUR',
  'BYDAY',
  'BYMONTHDAY',
  'BYYEARDAY',
  'BYWEEKNO',
  'BYMONTH',
  'BYSETPOS',
] as const;
type ByName = (typeof BY_NAMES)[number];

/** A parsed rule, also as the records of a feed store it. */
export const ruleSchema = z.object({
  frequency: z.enum(FREQUENCIES),
  interval: z.int(),
  count: z.int().nullable(),
  /** Last wall clock reading that may be a start. */
  until: z.int().nullable(),
  /** The first weekday of a week; Monday is 0. */
  weekStart: z.int(),
  /** The given BYxxx parts, with distinct values. BYDAY has `nth * 7 + weekday`: 0 is every Monday, 8 the first Tuesday. */
  by: z.partialRecord(z.enum(BY_NAMES), z.array(z.int()).readonly()),
});

export type Rule = Readonly<z.output<typeof ruleSchema>>;

/** Their positions are weekday numbers: Monday is 0. */
export const WEEKDAYS: readonly string[] = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'];

/** What is wrong with a rule (G2): the first five of its wrong parts, or its conflicts. */
export interface RuleFlaw {
  /** The names of the wrong parts, with commas between. */
  readonly parts: string;
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
  const { parts, flaws } = readParts(text);
  if (flaws.length > 0) return joined(flaws);
  const frequency = FREQUENCIES.find((name) => name === parts.get('FREQ'));
  if (frequency === undefined) return joined([WITHOUT_FREQUENCY]);
  const conflicts = conflictsIn(frequency, parts).filter(({ part }) => !isOfFeed || part !== 'COUNT');
  return conflicts.length > 0 ? joined(conflicts) : createRule(frequency, parts, clock);
}

interface PartFlaw {
  readonly part: string;
  readonly expected: string;
  readonly found: string;
}

const WITHOUT_FREQUENCY: PartFlaw = {
  part: 'FREQ',
  expected: `FREQ, one of ${FREQUENCIES.join(', ')}`,
  found: 'none',
};

interface ReadParts {
  /** The value of each part, by its name. */
  readonly parts: ReadonlyMap<string, string>;
  readonly flaws: readonly PartFlaw[];
}

/** Ends at the fifth flaw. */
function readParts(text: string): ReadParts {
  const parts = new Map<string, string>();
  const flaws: PartFlaw[] = [];
  for (const written of splitRule(text)) {
    const at = written.indexOf('=');
    const name = written.slice(0, Math.max(at, 0));
    const value = written.slice(at + 1);
    const expected = flawInPart(name, value, parts);
    if (expected !== null)
      flaws.push({ part: isPart(name) ? name : written.slice(0, 40), expected, found: value });
    if (flaws.length === MOST_FLAWS) break;
    parts.set(name, value);
  }
  return { parts, flaws };
}

/** Wrong parts of a rule that are named. */
const MOST_FLAWS = 5;

function splitRule(text: string): readonly string[] {
  const bare = text
    .trim()
    .replace(/^RRULE:/i, '')
    .replace(/;$/, '');
  return bare.toUpperCase().split(';');
}

/** Several flaws as one. */
function joined(flaws: readonly PartFlaw[]): RuleFlaw {
  const join = (textOf: (flaw: PartFlaw) => string, by = '; ') => flaws.map(textOf).join(by);
  return {
    parts: join(({ part }) => part, ','),
    expected: join(({ part, expected }) => (flaws.length === 1 ? expected : `${part}: ${expected}`)),
    found: join(({ part, found }) => `${part}: ${found.slice(0, 80)}`),
  };
}

/** The `expected` of a finding about a part; null for a good one. */
function flawInPart(name: string, value: string, before: ReadonlyMap<string, string>): string | null {
  if (!isPart(name)) return A_PART;
  return before.has(name) ? 'each part once' : PARTS[name](value);
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
const isFrequency = (value: string): value is Frequency => FREQUENCIES.some((name) => name === value);
const isWeekday = (value: string) => WEEKDAYS.includes(value);

function positive(value: string): string | null {
  return /^\d{1,15}$/.test(value) && Number(value) > 0 ? null : 'a positive whole number';
}

function numbers(least: number, most: number, sign?: 'signed'): Check {
  const form = sign === undefined ? /^\d{1,3}$/ : /^[+-]?\d{1,3}$/;
  const range = `numbers from ${least} to ${most}`;
  const expected = sign === undefined ? range : `${range} or from -${most} to -${least}`;
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
function conflictsIn(frequency: Frequency, parts: ReadonlyMap<string, string>): readonly PartFlaw[] {
  return CONDITIONS.filter(({ part, isAllowed }) => parts.has(part) && !isAllowed(frequency, parts)).map(
    ({ part, expected }) => ({ part, expected, found: `${part} with FREQ=${frequency}` }),
  );
}

/** A part that is allowed only with some frequencies or other parts. */
interface Condition {
  readonly part: PartName;
  readonly isAllowed: (frequency: Frequency, parts: ReadonlyMap<string, string>) => boolean;
  readonly expected: string;
}

const hasOrdinal = (parts: ReadonlyMap<string, string>) => /\d/.test(parts.get('BYDAY') ?? '');

const CONDITIONS: readonly Condition[] = [
  {
    part: 'BYWEEKNO',
    isAllowed: (frequency) => frequency === 'YEARLY',
    expected: 'BYWEEKNO with FREQ=YEARLY only',
  },
  {
    part: 'BYWEEKNO',
    isAllowed: (_, parts) => !hasOrdinal(parts),
    expected: 'BYDAY without numbers beside BYWEEKNO',
  },
  {
    part: 'BYYEARDAY',
    isAllowed: (frequency) => !['DAILY', 'WEEKLY', 'MONTHLY'].includes(frequency),
    expected: 'no BYYEARDAY with FREQ=DAILY, WEEKLY or MONTHLY',
  },
  {
    part: 'BYMONTHDAY',
    isAllowed: (frequency) => frequency !== 'WEEKLY',
    expected: 'no BYMONTHDAY with FREQ=WEEKLY',
  },
  {
    part: 'BYDAY',
    isAllowed: (frequency, parts) => frequency === 'MONTHLY' || frequency === 'YEARLY' || !hasOrdinal(parts),
    expected: 'BYDAY with numbers in FREQ=MONTHLY or YEARLY only',
  },
  {
    part: 'BYSETPOS',
    isAllowed: (_, parts) => [...parts.keys()].filter(isBy).length > 1,
    expected: 'another BYxxx part beside BYSETPOS',
  },
  {
    part: 'COUNT',
    isAllowed: (_, parts) => !parts.has('UNTIL'),
    expected: 'either COUNT or UNTIL',
  },
];

function createRule(frequency: Frequency, parts: ReadonlyMap<string, string>, clock: OffsetAt): Rule {
  const count = parts.get('COUNT');
  const until = parts.get('UNTIL');
  const by: Partial<Record<ByName, readonly number[]>> = {};
  for (const [name, value] of parts) {
    const numberOf = name === 'BYDAY' ? dayNumber : Number;
    if (isBy(name)) by[name] = [...new Set(value.split(',').map(numberOf))];
  }
  return {
    frequency,
    interval: Math.min(Number(parts.get('INTERVAL') ?? '1'), LONGEST_INTERVAL[frequency]),
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
const LONGEST_INTERVAL: Readonly<Record<Frequency, number>> = {
  SECONDLY: 3.2e11,
  MINUTELY: 5.3e9,
  HOURLY: 8.8e7,
  DAILY: 3_660_000,
  WEEKLY: 522_000,
  MONTHLY: 120_000,
  YEARLY: 10_000,
};
