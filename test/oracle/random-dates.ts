/** Random dates and repeats around a build: crowded, overlapping, over midnight and in the clock-change nights. */
import {
  compactUtc,
  DAY,
  dayOf,
  daysInMonth,
  instantOf,
  partsOf,
  readWall,
  readWritten,
  textOf,
  wallOf,
} from './clock.ts';
import type { Random } from './random.ts';
import type { DateRecord, OwnValues, PriceRecord, RepeatRecord } from './records.ts';
import { expandRule } from './rules.ts';

const MINUTE = 60;
const HOUR = 3600;
/** Lengths in minutes: none, the usual, just over three hours, over midnight, over several days. */
const LENGTHS = [0, 30, 45, 60, 90, 120, 180, 181, 300, 600, 1440, 4321];
const PLAIN_PRICES = [0, 100, 149.5, 250, '300', '99.50'];
const ODD_PRICES = [
  '',
  '1 200',
  '1.200',
  '149,50',
  '100 kr',
  '-5',
  -5,
  '.5',
  '2147483647',
  '2147483648',
  0.49,
  null,
];
const OFFSETS = [
  ['Z', 0],
  ['+02:00', 2 * HOUR],
  ['+0100', HOUR],
  ['+02', 2 * HOUR],
  ['-05', -5 * HOUR],
  ['+05:30', 5.5 * HOUR],
] as const;
const CLOCK_CHANGES = ['2026-10-25', '2027-03-28'];
const CHANGE_TIMES = ['00:00', '01:30', '01:59', '02:00', '02:30', '02:59', '03:00', '03:30', '04:00'];

/** The moments that a calendar is about, as wall readings; few, so that much happens at the same time. */
export interface Times {
  readonly builtAt: number;
  readonly popular: readonly number[];
}

export function randomTimes(random: Random, builtAt: number): Times {
  const base = Math.floor(wallOf(builtAt) / (15 * MINUTE)) * 15 * MINUTE;
  const popular = Array.from({ length: 6 }, () => base + random.int(-40 * 4, 240 * 4) * 15 * MINUTE);
  return { builtAt, popular: [base, ...popular] };
}

/** A wall reading: mostly a popular one, or in a clock-change night, or any near the build, or far away. */
export function randomWall(random: Random, { builtAt, popular }: Times): number {
  const kind = random.next();
  if (kind < 0.45) return random.pick(popular);
  if (kind < 0.6) return readWall(`${random.pick(CLOCK_CHANGES)} ${random.pick(CHANGE_TIMES)}`) ?? 0;
  if (kind < 0.9) return Math.floor(wallOf(builtAt) / HOUR) * HOUR + random.int(-48, 24 * 14) * 15 * MINUTE;
  if (kind < 0.97) return random.pick(popular) + random.pick([1, 59, -1]);
  return random.pick(popular) + random.int(200, 2000) * DAY;
}

/** A datetime as a source may write it: Oslo's wall clock mostly, or with any offset. */
export function writtenDate(random: Random, wall: number): string {
  const between = random.pick([' ', 'T']);
  const fraction = random.chance(0.1) ? random.pick(['.000', '.5', '.999999']) : '';
  const write = (full: string) => {
    const isShort = full.endsWith(':00') && random.chance(0.7);
    const text = isShort ? full.slice(0, 'YYYY-MM-DD HH:mm'.length) : full + fraction;
    return text.replace(' ', between);
  };
  if (random.chance(0.85)) return write(textOf(wall));
  const [offset, seconds] = random.pick(OFFSETS);
  return write(textOf(instantOf(wall) + seconds)) + offset;
}

export function randomDate(random: Random, times: Times, venues: readonly string[]): DateRecord {
  const { chance, fields, pick } = random;
  const start = randomWall(random, times);
  const before = [start - 3 * DAY, start + 60 * MINUTE].map((wall) => writtenDate(random, wall));
  const own = {
    ...randomOwnValues(random, venues, 0.25),
    ...fields(0.1, 'previousStart', [...before, dateOf(start)]),
  };
  if (chance(0.15)) {
    const last = chance(0.5) ? { end: randomLastDay(random, start) } : {};
    return { start: dateOf(start), ...last, ...fields(0.1, 'duration', [90]), ...own };
  }
  const length = pick(LENGTHS);
  const end = writtenDate(random, start + length * MINUTE);
  const lasts = { ...fields(0.5, 'end', [end]), ...fields(0.2, 'duration', [length]) };
  return { start: writtenDate(random, start), ...lasts, ...own };
}

/** A15: mostly that day or a later one; sometimes one before, or with a time, which drops the date. */
function randomLastDay({ chance, pick }: Random, start: number) {
  const last = dateOf(start + pick([0, 1, 2, 9, pick([0, -1])]) * DAY);
  return chance(0.05) ? `${last} 12:00` : last;
}

/** A repeat whose start is its rule's first occurrence, as RFC 5545 asks for. */
export function randomRepeat(random: Random, times: Times, venues: readonly string[]): RepeatRecord {
  const { chance, fields, pick, some } = random;
  const start = randomWall(random, times) - pick([0, 0, 1, 3, 7, 40, 400]) * DAY;
  const rule = randomRule(random, start);
  const length = pick(LENGTHS);
  const taken = some(expandRule(rule, start, dayOf(start) + 400) ?? [], 0, 3);
  const own = randomOwnValues(random, venues, 0.15);
  if (chance(0.15)) {
    const days = taken.map(dateOf).map((day) => pick([day, day, `${day} 00:00`]));
    return {
      rule: rule.replace(/T\d{6}/, 'T235959'),
      start: dateOf(start),
      ...(chance(0.4) ? { end: randomLastDay(random, start) } : {}),
      ...fields(0.3, 'except', [days]),
      ...own,
    };
  }
  const end = { end: textOf(start + length * MINUTE) };
  return {
    rule,
    start: writtenDate(random, start),
    ...pick([{}, end, end, { duration: length }]),
    ...fields(0.3, 'except', [taken.map((wall) => writtenDate(random, wall))]),
    ...own,
  };
}

/** A date in the place of one that the repeat puts there. */
export function randomReplacement(
  random: Random,
  repeat: RepeatRecord,
  times: Times,
  venues: readonly string[],
) {
  const start = readWritten(repeat.start);
  if (start === null || start.offset !== null) return [];
  const wall = wallOf(instantOf(start.wall));
  const walls = expandRule(repeat.rule, wall, dayOf(wallOf(times.builtAt)) + 60) ?? [];
  return random.some(walls.slice(-12), 0, 2).map(
    (replaced): DateRecord => ({
      start: writtenDate(random, replaced),
      ...randomOwnValues(random, venues, 0.5),
    }),
  );
}

export function randomPrices({ chance, fields, pick, some }: Random): readonly PriceRecord[] {
  return some(['REGULAR', 'CHILD', 'STUDENT', 'VIP'], 0, 3).map((type) => ({
    type,
    price: pick(chance(0.6) ? PLAIN_PRICES : ODD_PRICES),
    ...fields(0.3, 'name_nb name_en', ['Forhåndssalg', 'Early bird']),
  }));
}

function randomOwnValues(random: Random, venues: readonly string[], share: number): OwnValues {
  const { fields } = random;
  return {
    ...fields(share / 5, 'startTime', ['19:00', '08:30', '23:59']),
    ...fields(share, 'venue', [...venues, 'no-such-venue']),
    ...fields(share, 'ticketsURL', ['https://billett.example/1', 'https://billett.example/2']),
    ...fields(share, 'eventCancelled eventSoldOut', [true, true, false]),
    ...fields(share / 2, 'status', ['SCHEDULED', 'cancelled', 'POSTPONED', 'Rescheduled']),
    ...fields(share / 2, 'prices', [randomPrices(random)]),
    ...fields(share / 4, 'mode', ['online', 'offline', 1]),
    ...fields(share / 4, 'streamingURL', ['https://direkte.example/1']),
  };
}

const WEEKDAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'];

function randomRule(random: Random, start: number): string {
  const { month, date, weekday } = partsOf(dayOf(start));
  const ownDay = WEEKDAYS[weekday] ?? '';
  const isLastOfMonth = daysInMonth(dayOf(start)) - date < 7;
  const nth = isLastOfMonth && random.chance(0.5) ? -1 : Math.ceil(date / 7);
  const days = [...new Set([ownDay, ...random.some(WEEKDAYS, 0, 3)])].join();
  // The last day of the month is -1.
  const dateFromEnd = date - 1 - daysInMonth(dayOf(start));
  const body = random.pick([
    'FREQ=DAILY',
    `FREQ=DAILY;BYDAY=${days}`,
    'FREQ=WEEKLY',
    `FREQ=WEEKLY;BYDAY=${days}`,
    'FREQ=MONTHLY',
    `FREQ=MONTHLY;BYDAY=${nth}${ownDay}`,
    `FREQ=MONTHLY;BYMONTHDAY=${random.pick([String(date), `${date},1`, `${date},31`, String(dateFromEnd)])}`,
    'FREQ=YEARLY',
    `FREQ=YEARLY;BYMONTH=${month};BYDAY=${nth}${ownDay}`,
    `FREQ=YEARLY;BYMONTH=${random.pick([`${month}`, `${month},12`])};BYMONTHDAY=${date}`,
  ]);
  const until = start + random.int(0, 60) * DAY + random.pick([0, -1, 1]);
  const ends = [
    `;COUNT=${random.int(1, 12)}`,
    `;UNTIL=${compactUtc(Math.max(until, start)).replace('Z', '')}`,
    `;UNTIL=${compactUtc(instantOf(Math.max(until, start)))}`,
    ...(body.includes('DAILY') ? [] : ['']),
  ];
  return `${body}${random.pick(['', '', ';INTERVAL=1', ';INTERVAL=2', ';INTERVAL=3'])}${random.pick(ends)}`;
}

function dateOf(wall: number): string {
  return textOf(wall).slice(0, 10);
}
