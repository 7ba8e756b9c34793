/**
 * F11: joins the venues of all feeds in one directory: a place with two ids would split its events. Two venues are joined only where that is
 * certain. `duplicates/places.ts` compares places for another purpose, one pair of events, and may guess. The forms of texts are in
 * compared-texts.ts.
 */
import { isObject, type JsonObject } from '../../../src/calendar/json.ts';
import { withoutCountry } from '../../addresses.ts';
import { createAliases } from './aliases.ts';
import {
  type ComparedAddress,
  comparedAddress,
  comparedHouse,
  comparedName,
  comparedText,
  houseName,
  isSameAddress,
  textOrBlank,
  withoutRooms,
} from './compared-texts.ts';
import { isNear, type Position, positionOf } from './positions.ts';
import { isAtAny, type Whereabouts, whereaboutsOf } from './whereabouts.ts';

/** A venue, as it is compared with others. */
interface KnownVenue {
  readonly id: string;
  /** Null for those of the folder. */
  readonly feed: string | null;
  /** Parts of its name, or of its address, that are neither: `Storsalen` of `Kulturhuset, Storsalen`. Empty for none. */
  readonly room: string;
  readonly address: ComparedAddress | null;
  readonly position: Position | null;
  readonly whereabouts: Whereabouts;
  /** Its municipality, or else that of a later venue that is one with it; null if neither names any. */
  municipality: string | null;
}

interface PlaceSource {
  readonly id: string;
  /** The municipality of its venues that name none. */
  readonly defaultMunicipality?: string | null;
  /** Whether the source has ids for venues; others have only their text, which people write in many ways. */
  readonly hasVenueIds: boolean;
}

/** A venue is compared with so many of the same name: comparing all would take quadratic time. */
export const MOST_NAMESAKES = 100;

export interface PlaceMerger {
  /** Adds a venue of the source folder. The folder's venues are never merged. */
  readonly addOfFolder: (venue: unknown) => void;
  /**
   * F16: adds a venue of a sheet like one of the folder, and returns null; or else the id of an earlier one that has its id, or its name and
   * no sign of another place.
   */
  readonly addOfSheet: (venue: JsonObject) => string | null;
  /** Adds a venue of a feed. */
  readonly add: (source: PlaceSource, venue: JsonObject) => MergedPlace;
  /** The id of the earlier venue that a venue of a feed is one with, without adding it; null for none. */
  readonly find: (source: PlaceSource, venue: JsonObject) => string | null;
}

interface MergedPlace {
  /** The id of the venue in this calendar. */
  readonly id: string;
  /** False for a venue that is one with an earlier one. */
  readonly isNew: boolean;
}

/** Venues are added in the order of the sources: the first of several that are one keeps its id. */
export function createPlaceMerger(): PlaceMerger {
  /** By `comparedHouse` of the name. */
  const venuesByHouse = new Map<string, KnownVenue[]>();
  const aliases = createAliases();
  const ids = new Set<string>();

  function addNamesake(house: string, venue: KnownVenue): void {
    const namesakes = venuesByHouse.get(house);
    if (namesakes === undefined) venuesByHouse.set(house, [venue]);
    else if (namesakes.length < MOST_NAMESAKES) namesakes.push(venue);
  }

  function addOfFolder(venue: unknown): void {
    if (!isObject(venue)) return;
    const folderVenue = knownVenue(venue);
    ids.add(folderVenue.id);
    addNamesake(comparedHouse(venue.name), folderVenue);
    for (const alias of Array.isArray(venue.aliases) ? venue.aliases : [])
      aliases.add(textOrBlank(alias), folderVenue.id, venue);
  }

  function addOfSheet(venue: JsonObject): string | null {
    const added = knownVenue(venue);
    if (ids.has(added.id)) return added.id;
    const namesakes = venuesByHouse.get(comparedHouse(venue.name)) ?? [];
    const earlier = namesakes.find(
      (namesake) => namesake.room === added.room && !isOtherPlace(namesake, added),
    );
    if (earlier === undefined) addOfFolder(venue);
    return earlier?.id ?? null;
  }

  function add(source: PlaceSource, venue: JsonObject): MergedPlace {
    const added = knownVenue(venue, source);
    const earlierId = aliases.find(venue) ?? idOfEarlier(source, added, venue);
    if (earlierId !== null) return { id: earlierId, isNew: false };
    ids.add(added.id);
    addNamesake(comparedHouse(venue.name), added);
    return { id: added.id, isNew: true };
  }

  function find(source: PlaceSource, venue: JsonObject): string | null {
    return aliases.find(venue) ?? idOfEarlier(source, knownVenue(venue, source), venue);
  }

  /** The id of the earlier venue that is the same place; null for none. */
  function idOfEarlier(source: PlaceSource, added: KnownVenue, venue: JsonObject): string | null {
    if (ids.has(added.id)) return added.id;
    const namesakes = venuesByHouse.get(comparedHouse(venue.name)) ?? [];
    // A source with ids for venues tells its own venues apart.
    const comparable = source.hasVenueIds ? namesakes.filter(({ feed }) => feed !== source.id) : namesakes;
    const earlier =
      comparable.find((namesake) => isSamePlace(namesake, added)) ?? onlyOfFolder(comparable, added, venue);
    if (earlier === undefined) return null;
    earlier.municipality ??= added.municipality;
    return earlier.id;
  }

  return { addOfFolder, addOfSheet, add, find };
}

/** Whether two venues of one name have different municipalities, positions or addresses. */
function isOtherPlace(earlier: KnownVenue, added: KnownVenue): boolean {
  if (isElsewhere(earlier, added)) return true;
  if (earlier.position !== null && added.position !== null) return !isNear(earlier.position, added.position);
  return earlier.address !== null && added.address !== null && !isSameAddress(earlier.address, added.address);
}

/** `source`: undefined for the folder. */
function knownVenue(venue: JsonObject, source?: PlaceSource): KnownVenue {
  const { rooms, address } = withoutRooms(textOrBlank(venue.address));
  const roomInName = textOrBlank(venue.name).slice(houseName(venue.name).length);
  return {
    id: textOrBlank(venue.id),
    feed: source?.id ?? null,
    room: comparedName(withoutCountry(`${roomInName} ${rooms}`)),
    address: comparedAddress(address, textOrBlank(venue.postalCode)),
    position: positionOf(venue),
    whereabouts: whereaboutsOf(venue),
    municipality:
      comparedText(textOrBlank(venue.municipality) || (source?.defaultMunicipality ?? '')) || null,
  };
}

/** A name alone means the only venue of that name in the folder, whatever its address; a name with an address, if a street or town agrees. */
function onlyOfFolder(
  namesakes: readonly KnownVenue[],
  added: KnownVenue,
  venue: JsonObject,
): KnownVenue | undefined {
  const [venueOfFolder, ...more] = namesakes.filter((namesake) => {
    const rooms = comparedRooms(namesake, added);
    return namesake.feed === null && rooms.earlier === rooms.added;
  });
  if (venueOfFolder === undefined || more.length > 0) return undefined;
  const agrees = hasNameAlone(added) || isAtAny(venue, venueOfFolder.whereabouts);
  return agrees ? venueOfFolder : undefined;
}

/**
 * Whether two venues of one name are one place. The first of these that applies decides:
 *
 * 1. The earlier one is a room, and the added one is another room or the house: no. A venue without a room never inherits one.
 * 2. Their positions are near: yes. A room joins its house.
 * 3. Both have an address: yes if the addresses agree.
 * 4. Otherwise: yes if both have only a name, with the same room, in no two municipalities, and the earlier one is of a feed. `onlyOfFolder`
 *    finds those of the folder.
 */
function isSamePlace(earlier: KnownVenue, added: KnownVenue): boolean {
  const rooms = comparedRooms(earlier, added);
  const haveSameRoom = rooms.earlier === rooms.added;
  if (rooms.earlier !== '' && !haveSameRoom) return false;
  if (earlier.position !== null && added.position !== null && isNear(earlier.position, added.position))
    return true;
  if (earlier.address !== null && added.address !== null)
    return isSameAddress(earlier.address, added.address);
  const haveNameAlone = hasNameAlone(earlier) && hasNameAlone(added) && !isElsewhere(earlier, added);
  return haveSameRoom && haveNameAlone && earlier.feed !== null;
}

/** Whether the two name different municipalities. A name and a number count as different: the register of postal codes is not known here. */
function isElsewhere({ municipality: left }: KnownVenue, { municipality: right }: KnownVenue): boolean {
  return left !== null && right !== null && left !== right;
}

/** Whether there is neither an address nor a position. */
function hasNameAlone({ address, position }: KnownVenue): boolean {
  return address === null && position === null;
}

interface ComparedRooms {
  readonly earlier: string;
  readonly added: string;
}

/**
 * The rooms of two venues, in the form in which they are compared. The room of a venue is empty if it is the town of the other venue:
 * `Storsalen, Trondheim` has the room `trondheim`, unless the other venue's address ends with that town.
 */
function comparedRooms(earlier: KnownVenue, added: KnownVenue): ComparedRooms {
  return {
    earlier: earlier.room === added.address?.town ? '' : earlier.room,
    added: added.room === earlier.address?.town ? '' : added.room,
  };
}
