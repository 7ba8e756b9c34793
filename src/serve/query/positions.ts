/**
 * Venues by position (B9, B13). The snapshot has them from south to north, so that a question looks only at those of its latitudes.
 * Distances are measured on a sphere: where two points of the unit sphere are so far apart in a straight line, they are
 * 2 asin(half of that) apart on it, also over a pole or the antimeridian.
 */
import type { Location } from '../../calendar/model.ts';
import type { Columns } from '../../snapshot/columns.ts';
import type { Lists } from '../../snapshot/meta.ts';
import type { AreaPlan, NearPlan } from './plan.ts';

/** Ordinals of venues, each once. */
export interface Positions {
  /** Edges included. */
  readonly inside: (area: AreaPlan) => readonly number[];
  readonly near: (near: NearPlan) => readonly number[];
}

/** The mean radius of the Earth, in kilometres. */
const RADIUS_KM = 6_371.0088;
/** A micrometre: the edge is included however the distance is rounded, which is by some nanometres. */
const SLACK_KM = 1e-9;
const DEGREE = Math.PI / 180;
const SLACK_DEGREES = 1e-9;

export function createPositions(
  { northward }: Pick<Columns, 'northward'>,
  { venues }: Pick<Lists, 'venues'>,
): Positions {
  const locationAt = (place: number): Location => venues[northward[place] as number]?.location ?? NOWHERE;
  /** Of the unit sphere: x, y and z of each place. Made for the first question; 24 bytes a venue, 0.1 µs each. */
  let points: Float64Array | undefined;

  /** How many places lie before the first one that is not before. */
  function countBefore(isBefore: (latitude: number) => boolean): number {
    let low = 0;
    let high = northward.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (isBefore(locationAt(middle).latitude)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  function select(south: number, north: number, holds: (place: number) => boolean): readonly number[] {
    const found: number[] = [];
    const end = countBefore((latitude) => latitude <= north);
    for (let place = countBefore((latitude) => latitude < south); place < end; place++) {
      if (holds(place)) found.push(northward[place] as number);
    }
    return found;
  }

  return {
    inside: ({ south, north, west, east }) =>
      select(south, north, (place) => {
        const { longitude } = locationAt(place);
        return west <= east ? longitude >= west && longitude <= east : longitude >= west || longitude <= east;
      }),
    near: ({ km, ...centre }) => {
      points ??= pointsOf(Array.from(northward, (_, place) => locationAt(place)));
      const own = points;
      const [x = 0, y = 0, z = 0] = pointsOf([centre]);
      const angle = (km + SLACK_KM) / RADIUS_KM;
      const most = (2 * Math.sin(angle / 2)) ** 2;
      const reach = angle / DEGREE + SLACK_DEGREES;
      return select(centre.latitude - reach, centre.latitude + reach, (place) => {
        const dx = (own[3 * place] as number) - x;
        const dy = (own[3 * place + 1] as number) - y;
        const dz = (own[3 * place + 2] as number) - z;
        return dx * dx + dy * dy + dz * dz <= most;
      });
    },
  };
}

/** Of a stranger's file whose columns and lists do not agree: neither near nor inside of anything. */
const NOWHERE: Location = { latitude: Number.NaN, longitude: Number.NaN };

function pointsOf(locations: readonly Location[]): Float64Array {
  const points = new Float64Array(3 * locations.length);
  for (const [place, { latitude, longitude }] of locations.entries()) {
    const radius = Math.cos(latitude * DEGREE);
    points[3 * place] = radius * Math.cos(longitude * DEGREE);
    points[3 * place + 1] = radius * Math.sin(longitude * DEGREE);
    points[3 * place + 2] = Math.sin(latitude * DEGREE);
  }
  return points;
}
