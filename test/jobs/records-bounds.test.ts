/** Whatever a record holds, working on it takes time that grows with its length. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { validatedEvents } from '../helpers/native-source.ts';
import { date, event, materialised, repeat } from '../helpers/records.ts';
import { costsAtMost, MORE_THAN_ARGUMENTS } from '../helpers/usage.ts';

const test = suite('bounds of records');

const EVENT = { id: 'e', title_nb: 'Konsert', dates: [{ start: '2026-12-01 19:30' }] };
const ids = (count: number) => Array.from({ length: count }, (_, at) => `i${at}`);

for (const field of ['organizers', 'categories']) {
  test(`should look through 100,000 ${field} of one event once`, async () => {
    await costsAtMost(500, () => validatedEvents([{ ...EVENT, [field]: ids(100_000) }]));
  });
}

test('G2: should drop more invalid values of one event than a call takes arguments, and keep the event', async () => {
  const { events } = await validatedEvents([{ ...EVENT, tags: new Array(MORE_THAN_ARGUMENTS).fill(1) }]);
  assert.equal(
    events.map(({ id, tags }) => ({ id, tags })),
    [{ id: 'e', tags: [] }],
  );
});

test('should look through the dates of an event once for all of its repeats', async () => {
  const start = date('2026-12-01 19:30');
  const dates = Array.from({ length: 8_000 }, (_, at) => ({
    ...start,
    start: start.start + at,
    end: start.end + at,
  }));
  const series = Array.from({ length: 8_000 }, () => repeat('FREQ=DAILY;COUNT=1', '2026-11-01 12:00'));
  await costsAtMost(200, () => materialised([event('e', { dates, series })]));
});

test('F6: should number slugs that differ only after the same 70 letters', async () => {
  const long = 'x'.repeat(70);
  const titles = ids(5_000).map((id) => `${long}-${id.padStart(9, '0')}`);
  const twice = [...titles, ...titles].map((title_nb, at) => event(`e${at}`, { title_nb }));
  await costsAtMost(125, () => materialised(twice));
});

test.run();
