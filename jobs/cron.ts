/**
 * Cron expressions in UTC, which has no clock changes. node-cron reads them and knows their days; its own scheduler is not
 * used, because it drops what it comes too late for.
 */
import { createTask, validateDetailed } from 'node-cron';
import { CalendarError } from '../src/calendar/errors.ts';

export interface Cron {
  readonly expression: string;
  /** The first moment that matches after the given one, both in milliseconds since 1970; null where there is none. */
  readonly next: (after: number) => number | null;
}

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** 29 February on one given weekday comes once in 28 years, and once in 40 over the year 2100. */
const MOST_DAYS = 41 * 366;

/** Throws INVALID_SETTING. Of day of month and day of week, both have to match where both are given. */
export function parseCron(expression: string): Cron {
  const { fields, errors } = validateDetailed(expression);
  if (fields === undefined) {
    const why = errors.map(({ field, message }) => `${field}: ${message}`).join('; ');
    const expected = 'expected a cron expression of five fields, such as "*/15 * * * *"';
    throw new CalendarError(
      'INVALID_SETTING',
      `ALMANAKK_CRON: ${expected}, found ${JSON.stringify(expression)}: ${why}`,
    );
  }
  const task = createTask(expression, () => undefined, { timezone: 'UTC' });
  const months = new Set(fields.month);
  const minutes = fields.hour
    .flatMap((hour) => fields.minute.map((minute) => (hour * 60 + minute) * MINUTE))
    .sort((left, right) => left - right);
  const [first = 0] = minutes;
  const matches = (day: number) =>
    months.has(new Date(day).getUTCMonth() + 1) && task.match(new Date(day + first));

  return {
    expression,
    next: (after) => {
      let day = Math.floor(after / DAY) * DAY;
      for (let days = 0; days < MOST_DAYS; days++, day += DAY) {
        const minute = minutes.find((offset) => day + offset > after);
        if (minute !== undefined && matches(day)) return day + minute;
      }
      return null;
    },
  };
}
