/** The reader's language, as the request shows it; and texts and figures in that language. */
import type { Norwegian } from '../../calendar/model.ts';
import type { HttpRequest } from '../../serve/http/message.ts';
import { acceptedLanguages } from '../../serve/http/negotiation.ts';

/** The languages of the pages for visitors, and of `/status`: Bokmål, English and Nynorsk. */
export const LANGUAGES = ['nb', 'en', 'nn'] as const;
export type Language = (typeof LANGUAGES)[number];

/** The languages of the pages for developers, and of emails. */
export const TECHNICAL_LANGUAGES = ['nb', 'en'] as const;
export type TechnicalLanguage = (typeof TECHNICAL_LANGUAGES)[number];

/** One text for each language of the pages for visitors, and of `/status`. */
export type InEach<Text> = Readonly<Record<Language, Text>>;

/** One text for each language of the pages for developers, and of emails. */
export type InBoth<Text> = Readonly<Record<TechnicalLanguage, Text>>;

/** Texts by name, each in Bokmål, in English and in Nynorsk. */
export function inEach<Texts>(
  triples: {
    readonly [Name in keyof Texts]: readonly [
      nb: Texts[Name],
      en: NoInfer<Texts[Name]>,
      nn: NoInfer<Texts[Name]>,
    ];
  },
): InEach<Texts> {
  return { nb: textsAt(0, triples), en: textsAt(1, triples), nn: textsAt(2, triples) };
}

/** Texts by name, each in Bokmål and in English. */
export function inBoth<Texts>(
  pairs: {
    readonly [Name in keyof Texts]: readonly [nb: Texts[Name], en: NoInfer<Texts[Name]>];
  },
): InBoth<Texts> {
  return { nb: textsAt(0, pairs), en: textsAt(1, pairs) };
}

function textsAt<Texts>(index: number, all: { readonly [Name in keyof Texts]: readonly unknown[] }): Texts {
  const texts = Object.entries<readonly unknown[]>(all).map(([name, each]) => [name, each[index]]);
  return Object.fromEntries(texts) as Texts;
}

export interface ChosenLanguage<Of extends Language = Language> {
  readonly language: Of;
  /** Whether the address names it: then links to other pages name it too. */
  readonly inAddress: boolean;
}

type Asking = Pick<HttpRequest, 'headers' | 'search'>;

/** `own`: the calendar's Norwegian. */
export function languageOf({ headers, search }: Asking, own: Norwegian): ChosenLanguage {
  const named = new URLSearchParams(search).get('lang');
  const language = LANGUAGES.find((one) => one === named);
  if (language !== undefined) return { language, inAddress: true };
  return { language: preferred(headers['accept-language'] ?? '', own), inAddress: false };
}

/** Readers of Nynorsk get Bokmål. The links of the page then name no language, so that the pages for visitors are in theirs. */
export function technicalLanguageOf(asking: Asking): ChosenLanguage<TechnicalLanguage> {
  const { language, inAddress } = languageOf(asking, 'nb');
  return language === 'nn' ? { language: 'nb', inAddress: false } : { language, inAddress };
}

/** Readers of no such language get English; a request without a preference gets the calendar's Norwegian. */
function preferred(acceptLanguage: string, own: Norwegian): Language {
  if (acceptLanguage.trim() === '') return own;
  for (const range of acceptedLanguages(acceptLanguage)) {
    const spoken = range.toLowerCase().split('-', 1)[0] ?? '';
    if (spoken === 'nn' || spoken === 'en') return spoken;
    if (UNDERSTAND_NORWEGIAN.has(spoken)) return own;
  }
  return 'en';
}

/**
 * By the first part of a language range. Most systems in Norway are in Bokmål, also those of readers of Nynorsk: `nb` is no wish for another
 * language than the calendar's.
 */
const UNDERSTAND_NORWEGIAN: ReadonlySet<string> = new Set(['nb', 'no', 'da', 'sv', '*']);

export function writeNumber(value: number, language: Language): string {
  return NUMBERS[language].format(value);
}

/** Makes one formatter for each language. Nynorsk has the numbers, lists and months of Bokmål, and not all programs have its data. */
export function inLocales<Formatter>(make: (locale: string) => Formatter): InEach<Formatter> {
  const norwegian = make('nb-NO');
  return { nb: norwegian, en: make('en-GB'), nn: norwegian };
}

const NUMBERS = inLocales((locale) => new Intl.NumberFormat(locale, { maximumFractionDigits: 1 }));

export const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
