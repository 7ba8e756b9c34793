/** `/events.rss` as a parser of feeds reads it, and a strict one of XML. Built on 1 January 2026, a Thursday, at noon UTC. */
import { parseFeed } from '@rowanmanning/feed-parser';
import { XMLValidator } from 'fast-xml-parser';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { NOW } from '../../../helpers/calendar.ts';
import { groupsIn } from '../../../helpers/html.ts';
import { LICENCE, sourceFolder } from '../../../helpers/native-source.ts';
import { type Running, startBuilt } from '../../../helpers/running.ts';
import { nodesOf, titleOf } from './asked.ts';

const EVENTS = [
  {
    id: 'a&b',
    title_nb: 'Fem < seks & "ti" ]]> 🎺',
    categories: ['JAZZ', 'ART'],
    venue: 'hall',
    desc_nb: '<p>Blåbær &amp; <b>fløte</b></p>',
    publishingDate: '2025-12-24T17:00:00+01:00',
    dates: [
      { start: '2026-02-01 19:00', end: '2026-02-01 21:00', eventCancelled: true },
      { start: '2026-02-08 19:00' },
    ],
  },
  {
    id: 'days',
    title_nb: 'Hele dager',
    created_at: '2025-11-01T10:00:00Z',
    dates: [{ start: '2026-02-02', end: '2026-02-03' }],
  },
  {
    id: 'late',
    title_en: 'Past midnight',
    ticketsInformation: 'ticketsInfo',
    dates: [{ start: '2026-02-04 23:00', end: '2026-02-05 02:30', eventSoldOut: true }],
    prices: [1200, 50].map((price, at) => ({ type: `T${at}`, price })),
    images: [{ urlLarge: 'https://bilde.example/a&b.PNG?x=1' }],
  },
  { id: 'day', title_nb: 'En dag', dates: [{ start: '2026-02-06' }] },
  { id: 'year', title_nb: 'Nyttår', dates: [{ start: '2026-12-31 23:00', end: '2027-01-01 01:00' }] },
];

const test = suite<{ running: Running }>('RSS feed');

test.before(async (context) => {
  const source = sourceFolder({
    'licence.json': { ...LICENCE, attribution: 'Foreningen' },
    'events.json': EVENTS,
    'venues.json': [{ id: 'hall', name: 'Høyt & Lavt' }],
  });
  context.running = await startBuilt(source, NOW);
});
test.after(async ({ running }) => running.close());

const textOf = async ({ send }: Running, search = '') => (await send(`/events.rss${search}`)).text;

test('I3: should have an item a node, dated by its publication, creation or build', async ({ running }) => {
  const nodes = await nodesOf(running.url);
  const { title, url, language, copyright, items } = parseFeed(await textOf(running));
  assert.equal(
    [title, new URL(url ?? '').href, language, copyright],
    ['Trondheim', 'https://kalender.example/', 'nb', 'Foreningen'],
  );
  assert.equal(
    items.map(({ id, title, url }) => ({ id, title, url })),
    nodes.map((node) => ({ id: node.occurrenceID, title: titleOf(node), url: node.eventLink })),
  );
  const built = new Date(NOW * 1_000).toISOString();
  assert.equal(
    items.map(({ published }) => published?.toISOString()),
    ['2025-12-24T16:00:00.000Z', '2025-11-01T10:00:00.000Z', built, built, built],
  );
});

test('I3: should put time and place before the description', async ({ running }) => {
  const [nb, en] = [await textOf(running), await textOf(running, '?lang=en')];
  const [first, , late] = parseFeed(nb).items;
  // The parser decodes HTML, too.
  assert.is(
    first?.description,
    '<p>Avlyst · søndag 1. februar kl. 19.00–21.00 · Høyt & Lavt</p>\n<p>Blåbær & fløte</p>',
  );
  const whole =
    '· Høyt &amp;amp; Lavt&lt;/p&gt;\n&lt;p&gt;Blåbær &amp;amp; &lt;b&gt;fløte&lt;/b&gt;&lt;/p&gt;</content:encoded>';
  assert.match(nb, whole);
  assert.equal(
    first?.categories.map(({ label }) => label),
    ['Jazz', 'Kunst'],
  );
  assert.equal(
    late?.media.map(({ url, mimeType }) => [url, mimeType]),
    [['https://bilde.example/a&b.PNG?x=1', 'image/png']],
  );
  assert.equal(
    parseFeed(en)
      .items.slice(1)
      .map(({ description }) => description?.trim()),
    [
      '<p>Monday 2 February – Tuesday 3 February</p>',
      '<p>Sold out · Wednesday 4 February, 23:00 – Thursday 5 February, 02:30 · 50–1,200\u00a0kr</p>',
      '<p>Friday 6 February</p>',
      '<p>Thursday 31 December, 23:00 – Friday 1 January 2027, 01:00</p>',
    ],
  );
});

test('I3: should be well-formed XML, also with markup in texts and in the address', async ({ running }) => {
  for (const search of ['searchTerm=%3C%26%22%27%5D%5D%3E', 'tag=a&tag=', 'event=no&searchTerm=%ff%00', ''])
    assert.is(XMLValidator.validate(await textOf(running, `?${search}`)), true, search);
});

const CREATED = { title_nb: 'Kor', created_at: '2024-03-01T09:00:00Z' };
const WEEKLY = { rule: 'FREQ=WEEKLY', start: '2024-03-06 19:00', duration: 120 };

/** Records, and the dates of their items on a first build. */
const DATED: readonly (readonly [what: string, record: object, expected: string])[] = [
  ['a rule: when the date before was over', { repeats: [WEEKLY] }, '2025-12-31T20:00Z'],
  [
    'a rule of years',
    { repeats: [{ rule: 'FREQ=YEARLY', start: '2025-02-01', duration: 60 }] },
    '2025-02-01T23:00Z',
  ],
  [
    'its last date taken out',
    { repeats: [{ ...WEEKLY, except: ['2025-12-31 19:00'] }] },
    '2025-12-24T20:00Z',
  ],
  ['not begun', { repeats: [{ ...WEEKLY, start: '2026-03-04 19:00' }] }, '2024-03-01T09:00Z'],
  [
    'listed dates',
    { dates: [{ start: '2025-11-05 20:00', end: '2025-11-05 21:00' }, { start: '2026-02-05 20:00' }] },
    '2025-11-05T20:00Z',
  ],
  [
    'one that replaces the last of a rule',
    { repeats: [WEEKLY], dates: [{ start: '2025-12-31 19:00', end: '2025-12-31 23:00' }] },
    '2025-12-31T22:00Z',
  ],
  [
    'one that ran before what is over began',
    { dates: [{ start: '2025-06-01', end: '2026-06-01' }, { start: '2025-12-01 10:00' }] },
    '2024-03-01T09:00Z',
  ],
  ['published after that', { repeats: [WEEKLY], publishingDate: '2026-01-01 09:00' }, '2026-01-01T08:00Z'],
  [
    'not its next date yet',
    { dates: [{ start: '2026-02-01 12:00' }, { start: '2027-02-01 12:00' }] },
    '2024-03-01T09:00Z',
  ],
];

test('I9: should date an item by its record alone, and move on to the next date with the clock', async () => {
  let now = NOW;
  const events = DATED.map(([, record], at) => ({ id: `e${at}`, ...CREATED, ...record }));
  const server = await startBuilt(sourceFolder({ 'events.json': events }), NOW, { clock: () => now * 1_000 });
  const datesAt = async (search = '') => {
    const found = groupsIn(
      await textOf(server, search),
      /"false">e(\d)@.*<\/guid>\n<pubDate>(.*)<\/pubDate>/g,
    );
    return new Map(found.map(([at, date = '']) => [Number(at), new Date(date).toISOString()]));
  };
  const first = await datesAt();
  for (const [at, [what, , expected]] of DATED.entries())
    assert.is(first.get(at), expected.replace('Z', ':00.000Z'), what);
  // Their date in March becomes the next one in the last week of February.
  assert.is((await datesAt('?fromDate=2026-03-01')).get(0), '2024-03-01T09:00:00.000Z');
  now = Date.parse('2026-01-07T20:00:00Z') / 1_000;
  assert.is((await datesAt()).get(0), '2026-01-07T20:00:00.000Z');
  // A1: without an end it is over three hours after its start.
  now = Date.parse('2026-02-01T14:00:00Z') / 1_000;
  assert.is((await datesAt()).get(8), '2026-02-01T14:00:00.000Z');
  await server.close();
});

test.run();
