/** Values as endpoints give them, made into what a native record takes. What cannot be is left out, with a complaint. */
import { isObject } from '../../../src/calendar/json.ts';
import { parseMinute, parseSourceDatetime } from '../../../src/calendar/time.ts';
import type { Complain } from '../../feeds/slice.ts';
import { excerpt } from '../../report/excerpt.ts';
import { isWithinTime } from '../../validate/parts.ts';
import type { Kind, Wanted } from './fields.ts';
import type { Answer } from './pages.ts';

/** Undefined when there is nothing to say; the record then leaves the field out. */
type Read = (value: unknown) => unknown;

const READERS = {
  text: (value) => textOf(value),
  texts: (value) => (Array.isArray(value) ? value.flatMap((item: unknown) => textOf(item) ?? []) : undefined),
  integer: (value) => {
    const number = typeof value === 'string' && /^-?\d{1,10}$/.test(value) ? Number(value) : value;
    if (typeof number !== 'number' || !Number.isFinite(number)) return undefined;
    const rounded = Math.round(number);
    return Math.abs(rounded) < 2 ** 31 ? rounded : undefined;
  },
  number: (value) => {
    const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
    return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
  },
  flag: (value) => (typeof value === 'boolean' ? value : undefined),
  moment: (value) => {
    // With a fraction of a second, as some programs write it.
    const text = typeof value === 'string' ? value.trim().replace(/(:\d{2})\.\d+/, '$1') : '';
    const moment = parseSourceDatetime(text);
    return moment !== null && isWithinTime(moment.instant) ? text : undefined;
  },
  time: (value) => {
    const [, hour = '', minute = ''] =
      /^(\d{1,2}):(\d{2})(?::\d{2})?$/.exec(typeof value === 'string' ? value : '') ?? [];
    const text = `${hour.padStart(2, '0')}:${minute}`;
    return parseMinute(text) === null ? undefined : text;
  },
} as const satisfies Readonly<Record<Kind, Read>>;

const EXPECTED: Readonly<Record<Kind, string>> = {
  text: 'a string',
  texts: 'a list of strings',
  integer: 'a whole number of 32 bits',
  number: 'a number',
  flag: 'true or false',
  moment: 'a datetime such as "2026-05-17 19:30:00+02:00"',
  time: 'a time of day such as "19:30"',
};

/** A string, a number as one, or the id of an entity that stands where an id was expected. */
function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  return isObject(value) && 'id' in value ? textOf(value.id) : undefined;
}

/** The fields of an object by what is wanted of it; fields with fields of their own are left to the caller. */
export function readFields(answer: unknown, wanted: Wanted, complain: Complain): Answer {
  if (!isObject(answer)) return {};
  const fields: Record<string, unknown> = {};
  for (const [field, kind] of Object.entries(wanted)) {
    const value = answer[field];
    if (typeof kind !== 'string' || value === null || value === undefined) continue;
    const read: unknown = READERS[kind](value);
    if (read !== undefined) fields[field] = read;
    else {
      const expected = EXPECTED[kind];
      complain({ action: 'changed value', line: null, id: null, field, expected, found: excerpt(value) });
    }
  }
  return fields;
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value.filter((item: unknown) => item !== null) : [];
}
