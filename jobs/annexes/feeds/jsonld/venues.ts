/** Places of linked data as venues of the calendar. */
import { accessibilityNamed } from '../../../../src/annexes/common/accessibility.ts';
import type { Accessibility } from '../../../../src/calendar/accessibility.ts';
import { isObject, type JsonObject } from '../../../../src/calendar/json.ts';
import type { FeedDirectory } from '../directory.ts';
import { type ReadPlace, readPlace, type WrittenPlace } from '../places.ts';
import type { FeedVenue } from '../venue-ids.ts';
import type { Note } from './dates.ts';
import { nameOf, schemaNames, textOf, titleOf } from './linked-data.ts';
import { type Node, thingsOf } from './nodes.ts';

interface VenueContext {
  readonly directory: FeedDirectory;
  readonly note: Note;
}

/** The id of the first valid place. Null for none, and for an online event. */
export function venueOf(node: Node, { directory, note }: VenueContext): string | null {
  const venues = thingsOf(node, node.value.location).flatMap((place) => venueAt(place, node, note) ?? []);
  const [venue, ...more] = venues;
  if (venue === undefined) return null;
  const other = more.find(({ name }) => name !== venue.name);
  if (other !== undefined) note('changed value', 'location', 'one place (the first one is used)', other.name);
  return directory.venue(venue, node.line);
}

/** Null for a place on the web and, after a finding, for one without a name and an address. */
function venueAt(place: unknown, node: Node, note: Note): FeedVenue | null {
  if (isObject(place) && isVirtual(place)) return null;
  const { venue, lost, isOnline } = readPlaceOf(node, place);
  for (const { part, expected, found } of lost)
    note('changed value', `location.${FIELDS[part]}`, expected, found);
  if (venue !== null) return isObject(place) ? { ...venue, ...amenitiesOf(node, place) } : venue;
  const isUnnamed = isObject(place) && hasFields(place) && !isOnline && lost.length === 0;
  if (isUnnamed) note('changed value', 'location', 'a place with a name or an address', place);
  return null;
}

/** Where linked data has the parts of a place that findings are about. */
const FIELDS = { position: 'geo', postalCode: 'address.postalCode' };

/** Whether it has more than a type and an id. */
function hasFields(place: JsonObject): boolean {
  return Object.keys(place).some((key) => !key.startsWith('@'));
}

function readPlaceOf(node: Node, place: unknown): ReadPlace {
  return readPlace(isObject(place) ? writtenPlace(node, place) : { text: textOf(place) });
}

function writtenPlace(node: Node, place: JsonObject): WrittenPlace {
  const [geo] = thingsOf(node, place.geo);
  const { latitude, longitude } = isObject(geo) ? geo : place;
  return {
    name: plainText(place.name),
    address: addressOf(node, place),
    latitude: textOf(latitude),
    longitude: textOf(longitude),
  };
}

/** The address is a text, a PostalAddress, or a list of them. Some write its parts as properties of the place. */
function addressOf(node: Node, place: JsonObject): WrittenPlace['address'] {
  const [address] = thingsOf(node, place.address);
  if (!isObject(address) && textOf(address) !== null) return plainText(address);
  const parts = isObject(address) ? address : place;
  return {
    name: parts === place ? null : plainText(parts.name),
    street: plainText(parts.streetAddress),
    postalCode: plainText(parts.postalCode),
    locality: plainText(parts.addressLocality),
    region: plainText(parts.addressRegion),
    country: plainText(parts.addressCountry),
  };
}

/** A text, or the name of a thing. */
function plainText(value: unknown): string | null {
  const text = isObject(value) ? textOf(value.name ?? value) : textOf(value);
  return text === null ? null : titleOf(text);
}

/** L4: whether a place is called `Zoom`, or the like, and has no address. */
export function isNamedOnline(node: Node, place: unknown): boolean {
  const { venue, stream, isOnline } = readPlaceOf(node, place);
  return isOnline && venue === null && stream === null;
}

/** Whether it is a place on the web. */
export function isVirtual(place: JsonObject): boolean {
  return schemaNames(place['@type']).includes('VirtualLocation');
}

/** Amenities are of all kinds; those that a place denies are dropped. */
function amenitiesOf(node: Node, place: JsonObject): { readonly accessibility?: readonly Accessibility[] } {
  const accessibility = thingsOf(node, place.amenityFeature).flatMap((amenity) => {
    const isDenied = isObject(amenity) && FALSE.test(String(amenity.value));
    const feature = isDenied ? undefined : accessibilityNamed(nameOf(amenity) ?? '');
    return feature ?? [];
  });
  return accessibility.length === 0 ? {} : { accessibility };
}

const FALSE = /^(?:false|https?:\/\/schema\.org\/False)$/i;
