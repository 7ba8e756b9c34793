/** JSON-LD: a schema.org `Event` an occurrence. */

import { isAccessibility } from '../../calendar/accessibility.ts';
import { type Field, having } from '../../calendar/field.ts';
import { EVENT, ORGANIZER, VENUE } from '../../calendar/fields.ts';
import type { Organizer, Venue } from '../../calendar/model.ts';
import type { EventStatus } from '../../calendar/status.ts';
import { formatDay, osloDay } from '../../calendar/time.ts';
import { FEATURES } from '../common/accessibility.ts';
import { plainLines } from '../common/lines.ts';
import { eventsIn, type Feed } from './read.ts';
import { type FeedEvent, type FeedOccurrence, feedEventOf } from './values.ts';
import { isOnline, linkOf, pricesOf } from './words.ts';

/** I8: the JSON Schema of a list. */
export const JSON_LD = {
  type: 'object',
  properties: {
    '@context': { const: 'https://schema.org' },
    '@graph': {
      type: 'array',
      items: { type: 'object', required: ['@type', 'identifier', 'name', 'startDate'] },
    },
  },
  required: ['@context', '@graph'],
};

export function* writeJsonLd(feed: Feed): Generator<string> {
  const { language, containers } = feed;
  yield '{"@context":"https://schema.org","@graph":[';
  let separator = '\n';
  for (const { event, dates } of eventsIn(feed)) {
    const container = containers.get(event.superEvent ?? '');
    const superEvent = container && feedEventOf(container, language);
    const common = written(objectOfEvent(event, superEvent));
    for (const occurrence of dates()) {
      const single = written(objectOfOccurrence(occurrence, event));
      // Two objects joined: properties that all occurrences of an event share are written once.
      yield `${separator}${single.slice(0, -1)},${common.slice(1)}`;
      separator = ',\n';
    }
  }
  yield '\n]}\n';
}

/** Within a page, for search engines. */
export function* jsonLdScript(feed: Feed): Generator<string> {
  yield '<script type="application/ld+json">';
  yield* writeJsonLd(feed);
  yield '</script>\n';
}

/** Safe within a `script` element of a page, which `</script>` would end. */
function written(object: object): string {
  return JSON.stringify(object).replaceAll('<', '\\u003c');
}

/** Undefined properties are omitted. */
function objectOfEvent(event: FeedEvent, superEvent: FeedEvent | undefined): object {
  const { title, description, labels, organizers } = event;
  return {
    name: title.text,
    inLanguage: title.language,
    description: description === null ? undefined : plainLines(description.text),
    keywords: labels.length === 0 ? undefined : labels,
    image: event.image?.large,
    isAccessibleForFree: event.isFree ? true : undefined,
    organizer: organizers.length === 0 ? undefined : organizers.map(organizerOf),
    ...plainOf(event.plain, EVENT),
    superEvent: superEvent && { '@type': 'Event', name: superEvent.title.text, url: superEvent.link },
  };
}

function objectOfOccurrence(occurrence: FeedOccurrence, event: FeedEvent): object {
  const { start, end, previousStartText } = occurrence;
  const offers = offersOf(occurrence, event);
  return {
    '@type': 'Event',
    identifier: occurrence.id,
    url: linkOf(event, occurrence),
    startDate: dateOf(occurrence.startText, occurrence),
    endDate: end > start ? endOf(occurrence) : undefined,
    eventStatus: `https://schema.org/${SCHEMA_ORG[occurrence.status]}`,
    previousStartDate: previousStartText === null ? undefined : dateOf(previousStartText, occurrence),
    eventAttendanceMode: `https://schema.org/${attendanceOf(occurrence, event)}EventAttendanceMode`,
    location: locationOf(occurrence, event),
    offers: offers.length === 0 ? undefined : offers,
  };
}

/** E12: an event's status in schema.org. */
const SCHEMA_ORG: Readonly<Record<EventStatus, string>> = {
  SCHEDULED: 'EventScheduled',
  CANCELLED: 'EventCancelled',
  POSTPONED: 'EventPostponed',
  RESCHEDULED: 'EventRescheduled',
};

const dateOf = (text: string, { isAllDay }: FeedOccurrence): string =>
  isAllDay ? text.slice(0, 10) : text.replace(' ', 'T');

/** The last day of an all-day occurrence, inclusive. */
function endOf(occurrence: FeedOccurrence): string {
  const { end, endText, isAllDay } = occurrence;
  return isAllDay ? formatDay(osloDay(end - 1)) : dateOf(endText, occurrence);
}

function attendanceOf({ venue }: FeedOccurrence, event: FeedEvent): string {
  if (venue !== null) return isOnline(event) ? 'Mixed' : 'Offline';
  return event.isOnline ? 'Online' : 'Offline';
}

function locationOf(occurrence: FeedOccurrence, event: FeedEvent): object | undefined {
  const { venue } = occurrence;
  const virtual = { '@type': 'VirtualLocation', url: event.streamingURL ?? linkOf(event, occurrence) };
  if (venue === null) return isOnline(event) ? virtual : undefined;
  return isOnline(event) ? [placeOf(venue), virtual] : placeOf(venue);
}

function placeOf(venue: Venue): object {
  const { name, location } = venue;
  return {
    '@type': 'Place',
    name,
    address: addressOf(venue),
    geo: location === null ? undefined : { '@type': 'GeoCoordinates', ...location },
    ...plainOf(venue, VENUE),
  };
}

/** The parts of `Gata 1, 7010 Trondheim`: the text before its postal code, the code, and the text after it. */
function addressOf({ address, postalCode, municipality }: Venue): object | undefined {
  if (address === null) return undefined;
  const at = postalCode === null ? -1 : address.lastIndexOf(postalCode);
  const [street, town] =
    at === -1 || postalCode === null
      ? [address, '']
      : [address.slice(0, at), address.slice(at + postalCode.length)].map(partOf);
  return {
    '@type': 'PostalAddress',
    streetAddress: street || undefined,
    postalCode: postalCode ?? undefined,
    addressLocality: town || municipality || undefined,
    addressCountry: 'NO',
  };
}

/** Without the commas at its edges, and the country. */
const partOf = (text: string): string =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '' && !COUNTRIES.includes(part))
    .join(', ');

const COUNTRIES: readonly string[] = ['Norge', 'Noreg', 'Norway'];

function organizerOf(organizer: Organizer): object {
  return { '@type': 'Organization', name: organizer.name, ...plainOf(organizer, ORGANIZER) };
}

/** The plain fields that schema.org has names for, without null and empty values. */
function plainOf(values: object, table: Readonly<Record<string, Field>>): object {
  const named = Object.entries<Field>(having(table, 'schemaOrg'));
  return Object.fromEntries(
    named.map(([name, { schemaOrg = name, kind, localized: pair = name }]) => {
      const value: unknown = Reflect.get(values, pair) ?? undefined;
      return [schemaOrg, kind === 'accessibility' ? featuresOf(value, schemaOrg) : value];
    }),
  );
}

/** E6: a place has amenities, each with a name. */
function featuresOf(value: unknown, schemaOrg: string): readonly unknown[] | undefined {
  const names = Array.isArray(value)
    ? value.filter(isAccessibility).map((word) => FEATURES[word].schemaOrg)
    : [];
  if (names.length === 0) return undefined;
  return schemaOrg === VENUE.accessibility.schemaOrg
    ? names.map((name) => ({ '@type': 'LocationFeatureSpecification', name, value: true }))
    : names;
}

const CURRENCY = 'NOK';

function offersOf(occurrence: FeedOccurrence, event: FeedEvent): readonly object[] {
  const { isSoldOut, ticketsURL } = occurrence;
  const common = {
    '@type': 'Offer',
    url: ticketsURL ?? linkOf(event, occurrence),
    availability: `https://schema.org/${isSoldOut ? 'SoldOut' : 'InStock'}`,
  };
  if (event.isFree) return [{ ...common, price: 0, priceCurrency: CURRENCY }];
  const offers = pricesOf(event, occurrence)
    .filter(({ price }) => price !== null)
    .map(({ type, name, price }) => ({
      ...common,
      name: name ?? undefined,
      category: type,
      price,
      priceCurrency: CURRENCY,
    }));
  return offers.length > 0 || (ticketsURL === null && !isSoldOut) ? offers : [common];
}
