/** What an event of linked data says, as the fields of a native event. */
import { decodeHTML } from 'entities';
import { isObject, type JsonObject } from '../../../src/calendar/json.ts';
import { type Places, withoutBlanks } from '../../feeds/collector.ts';
import type { Categories } from '../../feeds/config.ts';
import { instantAt, writtenAt } from '../../feeds/moments.ts';
import type { OwnValues } from '../../feeds/own-values.ts';
import { type FeedPrice, MOST_TICKETS, readPrices, ticketsOf } from '../../feeds/prices.ts';
import { webAddress } from '../../validate/sanitize.ts';
import { momentOf, type Note } from './dates.ts';
import type { Node } from './nodes.ts';
import { listOf, namesOf, textOf } from './nodes.ts';

export interface FieldContext {
  /** Of texts that do not say. */
  readonly language: 'nb' | 'en';
  readonly places: Places;
  readonly categories: Categories;
  readonly note: Note;
}

/** Only what it says: the rest is for the feed's defaults. */
export function fieldsOf(node: Node, context: FieldContext): JsonObject {
  const { value } = node;
  const images = listOf(value.image).flatMap((image) => imageOf(node, image, context) ?? []);
  const organizers = listOf(value.organizer).flatMap(
    (organizer) => organizerOf(node, organizer, context) ?? [],
  );
  return withoutBlanks({
    ...languagesOf('title', value.name, context),
    ...languagesOf('desc', value.description, context),
    ...categoriesOf(node, context),
    ...onlineOf(node),
    ...agesOf(value),
    organizers: organizers.length === 0 ? null : [...new Set(organizers)],
    images: images.length === 0 ? null : images,
    moreInfoURL: urlOf(node, value.url),
    facebookURL:
      listOf(value.sameAs)
        .map((link) => urlOf(node, link))
        .find((url) => /\/\/(?:\w+\.)?facebook\.com\//.test(url ?? '')) ?? null,
    ticketsFromDate: salesOf(node),
  });
}

/** What a date may have of its own (F5). */
export function ownOf(node: Node, context: FieldContext): OwnValues {
  const { value } = node;
  const status = namesOf(value.eventStatus);
  if (status.includes('EventPostponed')) {
    const expected = 'a date on which it is held (without another one it is shown as cancelled)';
    context.note('changed value', 'eventStatus', expected, 'EventPostponed');
  }
  const offers = offersOf(node);
  const shop = offers
    .map(({ url }) => urlOf(node, url))
    .find((url) => url !== null && url !== urlOf(node, value.url));
  return {
    venue: venueOf(node, context),
    ticketsURL: shop ?? null,
    tickets: ticketsIn(node, offers, context),
    eventCancelled: status.includes('EventCancelled') || status.includes('EventPostponed'),
    eventSoldOut:
      offers.length > 0 && offers.every(({ availability }) => namesOf(availability).includes('SoldOut')),
  };
}

/** Titles are plain text, but many programs write them as HTML. */
export function titleOf(written: string): string {
  return decodeHTML(written).replace(/\s+/g, ' ').trim();
}

function languagesOf(name: 'title' | 'desc', value: unknown, { language }: FieldContext): JsonObject {
  const fields: Record<string, string> = {};
  for (const item of listOf(value)) {
    const text = textOf(item);
    const tag = isObject(item) && typeof item['@language'] === 'string' ? item['@language'] : '';
    const said = /^(?:nb|no|nn)\b/i.test(tag) ? 'nb' : /^en\b/i.test(tag) ? 'en' : language;
    if (text !== null) fields[`${name}_${said}`] ??= name === 'title' ? titleOf(text) : descriptionOf(text);
  }
  return fields;
}

/** Markup is often escaped once more, and line ends with it. */
function descriptionOf(text: string): string {
  return text.includes('<') ? text : decodeHTML(text).replaceAll('\\n', '\n').trim();
}

/** Types are names for the feed's map; keywords and performers are tags unless it knows them. */
function categoriesOf({ value, page }: Node, { categories }: FieldContext): JsonObject {
  const words = [...listOf(value.keywords), ...listOf(value.genre)].flatMap((item) => {
    const text = isObject(item) ? textOf(item.name) : textOf(item);
    return text === null ? [] : text.split(',').map((word) => titleOf(word));
  });
  const performers = listOf(value.performer).flatMap((item) => {
    const performer = page.resolve(item);
    const name = isObject(performer) ? textOf(performer.name) : textOf(performer);
    return name === null || NO_NAMES.has(name) ? [] : [titleOf(name)];
  });
  const sorted = categories.sort(
    [...words, ...performers].filter((word) => word !== '' && !/^https?:/.test(word)),
  );
  const byType = categories.sort(namesOf(value['@type'])).categories ?? [];
  const all = [...new Set([...byType, ...(sorted.categories ?? [])])];
  return { ...sorted, ...(all.length === 0 ? {} : { categories: all }) };
}

/** Some programs write the type where the name should be. */
const NO_NAMES = new Set(['Organization', 'Person', 'PerformingGroup', 'MusicGroup']);

function onlineOf(node: Node): JsonObject {
  const { value, page } = node;
  const modes = [...namesOf(value.eventAttendanceMode), ...namesOf(value.eventStatus)];
  const streams = listOf(value.location).flatMap((item) => {
    const place = page.resolve(item);
    if (!isObject(place)) return urlOf(node, place) ?? [];
    return namesOf(place['@type']).includes('VirtualLocation') ? (urlOf(node, place.url) ?? []) : [];
  });
  const isOnline = modes.includes('OnlineEventAttendanceMode') || modes.includes('EventMovedOnline');
  return { mode: isOnline ? 'online' : null, streamingURL: streams[0] ?? null };
}

/** `18-`, `6-12` */
function agesOf({ typicalAgeRange }: JsonObject): JsonObject {
  const [, least, most] = /^(\d{1,2})(?:\+|\s*-\s*(\d{1,3})?)$/.exec(textOf(typicalAgeRange) ?? '') ?? [];
  return {
    minimumAge: least === undefined ? null : Number(least),
    maximumAge: most === undefined ? null : Number(most),
  };
}

function organizerOf(node: Node, item: unknown, { places }: FieldContext): string | null {
  const organizer = node.page.resolve(item);
  const name = isObject(organizer) ? textOf(organizer.name) : textOf(organizer);
  if (name === null || NO_NAMES.has(name) || /^https?:/.test(name)) return null;
  const website = isObject(organizer) ? urlOf(node, organizer.url) : null;
  return places.organizer({ name: titleOf(name), website }, node.line);
}

function imageOf(node: Node, item: unknown, { note }: FieldContext): JsonObject | null {
  const image = node.page.resolve(item);
  const written = isObject(image) ? (image.url ?? image.contentUrl) : image;
  const url = urlOf(node, written);
  if (url === null) {
    if (textOf(written) !== null)
      note('changed value', 'image', 'the http or https URL of an image', written);
    return null;
  }
  const caption = isObject(image) ? textOf(image.caption) : null;
  return { urlSmall: url, urlLarge: url, ...(caption === null ? {} : { caption }) };
}

/** The first place that is one. Null for none, and for what is only on the web. */
function venueOf(node: Node, { places, note }: FieldContext): string | null {
  for (const item of listOf(node.value.location)) {
    const place = node.page.resolve(item);
    const isVirtual = isObject(place) && namesOf(place['@type']).includes('VirtualLocation');
    const written = isObject(place) ? place : { name: place };
    const address = isVirtual ? null : addressOf(node, 'address' in written ? written.address : written);
    const name = titleOf(
      textOf('name' in written ? written.name : null) ?? address?.street ?? address?.locality ?? '',
    );
    if (isVirtual || name === '' || webAddress(name) !== null) continue;
    const point = pointOf(written);
    if (point === null && 'geo' in written && isObject(written.geo))
      note('changed value', 'location.geo', 'latitude and longitude', written.geo);
    const { whole = null, postalCode = null } = address ?? {};
    return places.venue({ name, address: whole === name ? null : whole, postalCode, ...point }, node.line);
  }
  return null;
}

interface Address {
  readonly whole: string | null;
  readonly street: string | null;
  readonly locality: string | null;
  readonly postalCode: string | null;
}

/** A text, or a PostalAddress: `Olavskvartalet 1, 7011 Trondheim`, with the country where it is another. */
function addressOf({ page }: Node, value: unknown): Address | null {
  const [address] = listOf(value).map((item) => page.resolve(item));
  if (!isObject(address)) {
    const whole = textOf(address);
    return whole === null ? null : { whole: titleOf(whole), street: null, locality: null, postalCode: null };
  }
  const said = (field: string) => {
    const inner = address[field];
    const text = isObject(inner) ? textOf(inner.name) : textOf(inner);
    return text === null ? null : titleOf(text);
  };
  const [street, postalCode, locality] = [said('streetAddress'), said('postalCode'), said('addressLocality')];
  const country = said('addressCountry');
  // Some programs write all of it as the street.
  const isWhole = street !== null && postalCode !== null && street.includes(postalCode);
  const town = isWhole ? [] : [[postalCode, locality].filter((part) => part !== null).join(' ')];
  const abroad = country === null || /^(?:no|nor|norge|norway)$/i.test(country) ? [] : [country];
  const whole = [street ?? '', ...town, ...abroad].filter((part) => part !== '').join(', ');
  return whole === '' ? null : { whole, street, locality, postalCode };
}

function pointOf(place: JsonObject): { readonly latitude: number; readonly longitude: number } | null {
  const geo = isObject(place.geo) ? place.geo : place;
  const [latitude, longitude] = [geo.latitude, geo.longitude].map((value) =>
    Number(textOf(value) ?? Number.NaN),
  );
  if (latitude === undefined || longitude === undefined) return null;
  const isThere = Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180;
  // What some programs write for a place that nobody has looked up.
  return isThere && !(latitude === 0 && longitude === 0) ? { latitude, longitude } : null;
}

/** Those within an aggregate count for themselves. */
function offersOf({ value, page }: Node): readonly JsonObject[] {
  return listOf(value.offers)
    .flatMap((item) => {
      const offer = page.resolve(item);
      if (!isObject(offer)) return [];
      const inner = listOf(offer.offers)
        .map((each) => page.resolve(each))
        .filter(isObject);
      return inner.length > 0 ? inner : [offer];
    })
    .slice(0, MOST_TICKETS);
}

/** Null when nothing is said of prices. L2: a price of 0 is free. */
function ticketsIn(
  { value }: Node,
  offers: readonly JsonObject[],
  context: FieldContext,
): OwnValues['tickets'] {
  const prices = offers.flatMap((offer) => pricesOf(offer, context));
  if (prices.length > 0) return ticketsOf(prices);
  const isFree = /^(?:true|https?:\/\/schema\.org\/True)$/i.test(String(value.isAccessibleForFree));
  return isFree ? { ticketsInformation: 'free', prices: [] } : null;
}

function pricesOf(offer: JsonObject, { language, note }: FieldContext): readonly FeedPrice[] {
  const [specification] = listOf(offer.priceSpecification).filter(isObject);
  const written = [offer.price ?? specification?.price ?? offer.lowPrice, offer.highPrice]
    .map(textOf)
    .filter((text) => text !== null);
  const label = titleOf(textOf(offer.name) ?? '');
  const [type] = namesOf(offer.category);
  const currency = textOf(offer.priceCurrency ?? specification?.priceCurrency) ?? 'NOK';
  const isForeign = currency.toUpperCase() !== 'NOK';
  return [...new Set(written)].flatMap((text) => {
    const { prices, unread } = readPrices(text, language, { label, type, currency });
    for (const found of unread) {
      if (isForeign)
        note('changed value', 'offers.priceCurrency', 'NOK (the price is kept as words)', currency);
      else
        note('changed value', 'offers.price', 'a price such as 150 or kr 149,50 (the text is kept)', found);
    }
    return prices;
  });
}

/** When the first of the tickets goes on sale. */
function salesOf(node: Node): string | null {
  const moments = offersOf(node).flatMap(({ validFrom }) => {
    const moment = momentOf(validFrom, 'offers.validFrom', null);
    return moment === null ? [] : [writtenAt({ ...moment, time: moment.time ?? '00:00' })];
  });
  return moments.sort((left, right) => instantAt(left) - instantAt(right))[0] ?? null;
}

/** An absolute URL; an address that begins at the page's host is completed. Null for anything else. */
function urlOf({ page }: Node, value: unknown): string | null {
  const [first] = listOf(value);
  const text = textOf(isObject(first) ? (first['@id'] ?? first.url) : first);
  if (text === null) return null;
  const url =
    text.startsWith('/') && page.origin !== null && URL.canParse(text, page.origin)
      ? new URL(text, page.origin).href
      : text;
  return webAddress(url);
}
