/** Formats of dates that settings give, such as `DD.MM.YYYY HH:mm`, as regular expressions over folded text. */
import { fold } from '../../../src/calendar/text.ts';
import { ISO, ONLY_TIME, THEN } from './moment-forms.ts';

/** Null if it is not a valid format: a part is repeated, or a part of the day is missing. Text in brackets is literal. */
export function patternOf(format: string): RegExp | null {
  const pattern = sourceOf(format);
  const has = (name: string) => pattern.includes(`(?<${name}>`);
  // A month is a number or a name.
  const hasDay = has('year') && has('date') && has('month') !== has('name');
  if (!hasDay) return null;
  try {
    return new RegExp(`^${pattern}$`);
  } catch {
    return null;
  }
}

/** The whole format, and its day alone, for a table with times of day in a column of their own, or after the day. */
export function formsOfFormat(format: string): readonly RegExp[] {
  const whole = patternOf(format);
  const dayParts = [...format.matchAll(PART)].filter(([part]) => /^[YMD]/.test(part));
  const first = dayParts[0];
  const last = dayParts.at(-1);
  if (whole === null || first === undefined || last === undefined) return [ISO, ONLY_TIME];
  const day = sourceOf(format.slice(first.index, last.index + last[0].length));
  const times = day.includes('(?<hour>') ? '' : THEN;
  return [whole, new RegExp(`^${day}${times}$`), ISO, ONLY_TIME];
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

/** A part, or text in brackets. */
const PART = /(\[[^\][]*\]|YYYY|YY|M{1,4}|DD?|HH?|hh?|mm|ss|[Aa](?![a-z]))/g;

function sourceOf(format: string): string {
  // The expression has a group, so that every second piece is a part of the format.
  const pieces = format.split(PART);
  return pieces.map((piece, index) => (index % 2 === 0 ? literal(piece) : sourceOfPart(piece))).join('');
}

function sourceOfPart(part: string): string {
  return PARTS[part] ?? literal(part.slice(1, -1));
}

function literal(text: string): string {
  return fold(text)
    .replace(/\s+/g, ' ')
    .replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');
}
