/** The oracle for the interface's Event and for E: a node with all its fields. */
import { formatOslo, formatUtc, instantOf, readInstant, textOf, wallOf } from './clock.ts';
import { venueJson } from './directory.ts';
import type { Node } from './nodes.ts';
import { amountOf, type Occurrence, priceJson } from './occurrences.ts';
import { accessibilityOf, type EventRecord, type Json, type LicenceRecord, olderText } from './records.ts';
import { stripMarkup } from './text.ts';

export function eventJson({ event, shown, repetitions }: Node, licence: LicenceRecord): Json {
  const { record } = event;
  return {
    id: record.id,
    event_slug: event.slug,
    eventLink: event.link,
    title_nb: event.title_nb,
    title_en: event.title_en,
    ...occurrenceJson(shown),
    occurrenceID: shown.id,
    occurrenceLink: addressOf(shown, event, licence),
    repetitions: repetitions.map((repetition) => ({
      ...occurrenceJson(repetition),
      ...given(repetition, 'id prices mode streamingURL'),
      occurrenceLink: addressOf(repetition, event, licence),
    })),
    categories: event.categories,
    tags: record.tags ?? [],
    // E2: the calendar's own.
    source: null,
    mode: record.mode ?? 'offline',
    organizers: event.organizers,
    images: (record.images ?? []).map(imageJson),
    ticketsInformation: record.ticketsInformation ?? 'noTicketsInfo',
    // F5: not lifted; the event's own, which a repetition without prices has too.
    prices: (record.prices ?? []).map(priceJson),
    occurrencePrices: shown.prices,
    ...given(
      record,
      'desc_nb desc_en minimumAge maximumAge cancellationPeriod views venueNote ageRestriction',
    ),
    summary_nb: summaryOf(record.summary_nb, record.desc_nb),
    summary_en: summaryOf(record.summary_en, record.desc_en),
    ...given(record, 'moreInfoURL streamingURL facebookURL'),
    ...given(record, 'publishingDate ticketsFromDate', datetime(formatOslo)),
    // A13: bookkeeping in UTC.
    ...given(record, 'created_at updated_at', datetime(formatUtc)),
    super_event: event.superEvent,
    isSuperEvent: record.isSuperEvent ?? false,
    isFeaturedEvent: record.isFeaturedEvent ?? false,
    accessibility: accessibilityOf(record.accessibility, shown.venue?.accessibility),
    // F9: nothing of it where the calendar has no registration, whatever the record says.
    registrationEnabled: licence.registration === true && record.registrationEnabled === true,
    ...given(
      licence.registration === true ? record : {},
      'availableTickets activeTickets maxBookingDate maxBookingTime paymentMethod',
    ),
    ...olderJson(record),
  };
}

/** E2: its own, else the description's text: whole, or as many sentences as 200 characters hold, else as many words. */
function summaryOf(own: string | null | undefined, description: string | null | undefined): string | null {
  const text = (own ?? stripMarkup(description ?? '')).replaceAll(/\s+/g, ' ').trim();
  if ((own ?? null) !== null || text.length <= 200) return text || null;
  const sentences = text.split(/(?<=[.!?…]["»”)]*) +(?=["«“(–-]*\p{Lu})/u);
  const whole = longest(sentences, 200);
  if (whole !== '') return whole;
  return `${longest(text.split(' '), 199).replace(/[\s,;:–-]+$/, '')}…`;
}

/** As many words as fit, with blanks between. */
function longest(parts: readonly string[], most: number): string {
  let joined = '';
  for (const part of parts) {
    const more = joined === '' ? part : `${joined} ${part}`;
    if (more.length > most) return joined;
    joined = more;
  }
  return joined;
}

/** The fields that are lifted from the shown occurrence, and those of a repetition. */
function occurrenceJson(occurrence: Occurrence) {
  return {
    ...given(occurrence, 'startTime duration allDay ticketsURL eventCancelled status eventSoldOut'),
    previousStartDate: occurrence.previousStart === null ? null : formatOslo(occurrence.previousStart),
    startDate: formatOslo(occurrence.start),
    endDate: formatOslo(occurrence.end),
    venue: occurrence.venue === null ? null : venueJson(occurrence.venue),
  };
}

/** I12: only of events whose page is on the calendar's own site. */
function addressOf(
  { id, start, allDay }: Occurrence,
  { link, slug }: Node['event'],
  { siteUrl }: LicenceRecord,
): string | null {
  if (siteUrl !== undefined || !link.endsWith(`/events/${slug}.html`)) return null;
  const tail = id.slice(id.lastIndexOf('@') + 1);
  const minute = textOf(wallOf(start)).slice(0, allDay ? 10 : 16);
  const isPlain = tail.endsWith('Z') && start % 60 === 0 && instantOf(wallOf(start)) === start;
  return `${link}?date=${isPlain ? minute.replace(' ', 'T') : tail}`;
}

/** E: for older clients; the first three are worked out of what took their place. */
function olderJson(record: EventRecord) {
  const amount = (type: string) =>
    olderText(amountOf((record.prices ?? []).find((one) => one.type === type)?.price ?? null));
  const options = new Map([
    ['ticketsInfo', 'non-gratis'],
    ['free', 'gratis'],
  ]);
  const { email = null, phone = null } = given(record.contact_custom, 'email phone', olderText);
  return {
    priceOption: options.get(record.ticketsInformation ?? '') ?? null,
    regularPrice: amount('REGULAR'),
    reducedPrice: amount('REDUCED'),
    ...given(record, 'type author_id editableBy contact_from videosURL', olderText),
    contact_custom: email === null && phone === null ? null : { email, phone },
  };
}

function imageJson(image: Readonly<Record<string, Json>>): Json {
  return {
    ...given(image, 'urlSmall urlLarge', picture),
    ...given(image, 'alt focusX focusY width height caption credits'),
    ...given(image, 'urlOriginal originalSize largeSize smallSize', olderText),
    // Without a picture server (I17).
    copies: null,
  };
}

/** These fields of a record, each shown in one way. */
function given(
  record: unknown,
  names: string,
  show: (value: unknown) => Json = asGiven,
): Readonly<Record<string, Json>> {
  const values = new Map<string, unknown>(Object.entries(record ?? {}));
  return Object.fromEntries(names.split(' ').map((name) => [name, show(values.get(name))]));
}

const asGiven = (value: unknown) => (value ?? null) as Json;
/** F3: one of the calendar's own site; calendars with such pictures have no other site. */
const picture = (value: unknown) => `${value}`.replace(/^pictures\//, 'http://localhost:4000/$&');

const datetime = (format: (instant: number) => string) => (value: unknown) => {
  const instant = readInstant(typeof value === 'string' ? value : null);
  return instant === null ? null : format(instant);
};
