/**
 * The reader of a page: the language, as the request shows it; and texts, days, moments and figures in
 * that language, always in Norwegian time.
 */
import { DAY, timeOfDay, wallOf, weekdayOf } from '../../calendar/time.ts';
import type { HttpRequest } from '../../serve/http/message.ts';
import { acceptedLanguages } from '../../serve/http/negotiation.ts';

export const LANGUAGES = ['nb', 'en'] as const;
export type Language = (typeof LANGUAGES)[number];

/** One text for each language of the pages. */
export type InEach<Text> = Readonly<Record<Language, Text>>;

/** Texts by name, each in Norwegian and in English. */
export function inEach<Texts>(
  pairs: {
    readonly [Name in keyof Texts]: readonly [nb: Texts[Name], en: NoInfer<Texts[Name]>];
  },
): InEach<Texts> {
  const inOne = (index: 0 | 1) =>
    Object.fromEntries(
      Object.entries<readonly unknown[]>(pairs).map(([name, pair]) => [name, pair[index]]),
    ) as Texts;
  return { nb: inOne(0), en: inOne(1) };
}

export interface ChosenLanguage {
  readonly language: Language;
  /** Whether the address names it: then links to other pages name it too. */
  readonly inAddress: boolean;
}

/** The query of a link to another page: it names the language if this page's address does. */
export const languageQuery = ({ language, inAddress }: ChosenLanguage): string =>
  inAddress ? `?lang=${language}` : '';

/** The query of an address, from its question mark on; empty without parameters. */
export function queryText(parameters: URLSearchParams): string {
  // Commas and colons are valid in a query (RFC 3986), and more legible.
  return parameters.size === 0 ? '' : `?${`${parameters}`.replaceAll('%2C', ',').replaceAll('%3A', ':')}`;
}

export function languageOf({ headers, search }: Pick<HttpRequest, 'headers' | 'search'>): ChosenLanguage {
  const named = new URLSearchParams(search).get('lang');
  const language = LANGUAGES.find((one) => one === named);
  if (language !== undefined) return { language, inAddress: true };
  return { language: preferred(headers['accept-language'] ?? ''), inAddress: false };
}

/** Readers of neither language get English; requests without a preference get the calendar's own. */
function preferred(acceptLanguage: string): Language {
  if (acceptLanguage.trim() === '') return 'nb';
  for (const range of acceptedLanguages(acceptLanguage)) {
    const language = SPOKEN.get(range.toLowerCase().split('-', 1)[0] ?? '');
    if (language !== undefined) return language;
  }
  return 'en';
}

/** By the language that a range begins with; Danish and Swedish readers get Norwegian unless they prefer English. */
const SPOKEN: ReadonlyMap<string, Language> = new Map([
  ['nb', 'nb'],
  ['no', 'nb'],
  ['nn', 'nb'],
  ['*', 'nb'],
  ['en', 'en'],
]);

export interface LocalText {
  readonly text: string;
  readonly language: Language;
}

/** In the reader's language if it exists, else in the other; null if both are missing. */
export function localized({ nb, en }: InEach<string | null>, language: Language): LocalText | null {
  const [preferred, other] = language === 'nb' ? [nb, en] : [en, nb];
  if (preferred) return { text: preferred, language };
  return other ? { text: other, language: language === 'nb' ? 'en' : 'nb' } : null;
}

const inBoth = <Format>(formatFor: (locale: string) => Format): InEach<Format> => ({
  nb: formatFor('nb-NO'),
  en: formatFor('en-GB'),
});

const inStyle = (style: Intl.DateTimeFormatOptions) =>
  inBoth((locale) => new Intl.DateTimeFormat(locale, { ...style, timeZone: 'UTC' }));

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
  ofYear: inStyle({ day: 'numeric', month: 'long' }),
  weekday: inStyle({ weekday: 'long' }),
  /** `tor.` */
  short: inStyle({ weekday: 'short' }),
  month: inStyle({ month: 'long' }),
  /** `nov.` */
  ofMonth: inStyle({ month: 'short' }),
  /** `20. november 2026`. */
  dated: inStyle({ day: 'numeric', month: 'long', year: 'numeric' }),
};

/** `day`: days since 1970-01-01. */
export function writeDay(day: number, style: keyof typeof DAYS, language: Language): string {
  // Some versions of the data put a comma after an English weekday.
  return DAYS[style][language].format(day * DAY * 1_000).replace(',', '');
}

/** `20. november 2026`, of `2026-11-20`. */
export function writeDate(date: string, language: Language): string {
  return writeDay(Date.parse(date) / (DAY * 1_000), 'dated', language);
}

/** `20. november 2026 kl. 18:05`, and for narrow columns `20. nov. 18:05`. */
export function writeMoment(instant: number, language: Language, style: 'dated' | 'brief' = 'dated'): string {
  const wall = wallOf(instant);
  const at = style === 'dated' ? AT[language] : ' ';
  return `${writeDay(Math.floor(wall / DAY), style, language)}${at}${timeOfDay(wall)}`;
}

export const AT: InEach<string> = { nb: ' kl. ', en: ' at ' };

export function writeNumber(value: number, language: Language): string {
  return NUMBERS[language].format(value);
}

const NUMBERS = inBoth((locale) => new Intl.NumberFormat(locale, { maximumFractionDigits: 1 }));

export const SUNDAY = 6;

/** ISO 8601, as in Norwegian calendars: week 1 contains the year's first Thursday. */
export function weekOf(day: number): number {
  const thursday = day - weekdayOf(day) + 3;
  const year = new Date(thursday * DAY * 1_000).getUTCFullYear();
  const newYear = Date.UTC(year, 0, 1) / (DAY * 1_000);
  return Math.floor((thursday - newYear) / 7) + 1;
}
