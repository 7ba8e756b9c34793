/** Random rules for fast-check, good by RFC 5545. */
import fc from 'fast-check';

const WEEKDAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'] as const;

const some = <Value>(value: fc.Arbitrary<Value>, most: number) =>
  fc.uniqueArray(value, { minLength: 1, maxLength: most }).map((values) => values.join(','));
const signed = (most: number) =>
  fc.tuple(fc.constantFrom(1, 1, -1), fc.integer({ min: 1, max: most })).map(([a, b]) => a * b);
const weekday = fc.constantFrom(...WEEKDAYS);
const nthWeekday = fc
  .tuple(fc.constantFrom('', '1', '2', '3', '4', '5', '-1', '-2'), weekday)
  .map(([nth, day]) => nth + day);

interface Parts {
  readonly [name: string]: fc.Arbitrary<string>;
}

const TIMES: Parts = {
  BYHOUR: some(fc.integer({ min: 0, max: 23 }), 2),
  BYMINUTE: some(fc.constantFrom(0, 15, 30), 2),
};
const MONTHS: Parts = { BYMONTH: some(fc.integer({ min: 1, max: 12 }), 4) };
const MONTH_DAYS: Parts = { BYMONTHDAY: some(signed(31), 4) };

const ENDS = fc.oneof(
  { weight: 2, arbitrary: fc.constant('') },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 60 }).map((count) => `;COUNT=${count}`) },
  { weight: 1, arbitrary: fc.integer({ min: 10, max: 31 }).map((day) => `;UNTIL=202707${day}T180000`) },
);

function rules(frequency: string, parts: Parts, always: Parts = {}): fc.Arbitrary<string> {
  const given = fc.record({ ...parts, ...always }, { requiredKeys: Object.keys(always) });
  const weekStart = fc.option(weekday, { nil: undefined, freq: 2 });
  const interval = fc.integer({ min: 1, max: 4 });
  return fc.tuple(interval, weekStart, given, ENDS).map(([every, start, by, end]) => {
    const values = Object.entries(by).map(([name, value]) => `;${name}=${String(value)}`);
    return `FREQ=${frequency};INTERVAL=${every}${start === undefined ? '' : `;WKST=${start}`}${values.join('')}${end}`;
  });
}

const LIMITS: Parts = {
  BYMONTH: some(fc.integer({ min: 1, max: 12 }), 6),
  BYMONTHDAY: some(signed(31), 12),
  BYDAY: some(weekday, 4),
  BYHOUR: some(fc.integer({ min: 0, max: 23 }), 8),
};
const MINUTES: Parts = { BYMINUTE: some(fc.integer({ min: 0, max: 59 }), 4) };
const SECONDS: Parts = { BYSECOND: some(fc.integer({ min: 0, max: 59 }), 3) };

const positions = some(fc.constantFrom(1, 2, 3, -1, -2), 2);

/** Every so many weeks, days, hours …, and weekdays. */
export const plainRules = fc.oneof(
  rules('WEEKLY', { BYDAY: some(weekday, 4) }),
  ...['DAILY', 'HOURLY', 'MINUTELY'].map((frequency) => rules(frequency, {})),
  some(weekday, 5).map((days) => `FREQ=DAILY;BYDAY=${days}`),
);

const DAYS: Parts = { ...MONTHS, ...MONTH_DAYS, ...TIMES, BYDAY: some(weekday, 3) };
const NTH_DAYS: Parts = { ...DAYS, BYDAY: some(nthWeekday, 3) };
const { BYMONTHDAY: _, ...WEEK_DAYS } = DAYS;

/** Days, weeks and months, and years without days. */
export const monthlyRules = fc.oneof(
  rules('DAILY', DAYS),
  rules('WEEKLY', WEEK_DAYS),
  rules('MONTHLY', NTH_DAYS),
  rules('MONTHLY', TIMES, { BYDAY: some(nthWeekday, 4), BYSETPOS: positions }),
  rules('WEEKLY', TIMES, { BYDAY: some(weekday, 4), BYSETPOS: positions }),
  rules('YEARLY', { ...MONTHS, ...TIMES }),
);

/** Years whose days are said, in any way. */
export const yearlyRules = fc.oneof(
  rules('YEARLY', { ...NTH_DAYS, BYYEARDAY: some(signed(366), 3) }),
  rules('YEARLY', DAYS, { BYWEEKNO: some(signed(53), 3) }),
  rules('YEARLY', MONTHS, { BYDAY: some(nthWeekday, 3), BYSETPOS: positions }),
);

/** Hours, minutes and seconds, with days and times that rule some of them out. */
const anyMinutes = (most: number) => some(fc.integer({ min: 0, max: 59 }), most);
export const hourlyRules = fc.oneof(
  rules('HOURLY', { ...LIMITS, ...MINUTES, ...SECONDS, BYYEARDAY: some(signed(366), 40) }),
  rules('HOURLY', { ...LIMITS, ...SECONDS }, { BYMINUTE: anyMinutes(6), BYSETPOS: positions }),
);
export const minutelyRules = fc.oneof(
  rules('MINUTELY', { ...LIMITS, ...MINUTES, ...SECONDS }),
  rules('MINUTELY', LIMITS, { BYSECOND: anyMinutes(4), BYSETPOS: positions }),
);
export const secondlyRules = rules('SECONDLY', { ...LIMITS, ...MINUTES, ...SECONDS });
