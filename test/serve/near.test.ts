/** B13, B9: who is near, and who is inside: by brute force on the sphere, over poles and the antimeridian, and over HTTP. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { blank, VENUE } from '../../src/calendar/fields.ts';
import type { Location, Venue } from '../../src/calendar/model.ts';
import { venuesInside, venuesNear } from '../../src/serve/query/positions.ts';
import { seeded } from '../helpers/random-operations.ts';
import { isInArea, isNear, kilometres } from '../oracle/conditions.ts';
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
function randomPlace(random: (below: number) => number): Location {
  const share = () => random(1e9) / 1e9;
  const middle = [
    { latitude: 90, longitude: 0 },
    { latitude: -90, longitude: 0 },
    { latitude: 20, longitude: 180 },
    { latitude: 63.43, longitude: 10.4 },
  ][random(5)];
  if (middle === undefined) return { latitude: 180 * share() - 90, longitude: 360 * share() - 180 };
  const latitude = middle.latitude + (share() - 0.5) * 10;
  const longitude = middle.longitude === 0 ? 360 * share() : middle.longitude + (share() - 0.5) * 20;
  return {
    latitude: Math.min(90, Math.max(-90, latitude)),
    longitude: longitude > 180 ? longitude - 360 : longitude,
  };
}

const placesWhere = (
  locations: readonly (Location | null)[],
  holds: (location: Location) => boolean,
): readonly number[] =>
  locations.flatMap((location, place) => (location !== null && holds(location) ? place : []));

near('B13: should find who is near as brute force on the sphere does, edges included', () => {
  const random = seeded(7);
  let found = 0;
  for (let nth = 0; nth < CASES; nth++) {
    const locations = Array.from({ length: 60 }, () => (random(10) === 0 ? null : randomPlace(random)));
    const venues = venuesAt(locations);
    const centre = randomPlace(random);
    const reaches = placesWhere(locations, () => true)
      .map((place) => kilometres(centre, locations[place] ?? centre))
      .filter((km) => km > 0.001 && km <= 1_000);
    // A metre less and a metre more, and the very distance of each venue.
    for (const km of [0.5, 40, 1_000, ...reaches.flatMap((reach) => [reach - 0.001, reach, reach + 0.001])]) {
      const expected = placesWhere(locations, (location) => isNear({ ...centre, km }, location));
      assert.equal(venuesNear(venues, { ...centre, km }), expected, JSON.stringify({ nth, centre, km }));
      found += expected.length;
    }
  }
  assert.ok(found > CASES, `only ${found} are near anything`);
});

near('B9, B13: should find who is inside as the rule says it', () => {
  const random = seeded(8);
  for (let nth = 0; nth < CASES; nth++) {
    const locations = Array.from({ length: 60 }, () => (random(10) === 0 ? null : randomPlace(random)));
    const venues = venuesAt(locations);
    const corners = [randomPlace(random), randomPlace(random), ...locations.filter((one) => one !== null)];
    const edge = () => corners[random(corners.length)] ?? { latitude: 0, longitude: 0 };
    const [south, north, west, east] = [edge().latitude, edge().latitude, edge().longitude, edge().longitude];
    const area = { minLatitude: south, maxLatitude: north, minLongitude: west, maxLongitude: east };
    const node = (location: Location) => ({
      event: { record: { mode: 'offline' } },
      shown: { venue: { location } },
    });
    const isInside = (location: Location) =>
      isInArea(node(location) as unknown as Parameters<typeof isInArea>[0], area);
    const expected = placesWhere(locations, isInside);
    assert.equal(venuesInside(venues, { south, north, west, east }), expected, JSON.stringify(area));
  }
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
