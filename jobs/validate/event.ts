/** The fields of one event, without those that refer to other events. */
import type { Values } from '../../src/calendar/field.ts';
import { EVENT } from '../../src/calendar/fields.ts';
import type { Image, Licence } from '../../src/calendar/model.ts';
import { OLDER_IMAGE_FIELDS } from '../../src/calendar/older-fields.ts';
import { decodedPart } from '../../src/calendar/urls.ts';
import { excerpt } from '../findings.ts';
import type { EventRecord } from '../records.ts';
import { seriesIn } from '../recurrence/series.ts';
import type { Report } from '../report/report.ts';
import type { RawEntry } from '../source/source.ts';
import { type DatedEvent, datesOf, feedSeriesOf, repeatsOf, statusIn } from './dates.ts';
import { type Directory, organizersOf, venueReader } from './directory.ts';
import { addFinding, type Subject } from './entry-findings.ts';
import { plainReader } from './fields.ts';
import type { ValidLicence } from './licence.ts';
import { olderEventFields, olderFields } from './older-values.ts';
import { pricesOf } from './prices.ts';
import { type Path, valueAt } from './salvage.ts';
import type { RawEvent, RawImage } from './schemas.ts';
import { description, firstItems, longLine, nonBlank, severalLines, shortLine, webUrl } from './texts.ts';
import { FIELDS, missingFrom } from './unknown-fields.ts';

const plainOf = plainReader(EVENT);

/** The event of an entry. Its references to venues, organizers and categories are checked. */
export function eventRecordOf(raw: RawEvent, parts: EventParts): EventRecord {
  const { feed, rooms, titles, series, subject, surroundings } = parts;
  const venueOf = venueReader(surroundings.venues);
  const event = {
    venue: venueOf(raw.venue, ['venue'], subject),
    ticketsURL: webUrl(raw.ticketsURL, ['ticketsURL'], subject),
    status: statusIn(raw, [], subject) ?? 'SCHEDULED',
    eventSoldOut: raw.eventSoldOut ?? false,
  };
  const dated: DatedEvent = { subject, event, venueOf };
  return {
    origin: subject.origin,
    feed: feed ?? null,
    rooms,
    id: raw.id,
    slug: nonBlank(raw.slug),
    eventLink: webUrl(raw.eventLink, ['eventLink'], subject),
    ...titles,
    desc_nb: description(raw.desc_nb, ['desc_nb'], subject),
    desc_en: description(raw.desc_en, ['desc_en'], subject),
    categories: raw.categories ? surroundings.taxonomy.migrate(raw.categories, subject) : [],
    tags: tagsOf(raw.tags ?? [], subject),
    mode: raw.mode ?? 'offline',
    organizers: organizersOf(raw.organizers ?? [], surroundings.organizers, subject),
    images: imagesOf(raw.images ?? [], surroundings.licence, subject),
    ticketsInformation: raw.ticketsInformation ?? 'noTicketsInfo',
    prices: raw.prices ? pricesOf(raw.prices, ['prices'], subject) : [],
    ...withNorwegian(plainOf(raw, subject), surroundings.licence),
    super_event: raw.superEvent ?? raw.super_event ?? null,
    isFeaturedInSpecialEvent: raw.isFeaturedInSpecialEvent ?? false,
    ...olderEventFields(raw, subject),
    ...event,
    dates: datesOf(raw.dates ?? [], dated),
    series: [
      ...repeatsOf(raw.repeats ?? [], dated),
      ...seriesIn(series).flatMap((given) => feedSeriesOf(given, dated)),
    ],
  };
}

/** I16: a record that does not say which Norwegian it has is in the calendar's. */
function withNorwegian(values: Values<typeof EVENT>, { language }: Licence): Values<typeof EVENT> {
  return { ...values, norwegian: values.norwegian ?? language };
}

/** The entities that events refer to. */
export interface Surroundings extends ValidLicence {
  readonly venues: Directory;
  readonly organizers: Directory;
  readonly report: Report;
}

interface EventParts {
  readonly feed: RawEntry['feed'];
  readonly rooms: RawEntry['rooms'];
  readonly titles: Titles;
  /** The feed's series. */
  readonly series: unknown;
  readonly subject: Subject;
  readonly surroundings: Surroundings;
}

export type RawValues = Omit<RawEvent, 'id'>;

/** F13: some values of an event, without the rest of it. */
export function valuesOf(raw: RawValues, subject: Subject, surroundings: Surroundings): EventRecord {
  const titles = readTitles(raw, subject);
  return eventRecordOf(
    { ...raw, id: '' },
    { feed: undefined, rooms: undefined, titles, series: undefined, subject, surroundings },
  );
}

const FIELD_NAMES = [...FIELDS.events.names];

type Titles = Pick<EventRecord, 'title_nb' | 'title_en'>;

/** Null, after a finding, if there is neither. */
export function titlesOf(raw: RawEvent, value: unknown, subject: Subject): Titles | null {
  const titles = readTitles(raw, subject);
  if (titles.title_nb !== null || titles.title_en !== null) return titles;
  const given = valueAt(value, ['title_nb']) ?? valueAt(value, ['title_en']);
  const foundText = given == null ? missingFrom(value, 'title_nb', FIELD_NAMES) : excerpt(given);
  const expected = 'a title in Norwegian or English';
  addFinding(subject, 'dropped record', { at: ['title_nb'], expected, foundText });
  return null;
}

function readTitles({ title_nb, title_en }: RawValues, subject: Subject): Titles {
  return {
    title_nb: nonBlank(shortLine(title_nb, ['title_nb'], subject)),
    title_en: nonBlank(shortLine(title_en, ['title_en'], subject)),
  };
}

/** A tag of only markup becomes blank, and is left out. One that is empty in the record stays: values are kept as they are (F3). */
function tagsOf(raw: readonly string[], subject: Subject): readonly string[] {
  return firstItems(raw, ['tags'], subject)
    .map((tag, index) => longLine(tag, ['tags', index], subject) ?? '')
    .filter((tag, index) => tag !== '' || raw[index] === '');
}

/** F3: with the addresses of the calendar's own pictures, such as `pictures/choir.svg`. */
function withOwnPictures(raw: RawImage, { siteUrl }: Licence): RawImage {
  // Records may have the file's name as it is, or percent-encoded.
  const addressOf = (text: RawImage['urlSmall']) => {
    const [, name] = typeof text === 'string' ? (OWN_PICTURE.exec(text) ?? []) : [];
    if (name === undefined) return text;
    return new URL(`pictures/${encodeURIComponent(decodedPart(name))}`, siteUrl).href;
  };
  return { ...raw, urlSmall: addressOf(raw.urlSmall), urlLarge: addressOf(raw.urlLarge) };
}

/** The name of a file that is not hidden. */
const OWN_PICTURE = /^pictures\/([^./\\\p{Cc}\p{Cs}][^/\\\p{Cc}\p{Cs}]{0,80})$/u;

function imagesOf(raw: readonly RawImage[], licence: Licence, subject: Subject): readonly Image[] {
  const images = firstItems(raw, ['images'], subject);
  return images.map((image, index) => imageOf(withOwnPictures(image, licence), ['images', index], subject));
}

function imageOf(raw: RawImage, at: Path, subject: Subject): Image {
  return {
    urlSmall: webUrl(raw.urlSmall, [...at, 'urlSmall'], subject),
    urlLarge: webUrl(raw.urlLarge, [...at, 'urlLarge'], subject),
    alt: longLine(raw.alt, [...at, 'alt'], subject),
    caption: severalLines(raw.caption, [...at, 'caption'], subject),
    credits: severalLines(raw.credits, [...at, 'credits'], subject),
    focusX: raw.focusX ?? null,
    focusY: raw.focusY ?? null,
    width: raw.width ?? null,
    height: raw.height ?? null,
    ...olderFields(raw, OLDER_IMAGE_FIELDS, { at, subject }),
  };
}
