/** Dates and figures as people write them, always on the Norwegian wall clock. */
import { DAY, formatMinute, wallOf, weekdayOf } from '../../calendar/time.ts';
import type { InEach, Language } from './reader.ts';

const LOCALES: InEach<string> = { nb: 'nb-NO', en: 'en-GB' };

const STYLES = {
  /** `torsdag 20. november`. */
  long: { weekday: 'long', day: 'numeric', month: 'long' },
  /** `20. nov.` */
  brief: { day: 'numeric', month: 'short' },
  weekday: { weekday: 'long' },
  month: { month: 'long' },
  dated: { day: 'numeric', month: 'long', year: 'numeric' },
} as const satisfies Readonly<Record<string, Intl.DateTimeFormatOptions>>;

type DayStyle = keyof typeof STYLES;

const formats = new Map<string, Intl.DateTimeFormat>();

/** `day`: days since 1970-01-01, as the calendar counts them. */
export function writeDay(day: number, style: DayStyle, language: Language): string {
  const key = `${language} ${style}`;
  let format = formats.get(key);
  if (format === undefined) {
    format = new Intl.DateTimeFormat(LOCALES[language], { ...STYLES[style], timeZone: 'UTC' });
    formats.set(key, format);
  }
  return format.format(day * DAY * 1_000);
}

/** `20. november 2026 kl. 18:05`. */
export function writeMoment(instant: number, language: Language): string {
  const wall = wallOf(instant);
  const day = Math.floor(wall / DAY);
  const time = formatMinute(Math.floor((wall - day * DAY) / 60));
  return `${writeDay(day, 'dated', language)}${AT[language]}${time}`;
}

/** `20. nov. 18:05`. */
export function writeMomentBriefly(instant: number, language: Language): string {
  const wall = wallOf(instant);
  const day = Math.floor(wall / DAY);
  return `${writeDay(day, 'brief', language)} ${formatMinute(Math.floor((wall - day * DAY) / 60))}`;
}

const AT: InEach<string> = { nb: ' kl. ', en: ' at ' };

export function writeNumber(value: number, language: Language): string {
  return NUMBERS[language].format(value);
}

const NUMBERS: InEach<Intl.NumberFormat> = {
  nb: new Intl.NumberFormat(LOCALES.nb, { maximumFractionDigits: 1 }),
  en: new Intl.NumberFormat(LOCALES.en, { maximumFractionDigits: 1 }),
};

export const SUNDAY = 6;

/** ISO 8601, as Norwegian calendars count them: week 1 holds the year's first Thursday. */
export function weekOf(day: number): number {
  const thursday = day - weekdayOf(day) + 3;
  const year = new Date(thursday * DAY * 1_000).getUTCFullYear();
  const newYear = Date.UTC(year, 0, 1) / (DAY * 1_000);
  return Math.floor((thursday - newYear) / 7) + 1;
}

/** `3 t 5 min`, in the two largest units that are not zero. */
export function writeSpan(seconds: number, language: Language): string {
  const units = UNITS.map(([size, names], place) => {
    const larger = UNITS[place - 1]?.[0] ?? Number.POSITIVE_INFINITY;
    return { count: Math.floor((Math.max(0, seconds) % larger) / size), name: names[language] };
  });
  const first = units.findIndex(({ count }) => count > 0);
  if (first === -1) return `0 ${UNITS.at(-1)?.[1][language]}`;
  const shown = units.slice(first, first + 2).filter(({ count }) => count > 0);
  return shown.map(({ count, name }) => `${count} ${name}`).join(' ');
}

const UNITS: readonly (readonly [seconds: number, names: InEach<string>])[] = [
  [DAY, { nb: 'd', en: 'd' }],
  [3_600, { nb: 't', en: 'h' }],
  [60, { nb: 'min', en: 'min' }],
  [1, { nb: 's', en: 's' }],
];
