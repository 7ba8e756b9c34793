/** Filters by when an event takes place. All but `hoursRange` make the window, which picks the occurrences that are shown (A4). */
import { datetime, flag, parsed } from '../../calendar/arguments.ts';
import { parseMinute } from '../../calendar/input-datetime.ts';
import {
  DAY,
  formatMinute,
  formatOslo,
  HOUR,
  instantOf,
  osloDay,
  startOfDay,
  weekdayOf,
} from '../../calendar/time.ts';
import { keepBits } from '../bitmaps.ts';
import { type EachLanguage, filter, type Names } from './filter.ts';

/** From an hour of one day, midnight unless it is given, to the beginning of another, in days after today. */
interface Days {
  readonly from: number;
  readonly hour?: number;
  /** Exclusive. */
  readonly until: number;
}

interface Period {
  readonly en: string;
  readonly nb: string;
  readonly words: EachLanguage;
  /** By the weekday of today; Monday is 0. */
  readonly days: (weekday: number) => Days;
}

const FRIDAY = 4;
/** The Monday after this week. */
const MONDAY = 7;

/** B12: stretches of Norwegian time. */
const PERIODS = {
  TODAY: {
    en: 'From now to the end of the day.',
    nb: 'Fra nå til dagens slutt.',
    words: ['i dag', 'today', 'i dag'],
    days: () => ({ from: 0, until: 1 }),
  },
  TOMORROW: {
    en: 'The whole next day.',
    nb: 'Hele neste dag.',
    words: ['i morgen', 'tomorrow', 'i morgon'],
    days: () => ({ from: 1, until: 2 }),
  },
  WEEKEND: {
    en: 'Friday 16:00 to the end of Sunday: the rest of this weekend if it has begun, otherwise the next one.',
    nb: 'Fra fredag kl. 16 til søndagens slutt: resten av helgen hvis den er i gang, ellers den neste.',
    words: ['i helgen', 'weekend', 'i helga'],
    days: (weekday) => ({ from: FRIDAY - weekday, hour: 16, until: MONDAY - weekday }),
  },
  WEEK: {
    en: 'From now to the end of Sunday.',
    nb: 'Fra nå til søndagens slutt.',
    words: ['denne uken', 'this week', 'denne veka'],
    days: (weekday) => ({ from: 0, until: MONDAY - weekday }),
  },
} satisfies Readonly<Record<string, Period>>;

const isPeriod = (name: string): name is keyof typeof PERIODS => Object.hasOwn(PERIODS, name);

/** An enum: the schema has refused other words. */
const readPeriod = parsed((name) => (isPeriod(name) ? name : null), 'a period');

const periodValues = Object.entries<Period>(PERIODS).map(
  ([name, { en, nb }]) => `  ${JSON.stringify(en)}\n  # nb: ${nb}\n  ${name}`,
);

const PERIOD_TYPE = `"Periods of Norwegian time, from midnight to midnight in Europe/Oslo."
enum Period {
${periodValues.join('\n')}
}`;

/** The words before a moment. */
const beforeMoment =
  (...[nb, en, nn]: EachLanguage) =>
  (instant: number, names: Names): EachLanguage => {
    const moment = names.moment(instant);
    return [`${nb} ${moment}`, `${en} ${moment}`, `${nn} ${moment}`];
  };

export const WHEN = {
  period: filter({
    type: 'Period',
    en: 'A period in Norwegian time, which narrows the window as `fromDate` and `untilDate` do. It includes events that are in progress when it begins, and events that start before it ends.',
    nb: 'En periode i norsk tid. Den avgrenser tidsrommet slik `fromDate` og `untilDate` gjør: Det som pågår når perioden begynner, er med, og det som begynner før den slutter.',
    types: PERIOD_TYPE,
    read: readPeriod,
    words: (period) => PERIODS[period].words,
  }),
  fromDate: filter({
    type: 'String',
    en: 'Datetime. Events that are still in progress at or after this time: not yet ended or, without an end, started less than three hours before. Defaults to the current time; an earlier value counts as the current time.',
    nb: 'Tidspunkt. Arrangementer som ikke er slutt da, og arrangementer uten sluttid som begynte mindre enn tre timer før. Standard er nå, og et tidligere tidspunkt teller som nå.',
    read: datetime,
    words: beforeMoment('fra', 'from', 'frå'),
  }),
  fromStartDate: filter({
    type: 'String',
    en: 'Datetime. Events that start at or after this time, without those in progress.',
    nb: 'Tidspunkt. Arrangementer som begynner da eller senere; det som pågår, er ikke med.',
    read: datetime,
    words: beforeMoment('begynner tidligst', 'starting from', 'byrjar tidlegast'),
  }),
  untilDate: filter({
    type: 'String',
    en: 'Datetime. Events that start before this time.',
    nb: 'Tidspunkt. Arrangementer som begynner før da.',
    read: datetime,
    words: beforeMoment('til', 'until', 'til'),
    hints: (untilDate, _, { fromDate }) => {
      if (fromDate === undefined || untilDate > fromDate) return [];
      const message = `untilDate is not after fromDate, ${formatOslo(fromDate)}: no event is between them.`;
      return [{ value: formatOslo(untilDate), message }];
    },
  }),
  hoursRange: filter({
    type: 'String',
    en: '`HH:mm-HH:mm` in Norwegian time: events that start within this range, both ends included. The range may cross midnight, and may end at `24:00`.',
    nb: '`HH:mm-HH:mm` i norsk tid: arrangementer som begynner i dette tidsrommet, begge klokkeslettene medregnet. Det kan gå over midnatt og slutte med `24:00`.',
    read: parsed(parseHours, 'HH:mm-HH:mm'),
    condition: (rows, { from, to }, { columns: { minute } }) => {
      // Such as 22:00-02:00, of which a time can be on either side of midnight.
      const isWrapped = from > to;
      keepBits(rows, (row) => {
        const found = minute[row] as number;
        const isAfterStart = found >= from;
        const isBeforeEnd = found <= to;
        return isWrapped ? isAfterStart || isBeforeEnd : isAfterStart && isBeforeEnd;
      });
    },
    words: ({ from, to }) => {
      const hours = [from, to].map(formatMinute).join('–');
      const inNorwegian = hours.replaceAll(':', '.');
      return [inNorwegian, hours, inNorwegian];
    },
  }),
  groupRepetitionsByDay: filter({
    type: 'Boolean',
    en: "True: each future day of an event with several dates is a separate entry, with that day's first start; the day's other dates are its repetitions. Totals, pages and facets count these entries.",
    nb: 'Sann: Hver kommende dag av et arrangement med flere datoer blir en egen oppføring med dagens første start; dagens andre datoer er gjentakelsene. Antall, sider og fasetter regnes av disse oppføringene.',
    read: flag,
    words: () => ['dag for dag', 'day by day', 'dag for dag'],
  }),
  sortBy: filter({
    type: 'String',
    en: 'Has no effect.',
    nb: 'Utgått. Rekkefølgen er alltid kronologisk; feltet har ingen virkning.',
    deprecated: 'Order is always chronological; this has no effect.',
    read: () => undefined,
    words: () => '',
  }),
};

/** B5: minutes since midnight, both ends included; if `from` is after `to`, the range spans midnight. */
interface HoursRange {
  readonly from: number;
  readonly to: number;
}

function parseHours(value: string): HoursRange | null {
  const [left = '', right = '', ...rest] = value.split('-', 3);
  const from = parseMinute(left);
  const to = right === '24:00' ? 24 * 60 : parseMinute(right);
  const isRange = rest.length === 0 && from !== null && to !== null;
  return isRange ? { from, to } : null;
}

/** The conditions that a period narrows. */
interface WithPeriod {
  readonly period?: keyof typeof PERIODS;
  readonly fromDate?: number;
  readonly untilDate?: number;
}

/**
 * The conditions with their period joined into their window. Past occurrences are never candidates, so a beginning in the past is removed:
 * the conditions then equal those without it.
 */
export function withoutPeriod<Of extends WithPeriod>(
  { period, ...conditions }: Of,
  now: number,
): Omit<Of, 'period'> {
  if (period === undefined) return conditions;
  const today = osloDay(now);
  const days: Days = PERIODS[period].days(weekdayOf(today));
  const from = instantOf((today + days.from) * DAY + (days.hour ?? 0) * HOUR);
  const until = startOfDay(today + days.until);
  const { fromDate = from, untilDate = until } = conditions;
  const withEnd = { ...conditions, untilDate: Math.min(until, untilDate) };
  return from <= now ? withEnd : { ...withEnd, fromDate: Math.max(from, fromDate) };
}
