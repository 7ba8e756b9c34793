/** Days and moments in the reader's language, always in Norwegian time. */
import { DAY, formatDay, osloDay, timeOfDay, wallOf, weekdayOf } from '../../calendar/time.ts';
import { type InEach, inLocales, type Language } from './reader.ts';

/** Between a day and a time. */
export const AT: InEach<string> = { nb: ' kl. ', en: ' at ', nn: ' kl. ' };

export const SUNDAY = 6;

type Format = () => Intl.DateTimeFormat;

const inStyle = (style: Intl.DateTimeFormatOptions): InEach<Format> =>
  inLocales((locale) => formatOf(locale, style));

/** Made for the first day that is written: to make all of them takes 3 % of a server's start. */
function formatOf(locale: string, style: Intl.DateTimeFormatOptions): Format {
  let format: Intl.DateTimeFormat | undefined;
  return () => {
    format ??= new Intl.DateTimeFormat(locale, { ...style, timeZone: 'UTC' });
    return format;
  };
}

/** The styles of a day. */
const DAYS = {
  /** `torsdag 20. november`. */
  long: inStyle({ weekday: 'long', day: 'numeric', month: 'long' }),
  /** `torsdag 20. november 2026`. */
  full: inStyle({ weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' }),
  /** `20. nov.` */
  brief: inStyle({ day: 'numeric', month: 'short' }),
  /** `20. nov. 2026`. */
  briefDated: inStyle({ day: 'numeric', month: 'short', year: 'numeric' }),
  /** `20. november`. */
  dayAndMonth: inStyle({ day: 'numeric', month: 'long' }),
  weekday: inStyle({ weekday: 'long' }),
  /** `tor.` */
  shortWeekday: inStyle({ weekday: 'short' }),
  month: inStyle({ month: 'long' }),
  /** `nov.` */
  shortMonth: inStyle({ month: 'short' }),
  /** `20. november 2026`. */
  dayMonthYear: inStyle({ day: 'numeric', month: 'long', year: 'numeric' }),
};

/** `day`: days since 1970-01-01. */
export function writeDay(day: number, style: keyof typeof DAYS, language: Language): string {
  const format = DAYS[style][language]();
  // Some versions of the data put a comma after an English weekday.
  const text = format.format(day * DAY * 1_000).replace(',', '');
  return language === 'nn'
    ? text.replace(SPELT_OTHERWISE, (weekday) => NYNORSK_WEEKDAYS[weekday] ?? weekday)
    : text;
}

/** The beginnings of weekdays, whole and shortened, that Nynorsk spells otherwise. */
const NYNORSK_WEEKDAYS: Readonly<Record<string, string>> = {
  man: 'mån',
  tirs: 'tys',
  tir: 'tys',
  lør: 'laur',
};
const SPELT_OTHERWISE = /^(?:man|tirs?|lør)/;

/** `20. november 2026`, of `2026-11-20`. */
export function writeDate(date: string, language: Language): string {
  return writeDay(Date.parse(date) / (DAY * 1_000), 'dayMonthYear', language);
}

/** `20. november 2026 kl. 18.05`, and for narrow columns `20. nov. 18.05`. */
export function writeMoment(
  instant: number,
  language: Language,
  style: 'dayMonthYear' | 'brief' = 'dayMonthYear',
): string {
  const wall = wallOf(instant);
  const at = style === 'dayMonthYear' ? AT[language] : ' ';
  return `${writeDay(Math.floor(wall / DAY), style, language)}${at}${writeClock(wall, language)}`;
}

/** `18.05` in Norwegian, `18:05` in English. `wall`: seconds on Norway's clock. */
export function writeClock(wall: number, language: Language): string {
  const clock = timeOfDay(wall);
  return language === 'en' ? clock : clock.replace(':', '.');
}

/** Whether the day is in the present year of Norway. `now`: seconds since 1970. */
export function isThisYear(day: number, now: number): boolean {
  return yearOf(day) === yearOf(osloDay(now));
}

/** Four digits. */
export function yearOf(day: number): string {
  return formatDay(day).slice(0, 'YYYY'.length);
}

/** ISO 8601, as in Norwegian calendars: week 1 contains the year's first Thursday. */
export function weekOf(day: number): number {
  const thursday = day - weekdayOf(day) + 3;
  const year = new Date(thursday * DAY * 1_000).getUTCFullYear();
  const newYear = Date.UTC(year, 0, 1) / (DAY * 1_000);
  return Math.floor((thursday - newYear) / 7) + 1;
}
