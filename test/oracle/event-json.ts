/** The second reading of the interface's Event and of E: a node with all its fields. */
import { formatOslo, formatUtc, instantOfWritten, readWritten } from './clock.ts';
import { organizerJson, venueJson } from './directory.ts';
import type { Node } from './nodes.ts';
import { amountOf, type Occurrence, priceJson } from './occurrences.ts';
import { accessibilityOf, type EventRecord, type Json, type LicenceRecord, olderText } from './records.ts';

export function eventJson({ event, shown, repetitions }: Node, licence: LicenceRecord): Json {
  const { record } = event;
  return {
    id: record.id,
    event_slug: event.slug,
    eventLink: event.link,
    title_nb: event.title_nb,
    title_en: event.title_en,
    desc_nb: record.desc_nb ?? null,
    desc_en: record.desc_en ?? null,
    ...occurrenceJson(shown),
    occurrenceID: shown.id,
    repetitions: repetitions.map((repetition) => ({
      ...occurrenceJson(repetition),
      id: repetition.id,
      prices: repetition.prices,
      mode: repetition.mode,
      streamingURL: repetition.streamingURL,
    })),
    categories: event.categories,
    tags: record.tags ?? [],
    mode: record.mode ?? 'offline',
    organizers: event.organizers.map(organizerJson),
    images: (record.images ?? []).map(imageJson),
    ticketsInformation: record.ticketsInformation ?? 'noTicketsInfo',
    // F5: not lifted; the event's own, which a repetition without prices has too.
    prices: (record.prices ?? []).map(priceJson),
    occurrencePrices: shown.prices,
    minimumAge: record.minimumAge ?? null,
    maximumAge: record.maximumAge ?? null,
    cancellationPeriod: record.cancellationPeriod ?? null,
    views: record.views ?? null,
    publishingDate: datetime(record.publishingDate, formatOslo),
    ticketsFromDate: datetime(record.ticketsFromDate, formatOslo),
    // A13: bookkeeping in UTC.
    created_at: datetime(record.created_at, formatUtc),
    updated_at: datetime(record.updated_at, formatUtc),
    super_event: event.superEvent,
    isSuperEvent: record.isSuperEvent ?? false,
    isFeaturedEvent: record.isFeaturedEvent ?? false,
    moreInfoURL: record.moreInfoURL || null,
    streamingURL: record.streamingURL || null,
    facebookURL: record.facebookURL || null,
    venueNote: record.venueNote ?? null,
    ageRestriction: record.ageRestriction ?? null,
    accessibility: accessibilityOf(record.accessibility, shown.venue?.accessibility),
    ...capacityJson(record, licence),
    ...olderJson(record),
  };
}

/** E: for older clients; the first three are worked out of what took their place. */
function olderJson(record: EventRecord) {
  const amount = (type: string) => {
    const price = (record.prices ?? []).find((one) => one.type === type);
    const shown = price === undefined ? null : amountOf(price.price ?? null);
    return shown === null ? null : String(shown);
  };
  const contact = record.contact_custom;
  const isContact = typeof contact === 'object' && contact !== null && !Array.isArray(contact);
  const email = isContact ? olderText(Reflect.get(contact, 'email')) : null;
  const phone = isContact ? olderText(Reflect.get(contact, 'phone')) : null;
  const options = new Map([
    ['ticketsInfo', 'non-gratis'],
    ['free', 'gratis'],
  ]);
  return {
    priceOption: options.get(record.ticketsInformation ?? '') ?? null,
    regularPrice: amount('REGULAR'),
    reducedPrice: amount('REDUCED'),
    type: olderText(record.type),
    author_id: olderText(record.author_id),
    editableBy: olderText(record.editableBy),
    contact_from: olderText(record.contact_from),
    contact_custom: email === null && phone === null ? null : { email, phone },
    videosURL: olderText(record.videosURL),
  };
}

/** What is lifted from the shown occurrence, and what a repetition says. */
function occurrenceJson(occurrence: Occurrence) {
  return {
    startDate: formatOslo(occurrence.start),
    endDate: formatOslo(occurrence.end),
    startTime: occurrence.startTime,
    duration: occurrence.duration,
    allDay: occurrence.allDay,
    venue: venueJson(occurrence.venue),
    ticketsURL: occurrence.ticketsURL,
    eventCancelled: occurrence.eventCancelled,
    eventSoldOut: occurrence.eventSoldOut,
  };
}

/** F9: nothing of it where the calendar has no registration, whatever the record says. */
function capacityJson(record: EventRecord, { registration }: LicenceRecord) {
  const own = registration === true ? record : null;
  return {
    registrationEnabled: own?.registrationEnabled ?? false,
    availableTickets: own?.availableTickets ?? null,
    activeTickets: own?.activeTickets ?? null,
    maxBookingDate: own?.maxBookingDate ?? null,
    maxBookingTime: own?.maxBookingTime ?? null,
    paymentMethod: own?.paymentMethod ?? null,
  };
}

const IMAGE_FIELDS = [
  'urlSmall',
  'urlLarge',
  'alt',
  'focusX',
  'focusY',
  'width',
  'height',
  'caption',
  'credits',
];
const OLDER_IMAGE_FIELDS = ['urlOriginal', 'originalSize', 'largeSize', 'smallSize'];

function imageJson(image: Readonly<Record<string, Json>>): Json {
  const shown = IMAGE_FIELDS.map((field) => [
    field,
    image[field] === '' && /^url/.test(field) ? null : (image[field] ?? null),
  ]);
  const older = OLDER_IMAGE_FIELDS.map((field) => [field, olderText(image[field])]);
  return Object.fromEntries([...shown, ...older]);
}

function datetime(text: string | null | undefined, format: (instant: number) => string): string | null {
  const written = text == null ? null : readWritten(text);
  return written === null ? null : format(instantOfWritten(written));
}
