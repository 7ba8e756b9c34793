/**
 * G9: whether two places are one for an event: one is a room or a part of the other's address. F11 decides which venues are one
 * (`feeds/same-place.ts`), and is stricter: there a mistake would join all events of two venues.
 */
import { type Place, type PlaceRecord, placeOf, roomOf, townsOf } from './place-parts.ts';

/** By two places as `placeKey` writes them. */
export type IsPart = (left: string, right: string) => boolean;

/** A venue, and the room in it; null for no venue. */
export function placeKey(venue: string | null, rooms: Readonly<Record<string, string>> = {}): string | null {
  if (venue === null) return null;
  const room = rooms[venue] ?? '';
  return room === '' ? venue : `${venue}\n${room}`;
}

/** The id of the venue in such a key. */
export function venueIn(key: string): string {
  return key.split('\n')[0] ?? '';
}

/** Creates the function that decides whether one place is a part of the other. It decides each pair once, and reads a venue's address when it is first needed. */
export function createPartFinder(venues: readonly PlaceRecord[]): IsPart {
  const byId = new Map(venues.map((venue) => [venue.id, venue]));
  const towns = townsOf(venues);
  const placeAt = remembered((key: string) => {
    const [id = '', givenRoom = ''] = key.split('\n');
    const venue = byId.get(id);
    if (venue === undefined) return null;
    const room = givenRoom === '' ? roomOf(venue) : givenRoom;
    return { id, room: room === '' ? null : room, ...placeOf(venue, towns) };
  });
  const decided = remembered((pair: string) => {
    const [left = null, right = null] = pair.split('\t').map(placeAt);
    if (left === null || right === null || differ(left.room, right.room)) return false;
    return left.id === right.id || isSamePlace(left, right);
  });
  return (left, right) => decided(left < right ? `${left}\t${right}` : `${right}\t${left}`);
}

/** Whether all that is known of both agrees, and the names of one are among those of the other. */
function isSamePlace(left: Place, right: Place): boolean {
  if (differ(left.street, right.street) || differ(left.code, right.code)) return false;
  if (differ(left.municipality, right.municipality) || areFar(left.point, right.point)) return false;
  const [fewer, more] = left.named.length <= right.named.length ? [left, right] : [right, left];
  if (fewer.named.length === 0) return fewer.street !== null && fewer.street === more.street;
  if (fewer.named.every((part) => more.named.includes(part))) return true;
  const [name, ...rooms] = fewer.named;
  return name !== undefined && rooms.length === 0 && more.named.some((part) => isLongerName(part, name));
}

/** Whether both are known, and not the same. */
function differ(left: string | null, right: string | null): boolean {
  return left !== null && right !== null && left !== right;
}

/** Degrees of latitude, half a kilometre; two entrances of one house are closer. */
const FAR_DEGREES = 0.005;

function areFar(left: Place['point'], right: Place['point']): boolean {
  if (left === null || right === null) return false;
  const [latitude, longitude] = left;
  const [otherLatitude, otherLongitude] = right;
  // A degree of longitude is about half as long as one of latitude here.
  return (
    Math.abs(latitude - otherLatitude) > FAR_DEGREES || Math.abs(longitude - otherLongitude) > 2 * FAR_DEGREES
  );
}

/** The same name except for words that do not distinguish buildings: `Petaluma Library` and `Petaluma Regional Library`. */
function isLongerName(longer: string, name: string): boolean {
  const words = name.split(' ');
  const longerWords = longer.split(' ');
  if (words.length < 2 || words.length > longerWords.length) return false;
  let matched = 0;
  for (const word of longerWords) {
    if (word === words[matched]) matched++;
    else if (!COMMON.has(word)) return false;
  }
  return matched === words.length && longerWords.at(-1) === words.at(-1);
}

const COMMON = new Set(
  'the of public regional main central city town county community municipal kommunale offentlige'.split(' '),
);

/** A function that computes each value of another one once. */
function remembered<Value>(make: (key: string) => Value): (key: string) => Value {
  const values = new Map<string, Value>();
  return (key) => {
    const cached = values.get(key);
    if (cached !== undefined) return cached;
    const made = make(key);
    values.set(key, made);
    return made;
  };
}
