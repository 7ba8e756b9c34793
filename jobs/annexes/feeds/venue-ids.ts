/**
 * F11: ids of the venues of a feed that has them only as texts. An id is made of name and address. Places with the same name and address, or
 * namesakes, are told apart by municipality and position: the first one has the id of these texts, and the others have ids of their own. Which
 * place has which id is remembered from reading to reading, so that each keeps its id while others come and go.
 */
import type { Values } from '../../../src/calendar/field.ts';
import type { VENUE } from '../../../src/calendar/fields.ts';
import { groupBy } from '../../../src/calendar/groups.ts';
import { nameKey } from '../../../src/calendar/text.ts';
import type { FeedPlace, LastGood } from './last-good.ts';
import { isNear, type Position, positionOf } from './positions.ts';
import { isRemembered, MOST_REMEMBERED, textId } from './record-ids.ts';
import { MOST_NAMESAKES } from './same-place.ts';

/** `name` is not blank; together with the address it identifies the venue. */
export interface FeedVenue extends Partial<Values<typeof VENUE>> {
  readonly name: string;
  readonly latitude?: number | null;
  readonly longitude?: number | null;
}

interface VenueIds {
  /** Returns the id of the venue. */
  readonly idOf: (venue: FeedVenue) => string;
  /** Called at the end: the places that are no longer in the feed, whose ids the next reading has to know. */
  readonly gone: () => readonly FeedPlace[];
}

interface VenueIdOptions {
  /** The id of the feed. */
  readonly feed: string;
  /** The places of the previous reading, and those that were gone before. */
  readonly lastPlaces: readonly FeedPlace[];
  /** Instant of the reading. */
  readonly now: number;
}

/** What tells a place from its namesakes. */
interface TownAndPosition {
  /** By `townKey`; empty if it is not known. */
  readonly town: string;
  readonly position: Position | null;
}

interface Namesake extends TownAndPosition {
  readonly id: string;
  /** As it was remembered; null for a place that is in the feed. */
  last: FeedPlace | null;
  town: string;
  position: Position | null;
}

export function createVenueIds({ feed, lastPlaces, now }: VenueIdOptions): VenueIds {
  const namesakesByText = namesakesIn(lastPlaces.filter(({ gone }) => isRemembered(gone, now)));

  function idOf(venue: FeedVenue): string {
    const texts = [venue.name, venue.address ?? ''];
    const text = textId(feed, texts);
    if (hasNumber(venue.address)) return text;
    const { latitude, longitude, municipality } = venue;
    const written = { town: townKey(municipality), position: positionOf({ latitude, longitude }) };
    const namesakes = namesakesByText.get(text) ?? [];
    namesakesByText.set(text, namesakes);
    const known = namesakes.find((namesake) => isSamePlace(namesake, written));
    if (known !== undefined) {
      known.last = null;
      known.town ||= written.town;
      known.position ??= written.position;
      return known.id;
    }
    const own = ownTexts(written, namesakes, text);
    const id = own.length === 0 ? text : textId(feed, [...texts, ...own]);
    if (namesakes.length < MOST_NAMESAKES) namesakes.push({ id, last: null, ...written });
    return id;
  }

  function gone(): readonly FeedPlace[] {
    const places = [...namesakesByText.values()].flat().flatMap(({ last }) => last ?? []);
    return places.slice(0, MOST_REMEMBERED).map((place) => ({ ...place, gone: place.gone ?? now }));
  }

  return { idOf, gone };
}

/**
 * The remembered places, by the id of their texts; the one with this id comes first. A position counts only if it tells two places of one
 * municipality apart: where it does not, a corrected position leaves the id as it is. Places that nothing tells apart are not remembered.
 */
function namesakesIn(places: readonly FeedPlace[]): Map<string, Namesake[]> {
  const namesakesByText = new Map<string, Namesake[]>();
  for (const [text, group] of groupBy(places, (place) => place.text)) {
    const namesakes = group.map((place) => {
      const isAlone = group.every((other) => other === place || isElsewhere(other, place));
      const { id, town, position } = place;
      return { id, town, position: isAlone ? null : position, last: place };
    });
    const told = namesakes.filter(({ town, position }) => town !== '' || position !== null);
    const byText = told.toSorted((left, right) => Number(right.id === text) - Number(left.id === text));
    namesakesByText.set(text, byText.slice(0, MOST_NAMESAKES));
  }
  return namesakesByText;
}

/** A place may be another one's only if their municipalities and positions do not differ, as far as both have them. */
function isSamePlace(namesake: TownAndPosition, written: TownAndPosition): boolean {
  if (isElsewhere(namesake, written)) return false;
  if (namesake.position === null || written.position === null) return true;
  return isNear(namesake.position, written.position);
}

/** Whether the two are in different municipalities. */
function isElsewhere({ town: left }: TownAndPosition, { town: right }: TownAndPosition): boolean {
  return left !== '' && right !== '' && left !== right;
}

/** What the id of a new place is made of besides its name and address. `text`: the id of these alone. */
function ownTexts(
  { town, position }: TownAndPosition,
  namesakes: readonly Namesake[],
  text: string,
): readonly string[] {
  const first = namesakes.find(({ id }) => id === text);
  if (first === undefined) return [];
  const written = { town, position };
  const ownTown = isElsewhere(first, written) ? [town] : [];
  const hasOthersInTown = namesakes.some((namesake) => !isElsewhere(namesake, written));
  return hasOthersInTown && position !== null ? [...ownTown, roundedText(position)] : ownTown;
}

/** To a thousandth of a degree: 111 metres from north to south. */
function roundedText({ latitude, longitude }: Position): string {
  return [latitude, longitude].map((degrees) => degrees.toFixed(3)).join(' ');
}

/** The places of a feed's last good records, for `lastPlaces`. Records of any version have what tells them apart. */
export async function placesIn(
  feed: string,
  { records, gonePlaces }: Pick<LastGood, 'records' | 'gonePlaces'>,
): Promise<readonly FeedPlace[]> {
  const places = new Map<string, FeedPlace>();
  for await (const { value, describes } of records('venues')) {
    const { name, address, municipality } = value;
    if (typeof name !== 'string' || hasNumber(address)) continue;
    const text = textId(feed, [name, typeof address === 'string' ? address : '']);
    const id = describes ?? String(value.id);
    const known = places.get(id);
    const town = known?.town || townKey(municipality);
    const position = known?.position ?? positionOf(value);
    places.set(id, { list: 'places', text, id, town, position, gone: null });
  }
  const gone: FeedPlace[] = [];
  for await (const place of gonePlaces()) gone.push(place);
  return [...places.values(), ...gone];
}

/** A municipality, folded: `Åfjord kommune` and `Åfjord` are one. Empty for a value that is no text. */
export function townKey(municipality: unknown): string {
  return typeof municipality === 'string' ? nameKey(municipality).replace(/ kommune$/, '') : '';
}

/** An address with a number is of one place. */
function hasNumber(address: unknown): boolean {
  return typeof address === 'string' && /\d/.test(address);
}
