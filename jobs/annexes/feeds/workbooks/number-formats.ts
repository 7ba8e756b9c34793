/** Numbers in a workbook as the text that people see, with dates in ISO's form. A date is a number with the format of one. */
import { formatDay } from '../../../../src/calendar/time.ts';

/** What a number format makes of a number. */
export interface NumberFormat {
  readonly hasDay: boolean;
  readonly hasClock: boolean;
  /** Hours beyond 24, as of a duration. */
  readonly isElapsed: boolean;
  /** The least number of digits, as of a postal code. */
  readonly digits: number;
}

export const PLAIN: NumberFormat = { hasDay: false, hasClock: false, isElapsed: false, digits: 0 };
const DAY: NumberFormat = { ...PLAIN, hasDay: true };
const CLOCK: NumberFormat = { ...PLAIN, hasClock: true };
const DAY_AND_CLOCK: NumberFormat = { ...DAY, hasClock: true };

/** Formats that have a number and no code (ECMA-376, 18.8.30). */
const BUILT_IN: ReadonlyMap<number, NumberFormat> = new Map([
  [14, DAY],
  [15, DAY],
  [16, DAY],
  [17, DAY],
  [18, CLOCK],
  [19, CLOCK],
  [20, CLOCK],
  [21, CLOCK],
  [22, DAY_AND_CLOCK],
  [45, CLOCK],
  [46, { ...CLOCK, isElapsed: true }],
  [47, CLOCK],
]);

/** `code`: that of the workbook for this number, such as `dd.mm.yyyy hh:mm`. */
export function numberFormat(number: number, code: string | undefined): NumberFormat {
  if (code === undefined) return BUILT_IN.get(number) ?? PLAIN;
  // The part for positive numbers, without texts, colours and languages.
  const [section = ''] = code.slice(0, LONGEST_CODE).replace(LITERALS, '').split(';');
  const isElapsed = /\[(?:h+|m+|s+)\]/i.test(section);
  const letters = section.replace(/\[[^[\]]*\]/g, '').replace(/general|am\/pm|a\/p/gi, '');
  const hasClock = isElapsed || /[hs]/i.test(letters);
  // The letter m is a month, unless hours or seconds make it minutes.
  const hasDay = /[yd]|m{3}/i.test(letters) || (!hasClock && /m/i.test(letters));
  const digits = /^0+$/.test(letters) ? letters.length : 0;
  return { hasDay, hasClock, isElapsed, digits };
}

/** Characters: Excel's own limit. */
const LONGEST_CODE = 255;

/** Quoted texts, and single characters after `\`, `_` and `*`. */
const LITERALS = /"[^"]*"|[\\_*]./g;

/** `is1904`: whether day 0 is 1 January 1904, as in workbooks of old Macintoshes. */
export function numberText(written: string, format: NumberFormat, is1904: boolean): string {
  const number = Number(written);
  if (written.trim() === '' || !Number.isFinite(number)) return written;
  const isMoment = (format.hasDay || format.hasClock) && number >= 0 && number < DAYS;
  return isMoment ? momentText(number, format, is1904) : textOfNumber(number, format);
}

/** Until the end of the year 9999. */
const DAYS = 2_958_466;

/** Fifteen digits, as Excel shows: a computed 0.3 is stored as 0.30000000000000004. */
function textOfNumber(number: number, { digits }: NumberFormat): string {
  const text = String(Number(number.toPrecision(15)));
  return /^\d+$/.test(text) ? text.padStart(digits, '0') : text;
}

const DAY_SECONDS = 86_400;

/** A day, a time of day, or both; the clock is the local one of whoever wrote it. */
function momentText(number: number, { hasDay, hasClock, isElapsed }: NumberFormat, is1904: boolean): string {
  const total = Math.round(number * DAY_SECONDS);
  if (isElapsed) return clockText(total);
  const day = Math.floor(total / DAY_SECONDS);
  const clock = clockText(total % DAY_SECONDS);
  const isWithoutDay = day === 0 && !is1904;
  if (!hasDay || isWithoutDay) return clock;
  return hasClock ? `${dayText(day, is1904)} ${clock}` : dayText(day, is1904);
}

function clockText(seconds: number): string {
  const parts = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60];
  const [hours = '', minutes = '', rest = ''] = parts.map((part) => String(part).padStart(2, '0'));
  return rest === '00' ? `${hours}:${minutes}` : `${hours}:${minutes}:${rest}`;
}

/** Day numbers of 1 January 1904, 30 and 31 December 1899 in days since 1970. */
const START_1904 = -24_107;
const START_1900 = -25_569;
/** Excel counts 29 February 1900, which did not exist. */
const NO_DAY = 60;

function dayText(day: number, is1904: boolean): string {
  if (is1904) return formatDay(START_1904 + day);
  if (day === NO_DAY) return '1900-02-29';
  return formatDay(START_1900 + day + (day < NO_DAY ? 1 : 0));
}
