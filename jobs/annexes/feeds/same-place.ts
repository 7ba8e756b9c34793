/**
 * F11: joins the venues of all feeds in one directory: a place with two ids would split its events. Two venues are joined only where that is
 * certain. `duplicates/places.ts` compares places for another purpose, one pair of events, and may guess.
 */
import { isObject, type JsonObject } from '../../../src/calendar/json.ts';
import { wordsOf } from '../../../src/calendar/search-term.ts';
import { fold } from '../../../src/calendar/text.ts';
import { withoutCountry } from '../../addresses.ts';
import { createAliases } from './aliases.ts';
import { type ComparedAddress, comparedAddress, isSameAddress, withoutRooms } from './compared-address.ts';
import { isNear, type Position, positionOf } from './positions.ts';
import { isAtAny, textOrBlank, type Whereabouts, whereaboutsOf } from './whereabouts.ts';

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
}

interface Source {
  readonly id: string;
  /** Whether the source has ids for venues; others have only their text, which people write in many ways. */
  readonly hasVenueIds: boolean;
}

/** A venue is compared with so many of the same name: comparing all would take quadratic time. */
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

/** Venues are added in the order of the sources: the first of several that are one keeps its id. */
export function createPlaceMerger(): PlaceMerger {
  /** By the folded name of the house. */
  const venuesByName = new Map<string, KnownVenue[]>();
  const aliases = createAliases();
  const ids = new Set<string>();

  function addNamesake(name: string, venue: KnownVenue): void {
    const namesakes = venuesByName.get(name);
    if (namesakes === undefined) venuesByName.set(name, [venue]);
    else if (namesakes.length < MOST_NAMESAKES) namesakes.push(venue);
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
    const aliasedId = aliases.find(venue, nameOf(venue.name));
    if (aliasedId !== null) return { id: aliasedId, isNew: false };
    if (ids.has(id)) return { id, isNew: false };
    const name = houseOf(venue.name);
    const added = knownVenue(venue, source.id);
    const namesakes = venuesByName.get(name) ?? [];
    // A source with ids for venues tells its own venues apart.
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
  const { rooms, address } = withoutRooms(textOrBlank(venue.address));
  const roomInName = textOrBlank(venue.name).slice(houseIn(venue.name).length);
  return {
    id: textOrBlank(venue.id),
    feed,
    room: nameOf(withoutCountry(`${roomInName} ${rooms}`)),
    address: comparedAddress(address, textOrBlank(venue.postalCode)),
    position: positionOf(venue),
    whereabouts: whereaboutsOf(venue),
  };
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
  return hasNameAlone(added) || isAtAny(venue, only.whereabouts) ? only : undefined;
}

/** Both are in the same house. A room joins its house; a venue without a room never inherits one. */
function isSamePlace(earlier: KnownVenue, added: KnownVenue): boolean {
  const room = roomBeside(earlier, added);
  const addedRoom = roomBeside(added, earlier);
  if (room !== '' && room !== addedRoom) return false;
  if (earlier.position !== null && added.position !== null && isNear(earlier.position, added.position))
    return true;
  if (earlier.address !== null && added.address !== null)
    return isSameAddress(earlier.address, added.address);
  const haveNameAlone = hasNameAlone(earlier) && hasNameAlone(added);
  return room === addedRoom && haveNameAlone && earlier.feed !== null;
}

/** Whether there is neither an address nor a position. */
function hasNameAlone({ address, position }: KnownVenue): boolean {
  return address === null && position === null;
}

/** The room of one venue, compared with another; empty if it is the other's town, which may stand alone in an address. */
function roomBeside({ room }: KnownVenue, { address }: KnownVenue): string {
  return room === address?.town ? '' : room;
}

/** The folded name of the house, without rooms. */
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
