/** Places of linked data as venues of the calendar. */
import { accessibilityNamed } from '../../../../src/annexes/common/accessibility.ts';
import type { Accessibility } from '../../../../src/calendar/accessibility.ts';
import { isObject, type JsonObject } from '../../../../src/calendar/json.ts';
import type { Places } from '../directory.ts';
import { type ReadPlace, readPlace, type WrittenPlace } from '../places.ts';
import { nameOf, namesOf, textOf, titleOf } from './linked-data.ts';
import { type Node, thingsOf } from './nodes.ts';
import type { Note } from './schedule.ts';

interface VenueContext {
  readonly places: Places;
  readonly note: Note;
}

/** The first valid place. Null for none, and for an online event. */
export function venueOf(node: Node, { places, note }: VenueContext): string | null {
  const found = thingsOf(node, node.value.location).flatMap((place) => {
    if (isObject(place) && isVirtual(place)) return [];
    const { venue, lost, isOnline } = placeOf(node, place);
    for (const { part, expected, found } of lost)
      note('changed value', `location.${PLACE_PARTS[part]}`, expected, found);
    const hasFields = isObject(place) && Object.keys(place).some((key) => !key.startsWith('@'));
    if (venue === null && !isOnline && lost.length === 0 && hasFields)
      note('changed value', 'location', 'a place with a name or an address', place);
    return venue === null ? [] : { ...venue, ...(isObject(place) && amenitiesOf(node, place)) };
  });
  const [venue, ...more] = found;
  if (venue === undefined) return null;
  const [other] = more.filter(({ name }) => name !== venue.name);
  if (other !== undefined) note('changed value', 'location', 'one place (the first one is used)', other.name);
  return places.venue(venue, node.line);
}

const PLACE_PARTS = { position: 'geo', postalCode: 'address.postalCode' };

function placeOf(node: Node, place: unknown): ReadPlace {
  return readPlace(isObject(place) ? writtenPlace(node, place) : { text: textOf(place) });
}

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

/** L4: whether a place is called `Zoom`, or the like, and has no address. */
export function isNamedOnline(node: Node): (place: unknown) => boolean {
  return (place) => {
    const { venue, stream, isOnline } = placeOf(node, place);
    return isOnline && venue === null && stream === null;
  };
}

export function isVirtual(place: JsonObject): boolean {
  return namesOf(place['@type']).includes('VirtualLocation');
}

/** Amenities are of all kinds; those that a place denies are dropped. */
function amenitiesOf(node: Node, place: JsonObject): { readonly accessibility?: readonly Accessibility[] } {
  const accessibility = thingsOf(node, place.amenityFeature).flatMap((amenity) => {
    const isDenied = isObject(amenity) && FALSE.test(String(amenity.value));
    return (isDenied ? undefined : accessibilityNamed(nameOf(amenity) ?? '')) ?? [];
  });
  return accessibility.length === 0 ? {} : { accessibility };
}

const FALSE = /^(?:false|https?:\/\/schema\.org\/False)$/i;
