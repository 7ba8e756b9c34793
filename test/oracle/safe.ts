/** The second reading of G8: a source as it is once what strangers wrote has been made safe, read as a browser reads it. */
import { type DefaultTreeAdapterTypes, parseFragment } from 'parse5';
import type { Source } from './records.ts';
import { slugOf } from './text.ts';

const LINES =
  'author_id editableBy contact_from email phone telephoneNumber originalSize largeSize smallSize title_nb title_en name name_nb name_en tags alt type postalCode municipality';
const NOTES = 'address caption credits venueNote ageRestriction maxBookingDate maxBookingTime paymentMethod';
const URLS =
  'eventLink ticketsURL website urlSmall urlLarge moreInfoURL streamingURL facebookURL videosURL mapImageURL urlOriginal';

type Read = (text: string) => string;

const FIELDS: ReadonlyMap<string, Read> = new Map([
  ...each(LINES, (text) => plainText(text.replace(/\s*\n\s*/g, ' '))),
  ...each(NOTES, plainText),
  ...each(URLS, url),
  ...each('desc_nb desc_en', description),
  ...each('slug slug_nb slug_en', (text) => (/^[a-z0-9-]{1,80}$/.test(text) ? text : slugOf(text))),
]);

/** What is not safe has become an empty text: given, but nothing. */
export function safeSource(source: Source): Source {
  const { licence, venues, organizers, events, postalCodes } = source;
  const safe = <T>(value: T): T => safeValue(value, null) as T;
  return {
    licence: safe(licence),
    venues: safe(venues),
    organizers: safe(organizers),
    events: safe(events),
    postalCodes,
  };
}

function safeValue(value: unknown, field: string | null): unknown {
  if (typeof value === 'string') return (FIELDS.get(field ?? '') ?? ((text) => text))(value);
  if (Array.isArray(value)) return value.map((item: unknown) => safeValue(item, field));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, safeValue(inner, key)]));
}

function each(names: string, read: Read): readonly (readonly [string, Read])[] {
  return names.split(' ').map((name) => [name, read]);
}

/** All that the random calendars write is either as good as this or has another scheme. */
function url(text: string): string {
  // F3: a picture of the site; calendars with such pictures have no other site.
  if (/^pictures\/[\w.-]+$/.test(text)) return `http://localhost:4000/${text}`;
  return /^https?:\/\/[\w.-]+(\/[\w./-]*)?$/.test(text) ? text : '';
}

const STEERING = /[^\P{Cc}\t\n\r]|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

function plainText(text: string): string {
  const plain = text
    .replace(STEERING, '')
    .replace(/<(script|style)\b[^>]*>.*?<\/\1>/gis, '')
    .replace(/<\/?[bi]\b[^>]*>/gi, '')
    .replace(/<\/?(br|img|p)\b[^>]*>/gi, ' ');
  return plain === text ? text : plain.trim();
}

const ALLOWED = new Set('p br hr h2 h3 ul ol li blockquote a b strong i em'.split(' '));
const EMPTY = new Set(['br', 'hr']);

function description(text: string): string {
  if (!text.includes('<') && !text.includes('&#') && text.replace(STEERING, '') === text) return text;
  let isWhole = text.replace(STEERING, '') === text;

  function write(node: DefaultTreeAdapterTypes.ChildNode): string {
    if ('value' in node) return escaped(node.value);
    if (!('tagName' in node) || node.tagName === 'script' || node.tagName === 'style') {
      isWhole = false;
      return 'tagName' in node ? ' ' : '';
    }
    const { tagName, attrs, childNodes } = node;
    const inner = childNodes.map(write).join('');
    const href = attrs.find(({ name }) => name === 'href')?.value ?? '';
    const isLink = tagName === 'a' && /^(https?:\/\/|mailto:|tel:)/.test(href);
    if (attrs.length > (isLink ? 1 : 0)) isWhole = false;
    if (tagName === 'a') return isLink ? `<a href="${escaped(href)}">${inner}</a>` : inner;
    if (!ALLOWED.has(tagName)) {
      isWhole = false;
      return ` ${inner}`;
    }
    return EMPTY.has(tagName) ? `<${tagName}>` : `<${tagName}>${inner}</${tagName}>`;
  }

  const safe = parseFragment(text.replace(STEERING, '')).childNodes.map(write).join('');
  return isWhole ? safe : safe.trim();
}

function escaped(text: string): string {
  const safe = text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
  return safe.replace(/\u00a0/g, '&nbsp;');
}
