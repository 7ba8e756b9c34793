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
    id: 'days\uffff',
    title_nb: 'Hele\ufffe dager',
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
    'licence.json': { ...LICENCE, name: 'Trondheim\uffff', attribution: 'Foreningen' },
    'events.json': EVENTS,
    'venues.json': [{ id: 'hall', name: 'Høyt & Lavt' }],
  });
  context.running = await startBuilt(source, NOW);
});
test.after(async ({ running }) => running.close());

const textOf = async ({ send }: Running, search = '') => (await send(`/events.rss${search}`)).text;

test('I3: should be named after the calendar, in its language, with its owner', async ({ running }) => {
  const { title, url, language, copyright } = parseFeed(await textOf(running));
  assert.is(title, 'Trondheim');
  assert.is(new URL(url ?? '').href, 'https://kalender.example/');
  assert.is(language, 'nb');
  assert.is(copyright, 'Foreningen');
});

const legible = (text: string) => text.replaceAll(/[\ufffe\uffff]/g, '');

test('I3: should have no character that XML cannot express', async ({ running }) => {
  const text = await textOf(running);
  assert.not.match(text, /[\ufffe\uffff]/);
  assert.match(text, '<title>Hele dager</title>');
  assert.match(text, '<guid isPermaLink="false">days@');
});

test('I3: should have an item for each node', async ({ running }) => {
  const nodes = await nodesOf(running.url);
  const { items } = parseFeed(await textOf(running));
  assert.equal(
    items.map(({ id, title, url }) => ({ id, title, url })),
    nodes.map((node) => ({
      id: legible(node.occurrenceID),
      title: legible(titleOf(node)),
      url: node.eventLink,
    })),
  );
});

test('I3: should date an item by its publication, else its creation, else the build', async ({ running }) => {
  const { items } = parseFeed(await textOf(running));
  const built = new Date(NOW * 1_000).toISOString();
  assert.equal(
    items.map(({ published }) => published?.toISOString()),
    ['2025-12-24T16:00:00.000Z', '2025-11-01T10:00:00.000Z', built, built, built],
  );
});

test('I3: should put time and place before the description', async ({ running }) => {
  const [item] = parseFeed(await textOf(running)).items;
  // The parser decodes HTML, too.
  assert.is(
    item?.description,
    '<p>Avlyst · søndag 1. februar kl. 19.00–21.00 · Høyt & Lavt</p>\n<p>Blåbær & fløte</p>',
  );
});

test('I3: should have the whole description as escaped HTML', async ({ running }) => {
  assert.match(
    await textOf(running),
    '· Høyt &amp;amp; Lavt&lt;/p&gt;\n&lt;p&gt;Blåbær &amp;amp; &lt;b&gt;fløte&lt;/b&gt;&lt;/p&gt;</content:encoded>',
  );
});

test('I3: should have the categories and the picture of an event', async ({ running }) => {
  const [first, , late] = parseFeed(await textOf(running)).items;
  assert.equal(
    first?.categories.map(({ label }) => label),
    ['Jazz', 'Kunst'],
  );
  assert.equal(
    late?.media.map(({ url, mimeType }) => ({ url, mimeType })),
    [{ url: 'https://bilde.example/a&b.PNG?x=1', mimeType: 'image/png' }],
  );
});

test('I3: should write time, state and price in English when asked to', async ({ running }) => {
  const [, ...items] = parseFeed(await textOf(running, '?lang=en')).items;
  assert.equal(
    items.map(({ description }) => description?.trim()),
    [
      '<p>Monday 2 February – Tuesday 3 February</p>',
      '<p>Sold out · Wednesday 4 February, 23:00–02:30 · 50–1,200\u00a0kr</p>',
      '<p>Friday 6 February</p>',
      '<p>Thursday 31 December, 23:00–01:00</p>',
    ],
  );
});

for (const search of ['', 'searchTerm=%3C%26%22%27%5D%5D%3E', 'tag=a&tag=', 'event=no&searchTerm=%ff%00']) {
  test(`I3: should be well-formed XML for ${search || 'no parameters'}`, async ({ running }) => {
    assert.is(XMLValidator.validate(await textOf(running, `?${search}`)), true);
  });
}

const CREATED = { title_nb: 'Kor', created_at: '2024-03-01T09:00:00Z' };
const WEEKLY = { rule: 'FREQ=WEEKLY', start: '2024-03-06 19:00', duration: 120 };

test.run();

interface DatedRecord {
  readonly title: string;
  readonly record: object;
  /** The date of its item on a first build. */
  readonly published: string;
}

const DATED: readonly DatedRecord[] = [
  {
    title: 'the end of the date before, for a rule',
    record: { repeats: [WEEKLY] },
    published: '2025-12-31T20:00Z',
  },
  {
    title: 'the end of the date before, for a rule of years',
    record: { repeats: [{ rule: 'FREQ=YEARLY', start: '2025-02-01', duration: 60 }] },
    published: '2025-02-01T23:00Z',
  },
  {
    title: 'the date before an exception',
    record: { repeats: [{ ...WEEKLY, except: ['2025-12-31 19:00'] }] },
    published: '2025-12-24T20:00Z',
  },
  {
    title: 'the creation, for a rule that has not begun',
    record: { repeats: [{ ...WEEKLY, start: '2026-03-04 19:00' }] },
    published: '2024-03-01T09:00Z',
  },
  {
    title: 'the end of the date before, for listed dates',
    record: {
      dates: [{ start: '2025-11-05 20:00', end: '2025-11-05 21:00' }, { start: '2026-02-05 20:00' }],
    },
    published: '2025-11-05T20:00Z',
  },
  {
    title: 'the end of a date that replaces the last one of a rule',
    record: { repeats: [WEEKLY], dates: [{ start: '2025-12-31 19:00', end: '2025-12-31 23:00' }] },
    published: '2025-12-31T22:00Z',
  },
  {
    title: 'the creation, for a date that began before the one that is over',
    record: { dates: [{ start: '2025-06-01', end: '2026-06-01' }, { start: '2025-12-01 10:00' }] },
    published: '2024-03-01T09:00Z',
  },
  {
    title: 'a publication after that',
    record: { repeats: [WEEKLY], publishingDate: '2026-01-01 09:00' },
    published: '2026-01-01T08:00Z',
  },
  {
    title: 'the creation, until a next date is shown',
    record: { dates: [{ start: '2026-02-01 12:00' }, { start: '2027-02-01 12:00' }] },
    published: '2024-03-01T09:00Z',
  },
];

interface DatedContext {
  server: Running;
  /** Seconds. */
  now: number;
}

const dated = suite<DatedContext>('dates of RSS items');

dated.before(async (context) => {
  const events = DATED.map(({ record }, at) => ({ id: `e${at}`, ...CREATED, ...record }));
  context.now = NOW;
  context.server = await startBuilt(sourceFolder({ 'events.json': events }), NOW, {
    clock: () => context.now * 1_000,
  });
});
dated.before.each((context) => {
  context.now = NOW;
});
dated.after(({ server }) => server.close());

/** The date of the item of each record, by its place in DATED. */
async function datesIn({ server }: DatedContext, search = ''): Promise<ReadonlyMap<number, string>> {
  const text = await textOf(server, search);
  const found = groupsIn(text, /"false">e(\d)@.*<\/guid>\n<pubDate>(.*)<\/pubDate>/g);
  return new Map(found.map(([at, date = '']) => [Number(at), new Date(date).toISOString()]));
}

for (const [at, { title, published }] of DATED.entries()) {
  dated(`I9: should be ${title}`, async (context) => {
    assert.is((await datesIn(context)).get(at), published.replace('Z', ':00.000Z'));
  });
}

dated(
  'I9: should be the creation for a date in March, which is next only from the last of February',
  async (context) => {
    assert.is((await datesIn(context, '?fromDate=2026-03-01')).get(0), '2024-03-01T09:00:00.000Z');
  },
);

dated('I9: should move on with the clock to the end of the date before', async (context) => {
  context.now = Date.parse('2026-01-07T20:00:00Z') / 1_000;
  assert.is((await datesIn(context)).get(0), '2026-01-07T20:00:00.000Z');
});

dated('I9, A1: should move on three hours after the start of a date without an end', async (context) => {
  context.now = Date.parse('2026-02-01T14:00:00Z') / 1_000;
  assert.is((await datesIn(context)).get(8), '2026-02-01T14:00:00.000Z');
});

dated.run();
