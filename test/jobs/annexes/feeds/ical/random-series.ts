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
const WEEKDAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'];
/** All series end before this. */
const LAST = wallAt('2027-06-01 00:00');

export function randomSeries(random: Random, uid: string): Series {
  const form = random.pick(['local', 'local', 'local', 'utc', 'date'] as const);
  const day = wallAt('2026-01-10 00:00') + random.int(0, 300) * DAY;
  // All end by one o’clock: ical.js reads a time that a clock change skips as an hour earlier.
  const start = form === 'date' ? day : day + random.int(10 * 4, 20 * 4) * 900;
  const base = random.chance(0.85) ? randomRule(random, start) : null;
  const ends = random.chance(0.5) ? null : start + random.int(5, 200) * DAY + DAY / 2;
  const rule = base === null ? null : `${base}${endOf(ends, form === 'date', random)}`;
  const all =
    rule === null ? [start] : expandByDefinition(rule.replace(/;UNTIL=.*/, ''), start, ends ?? LAST);
  const later = all.slice(1);
  const taken = random.chance(0.4) ? [...new Set(random.some(later, 1, 3))] : [];
  const left = later.filter((one) => !taken.includes(one));
  const unit = form === 'date' ? DAY : 900;
  const minutes = random.chance(0.15) ? null : randomLength(random, form);
  const moved = random.chance(0.4)
    ? [...new Set(random.some(left, 1, 2))].map((from) => ({
        from,
        to: from + random.int(-4, 4) * unit,
        minutes: minutes === null ? null : form === 'date' ? 1440 : random.int(1, 12) * 15,
        isFuture: form === 'local' && random.chance(0.2),
      }))
    : [];
  // Without a rule, ical.js takes RDATE for all there is, and leaves the start out.
  const added = rule !== null && random.chance(0.2) ? [start + 301 * DAY + (form === 'date' ? 0 : 900)] : [];
  const zone = random.pick(['Europe/Oslo', 'Europe/Oslo', 'America/New_York'] as const);
  // Two changes of the series in a row are read in more ways than one.
  const isClear = moved.filter(({ isFuture }) => isFuture).length === 0 || moved.length === 1;
  return { uid, zone, form, start, minutes, rule, taken, added, moved: isClear ? moved : [] };
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
