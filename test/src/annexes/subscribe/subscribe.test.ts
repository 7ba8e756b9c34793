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

const CHOSEN =
  '?lang=en&categories=MUSIC&categories=ART&venues=nidarosdomen&municipality=&searchTerm=&free=true';

test('I9: should make an address of each form, without what was not chosen', async ({ running }) => {
  const { html } = await page(running, CHOSEN);
  const query = '?categories=MUSIC,ART&venues=nidarosdomen&free=true&lang=en';
  const { url } = running;
  const formats = { ics: 'ics', RSS: 'rss', JSON: 'json', CSV: 'csv' };
  assert.equal(addressesIn(html), {
    ...Object.fromEntries(
      Object.entries(formats).map(([name, ending]) => [name, `${url}/events.${ending}${query}`]),
    ),
    page: `${url}/events.html?view=plain&${query.slice(1)}`,
  });
  for (const address of Object.values<string>(addressesIn(html)))
    assert.is((await fetch(address)).status, 200);
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

test('I9: should take a ticked category with one ticked subcategory for the latter', async ({ running }) => {
  const nodes = await nodesOf(running.url, { filter: { categories: ['MUSIC_JAZZ', 'SPORT'] } });
  const { html } = await page(running, '?lang=en&categories=MUSIC&categories=MUSIC_JAZZ&categories=SPORT');
  assert.match(html, `<strong>${nodes.length}</strong> events now`);
  assert.is(addressesIn(html).ics, `${running.url}/events.ics?categories=MUSIC_JAZZ,SPORT&lang=en`);
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
  assertAbove(days.length, 0, 'days');
  for (const day of days) assert.match(day, /^ <span class="until">Til og med \d/);
  for (const day of eachIn(html, /<h3[^>]*><time datetime="(.*?)"/g)) assert.ok(day >= '2026-06-15', day);
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

test('I9: should offer what has events now', async ({ running }) => {
  const { html } = await page(running);
  for (const category of ['MUSIC', 'SPORT'])
    assert.match(html, `<input type="checkbox" name="categories" value="${category}">`);
});

test('I9: should keep what was ticked', async ({ running }) => {
  const { html } = await page(running, CHOSEN);
  assert.match(html, '<input type="checkbox" name="categories" value="MUSIC" checked>');
  assert.match(html, '<input type="checkbox" name="venues" value="nidarosdomen" checked>');
  assert.match(html, 'name="free" value="true" checked>');
});

test('I9: should keep a municipality that was chosen by its number', async ({ running }) => {
  assert.match((await page(running, '?municipality=5001')).html, '<option value="Trondheim" selected>');
});

test('I9: should keep a filter that the form does not show', async ({ running }) => {
  const { html } = await page(running, '?organizerSlug=laget');
  assert.match(html, '<input type="hidden" name="organizerSlug" value="laget">');
});

test('I9: MUST NOT repeat a key', async ({ running }) => {
  assert.not.match((await page(running, '?key=geheim')).html, 'geheim');
});

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
];

test('I9: should tell venues of one name apart by address, else by slug', async () => {
  const source = sourceFolder({
    'venues.json': PLACES.map(({ slug, name, address }) => ({ id: slug, slug, name, address })),
    'events.json': PLACES.map(({ slug }, at) => ({
      id: slug,
      title_nb: 'Kor',
      venue: slug,
      dates: [{ start: `2026-02-0${at + 1} 19:00` }],
    })),
  });
  const running = await startBuilt(source, NOW);
  try {
    const labels = groupsIn((await page(running)).html, /name="venues" value="([^"]*)"> ([^<]*)</g);
    assert.equal(
      Object.fromEntries(labels),
      Object.fromEntries(PLACES.map(({ slug, label }) => [slug, label])),
    );
    const chosen = (await page(running, '?venues=radhus-1,radhus-3')).html;
    assert.match(chosen, ': Rådhuset (Gata 1, 7010 Trondheim), Rådhuset (Gata 3, 0001 Oslo)</p>');
  } finally {
    await running.close();
  }
});

test('I9: should write markup that keeps to its attributes', async ({ running }) => {
  const { html } = await page(running, '?lang=nb&searchTerm=%22%3E%3Cscript%3E');
  assert.equal(html.match(/<script[^>]*>/g)?.length, 3, 'its own');
  assert.not.match(html, '<script>');
  const [, code = ''] = /<pre class="example"[^>]*><code>([\s\S]*?)<\/code>/.exec(html) ?? [];
  assert.match(plainText(code), 'searchTerm="&quot;&gt;&lt;script&gt;"');
  assert.match(plainText(code), '<almanakk-events');
});

test('I9: should speak the reader’s language, and keep choices in the other one', async ({ running }) => {
  assert.match((await page(running, '', { 'accept-language': 'en' })).html, '<h1>Subscribe</h1>');
  const { html, headers } = await page(running, '?categories=MUSIC', { 'accept-language': 'nb' });
  assert.match(html, '<h1>Abonner</h1>');
  assert.match(html, 'hreflang="en" href="?categories=MUSIC&amp;lang=en"');
  assert.match(headers.vary ?? '', 'Accept-Language');
  assert.match(headers['cache-control'] ?? '', /^public, max-age=\d+$/);
});

test.run();
