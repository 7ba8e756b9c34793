/** What single cells say, as native values. Undefined for what is not of that kind. */
import { nameKey } from '../../../src/calendar/text.ts';

const YES = new Set([
  'ja',
  'yes',
  'true',
  'sann',
  '1',
  'x',
  'j',
  'y',
  'avlyst',
  'cancelled',
  'canceled',
  'utsolgt',
  'sold out',
]);
const NO = new Set(['nei', 'no', 'false', 'usann', '0', 'n', '-']);

export function flagOf(cell: string): boolean | undefined {
  const key = nameKey(cell).replace(/[.!]+$/, '');
  if (YES.has(key)) return true;
  return NO.has(key) ? false : undefined;
}

/** With a decimal comma or point. */
export function numberOf(cell: string): number | undefined {
  return /^-?\d{1,9}(?:[.,]\d{1,15})?$/.test(cell) ? Number(cell.replace(',', '.')) : undefined;
}

export function integerOf(cell: string): number | undefined {
  return /^\d{1,6}$/.test(cell) ? Number(cell) : undefined;
}

/** Minutes: `90`, `90 min`, `1:30`, `1,5 t`, `1 t 30 min`. */
export function durationOf(cell: string): number | undefined {
  const key = nameKey(cell);
  const [, minutes] = /^(\d{1,5}) ?(?:m|min\.?|minutter|minutes)?$/.exec(key) ?? [];
  if (minutes !== undefined) return Number(minutes);
  const [, hours, rest] = /^(\d{1,3}):([0-5]\d)(?::[0-5]\d)?$/.exec(key) ?? [];
  if (hours !== undefined) return Number(hours) * 60 + Number(rest);
  const [, whole, more] =
    /^(\d{1,3}(?:[.,]\d{1,2})?) ?(?:t|h|timer?|hours?)\.?(?: (?:og )?(\d{1,2}) ?(?:m|min\.?|minutter|minutes))?$/.exec(
      key,
    ) ?? [];
  if (whole === undefined) return undefined;
  return Math.round(Number(whole.replace(',', '.')) * 60) + Number(more ?? 0);
}

/** Parts of a list; names of organizers may have commas in them. */
export function partsOf(cell: string, separators: RegExp): readonly string[] {
  const parts = cell.split(separators).map((part) => part.replace(/\s+/g, ' ').trim());
  return [...new Set(parts.filter((part) => part !== ''))];
}

/** People leave out what browsers add. */
export function addressOf(cell: string): string {
  return /^www\.[^\s/]+\.[^\s]+$/i.test(cell) ? `https://${cell}` : cell;
}

/** Spreadsheet programs take the zero in front for nothing. */
export function postalCodeOf(cell: string): string {
  return /^\d{3}$/.test(cell) ? `0${cell}` : cell;
}
