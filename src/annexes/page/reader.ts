/** The reader's language, as the request shows it; and texts and figures in that language. */
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

export function languageOf({ headers, search }: Pick<HttpRequest, 'headers' | 'search'>): ChosenLanguage {
  const named = new URLSearchParams(search).get('lang');
  const language = LANGUAGES.find((one) => one === named);
  if (language !== undefined) return { language, inAddress: true };
  return { language: preferred(headers['accept-language'] ?? ''), inAddress: false };
}

/** Readers of neither language get English; a request without a preference gets Norwegian, the calendar's own. */
function preferred(acceptLanguage: string): Language {
  if (acceptLanguage.trim() === '') return 'nb';
  for (const range of acceptedLanguages(acceptLanguage)) {
    const language = SPOKEN.get(range.toLowerCase().split('-', 1)[0] ?? '');
    if (language !== undefined) return language;
  }
  return 'en';
}

/** By the first part of a language range. Readers of Danish and Swedish understand Norwegian. */
const SPOKEN: ReadonlyMap<string, Language> = new Map([
  ['nb', 'nb'],
  ['no', 'nb'],
  ['nn', 'nb'],
  ['da', 'nb'],
  ['sv', 'nb'],
  ['*', 'nb'],
  ['en', 'en'],
]);

export function writeNumber(value: number, language: Language): string {
  return NUMBERS[language].format(value);
}

const inStyle = (locale: string) => new Intl.NumberFormat(locale, { maximumFractionDigits: 1 });
const NUMBERS: InEach<Intl.NumberFormat> = { nb: inStyle('nb-NO'), en: inStyle('en-GB') };

export const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
