/** I13, D4: the page for developers, whose counts and examples are those of this calendar. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { listing } from '../../../../src/annexes/listing/annex.ts';
import { pages } from '../../../../src/annexes/pages/annex.ts';
import { MEANINGS } from '../../../../src/annexes/pages/developer/errors.ts';
import { DOCS } from '../../../../src/annexes/pages/doc-list.ts';
import { DAY, formatOslo, osloDay, startOfDay } from '../../../../src/calendar/time.ts';
import type { Admitted } from '../../../../src/serve/admission/admission.ts';
import { STATUS } from '../../../../src/serve/http/replies.ts';
import { withAnnex } from '../../../helpers/annex.ts';
import { assertAbove } from '../../../helpers/assertions.ts';
import { closedAfterEach } from '../../../helpers/closing.ts';
import { eachIn, groupsIn, plainText, textIn } from '../../../helpers/html.ts';
import { sourceFolder } from '../../../helpers/native-source.ts';
import { startPages } from '../../../helpers/pages.ts';
import type { Running } from '../../../helpers/running.ts';
import { startSample } from '../../serve/http/sample.ts';

const NOW = Date.parse('2026-11-20T10:17:00Z');

interface Context {
  clock: number;
  running: Running;
}

const page = suite<Context>('developer page');
const opened = closedAfterEach(page);

page.before(async (context) => {
  context.clock = NOW;
  context.running = await startPages({ clock: () => context.clock });
});

page.before.each((context) => {
  context.clock = NOW;
});

page.after(({ running }) => running.close());

const get = ({ running }: Context, path = '/developers', headers: Readonly<Record<string, string>> = {}) =>
  running.send(path, { headers });

/** Text of the rows of the table with this caption, cell by cell. */
function tableIn(text: string, caption: string): readonly (readonly string[])[] {
  const [, body = ''] =
    new RegExp(`<caption>${caption}</caption>[\\s\\S]*?<tbody>([\\s\\S]*?)</tbody>`).exec(text) ?? [];
  return eachIn(body, /<tr>([\s\S]*?)<\/tr>/g).map((row) =>
    eachIn(row, /<t[hd][^>]*>([\s\S]*?)<\/t[hd]>/g).map((cell) => plainText(cell)),
  );
}

interface LanguageCase {
  readonly path: string;
  readonly accept: string;
  readonly language: string;
}

const LANGUAGES: readonly LanguageCase[] = [
  { path: '/developers', accept: 'nb-NO,nb;q=0.9', language: 'nb' },
  { path: '/developers', accept: 'nn', language: 'nb' },
  { path: '/developers', accept: 'da', language: 'nb' },
  { path: '/developers', accept: 'sv-SE, en;q=0.5', language: 'nb' },
  { path: '/developers', accept: 'en, da;q=0.5', language: 'en' },
  { path: '/developers', accept: 'en-GB', language: 'en' },
  { path: '/developers', accept: 'de-DE, en;q=0.5, no;q=0.4', language: 'en' },
  { path: '/developers', accept: 'fr', language: 'en' },
  { path: '/developers', accept: 'en;q=0', language: 'en' },
  { path: '/developers', accept: '', language: 'nb' },
  { path: '/developers', accept: 'constructor, __proto__', language: 'en' },
  { path: '/developers?lang=en', accept: 'nb', language: 'en' },
  { path: '/developers?lang=nb', accept: 'en', language: 'nb' },
  { path: '/developers?lang=klingon', accept: 'nb', language: 'nb' },
];

for (const { path, accept, language } of LANGUAGES) {
  page(`I13: should be in ${language} at ${path} for Accept-Language: ${accept}`, async (context) => {
    const { headers, text } = await get(context, path, { 'accept-language': accept });
    assert.match(text, `<html lang="${language}">`);
    assert.is(headers['content-language'], language);
    assert.match(headers.vary ?? '', /\bAccept-Language\b/);
  });
}

interface AlternateCase {
  readonly path: string;
  /** The address that its links to both languages name; null for a page in English only. */
  readonly named: string | null;
}

const ALTERNATES: readonly AlternateCase[] = [
  { path: '/developers', named: '/developers' },
  { path: '/docs/', named: '/docs/' },
  { path: '/docs/api', named: null },
  { path: '/changelog', named: '/changelog' },
];

for (const { path, named } of ALTERNATES) {
  page(`I11: should name ${named ?? 'no other language'} for search engines at ${path}`, async (context) => {
    const forwarded = { 'x-forwarded-proto': 'https' };
    const { headers, text } = await get(context, `${path}?lang=nb`, forwarded);
    const links = groupsIn(text, /<link rel="alternate" hreflang="([^"]*)" href="([^"]*)">/g);
    const address = `${context.running.url.replace('http:', 'https:')}${named}`;
    const expected = [
      ['nb', `${address}?lang=nb`],
      ['en', `${address}?lang=en`],
      ['x-default', address],
    ];
    assert.equal(links, named === null ? [] : expected);
    assert.match(headers.vary ?? '', /\bX-Forwarded-Proto\b/);
  });
}

page('D6: should answer 304 to a client that has the page', async (context) => {
  const { headers } = await get(context);
  assert.match(headers.etag ?? '', /^"/);
  const again = await get(context, '/developers', { 'if-none-match': headers.etag ?? '' });
  assert.is(again.status, 304);
});

/** The first second of a list that comes after NOW. */
const firstAfterNow = (seconds: Iterable<number>) =>
  Math.min(...[...seconds].filter((at) => at * 1_000 > NOW));

page('D6: should be fresh for a minute, and not beyond the next change', async (context) => {
  const next = firstAfterNow(context.running.keeper.state().current?.columns.moments ?? []);
  assert.is((await get(context)).headers['cache-control'], 'public, max-age=60');
  context.clock = (next - 10) * 1_000;
  assert.is((await get(context)).headers['cache-control'], 'public, max-age=10');
  context.clock = next * 1_000 - 1;
  assert.is((await get(context)).headers['cache-control'], 'public, max-age=0');
});

page('D6: should be fresh until a second after the start of the next event', async (context) => {
  const start = firstAfterNow(context.running.keeper.state().current?.columns.start ?? []);
  context.clock = (start - 5) * 1_000;
  assert.is((await get(context)).headers['cache-control'], 'public, max-age=6');
});

page('D6: should change at midnight in Norway', async (context) => {
  const midnight = startOfDay(osloDay(NOW / 1_000) + 1) * 1_000;
  context.clock = midnight - 20_000;
  const before = await get(context);
  assert.match(before.text, '<time datetime="2026-11-20"><span class="leaf-month">November');
  assert.is(before.headers['cache-control'], 'public, max-age=20');
  context.clock = midnight;
  assert.match((await get(context)).text, '<time datetime="2026-11-21"><span class="leaf-month">November');
});

const nextIn = (text: string) => /<h2 id="next">([\s\S]*)<h2 id="walk">/.exec(text)?.[1] ?? '';

page('I13: should name the events that begin next, as the endpoint does', async (context) => {
  type Found = Readonly<Record<'title_nb' | 'title_en' | 'occurrenceLink' | 'startDate', string | null>>;
  let now = NOW / 1_000;
  for (let step = 0; step < 4; step++) {
    context.clock = now * 1_000;
    const { events } = await context.running.ask<{ events: { data: readonly Found[] } }>(
      `{ events(filter: {fromStartDate: "${formatOslo(now)}"}, pageSize: 6) { data { title_nb title_en occurrenceLink startDate } } }`,
    );
    const { text } = await get(context, '/developers?lang=nb');
    const links = groupsIn(nextIn(text), /<a href="([^"]+\/events\/[^"]+)"(?: lang="en")?>([^<]+)/g);
    assert.equal(
      links.map(([link, title]) => [link, plainText(title)]),
      events.data.map(({ occurrenceLink, title_nb, title_en }) => [occurrenceLink, title_nb ?? title_en]),
    );
    // The second after the first one's start, when it is no longer the next.
    now = Date.parse((events.data[0]?.startDate ?? '').replace(' ', 'T')) / 1_000 + 1;
  }
});

const venue = (id: string, name: string, more: object) => ({ id, name, municipality: 'Oppdal', ...more });
const oneOn = (id: string, title: string, more: object) => ({ id, title_nb: title, ...more });
const at = (venueId: string, start: string, end?: string, more = {}) => ({
  venue: venueId,
  dates: [{ start, ...(end && { end }), ...more }],
});
const AROUND = {
  'venues.json': [venue('v1', 'Folkets hus', {}), venue('v5', 'Kirken', {})],
  'events.json': [
    oneOn('a', 'Utstilling', at('v1', '2026-10-01 10:00', '2026-12-24 12:00')),
    oneOn('e', 'Festival', at('v5', '2026-11-21', '2026-11-22', { eventCancelled: true })),
    oneOn('f', 'Konsert', at('v1', '2026-11-21 19:00', '2026-11-21 22:00', { eventSoldOut: true })),
  ],
};

page('A15: should show no time for whole days, and mark cancelled and sold-out events', async () => {
  const running = opened(await startPages({ clock: () => NOW, source: sourceFolder(AROUND) }));
  const { text } = await running.send('/developers?lang=nb');
  const shown = eachIn(nextIn(text), /(<h3[\s\S]*?<\/h3>|<li>[\s\S]*?<\/li>)/g);
  assert.equal(
    shown.map((part) => textIn(part.replaceAll(/<span class="wh/g, ' | $&'))),
    [
      'Lørdag 21. november',
      'Til og med 22. nov. | Festival Avlyst | Kirken',
      '19.00–22.00 | Konsert Utsolgt | Folkets hus',
    ],
  );
});

/** Questions of the walk with their answers, as text. */
const walkIn = (text: string) => {
  const [walk = ''] = text.split('<h2 id="walk">', 2)[1]?.split('</section>', 1) ?? [];
  const found = groupsIn(walk, /<code>([\s\S]*?)<\/code><\/pre><\/div>\n<pre[^>]*><code>([\s\S]*?)<\/code>/g);
  return found.map(([query, answer]) => ({ query: plainText(query), answer: plainText(answer) }));
};

page('A3: should count and answer its questions as the endpoint does, at every moment', async (context) => {
  for (const days of [0, 0.5, 40.2, 200, 500]) {
    context.clock = NOW + days * DAY * 1_000;
    const page = (await get(context, '/developers?lang=en')).text;
    const walked = walkIn(page);
    const { events } = await context.running.ask<{ events: { totalCount: number } }>(
      '{ events { totalCount } }',
    );
    assert.match(page, `<strong>${events.totalCount}</strong> upcoming events`, `after ${days} days`);
    assert.is(walked.length, 7);
    for (const { query, answer } of walked) {
      const { text } = await context.running.post(query);
      const { extensions: { notice: _, ...extensions } = {}, ...rest } = JSON.parse(text);
      const expected = { ...rest, ...(Object.keys(extensions).length > 0 && { extensions }) };
      assert.equal(JSON.parse(answer), expected, query);
    }
  }
});

page('I13: should name the feeds and each part of the interface', async (context) => {
  const { text } = await get(context, '/developers?lang=nb');
  for (const type of ['text/calendar', 'application/rss+xml', 'application/ld+json'])
    assert.match(text, `<link rel="alternate" type="${type}"`);
  for (const word of [
    'hasMore',
    'pageInfo',
    'first',
    'approximate',
    'accessibilities',
    'WHEELCHAIR',
    'WEEKEND',
    'focusX',
    'urlLarge',
    'postalCode',
    'Apollo',
    'urql',
    'APQ',
  ])
    assert.match(plainText(text), new RegExp(`\\b${word}\\b`));
});

page('I13: should list the categories of the endpoint', async (context) => {
  type Label = Readonly<Record<'id' | 'name_nb' | 'name_en', string>>;
  const { categories } = await context.running.ask<{
    categories: readonly (Label & { subcategories: readonly Label[] })[];
  }>('{ categories { id name_nb name_en subcategories { id name_nb name_en } } }');
  const { text } = await get(context, '/developers?lang=en');
  const rows = tableIn(text, 'Categories and subcategories with the number of upcoming events');
  assert.equal(
    rows.map(([id, nb, en]) => ({ id, name_nb: nb?.replace(/ hidden$/, ''), name_en: en })),
    categories.flatMap(({ subcategories, ...own }) => [own, ...subcategories]),
  );
});

/** The definition of each name in a section. */
function definitionsIn(text: string, section: string): ReadonlyMap<string, string> {
  const [, its = ''] = new RegExp(`<h2 id="${section}">([\\s\\S]*?)</section>`).exec(text) ?? [];
  const found = groupsIn(its, /<dt><code>(\w+)<\/code>[\s\S]*?<dd>([\s\S]*?)<\/dd>/g);
  return new Map(found.map(([name = '', meaning = '']) => [name, meaning]));
}

/** The type whose fields each section of the page describes. */
const SECTIONS = { queries: 'Query', filter: 'Filter', event: 'Event' };

page(
  'I13: should describe queries, filter and event as the schema does, also in Norwegian',
  async (context) => {
    type Described = Readonly<Record<'name' | 'description', string>>;
    const schema = await context.running.ask<Readonly<Record<string, { all: readonly Described[] }>>>(
      `{ Query: __type(name: "Query") { all: fields { name description } }
      Filter: __type(name: "Filter") { all: inputFields { name description } }
      Event: __type(name: "Event") { all: fields { name description } } }`,
    );
    const { text } = await get(context, '/developers?lang=en');
    const norwegian = (await get(context, '/developers?lang=nb')).text;
    for (const [section, type] of Object.entries(SECTIONS)) {
      const found = definitionsIn(text, section);
      const own = definitionsIn(norwegian, section);
      assert.equal([...own.keys()], [...found.keys()]);
      for (const [name, meaning] of own) assert.not.match(meaning, /^$|lang="en"/, `${section}: ${name}`);
      const fields = schema[type]?.all ?? [];
      for (const { name, description } of fields)
        assert.is(plainText(found.get(name)), description.replaceAll('`', ''), name);
      assert.equal(
        [...found.keys()].filter((name) => name !== 'sortBy'),
        fields.map(({ name }) => name),
      );
    }
    assert.match(definitionsIn(text, 'filter').get('sortBy') ?? '', /^Deprecated\./);
  },
);

page('A14, D1: should explain each code of an error, after the place of reasons', async (context) => {
  assert.equal(Object.keys(MEANINGS).sort(), Object.keys(STATUS).sort());
  for (const { lang, caption } of [
    { lang: 'nb', caption: 'Koder, og HTTP-statusen de kommer med' },
    { lang: 'en', caption: 'Codes, and the HTTP status they come with' },
  ] as const) {
    const { text } = await get(context, `/developers?lang=${lang}`);
    const [, section = ''] = text.split('<h2 id="errors">', 2);
    assert.match(section, /^[\s\S]{0,600}?<dt><code>extensions\.reasons<\/code>/);
    const rows = tableIn(text, caption);
    assert.equal(
      rows.map(([code, status]) => [code, Number(status)]),
      Object.entries(STATUS),
    );
    for (const [code, , meaning = ''] of rows) assertAbove(meaning.length, 10, `letters about ${code}`);
  }
});

page('I13: should show docs with the address of this server, and highlighted code', async (context) => {
  const { status, text } = await get(context, '/docs/api?lang=en');
  assert.is(status, 200);
  assert.match(text, '<article class="prose">\n<h1 id="api-guide">');
  assert.match(text, '<a href="api?lang=en" aria-current="page">API guide</a>');
  assert.match(text, '<li><a href="#detect-changes">Detect changes</a></li>');
  assert.match(text, '<a href="clients">Clients</a>');
  assert.match(text, `<code>curl --silent --get ${context.running.url}/graphQL \\`);
  assert.match(text, '<span class="hljs-string">');
  assert.not.match(text, 'localhost:4000');
  assert.is((await get(context, '/docs/operating')).status, 404);
});

page('I13: should name no file of the repository in docs', async (context) => {
  for (const { name } of DOCS) {
    const { text } = await get(context, `/docs/${name}`);
    assert.not.match(text, /(?:test|src|jobs|\.ci)\/[\w/-]+\.(?:test\.)?m?[tj]s/, name);
  }
});

const LOCAL = 'as on this machine';

interface HostCase {
  readonly named: string;
  readonly host: string;
  readonly more?: object;
}

/** Headers, with the address that the page prints for them. D14: any other name would be a page of its own. */
const HOSTS: readonly HostCase[] = [
  { named: 'http://kalender.example:8080', host: 'kalender.example:8080' },
  {
    named: 'https://kalender.example:8080',
    host: 'Kalender.Example:8080',
    more: { 'x-forwarded-proto': 'https' },
  },
  { named: 'http://[2001:db8::7]:4001', host: '[2001:db8::7]:4001' },
  { named: LOCAL, host: 'other.example' },
  { named: LOCAL, host: 'kalender.example:8081' },
  { named: LOCAL, host: 'a"><script>alert(1)</script>' },
  { named: LOCAL, host: "a'; rm -rf ~; '" },
  { named: LOCAL, host: 'a/$(id)' },
  { named: LOCAL, host: 'me@kalender.example' },
  {
    named: 'http://kalender.example:8080',
    host: 'kalender.example:8080',
    more: { 'x-forwarded-proto': 'javascript' },
  },
  {
    named: 'http://kalender.example:8080',
    host: 'kalender.example:8080',
    more: { 'x-forwarded-host': 'evil.example' },
  },
];

for (const { named, host, more } of HOSTS) {
  page(`D14: should print ${named} as its address for the host ${host}`, async ({ running }) => {
    const port = Number(new URL(running.url).port);
    running.serverAddress.listenUnder('kalender.example', 8_080);
    running.serverAddress.listenUnder('2001:db8::7', 4_001);
    running.serverAddress.listenUnder('127.0.0.1', port);
    const { text } = await running.send('/developers', { headers: { host, ...more } });
    const address = named === LOCAL ? `http://localhost:${port}` : named;
    assert.match(text, `<code>${address}/graphQL</code>`);
    assert.match(plainText(text), `curl --silent '${address}/graphQL'`);
    assert.not.match(text, /evil|<script>|rm -rf|\$\(id\)/);
  });
}

page('D14: should print the public URL for any host name, if one is set', async () => {
  const settings = { publicUrl: new URL('https://kalender.example/api/') };
  const running = opened(await startPages({ clock: () => NOW, settings }));
  const { text, headers } = await running.send('/developers', { headers: { 'x-forwarded-proto': 'http' } });
  assert.match(text, '<code>https://kalender.example/api/graphQL</code>');
  assert.is(headers.vary, 'Accept-Language, Accept-Encoding');
});

page('D14: should be made once for requests at one time, by any host names', async () => {
  const stand = opened(await startSample({ annexes: [pages] }));
  const hosts = Array.from({ length: 20 }, (_, nth) => ({ host: `h${nth}.example` }));
  const got = await Promise.all(hosts.map((headers) => stand.send('/developers', { headers })));
  const [first] = got;
  for (const { status, text } of got) {
    assert.is(status, 200);
    assert.is(text, first?.text);
  }
  assert.is(stand.admission.state().admitted, 1, 'pieces of work');
});

page('D14: should be refused like any work where there is no room, unless it is cached', async () => {
  const work: Admitted[] = [];
  const small = { mostRunning: 2, mostWaiting: 0 };
  const stand = opened(await startSample({ annexes: [pages, listing], admission: { small } }));
  await stand.send('/developers');
  for (const address of ['a', 'b']) work.push(await stand.admission.enter({ address }));
  assert.is((await stand.send('/developers')).status, 200);
  for (const path of ['/developers?lang=en', '/sitemap.xml']) {
    const { status, headers, text } = await stand.send(path);
    assert.is(status, 503, path);
    assert.is(headers['retry-after'], '1', path);
    assert.is(JSON.parse(text).errors[0].extensions.code, 'OVERLOADED');
  }
  for (const place of work) place.leave();
  assert.is((await stand.send('/developers?lang=en')).status, 200);
});

page('G8: should not let texts of a calendar become markup, code or a dangerous link', async () => {
  const nasty = `</title><script>alert('x')</script>"'&`;
  const source = sourceFolder({
    'licence.json': {
      id: 'x',
      name: nasty,
      siteUrl: 'https://kalender.example',
      categories: [{ id: `M'$(id)"`, name_nb: nasty, name_en: nasty }],
    },
    'venues.json': [{ id: 'v', name: nasty }],
    'events.json': [
      {
        id: 'e',
        title_nb: nasty,
        venue: 'v',
        categories: [`M'$(id)"`],
        eventLink: 'javascript:alert(1)/x',
        dates: [{ start: '2026-11-21 19:00' }],
      },
    ],
  });
  const running = opened(await startPages({ clock: () => NOW, source }));
  const { text, headers } = await running.send('/developers');
  // Elements are taken out at the build (G8); the rest of the name is escaped here.
  assert.match(text, '&quot;&apos;&amp;');
  assert.not.match(text, /<script>|href="javascript/i);
  assert.is([...text.matchAll(/<script/g)].length, 2, 'its own file');
  assert.match(
    headers['content-security-policy'] ?? '',
    /^default-src 'none'; style-src 'self';.*; script-src 'self'$/,
  );
});

page('K4: should promise that there is no quota if there is none', async ({ running: { send } }) => {
  assert.match((await send('/developers?lang=nb')).text, 'Ingen innlogging, ingen kvote: rett');
  assert.match((await send('/developers?lang=en')).text, 'No sign-up, no quota: for your own site');
});

withAnnex('quota', page)('K4: should not promise it if there is a quota', async () => {
  const { send } = opened(await startPages({ clock: () => NOW, settings: { quota: 60 } }));
  assert.match((await send('/developers?lang=nb')).text, 'Ingen innlogging: rett');
  assert.match((await send('/developers?lang=en')).text, 'No sign-up: for your own site');
});

page.run();
