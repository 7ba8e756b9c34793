/** The fields of a native event that one VEVENT gives. */
import { decodeHTMLStrict } from 'entities/decode';
import type { JsonObject } from '../../../../src/calendar/json.ts';
import { isoSecond } from '../../../../src/calendar/time.ts';
import { excerpt } from '../../../findings.ts';
import { isWithinTime } from '../../../validate/moments.ts';
import { plainText } from '../../../validate/sanitize.ts';
import { webAddress } from '../../../validate/web-address.ts';
import type { CategoryFields } from '../categories.ts';
import type { FeedDirectory } from '../directory.ts';
import { isMailAddress, isNynorsk, languageNamed, withoutFiller } from '../event-fields.ts';
import type { AddFinding } from '../last-good.ts';
import { type ReadPlace, readPlace } from '../places.ts';
import { readPrices, ticketsOf } from '../prices.ts';
import { cite } from './citations.ts';
import { first } from './content.ts';
import type { CalendarContext, CalendarEntry } from './entries.ts';
import { FOR_ALL, hasPasscode } from './not-for-all.ts';
import type { Property } from './properties.ts';
import { instantOfMoment, OSLO, plainTextOf, readMoment, textValueOf } from './values.ts';

/** Only the fields that the entry has: missing ones are for the feed's defaults. */
export function fieldsOfEntry(
  entry: CalendarEntry,
  named: CategoryFields,
  context: CalendarContext,
): JsonObject {
  return {
    ...textsOfEvent(entry, context),
    ...named,
    ...placeFields(entry, context),
    ...ticketsOfEvent(entry, context),
    ...organizersOf(entry, context.directory),
    ...imagesOf(entry, context.addFinding),
    moreInfoURL: urlIn(first(entry.component, 'URL')),
    created_at: readTimestamp(first(entry.component, 'CREATED'), context.addFinding),
  };
}

function textsOfEvent({ component }: CalendarEntry, { feed, addFinding }: CalendarContext): JsonObject {
  const fields: Record<string, string> = {};
  for (const property of component.properties) {
    const kind = TEXTS.get(property.name);
    const text = kind?.read(property) ?? '';
    if (kind === undefined || text === '') continue;
    if (kind.field === 'desc' && hasPasscode(text))
      addFinding({ ...cite(property), expected: FOR_ALL, found: 'a passcode' });
    const language = property.parameters.get('LANGUAGE') ?? '';
    const field = `${kind.field}_${languageNamed(language) ?? feed.language}`;
    if (fields[field] !== undefined) {
      const expected = 'one text in each language (the first one is used)';
      addFinding({ ...cite(property), expected, found: excerpt(text) });
      continue;
    }
    fields[field] = text;
    if (isNynorsk(language)) fields.norwegian = 'nn';
  }
  return fields;
}

interface TextKind {
  readonly field: 'title' | 'desc';
  readonly read: (property: Property) => string;
}

/** By the name of the property. */
const TEXTS: ReadonlyMap<string, TextKind> = new Map([
  ['SUMMARY', { field: 'title', read: plainTextOf }],
  ['DESCRIPTION', { field: 'desc', read: textValueOf }],
]);

/** LOCATION and GEO; a LOCATION that is a web address, or says `Zoom`, is not a place. */
function placeOfEntry({ component }: CalendarEntry): ReadPlace {
  const location = first(component, 'LOCATION');
  return readPlace({
    text: location === null ? null : withoutMarkup(plainTextOf(location)),
    pair: positionIn(first(component, 'GEO')),
  });
}

/** L4: some programs write HTML here; treat each block as one line. */
function withoutMarkup(text: string): string {
  if (!text.includes('<')) return text;
  const lines = text.slice(0, LONGEST_PLACE).replace(/<(?:br|\/p|\/div|\/li)\b[^<>]{0,200}>/gi, '\n');
  return decodeHTMLStrict(plainText(lines, 'lines').text);
}

/** Characters, markup included. */
const LONGEST_PLACE = 20_000;

/** L4: a latitude beyond 90 and a longitude that is not are swapped. */
function positionIn(geo: Property | null): string | undefined {
  const written = geo?.value.replaceAll('\\', '');
  const [latitude = '', longitude = '', ...more] = written?.split(';') ?? [];
  const isSwapped = Math.abs(Number(latitude)) > 90 && Math.abs(Number(longitude)) <= 90;
  return isSwapped && longitude.trim() !== '' && more.length === 0 ? `${longitude};${latitude}` : written;
}

function placeFields(entry: CalendarEntry, context: CalendarContext): JsonObject {
  const place = placeOfEntry(entry);
  const stream = place.stream ?? urlIn(first(entry.component, 'CONFERENCE'));
  return {
    venue: venueOfPlace(entry, place, context),
    streamingURL: stream,
    mode: place.isOnline ? 'online' : null,
  };
}

/** Null if the entry names no place. */
export function venueOf(entry: CalendarEntry, context: CalendarContext): string | null {
  return venueOfPlace(entry, placeOfEntry(entry), context);
}

function venueOfPlace(
  { component }: CalendarEntry,
  { venue, lost }: ReadPlace,
  context: CalendarContext,
): string | null {
  const geo = first(component, 'GEO');
  for (const { expected } of lost) if (geo !== null) context.addFinding({ ...cite(geo), expected });
  const line = first(component, 'LOCATION')?.line ?? component.line;
  return venue === null ? null : context.directory.venue(venue, line);
}

/** Properties that RFC 5545 does not have, of Timely, and of programs related to The Events Calendar. */
function ticketsOfEvent({ component }: CalendarEntry, { feed, addFinding }: CalendarContext): JsonObject {
  const cost = first(component, 'X-COST');
  const shop = urlIn(first(component, 'X-TICKETS-URL'));
  const { prices, unread } = readPrices(cost === null ? '' : plainTextOf(cost), feed.language);
  if (cost !== null && unread.length > 0) {
    const expected = 'a price such as 150 or kr 149,50 (the text is kept)';
    addFinding({ ...cite(cost), expected });
  }
  return { ticketsURL: shop, ...(prices.length > 0 && ticketsOf(prices)) };
}

/** Only the name: personal addresses must not be published. */
function organizersOf({ component }: CalendarEntry, directory: FeedDirectory): JsonObject {
  const organizer = first(component, 'ORGANIZER');
  const name = withoutFiller(organizer?.parameters.get('CN'));
  if (organizer === null || name === '' || isMailAddress(name)) return {};
  return { organizers: [directory.organizer({ name }, organizer.line)] };
}

function imagesOf({ component }: CalendarEntry, addFinding: AddFinding): JsonObject {
  const images = component.properties.filter(isImage).flatMap((property) => {
    const url = urlIn(property);
    if (url !== null) return { urlSmall: url, urlLarge: url };
    const expected = 'the http or https URL of an image';
    addFinding({ ...cite(property), action: 'dropped reference', expected });
    return [];
  });
  return images.length === 0 ? {} : { images };
}

function isImage({ name, parameters, value }: Property): boolean {
  if (name === 'IMAGE') return true;
  if (name !== 'ATTACH') return false;
  const type = parameters.get('FMTTYPE');
  if (type !== undefined) return /^image\//i.test(type);
  return /^https?:[^?#]*\.(?:avif|gif|jpe?g|png|webp)(?:[?#]|$)/i.test(value.trim());
}

function urlIn(property: Property | null): string | null {
  return webAddress(property?.value ?? '');
}

/** An unreadable value is dropped alone: Google writes `00001231T000000Z` for unknown times. */
export function readTimestamp(property: Property | null, addFinding: AddFinding): string | null {
  if (property === null) return null;
  const moment = readMoment(property.value, OSLO);
  const instant = moment === null || moment.isDate ? Number.NaN : instantOfMoment(moment);
  if (isWithinTime(instant)) return isoSecond(instant);
  const expected = 'a datetime such as 20260517T193000Z (it is left out)';
  const action = property.value.startsWith('000') ? 'tidied' : 'changed value';
  addFinding({ ...cite(property), action, expected });
  return null;
}
