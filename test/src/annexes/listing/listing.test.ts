/** I10: `/events.html?view=plain` and `/oembed`. Built on 1 January 2026, noon UTC. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { assertAbove } from '../../../helpers/assertions.ts';
import { NOW } from '../../../helpers/calendar.ts';
import { closedAfterEach } from '../../../helpers/closing.ts';
import { eachIn, groupsIn, plainText, textIn } from '../../../helpers/html.ts';
import { LICENCE, sourceFolder } from '../../../helpers/native-source.ts';
import { type Running, startBuilt } from '../../../helpers/running.ts';
import { withPart } from '../../../helpers/when.ts';
import { nodesOf } from '../feeds/asked.ts';

const SOURCE = {
  'licence.json': {
    ...LICENCE,
    attribution: 'Foreningen',
    dataLicence: { name: 'CC BY 4.0', url: 'https://licence.example/by' },
    privacyUrl: 'https://avisen.example/personvern',
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

interface ListCase {
  readonly search: string;
  /** Arguments of `events` that mean the same. */
  readonly args: Parameters<typeof nodesOf>[1];
}

const LISTS: readonly ListCase[] = [
  { search: '', args: {} },
  { search: '?categories=MUSIC', args: { filter: { categories: ['MUSIC'] } } },
  {
    search: '?groupRepetitionsByDay=true&pageSize=4&page=1',
    args: { filter: { groupRepetitionsByDay: true }, pageSize: 4, page: 1 },
  },
];

for (const { search, args } of LISTS) {
  test(`I10, I1: should hold the nodes of events: ${search || 'no parameters'}`, async ({ running }) => {
    const links = (await nodesOf(running.url, args)).map(({ eventLink }) => eventLink);
    assertAbove(links.length, 0, 'nodes');
    assert.equal(linksIn((await page(running, search)).html), links);
  });
}

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
});

test('I10: should be in English when asked to, and mark Norwegian titles', async ({ running }) => {
  const { html } = await page(running, '?lang=en');
  assert.match(html, '<html lang="en">');
  assert.match(html, '>Five</a> <strong class="mark">Cancelled</strong>');
  assert.match(html, '<a href="https://kalender.example/event/hele-dager" lang="nb">Hele dager</a>');
});

test('I10, D6: should move an event under way below its own heading at midnight', async () => {
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

test('I10: should need no script, and be allowed in frames of any page', async ({ running }) => {
  const { headers, html } = await page(running);
  assert.equal(html.match(/<script[^>]*>/g), ['<script type="application/ld+json">']);
  assert.match(
    headers['content-security-policy'] ?? '',
    /^default-src 'none'(?!.*script-src).*frame-ancestors \*/,
  );
  assert.is(headers['x-frame-options'], undefined);
});

/** Addresses, with the heading of their list. */
const HEADINGS: Readonly<Record<string, string>> = {
  '': 'Trondheim',
  '?categories=JAZZ': 'Trondheim: Jazz',
  '?heading=%3Cb%3E%20%26': '&lt;b&gt; &amp;',
};

for (const [search, heading] of Object.entries(HEADINGS)) {
  test(`I10, I9: should have the heading ${heading} for ${search || 'no parameters'}`, async ({
    running,
  }) => {
    const { html } = await page(running, search);
    assert.is(/<h1>(.*)<\/h1>/.exec(html)?.[1], heading);
  });
}

test('I10: should link to the feeds of the same events, which the server answers', async ({ running }) => {
  const { html } = await page(running, '?categories=JAZZ&heading=Hei&page=0&lang=en&key=geheim');
  assert.not.match(html, 'geheim');
  const found = groupsIn(html, /<link rel="alternate" type="([^"]*)" title="[^"]*" href="(events[^"]*)">/g);
  assert.is(found.length, 5);
  for (const [type = '', href] of found) {
    assert.match(plainText(href), '?categories=JAZZ&lang=en');
    const { status, headers } = await running.send(`/${plainText(href)}`);
    assert.is(status, 200, href);
    assert.match(headers['content-type'] ?? '', type);
  }
});

test('I10, I4: should describe the shown occurrences by schema.org', async ({ running }) => {
  const { html } = await page(running);
  const [, json = ''] = /<script type="application\/ld\+json">([\s\S]*?)<\/script>/.exec(html) ?? [];
  const found = JSON.parse(json)['@graph'].map(({ identifier }: { identifier: string }) => identifier);
  assert.equal(
    found,
    (await nodesOf(running.url)).map(({ occurrenceID }) => occurrenceID),
  );
});

test('I10: should link to the next page, and to none before the first', async ({ running }) => {
  const { html } = await page(running, '?pageSize=2&heading=x');
  assert.match(
    html,
    'rel="next" target="_self" href="events.html?view=plain&amp;pageSize=2&amp;heading=x&amp;page=1"',
  );
  assert.not.match(html, 'rel="prev"');
});

test('I10: should link to the page before, and to none after the last', async ({ running }) => {
  const { html } = await page(running, '?pageSize=2&page=2');
  assert.match(html, 'rel="prev" target="_self" href="events.html?view=plain&amp;pageSize=2&amp;page=1"');
  assert.not.match(html, 'rel="next"');
});

test('I10: should say that there are no events', async ({ running }) => {
  assert.match((await page(running, '?tag=ingen')).html, 'Ingen kommende arrangementer.');
});

test('I10, I11: should name the owner, the licence of the data and privacyUrl', async ({ running }) => {
  const { html } = await page(running, '?tag=ingen');
  assert.match(html, ' · Foreningen – <a rel="license" href="https://licence.example/by">CC BY 4.0</a>');
  assert.match(
    html,
    ' · <a rel="privacy-policy" href="https://avisen.example/personvern">Personvern</a></p>',
  );
});

const withOembed = withPart('src/annexes/listing/oembed.ts', test);

const oembed = async ({ send }: Running, search: string) => {
  const { status, text } = await send(`/oembed?${search}`);
  return { status, body: JSON.parse(text) };
};

withOembed('I10: should give oEmbed a frame with the list’s own address', async ({ running }) => {
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

/** Queries of /oembed, with the status of the reply. OWN is the address of the list. */
const OEMBED: Readonly<Record<string, number>> = {
  'url=OWN': 200,
  'url=OWN%23top%3Fx': 200,
  '': 404,
  'url=nothing': 404,
  'url=SERVER%2Fevents.ics': 404,
  'url=https%3A%2F%2Fevil.example%2Fevents.html': 404,
  'url=USER(evil.example%2540x@)': 404,
  'url=USER(evil.example@)': 404,
  'url=USER(a:b@)': 404,
  'url=USER(:b@)': 404,
  'url=OWN&maxwidth=-3': 400,
  'url=OWN&maxheight=wide': 400,
  'url=OWN&format=xml': 501,
};

for (const [search, expected] of Object.entries(OEMBED)) {
  withOembed(`I10: should answer /oembed?${search} with ${expected}`, async ({ running }) => {
    const server = encodeURIComponent(running.url);
    const own = `${server}%2Fevents.html`;
    const withUser = (user: string) => own.replace('http%3A%2F%2F', `$&${user}`);
    const query = search
      .replace('OWN', own)
      .replace('SERVER', server)
      .replace(/USER\((.*)\)/, (_, user: string) => withUser(user));
    assert.is((await oembed(running, query)).status, expected);
  });
}

test.run();
