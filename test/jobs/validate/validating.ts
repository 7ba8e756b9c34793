/** Valid values of records, into which tests put an invalid one, and what findings expect in its place. */

export const START = { start: '2026-12-01 19:30' };
export const DAILY = { rule: 'FREQ=DAILY', ...START };
export const GOOD = { id: 'e', title_nb: 'Konsert', dates: [START] };
export const LONG = 'x'.repeat(200);

export const NOT_BLANK = 'a string that is not blank';
export const TITLE = 'a title in Norwegian or English';
export const DATETIME = 'a datetime such as "2026-05-17 19:30"';
export const MOMENT = `${DATETIME} or a date such as "2026-05-17"`;
export const WHOLE = 'a whole number of 32 bits';
