/** Days and times of day as people write them in tables and on pages. */
import { parseSourceDatetime } from '../../../src/calendar/input-datetime.ts';
import { fold } from '../../../src/calendar/text.ts';
import { formsOfFormat } from './moment-formats.ts';
import { type DateOrder, FORMS, ISO } from './moment-forms.ts';

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

/** Null for a cell without date and time. */
export type ReadMoment = (cell: string) => WrittenMoment | null;

/** Characters; longer cells contain more than a date. */
const LONGEST_CELL = 100;

/** Creates a cell's reader. With a format, dates have that form or ISO's; without one, `order` decides for dates of numbers. */
export function momentReader(format: string | null, order: DateOrder = 'day first'): ReadMoment {
  const forms = format === null ? FORMS[order] : formsOfFormat(format);
  return (cell) => {
    if (cell.length > LONGEST_CELL) return null;
    const text = fold(cell.replace(/[\u2010-\u2015]/g, '-'))
      .replace(/\s+/g, ' ')
      .trim()
      .replace(WHOLE_DAY, '');
    return readOne(text, forms) ?? readRange(text, forms);
  };
}

/** Words after a date that has no time of day anyway. */
const WHOLE_DAY = /,? (?:hei?le dagen|hei?ldags?|all day)$/;

function readOne(text: string, forms: readonly RegExp[]): WrittenMoment | null {
  for (const form of forms) {
    const groups = form.exec(text)?.groups;
    const moment = groups === undefined ? null : momentOf(groups);
    if (moment !== null) return moment;
  }
  return null;
}

/** `14.02.2027 – 16.02.2027`, each with or without a time, `14.–16. februar 2027`, and `27. februar – 2. mars 2027`. */
function readRange(text: string, forms: readonly RegExp[]): WrittenMoment | null {
  for (const { 0: separator, index } of text.matchAll(/ ?- ?| til | to | through /g)) {
    const last = readOne(text.slice(index + separator.length), forms);
    if (last === null || last.day === null || last.until !== null) continue;
    const written = withMonthOf(last.day, text.slice(0, index));
    const readFirst = (day: string) => readOne(day, [ISO, ...forms]);
    const first = readFirst(written) ?? inYear(written, last.day, readFirst);
    if (first === null || first.day === null || first.until !== null) continue;
    return { ...first, until: last.time, untilOffset: last.offset, lastDay: last.day };
  }
  return null;
}

/** A date alone, such as `14.`, in the year and month of the last day; any other text as it is. */
function withMonthOf(lastDay: string, text: string): string {
  const [, date] = /^(\d{1,2})\.?$/.exec(text) ?? [];
  return date === undefined ? text : `${lastDay.slice(0, 'YYYY-MM-'.length)}${date.padStart(2, '0')}`;
}

/** `14. februar`, `14.02.` and `14/2`, in the year that puts them before the later day. */
export function inYear(part: string, laterDay: string, read: ReadMoment): WrittenMoment | null {
  const year = Number(laterDay.slice(0, 'YYYY'.length));
  const date = part.replace(TRAILING_SEPARATORS, '');
  for (const separator of [' ', '.', '/']) {
    const moment = read(`${date}${separator}${year}`);
    if (moment === null || moment.day === null) continue;
    return moment.day <= laterDay ? moment : read(`${date}${separator}${year - 1}`);
  }
  return null;
}

const TRAILING_SEPARATORS = /(?<![\s./])[\s./]+$/;

/** The named groups of a form. */
type Groups = Readonly<Record<string, string | undefined>>;

/** Null if a part is not on the calendar, or not on the clock. */
function momentOf(groups: Groups): WrittenMoment | null {
  const { date, hour, lastHour } = groups;
  const day = date === undefined ? null : dayOf(groups);
  const time = clockOf(hour, groups.minute, groups.half ?? halfOf(groups));
  const until = clockOf(lastHour, groups.lastMinute, groups.lastHalf);
  const isRead = (written: string | undefined, read: string | null) => written === undefined || read !== null;
  if (!(isRead(date, day) && isRead(hour, time) && isRead(lastHour, until))) return null;
  if (time === null && day === null) return null;
  const offset = (groups.offset ?? '').toUpperCase();
  if (offset !== '' && !mayHaveOffset(time, offset)) return null;
  return { day, time, offset, until, untilOffset: until === null ? '' : offset, lastDay: null };
}

function mayHaveOffset(time: string | null, offset: string): boolean {
  return time !== '24:00' && parseSourceDatetime(`2027-01-01 ${time}${offset}`) !== null;
}

/** `7-9 pm` is all in the evening, `11-1 pm` begins before noon. */
function halfOf({ hour, lastHour, lastHalf }: Groups): string | undefined {
  if (lastHalf === undefined || Number(hour) > 12) return undefined;
  return Number(hour) % 12 <= Number(lastHour) % 12 ? lastHalf : 'a';
}

/** Months by the first three letters of their names, in Norwegian and English. */
const MONTHS: ReadonlyMap<string, number> = new Map([
  ['jan', 1],
  ['feb', 2],
  ['mar', 3],
  ['apr', 4],
  ['mai', 5],
  ['may', 5],
  ['jun', 6],
  ['jul', 7],
  ['aug', 8],
  ['sep', 9],
  ['okt', 10],
  ['oct', 10],
  ['nov', 11],
  ['des', 12],
  ['dec', 12],
]);

/** Null for a day that the calendar does not have. */
function dayOf({ year = '', month, name, date = '' }: Groups): string | null {
  const number = month === undefined ? MONTHS.get((name ?? '').slice(0, 3)) : Number(month);
  if (number === undefined) return null;
  const fullYear = year.length === 2 ? `20${year}` : year;
  const day = `${fullYear}-${String(number).padStart(2, '0')}-${date.padStart(2, '0')}`;
  return parseSourceDatetime(`${day} 00:00`) === null ? null : day;
}

/** `HH:mm`; null without an hour, and for a time that clocks do not show. `half`: `a` or `p`. */
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
