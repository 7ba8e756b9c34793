/** The root field `calendar`, beside other answers of the same request. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { hasAnnex } from '../../helpers/annex.ts';
import type { Got } from '../../helpers/client.ts';
import { sourceFolder } from '../../helpers/native-source.ts';
import { type Running, startBuilt } from '../../helpers/running.ts';
import { when } from '../../helpers/when.ts';

const NOON = Date.parse('2026-11-20T11:00:00Z');

const EVENTS = [
  { id: 'a', title_nb: 'A', dates: [{ start: '2026-11-20 12:30', end: '2026-11-20 14:00' }] },
  { id: 'b', title_nb: 'B', publishingDate: '2026-11-20 13:00:30', dates: [{ start: '2026-12-01' }] },
];

const test = suite<{ running: Running; now: number }>('calendar');

test.before(async (context) => {
  context.now = NOON;
  const source = sourceFolder({ 'events.json': EVENTS });
  context.running = await startBuilt(source, NOON / 1000, {
    clock: () => context.now,
    context: { settings: { serveSnapshots: true } },
  });
});
test.after(({ running }) => running.close());

const parsed = async (got: Promise<Got>) => JSON.parse((await got).text);

const withSnapshots = when(hasAnnex('snapshots'), 'without snapshots to fetch', test);

withSnapshots('E3: should name the snapshot of the answer as the manifest does', async ({ running }) => {
  const { data } = await parsed(running.get('{ calendar { snapshot { id } } events { totalCount } }'));
  const manifest = await parsed(running.send('/snapshots/manifest.json'));
  assert.equal(data.calendar.snapshot.id, manifest.id);
  assert.is(data.events.totalCount, 1);
});

/** Answers at times of Friday 20 November: `nextChange` is when events or the filter change it, and `seconds` its freshness lifetime. */
const ANSWERS = [
  {
    filter: null,
    time: '12:59:30',
    totalCount: 1,
    nextChange: '2026-11-20 13:00:30+01:00',
    seconds: 60,
  },
  {
    filter: null,
    time: '13:00:29',
    totalCount: 1,
    nextChange: '2026-11-20 13:00:30+01:00',
    seconds: 1,
  },
  {
    filter: null,
    time: '13:00:30',
    totalCount: 2,
    nextChange: '2026-11-20 14:00:00+01:00',
    seconds: 60,
  },
  // No event changes before the first of December is over.
  {
    filter: null,
    time: '14:00:00',
    totalCount: 1,
    nextChange: '2026-12-02 00:00:00+01:00',
    seconds: 60,
  },
  {
    filter: 'period: TODAY',
    time: '23:59:30',
    totalCount: 0,
    nextChange: '2026-11-21 00:00:00+01:00',
    seconds: 30,
  },
  {
    filter: 'period: TOMORROW',
    time: '23:59:59',
    totalCount: 0,
    nextChange: '2026-11-21 00:00:00+01:00',
    seconds: 1,
  },
  {
    filter: 'period: WEEKEND',
    time: '13:59:59',
    totalCount: 0,
    nextChange: '2026-11-20 14:00:00+01:00',
    seconds: 1,
  },
  {
    filter: 'period: WEEK',
    time: '13:59:30',
    totalCount: 1,
    nextChange: '2026-11-20 14:00:00+01:00',
    seconds: 30,
  },
  {
    filter: 'period: TODAY, fromDate: "2026-11-20T13:00:00.500Z"',
    time: '13:59:00',
    totalCount: 0,
    nextChange: '2026-11-20 14:00:00+01:00',
    seconds: 60,
  },
  {
    filter: 'free: true',
    time: '23:59:30',
    totalCount: 0,
    nextChange: '2026-12-02 00:00:00+01:00',
    seconds: 60,
  },
] as const;

for (const { filter, time, totalCount, nextChange, seconds } of ANSWERS) {
  test(`B12, D6: should tell the next change of ${filter ?? 'all events'} at ${time}, and keep the answer until then`, async (context) => {
    context.now = Date.parse(`2026-11-20T${time}+01:00`);
    const given = filter === null ? '' : `(filter: { ${filter} })`;
    const { text, headers } = await context.running.get(
      `{ events${given} { totalCount } calendar { nextChange } }`,
    );
    assert.equal(JSON.parse(text).data, { events: { totalCount }, calendar: { nextChange } });
    assert.is(headers['cache-control'], `public, max-age=${seconds}`);
  });
}

test('D6: should know no next change once everything is over', async (context) => {
  context.now = Date.parse('2026-12-02T00:00:00+01:00');
  const { data } = await parsed(context.running.get('{ calendar { nextChange } }'));
  assert.is(data.calendar.nextChange, null);
});

test('B12, D6: should not show yesterday’s answer to a period after midnight, however often it was asked', async (context) => {
  const { running } = context;
  const query = '{ events(filter: { period: TODAY }) { totalCount } }';
  const count = async (time: string) => {
    context.now = Date.parse(time);
    const answers = await Promise.all(Array.from({ length: 4 }, () => parsed(running.get(query))));
    return [...new Set(answers.map(({ data }) => data.events.totalCount))];
  };
  assert.equal(await count('2026-11-30T23:59:59+01:00'), [0]);
  assert.equal(await count('2026-12-01T00:00:00+01:00'), [1]);
  assert.equal(await count('2026-11-30T23:59:59+01:00'), [0], 'also when the clock is set back');
  assert.equal(await count('2026-12-01T23:59:59+01:00'), [1]);
});

test.run();
