/** B13, B9: who is near, and who is inside: by brute force on the sphere, over poles and the antimeridian. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { blank } from '../../../src/calendar/field.ts';
import { VENUE } from '../../../src/calendar/fields.ts';
import type { Location, Venue } from '../../../src/calendar/model.ts';
import { venuesInside, venuesNear } from '../../../src/calendar/positions.ts';
import { planEvents } from '../../../src/serve/query/plan.ts';
import { assertAbove } from '../../helpers/assertions.ts';
import { rejects } from '../../helpers/errors.ts';
import { IS_LONG } from '../../helpers/run-options.ts';
import { isInArea, isNear, kilometres } from '../../oracle/conditions.ts';
import type { Node } from '../../oracle/nodes.ts';
import { type Random, randomFrom } from '../../oracle/random.ts';

const near = suite('near');

const CASES = IS_LONG ? 2_000 : 100;

const venuesAt = (locations: readonly (Location | null)[]): readonly Venue[] =>
  locations.map((location, place) => ({
    ...blank(VENUE),
    id: `${place}`,
    name: '',
    slug: '',
    municipalityNumber: null,
    location,
  }));

/** Around a pole, the antimeridian, a Norwegian town, or anywhere. */
function randomPlace({ pick, next }: Random): Location {
  const [south, north, west, east] = pick([
    [85, 90, -180, 180],
    [-90, -85, -180, 180],
    [15, 25, 170, 190],
    [58, 68, 0, 20],
    [-90, 90, -180, 180],
  ] as const);
  const longitude = west + (east - west) * next();
  return {
    latitude: south + (north - south) * next(),
    longitude: longitude > 180 ? longitude - 360 : longitude,
  };
}

near('B9, B13: should find who is near or inside as brute force does, over poles, edges included', () => {
  const random = randomFrom(7);
  let found = 0;
  for (let nth = 0; nth < CASES; nth++) {
    const locations = Array.from({ length: 60 }, () => (random.chance(0.1) ? null : randomPlace(random)));
    const venues = venuesAt(locations);
    const placesWhere = (holds: (location: Location) => boolean): readonly number[] =>
      locations.flatMap((location, place) => (location !== null && holds(location) ? place : []));
    const centre = randomPlace(random);
    const reaches = locations
      .map((location) => kilometres(centre, location ?? centre))
      .filter((km) => km > 0.001 && km <= 1_000);
    // A metre less and a metre more, and the very distance of each venue.
    for (const km of [0.5, 40, 1_000, ...reaches.flatMap((reach) => [reach - 0.001, reach, reach + 0.001])]) {
      const expected = placesWhere((location) => isNear({ ...centre, km }, location));
      assert.equal(venuesNear(venues, { ...centre, km }), expected, JSON.stringify({ nth, centre, km }));
      found += expected.length;
    }
    const corner = () => random.pick(locations) ?? centre;
    const [south, north, west, east] = [
      corner().latitude,
      corner().latitude,
      corner().longitude,
      corner().longitude,
    ];
    const area = { minLatitude: south, maxLatitude: north, minLongitude: west, maxLongitude: east };
    const node = (location: Location) => ({ event: { record: {} }, shown: { venue: { location } } }) as Node;
    const inside = placesWhere((location) => isInArea(node(location), area));
    assert.equal(venuesInside(venues, area), inside, JSON.stringify(area));
  }
  assertAbove(found, CASES, 'events that are near anything');
});

near(
  'B4, B13: should refuse numbers that are no place and no distance, and accept the last ones that are',
  async () => {
    const plan = async (change: Partial<Location> & { readonly km?: number }) =>
      planEvents({ filter: { near: { latitude: 63, longitude: 10, km: 1, ...change } } });
    for (const change of [{ latitude: 90.1 }, { longitude: 180.1 }, { km: 0 }, { km: 1000.1 }]) {
      const { invalidArgs } = await rejects(plan(change), 'BAD_USER_INPUT');
      assert.equal(invalidArgs, ['near'], JSON.stringify(change));
    }
    for (const change of [{ latitude: -90 }, { longitude: -180 }, { km: 0.1 }, { km: 1_000 }]) {
      const { conditions } = await plan(change);
      assert.equal(conditions.near, { latitude: 63, longitude: 10, km: 1, ...change });
    }
  },
);

near.run();
