/** B14: the hint for a place that is far from all venues of the calendar. */
import { oncePer } from '../../calendar/once-per.ts';
import { kilometresBetween } from '../../calendar/positions.ts';
import type { Lists } from '../lists.ts';
import type { Unmatched } from './filter.ts';

type Range = readonly [low: number, high: number];

/** Edges in degrees, as ranges. */
interface Bounds {
  readonly latitude: Range;
  readonly longitude: Range;
}

/** The area of a filter: a box, and the places around it that are not too far away. */
interface Area extends Bounds {
  /** The value of the filter. */
  readonly value: object;
  /** Kilometres around the box. */
  readonly reach: number;
}

/** Kilometres from the smallest box around all venues. */
const FAR_KM = 500;

/** At most one hint. It also says if the place would be near with its coordinates swapped. */
export function* farAway({ value, reach, ...bounds }: Area, lists: Lists): Generator<Unmatched> {
  const box = boundsOf(lists);
  if (box === null || distanceOf(bounds, box) - reach <= FAR_KM) return;
  const around = `latitudes ${box.latitude.join(' to ')}, longitudes ${box.longitude.join(' to ')}`;
  const swapped = { latitude: bounds.longitude, longitude: bounds.latitude };
  const isSwapped = distanceOf(swapped, box) - reach <= FAR_KM;
  const guess = isSwapped ? ' Latitude and longitude seem to be swapped.' : '';
  const message = `It is more than ${FAR_KM} km from all venues, which are at ${around}.${guess}`;
  yield { value: JSON.stringify(value), message };
}

/** The smallest box around all venues; null if none has a position. */
const boundsOf = oncePer(({ venues }: Lists): Bounds | null => {
  const locations = venues.flatMap(({ location }) => location ?? []);
  if (locations.length === 0) return null;
  return {
    latitude: rangeOf(locations.map(({ latitude }) => latitude)),
    longitude: rangeOf(locations.map(({ longitude }) => longitude)),
  };
});

function rangeOf(numbers: readonly number[]): Range {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const number of numbers) {
    low = Math.min(low, number);
    high = Math.max(high, number);
  }
  return [low, high];
}

/** Kilometres between two boxes, by their edges; a box over the antimeridian is at no distance in longitude. */
function distanceOf(one: Bounds, other: Bounds): number {
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
