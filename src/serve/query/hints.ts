/**
 * B14, hints: values of a filter that no record of this calendar can match, with the nearest that some can. Only unknown values cost more
 * than a look-up, and few of them are compared with the names that there are.
 */
import type { Location } from '../../calendar/model.ts';
import { createNearest, fold } from '../../calendar/text.ts';
import { formatOslo } from '../../calendar/time.ts';
import type { Lists } from '../../snapshot/meta.ts';
import type { Directory } from './directory.ts';
import type { AreaPlan, Conditions } from './plan.ts';
import { kilometresBetween } from './positions.ts';

export interface Hint {
  /** Name of the filter's field. */
  readonly argument: string;
  readonly value: string;
  readonly message: string;
}

interface Known {
  readonly directory: Directory;
  readonly lists: Lists;
}

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
  for (const [argument, kind] of NAMED) {
    const given = conditions[argument] ?? [];
    for (const value of typeof given === 'string' ? [given] : given) {
      if (!kind.isKnown(value, known.directory)) yield unknownValue(argument, value, { ...kind, known });
    }
  }
  const { fromDate, untilDate, near, area } = conditions;
  if (fromDate !== undefined && untilDate !== undefined && untilDate <= fromDate) {
    const message = `untilDate is not after fromDate, ${formatOslo(fromDate)}: no event is between them.`;
    yield { argument: 'untilDate', value: formatOslo(untilDate), message };
  }
  if (near !== undefined) {
    const { latitude, longitude, km } = near;
    const place = { south: latitude, north: latitude, west: longitude, east: longitude };
    yield* farAway({ argument: 'near', value: JSON.stringify(near), place, reach: km }, known.lists);
  }
  if (area !== undefined) {
    const { south, north, west, east } = area;
    const value = { minLatitude: south, maxLatitude: north, minLongitude: west, maxLongitude: east };
    yield* farAway({ argument: 'area', value: JSON.stringify(value), place: area, reach: 0 }, known.lists);
  }
}

/** A kind of value that names something of the calendar. */
interface Kind {
  readonly isKnown: (value: string, directory: Directory) => boolean;
  /** Each value with its names; the first of these is shown. */
  readonly all: (known: Known) => readonly (readonly [value: string, ...names: string[]])[];
  readonly what: string;
  /** Where the values that there are can be read. */
  readonly query: string;
}

const CATEGORY: Kind = {
  isKnown: (id, { categoryById }) => categoryById.has(id),
  all: ({ lists }) =>
    lists.categories.map(({ id, name_nb, name_en, slug_nb, slug_en }) => [
      id,
      ...[name_nb, name_en, slug_nb, slug_en],
    ]),
  what: 'category has this id',
  query: 'categories',
};
const VENUE: Kind = {
  isKnown: (slug, { venueBySlug }) => venueBySlug.has(slug),
  all: ({ lists }) => lists.venues.map(({ slug, name, id }) => [slug, name, id]),
  what: 'venue has this slug',
  query: 'venues',
};
const ORGANIZER: Kind = {
  isKnown: (slug, { organizerBySlug }) => organizerBySlug.has(slug),
  all: ({ lists }) => lists.organizers.map(({ slug, name, id }) => [slug, name, id]),
  what: 'organizer has this slug',
  query: 'organizers',
};
const MUNICIPALITY: Kind = {
  isKnown: (name, { venuesByMunicipality }) => venuesByMunicipality.has(fold(name)),
  all: ({ directory }) => directory.municipalities.map(({ name }) => [name, name, ...name.split(' - ')]),
  what: 'venue is in a municipality of this name or number',
  query: 'events { municipalities }',
};

const NAMED = [
  ['categories', CATEGORY],
  ['notCategories', CATEGORY],
  ['venues', VENUE],
  ['venueSlug', VENUE],
  ['organizers', ORGANIZER],
  ['organizerSlug', ORGANIZER],
  ['municipality', MUNICIPALITY],
  ['municipalities', MUNICIPALITY],
  [
    'postalCodes',
    {
      isKnown: (code, { venuesByPostalCode }) => venuesByPostalCode.has(code),
      all: ({ directory }) =>
        Array.from(directory.venuesByPostalCode.keys(), (code) => [code, code] as const),
      what: 'venue has this postal code',
      query: 'venues',
    },
  ],
  [
    'tag',
    {
      isKnown: (tag, { tagByFold }) => tagByFold.has(fold(tag)),
      all: ({ lists }) => lists.spellings.map((tag) => [tag, tag] as const),
      what: 'event has this tag',
      query: 'events { tags }',
    },
  ],
] as const satisfies readonly (readonly [keyof Conditions, Kind])[];

/** Characters of a value that a hint shows. */
const LONGEST_VALUE = 100;

function unknownValue(argument: string, value: string, kind: Kind & { readonly known: Known }): Hint {
  const near = nearestOf(kind)(value);
  const what = `No ${kind.what}`;
  const shown = value.length > LONGEST_VALUE ? `${value.slice(0, LONGEST_VALUE)}…` : value;
  if (near === null) {
    const message = `${what}, nor one like it. The query \`${kind.query}\` has those that there are.`;
    return { argument, value: shown, message };
  }
  const [found, name = found] = near;
  const named = name === found ? '' : ` (${name})`;
  return { argument, value: shown, message: `${what}. The nearest is ${JSON.stringify(found)}${named}.` };
}

type Named = ReturnType<Kind['all']>[number];
type Nearest = ReturnType<typeof createNearest<Named>>;

/** For a snapshot's lists, by what they are: names are folded for the first use. */
const finders = new WeakMap<Lists, Map<string, Nearest>>();

function nearestOf({ known, all, what }: Kind & { readonly known: Known }): Nearest {
  const kinds = finders.get(known.lists) ?? new Map<string, Nearest>();
  finders.set(known.lists, kinds);
  const found = kinds.get(what) ?? createNearest(all(known), (named) => named);
  kinds.set(what, found);
  return found;
}

/** A place that a filter asks for; a point is a box without extent. */
interface Wanted extends Pick<Hint, 'argument' | 'value'> {
  readonly place: AreaPlan;
  /** Kilometres around the place that are asked for, too. */
  readonly reach: number;
}

/** Kilometres from the smallest box around all venues. */
const FAR = 500;

function* farAway({ argument, value, place, reach }: Wanted, lists: Lists): Generator<Hint> {
  const box = boxOf(lists);
  if (box === null || distanceOf(place, box) - reach <= FAR) return;
  const { south, north, west, east } = place;
  const swapped = { south: west, north: east, west: south, east: north };
  const isSwapped = distanceOf(swapped, box) - reach <= FAR;
  const around = `latitudes ${box.south} to ${box.north}, longitudes ${box.west} to ${box.east}`;
  const message = `It is more than ${FAR} km from all venues, which are at ${around}.`;
  yield {
    argument,
    value,
    message: isSwapped ? `${message} Latitude and longitude seem to be swapped.` : message,
  };
}

const boxes = new WeakMap<Lists, AreaPlan | null>();

/** The smallest box around all venues; null if none has a position. */
function boxOf(lists: Lists): AreaPlan | null {
  const known = boxes.get(lists);
  if (known !== undefined) return known;
  let box: AreaPlan | null = null;
  for (const { location } of lists.venues) if (location !== null) box = extended(box, location);
  boxes.set(lists, box);
  return box;
}

function extended(box: AreaPlan | null, { latitude, longitude }: Location): AreaPlan {
  if (box === null) return { south: latitude, north: latitude, west: longitude, east: longitude };
  return {
    south: Math.min(box.south, latitude),
    north: Math.max(box.north, latitude),
    west: Math.min(box.west, longitude),
    east: Math.max(box.east, longitude),
  };
}

/** Kilometres between two boxes, by their edges; a box over the antimeridian is at no distance in longitude. */
function distanceOf(one: AreaPlan, other: AreaPlan): number {
  const [latitude, otherLatitude] = nearest([one.south, one.north], [other.south, other.north]);
  const [longitude, otherLongitude] =
    one.west > one.east ? [0, 0] : nearest([one.west, one.east], [other.west, other.east]);
  return kilometresBetween({ latitude, longitude }, { latitude: otherLatitude, longitude: otherLongitude });
}

type Range = readonly [low: number, high: number];

/** The points of two ranges that are nearest to each other. */
function nearest([low, high]: Range, [from, to]: Range): readonly [number, number] {
  if (high < from) return [high, from];
  if (low > to) return [low, to];
  const shared = Math.max(low, from);
  return [shared, shared];
}
