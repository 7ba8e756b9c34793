/**
 * F11: joins the venues of all feeds in one directory: a place with two ids would split its events. Two venues are joined only where that is
 * certain. `duplicates/places.ts` compares places for another purpose, one pair of events, and may guess.
 */
import { isObject, type JsonObject } from '../../../src/calendar/json.ts';
import { wordsOf } from '../../../src/calendar/search-term.ts';
import { fold } from '../../../src/calendar/text.ts';
import { isNamedStreet, MOST_PARTS, streetWord, withoutCountry } from '../../addresses.ts';
import { createAliases } from './aliases.ts';
import { isNear, type Point, pointOf } from './positions.ts';
import { isThere, textOrBlank, type Whereabouts, whereaboutsOf } from './whereabouts.ts';

interface KnownVenue {
  readonly id: string;
  /** Null for those of the folder. */
  readonly feed: string | null;
  /** Parts of its name, or of its address, that are neither: `Storsalen` of `Kulturhuset, Storsalen`. Empty for none. */
  readonly room: string;
  readonly address: Address | null;
  readonly point: Point | null;
  readonly whereabouts: Whereabouts;
}

interface Source {
  readonly id: string;
  /** Whether the source has ids for venues; others have only their text, which people write in many ways. */
  readonly hasVenueIds: boolean;
}

/** Venues of one name that another is compared with; comparing all would take quadratic time. */
export const MOST_NAMESAKES = 100;

interface PlaceMerger {
  /** Adds a venue of the source folder. The folder's venues are never merged. */
  readonly addOfFolder: (venue: unknown) => void;
  /** Adds a venue of a feed. */
  readonly add: (source: Source, venue: JsonObject) => MergedPlace;
}

interface MergedPlace {
  /** Of the venue in this calendar. */
  readonly id: string;
  /** False for a venue that is one with an earlier one. */
  readonly isNew: boolean;
}

export function createPlaceMerger(): PlaceMerger {
  /** Without rooms. */
  const byName = new Map<string, KnownVenue[]>();
  const aliases = createAliases();
  const ids = new Set<string>();

  function addNamesake(name: string, venue: KnownVenue): void {
    const same = byName.get(name);
    if (same === undefined) byName.set(name, [venue]);
    else if (same.length < MOST_NAMESAKES) same.push(venue);
  }

  function addOfFolder(venue: unknown): void {
    if (!isObject(venue)) return;
    const folderVenue = knownVenue(venue, null);
    ids.add(folderVenue.id);
    addNamesake(houseOf(venue.name), folderVenue);
    for (const alias of Array.isArray(venue.aliases) ? venue.aliases : [])
      aliases.add(textOrBlank(alias), folderVenue.id, venue);
  }

  function add(source: Source, venue: JsonObject): MergedPlace {
    const id = textOrBlank(venue.id);
    const alias = aliases.find(venue, nameOf(venue.name));
    if (alias !== null) return { id: alias, isNew: false };
    if (ids.has(id)) return { id, isNew: false };
    const name = houseOf(venue.name);
    const added = knownVenue(venue, source.id);
    const namesakes = byName.get(name) ?? [];
    const others = source.hasVenueIds ? namesakes.filter(({ feed }) => feed !== source.id) : namesakes;
    const same = others.find((other) => isSamePlace(other, added)) ?? onlyOfFolder(others, added, venue);
    if (same !== undefined) return { id: same.id, isNew: false };
    ids.add(id);
    addNamesake(name, added);
    return { id, isNew: true };
  }

  return { addOfFolder, add };
}

function knownVenue(venue: JsonObject, feed: string | null): KnownVenue {
  const { rooms, address } = splitAddress(textOrBlank(venue.address));
  const named = textOrBlank(venue.name).slice(houseIn(venue.name).length);
  return {
    id: textOrBlank(venue.id),
    feed,
    room: nameOf(withoutCountry(`${named} ${rooms}`)),
    address: addressOf(address, textOrBlank(venue.postalCode)),
    point: pointOf(venue),
    whereabouts: whereaboutsOf(venue),
  };
}

interface SplitAddress {
  readonly rooms: string;
  readonly address: string;
}

/** Rooms stand before the first part with a number or a street. No address is looked for after the first parts (MOST_PARTS). */
function splitAddress(text: string): SplitAddress {
  const parts = text.split(',', MOST_PARTS);
  const index = parts.findIndex((part) => /\d/.test(part) || isNamedStreet(fold(part).trim()));
  if (index === -1) return { rooms: text, address: '' };
  const rooms = parts.slice(0, index).join(',');
  return { rooms, address: text.slice(rooms.length) };
}

/** A name alone means the only venue of that name in the folder, whatever its address; a name with an address, if a street or town agrees. */
function onlyOfFolder(
  namesakes: readonly KnownVenue[],
  added: KnownVenue,
  venue: JsonObject,
): KnownVenue | undefined {
  const [only, ...more] = namesakes.filter(
    (other) => other.feed === null && roomBeside(other, added) === roomBeside(added, other),
  );
  if (only === undefined || more.length > 0) return undefined;
  return hasNameAlone(added) || isThere(venue, only.whereabouts) ? only : undefined;
}

/** Both are in the same house. A room joins its house; a venue without a room never inherits one. */
function isSamePlace(earlier: KnownVenue, added: KnownVenue): boolean {
  const room = roomBeside(earlier, added);
  const addedRoom = roomBeside(added, earlier);
  if (room !== '' && room !== addedRoom) return false;
  if (earlier.point !== null && added.point !== null && isNear(earlier.point, added.point)) return true;
  if (earlier.address !== null && added.address !== null)
    return isSameAddress(earlier.address, added.address);
  if (room !== addedRoom) return false;
  const haveNameAlone = hasNameAlone(earlier) && hasNameAlone(added);
  return haveNameAlone && earlier.feed !== null;
}

function hasNameAlone({ address, point }: KnownVenue): boolean {
  return address === null && point === null;
}

/** A part of an address without numbers may be the town as well. */
function roomBeside({ room }: KnownVenue, { address }: KnownVenue): string {
  return room === address?.town ? '' : room;
}

interface Address {
  /** The text before the postal code; the street, if there is one. */
  readonly street: string;
  readonly postalCode: string | null;
  /** The text after it. */
  readonly town: string;
}

/** Null for a place without an address. */
function addressOf(written: string, code: string): Address | null {
  const words = wordsOf(
    withoutCountry(fold(written))
      // Numbers with their letter, and codes with their country, are one word: `19 B`, `N-7013`.
      .replace(/(?<=\d)\s+(?=[a-z](?![a-z0-9]))/g, '')
      .replace(/(?<![a-z0-9])no?-?(?=\d{4}(?!\d))/g, ''),
  ).map(streetWord);
  const index = words.findLastIndex((word, position) => /^\d{4}$/.test(word) && position > 0);
  const [givenCode = null] = wordsOf(code);
  if (index === -1)
    return words.length === 0 ? null : { street: words.join(' '), postalCode: givenCode, town: '' };
  return {
    street: words.slice(0, index).join(' '),
    postalCode: words[index] ?? null,
    town: words.slice(index + 1).join(' '),
  };
}

/** The same street, without different postal codes or towns; or all of it is the same. */
function isSameAddress(left: Address, right: Address): boolean {
  if (left.postalCode !== null && right.postalCode !== null && left.postalCode !== right.postalCode)
    return false;
  if (left.street !== '' && left.street === right.street)
    return left.town === '' || right.town === '' || left.town === right.town;
  const whole = (address: Address) => `${address.street} ${address.town}`.trim();
  return whole(left) === whole(right);
}

function houseOf(name: unknown): string {
  return nameOf(houseIn(name));
}

/** The part of a name before the first comma. */
function houseIn(name: unknown): string {
  return textOrBlank(name).split(',', 1).join('');
}

/** Folded, without signs: `Café Løkka` and `CAFE LØKKA!` are the same name. */
function nameOf(name: unknown): string {
  const folded = fold(textOrBlank(name));
  return wordsOf(folded).join(' ') || folded.trim();
}
