/** F11: joins the venues of all feeds in one directory: a place with two ids would split its events. */
import { isObject, type JsonObject } from '../../../src/calendar/json.ts';
import { fold, wordsOf } from '../../../src/calendar/text.ts';

interface KnownVenue {
  readonly id: string;
  /** Null for the folder's own. */
  readonly feed: string | null;
  /** Parts of its name, or of its address, that are neither: `Storsalen` of `Kulturhuset, Storsalen`. Empty for none. */
  readonly room: string;
  readonly address: Address | null;
  readonly point: Point | null;
}

export type Point = readonly [latitude: number, longitude: number];

interface Source {
  readonly id: string;
  /** Whether the source has ids for venues; others have only their text, which people write in many ways. */
  readonly hasVenueIds: boolean;
}

/** Venues of one name that another is compared with; comparing all would take quadratic time. */
export const MOST_NAMESAKES = 100;

export function createPlaceMerger() {
  /** Without rooms. */
  const byName = new Map<string, KnownVenue[]>();
  const aliases = new Map<string, string>();
  const ids = new Set<string>();

  function keep(name: string, venue: KnownVenue): void {
    const same = byName.get(name);
    if (same === undefined) byName.set(name, [venue]);
    else if (same.length < MOST_NAMESAKES) same.push(venue);
  }

  /** A venue of the folder itself: each is separate. */
  function addOwn(venue: unknown): void {
    if (!isObject(venue)) return;
    const known = knownOf(venue, null);
    ids.add(known.id);
    keep(houseOf(venue.name), known);
    for (const alias of Array.isArray(venue.aliases) ? venue.aliases : []) {
      const key = nameOf(alias);
      if (key !== '' && !aliases.has(key)) aliases.set(key, known.id);
    }
  }

  /** Returns the id of a feed's venue in this calendar, and whether it is new. */
  function add(source: Source, venue: JsonObject) {
    const id = textOrBlank(venue.id);
    const name = houseOf(venue.name);
    const alias = aliases.get(nameOf(venue.name));
    if (alias !== undefined) return { id: alias, isNew: false };
    if (ids.has(id)) return { id, isNew: false };
    const added = knownOf(venue, source.id);
    const namesakes = byName.get(name) ?? [];
    const others = source.hasVenueIds ? namesakes.filter(({ feed }) => feed !== source.id) : namesakes;
    const same = others.find((known) => isSamePlace(known, added)) ?? onlyOwn(others, added);
    if (same !== undefined) return { id: same.id, isNew: false };
    ids.add(id);
    keep(name, added);
    return { id, isNew: true };
  }

  return { addOwn, add };
}

/** A name alone means the only venue of that name in the folder, whatever its address. */
function onlyOwn(
  namesakes: readonly KnownVenue[],
  { room, address, point }: KnownVenue,
): KnownVenue | undefined {
  const [only, ...more] = namesakes.filter((known) => known.feed === null && known.room === room);
  return address === null && point === null && more.length === 0 ? only : undefined;
}

/** Both are in the same house. A room joins its house; what has no room never inherits one. */
function isSamePlace(left: KnownVenue, right: KnownVenue): boolean {
  const [room, ownRoom] = [roomBeside(left, right), roomBeside(right, left)];
  if (room !== '' && room !== ownRoom) return false;
  if (left.point !== null && right.point !== null && isNear(left.point, right.point)) return true;
  if (left.address !== null && right.address !== null) return isSameAddress(left.address, right.address);
  // Neither has more than its name.
  if (room !== ownRoom) return false;
  return left.address === right.address && left.point === null && right.point === null && left.feed !== null;
}

/** A part of an address without numbers may be the town as well. */
function roomBeside({ room }: KnownVenue, { address }: KnownVenue): string {
  return room === address?.town ? '' : room;
}

/** F11: whether they may be positions of one place. */
export function isNear(point: Point, other: Point): boolean {
  return metresBetween(point, other) <= NEAR;
}

/** Metres. */
const NEAR = 100;
const METRES_PER_DEGREE = 111_195;

function metresBetween([latitude, longitude]: Point, [otherLatitude, otherLongitude]: Point): number {
  const north = latitude - otherLatitude;
  const east = (longitude - otherLongitude) * Math.cos((latitude * Math.PI) / 180);
  return Math.hypot(north, east) * METRES_PER_DEGREE;
}

interface Address {
  /** The text before the postal code; the street, if there is one. */
  readonly street: string;
  readonly postalCode: string | null;
  /** The text after it. */
  readonly town: string;
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

function knownOf(venue: JsonObject, feed: string | null): KnownVenue {
  const parts = textOrBlank(venue.address).split(',');
  const at = parts.findIndex((part) => /\d/.test(part) || STREET.test(fold(part).trim()));
  const [rooms, rest] = at === -1 ? [parts, []] : [parts.slice(0, at), parts.slice(at)];
  const [, ...named] = textOrBlank(venue.name).split(',');
  return {
    id: textOrBlank(venue.id),
    feed,
    room: nameOf([...named, ...rooms].join(' ').replace(COUNTRY, '')),
    address: addressOf(rest.join(','), textOrBlank(venue.postalCode)),
    point: pointOf(venue),
  };
}

export function pointOf({ latitude, longitude }: JsonObject): Point | null {
  return typeof latitude === 'number' && typeof longitude === 'number' ? [latitude, longitude] : null;
}

/** Null for a place without an address. */
function addressOf(written: string, code: string): Address | null {
  const words = wordsOf(
    fold(written)
      .replace(COUNTRY, '')
      // Numbers with their letter, and codes with their country, are one word: `19 B`, `N-7013`.
      .replace(/(?<=\d)\s+(?=[a-z](?![a-z0-9]))/g, '')
      .replace(/(?<![a-z0-9])no?-?(?=\d{4}(?!\d))/g, ''),
  ).map(streetWord);
  const at = words.findLastIndex((word, place) => /^\d{4}$/.test(word) && place > 0);
  const [postalCode] = wordsOf(code);
  const street = (at === -1 ? words : words.slice(0, at)).join(' ');
  const town = at === -1 ? '' : words.slice(at + 1).join(' ');
  if (street === '' && town === '') return null;
  return { street, postalCode: (at === -1 ? postalCode : words[at]) ?? null, town };
}

/** At the end of a folded address, as Google and others append it. */
const COUNTRY = /(?:^|(?<![\s,;.])[\s,;.]+)(?:norge|noreg|norway|norga|nor|no|norwegen)[\s.]*$/i;

/** Ends the name of a street. */
const STREET = /(?:gaten?|gata|gt\.?|vegen|veien|veg|vei|plass(?:en)?|torget|torg|brygga|kaia)$/;

/** `Storgt.`, `Storgaten` and `Storgata` are one street; so are `Kongens gt` and `Kongens gate`. */
function streetWord(word: string): string {
  return word
    .replace(/(?:gaten|gata|gate|gt)$/, 'gate')
    .replace(/(?:veien|vegen|vei|veg|vn)$/, 'veg')
    .replace(/(?:plassen|plass|pl)$/, 'plass');
}

/** The part of a name before the first comma. */
function houseOf(name: unknown): string {
  return nameOf(textOrBlank(name).split(',')[0]);
}

/** Folded, only words: `Café Løkka` and `CAFE LØKKA!` are one name. */
function nameOf(name: unknown): string {
  const folded = fold(textOrBlank(name));
  return wordsOf(folded).join(' ') || folded.trim();
}

function textOrBlank(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
