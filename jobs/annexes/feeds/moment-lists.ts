/** Several days or times of day in one cell, as people write them. */
import { inYear, type ReadMoment, type WrittenMoment } from './moments.ts';

/** Dates of one cell: enough for a whole season. */
export const MOST_DATES = 400;
/** Characters. */
const LONGEST_CELL = 10_000;

/** A comma before a year belongs to the date: `February 14, 2027`. */
const SEPARATOR = /[;\n]|,(?!\s*\d{4}(?![\d./-]))|\s(?:og|and|\+)\s|\s?&\s?/i;

/**
 * `14.02.2027, 15.02.2027 og 21.02.2027 kl. 19.00`, `14., 15. og 21. februar 2027`, `kl. 18 og 20`; a single moment is a list of one. A
 * part without month or year takes those of a later one; if only the last has a time of day, it applies to all. Null if a part cannot be
 * read, and for more than `MOST_DATES`.
 */
export function readMomentList(cell: string, read: ReadMoment): readonly WrittenMoment[] | null {
  const single = read(cell);
  if (single !== null) return [single];
  if (cell.length > LONGEST_CELL) return null;
  const parts = cell
    .split(SEPARATOR)
    .map((part) => part.trim())
    .filter((part) => part !== '');
  if (parts.length < 2 || parts.length > MOST_DATES) return null;
  const moments = readParts(parts, read);
  return moments === null ? null : withDays(withTimes(moments));
}

/** From the last part to the first, because a part may be completed from the one after it. Null if a part cannot be read. */
function readParts(parts: readonly string[], read: ReadMoment): readonly WrittenMoment[] | null {
  const fromLast: WrittenMoment[] = [];
  for (let index = parts.length - 1; index >= 0; index--) {
    const part = withHalfOfDay(parts[index] ?? '', parts[index + 1]);
    const laterDay = fromLast.at(-1)?.day ?? null;
    const moment = readPart(part, laterDay, read);
    if (moment === null) return null;
    fromLast.push(moment);
  }
  return fromLast.toReversed();
}

/** In `7 & 9 pm` both are in the evening. */
function withHalfOfDay(part: string, later: string | undefined): string {
  const [, half] = HALF_OF_DAY.exec(later ?? '') ?? [];
  return half !== undefined && HOUR.test(part) ? `${part} ${half}` : part;
}

const HALF_OF_DAY = /\d ?([ap]\.?m\.?)$/i;
const HOUR = /^\d{1,2}(?::\d\d)?$/;

/** A part of a list. A day without its month or year is completed from the day of the part after it. */
function readPart(part: string, laterDay: string | null, read: ReadMoment): WrittenMoment | null {
  if (laterDay === null) return read(part);
  const plain = part.replace(WEEKDAY_BEFORE, '');
  const [, date] = /^(\d{1,2})\.?$/.exec(plain) ?? [];
  if (date === undefined) return read(part) ?? inYear(plain, laterDay, read);
  return read(`${laterDay.slice(0, 'YYYY-MM-'.length)}${date.padStart(2, '0')}`);
}

/** `lørdag 14.`, `Saturday 14` and `lør. 14`. */
const WEEKDAY_BEFORE = /^\p{L}+day |^\p{L}+dag |^\p{L}{3}\.? (?=\d)/iu;

/** `14.02.2027 og 15.02.2027 kl. 19.00`: a time of day after the last day alone is that of all. */
function withTimes(moments: readonly WrittenMoment[]): readonly WrittenMoment[] {
  const last = moments.at(-1);
  const isOnlyLast = moments.slice(0, -1).every(({ time }) => time === null);
  if (last === undefined || last.time === null || !isOnlyLast) return moments;
  const { time, offset, until, untilOffset } = last;
  return moments.map((moment) => ({ ...moment, time, offset, until, untilOffset }));
}

/** `14.02.2027 kl. 18 og 20`: a time of day belongs to the day before it. */
function withDays(moments: readonly WrittenMoment[]): readonly WrittenMoment[] {
  let dayBefore: string | null = null;
  return moments.map((moment) => {
    const day: string | null = moment.day ?? dayBefore;
    dayBefore = day;
    return { ...moment, day };
  });
}
