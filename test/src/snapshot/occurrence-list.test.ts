/** The view of a snapshot that people ask in SQL. Built on 1 January 2026, noon UTC. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { built } from '../../helpers/build.ts';
import { NOW } from '../../helpers/calendar.ts';
import { temporaryFolder } from '../../helpers/folder.ts';
import { sourceFolder } from '../../helpers/native-source.ts';
import { startServer } from '../../helpers/running.ts';
import { snapshotRows } from '../../helpers/snapshot-rows.ts';
import { nodesOf, occurrencesIn } from '../annexes/feeds/asked.ts';

const SOURCE = {
  'venues.json': [{ id: 'hall', name: 'Hallen', municipality: 'Trondheim', accessibility: ['WHEELCHAIR'] }],
  'events.json': [
    {
      id: 'a',
      title_nb: 'Konsert',
      title_en: 'Concert',
      categories: ['ART', 'JAZZ'],
      venue: 'hall',
      ...{
        ticketsInformation: 'free',
        minimumAge: 18,
        maximumAge: 99,
        accessibility: ['SUBTITLES', 'WHEELCHAIR'],
      },
      dates: [
        { start: '2026-02-01 19:00', end: '2026-02-02 01:00', eventCancelled: true },
        { start: '2026-07-08 19:00' },
        { start: '2026-07-08 19:00', end: '2026-07-08 20:00', eventSoldOut: true },
      ],
    },
    {
      id: 'b',
      title_en: 'Days',
      dates: [{ start: '2026-02-02', end: '2026-02-03' }, { start: '2026-02-05' }],
    },
  ],
};

const test = suite<{ target: string }>('occurrence_list');

test.before(async (context) => {
  context.target = temporaryFolder();
  await built(sourceFolder(SOURCE), context.target);
});

const rows = (target: string, columns: string) =>
  snapshotRows(
    target,
    `select json_array(${columns}) as text from occurrence_list order by starts, occurrence_id`,
  ).then((texts) => texts.map((text) => JSON.parse(text)));

test('should say when in Norwegian time, of whole days the days, the last one included', async ({
  target,
}) => {
  assert.equal(await rows(target, 'title, starts, ends, all_day'), [
    ['Konsert', '2026-02-01 19:00', '2026-02-02 01:00', 0],
    ['Days', '2026-02-02', '2026-02-03', 1],
    ['Days', '2026-02-05', '2026-02-05', 1],
    ['Konsert', '2026-07-08 19:00', null, 0],
    ['Konsert', '2026-07-08 19:00', '2026-07-08 20:00', 0],
  ]);
});

test('should join place, categories in the licence’s order, ages and what is free', async ({ target }) => {
  const columns = 'venue, municipality, categories, minimum_age, maximum_age, accessibility';
  const flags = 'title_en, free, cancelled, sold_out';
  const joined = await rows(target, columns);
  assert.equal(joined[0], ['Hallen', 'Trondheim', 'Jazz, Kunst', 18, 99, 'SUBTITLES, WHEELCHAIR']);
  assert.equal([joined[4], joined[1]], [joined[0], [null, null, null, null, null, null]]);
  const [first, second, , , last] = await rows(target, flags);
  assert.equal(
    [first, second, last],
    [
      ['Concert', 1, 1, 0],
      ['Days', 0, 0, 0],
      ['Concert', 1, 0, 1],
    ],
  );
});

test('A16: should have each occurrence by the id that the interface has', async ({ target }) => {
  const server = await startServer({ snapshots: target, clock: () => NOW * 1_000 });
  const expected = occurrencesIn(await nodesOf(server.url)).map(({ id }) => id);
  await server.close();
  const found = (await rows(target, 'occurrence_id')).flat();
  assert.equal(found.toSorted(), expected.toSorted());
  assert.ok(found.includes('a@20260708T170000Z-2'));
});

test.run();
