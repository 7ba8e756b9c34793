/** I9: `/subscribe`, on the sample as of one Monday in June. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { packagePath } from '../../../../src/package.ts';
import { assertAbove } from '../../../helpers/assertions.ts';
import { NOW } from '../../../helpers/calendar.ts';
import { eachIn, groupsIn, plainText } from '../../../helpers/html.ts';
import { sourceFolder } from '../../../helpers/native-source.ts';
import { type Running, startBuilt } from '../../../helpers/running.ts';
import { nodesOf, titleOf } from '../feeds/asked.ts';

const test = suite<{ running: Running }>('subscribe');

test.before(async (context) => {
  context.running = await startBuilt(packagePath('data/sample'), Date.parse('2026-06-15T08:00:00Z') / 1_000);
});
test.after(async ({ running }) => running.close());

const page = async ({ send }: Running, search = '', sent: Record<string, string> = {}) => {
  const { status, headers, text: html } = await send(`/subscribe${search}`, { headers: sent });
  return { status, headers, html };
};

/** Each address by the name of its field. */
const addressesIn = (html: string) =>
  Object.fromEntries(
    groupsIn(html, /<input id="address-(\w+)" type="url" readonly value="([^"]*)">/g).map(([name, value]) => [
      name,
      plainText(value),
    ]),
  );

/** A form with choices, with two fields that were left empty. */
const CHOSEN =
  '?lang=en&categories=MUSIC&categories=ART&venues=nidarosdomen&municipality=&searchTerm=&free=true';

test('I9: should make an address of each format, without empty fields of the form', async ({ running }) => {
  const { html } = await page(running, CHOSEN);
  const query = 'categories=MUSIC,ART&venues=nidarosdomen&free=true&lang=en';
  const { url } = running;
  assert.equal(addressesIn(html), {
    ics: `${url}/events.ics?${query}`,
    RSS: `${url}/events.rss?${query}`,
    JSON: `${url}/events.json?${query}`,
    CSV: `${url}/events.csv?${query}`,
    page: `${url}/events.html?view=plain&${query}`,
  });
});

test('I9: should make addresses that the server answers', async ({ running }) => {
  const addresses = Object.values<string>(addressesIn((await page(running, CHOSEN)).html));
  assert.is(addresses.length, 5, 'addresses');
  for (const address of addresses) assert.is((await fetch(address)).status, 200, address);
});

test('I9: should lead to Google, Outlook and Apple with the address of the choices', async ({ running }) => {
  const { html } = await page(running, '?lang=nb&categories=MUSIC&period=WEEKEND');
  const address = `${running.url}/events.ics?categories=MUSIC&period=WEEKEND`;
  const webcal = address.replace('http:', 'webcal:');
  const links = groupsIn(html, /<a class="button" href="([^"]*)">(\w+)<\/a> <span>[^<.]*\.[^<.]*\.</g);
  const named = new URLSearchParams({
    url: address,
    name: 'Det skjer i Trøndelag: Konsert og musikk · i helgen',
  });
  assert.equal(
    links.map(([link, name]) => [name, plainText(link)]),
    [
      ['Google', `https://calendar.google.com/calendar/r?cid=${encodeURIComponent(webcal)}`],
      ['Outlook', `https://outlook.live.com/calendar/0/addfromweb?${named}`],
      ['Apple', webcal],
    ],
  );
});

const WITH_SUBCATEGORY = '?lang=en&categories=MUSIC&categories=MUSIC_JAZZ&categories=SPORT';

test('I9: should count the events of a ticked subcategory, not of its category', async ({ running }) => {
  const nodes = await nodesOf(running.url, { filter: { categories: ['MUSIC_JAZZ', 'SPORT'] } });
  const { html } = await page(running, WITH_SUBCATEGORY);
  assert.match(html, `<strong>${nodes.length}</strong> events now`);
});

test('I9: should put a ticked subcategory into addresses, not its category', async ({ running }) => {
  const { html } = await page(running, WITH_SUBCATEGORY);
  assert.is(addressesIn(html).ics, `${running.url}/events.ics?categories=MUSIC_JAZZ,SPORT&lang=en`);
});

test('I9: should keep the tick of a category with a ticked subcategory', async ({ running }) => {
  const { html } = await page(running, WITH_SUBCATEGORY);
  const [, group = ''] = /<div class="group">([\s\S]*?MUSIC_JAZZ[\s\S]*?)<\/div>/.exec(html) ?? [];
  assert.match(
    group.split('class="group">').at(-1) ?? '',
    /^<label class="box"><input[^>]* value="MUSIC" checked>/,
  );
});

test('I9: should show an event under way with its last day', async ({ running }) => {
  const { html } = await page(running, '?lang=nb&categories=ART_EXHIBITION');
  const [, ongoing = ''] = /<h3>Pågår<\/h3>([\s\S]*?)<\/section>/.exec(html) ?? [];
  const days = eachIn(ongoing, /<li><span class="time">(.*?)<\/span>/g);
  assertAbove(days.length, 0, 'events under way');
  for (const day of days) assert.match(day, /^ <span class="until">Til og med \d/);
});

test('I9: should show no heading of a day before today', async ({ running }) => {
  const { html } = await page(running, '?lang=nb&categories=MUSIC');
  const days = eachIn(html, /<h3[^>]*><time datetime="(.*?)"/g);
  assertAbove(days.length, 0, 'headings of days');
  assert.equal(
    days.filter((day) => day < '2026-06-15'),
    [],
  );
});

test('I9: should show the next five events', async ({ running }) => {
  const { html } = await page(running, '?lang=nb&categories=MUSIC');
  const shown = eachIn(html, /<span class="what"><a href="[^"]*"[^>]*>([^<]*)<\/a>/g);
  const nodes = await nodesOf(running.url, { filter: { categories: ['MUSIC'] }, pageSize: 5 });
  assert.equal(
    shown.map((title) => plainText(title)),
    nodes.map((node) => titleOf(node)),
  );
});

test('I9: should say how many events a subscription has, if there are more', async ({ running }) => {
  for (const [language, text] of Object.entries({
    nb: 'høyst de neste 250 arrangementene',
    en: 'at most the next 250 events',
    nn: 'høgst dei neste 250 arrangementa',
  })) {
    const many = await page(running, `?lang=${language}&groupRepetitionsByDay=true`);
    const few = await page(running, `?lang=${language}&mode=online`);
    assert.equal([many.html.includes(text), few.html.includes(text)], [true, false], language);
  }
});

test('I9: should keep ticks', async ({ running }) => {
  const { html } = await page(running, CHOSEN);
  assert.match(html, '<input type="checkbox" name="categories" value="MUSIC" checked>');
  assert.match(html, '<input type="checkbox" name="venues" value="nidarosdomen" checked>');
  assert.match(html, 'name="free" value="true" checked>');
});

test('I9: should unfold the form unless the choices above it show all that is chosen', async ({
  running,
}) => {
  const cases = {
    'categories=MUSIC': false,
    'free=true': false,
    'free=false': true,
    'categories=MUSIC&free=true': true,
    'categories=MUSIC,ART': true,
    'period=WEEK': true,
    'categories=FINNES-IKKE': true,
    'venues=finnes-ikke': true,
  };
  for (const [query, isOpen] of Object.entries(cases)) {
    const { html } = await page(running, `?lang=en&${query}`);
    assert.is(html.includes('<details open>\n<summary>More filters'), isOpen, query);
  }
});

test('I9: should keep a municipality that was chosen by its number', async ({ running }) => {
  assert.match((await page(running, '?municipality=5001')).html, '<option value="Trondheim" selected>');
});

test('I9: should keep a filter that the form does not show', async ({ running }) => {
  const { html } = await page(running, '?organizerSlug=laget');
  assert.match(html, '<input type="hidden" name="organizerSlug" value="laget">');
});

test('I9: should not repeat a key', async ({ running }) => {
  assert.not.match((await page(running, '?key=geheim')).html, 'geheim');
});

const MARKUP_IN_SEARCH = '?lang=nb&searchTerm=%22%3E%3Cscript%3E';

test('I9: should run no script but its own', async ({ running }) => {
  const { html } = await page(running, MARKUP_IN_SEARCH);
  const sources = eachIn(html, /<script([^>]*)>/g).map((attributes) => /src="(\w+)/.exec(attributes)?.[1]);
  assert.equal(sources, ['copy', 'near', 'subscribe']);
});

test('I9: should escape a search term in the markup for other sites', async ({ running }) => {
  const { html } = await page(running, MARKUP_IN_SEARCH);
  const [, code = ''] = /<pre class="example"[^>]*><code>([\s\S]*?)<\/code>/.exec(html) ?? [];
  assert.match(plainText(code), 'searchTerm="&quot;&gt;&lt;script&gt;"');
  assert.match(plainText(code), '<almanakk-events');
});

const HEADINGS: Readonly<Record<string, string>> = {
  nb: 'Abonner',
  en: 'Subscribe',
};

for (const [language, heading] of Object.entries(HEADINGS)) {
  test(`I9: should be in the reader’s language: ${language}`, async ({ running }) => {
    const { html, headers } = await page(running, '', { 'accept-language': language });
    assert.match(html, `<h1>${heading}</h1>`);
    assert.match(headers.vary ?? '', 'Accept-Language');
  });
}

test('I9: should keep choices in the link to the other language', async ({ running }) => {
  const { html } = await page(running, '?categories=MUSIC', { 'accept-language': 'nb' });
  assert.match(html, 'hreflang="en" href="?categories=MUSIC&amp;lang=en"');
});

test('I9: should be cached by shared caches', async ({ running }) => {
  assert.match((await page(running)).headers['cache-control'] ?? '', /^public, max-age=\d+$/);
});

test.run();

const small = suite<{ running: Running }>('subscribe, of a small calendar');

const boxesIn = (html: string) => eachIn(html, /<input type="checkbox" name="categories" value="(\w+)"/g);

/** Venues, with their labels in the form. */
const PLACES = [
  { slug: 'kino', name: 'Kinoen', address: 'Gata 1, 7010 Trondheim', label: 'Kinoen' },
  {
    slug: 'radhus-1',
    name: 'Rådhuset',
    address: 'Gata 1, 7010 Trondheim',
    label: 'Rådhuset (Gata 1, 7010 Trondheim)',
  },
  {
    slug: 'radhus-2',
    name: 'Rådhuset',
    address: 'Gata 2, 7010 Trondheim',
    label: 'Rådhuset (Gata 2, 7010 Trondheim)',
  },
  {
    slug: 'radhus-3',
    name: 'Rådhuset',
    address: 'Gata 3, 0001 Oslo',
    label: 'Rådhuset (Gata 3, 0001 Oslo)',
  },
  { slug: 'hall-1', name: 'Hallen', address: null, label: 'Hallen (hall-1)' },
  { slug: 'hall-2', name: 'hallen', address: null, label: 'hallen (hall-2)' },
  { slug: 'telt-1', name: 'Teltet', address: 'Gata 4, 0001 Oslo', label: 'Teltet (telt-1)' },
  { slug: 'telt-2', name: 'Teltet', address: 'Gata 4, 0001 Oslo', label: 'Teltet (telt-2)' },
];

small.before(async (context) => {
  const source = sourceFolder({
    'venues.json': PLACES.map(({ slug, name, address }) => ({ id: slug, slug, name, address })),
    'events.json': PLACES.map(({ slug }, at) => ({
      id: slug,
      title_nb: 'Kor',
      venue: slug,
      categories: ['JAZZ'],
      dates: [{ start: `2026-02-0${at + 1} 19:00` }],
    })),
  });
  context.running = await startBuilt(source, NOW);
});
small.after(async ({ running }) => running.close());

small(
  'I9: should offer a category and its subcategory with events, and none without events',
  async ({ running }) => {
    const { categories } = await running.ask<{ categories: readonly { id: string }[] }>(
      '{ categories { id } }',
    );
    assert.equal(
      categories.map(({ id }) => id),
      ['MUSIC', 'ART'],
    );
    assert.equal(boxesIn((await page(running)).html), ['MUSIC', 'JAZZ']);
  },
);

small(
  'I9: should tell venues of one name apart in the form by address, else by slug',
  async ({ running }) => {
    const labels = groupsIn((await page(running)).html, /name="venues" value="([^"]*)"> ([^<]*)</g);
    const expected = PLACES.map(({ slug, label }) => [slug, label]);
    assert.equal(Object.fromEntries(labels), Object.fromEntries(expected));
  },
);

small('I9: should tell venues of one name apart in the name of the list', async ({ running }) => {
  const { html } = await page(running, '?venues=radhus-1,radhus-3');
  assert.match(html, ': Rådhuset (Gata 1, 7010 Trondheim), Rådhuset (Gata 3, 0001 Oslo)</p>');
});

small.run();
