/**
 * G9: whether two places are one for an event: one is a room or a part of the other's address. F11 decides which venues are one
 * (`feeds/same-place.ts`), and is stricter: there a mistake would join all events of two venues.
 */

import { wordsOf } from '../../src/calendar/search-term.ts';
import { fold } from '../../src/calendar/text.ts';
import { addressParts, MOST_PARTS, streetWord } from '../addresses.ts';
import type { VenueRecord } from '../records.ts';

type PlaceRecord = Pick<VenueRecord, 'id' | 'name' | 'address' | 'postalCode' | 'municipality' | 'location'>;

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

/** The rooms that a place names besides its house; empty for none. F11 takes a room for its house, but two rooms are two places. */
export function roomOf({ name, address }: { readonly name?: unknown; readonly address?: unknown }): string {
  const [, ...others] = [name, address].flatMap((text) => (typeof text === 'string' ? partsOf(text) : []));
  const rooms = others.map(wordsIn).filter((words) => words.some(isRoom));
  return rooms.map((words) => words.join(' ')).join(', ');
}

/** Decides each pair once, and splits a venue's name and address when it is first needed. */
export function createPartFinder(venues: readonly PlaceRecord[]): IsPart {
  const byId = new Map(venues.map((venue) => [venue.id, venue]));
  const towns = townsOf(venues);
  const placeOf = remembered((key: string) => {
    const [id = '', room = ''] = key.split('\n');
    const venue = byId.get(id);
    if (venue === undefined) return null;
    return { id, room: room === '' ? roomOf(venue) : room, ...placeIn(venue, towns) };
  });
  const decided = remembered((pair: string) => {
    const [left, right] = pair.split('\t').map(placeOf);
    if (left == null || right == null) return false;
    if (differ(left.room || null, right.room || null)) return false;
    return left.id === right.id || isSamePlace(left, right);
  });
  return (left, right) => decided(left < right ? `${left}\t${right}` : `${right}\t${left}`);
}

/** An address as its parts. */
interface Place {
  /** Rooms and houses, each as its words. */
  readonly named: readonly string[];
  /** With its number. */
  readonly street: string | null;
  readonly code: string | null;
  readonly municipality: string | null;
  readonly point: readonly [latitude: number, longitude: number] | null;
}

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

/** Degrees of latitude; two entrances of one house are closer. */
const FAR = 0.005;

function areFar(left: Place['point'], right: Place['point']): boolean {
  if (left === null || right === null) return false;
  const [latitude, longitude] = left;
  const [otherLatitude, otherLongitude] = right;
  // A degree of longitude is about half as long as one of latitude here.
  return Math.abs(latitude - otherLatitude) > FAR || Math.abs(longitude - otherLongitude) > 2 * FAR;
}

/** The same name except for words that do not distinguish buildings: `Petaluma Library` and `Petaluma Regional Library`. */
function isLongerName(longer: string, name: string): boolean {
  const [words, all] = [name.split(' '), longer.split(' ')];
  if (words.length < 2 || words.length > all.length) return false;
  let at = 0;
  for (const word of all)
    if (word === words[at]) at++;
    else if (!COMMON.has(word)) return false;
  return at === words.length && all.at(-1) === words.at(-1);
}

const COMMON = new Set(
  'the of public regional main central city town county community municipal kommunale offentlige'.split(' '),
);

/** Takes a venue's name and address apart. Rooms and houses stand before the street or the code, towns and regions after them. */
function placeIn(venue: PlaceRecord, towns: ReadonlySet<string>): Place {
  const { name, address, municipality, postalCode, location } = venue;
  const texts = [...partsOf(name), ...partsOf(address ?? '')].slice(0, MOST_PARTS);
  const named = new Set<string>();
  let street: string | null = null;
  let code = postalCode;
  for (const [index, text] of texts.entries()) {
    const words = wordsIn(text);
    const part = words.join(' ');
    const isAfterStreet = street !== null || code !== postalCode;
    const partCode = index === 0 ? null : codeIn(part);
    const isNumbered = words.some((word) => /^\d/.test(word));
    const isNumberedStreet = isNumbered && (isStreet(words) || (index > 0 && partCode === null));
    if (isNumbered && words.some(isRoom)) named.add(part);
    else if (isNumberedStreet) street ??= part;
    else if (partCode !== null) code ??= partCode;
    else if (part !== '' && !isAfterStreet && !towns.has(part)) named.add(part);
  }
  return {
    named: [...named],
    street,
    code,
    municipality: municipality === null ? null : fold(municipality),
    point: location === null ? null : [location.latitude, location.longitude],
  };
}

/** Between commas; and of `Meeting Room at the Library` the room and the house. */
function partsOf(text: string): readonly string[] {
  return addressParts(text).flatMap((part) => {
    const [room = '', ...house] = part.split(WITHIN);
    const isRoomInHouse = house.length > 0 && wordsIn(room).some(isRoom);
    return isRoomInHouse ? [room, house.join(' ')] : [part];
  });
}

/** Between a room and its house. */
const WITHIN = /\s(?:at(?: the)?|in(?: the)?|@|i|på|[-–|])\s|[()]/i;

function wordsIn(text: string): readonly string[] {
  return wordsOf(fold(text)).map((word) => STREETS.get(word) ?? streetWord(word));
}

/** Ends of English streets. */
const STREETS = new Map([
  ['st', 'street'],
  ['rd', 'road'],
  ['ave', 'avenue'],
  ['av', 'avenue'],
  ['dr', 'drive'],
  ['blvd', 'boulevard'],
  ['ln', 'lane'],
  ['hwy', 'highway'],
]);
const ENDS = new Set([...STREETS.values(), 'court', 'square', 'way']);

function isStreet(words: readonly string[]): boolean {
  return words.some((word) => ENDS.has(word) || /(?:gate|veg|plass|torget|torg|brygga|kaia)$/.test(word));
}

function isRoom(word: string): boolean {
  return ROOMS.has(word) || /(?:sal|salen|rom|rommet|scene|scenen|etasje)$/.test(word);
}

const ROOMS = new Set(
  'room rooms hall auditorium stage studio floor lobby patio lounge gallery theater sal'.split(' '),
);

/** A postal code before its town, or after its state. */
function codeIn(part: string): string | null {
  return /^(?:no? ?)?(\d{4,5})(?: |$)|(?:^| )(\d{5})$/.exec(part)?.slice(1).find(Boolean) ?? null;
}

/** Towns and municipalities of all venues: none of them is a building. */
function townsOf(venues: readonly PlaceRecord[]): ReadonlySet<string> {
  const towns = new Set<string>();
  for (const { municipality, address } of venues) {
    if (municipality !== null) towns.add(wordsIn(municipality).join(' '));
    for (const [, town] of (address ?? '').matchAll(TOWN)) towns.add(wordsIn(town ?? '').join(' '));
  }
  return towns;
}

const TOWN = /(?<!\d)\d{4}\s+(\p{L}[^,\d]{0,60})/gu;

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
