/** G9: a venue's name and address as their parts: rooms and houses, the street, the postal code and the municipality. */
import { wordsOf } from '../../src/calendar/search-term.ts';
import { fold } from '../../src/calendar/text.ts';
import { addressParts, MOST_PARTS, streetWord } from '../addresses.ts';
import type { VenueRecord } from '../records.ts';

export type PlaceRecord = Pick<
  VenueRecord,
  'id' | 'name' | 'address' | 'postalCode' | 'municipality' | 'location'
>;

/** A venue, as it is compared. */
export interface Place {
  /** Names of rooms and houses, each as its folded words. */
  readonly named: readonly string[];
  /** Folded words, with the number. */
  readonly street: string | null;
  readonly code: string | null;
  readonly municipality: string | null;
  readonly point: readonly [latitude: number, longitude: number] | null;
}

/** Rooms and houses stand before the street or the code, towns and regions after them. `towns`: see `townsOf`. */
export function placeOf(venue: PlaceRecord, towns: ReadonlySet<string>): Place {
  const { name, address, municipality, postalCode, location } = venue;
  const texts = [...placePartsIn(name), ...placePartsIn(address ?? '')].slice(0, MOST_PARTS);
  const named = new Set<string>();
  let street: string | null = null;
  let writtenCode: string | null = null;
  for (const [index, text] of texts.entries()) {
    const words = wordsIn(text);
    const part = words.join(' ');
    const isAfterStreetOrCode = street !== null || writtenCode !== null;
    const partCode = index === 0 ? null : codeIn(part);
    const isNumbered = words.some((word) => /^\d/.test(word));
    const isNumberedStreet = isNumbered && (isStreet(words) || (index > 0 && partCode === null));
    if (isNumbered && words.some(isRoom)) named.add(part);
    else if (isNumberedStreet) street ??= part;
    else if (partCode !== null) writtenCode ??= partCode;
    else if (part !== '' && !isAfterStreetOrCode && !towns.has(part)) named.add(part);
  }
  return {
    named: [...named],
    street,
    code: postalCode ?? writtenCode,
    municipality: municipality === null ? null : fold(municipality),
    point: location === null ? null : [location.latitude, location.longitude],
  };
}

/** The texts between commas. `Meeting Room at the Library` is two parts, the room and the house. */
function placePartsIn(text: string): readonly string[] {
  return addressParts(text).flatMap((part) => {
    const [room = '', ...house] = part.split(WITHIN);
    const isRoomInHouse = house.length > 0 && wordsIn(room).some(isRoom);
    return isRoomInHouse ? [room, house.join(' ')] : [part];
  });
}

/** The word or sign between a room and its house. */
const WITHIN = /\s(?:at(?: the)?|in(?: the)?|@|i|på|[-–|])\s|[()]/i;

function wordsIn(text: string): readonly string[] {
  return wordsOf(fold(text)).map((word) => STREETS.get(word) ?? streetWord(word));
}

/** Last words of English street names, by their abbreviations. */
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
const STREET_ENDS = new Set([...STREETS.values(), 'court', 'square', 'way']);

function isStreet(words: readonly string[]): boolean {
  return words.some(
    (word) => STREET_ENDS.has(word) || /(?:gate|veg|plass|torget|torg|brygga|kaia)$/.test(word),
  );
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
export function townsOf(venues: readonly PlaceRecord[]): ReadonlySet<string> {
  const towns = new Set<string>();
  for (const { municipality, address } of venues) {
    if (municipality !== null) towns.add(wordsIn(municipality).join(' '));
    for (const [, town] of (address ?? '').matchAll(TOWN)) towns.add(wordsIn(town ?? '').join(' '));
  }
  return towns;
}

const TOWN = /(?<!\d)\d{4}\s+(\p{L}[^,\d]{0,60})/gu;

/** The rooms that a place names besides its house; empty for none. F11 takes a room for its house, but two rooms are two places. */
export function roomOf({ name, address }: { readonly name?: unknown; readonly address?: unknown }): string {
  const [, ...others] = [name, address].flatMap((text) =>
    typeof text === 'string' ? placePartsIn(text) : [],
  );
  const rooms = others.map(wordsIn).filter((words) => words.some(isRoom));
  return rooms.map((words) => words.join(' ')).join(', ');
}
