/**
 * B14, hints: values of a filter that no record of this calendar can match, with the nearest that some can. Only unknown values cost more
 * than a look-up, and few of them are compared with the names that there are.
 */
import { createNearest, fold } from '../../calendar/text.ts';
import { formatOslo } from '../../calendar/time.ts';
import type { Lists } from '../../snapshot/meta.ts';
import type { Directory } from './directory.ts';
import type { Conditions } from './plan.ts';
import { kilometresBetween } from './positions.ts';
import type { View } from './view.ts';

export interface Hint {
  /** Name of the filter's field. */
  readonly argument: string;
  readonly value: string;
  readonly message: string;
}

type Known = Pick<View, 'directory' | 'lists'>;

/** Hints of one answer. */
export const MOST_HINTS = 5;

/** `most`: how many at most. */
export function hintsFor(conditions: Conditions, known: Known, most = MOST_HINTS): readonly Hint[] {
  const hints: Hint[] = [];
  for (const hint of hintsOn(conditions, known)) {
    if (hints.length >= most) break;
    hints.push(hint);
  }
  return hints;
}

function* hintsOn(conditions: Conditions, known: Known): Generator<Hint> {
  for (const kind of KINDS) {
    for (const argument of kind.arguments) {
      for (const value of [conditions[argument] ?? []].flat()) {
        if (!kind.isKnown(value, known.directory))
          yield { argument, value: shortened(value), message: messageFor(value, kind, known) };
      }
    }
  }
  const { fromDate, untilDate, near, area } = conditions;
  if (fromDate !== undefined && untilDate !== undefined && untilDate <= fromDate) {
    const message = `untilDate is not after fromDate, ${formatOslo(fromDate)}: no event is between them.`;
    yield { argument: 'untilDate', value: formatOslo(untilDate), message };
  }
  if (near !== undefined) {
    const { latitude, longitude, km } = near;
    const box = { latitude: [latitude, latitude], longitude: [longitude, longitude] } as const;
    yield* farAway({ argument: 'near', value: near, reach: km, ...box }, known.lists);
  }
  if (area !== undefined) {
    const { minLatitude, maxLatitude, minLongitude, maxLongitude } = area;
    const box = { latitude: [minLatitude, maxLatitude], longitude: [minLongitude, maxLongitude] } as const;
    yield* farAway({ argument: 'area', value: area, reach: 0, ...box }, known.lists);
  }
}

/** Fields of the filter that are texts, or lists of them. */
type Texts = {
  [Name in keyof Conditions]-?: Conditions[Name] extends string | readonly string[] | undefined
    ? Name
    : never;
}[keyof Conditions];

/** Each value with its names; the first of these is shown. */
type Named = readonly [value: string, ...names: string[]];

/** A kind of value that names something of the calendar. */
interface Kind {
  readonly arguments: readonly Texts[];
  readonly isKnown: (value: string, directory: Directory) => boolean;
  readonly all: (known: Known) => readonly Named[];
  readonly what: string;
  /** Where the values that there are can be read. */
  readonly query: string;
}

const KINDS: readonly Kind[] = [
  {
    arguments: ['categories', 'notCategories'],
    isKnown: (id, { categoryById }) => categoryById.has(id),
    all: ({ lists }) =>
      lists.categories.map((one) => [one.id, one.name_nb, one.name_en, one.slug_nb, one.slug_en]),
    what: 'category has this id',
    query: 'categories',
  },
  {
    arguments: ['venues', 'venueSlug'],
    isKnown: (slug, { venueBySlug }) => venueBySlug.has(slug),
    all: ({ lists }) => lists.venues.map(({ slug, name, id }) => [slug, name, id]),
    what: 'venue has this slug',
    query: 'venues',
  },
  {
    arguments: ['organizers', 'organizerSlug'],
    isKnown: (slug, { organizerBySlug }) => organizerBySlug.has(slug),
    all: ({ lists }) => lists.organizers.map(({ slug, name, id }) => [slug, name, id]),
    what: 'organizer has this slug',
    query: 'organizers',
  },
  {
    arguments: ['municipality', 'municipalities'],
    isKnown: (name, { venuesByMunicipality }) => venuesByMunicipality.has(fold(name)),
    all: ({ directory }) => directory.municipalities.map(({ name }) => [name, name, ...name.split(' - ')]),
    what: 'venue is in a municipality of this name or number',
    query: 'events { municipalities }',
  },
  {
    arguments: ['postalCodes'],
    isKnown: (code, { venuesByPostalCode }) => venuesByPostalCode.has(code),
    all: ({ directory }) => Array.from(directory.venuesByPostalCode.keys(), (code) => [code]),
    what: 'venue has this postal code',
    query: 'venues',
  },
  {
    arguments: ['tag'],
    isKnown: (tag, { tagByFold }) => tagByFold.has(fold(tag)),
    all: ({ lists }) => lists.spellings.map((tag) => [tag]),
    what: 'event has this tag',
    query: 'events { tags }',
  },
];

/** Characters of a value that a hint shows. */
const LONGEST_VALUE = 100;

const shortened = (value: string) =>
  value.length > LONGEST_VALUE ? `${value.slice(0, LONGEST_VALUE)}…` : value;

function messageFor(value: string, kind: Kind, known: Known): string {
  const what = `No ${kind.what}`;
  const [found, name = found] = nearestOf(kind, known)(value) ?? [];
  if (found === undefined)
    return `${what}, nor one like it. The query \`${kind.query}\` has those that there are.`;
  const named = name === found ? '' : ` (${name})`;
  return `${what}. The nearest is ${JSON.stringify(found)}${named}.`;
}

type Nearest = ReturnType<typeof createNearest<Named>>;

/** For a snapshot's lists, by kind: names are folded for the first use. */
const finders = new WeakMap<Lists, Map<Kind, Nearest>>();

function nearestOf(kind: Kind, known: Known): Nearest {
  const kinds = finders.get(known.lists) ?? new Map<Kind, Nearest>();
  finders.set(known.lists, kinds);
  const found = kinds.get(kind) ?? createNearest(kind.all(known), (named) => named);
  kinds.set(kind, found);
  return found;
}

type Range = readonly [low: number, high: number];

interface Box {
  readonly latitude: Range;
  readonly longitude: Range;
}

/** A place that a filter asks for. */
interface Wanted extends Box {
  readonly argument: string;
  readonly value: object;
  /** Kilometres around the box that are asked for, too. */
  readonly reach: number;
}

/** Kilometres from the smallest box around all venues. */
const FAR = 500;

function* farAway({ argument, value, reach, ...place }: Wanted, lists: Lists): Generator<Hint> {
  const box = boxOf(lists);
  if (box === null || distanceOf(place, box) - reach <= FAR) return;
  const around = `latitudes ${box.latitude.join(' to ')}, longitudes ${box.longitude.join(' to ')}`;
  const swapped = { latitude: place.longitude, longitude: place.latitude };
  const isSwapped = distanceOf(swapped, box) - reach <= FAR;
  const guess = isSwapped ? ' Latitude and longitude seem to be swapped.' : '';
  const message = `It is more than ${FAR} km from all venues, which are at ${around}.${guess}`;
  yield { argument, value: JSON.stringify(value), message };
}

const boxes = new WeakMap<Lists, Box | null>();

/** The smallest box around all venues; null if none has a position. */
function boxOf(lists: Lists): Box | null {
  const known = boxes.get(lists);
  if (known !== undefined) return known;
  const places = lists.venues.flatMap(({ location }) => location ?? []);
  const latitude = rangeOf(places.map((place) => place.latitude));
  const longitude = rangeOf(places.map((place) => place.longitude));
  const box = places.length === 0 ? null : { latitude, longitude };
  boxes.set(lists, box);
  return box;
}

function rangeOf(numbers: readonly number[]): Range {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const number of numbers) [low, high] = [Math.min(low, number), Math.max(high, number)];
  return [low, high];
}

/** Kilometres between two boxes, by their edges; a box over the antimeridian is at no distance in longitude. */
function distanceOf(one: Box, other: Box): number {
  const [latitude, otherLatitude] = nearest(one.latitude, other.latitude);
  const [west, east] = one.longitude;
  const [longitude, otherLongitude] = west > east ? [0, 0] : nearest(one.longitude, other.longitude);
  return kilometresBetween({ latitude, longitude }, { latitude: otherLatitude, longitude: otherLongitude });
}

/** The points of two ranges that are nearest to each other. */
function nearest([low, high]: Range, [from, to]: Range): readonly [number, number] {
  const point = Math.min(high, Math.max(low, from));
  return [point, Math.min(to, Math.max(from, point))];
}
