/** I10: `/events.html?view=plain` and `/oembed`. Built on 1 January 2026, noon UTC. */
import { closedAfterEach } from '../../../helpers/closing.ts';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { assertAbove } from '../../../helpers/assertions.ts';
import { NOW } from '../../../helpers/calendar.ts';
import { eachIn, groupsIn, plainText, textIn } from '../../../helpers/html.ts';
import { LICENCE, sourceFolder } from '../../../helpers/native-source.ts';
import { type Running, startBuilt } from '../../../helpers/running.ts';
import { nodesOf } from '../feeds/asked.ts';

const SOURCE = {
  'licence.json': {
    ...LICENCE,
    attribution: 'Foreningen',
    dataLicence: { name: 'CC BY 4.0', url: 'https://licence.example/by' },
  },
  'venues.json': [{ id: 'hall', name: 'Høyt & Lavt', address: 'Gata 1, 7010 Trondheim' }],
  'events.json': [
    {
      id: 'a',
      title_nb: 'Fem < seks',
      title_en: 'Five',
      categories: ['JAZZ'],
      venue: 'hall',
      desc_nb: '<p>Blåbær &amp; <b>fløte</b></p>',
      ticketsInformation: 'ticketsInfo',
      prices: [150, 250, 0].map((price, at) => ({ type: `T${at}`, price })),
      dates: [
        { start: '2026-02-01 19:00', end: '2026-02-01 21:00', eventCancelled: true },
        { start: '2026-02-08 19:00' },
        { start: '2027-02-08 19:00' },
      ],
    },
    { id: 'days', title_nb: 'Hele dager', dates: [{ start: '2026-02-02', end: '2026-02-03' }] },
    { id: 'day', title_nb: 'En dag', ticketsInformation: 'free', dates: [{ start: '2026-02-06' }] },
    { id: 'late', title_nb: 'Sent', dates: [{ start: '2026-02-06 23:00', end: '2026-02-07 02:30' }] },
    {
      id: 'on',
      title_nb: 'Lenge',
      mode: 'online',
      dates: [{ start: '2026-02-07 10:00', end: '2026-03-01 12:00' }],
    },
  ],
};

const test = suite<{ running: Running }>('events.html');
const opened = closedAfterEach(test);

test.before(async (context) => {
  context.running = await startBuilt(sourceFolder(SOURCE), NOW);
});
test.after(async ({ running }) => running.close());

const page = async ({ send }: Running, search = '') => {
  const { text: html, ...rest } = await send(`/events.html?view=plain${search.replace('?', '&')}`);
  return { html, ...rest };
};

const linksIn = (html: string) => eachIn(html, /<h3><a href="([^"]*)"/g);
const entriesIn = (html: string) =>
  eachIn(html, /<li><span class="time">([\s\S]*?)<\/li>/g).map((entry) => textIn(entry));

test('I10: should hold the nodes of events, for the parameters of I1', async ({ running }) => {
  for (const [search, args] of [
    ['', {}],
    ['?categories=MUSIC', { filter: { categories: ['MUSIC'] } }],
    [
      '?groupRepetitionsByDay=true&pageSize=4&page=1',
      { filter: { groupRepetitionsByDay: true }, pageSize: 4, page: 1 },
    ],
  ] as const) {
    const nodes = await nodesOf(running.url, args);
    assertAbove(nodes.length, 0, 'nodes');
    assert.equal(
      linksIn((await page(running, search)).html),
      nodes.map(({ eventLink }) => eventLink),
    );
  }
});

test('I10: should show time, title, place and price, and no time for whole days', async ({ running }) => {
  const { html } = await page(running);
  assert.equal(entriesIn(html), [
    '19.00–21.00 Fem < seks Avlyst Høyt & Lavt, Gata 1, 7010 Trondheim · Jazz · 150–250 kr Blåbær & fløte Også 8. februar og 8. februar 2027',
    'Til og med 3. feb. Hele dager',
    'Hele dagen En dag Gratis',
    '23.00–02.30 Sent',
    '10.00 til og med 1. mars Lenge På nett',
  ]);
  assert.match(html, '<h2><time datetime="2026-02-01">Søndag 1. februar</time></h2>');
  const english = (await page(running, '?lang=en')).html;
  assert.match(english, '<html lang="en">');
  assert.match(english, '>Five</a> <strong class="mark">Cancelled</strong>');
  assert.match(english, '<a href="https://kalender.example/event/hele-dager" lang="nb">Hele dager</a>');
});

test('I10, D6: should have what began before today under one heading, until midnight', async () => {
  let now = Date.parse('2026-02-07T22:59:50Z') / 1_000;
  const running = opened(await startBuilt(sourceFolder(SOURCE), NOW, { clock: () => now * 1_000 }));
  const headings = async () => {
    const { html, headers } = await page(running);
    const found = eachIn(html, /<h2[^>]*>([\s\S]*?)<\/h2>/g).map((text) => textIn(text));
    return { found, entries: entriesIn(html), maxAge: headers['cache-control'] };
  };
  const before = await headings();
  assert.equal(before.found, ['Lørdag 7. februar', 'Søndag 8. februar']);
  assert.is(before.maxAge, 'public, max-age=10');
  now += 10;
  const after = await headings();
  assert.equal(after.found, ['Pågår', 'Søndag 8. februar']);
  assert.is(after.entries[0], 'Til og med 1. mars Lenge På nett');
});

test('I10: should need no script and go into frames of any page', async ({ running }) => {
  const { headers, html } = await page(running);
  assert.equal(html.match(/<script[^>]*>/g), ['<script type="application/ld+json">']);
  assert.match(
    headers['content-security-policy'] ?? '',
    /^default-src 'none'(?!.*script-src).*frame-ancestors \*/,
  );
  assert.is(headers['x-frame-options'], undefined);
});

test('I10: should have the heading that is given, else the filter’s (I9)', async ({ running }) => {
  const heading = async (search: string) => /<h1>(.*)<\/h1>/.exec((await page(running, search)).html)?.[1];
  assert.is(await heading(''), 'Trondheim');
  assert.is(await heading('?categories=JAZZ'), 'Trondheim: Jazz');
  assert.is(await heading('?heading=%3Cb%3E%20%26'), '&lt;b&gt; &amp;');
});

test('I10: should link to the feeds of the same events, each of which answers', async ({ running }) => {
  const { html } = await page(running, '?categories=JAZZ&heading=Hei&page=0&lang=en&key=geheim');
  assert.not.match(html, 'geheim');
  const found = groupsIn(html, /<link rel="alternate" type="([^"]*)" title="[^"]*" href="(events[^"]*)">/g);
  assert.is(found.length, 5);
  for (const [type = '', href] of found) {
    assert.match(plainText(href), '?categories=JAZZ&lang=en');
    const { status, headers } = await running.send(`/${plainText(href)}`);
    assert.is(status, 200);
    assert.match(headers['content-type'] ?? '', type);
  }
});

test('I10, I4: should say the shown occurrences in words of schema.org', async ({ running }) => {
  const { html } = await page(running);
  const [, json = ''] = /<script type="application\/ld\+json">([\s\S]*?)<\/script>/.exec(html) ?? [];
  const found = JSON.parse(json)['@graph'].map(({ identifier }: { identifier: string }) => identifier);
  assert.equal(
    found,
    (await nodesOf(running.url)).map(({ occurrenceID }) => occurrenceID),
  );
});

test('I10: should lead from page to page, and say when there is nothing', async ({ running }) => {
  const first = (await page(running, '?pageSize=2&heading=x')).html;
  assert.match(
    first,
    'rel="next" target="_self" href="events.html?view=plain&amp;pageSize=2&amp;heading=x&amp;page=1"',
  );
  assert.not.match(first, 'rel="prev"');
  const last = (await page(running, '?pageSize=2&page=2')).html;
  assert.match(last, 'rel="prev" target="_self" href="events.html?view=plain&amp;pageSize=2&amp;page=1"');
  assert.not.match(last, 'rel="next"');
  const { html: empty } = await page(running, '?tag=ingen');
  assert.match(empty, 'Ingen kommende arrangementer.');
  assert.match(empty, ' · Foreningen – <a rel="license" href="https://licence.example/by">CC BY 4.0</a>');
});

const oembed = async ({ send }: Running, search: string) => {
  const { status, text } = await send(`/oembed?${search}`);
  return { status, body: JSON.parse(text) };
};

test('I10: should have a canonical address, and be allowed in a frame', async ({ running }) => {
  const { html } = await page(running, '?categories=JAZZ&heading=Konserter');
  const [, found = ''] =
    /type="application\/json\+oembed" title="[^"]*" href="oembed\?([^"]*)"/.exec(html) ?? [];
  const { status, body } = await oembed(running, `${found}&maxwidth=300&maxheight=9000&format=json`);
  assert.is(status, 200);
  const { html: frame, ...rest } = body;
  assert.equal(rest, {
    version: '1.0',
    type: 'rich',
    title: 'Konserter',
    width: 300,
    height: 720,
    provider_name: 'Trondheim',
    provider_url: 'https://kalender.example',
    cache_age: 86_400,
  });
  const [, src = ''] = /^<iframe src="([^"]*)" title="Konserter" width="100%" height="720"/.exec(frame) ?? [];
  assert.is(
    src.replaceAll('&amp;', '&'),
    `${running.url}/events.html?view=plain&categories=JAZZ&heading=Konserter&theme=light`,
  );
});

test('I10: should refuse links to other sites, and unknown sizes and formats', async ({ running }) => {
  const own = encodeURIComponent(`${running.url}/events.html`);
  for (const [search, status] of [
    [`url=${own}`, 200],
    [`url=${own}%23top%3Fx`, 200],
    ['', 404],
    ['url=nothing', 404],
    [`url=${encodeURIComponent(running.url)}/events.ics`, 404],
    ['url=https%3A%2F%2Fevil.example%2Fevents.html', 404],
    ...['evil.example%2540x@', 'evil.example@', 'a:b@', ':b@'].map(
      (user) => [`url=${own.replace('http%3A%2F%2F', `$&${user}`)}`, 404] as const,
    ),
    [`url=${own}&maxwidth=-3`, 400],
    [`url=${own}&maxheight=wide`, 400],
    [`url=${own}&format=xml`, 501],
  ] as const) {
    assert.is((await oembed(running, search)).status, status, search);
  }
});

test.run();
