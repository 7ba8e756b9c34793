/** RFC 5545's RRULE value, read strictly: a library that guesses at a broken rule would put wrong dates in the calendar. */
import { parseSourceDatetime } from '../../src/calendar/time.ts';

export const FREQUENCIES = [
  'SECONDLY',
  'MINUTELY',
  'HOURLY',
  'DAILY',
  'WEEKLY',
  'MONTHLY',
  'YEARLY',
] as const;
export type Frequency = (typeof FREQUENCIES)[number];

export const WEEKDAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'] as const;
export type Weekday = (typeof WEEKDAYS)[number];

export interface Rule {
  readonly frequency: Frequency;
  readonly interval: number;
  readonly count: number | null;
  /** Last wall clock reading that may be a start. */
  readonly until: number | null;
  readonly weekStart: Weekday;
  /** The BYxxx parts that are given, by name: distinct values in the order given, as text. */
  readonly by: ReadonlyMap<ByName, readonly string[]>;
}

/** What is wrong with a rule (G2). */
export interface RuleFlaw {
  readonly part: string;
  readonly expected: string;
  readonly found: string;
}

export function isFlaw(read: Rule | RuleFlaw): read is RuleFlaw {
  return 'expected' in read;
}

/** Reads a rule, with or without `RRULE:` in front and a semicolon behind, as calendars in the wild write it. */
export function readRule(text: string): Rule | RuleFlaw {
  const parts = new Map<string, string>();
  for (const part of text
    .trim()
    .replace(/^RRULE:/i, '')
    .replace(/;$/, '')
    .toUpperCase()
    .split(';')) {
    const at = part.indexOf('=');
    const name = part.slice(0, Math.max(at, 0));
    if (!isPart(name)) return flaw(part.slice(0, 40), `a part NAME=value with one of ${PART_NAMES}`, part);
    if (parts.has(name)) return flaw(name, 'each part once', part);
    const value = part.slice(at + 1);
    const expected = PARTS[name](value);
    if (expected !== null) return flaw(name, expected, value);
    parts.set(name, value);
  }
  const frequency = FREQUENCIES.find((known) => known === parts.get('FREQ'));
  if (frequency === undefined) return flaw('FREQ', `FREQ, one of ${FREQUENCIES.join(', ')}`, 'none');
  return conflictIn(frequency, parts) ?? ruleOf(frequency, parts);
}

function flaw(part: string, expected: string, found: string): RuleFlaw {
  return { part, expected, found: found.slice(0, 80) };
}

/** A part's value is good (null), or this was expected. */
type Check = (value: string) => string | null;

/** The rule's parts and what each may hold (RFC 5545, 3.3.10). */
const PARTS = {
  FREQ: (value) => (isFrequency(value) ? null : `one of ${FREQUENCIES.join(', ')}`),
  INTERVAL: positive,
  COUNT: positive,
  UNTIL: (value) => (untilOf(value) === null ? 'YYYYMMDD or YYYYMMDDTHHMMSS, with or without Z' : null),
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
export type ByName = Extract<PartName, `BY${string}`>;

const PART_NAMES = Object.keys(PARTS).join(', ');

const isPart = (name: string): name is PartName => Object.hasOwn(PARTS, name);
const isBy = (name: string): name is ByName => name.startsWith('BY');
const isFrequency = (value: string): value is Frequency => FREQUENCIES.some((known) => known === value);
const isWeekday = (value: string): value is Weekday => WEEKDAYS.some((known) => known === value);

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

/** A date alone is meant to its end. A moment in UTC counts by the wall clock that Norway then has. */
function untilOf(value: string): number | null {
  const match = /^(\d{4})(\d{2})(\d{2})(?:T(\d{2})(\d{2})(\d{2})(Z?))?$/.exec(value);
  if (match === null) return null;
  const [, year, month, day, hour = '23', minute = '59', second = '59', zone = ''] = match;
  return parseSourceDatetime(`${year}-${month}-${day} ${hour}:${minute}:${second}${zone}`)?.wall ?? null;
}

/** What RFC 5545 says MUST NOT stand together. */
function conflictIn(frequency: Frequency, parts: ReadonlyMap<string, string>): RuleFlaw | null {
  for (const [name, isAllowed, expected] of CONFLICTS)
    if (parts.has(name) && !isAllowed(frequency, parts))
      return flaw(name, expected, `${name} with FREQ=${frequency}`);
  return null;
}

type Allows = (frequency: Frequency, parts: ReadonlyMap<string, string>) => boolean;

const hasOrdinal = (parts: ReadonlyMap<string, string>) => /\d/.test(parts.get('BYDAY') ?? '');

const CONFLICTS: readonly (readonly [PartName, Allows, string])[] = [
  ['COUNT', (_, parts) => !parts.has('UNTIL'), 'either COUNT or UNTIL'],
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
];

function ruleOf(frequency: Frequency, parts: ReadonlyMap<string, string>): Rule {
  const count = parts.get('COUNT');
  const until = parts.get('UNTIL');
  const by = new Map<ByName, readonly string[]>();
  for (const [name, value] of parts)
    if (isBy(name)) by.set(name, [...new Set(value.split(',').map(plainly))]);
  return {
    frequency,
    interval: Math.min(Number(parts.get('INTERVAL') ?? '1'), LONGEST[frequency]),
    count: count === undefined ? null : Number(count),
    until: until === undefined ? null : untilOf(until),
    weekStart: WEEKDAYS.find((known) => known === parts.get('WKST')) ?? 'MO',
    by,
  };
}

/** `+1MO` and `01MO` are `1MO`: one spelling for each value. */
function plainly(text: string): string {
  return text.replace(/^\+?(-?)0*(?=\d)/, '$1');
}

/** Ten thousand years in each unit: a longer interval never comes round, and a library stumbles over it. */
const LONGEST: Readonly<Record<Frequency, number>> = {
  SECONDLY: 3.2e11,
  MINUTELY: 5.3e9,
  HOURLY: 8.8e7,
  DAILY: 3_660_000,
  WEEKLY: 522_000,
  MONTHLY: 120_000,
  YEARLY: 10_000,
};
