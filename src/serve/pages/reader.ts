/** What a request says of its reader: the language, and where this server is reached. */
import type { IncomingHttpHeaders } from 'node:http';
import { type HttpRequest, headerOf, parseWeights } from '../http/message.ts';

export const LANGUAGES = ['nb', 'en'] as const;
export type Language = (typeof LANGUAGES)[number];

/** The same in each language of the pages. */
export type InEach<Text> = Readonly<Record<Language, Text>>;

/** Texts in both languages: what one has, the other has to have. */
export function inEach<Texts>(texts: { readonly nb: Texts; readonly en: NoInfer<Texts> }): InEach<Texts> {
  return texts;
}

export interface ChosenLanguage {
  readonly language: Language;
  /** Whether the address names it: then links to other pages name it too. */
  readonly inAddress: boolean;
}

export function languageOf({ headers, search }: Pick<HttpRequest, 'headers' | 'search'>): ChosenLanguage {
  const named = new URLSearchParams(search).get('lang');
  const language = LANGUAGES.find((known) => known === named);
  if (language !== undefined) return { language, inAddress: true };
  return { language: preferred(headers['accept-language'] ?? ''), inAddress: false };
}

/** A reader of neither language gets English; who states nothing gets the calendar's own. */
function preferred(acceptLanguage: string): Language {
  if (acceptLanguage.trim() === '') return 'nb';
  let best: Language = 'en';
  let most = 0;
  for (const [range, { weight }] of parseWeights(acceptLanguage.slice(0, LONGEST))) {
    const language = SPOKEN[range.split('-', 1)[0] ?? ''];
    if (language !== undefined && weight > most) {
      best = language;
      most = weight;
    }
  }
  return best;
}

const LONGEST = 500;

/** By the language that a range begins with; Danes and Swedes read Norwegian, but may like English better. */
const SPOKEN: Readonly<Record<string, Language>> = { nb: 'nb', no: 'nb', nn: 'nb', en: 'en', '*': 'nb' };

/**
 * Without a slash at the end. `publicUrl` says it best; else the request does, of which nothing but a host, a port and a
 * protocol is taken: no quote, no markup and no path can get into an example this way. `X-Forwarded-Host` is left out,
 * because a cache in front would hand what one client writes there to all the others.
 */
export function addressOf(headers: IncomingHttpHeaders, publicUrl: string | null): string {
  if (publicUrl !== null) return withoutSlash(publicUrl);
  const host = headers.host ?? '';
  const protocol = headerOf(headers, 'x-forwarded-proto')?.split(',', 1)[0]?.trim().toLowerCase();
  return `${protocol === 'https' ? 'https' : 'http'}://${HOST.test(host) ? host.toLowerCase() : 'localhost:4000'}`;
}

/** A name, an IPv4 address or an IPv6 address in brackets, and a port. */
const HOST = /^(?=.{1,255}$)([a-z\d]([a-z\d.-]*[a-z\d])?|\[[a-f\d:.]+\])(:\d{1,5})?$/i;

function withoutSlash(url: string): string {
  return url.replace(/\/+$/, '');
}
