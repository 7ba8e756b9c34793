/** The forms in which people write days and times of day, as regular expressions over folded text. */

/** Whether `05/06/2027` is in June or in May. */
export type DateOrder = 'day first' | 'month first';

const WEEKDAY =
  '(?:(?:man|tir|tys|ons|tor|fre|lor|lau|son|mon|tue|wed|thu|fri|sat|sun)[a-z]*[.,]* (?:den |the )?)?';
const HALF = '(?: ?(?<half>[ap])\\.?m\\.?)?';
const SECONDS = '(?:[.:][0-5]\\d(?:[.,]\\d+)?)?';
const CLOCK = `(?<hour>\\d{1,2})(?:[.:h]?(?<minute>[0-5]\\d)${SECONDS})?h?${HALF}`;
/** Words before a time of day. */
const AT = '(?:(?:kl|klokka|klokken|at|fra|from|ca)\\.? ?)*';
const LAST_CLOCK =
  '(?<lastHour>\\d{1,2})(?:[.:h]?(?<lastMinute>[0-5]\\d)(?:[.:][0-5]\\d)?)?h?(?: ?(?<lastHalf>[ap])\\.?m\\.?)?';
/** The end after a time of day, which may be open: `19.00–`. */
const UNTIL = `(?: ?(?:-|til|to) ?${AT}(?:${LAST_CLOCK})?)?`;
// A western offset looks like an end: it counts only after a day, and there after a T or after seconds.
const WESTERN_OFFSET = '|(?<=t\\d\\d:\\d\\d|:\\d\\d:\\d\\d(?:\\.\\d{1,9})?)-(?:0\\d|1[0-2]):?[0-5]\\d';

/** A time of day, or two. */
function timeWith(westernOffset: string): string {
  const offset = `(?: ?(?<offset>z|\\+\\d{2}:?\\d{2}${westernOffset}))?`;
  return `${AT}${CLOCK}${offset}${UNTIL}(?: uhr| h)?`;
}

/** What may follow a day: its times of day. */
export const THEN = `(?:(?:,? |,|t| - )${timeWith(WESTERN_OFFSET)})?`;

function dayForm(day: string): RegExp {
  return new RegExp(`^${WEEKDAY}${day}${THEN}$`);
}

export const ISO = dayForm('(?<year>\\d{4})[-/.](?<month>\\d{1,2})[-/.](?<date>\\d{1,2})');
export const ONLY_TIME = new RegExp(`^${timeWith('')}$`);

/** A year of two digits or of four. */
const YEAR = '(?:[./-] ?|(?<=/\\d{1,2}) (?=20\\d{2}(?!\\d)))(?<year>\\d{4}|\\d{2}(?!\\d))\\.?';
/** Forms that are read in one way only. */
const CERTAIN = [
  // `14. februar 2027`
  dayForm('(?<date>\\d{1,2})\\.?[ /-](?<name>[a-z]{3,9})\\.?,?[ /-](?<year>\\d{4})'),
  // `20270214`
  dayForm('(?<year>\\d{4})(?<month>0[1-9]|1[0-2])(?<date>[0-3]\\d)'),
  // `February 14th, 2027`
  dayForm('(?<name>[a-z]{3,9})\\.? (?<date>\\d{1,2})(?:st|nd|rd|th)?,? (?<year>\\d{4})'),
  ONLY_TIME,
];

/** The usual forms, tried in this order. */
export const FORMS: Readonly<Record<DateOrder, readonly RegExp[]>> = {
  'day first': [ISO, dayForm(`(?<date>\\d{1,2})[./-] ?(?<month>\\d{1,2})${YEAR}`), ...CERTAIN],
  'month first': [ISO, dayForm(`(?<month>\\d{1,2})[./-] ?(?<date>\\d{1,2})${YEAR}`), ...CERTAIN],
};
