/** F1: the addresses of pages that other servers have for the calendar's events, such as `https://avisen.example/arrangement/{slug}`. */
import { decodedPart, parsedUrl } from '../../src/calendar/urls.ts';
import { webAddress } from './web-address.ts';

/** What the address of a page names its event by. */
interface PageName {
  readonly by: 'slug' | 'id';
  readonly value: string;
}

/** Null for the address of another page. */
export type ReadPage = (url: URL) => PageName | null;

export const A_TEMPLATE =
  'an http or https URL with one {slug} or {id} after its host, and with {date} only as a parameter';

/** In place of the names in curly brackets, which a URL would encode. */
const EVENT = 'almanakk-event';
const DATE = 'almanakk-date';

/** Null for a text that is no such template. */
export function pageReader(template: string): ReadPage | null {
  const [name, ...more] = template.match(/\{(?:slug|id)\}/g) ?? [];
  const filled = template.replace(/\{(?:slug|id)\}/, EVENT).replaceAll('{date}', DATE);
  const url = webAddress(filled) === null ? null : parsedUrl(filled);
  if (name === undefined || more.length > 0 || url === null) return null;
  const parts = comparedParts(url, url).map(({ wanted }) => wanted);
  const withoutDate = parts.filter((part) => part !== DATE);
  const isDateMisplaced = [url.host, ...withoutDate].some((part) => part.includes(DATE));
  const namesEvent = withoutDate.some((part) => part.includes(EVENT));
  if (isDateMisplaced || !namesEvent) return null;
  const by = name === '{id}' ? 'id' : 'slug';
  return (given) => {
    const value = given.host === url.host ? valueIn(comparedParts(url, given)) : null;
    return value === null ? null : { by, value };
  };
}

export const A_CANONICAL_TEMPLATE =
  'an http or https URL whose path ends with /{slug}, and with {date} only as a parameter';

/**
 * F6: writes the address of an event's page, without the parameter of a date. Null for a template that names events otherwise: `event_slug` is
 * the last part of `eventLink`.
 */
export function pageWriter(template: string): ((slug: string) => string) | null {
  const url = parsedUrl(template.replace('{slug}', EVENT).replaceAll('{date}', DATE));
  if (url === null || pageReader(template) === null) return null;
  if (!url.pathname.replace(/\/$/, '').endsWith(`/${EVENT}`)) return null;
  for (const [name, value] of [...url.searchParams]) {
    if (value.includes(DATE)) url.searchParams.delete(name);
  }
  const [before = '', after = ''] = url.href.split(EVENT);
  return (slug) => before + slug + after;
}

/** The address without its changing part, for people. */
export function templateText(template: string): string {
  return template.replace(/\{(?:slug|id)\}.*/s, '…');
}

interface TemplatePart {
  /** The part of the template. */
  readonly wanted: string;
  /** The same part of an address. */
  readonly found: string;
  readonly isEncoded: boolean;
}

/** Only what the template has counts: links add parameters and anchors. */
function comparedParts(template: URL, given: URL): readonly TemplatePart[] {
  const path = { wanted: template.pathname, found: given.pathname, isEncoded: true };
  const hash = { wanted: template.hash, found: given.hash, isEncoded: true };
  const parameters = [...template.searchParams].map(([name, wanted]) => ({
    wanted,
    found: given.searchParams.get(name) ?? '',
    isEncoded: false,
  }));
  return template.hash === '' ? [path, ...parameters] : [path, ...parameters, hash];
}

/** The value at the place of the event; null if any other part differs. */
function valueIn(parts: readonly TemplatePart[]): string | null {
  let value: string | null = null;
  for (const { wanted, found, isEncoded } of parts) {
    if (wanted === DATE) continue;
    const [before = '', after] = withoutSlash(wanted).split(EVENT);
    const text = withoutSlash(found);
    if (after === undefined && text === before) continue;
    if (after === undefined) return null;
    const named = text.slice(before.length, text.length - after.length);
    if (named === '' || named.includes('/') || `${before}${named}${after}` !== text) return null;
    value = isEncoded ? decodedPart(named) : named;
  }
  return value;
}

function withoutSlash(text: string): string {
  return text.endsWith('/') ? text.slice(0, -1) : text;
}
