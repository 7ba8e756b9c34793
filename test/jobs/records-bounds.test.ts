/** Whatever a record holds, working on it takes time that grows with its length. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { validatedEvents } from '../helpers/native-source.ts';
import { date, event, materialised, repeat } from '../helpers/records.ts';

const test = suite('bounds of records');

const EVENT = { id: 'e', title_nb: 'Konsert', dates: [{ start: '2026-12-01 19:30' }] };
const ids = (count: number) => Array.from({ length: count }, (_, at) => `i${at}`);

/** CPU milliseconds. */
async function cpuOf(work: () => Promise<unknown>): Promise<number> {
  const begun = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(begun);
  return (user + system) / 1_000;
}

for (const field of ['organizers', 'categories']) {
  test(`should look through 100,000 ${field} of one event once`, async () => {
    const ms = await cpuOf(() => validatedEvents([{ ...EVENT, [field]: ids(100_000) }]));
    assert.ok(ms < 5_000, `${ms} ms`);
  });
}

test('should look through the dates of an event once for all of its repeats', async () => {
  const start = date('2026-12-01 19:30');
  const dates = Array.from({ length: 20_000 }, (_, at) => ({
    ...start,
    start: start.start + at,
    end: start.end + at,
  }));
  const repeats = Array.from({ length: 20_000 }, () => repeat('FREQ=DAILY;COUNT=1', '2026-11-01 12:00'));
  const ms = await cpuOf(() => materialised([event('e', { dates, repeats })]));
  assert.ok(ms < 5_000, `${ms} ms`);
});

test('should number slugs that differ only at their ends, behind the same 70 letters', async () => {
  const long = 'x'.repeat(70);
  const titles = ids(20_000).map((id) => `${long}-${id.padStart(9, '0')}`);
  const twice = [...titles, ...titles].map((title_nb, at) => event(`e${at}`, { title_nb }));
  const ms = await cpuOf(() => materialised(twice));
  assert.ok(ms < 10_000, `${ms} ms`);
});

test.run();
