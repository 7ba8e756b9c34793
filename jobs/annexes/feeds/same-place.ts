/** F11: joins the venues of all feeds in one directory: a place with two ids would split its events. */
import { isObject, type JsonObject } from '../../../src/calendar/json.ts';
import { wordsOf } from '../../../src/calendar/search-term.ts';
import { fold } from '../../../src/calendar/text.ts';
import { COUNTRY, STREET, streetWord } from '../../streets.ts';

interface KnownVenue {
  readonly id: string;
  /** Null for the folder's own. */
  readonly feed: string | null;
  /** Parts of its name, or of its address, that are neither: `Storsalen` of `Kulturhuset, Storsalen`. Empty for none. */
  readonly room: string;
  readonly address: Address | null;
  readonly point: Point | null;
  /** Its streets and towns, as an alias or a name is compared with others. */
  readonly whereabouts: ReadonlySet<string>;
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
  const aliases = createAliases();
  const ids = new Set<string>();

  function keep(name: string, venue: KnownVenue): void {
    const same = byName.get(name);
    if (same === undefined) byName.set(name, [venue]);
    else if (same.length < MOST_NAMESAKES) same.push(venue);
  }

  /** A venue of the folder itself: each is separate. */
  function addOwn(venue: unknown): void {
    if (!isObject(venue)) return;
    const kept = knownOf(venue, null);
    ids.add(kept.id);
    keep(houseOf(venue.name), kept);
    for (const alias of Array.isArray(venue.aliases) ? venue.aliases : [])
      aliases.add(textOrBlank(alias), kept.id, venue);
  }

  /** Returns the id of a feed's venue in this calendar, and whether it is new. */
  function add(source: Source, venue: JsonObject) {
    const id = textOrBlank(venue.id);
    const name = houseOf(venue.name);
    const alias = aliases.find(venue);
    if (alias !== null) return { id: alias, isNew: false };
    if (ids.has(id)) return { id, isNew: false };
    const added = knownOf(venue, source.id);
    const namesakes = byName.get(name) ?? [];
    const others = source.hasVenueIds ? namesakes.filter(({ feed }) => feed !== source.id) : namesakes;
    const same = others.find((other) => isSamePlace(other, added)) ?? onlyOwn(others, added, venue);
    if (same !== undefined) return { id: same.id, isNew: false };
    ids.add(id);
    keep(name, added);
    return { id, isNew: true };
  }

  return { addOwn, add };
}

/** A name alone means the only venue of that name in the folder, whatever its address; a name with an address, if a street or town agrees. */
function onlyOwn(
  namesakes: readonly KnownVenue[],
  added: KnownVenue,
  venue: JsonObject,
): KnownVenue | undefined {
  const [only, ...more] = namesakes.filter(
    (other) => other.feed === null && roomBeside(other, added) === roomBeside(added, other),
  );
  if (only === undefined || more.length > 0) return undefined;
  if (added.address === null)
    return added.point === null || agree(only.whereabouts, venue) ? only : undefined;
  return agree(only.whereabouts, venue) ? only : undefined;
}

/** F11: other texts of the folder's venues. */
function createAliases() {
  const idsByText = new Map<string, string>();
  /** By each beginning of an alias that has commas, up to one of them. */
  const begun = new Map<string, { readonly id: string; readonly whereabouts: ReadonlySet<string> }>();

  function add(alias: string, id: string, venue: JsonObject): void {
    const key = textKey(alias);
    if (key === '' || idsByText.has(key)) return;
    idsByText.set(key, id);
    const whereabouts = new Set([...whereaboutsOf(venue), ...whereaboutsOf({ address: afterName(alias) })]);
    for (const { key: beginning } of beginningsOf(alias))
      if (!begun.has(beginning)) begun.set(beginning, { id, whereabouts });
  }

  /** The id of the venue that a feed's place means by its whole text, or by its name or another beginning of it. */
  function find(venue: JsonObject): string | null {
    const text = [textOrBlank(venue.name), textOrBlank(venue.address)]
      .filter((part) => part !== '')
      .join(', ');
    const whole = idsByText.get(textKey(text)) ?? idsByText.get(nameOf(venue.name));
    if (whole !== undefined) return whole;
    if (idsByText.size === 0) return null;
    for (const { key: beginning, rest } of beginningsOf(text)) {
      const alias = idsByText.get(beginning);
      if (alias !== undefined) return alias;
      const partly = begun.get(beginning);
      // What goes on with a room or a house that the alias does not have is another place.
      if (partly !== undefined && rest.every(isWhereabouts) && agree(partly.whereabouts, venue))
        return partly.id;
    }
    return null;
  }

  return { add, find };
}

/** Folded words without the country, streets as one spelling. */
function textKey(text: string): string {
  return wordsOf(fold(text).replace(COUNTRY, '')).map(streetWord).join(' ');
}

/** Parts of a place's text that are compared; a real one has five. */
const MOST_PARTS = 10;

interface Beginning {
  readonly key: string;
  /** The parts after it. */
  readonly rest: readonly string[];
}

/** A text's beginnings, each up to a comma, the longest first. */
function beginningsOf(text: string): readonly Beginning[] {
  const parts = text.split(',').slice(0, MOST_PARTS);
  const ends = parts.slice(0, -1).map((_, at) => at + 1);
  return ends
    .reverse()
    .map((end) => ({ key: textKey(parts.slice(0, end).join(',')), rest: parts.slice(end) }))
    .filter(({ key }) => key !== '');
}

/** A street, a code, or the town, which stands last: no room and no house. */
function isWhereabouts(part: string, at: number, parts: readonly string[]): boolean {
  return /\d/.test(part) || at === parts.length - 1;
}

function afterName(text: string): string {
  return text.split(',').slice(1).join(',');
}

/** Streets with their number, and towns: the parts of an address that are no rooms or houses. */
function whereaboutsOf(venue: JsonObject): ReadonlySet<string> {
  const parts = textOrBlank(venue.address).replace(COUNTRY, '').split(',').slice(0, MOST_PARTS);
  const places = parts.filter(isWhereabouts);
  const withoutCodes = places.map((part) => part.replace(CODE, ''));
  const keys = [textOrBlank(venue.municipality), ...withoutCodes].map(textKey);
  return new Set(keys.filter((key) => /[a-z]/.test(key)));
}

/** Before the town. */
const CODE = /^\s*(?:NO?-?)?\d{4}\s/i;

function agree(whereabouts: ReadonlySet<string>, venue: JsonObject): boolean {
  return [...whereaboutsOf(venue)].some((key) => whereabouts.has(key));
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
    whereabouts: whereaboutsOf(venue),
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
  const at = words.findLastIndex((word, index) => /^\d{4}$/.test(word) && index > 0);
  const [postalCode] = wordsOf(code);
  const street = (at === -1 ? words : words.slice(0, at)).join(' ');
  const town = at === -1 ? '' : words.slice(at + 1).join(' ');
  if (street === '' && town === '') return null;
  return { street, postalCode: (at === -1 ? postalCode : words[at]) ?? null, town };
}

/** The part of a name before the first comma. */
function houseOf(name: unknown): string {
  return nameOf(textOrBlank(name).split(',')[0]);
}

/** Folded, without signs: `Café Løkka` and `CAFE LØKKA!` are the same name. */
function nameOf(name: unknown): string {
  const folded = fold(textOrBlank(name));
  return wordsOf(folded).join(' ') || folded.trim();
}

function textOrBlank(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
