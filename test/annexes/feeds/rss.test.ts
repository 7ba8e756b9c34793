/** `/events.rss` as a parser of feeds reads it, and a strict one of XML. */
import { parseFeed } from '@rowanmanning/feed-parser';
import { XMLValidator } from 'fast-xml-parser';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { NOW } from '../../helpers/calendar.ts';
import { LICENCE, sourceFolder } from '../../helpers/native-source.ts';
import { type Running, startBuilt } from '../../helpers/running.ts';
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
    dates: [{ start: '2026-02-04 23:00', end: '2026-02-05 02:30', eventSoldOut: true }],
    ticketsInformation: 'ticketsInfo',
    prices: [
      { type: 'REGULAR', price: 1200 },
      { type: 'CHILD', price: 50 },
    ],
    images: [{ urlLarge: 'https://bilde.example/a&b.PNG?x=1' }],
  },
  { id: 'day', title_nb: 'En dag', dates: [{ start: '2026-02-06' }] },
  { id: 'year', title_nb: 'Nyttår', dates: [{ start: '2026-12-31 23:00', end: '2027-01-01 01:00' }] },
];

const test = suite<{ running: Running }>('RSS feed');

test.before(async (context) => {
  const venues = [{ id: 'hall', name: 'Høyt & Lavt' }];
  const source = sourceFolder({
    'licence.json': { ...LICENCE, attribution: 'Foreningen' },
    'events.json': EVENTS,
    'venues.json': venues,
  });
  context.running = await startBuilt(source, NOW);
});
test.after(async ({ running }) => running.close());

async function textOf({ running }: { readonly running: Running }, search = ''): Promise<string> {
  return (await running.send(`/events.rss${search}`)).text;
}

test('I3: should have an item for each node', async (context) => {
  const nodes = await nodesOf(context.running.url);
  const { title, url, language, copyright, items } = parseFeed(await textOf(context));
  assert.equal([title, new URL(url ?? '').href, language], ['Trondheim', 'https://kalender.example/', 'nb']);
  assert.is(copyright, 'Foreningen');
  assert.equal(
    items.map(({ id, title, url }) => ({ id, title, url })),
    nodes.map((node) => ({ id: node.occurrenceID, title: titleOf(node), url: node.eventLink })),
  );
});

test('I3: should say when it was published, else created, else built', async (context) => {
  const { items } = parseFeed(await textOf(context));
  const built = new Date(NOW * 1_000);
  assert.equal(
    items.map(({ published }) => published),
    [new Date('2025-12-24T16:00:00Z'), new Date('2025-11-01T10:00:00Z'), built, built, built],
  );
});

test('should say when and where it is, before what it is about', async (context) => {
  const [nb, en] = [parseFeed(await textOf(context)), parseFeed(await textOf(context, '?lang=en'))];
  // The parser decodes HTML, too.
  assert.is(
    nb.items[0]?.description,
    '<p>Avlyst · søndag 1. februar kl. 19:00–21:00 · Høyt & Lavt</p>\n<p>Blåbær & <b>fløte</b></p>',
  );
  assert.match(await textOf(context), '· Høyt &amp;amp; Lavt&lt;/p&gt;\n&lt;p&gt;Blåbær &amp;amp; &lt;b&gt;');
  assert.equal(
    nb.items[0]?.categories.map(({ label }) => label),
    ['Jazz', 'Kunst'],
  );
  assert.equal(
    en.items.slice(1).map(({ description }) => description?.trim()),
    [
      '<p>Monday 2 February – Tuesday 3 February</p>',
      '<p>Sold out · Wednesday 4 February at 23:00 – Thursday 5 February at 02:30 · 50–1,200\u00a0kr</p>',
      '<p>Friday 6 February</p>',
      '<p>Thursday 31 December at 23:00 – Friday, 1 January 2027 at 01:00</p>',
    ],
  );
});

test('should show the picture', async (context) => {
  const [, , late] = parseFeed(await textOf(context)).items;
  assert.equal(
    late?.media.map(({ url, mimeType }) => [url, mimeType]),
    [['https://bilde.example/a&b.PNG?x=1', 'image/png']],
  );
});

test('should be well-formed, whatever stands in texts and in its address', async (context) => {
  for (const search of [
    '',
    '?searchTerm=%3C%26%22%27%5D%5D%3E',
    '?tag=a&tag=',
    '?event=no&searchTerm=%ff%00',
  ]) {
    const xml = await textOf(context, search);
    assert.is(XMLValidator.validate(xml), true, search);
  }
});

test.run();
