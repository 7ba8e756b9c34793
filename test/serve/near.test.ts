/** B13, B9: who is near, and who is inside: by brute force on the sphere, over poles and the antimeridian, and over HTTP. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { blank, VENUE } from '../../src/calendar/fields.ts';
import type { Location, Venue } from '../../src/calendar/model.ts';
import { venuesInside, venuesNear } from '../../src/serve/query/positions.ts';
import { isInArea, isNear, kilometres } from '../oracle/conditions.ts';
import type { Node } from '../oracle/nodes.ts';
import { type Random, randomFrom } from '../oracle/random.ts';
import { startSample } from './http/sample.ts';
import type { Stand } from './http/stand.ts';

const near = suite<{ stand: Stand }>('near');

near.before(async (context) => {
  context.stand = await startSample();
});
near.after(({ stand }) => stand.close());

const CASES = process.env.ALMANAKK_TEST_LONG === '1' ? 2_000 : 100;

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
    assert.equal(venuesInside(venues, { south, north, west, east }), inside, JSON.stringify(area));
  }
  assert.ok(found > CASES, `only ${found} are near anything`);
});

const data = async (stand: Stand, query: string) => JSON.parse((await stand.post(query)).text);

near('B9, B13: should take an area as allUpcomingEventsInArea does', async ({ stand }) => {
  const box = 'minLatitude: 63.4, maxLatitude: 63.45, minLongitude: 10, maxLongitude: 10.4';
  const { data: got } = await data(
    stand,
    `{ events(filter: { area: { ${box} } }, pageSize: 1000) { data { id } } allUpcomingEventsInArea(${box}) { id } }`,
  );
  assert.ok(got.events.data.length > 0);
  assert.equal(got.events.data, got.allUpcomingEventsInArea);
});

const REFUSED: Readonly<Record<string, readonly string[]>> = {
  'near: { latitude: 91, longitude: 10, km: 1 }': ['near'],
  'near: { latitude: 63, longitude: 181, km: 1 }': ['near'],
  'near: { latitude: 63, longitude: 10, km: 0 }': ['near'],
  'near: { latitude: 63, longitude: 10, km: 1000.1 }': ['near'],
  'area: { minLatitude: -91, maxLatitude: 1, minLongitude: 1, maxLongitude: 1 }, mode: "x"': ['mode', 'area'],
};

for (const [filter, names] of Object.entries(REFUSED)) {
  near(`B4, B13: should name ${names.join(' and ')} as what is no good: ${filter}`, async ({ stand }) => {
    const { data: none, errors } = await data(stand, `{ events(filter: { ${filter} }) { totalCount } }`);
    assert.is(none, null);
    assert.is(errors[0].extensions.code, 'BAD_USER_INPUT');
    assert.equal(errors[0].extensions.invalidArgs, names);
    assert.match(errors[0].extensions.reasons.join(), /from -90 to 90/);
  });
}

near('B1, B13: should take null for no condition, and whole numbers for degrees', async ({ stand }) => {
  const total = async (filter: string) =>
    (await data(stand, `{ events(filter: { ${filter} }) { totalCount } }`)).data.events.totalCount;
  assert.is(await total('near: null, area: null'), await total(''));
  assert.ok((await total('near: { latitude: 63, longitude: 10, km: 100 }')) > 0);
});

near.run();
