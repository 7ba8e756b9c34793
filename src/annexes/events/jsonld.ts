/** JSON-LD: a schema.org `Event` an occurrence. */
import { isAccessibility } from '../../calendar/accessibility.ts';
import { type Field, having } from '../../calendar/field.ts';
import { EVENT, ORGANIZER, VENUE } from '../../calendar/fields.ts';
import type { Organizer, Venue } from '../../calendar/model.ts';
import type { EventStatus } from '../../calendar/status.ts';
import { formatDay, osloDay } from '../../calendar/time.ts';
import { FEATURES } from '../common/accessibility.ts';
import { listOf, objectOf } from '../common/json-schema.ts';
import { plainLines } from '../common/lines.ts';
import { eventsIn } from './entries.ts';
import type { EventList } from './event-list.ts';
import { isOnline, type ListedEvent, type ListedOccurrence, linkOf, pricesOf, takesPlace } from './listed.ts';
import { listedEventOf } from './values.ts';

/** I8: the JSON Schema of a list. */
export const JSON_LD = objectOf({
  '@context': { const: 'https://schema.org' },
  '@graph': listOf({ type: 'object', required: ['@type', 'identifier', 'name', 'startDate'] }),
});

export function* writeJsonLd(list: EventList): Generator<string> {
  const { language, containers } = list;
  yield '{"@context":"https://schema.org","@graph":[';
  let separator = '\n';
  for (const { event, dates } of eventsIn(list)) {
    const container = containers.get(event.superEvent ?? '');
    const superEvent = container && listedEventOf(container, language);
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
export function* jsonLdScript(list: EventList): Generator<string> {
  yield '<script type="application/ld+json">';
  yield* writeJsonLd(list);
  yield '</script>\n';
}

/** Safe within a `script` element of a page, which `</script>` would end. */
function written(object: object): string {
  return JSON.stringify(object).replaceAll('<', '\\u003c');
}

/** Undefined properties are omitted. */
function objectOfEvent(event: ListedEvent, superEvent: ListedEvent | undefined): object {
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

function objectOfOccurrence(occurrence: ListedOccurrence, event: ListedEvent): object {
  const { start, end, previousStartText } = occurrence;
  const offers = offersOf(occurrence, event);
  return {
    '@type': 'Event',
    identifier: occurrence.id,
    url: linkOf(event, occurrence),
    startDate: dateOf(occurrence.startText, occurrence),
    endDate: end > start ? endOf(occurrence) : undefined,
    eventStatus: `https://schema.org/${STATUSES[occurrence.status]}`,
    previousStartDate: previousStartText === null ? undefined : dateOf(previousStartText, occurrence),
    eventAttendanceMode: `https://schema.org/${attendanceOf(occurrence, event)}EventAttendanceMode`,
    location: locationOf(occurrence, event),
    offers: offers.length === 0 ? undefined : offers,
  };
}

/** E12: an event's status in schema.org. */
const STATUSES: Readonly<Record<EventStatus, string>> = {
  SCHEDULED: 'EventScheduled',
  CANCELLED: 'EventCancelled',
  POSTPONED: 'EventPostponed',
  RESCHEDULED: 'EventRescheduled',
};

const dateOf = (text: string, { isAllDay }: ListedOccurrence): string =>
  isAllDay ? text.slice(0, 10) : text.replace(' ', 'T');

/** The last day of an all-day occurrence, inclusive. */
function endOf(occurrence: ListedOccurrence): string {
  const { end, endText, isAllDay } = occurrence;
  return isAllDay ? formatDay(osloDay(end - 1)) : dateOf(endText, occurrence);
}

function attendanceOf({ venue }: ListedOccurrence, event: ListedEvent): string {
  if (venue !== null) return isOnline(event) ? 'Mixed' : 'Offline';
  return event.isOnline ? 'Online' : 'Offline';
}

function locationOf(occurrence: ListedOccurrence, event: ListedEvent): object | undefined {
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
  const { street, town } = addressPartsOf(address, postalCode);
  return {
    '@type': 'PostalAddress',
    streetAddress: street || undefined,
    postalCode: postalCode ?? undefined,
    addressLocality: town || municipality || undefined,
    addressCountry: 'NO',
  };
}

interface AddressParts {
  readonly street: string;
  readonly town: string;
}

function addressPartsOf(address: string, postalCode: string | null): AddressParts {
  const at = postalCode === null ? -1 : address.lastIndexOf(postalCode);
  if (postalCode === null || at === -1) return { street: address, town: '' };
  return {
    street: withoutCountry(address.slice(0, at)),
    town: withoutCountry(address.slice(at + postalCode.length)),
  };
}

/** Without the commas at its edges, and the country. */
function withoutCountry(text: string): string {
  const parts = text.split(',').map((part) => part.trim());
  return parts.filter((part) => part !== '' && !COUNTRIES.includes(part)).join(', ');
}

const COUNTRIES: readonly string[] = ['Norge', 'Noreg', 'Norway'];

function organizerOf(organizer: Organizer): object {
  return { '@type': 'Organization', name: organizer.name, ...plainOf(organizer, ORGANIZER) };
}

/** The plain fields that schema.org has names for, without null and empty values. */
function plainOf(values: object, table: Readonly<Record<string, Field>>): object {
  const fields = Object.entries<Field>(having(table, 'schemaOrg'));
  const properties = fields.map(([name, { schemaOrg: property = name, kind, localized: pair }]) => {
    const value: unknown = Reflect.get(values, pair ?? name) ?? undefined;
    return [property, kind === 'accessibility' ? featuresOf(value, property) : value];
  });
  return Object.fromEntries(properties);
}

/** E6: a place has amenities, each with a name. */
function featuresOf(value: unknown, property: string): readonly unknown[] | undefined {
  const words = Array.isArray(value) ? value.filter(isAccessibility) : [];
  if (words.length === 0) return undefined;
  const names = words.map((word) => FEATURES[word].schemaOrg);
  if (property !== VENUE.accessibility.schemaOrg) return names;
  return names.map((name) => ({ '@type': 'LocationFeatureSpecification', name, value: true }));
}

const CURRENCY = 'NOK';

/** I12: what does not take place offers no tickets. */
function offersOf(occurrence: ListedOccurrence, event: ListedEvent): readonly object[] {
  if (!takesPlace(occurrence)) return [];
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
  if (offers.length > 0) return offers;
  const isKnown = ticketsURL !== null || isSoldOut;
  return isKnown ? [common] : [];
}
