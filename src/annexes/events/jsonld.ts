/** JSON-LD: a schema.org `Event` an occurrence. */

import { isAccessibility } from '../../calendar/accessibility.ts';
import { EVENT, type Field, having, ORGANIZER, VENUE } from '../../calendar/fields.ts';
import type { Organizer, Venue } from '../../calendar/model.ts';
import { formatDay, osloDay } from '../../calendar/time.ts';
import type { EventNode, RepetitionNode } from '../../serve/query/node.ts';
import { FEATURES } from '../common/accessibility.ts';
import { plainLines } from '../common/plain-lines.ts';
import {
  type Feed,
  type FeedEvent,
  type FeedOccurrence,
  feedEventOf,
  feedOccurrenceOf,
  occurrencesOf,
} from './read.ts';

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

/** `datesOf`: the occurrences of a node to write; all by default, fewer on a page. */
export function* writeJsonLd(
  { language, events, containers, reach }: Feed,
  datesOf = (node: EventNode): readonly RepetitionNode[] => occurrencesOf(node, reach),
): Generator<string> {
  yield '{"@context":"https://schema.org","@graph":[';
  let separator = '\n';
  for (const node of events) {
    const event = feedEventOf(node, language);
    const container = containers.get(event.superEvent ?? '');
    const superEvent = container && feedEventOf(container, language);
    const common = written(objectOfEvent(event, superEvent));
    for (const occurrence of datesOf(node)) {
      const own = written(objectOfOccurrence(feedOccurrenceOf(occurrence, language), event));
      // Two objects joined: properties that all occurrences of an event share are written once.
      yield `${separator}${own.slice(0, -1)},${common.slice(1)}`;
      separator = ',\n';
    }
  }
  yield '\n]}\n';
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
    url: event.link,
    keywords: labels.length === 0 ? undefined : labels,
    image: event.image ?? undefined,
    eventAttendanceMode: `https://schema.org/${event.isOnline ? 'Online' : 'Offline'}EventAttendanceMode`,
    isAccessibleForFree: event.isFree ? true : undefined,
    organizer: organizers.length === 0 ? undefined : organizers.map(organizerOf),
    ...plainOf(event.plain, EVENT),
    superEvent: superEvent && { '@type': 'Event', name: superEvent.title.text, url: superEvent.link },
  };
}

function objectOfOccurrence(occurrence: FeedOccurrence, event: FeedEvent): object {
  const { start, end, isCancelled } = occurrence;
  const offers = offersOf(occurrence, event);
  return {
    '@type': 'Event',
    identifier: occurrence.id,
    startDate: dateOf(occurrence.startText, occurrence),
    endDate: end > start ? endOf(occurrence) : undefined,
    eventStatus: `https://schema.org/Event${isCancelled ? 'Cancelled' : 'Scheduled'}`,
    location: locationOf(occurrence, event),
    offers: offers.length === 0 ? undefined : offers,
  };
}

const dateOf = (text: string, { isAllDay }: FeedOccurrence): string =>
  isAllDay ? text.slice(0, 10) : text.replace(' ', 'T');

/** The last day of an all-day occurrence, inclusive. */
function endOf(occurrence: FeedOccurrence): string {
  const { end, endText, isAllDay } = occurrence;
  return isAllDay ? formatDay(osloDay(end - 1)) : dateOf(endText, occurrence);
}

function locationOf({ venue }: FeedOccurrence, event: FeedEvent): object | undefined {
  const virtual = { '@type': 'VirtualLocation', url: event.streamingURL ?? event.link };
  if (venue === null) return event.isOnline ? virtual : undefined;
  return event.isOnline ? [placeOf(venue), virtual] : placeOf(venue);
}

function placeOf(venue: Venue): object {
  const { name, address, postalCode, municipality, location } = venue;
  return {
    '@type': 'Place',
    name,
    address:
      address === null
        ? undefined
        : {
            '@type': 'PostalAddress',
            streetAddress: address,
            postalCode: postalCode ?? undefined,
            addressRegion: municipality ?? undefined,
            addressCountry: 'NO',
          },
    geo: location === null ? undefined : { '@type': 'GeoCoordinates', ...location },
    ...plainOf(venue, VENUE),
  };
}

function organizerOf(organizer: Organizer): object {
  return { '@type': 'Organization', name: organizer.name, ...plainOf(organizer, ORGANIZER) };
}

/** The plain fields that schema.org has names for, without null and empty values. */
function plainOf(values: object, table: Readonly<Record<string, Field>>): object {
  const named = Object.entries<Field>(having(table, 'schemaOrg'));
  return Object.fromEntries(
    named.map(([name, { schemaOrg = name, kind }]) => {
      const value: unknown = Reflect.get(values, name) ?? undefined;
      return [schemaOrg, kind === 'accessibility' ? featuresOf(value, schemaOrg) : value];
    }),
  );
}

/** E6. A place has amenities, each with a name. */
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

function offersOf({ prices, isSoldOut, ticketsURL }: FeedOccurrence, event: FeedEvent): readonly object[] {
  const common = {
    '@type': 'Offer',
    url: ticketsURL ?? undefined,
    availability: isSoldOut ? 'https://schema.org/SoldOut' : undefined,
  };
  if (event.isFree) return [{ ...common, price: 0, priceCurrency: CURRENCY }];
  const offers = (prices ?? event.prices)
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
