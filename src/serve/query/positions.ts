/**
 * Venues by position (B9, B13): ordinals, each at most once. The snapshot lists them from south to north, so that a query examines only
 * those of its latitudes. Distances are measured on a sphere: two points of the unit sphere with a chord c between them are 2 asin(c / 2)
 * apart, also over a pole or the antimeridian.
 */
import type { Location } from '../../calendar/model.ts';
import { countWhile } from '../../snapshot/bitmaps.ts';
import type { Columns } from '../../snapshot/columns.ts';
import type { Lists } from '../../snapshot/meta.ts';
import type { AreaPlan, NearPlan } from './plan.ts';

export interface Positions {
  /** Edges included. */
  readonly inside: (area: AreaPlan) => readonly number[];
  readonly near: (near: NearPlan) => readonly number[];
}

/** The mean radius of the Earth, in kilometres. */
const RADIUS_KM = 6_371.0088;
/** One micrometre: rounding, of some nanometres, must not exclude the edge. */
const SLACK_KM = 1e-9;
const DEGREE = Math.PI / 180;
const SLACK_DEGREES = 1e-9;

export function createPositions(
  { northward }: Pick<Columns, 'northward'>,
  { venues }: Pick<Lists, 'venues'>,
): Positions {
  const locationAt = (place: number): Location => venues[northward[place] as number]?.location ?? NOWHERE;
  /** x, y and z of each place on the unit sphere. Computed for the first query; 24 bytes a venue, 0.1 µs each. */
  let points: Float64Array | undefined;

  const countBefore = (isBefore: (latitude: number) => boolean) =>
    countWhile(northward.length, (place) => isBefore(locationAt(place).latitude));

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

/** For an invalid file whose columns and lists disagree: such a venue is never near, nor inside of a box. */
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
