/** The queries of links. */
import type { ChosenLanguage } from './reader.ts';

/** The query of a link to another page: it names the language if this page's address does. */
export const languageQuery = ({ language, inAddress }: ChosenLanguage): string =>
  inAddress ? `?lang=${language}` : '';

/** The query of an address, from its question mark on; empty without parameters. */
export function queryText(parameters: URLSearchParams): string {
  if (parameters.size === 0) return '';
  // Commas and colons are valid in a query (RFC 3986), and more legible.
  const query = parameters.toString().replaceAll('%2C', ',').replaceAll('%3A', ':');
  return `?${query}`;
}
