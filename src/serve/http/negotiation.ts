/** Content negotiation (RFC 9110): the media type, coding and language that a client prefers. */
import Negotiator from 'negotiator';

const JSON_MEDIA = 'application/json';
const GRAPHQL_MEDIA = 'application/graphql-response+json';

/** Media types of answers, with their charset. */
export const JSON_TYPE = `${JSON_MEDIA}; charset=utf-8`;
export const GRAPHQL_TYPE = `${GRAPHQL_MEDIA}; charset=utf-8`;

/** Content codings. */
export const CODINGS = ['identity', 'br', 'gzip'] as const;
export type Coding = (typeof CODINGS)[number];

/** The newer one only for clients that name it and do not prefer plain JSON. */
export function typeFor(accept = ''): string {
  if (!accept.includes(GRAPHQL_MEDIA)) return JSON_TYPE;
  const liked = new Negotiator({ headers: { accept } }).mediaType([JSON_MEDIA, GRAPHQL_MEDIA]);
  return liked === GRAPHQL_MEDIA ? GRAPHQL_TYPE : JSON_TYPE;
}

/** Whether the client names HTML, as browsers do and scripts do not. */
export function acceptsHtml(accept: string | undefined): boolean {
  return accept !== undefined && new Negotiator({ headers: { accept } }).mediaTypes().includes('text/html');
}

/** Language ranges, the most preferred first. */
export function acceptedLanguages(acceptLanguage: string): readonly string[] {
  return new Negotiator({ headers: { 'accept-language': acceptLanguage } }).languages();
}

/** D7: the coding that the client prefers; between equals, the one that gives the smaller body. */
export function codingFor(acceptEncoding?: string): Coding {
  if (acceptEncoding === undefined) return 'identity';
  const negotiator: Negotiating = new Negotiator({ headers: { 'accept-encoding': acceptEncoding } });
  const liked = negotiator.encoding(OFFERED, { preferred: OFFERED });
  return CODINGS.find((coding) => coding === liked) ?? (liked === 'x-gzip' ? 'gzip' : 'identity');
}

/** An option that the package's types do not have yet. */
interface Negotiating {
  readonly encoding: (
    offered: readonly string[],
    options: { readonly preferred: readonly string[] },
  ) => string | undefined;
}

/** Smallest first; RFC 9110 has two names for gzip. */
const OFFERED = ['br', 'gzip', 'x-gzip', 'identity'];

/**
 * D1: JSON in UTF-8, under its own name or as `application/…+json`. Forms and plain text are excluded: a page can send those without a
 * preflight.
 */
export function isJson(contentType = ''): boolean {
  if (contentType === JSON_MEDIA) return true;
  const [type = '', ...parameters] = contentType.toLowerCase().split(';');
  if (!SENT_AS_JSON.test(type.trim())) return false;
  return parameters.every((parameter) => {
    const [name = '', value = ''] = parameter.split('=');
    return name.trim() !== 'charset' || UTF8.test(value.trim());
  });
}

const SENT_AS_JSON = /^application\/([\w.-]+\+)?json$/;
const UTF8 = /^"?utf-?8"?$/;
