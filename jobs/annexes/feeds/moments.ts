/** Days and times of day as people write them in tables and on pages. */

import { parseSourceDatetime } from '../../../src/calendar/input-datetime.ts';
import { fold } from '../../../src/calendar/text.ts';

/** A day, a time of day, or both: each part may be missing, but not all of them. */
export interface WrittenMoment {
  /** `YYYY-MM-DD` */
  readonly day: string | null;
  /** `HH:mm`; as an end also `24:00`. */
  readonly time: string | null;
  /** `Z` or `+02:00`, after the time; else empty. */
  readonly offset: string;
  /** The later one of `19.00–21.00`. */
  readonly until: string | null;
  /** The offset of `until`; after `19:00Z–21:00` that of the start. */
  readonly untilOffset: string;
  /** The later one of `14.–16. februar 2027`. */
  readonly lastDay: string | null;
}

export type ReadMoment = (cell: string) => WrittenMoment | null;

/** Longer cells contain more than a date. */
const LONGEST = 100;

/** Whether `05/06/2027` is in June or in May. */
export type DateOrder = 'day first' | 'month first';

/** Creates a cell's reader, which returns null for a cell without date and time. With a format, dates have that form or ISO's. */
export function momentReader(format: string | null, order: DateOrder = 'day first'): ReadMoment {
  const forms = format === null ? FORMS[order] : formsOf(format);
  return (cell) => {
    if (cell.length > LONGEST) return null;
    const text = fold(cell.replace(/[\u2010-\u2015]/g, '-'))
      .replace(/\s+/g, ' ')
      .trim();
    return readOne(text, forms) ?? readRange(text, forms);
  };
}

function readOne(text: string, forms: readonly RegExp[]): WrittenMoment | null {
  for (const form of forms) {
    const groups = form.exec(text)?.groups;
    const moment = groups === undefined ? null : momentOf(groups);
    if (moment !== null) return moment;
  }
  return null;
}

/** `14.02.2027 – 16.02.2027`, each with or without a time, and `14.–16. februar 2027`. */
function readRange(text: string, forms: readonly RegExp[]): WrittenMoment | null {
  for (const { 0: between, index } of text.matchAll(/ ?- ?| til | to | through /g)) {
    const last = readOne(text.slice(index + between.length), forms);
    if (last === null || last.day === null || last.until !== null) continue;
    const left = text.slice(0, index);
    const [, date] = /^(\d{1,2})\.?$/.exec(left) ?? [];
    const first = date === undefined ? left : `${last.day.slice(0, 8)}${date.padStart(2, '0')}`;
    const read = readOne(first, [ISO, ...forms]);
    if (read === null || read.day === null || read.until !== null) continue;
    return { ...read, until: last.time, untilOffset: last.offset, lastDay: last.day };
  }
  return null;
}

const WEEKDAY = '(?:(?:man|tir|ons|tor|fre|lor|son|mon|tue|wed|thu|fri|sat|sun)[a-z]*[.,]* (?:den |the )?)?';
const CLOCK =
  '(?<hour>\\d{1,2})(?:[.:h]?(?<minute>[0-5]\\d)(?:[.:][0-5]\\d(?:[.,]\\d+)?)?)?h?(?: ?(?<half>[ap])\\.?m\\.?)?';
const KL = '(?:(?:kl|klokka|klokken|at|fra|from|ca)\\.? ?)*';
const UNTIL = `(?: ?(?:-|til|to) ?${KL}(?:(?<lastHour>\\d{1,2})(?:[.:h]?(?<lastMinute>[0-5]\\d)(?:[.:][0-5]\\d)?)?h?(?: ?(?<lastHalf>[ap])\\.?m\\.?)?)?)?`;
// A western offset looks like an end: it counts only after a day, and there after a T or after seconds.
const WEST = '|(?<=t\\d\\d:\\d\\d|:\\d\\d:\\d\\d(?:\\.\\d{1,9})?)-(?:0\\d|1[0-2]):?[0-5]\\d';
const timeWith = (west: string) =>
  `${KL}${CLOCK}(?: ?(?<offset>z|\\+\\d{2}:?\\d{2}${west}))?${UNTIL}(?: uhr| h)?`;
const THEN = `(?:(?:,? |,|t| - )${timeWith(WEST)})?`;

const form = (day: string) => new RegExp(`^${WEEKDAY}${day}${THEN}$`);

const ISO = form('(?<year>\\d{4})[-/.](?<month>\\d{1,2})[-/.](?<date>\\d{1,2})');
const ONLY_TIME = new RegExp(`^${timeWith('')}$`);
const YEAR = '[./-] ?(?<year>\\d{4}|\\d{2}(?!\\d))\\.?';
const NAMED = [
  form('(?<date>\\d{1,2})\\.?[ /-](?<name>[a-z]{3,9})\\.?,?[ /-](?<year>\\d{4})'),
  form('(?<year>\\d{4})(?<month>0[1-9]|1[0-2])(?<date>[0-3]\\d)'),
  form('(?<name>[a-z]{3,9})\\.? (?<date>\\d{1,2})(?:st|nd|rd|th)?,? (?<year>\\d{4})'),
  ONLY_TIME,
];
const FORMS: Readonly<Record<DateOrder, readonly RegExp[]>> = {
  'day first': [ISO, form(`(?<date>\\d{1,2})[./-] ?(?<month>\\d{1,2})${YEAR}`), ...NAMED],
  'month first': [ISO, form(`(?<month>\\d{1,2})[./-] ?(?<date>\\d{1,2})${YEAR}`), ...NAMED],
};

/** By their first three letters, in Norwegian and English. */
const MONTHS: readonly string[] = 'jan feb mar apr mai may jun jul aug sep okt oct nov des dec'.split(' ');
const NUMBERS = [1, 2, 3, 4, 5, 5, 6, 7, 8, 9, 10, 10, 11, 12, 12];

type Groups = Readonly<Record<string, string | undefined>>;

function momentOf(groups: Groups): WrittenMoment | null {
  const day = groups.date === undefined ? null : dayOf(groups);
  if (groups.date !== undefined && day === null) return null;
  const time = clockOf(groups.hour, groups.minute, groups.half ?? halfOf(groups));
  const until = clockOf(groups.lastHour, groups.lastMinute, groups.lastHalf);
  if ((groups.hour !== undefined && time === null) || (groups.lastHour !== undefined && until === null))
    return null;
  if (time === null && day === null) return null;
  const offset = (groups.offset ?? '').toUpperCase();
  if (offset !== '' && (time === '24:00' || parseSourceDatetime(`2027-01-01 ${time}${offset}`) === null))
    return null;
  return { day, time, offset, until, untilOffset: until === null ? '' : offset, lastDay: null };
}

/** `7-9 pm` is all in the evening, `11-1 pm` begins before noon. */
function halfOf({ hour, lastHour, lastHalf }: Groups): string | undefined {
  if (lastHalf === undefined || Number(hour) > 12) return undefined;
  return Number(hour) % 12 <= Number(lastHour) % 12 ? lastHalf : 'a';
}

/** Null for a day that the calendar does not have. */
function dayOf({ year = '', month, name, date = '' }: Groups): string | null {
  const number = month === undefined ? NUMBERS[MONTHS.indexOf((name ?? '').slice(0, 3))] : Number(month);
  if (number === undefined) return null;
  const full = year.length === 2 ? `20${year}` : year;
  const day = `${full}-${String(number).padStart(2, '0')}-${date.padStart(2, '0')}`;
  return parseSourceDatetime(`${day} 00:00`) === null ? null : day;
}

function clockOf(hour: string | undefined, minute = '00', half: string | undefined): string | null {
  if (hour === undefined) return null;
  const written = Number(hour);
  if (half !== undefined && (written < 1 || (written > 12 && half === 'a'))) return null;
  // Some programs write `13:01 PM`.
  const isHalved = half !== undefined && written <= 12;
  const number = isHalved ? (written % 12) + (half === 'p' ? 12 : 0) : written;
  if (number > 24 || (number === 24 && minute !== '00')) return null;
  return `${String(number).padStart(2, '0')}:${minute}`;
}

/** The parts of a format, as in spreadsheet programs and in this calendar's documentation. */
const PARTS: Readonly<Record<string, string>> = {
  YYYY: '(?<year>\\d{4})',
  YY: '(?<year>\\d{2})',
  MMMM: '(?<name>[a-z]{3,9})\\.?',
  MMM: '(?<name>[a-z]{3,9})\\.?',
  MM: '(?<month>\\d{1,2})',
  M: '(?<month>\\d{1,2})',
  DD: '(?<date>\\d{1,2})',
  D: '(?<date>\\d{1,2})',
  HH: '(?<hour>\\d{1,2})',
  H: '(?<hour>\\d{1,2})',
  hh: '(?<hour>\\d{1,2})',
  h: '(?<hour>\\d{1,2})',
  mm: '(?<minute>[0-5]\\d)',
  ss: '[0-5]\\d',
  A: '(?<half>[ap])\\.?m\\.?',
  a: '(?<half>[ap])\\.?m\\.?',
};
const TOKEN = /(\[[^\][]*\]|YYYY|YY|M{1,4}|DD?|HH?|hh?|mm|ss|[Aa](?![a-z]))/g;
const NEEDED = ['year', 'date'] as const;

/** Null if it is not a valid format: a part is repeated, or a part of the day is missing. Text in brackets is literal. */
export function patternOf(format: string): RegExp | null {
  const pattern = sourceOf(format);
  const has = (name: string) => pattern.includes(`(?<${name}>`);
  if (!NEEDED.every(has) || has('month') === has('name')) return null;
  try {
    return new RegExp(`^${pattern}$`);
  } catch {
    return null;
  }
}

function sourceOf(format: string): string {
  const read = (part: string, index: number) =>
    index % 2 === 0 ? literal(part) : (PARTS[part] ?? literal(part.slice(1, -1)));
  return format.split(TOKEN).map(read).join('');
}

/** The whole format, and its day alone, for a table with times of day in a column of their own, or after the day. */
function formsOf(format: string): readonly RegExp[] {
  const whole = patternOf(format);
  const tokens = [...format.matchAll(TOKEN)].filter(([token]) => /^[YMD]/.test(token));
  const [first, last] = [tokens[0], tokens.at(-1)];
  if (whole === null || first === undefined || last === undefined) return [ISO, ONLY_TIME];
  const day = sourceOf(format.slice(first.index, last.index + last[0].length));
  return [whole, new RegExp(`^${day}${day.includes('(?<hour>') ? '' : THEN}$`), ISO, ONLY_TIME];
}

function literal(text: string): string {
  return fold(text)
    .replace(/\s+/g, ' ')
    .replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');
}
