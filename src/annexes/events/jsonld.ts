/** JSON-LD: a schema.org `Event` an occurrence. */

import { FEATURES, isAccessibility } from '../../calendar/accessibility.ts';
import { EVENT, type Field, having, ORGANIZER, VENUE } from '../../calendar/fields.ts';
import type { Organizer, Venue } from '../../calendar/model.ts';
import { formatDay, osloDay } from '../../calendar/time.ts';
import type { EventNode, RepetitionNode } from '../../serve/query/node.ts';
import { plainLines } from '../common/plain-lines.ts';
import {
  type Feed,
  type FeedEvent,
  type FeedOccurrence,
  feedEventOf,
  feedOccurrenceOf,
  occurrencesOf,
} from './read.ts';

/** I8: its JSON Schema. */
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

/** `datesOf`: the occurrences of a node that it has; all of them unless a page shows fewer. */
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
      // Two objects as one: what the occurrences of an event have in common is written once.
      yield `${separator}${own.slice(0, -1)},${common.slice(1)}`;
      separator = ',\n';
    }
  }
  yield '\n]}\n';
}

/** May stand in a `script` element of a page, where `</script>` would end it. */
function written(object: object): string {
  return JSON.stringify(object).replaceAll('<', '\\u003c');
}

/** What is undefined is left out. */
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

/** Of an all-day occurrence the last day, itself included. */
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

/** The plain fields that schema.org has names for; what is null or empty is left out. */
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
