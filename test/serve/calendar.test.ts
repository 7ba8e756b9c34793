/** The root field `calendar`, beside other answers of the same request. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { hasAnnex } from '../helpers/annex.ts';
import type { Got } from '../helpers/client.ts';
import { LICENCE, sourceFolder } from '../helpers/native-source.ts';
import { type Running, startBuilt } from '../helpers/running.ts';
import { when } from '../helpers/when.ts';

const NOON = Date.parse('2026-11-20T11:00:00Z');

const LICENCE_HERE = {
  ...LICENCE,
  dataLicence: { name: 'NLOD 2.0', url: 'https://data.example/nlod' },
  attribution: 'Trondheims kalender',
  contact: { name: 'Redaksjonen', email: 'post@kalender.example' },
};

const EVENTS = [
  { id: 'a', title_nb: 'A', dates: [{ start: '2026-11-20 12:30', end: '2026-11-20 14:00' }] },
  { id: 'b', title_nb: 'B', publishingDate: '2026-11-20 13:00:30', dates: [{ start: '2026-12-01' }] },
];

const test = suite<{ running: Running; now: number }>('calendar');

test.before(async (context) => {
  context.now = NOON;
  const source = sourceFolder({ 'licence.json': LICENCE_HERE, 'events.json': EVENTS });
  context.running = await startBuilt(source, NOON / 1000, {
    clock: () => context.now,
    context: { settings: { serveSnapshots: true } },
  });
});
test.after(({ running }) => running.close());

const parsed = async (got: Promise<Got>) => JSON.parse((await got).text);

test('E3, F1: should say whose calendar it is, under what its data may be used, and whom to ask', async (context) => {
  const { running } = context;
  context.now = NOON;
  const query = `{ calendar {
    id name siteUrl portalUrl dataLicence { name url } attribution contact { name email url } timeZone
    snapshot { builtAt events occurrences } nextChange
  } }`;
  const { data } = await parsed(running.get(query));
  assert.equal(data.calendar, {
    id: 'trondheim',
    name: 'Trondheim',
    siteUrl: 'https://kalender.example',
    portalUrl: null,
    dataLicence: LICENCE_HERE.dataLicence,
    attribution: 'Trondheims kalender',
    contact: { ...LICENCE_HERE.contact, url: null },
    timeZone: 'Europe/Oslo',
    snapshot: { builtAt: '2026-11-20 12:00:00+01:00', events: 2, occurrences: 2 },
    nextChange: '2026-11-20 13:00:30+01:00',
  });
});

when(
  hasAnnex('snapshots'),
  'without snapshots to fetch',
  test,
)(
  'E3: should name the snapshot that the rest of the answer comes from, as the manifest does',
  async (context) => {
    const { running } = context;
    const { data } = await parsed(running.get('{ calendar { snapshot { id } } events { totalCount } }'));
    const manifest = await parsed(running.send('/snapshots/manifest.json'));
    assert.is(data.calendar.snapshot.id, manifest.id);
    assert.is(data.events.totalCount, 1);
  },
);

/** At a time on the clock, when an answer changes next; and for how long it may be kept. */
const CHANGES = [
  ['12:59:30', '13:00:30', 60],
  ['13:00:29', '13:00:30', 1],
  ['13:00:30', '14:00:00', 60],
  ['14:00:00', null, 60],
] as const;

test('D6: should tell the moment of the next change, after which the answer is another one', async (context) => {
  const { running } = context;
  for (const [time, next, seconds] of CHANGES) {
    context.now = Date.parse(`2026-11-20T${time}+01:00`);
    const response = await running.get('{ calendar { nextChange } }');
    const { data } = JSON.parse(response.text);
    // What is left then changes when the first of December is over.
    const expected = next === null ? '2026-12-02 00:00:00+01:00' : `2026-11-20 ${next}+01:00`;
    assert.is(data.calendar.nextChange, expected, time);
    assert.is(response.headers['cache-control'], `public, max-age=${seconds}`, time);
  }
  context.now = Date.parse('2026-12-02T00:00:00+01:00');
  const { data } = await parsed(running.get('{ calendar { nextChange } }'));
  assert.is(data.calendar.nextChange, null);
});

/** What is asked at a time of Friday 20 November; how many there are, until when that stands, and how long it may be kept. */
const PERIODS = [
  ['period: TODAY', '23:59:30', 0, '2026-11-21 00:00:00+01:00', 30],
  ['period: TOMORROW', '23:59:59', 0, '2026-11-21 00:00:00+01:00', 1],
  ['period: WEEKEND', '13:59:59', 0, '2026-11-20 14:00:00+01:00', 1],
  ['period: WEEK', '13:59:30', 1, '2026-11-20 14:00:00+01:00', 30],
  ['period: TODAY, fromDate: "2026-11-20T13:00:00.500Z"', '13:59:00', 0, '2026-11-20 14:00:00+01:00', 60],
  ['free: true', '23:59:30', 0, '2026-12-02 00:00:00+01:00', 60],
] as const;

test('B12, D6: should keep what depends on a period until midnight in Norway, and nothing else', async (context) => {
  const { running } = context;
  for (const [filter, time, count, next, seconds] of PERIODS) {
    context.now = Date.parse(`2026-11-20T${time}+01:00`);
    const query = `{ events(filter: { ${filter} }) { totalCount } calendar { nextChange } }`;
    const response = await running.get(query);
    const { data } = JSON.parse(response.text);
    assert.equal(
      data,
      { events: { totalCount: count }, calendar: { nextChange: next } },
      `${filter} ${time}`,
    );
    assert.is(response.headers['cache-control'], `public, max-age=${seconds}`, `${filter} ${time}`);
  }
});

test('B12, D6: MUST NOT show yesterday’s answer to a period after midnight, however often it was asked', async (context) => {
  const { running } = context;
  const count = async (time: string) => {
    context.now = Date.parse(time);
    const answers = await Promise.all(
      Array.from({ length: 4 }, () =>
        parsed(running.get('{ events(filter: { period: TODAY }) { totalCount } }')),
      ),
    );
    return [...new Set(answers.map(({ data }) => data.events.totalCount))];
  };
  assert.equal(await count('2026-11-30T23:59:59+01:00'), [0]);
  assert.equal(await count('2026-12-01T00:00:00+01:00'), [1]);
  assert.equal(await count('2026-11-30T23:59:59+01:00'), [0], 'also when the clock is set back');
  assert.equal(await count('2026-12-01T23:59:59+01:00'), [1]);
});

test.run();
