/** The addresses of links: lists of events, and the queries of pages. */
import type { ChosenLanguage } from './reader.ts';

/** Lists of events that pages link to (I1, I6). */
export const LIST_FILES = {
  ics: { file: 'events.ics', type: 'text/calendar', kind: 'iCalendar' },
  rss: { file: 'events.rss', type: 'application/rss+xml', kind: 'RSS' },
  json: { file: 'events.json', type: 'application/json', kind: 'JSON' },
  jsonld: { file: 'events.jsonld', type: 'application/ld+json', kind: 'JSON-LD' },
  csv: { file: 'events.csv', type: 'text/csv', kind: 'CSV' },
} as const;

export interface FeedLink {
  readonly type: string;
  readonly title: string;
  /** May be relative to the page. */
  readonly address: string;
}

/** The parameters of an address, for reading only. */
export type GivenParameters = Omit<URLSearchParams, 'append' | 'delete' | 'set' | 'sort'>;

/** The query of a link to another page, with these parameters: it names the language if this page's address does. */
export function languageQuery(
  { language, inAddress }: ChosenLanguage,
  parameters: Readonly<Record<string, string>> = {},
): string {
  const query = new URLSearchParams(parameters);
  if (inAddress) query.set('lang', language);
  return queryText(query);
}

/** The query of an address, from its question mark on; empty without parameters. */
export function queryText(parameters: GivenParameters): string {
  if (parameters.size === 0) return '';
  // Commas and colons are valid in a query (RFC 3986), and more legible.
  const query = parameters.toString().replaceAll('%2C', ',').replaceAll('%3A', ':');
  return `?${query}`;
}
