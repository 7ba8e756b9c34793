/** The small schemas that records are made of. A schema's error text says what it expects: complaints print it as it is. */
import * as z from 'zod';
import { MODES, TICKETS_INFORMATION } from '../../src/calendar/model.ts';
import { parseMinute, parseSourceDatetime, type SourceDatetime } from '../../src/calendar/time.ts';
import { plainText, webAddress as toWebAddress } from './sanitize.ts';

export const text = z.string('a string');
export const named = z.string('a string that is not blank').regex(/\S/, 'a string that is not blank');
/** It is compared with what others say, so that it cannot be made safe and still be the same (G8). */
export const id = named.refine(
  (written) => plainText(written, 'line').text === written,
  'an id without markup and control characters',
);
export const flag = z.boolean('true or false');
export const integer = z.int32('a whole number of 32 bits');
const COUNT = 'a whole number, 0 or more';
/** A negative one ends the reading of the object it is in: what compares its fields could not make sense of it. */
export const count = z.int32(COUNT).min(0, { error: COUNT, abort: true });
export const fraction = between(0, 1);
export const latitude = between(-90, 90);
export const longitude = between(-180, 180);
export const mode = z.enum(MODES, oneOf(MODES));
export const ticketsInformation = z.enum(TICKETS_INFORMATION, oneOf(TICKETS_INFORMATION));
export const webAddress = text.refine((written) => toWebAddress(written) !== null, 'an http or https URL');

const DATETIME = 'a datetime such as "2026-05-17 19:30"';
export const datetime = z.string(DATETIME).transform((written, context): SourceDatetime => {
  const read = parseSourceDatetime(written);
  if (read !== null && isWithinTime(read.instant)) return read;
  context.issues.push({ code: 'custom', message: DATETIME, input: written });
  return z.NEVER;
});

const TIME_OF_DAY = 'a time of day such as "19:30"';
export const timeOfDay = z
  .string(TIME_OF_DAY)
  .refine((written) => parseMinute(written) !== null, TIME_OF_DAY);

/** A day off either end of what a year of four digits can say, so that a reading in any zone has one too. */
const EARLIEST = Date.parse('0001-01-02T00:00:00Z') / 1000;
const LATEST = Date.parse('9999-12-30T00:00:00Z') / 1000;

export function isWithinTime(instant: number): boolean {
  return instant >= EARLIEST && instant < LATEST;
}

function between(least: number, most: number) {
  const expected = `a number from ${least} to ${most}`;
  return z.number(expected).min(least, expected).max(most, expected);
}

function oneOf(values: readonly string[]): string {
  return values.map((value) => JSON.stringify(value)).join(' or ');
}
