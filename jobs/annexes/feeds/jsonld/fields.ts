/** The contents of a linked-data event, as the fields of a native event. */
import { decodeHTML } from 'entities';
import { accessibilityNamed } from '../../../../src/annexes/common/accessibility.ts';
import type { Accessibility } from '../../../../src/calendar/accessibility.ts';
import { isObject, type JsonObject } from '../../../../src/calendar/json.ts';
import { fold } from '../../../../src/calendar/text.ts';
import { webAddress } from '../../../validate/sanitize.ts';
import type { Categories } from '../categories.ts';
import type { Places } from '../directory.ts';
import type { DateValues } from '../event-assembly.ts';
import { languageNamed, withoutBlanks } from '../event-fields.ts';
import { instantAt, writtenAt } from '../moments.ts';
import { oneLine, readPlace, type WrittenPlace } from '../places.ts';
import { type FeedPrice, MOST_TICKETS, readPrices, ticketsOf } from '../prices.ts';
import { A_NEW_DATE } from '../title-words.ts';
import { listOf, nameOf, namesOf, textOf, titleOf } from './linked-data.ts';
import { type Node, thingsOf } from './nodes.ts';
import { momentOf, type Note } from './schedule.ts';

export interface FieldContext {
  /** For texts without a stated language. */
  readonly language: 'nb' | 'en';
  readonly places: Places;
  readonly categories: Categories;
  readonly note: Note;
}

/** Only the fields that it has: the rest is for the feed's defaults. */
export function fieldsOfNode(node: Node, context: FieldContext): JsonObject {
  const { value } = node;
  const images = thingsOf(node, value.image).flatMap((image) => imageOf(node, image, context) ?? []);
  const organizers = thingsOf(node, value.organizer).flatMap((one) => organizerOf(node, one, context) ?? []);
  const links = listOf(value.sameAs).map((link) => urlOf(node, link) ?? '');
  return withoutBlanks({
    ...languagesOf('title', node, context),
    ...languagesOf('desc', node, context),
    ...wordsIn(node, context),
    ...onlineOf(node),
    ...agesOf(value),
    organizers: organizers.length === 0 ? null : [...new Set(organizers)],
    images: images.length === 0 ? null : images,
    moreInfoURL: urlOf(node, value.url),
    facebookURL: links.find((url) => /\/\/(?:\w+\.)?facebook\.com\//.test(url)),
    ticketsFromDate: salesOf(node),
  });
}

/** Values that a date may have of its own (F5). */
export function dateValuesOf(node: Node, context: FieldContext): DateValues {
  const { value } = node;
  const [written = ''] = namesOf(value.eventStatus);
  const states = namesOf(value.eventStatus).map(stateOf);
  const note = (expected: string) => context.note('changed value', 'eventStatus', expected, written);
  if (states.includes('postponed')) note(A_NEW_DATE);
  if (states.includes(undefined)) note(A_STATUS);
  const before = previousStartIn(value, context);
  const offers = offersOf(node);
  const shop = offers
    .map(({ url }) => urlOf(node, url))
    .find((url) => url !== null && url !== urlOf(node, value.url));
  const isGone = ({ availability }: JsonObject) =>
    namesOf(availability).some((name) => stateOf(name) === 'soldOut');
  return {
    venue: venueOf(node, context),
    ticketsURL: shop ?? null,
    tickets: ticketsIn(node, offers, context),
    status: statusIn(states, before),
    previousStart: before,
    eventSoldOut: states.includes('soldOut') || (offers.length > 0 && offers.every(isGone)),
  };
}

/** E12. EventMovedOnline is as planned, and online. */
function statusIn(states: readonly (string | undefined)[], before: string | null): DateValues['status'] {
  if (states.includes('cancelled')) return 'CANCELLED';
  if (states.includes('postponed')) return 'POSTPONED';
  return states.includes('rescheduled') || before !== null ? 'RESCHEDULED' : null;
}

/** A day for an event of days. */
function previousStartIn(
  { startDate, previousStartDate }: JsonObject,
  { note }: FieldContext,
): string | null {
  const before = momentOf(previousStartDate, 'previousStartDate', note);
  if (before === null) return null;
  const isOfDays = momentOf(startDate, 'startDate', null)?.time === null;
  const { day, time, offset } = before;
  return time === null || isOfDays ? day : writtenAt({ day, time, offset });
}

const A_STATUS = 'a status such as EventScheduled or EventCancelled (it is passed over)';

/** `https://example.org/Event-Cancelled` and `cancelled` are one word. Undefined for an unknown one. */
function stateOf(name: string) {
  const word = fold(name)
    .replace(/^.*[/#:]/, '')
    .replace(/[^a-z]/g, '')
    .replace(/^event/, '');
  return STATES.find(({ words }) => words.split(' ').includes(word))?.state;
}

const STATES = [
  { state: 'cancelled', words: 'cancelled canceled avlyst kansellert' },
  { state: 'postponed', words: 'postponed utsatt' },
  { state: 'rescheduled', words: 'rescheduled flyttet' },
  { state: 'soldOut', words: 'soldout utsolgt' },
  { state: 'online', words: 'movedonline onlineeventattendancemode online' },
  {
    state: 'held',
    words: 'scheduled confirmed active published onsale planned planlagt bekreftet',
  },
] as const;

function languagesOf(name: 'title' | 'desc', { value }: Node, { language }: FieldContext): JsonObject {
  const own = languageOf(value.inLanguage) ?? language;
  const fields: Record<string, string> = {};
  for (const item of listOf(name === 'title' ? value.name : value.description)) {
    const text = textOf(item);
    const stated = (isObject(item) ? languageOf(item['@language']) : null) ?? own;
    if (text !== null) fields[`${name}_${stated}`] ??= name === 'title' ? titleOf(text) : descriptionOf(text);
  }
  return fields;
}

/** From a tag, a name or a Language. Null for none, several, or another one. */
function languageOf(written: unknown): 'nb' | 'en' | null {
  const [one, ...more] = listOf(written);
  const text = textOf(isObject(one) ? (one.alternateName ?? one.name ?? one) : one) ?? '';
  return more.length > 0 ? null : languageNamed(text);
}

/** Markup is often escaped twice, line ends included. */
function descriptionOf(text: string): string {
  return text.includes('<') ? text : decodeHTML(text).replaceAll('\\n', '\n').trim();
}

/** Types are names for the feed's map; keywords and performers are tags unless the map has them. E6: features are words, too. */
function wordsIn(node: Node, { categories, note }: FieldContext): JsonObject {
  const { value } = node;
  const keywords = [...listOf(value.keywords), ...listOf(value.genre)].flatMap(partsOf);
  const performers = thingsOf(node, value.performer)
    .map((performer) => nameOf(performer) ?? '')
    .filter((name) => !NO_NAMES.has(name));
  const words = [...keywords, ...performers].map(titleOf);
  const sorted = categories.sort(words.filter((word) => word !== '' && !/^https?:/.test(word)));
  const byType = categories.sort(namesOf(value['@type'])).categories ?? [];
  const all = [...new Set([...byType, ...(sorted.categories ?? [])])];
  // Keywords need not name a category: only likely typing errors are reported.
  const unnamed = sorted.unnamed?.filter(({ nearest }) => nearest !== null) ?? [];
  const features = listOf(value.accessibilityFeature)
    .flatMap(partsOf)
    .flatMap((written) => {
      const feature = accessibilityNamed(written.replace(SCHEMA_ORG, ''));
      if (feature === undefined && written.trim() !== '')
        note('changed value', 'accessibilityFeature', A_FEATURE, written);
      return feature ?? [];
    });
  const accessibility = [...features, ...(sorted.accessibility ?? [])];
  return {
    ...sorted,
    unnamed,
    ...(all.length > 0 && { categories: all }),
    ...(accessibility.length > 0 && { accessibility }),
  };
}

function partsOf(item: unknown): readonly string[] {
  return nameOf(item)?.split(',') ?? [];
}

const SCHEMA_ORG = /^\s*https?:\/\/schema\.org\//;
const A_FEATURE = 'a feature such as signLanguage, captions or audioDescription (it is passed over)';

/** Amenities are of all kinds; those that a place denies are dropped. */
function amenitiesOf(node: Node, place: JsonObject): { readonly accessibility?: readonly Accessibility[] } {
  const accessibility = thingsOf(node, place.amenityFeature).flatMap((amenity) => {
    const isDenied = isObject(amenity) && FALSE.test(String(amenity.value));
    return (isDenied ? undefined : accessibilityNamed(nameOf(amenity) ?? '')) ?? [];
  });
  return accessibility.length === 0 ? {} : { accessibility };
}

const FALSE = /^(?:false|https?:\/\/schema\.org\/False)$/i;

/** Some programs write the type in place of the name. */
const NO_NAMES = new Set(['Organization', 'Person', 'PerformingGroup', 'MusicGroup']);

function onlineOf(node: Node): JsonObject {
  const { value } = node;
  const modes = [...namesOf(value.eventAttendanceMode), ...namesOf(value.eventStatus)];
  const streams = thingsOf(node, value.location).flatMap(
    (place) => urlOf(node, isObject(place) ? (isVirtual(place) ? place.url : null) : place) ?? [],
  );
  const isOnline =
    modes.some((mode) => stateOf(mode) === 'online') ||
    thingsOf(node, value.location).some(isSaidOnline(node));
  return { mode: isOnline ? 'online' : null, streamingURL: streams[0] ?? null };
}

/** L4: whether a place is called `Zoom`, or the like, and has no address. */
function isSaidOnline(node: Node): (place: unknown) => boolean {
  return (place) => {
    const { venue, stream, isOnline } = readPlace(
      isObject(place) ? writtenPlace(node, place) : { text: textOf(place) },
    );
    return isOnline && venue === null && stream === null;
  };
}

function isVirtual(place: JsonObject): boolean {
  return namesOf(place['@type']).includes('VirtualLocation');
}

/** `18-`, `6-12` */
function agesOf({ typicalAgeRange }: JsonObject): JsonObject {
  const [, least, most] = /^(\d{1,2})(?:\+|\s*-\s*(\d{1,3})?)$/.exec(textOf(typicalAgeRange) ?? '') ?? [];
  return { minimumAge: least && Number(least), maximumAge: most && Number(most) };
}

function organizerOf(node: Node, organizer: unknown, { places }: FieldContext): string | null {
  const name = nameOf(organizer);
  if (name === null || oneLine(name) === '' || NO_NAMES.has(name) || /^https?:/.test(name)) return null;
  const website = isObject(organizer) ? urlOf(node, organizer.url) : null;
  return places.organizer({ name: titleOf(name), website }, node.line);
}

function imageOf(node: Node, image: unknown, { note }: FieldContext): JsonObject | null {
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

/** The first valid place. Null for none, and for an online event. */
function venueOf(node: Node, { places, note }: FieldContext): string | null {
  const found = thingsOf(node, node.value.location).flatMap((place) => {
    if (isObject(place) && isVirtual(place)) return [];
    const { venue, lost, isOnline } = readPlace(
      isObject(place) ? writtenPlace(node, place) : { text: textOf(place) },
    );
    for (const { part, expected, found } of lost)
      note('changed value', `location.${PLACE_PARTS[part]}`, expected, found);
    const isSaid = isObject(place) && Object.keys(place).some((key) => !key.startsWith('@'));
    if (venue === null && !isOnline && lost.length === 0 && isSaid)
      note('changed value', 'location', 'a place with a name or an address', place);
    return venue === null ? [] : { ...venue, ...(isObject(place) && amenitiesOf(node, place)) };
  });
  const [venue, ...more] = found;
  if (venue === undefined) return null;
  const [other] = more.filter(({ name }) => name !== venue.name);
  if (other !== undefined) note('changed value', 'location', 'one place (the first is taken)', other.name);
  return places.venue(venue, node.line);
}

const PLACE_PARTS = { position: 'geo', postalCode: 'address.postalCode' };

/** A Place, whose address is a text, a PostalAddress, or a list of them. */
function writtenPlace(node: Node, place: JsonObject): WrittenPlace {
  const [address] = thingsOf(node, place.address);
  const [geo] = thingsOf(node, place.geo);
  const { latitude, longitude } = isObject(geo) ? geo : place;
  // Some write the parts of the address as properties of the place.
  const parts = isObject(address) ? address : place;
  const plainText = (value: unknown) => {
    const text = isObject(value) ? textOf(value.name ?? value) : textOf(value);
    return text === null ? null : titleOf(text);
  };
  return {
    name: plainText(place.name),
    address:
      isObject(address) || textOf(address) === null
        ? {
            name: parts === place ? null : plainText(parts.name),
            street: plainText(parts.streetAddress),
            postalCode: plainText(parts.postalCode),
            locality: plainText(parts.addressLocality),
            region: plainText(parts.addressRegion),
            country: plainText(parts.addressCountry),
          }
        : plainText(address),
    latitude: textOf(latitude),
    longitude: textOf(longitude),
  };
}

/** Offers within an aggregate count separately. */
function offersOf(node: Node): readonly JsonObject[] {
  const offers = thingsOf(node, node.value.offers)
    .filter(isObject)
    .flatMap((offer) => {
      const inner = thingsOf(node, offer.offers).filter(isObject);
      return inner.length > 0 ? inner : [offer];
    });
  return offers.slice(0, MOST_TICKETS);
}

/** Null if there are no prices. L2: a price of 0 is free. */
function ticketsIn(
  { value }: Node,
  offers: readonly JsonObject[],
  context: FieldContext,
): DateValues['tickets'] {
  const prices = offers.flatMap((offer) => pricesOfOffer(offer, context));
  if (prices.length > 0) return ticketsOf(prices);
  const isFree = /^(?:true|https?:\/\/schema\.org\/True)$/i.test(String(value.isAccessibleForFree));
  return isFree ? { ticketsInformation: 'free', prices: [] } : null;
}

function pricesOfOffer(offer: JsonObject, { language, note }: FieldContext): readonly FeedPrice[] {
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
    for (const found of unread)
      if (isForeign) note('changed value', 'offers.priceCurrency', A_CURRENCY, currency);
      else note('changed value', 'offers.price', A_PRICE, found);
    return prices;
  });
}

const A_CURRENCY = 'NOK (the price is kept as words)';
const A_PRICE = 'a price such as 150 or kr 149,50 (the text is kept)';

/** When sales of the first ticket begin. */
function salesOf(node: Node): string | null {
  const moments = offersOf(node).flatMap(({ validFrom }) => {
    const moment = momentOf(validFrom, 'offers.validFrom', null);
    return moment === null ? [] : writtenAt({ ...moment, time: moment.time ?? '00:00' });
  });
  return moments.sort((left, right) => instantAt(left) - instantAt(right))[0] ?? null;
}

/** An absolute URL; a path is completed with the page's host. Null for anything else. */
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
