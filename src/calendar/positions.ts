/** Venues by position (B9; B13). Each call looks at all of them: thousands take a fraction of a millisecond. */
import { degrees, Invalid, type ValuesOf } from './arguments.ts';
import type { Location, Venue } from './model.ts';

/** The edges of a box in degrees: if `minLongitude` is greater than `maxLongitude`, it crosses the antimeridian (B9). */
export const EDGES = {
  minLatitude: degrees(90),
  maxLatitude: degrees(90),
  minLongitude: degrees(180),
  maxLongitude: degrees(180),
};

export type Box = Required<ValuesOf<typeof EDGES>>;

const MAX_KM = 1_000;

/** B13: a point, and how far from it. */
export const CIRCLE = {
  latitude: degrees(90),
  longitude: degrees(180),
  km: (km: unknown) =>
    typeof km === 'number' && km > 0 && km <= MAX_KM ? km : new Invalid(`more than 0, at most ${MAX_KM}`),
};

type Circle = Required<ValuesOf<typeof CIRCLE>>;

/** Ordinals of the venues in the box, edges included. */
export function venuesInside(venues: readonly Venue[], box: Box): readonly number[] {
  return venuesWhere(venues, (location) => isInside(location, box));
}

function isInside({ latitude, longitude }: Location, box: Box): boolean {
  const { minLatitude: south, maxLatitude: north, minLongitude: west, maxLongitude: east } = box;
  if (latitude < south || latitude > north) return false;
  const crossesAntimeridian = west > east;
  if (crossesAntimeridian) return longitude >= west || longitude <= east;
  return longitude >= west && longitude <= east;
}

/** Ordinals of the venues at this distance at most. */
export function venuesNear(venues: readonly Venue[], { km, ...centre }: Circle): readonly number[] {
  return venuesWhere(venues, (location) => kilometresBetween(centre, location) <= km + SLACK_KM);
}

/** One micrometre: rounding, of some nanometres, must not exclude the edge. */
const SLACK_KM = 1e-9;

function venuesWhere(venues: readonly Venue[], holds: (location: Location) => boolean): readonly number[] {
  return venues.flatMap(({ location }, ordinal) => (location !== null && holds(location) ? ordinal : []));
}

/** B13: the mean radius of the Earth, in kilometres. */
const RADIUS_KM = 6_371.0088;
const DEGREE = Math.PI / 180;

/** On a sphere, also over a pole or the antimeridian. */
export function kilometresBetween(one: Location, other: Location): number {
  const half = (angle: number) => Math.sin((angle * DEGREE) / 2) ** 2;
  const chord =
    half(one.latitude - other.latitude) +
    Math.cos(one.latitude * DEGREE) *
      Math.cos(other.latitude * DEGREE) *
      half(one.longitude - other.longitude);
  return 2 * RADIUS_KM * Math.asin(Math.min(1, Math.sqrt(chord)));
}
