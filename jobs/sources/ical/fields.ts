/** What a VEVENT says besides when it is, as the fields of a native event. */
import { isoSecond } from '../../../src/calendar/time.ts';
import type { Categories, Feed } from '../../feeds/config.ts';
import type { Complain } from '../../feeds/slice.ts';
import { excerpt } from '../../report/excerpt.ts';
import { type Entry, first } from './entry.ts';
import { readMoment } from './moments.ts';
import type { Geo, Places } from './places.ts';
import { type Property, textOf, textsOf } from './property.ts';
import { instantOfMoment, OSLO } from './zones.ts';

export interface FieldContext {
  readonly feed: Pick<Feed, 'language'>;
  readonly places: Places;
  readonly categories: Categories;
  /** With the event's id filled in. */
  readonly complain: Complain;
}

export type Fields = Readonly<Record<string, unknown>>;

/** Only what the entry says: what it leaves out is for the feed's defaults. */
export function fieldsOf(entry: Entry, context: FieldContext): Fields {
  return {
    ...languagesOf(entry, { SUMMARY: 'title', DESCRIPTION: 'desc' }, context),
    ...categoriesOf(entry, context.categories),
    ...placeOf(entry, context),
    ...organizersOf(entry, context.places),
    ...imagesOf(entry, context.complain),
    moreInfoURL: webAddress(first(entry.component, 'URL')),
    eventCancelled: isCancelled(entry) ? true : null,
    created_at: bookkeeping(first(entry.component, 'CREATED')),
    updated_at: bookkeeping(first(entry.component, 'LAST-MODIFIED')),
  };
}

export function isCancelled({ component }: Entry): boolean {
  return component.method === 'CANCEL' || statusOf(component) === 'CANCELLED';
}

/** Upper case; null without STATUS. */
export function statusOf(component: Entry['component']): string | null {
  return first(component, 'STATUS')?.value.trim().toUpperCase().replace('CANCELED', 'CANCELLED') ?? null;
}

function languagesOf(
  entry: Entry,
  names: Readonly<Record<string, string>>,
  { feed, complain }: FieldContext,
): Fields {
  const fields: Record<string, string> = {};
  for (const property of entry.component.properties) {
    const name = names[property.name];
    const text = name === undefined ? '' : textOf(property);
    if (name === undefined || text === '') continue;
    const tag = property.parameters.get('LANGUAGE')?.toLowerCase();
    const field = `${name}_${languageOf(tag) ?? feed.language}`;
    if (fields[field] === undefined) fields[field] = text;
    else {
      const expected = 'one text in each language (the first is taken)';
      const { line } = property;
      complain({
        action: 'changed value',
        line,
        id: null,
        field: property.name,
        expected,
        found: excerpt(text),
      });
    }
  }
  return fields;
}

/** Null for what is neither Norwegian nor English. */
function languageOf(tag: string | undefined): 'nb' | 'en' | null {
  const language = tag?.split('-')[0] ?? '';
  if (['nb', 'no', 'nn'].includes(language)) return 'nb';
  return language === 'en' ? 'en' : null;
}

function categoriesOf({ component }: Entry, categories: Categories): Fields {
  const names = component.properties.filter(({ name }) => name === 'CATEGORIES').flatMap(textsOf);
  return { ...categories.sort(names) };
}

/** A LOCATION that is an address on the web is no place, but where to look. */
function placeOf(entry: Entry, context: FieldContext): Fields {
  const location = first(entry.component, 'LOCATION');
  const conference = first(entry.component, 'CONFERENCE');
  const stream = webAddress(location) ?? webAddress(conference);
  if (webAddress(location) !== null) return { mode: 'online', streamingURL: stream };
  return { venue: venueOf(entry, context), ...(stream === null ? {} : { streamingURL: stream }) };
}

/** Null when the entry names no place. */
export function venueOf({ component }: Entry, { places, complain }: FieldContext): string | null {
  const location = first(component, 'LOCATION');
  const geo = first(component, 'GEO');
  const point = geo === null ? null : geoOf(geo);
  const text = location === null || webAddress(location) !== null ? '' : textOf(location);
  const id = text === '' ? null : places.venue(text, point, location?.line ?? component.line);
  const expected =
    geo !== null && point === null
      ? 'latitude;longitude'
      : geo !== null && id === null
        ? 'a LOCATION beside GEO'
        : null;
  if (expected !== null && geo !== null) {
    const { line, value } = geo;
    complain({ action: 'changed value', line, id: null, field: 'GEO', expected, found: excerpt(value) });
  }
  return id;
}

function geoOf({ value }: Property): Geo | null {
  const match = /^\s*([+-]?\d{1,3}(?:\.\d+)?)\s*[;,]\s*([+-]?\d{1,3}(?:\.\d+)?)\s*$/.exec(
    value.replaceAll('\\', ''),
  );
  if (match === null) return null;
  const [latitude, longitude] = [Number(match[1]), Number(match[2])];
  return Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180 ? { latitude, longitude } : null;
}

/** The name only: addresses of persons are not for publication. */
function organizersOf({ component }: Entry, places: Places): Fields {
  const organizer = first(component, 'ORGANIZER');
  const name = organizer?.parameters.get('CN')?.replace(/\s+/g, ' ').trim() ?? '';
  if (organizer === null || name === '' || isAddress(name)) return {};
  return { organizers: [places.organizer(name, organizer.line)] };
}

/** One word with an at sign inside. */
function isAddress(name: string): boolean {
  const at = name.indexOf('@', 1);
  return at !== -1 && at < name.length - 1 && !name.includes(' ');
}

function imagesOf({ component }: Entry, complain: Complain): Fields {
  const images: { readonly urlSmall: string; readonly urlLarge: string }[] = [];
  for (const property of component.properties) {
    if (!isImage(property)) continue;
    const url = webAddress(property);
    if (url !== null) images.push({ urlSmall: url, urlLarge: url });
    else {
      const { name, line, value } = property;
      const expected = 'the http or https URL of an image';
      complain({
        action: 'dropped reference',
        line,
        id: null,
        field: name,
        expected,
        found: excerpt(value.slice(0, 200)),
      });
    }
  }
  return images.length === 0 ? {} : { images };
}

function isImage({ name, parameters, value }: Property): boolean {
  if (name === 'IMAGE') return true;
  if (name !== 'ATTACH') return false;
  const type = parameters.get('FMTTYPE');
  if (type !== undefined) return /^image\//i.test(type);
  return /^https?:[^?#]*\.(?:avif|gif|jpe?g|png|webp)(?:[?#]|$)/i.test(value.trim());
}

function webAddress(property: Property | null): string | null {
  const url = property?.value.trim() ?? '';
  return /^https?:\/\/\S+$/i.test(url) && URL.canParse(url) ? url : null;
}

/** Bookkeeping values are left out when they cannot be read: nobody would miss them. */
function bookkeeping(property: Property | null): string | null {
  const moment = readMoment(property?.value ?? '', OSLO);
  if (moment === null || moment.isDate) return null;
  return isoSecond(instantOfMoment(moment));
}
