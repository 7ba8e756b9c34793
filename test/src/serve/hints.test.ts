/** B14: hints at values of a filter that nothing in the calendar can match. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { hintsFor } from '../../../src/serve/query/hints.ts';
import { planEvents } from '../../../src/serve/query/plan.ts';
import { viewAt } from '../../../src/serve/query/view.ts';
import { closedAfterEach } from '../../helpers/closing.ts';
import { costsAtMost } from '../../helpers/cost.ts';
import { BUILT_AT, openSample, type Sample } from '../../helpers/sample.ts';
import { startSample } from './http/sample.ts';

const hints = suite<Sample>('hints');
const opened = closedAfterEach(hints);

hints.before(async (context) => {
  Object.assign(context, await openSample());
});
hints.after(async ({ snapshot }) => snapshot.close());

type Filter = Readonly<Record<string, unknown>>;

function hintsOn({ snapshot }: Sample, filter: Filter) {
  const view = viewAt(snapshot, BUILT_AT);
  return hintsFor(planEvents({ filter }).conditions, view);
}

const trondheim = { latitude: 63.43, longitude: 10.4, km: 5 };

const SWAPPED = { minLatitude: 10, maxLatitude: 11, minLongitude: 63, maxLongitude: 64 };
const near = (change: object) => ({ near: { ...trondheim, ...change } });

interface NamedCase {
  readonly filter: Filter;
  readonly value: unknown;
  readonly message: RegExp;
}

/** Filters, the value that a hint names (other values than texts as JSON), and its message. */
const NAMED: readonly NamedCase[] = [
  {
    filter: { categories: ['MUSIC', 'Musikk'] },
    value: 'Musikk',
    message: /^No category has this id\. The nearest is "MUSIC" \(Konsert og musikk\)\.$/,
  },
  {
    filter: { notCategories: ['MUSICC'] },
    value: 'MUSICC',
    message: /The nearest is "MUSIC"/,
  },
  {
    filter: { municipality: 'Trondhjem' },
    value: 'Trondhjem',
    message: /municipality of this name or number\. The nearest is "Trondheim"\.$/,
  },
  {
    filter: { municipalities: ['Trondheim', '9999'] },
    value: '9999',
    message: /and none is similar\. The query `events { municipalities }` lists/,
  },
  {
    filter: { postalCodes: ['7010', '0000'] },
    value: '0000',
    message: /^No venue has this postal code/,
  },
  {
    filter: { tag: 'no such tag' },
    value: 'no such tag',
    message: /^No event has this tag/,
  },
  {
    filter: { untilDate: '2026-07-01', fromDate: '2026-07-01' },
    value: '2026-07-01 00:00:00+02:00',
    message: /not after fromDate/,
  },
  {
    filter: near({ latitude: 10.4, longitude: 63.43 }),
    value: { latitude: 10.4, longitude: 63.43, km: 5 },
    message: /swapped/,
  },
  {
    filter: near({ latitude: 40 }),
    value: { ...trondheim, latitude: 40 },
    message: /more than 500 km from all venues/,
  },
  { filter: { area: SWAPPED }, value: SWAPPED, message: /swapped/ },
];

for (const { filter, value, message } of NAMED) {
  hints(`B14: should hint at the unknown values of ${JSON.stringify(filter)}`, (context) => {
    const [found, ...more] = hintsOn(context, filter);
    const written = typeof value === 'string' ? value : JSON.stringify(value);
    assert.equal(found?.argument, Object.keys(filter)[0]);
    assert.equal(found?.value, written);
    assert.equal(more, []);
    assert.match(found?.message ?? '', message);
  });
}

for (const filter of [
  {},
  { categories: ['MUSIC', null], municipality: 'trondheim', tag: '' },
  { venueSlug: '' },
  { fromDate: '2026-07-01', untilDate: '2026-07-02' },
  near({}),
  near({ latitude: 60 }),
  { area: { minLatitude: -90, maxLatitude: 90, minLongitude: 170, maxLongitude: -170 } },
]) {
  hints(`B14: should give no hint for ${JSON.stringify(filter)}`, (context) => {
    assert.equal(hintsOn(context, filter), []);
  });
}

hints('B14: should name five values at most, and cut long ones', (context) => {
  const found = hintsOn(context, {
    venues: Array.from({ length: 2_000 }, (_, at) => `${at}${'x'.repeat(500)}`),
  });
  assert.is(found.length, 5);
  assert.is(found[0]?.value.length, 101);
});

hints('B14: should work out no more hints than are shown', ({ snapshot }) => {
  const view = viewAt(snapshot, BUILT_AT);
  let looked = 0;
  const counting = new Proxy(view.directory, {
    get: (target, name, receiver) => {
      if (name === 'venueBySlug') looked++;
      return Reflect.get(target, name, receiver);
    },
  });
  const { conditions } = planEvents({ filter: { venues: ['a1', 'b2', 'c3', 'd4'] } });
  // Once, the names for the nearest one are prepared.
  hintsFor(conditions, { ...view, directory: counting }, { most: 1 });
  for (const most of [4, 2, 0]) {
    looked = 0;
    const found = hintsFor(conditions, { ...view, directory: counting }, { most });
    assert.is(found.length, most, `hints, at most ${most}`);
    assert.is(looked, most, `look-ups for at most ${most} hints`);
  }
});

hints('B14: should compare a value with the names that there are at a bounded cost', async (context) => {
  await costsAtMost(8, () =>
    hintsOn(context, { venues: Array.from({ length: 2_000 }, (_, at) => `trondhjem ${at}`) }),
  );
});

hints('B14, D4: should stand in the extensions beside the notice, and change nothing else', async () => {
  const stand = opened(await startSample());
  const ask = async (category: string) => {
    const events = `events(filter: { categories: ["${category}"] }) { totalCount }`;
    return JSON.parse((await stand.post(`{ a: ${events} b: ${events} }`)).text);
  };
  const { data, extensions } = await ask('Musikk');
  assert.equal(data, { a: { totalCount: 0 }, b: { totalCount: 0 } });
  assert.equal(Object.keys(extensions), ['hints', 'notice']);
  const [{ argument, value }, ...more] = extensions.hints;
  assert.is(argument, 'categories');
  assert.is(value, 'Musikk');
  assert.equal(more, []);
  assert.equal(Object.keys((await ask('MUSIC')).extensions), ['notice']);
});

hints.run();
