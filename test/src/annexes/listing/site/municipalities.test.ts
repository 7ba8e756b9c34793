/** I11: pages of municipalities, as search engines find them. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { hitsByMunicipality } from '../../../../../src/annexes/events/municipalities.ts';
import { withAnnex } from '../../../../helpers/annex.ts';
import { NOW } from '../../../../helpers/calendar.ts';
import { eachIn, plainText } from '../../../../helpers/html.ts';
import { called } from '../../../../helpers/mcp-calls.ts';
import { sourceFolder } from '../../../../helpers/native-source.ts';
import { type Running, startBuilt } from '../../../../helpers/running.ts';
import { open } from './calendar.ts';

const REGISTER = [
  ['7013', 'TRONDHEIM', '5001', 'TRONDHEIM', 'G'],
  ['6070', 'TJØRVÅG', '1515', 'HERØY', 'G'],
  ['8850', 'HERØY', '1818', 'HERØY', 'G'],
  ['9700', 'LAKSELV', '5436', 'PORSANGER - PORSÁŊGU', 'G'],
  ['7340', 'OPPDAL', '5021', 'OPPDAL', 'G'],
];

const POSTAL_CODES = REGISTER.map(([code]) => code ?? '');

/** Røros has no event, and Oppdal one on the day of the build. Nobody knows in which Herøy Brygga is. */
const SOURCE = {
  'postal-codes.tsv': REGISTER.map((columns) => columns.join('\t')).join('\n'),
  'venues.json': [
    ...['7340', ...POSTAL_CODES].map((postalCode, at) => ({ id: `v${at}`, name: `Sted ${at}`, postalCode })),
    { id: 'torget', name: 'Torget', municipality: 'Røros' },
    { id: 'brygga', name: 'Brygga', municipality: 'Herøy' },
  ],
  'events.json': [
    { id: 'soon', venue: 'v0', dates: [{ start: '2026-01-01 13:00', end: '2026-01-01 14:00' }] },
    ...[1, 2, 3, 4].map((at) => ({
      id: `e${at}`,
      venue: `v${at}`,
      dates: [{ start: `2026-02-0${at} 19:00` }],
    })),
    { id: 'trondheim', venue: 'v1', dates: [{ start: '2026-02-05 19:00' }] },
    { id: 'heroy', venue: 'brygga', dates: [{ start: '2026-02-06 19:00' }] },
  ].map((event) => ({ title_nb: event.id, ...event })),
};

interface Context {
  running: Running;
  now: number;
}

const test = suite<Context>('pages of municipalities');

test.before(async (context) => {
  context.now = NOW;
  context.running = await startBuilt(sourceFolder(SOURCE), NOW, { clock: () => context.now * 1_000 });
});
test.before.each((context) => {
  context.now = NOW;
});
test.after(({ running }) => running.close());

const sitemapOf = async ({ url, send }: Running) => {
  const locations = eachIn((await send('/sitemap.xml')).text, /<loc>([^<]*events\.html[^<]*)/g);
  return locations.map((location) => plainText(location).replace(url, ''));
};

const headOf = ({ url }: Running, html: string) => {
  const [canonical = ''] = eachIn(html, /<link rel="canonical" href="([^"]*)"/g);
  const [description = ''] = eachIn(html, /<meta name="description" content="([^"]*)"/g);
  const [title = ''] = eachIn(html, /<title>([^<]*)/g);
  const languages = eachIn(html, /<link rel="alternate" hreflang="[^"]*" href="([^"]*)"/g);
  return {
    canonical: plainText(canonical).replace(url, ''),
    description: plainText(description),
    title: plainText(title),
    languages: languages.map((link) => plainText(link).replace(url, '')),
  };
};

const isLeftOut = (html: string) => html.includes('<meta name="robots" content="noindex">');

test('I11: should have the page of each municipality with upcoming events and an address of its own in the sitemap', async (context) => {
  const { running } = context;
  const towns = ['Trondheim', '1515', '1818', 'Porsanger+-+Pors%C3%A1%C5%8Bgu'];
  const paths = towns.map((town) => `/events.html?municipality=${town}`);
  const oppdal = '/events.html?municipality=Oppdal';
  assert.equal((await sitemapOf(running)).toSorted(), ['/events.html', oppdal, ...paths].toSorted());
  context.now += 4 * 3_600;
  assert.equal((await sitemapOf(running)).toSorted(), ['/events.html', ...paths].toSorted());
});

test('I11: should give each page in the sitemap its own address, title, description and languages', async ({
  running,
}) => {
  const heads = [];
  for (const path of await sitemapOf(running)) {
    const { html } = await open(running, path);
    const head = headOf(running, html);
    const separator = path.includes('?') ? '&' : '?';
    assert.is(head.canonical, path);
    const firstPage = await open(running, `${path}${separator}page=0`);
    assert.is(headOf(running, firstPage.html).canonical, path);
    const inEach = ['nb', 'en', 'nn'].map((language) => `${path}${separator}lang=${language}`);
    assert.equal(head.languages, [...inEach, path]);
    assert.is(isLeftOut(html), false, path);
    heads.push(head);
  }
  const trondheim = heads.find(({ canonical }) => canonical.endsWith('Trondheim'));
  assert.is(trondheim?.title, 'Hva skjer i Trondheim – Trondheim');
  assert.is(trondheim?.description, 'Hva skjer i Trondheim. Kommende arrangementer fra Trondheim.');
});

const LINKED = {
  trondheim: '<a href="../events.html?municipality=Trondheim">Trondheim</a>',
  e2: '<a href="../events.html?municipality=1515">Herøy</a>',
};

for (const [slug, link] of Object.entries(LINKED)) {
  test(`I11: should link from the page of ${slug} to that of its municipality`, async ({ running }) => {
    const { html } = await open(running, `/events/${slug}.html`);
    assert.match(html, `<dt>Kommune</dt><dd>${link}</dd>`);
  });
}

interface Spelling {
  readonly given: string;
  readonly canonical: string;
  readonly heading: string;
}

const PORSANGER = 'Porsanger+-+Pors%C3%A1%C5%8Bgu';

const SPELLINGS: readonly Spelling[] = [
  { given: 'trondheim', canonical: 'Trondheim', heading: 'Hva skjer i Trondheim' },
  { given: '5001', canonical: 'Trondheim', heading: 'Hva skjer i Trondheim' },
  { given: 'PORSANGER', canonical: PORSANGER, heading: 'Hva skjer i Porsanger - Porsáŋgu' },
  { given: '1818', canonical: '1818', heading: 'Hva skjer i Herøy' },
  // Two municipalities have this name.
  { given: 'Herøy', canonical: 'Her%C3%B8y', heading: 'Hva skjer i Herøy' },
];

for (const { given, canonical, heading } of SPELLINGS) {
  test(`I11: should name ${canonical} as the canonical page of ${given}`, async ({ running }) => {
    const { html } = await open(running, `/events.html?municipality=${encodeURIComponent(given)}`);
    assert.is(headOf(running, html).canonical, `/events.html?municipality=${canonical}`);
    assert.match(html, `<h1>${heading}</h1>`);
  });
}

const placesIn = (html: string) => eachIn(html, /<span class="place">([^<]*)/g);

/** Lists of the calendar, with the places of their rows. */
const PLACES: Readonly<Record<string, readonly string[]>> = {
  '': ['Sted 0, Oppdal', 'Sted 1, Trondheim', 'Sted 2, Herøy', 'Sted 3, Herøy'],
  '?municipalities=Oppdal,1515': ['Sted 0, Oppdal', 'Sted 2, Herøy'],
  '?municipality=oppdal': ['Sted 0'],
  '?municipality=5021': ['Sted 0'],
  '?municipalities=Oppdal': ['Sted 0'],
};

for (const [search, places] of Object.entries(PLACES)) {
  test(`I11: should name the municipality in a row if the list can have several: ${search || 'all'}`, async ({
    running,
  }) => {
    const { html } = await open(running, `/events.html${search}`);
    assert.equal(placesIn(html).slice(0, 4), places);
  });
}

test('I11: should offer municipalities of one name as one choice, with the events of all', async ({
  running,
}) => {
  const { html } = await open(running, '/events.html');
  const choices = eachIn(html, /<option value="Herøy">([^<]*)</g);
  assert.equal(
    choices.map((choice) => plainText(choice)),
    ['Herøy (3)'],
  );
  const chosen = await open(running, '/events.html?municipality=Her%C3%B8y');
  assert.match(chosen.html, '<p class="found">3 arrangementer');
});

test('I11: should count the events of all municipalities of a name, if each has a number', () => {
  const entries = [
    { number: '1515', name: 'Herøy', hits: 2 },
    { number: '5021', name: 'Oppdal', hits: 4 },
    { number: '1818', name: 'Herøy', hits: 1 },
  ];
  const expected = [
    ['Herøy', 3],
    ['Oppdal', 4],
  ];
  assert.equal([...hitsByMunicipality(entries)], expected);
});

withAnnex('mcp', test)(
  'I14: should offer assistants municipalities of one name by their numbers',
  async ({ running }) => {
    const { found } = await called(running, 'list_choices', { kind: 'municipalities', text: 'herøy' });
    const choices: readonly { readonly value: string; readonly events: number }[] = found.choices;
    const offered = choices.map(({ value, events }) => [value, events]).sort();
    assert.equal(offered, [
      ['1515', 1],
      ['1818', 1],
      ['Herøy', 3],
    ]);
    for (const { value, events } of choices) {
      const answer = await called(running, 'find_events', { municipality: value });
      assert.is(answer.found.total, events, value);
    }
  },
);

const LEFT_OUT = {
  'a municipality that the calendar does not know': '?municipality=Nowhere',
  'a municipality without events': '?municipality=R%C3%B8ros',
  'a choice without events': '?municipality=Trondheim&free=true',
  'a page after the last one': '?municipality=Trondheim&page=7',
};

for (const [what, search] of Object.entries(LEFT_OUT)) {
  test(`I11: should keep search engines from ${what}`, async ({ running }) => {
    const { html, status } = await open(running, `/events.html${search}`);
    assert.equal([status, isLeftOut(html)], [200, true]);
  });
}

test('I11: should let search engines find the list of a calendar whose events are over', async (context) => {
  context.now += 100 * 86_400;
  const { html } = await open(context.running, '/events.html');
  assert.match(html, 'Ingen kommende arrangementer.');
  assert.is(isLeftOut(html), false);
});

test.run();
