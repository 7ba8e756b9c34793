/** Random series as people make them: a rule, dates taken out, moved and added, and changes from one date on. */
import { wallAt } from '../../../../helpers/moments.ts';
import type { Random } from '../../../../oracle/random.ts';
import { expandByDefinition } from '../../../recurrence/by-definition.ts';

export interface Series {
  readonly uid: string;
  readonly zone: 'Europe/Oslo' | 'America/New_York';
  readonly form: 'local' | 'utc' | 'date';
  /** Wall clock readings, in UTC where that is the form. */
  readonly start: number;
  /** Minutes, whole days of them for dates; null without an end. */
  readonly minutes: number | null;
  readonly rule: string | null;
  readonly taken: readonly number[];
  readonly added: readonly number[];
  readonly moved: readonly Moved[];
}

export interface Moved {
  /** The date of the series that is moved. */
  readonly from: number;
  readonly to: number;
  readonly minutes: number | null;
  readonly isFuture: boolean;
}

const DAY = 86_400;
const QUARTER = 900;
const WEEKDAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'];
/** All series end before this. */
const LAST = wallAt('2027-06-01 00:00');

/** An added date is so much later than the start: after the end of a rule with UNTIL, and hardly ever a date of any other rule. */
const ADDED_AFTER = 301 * DAY;

export function randomSeries(random: Random, uid: string): Series {
  const form = random.pick(['local', 'local', 'local', 'utc', 'date'] as const);
  const day = wallAt('2026-01-10 00:00') + random.int(0, 300) * DAY;
  // All end by one o’clock: ical.js reads a time that a clock change skips as an hour earlier.
  const start = form === 'date' ? day : day + random.int(10 * 4, 20 * 4) * QUARTER;
  const { rule, dates } = randomDates(random, { start, isDate: form === 'date' });
  const later = dates.slice(1);
  const taken = random.chance(0.4) ? [...new Set(random.some(later, 1, 3))] : [];
  const minutes = random.chance(0.15) ? null : randomLength(random, form);
  const left = later.filter((date) => !taken.includes(date));
  const moved = random.chance(0.4) ? randomMoves(random, left, { form, minutes }) : [];
  // Without a rule, ical.js takes RDATE for all there is, and leaves the start out.
  const isAdded = rule !== null && random.chance(0.2);
  const added = isAdded ? [start + ADDED_AFTER + (form === 'date' ? 0 : QUARTER)] : [];
  const zone = random.pick(['Europe/Oslo', 'Europe/Oslo', 'America/New_York'] as const);
  return { uid, zone, form, start, minutes, rule, taken, added, moved };
}

interface Beginning {
  readonly start: number;
  readonly isDate: boolean;
}

/** A rule and the dates that it gives; sometimes no rule, and only the start. */
function randomDates(random: Random, { start, isDate }: Beginning) {
  const base = random.chance(0.85) ? randomRule(random, start) : null;
  const ends = random.chance(0.5) ? null : start + random.int(5, 200) * DAY + DAY / 2;
  if (base === null) {
    return { rule: null, dates: [start] };
  }
  const rule = `${base}${endOf(ends, isDate, random)}`;
  const dates = expandByDefinition(rule.replace(/;UNTIL=.*/, ''), start, ends ?? LAST);
  return { rule, dates };
}

/** Moves one or two of these dates, by up to four days or an hour. */
function randomMoves(
  random: Random,
  dates: readonly number[],
  { form, minutes }: Pick<Series, 'form' | 'minutes'>,
): readonly Moved[] {
  const unit = form === 'date' ? DAY : QUARTER;
  const moved = [...new Set(random.some(dates, 1, 2))].map((from) => ({
    from,
    to: from + random.int(-4, 4) * unit,
    minutes: minutes === null ? null : form === 'date' ? 1440 : random.int(1, 12) * 15,
    isFuture: form === 'local' && random.chance(0.2),
  }));
  // Programs disagree about two changes in a row, if one of them is of all future dates.
  const isClear = moved.length === 1 || moved.every(({ isFuture }) => !isFuture);
  return isClear ? moved : [];
}

/** Minutes: up to three days, or up to five hours. */
function randomLength(random: Random, form: Series['form']): number {
  return form === 'date' ? random.int(1, 3) * 1440 : random.int(1, 20) * 15;
}

/** A rule that gives its start: programs disagree about other starts. */
function randomRule(random: Random, start: number): string {
  const day = Math.floor(start / DAY);
  const date = new Date(start * 1000);
  const weekday = WEEKDAYS[(day + 3) % 7] ?? '';
  const nth = Math.ceil(date.getUTCDate() / 7);
  const others = [...new Set([weekday, ...random.some(WEEKDAYS, 0, 2)])].join(',');
  const isLastWeek = new Date((day + 7) * DAY * 1000).getUTCMonth() !== date.getUTCMonth();
  return random.pick([
    `FREQ=DAILY;INTERVAL=${random.int(1, 10)}`,
    `FREQ=WEEKLY;BYDAY=${others}`,
    `FREQ=WEEKLY;INTERVAL=${random.int(1, 4)};BYDAY=${others};WKST=${random.pick(['MO', 'SU'])}`,
    'FREQ=WEEKLY',
    'FREQ=MONTHLY',
    `FREQ=MONTHLY;BYMONTHDAY=${date.getUTCDate()}`,
    `FREQ=MONTHLY;BYDAY=${isLastWeek ? -1 : nth}${weekday}`,
    `FREQ=MONTHLY;BYDAY=${weekday};BYSETPOS=${isLastWeek ? -1 : nth}`,
    `FREQ=YEARLY;BYMONTH=${date.getUTCMonth() + 1};BYMONTHDAY=${date.getUTCDate()}`,
    'FREQ=YEARLY',
  ]);
}

/** UNTIL is half a day after a date, so that it means the same on every clock. */
function endOf(ends: number | null, isDate: boolean, random: Random): string {
  if (ends === null) return `;COUNT=${random.int(1, 40)}`;
  const written = new Date(ends * 1000).toISOString().replace(/[-:]|\.000/g, '');
  return `;UNTIL=${isDate ? written.slice(0, 8) : written}`;
}
