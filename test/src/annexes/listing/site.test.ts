/** I11: `/events.html` and `/events/SLUG.html`, the calendar's own site. Built on 1 January 2026, noon UTC. */

import { XMLValidator } from 'fast-xml-parser';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { NOW } from '../../../helpers/calendar.ts';
import { closedAfterEach } from '../../../helpers/closing.ts';
import { eachIn, groupsIn, plainText, textIn } from '../../../helpers/html.ts';
import { LICENCE, sourceFolder } from '../../../helpers/native-source.ts';
import { startPages } from '../../../helpers/pages.ts';
import { type Running, startBuilt } from '../../../helpers/running.ts';
import { nodesOf } from '../feeds/asked.ts';

const PICTURE = {
  urlSmall: 'https://bilde.example/liten.jpg',
  urlLarge: 'https://bilde.example/stor.jpg',
  alt: 'Et "band" på scenen',
};
const many = Array.from({ length: 30 }, (_, at) => ({
  id: `m${String(at).padStart(2, '0')}`,
  title_nb: `Nummer ${at}`,
  tags: ['mange'],
  dates: [{ start: '2026-03-01 19:00' }],
}));
const EVENTS = [
  {
    id: 'a',
    title_nb: 'Fem < seks',
    title_en: 'Five',
    categories: ['JAZZ'],
    venue: 'hall',
    organizers: ['band'],
    images: [PICTURE],
    accessibility: ['WHEELCHAIR'],
    desc_nb: '<p>Blåbær &amp; <b>fløte</b></p>',
    ticketsInformation: 'ticketsInfo',
    ticketsURL: 'https://billett.example/1',
    prices: [
      { type: 'REGULAR', price: 250, name_nb: 'Ordinær' },
      { type: 'CHILD', price: 100, name_nb: 'Barn' },
    ],
    dates: [
      { start: '2026-02-01 19:00', end: '2026-02-01 21:00', prices: [{ type: 'REGULAR', price: 50 }] },
      { start: '2026-02-08 19:00', eventCancelled: true },
    ],
  },
  {
    id: 'days',
    title_nb: 'Hele dager',
    ticketsInformation: 'free',
    dates: [{ start: '2026-02-02', end: '2026-02-03' }],
  },
  { id: 'old', title_nb: 'Snart over', dates: [{ start: '2026-01-01 13:00', end: '2026-01-01 14:00' }] },
  {
    id: 'show',
    title_nb: 'Utstilling',
    tags: ['lang'],
    dates: [{ start: '2026-01-05 10:00', end: '2026-03-01 12:00' }],
  },
  ...many,
];

const SOURCE = {
  'licence.json': { ...LICENCE, dataLicence: { name: 'CC BY 4.0', url: 'https://licence.example/by' } },
  'venues.json': [
    { id: 'hall', name: 'Høyt & Lavt', address: 'Gata 1, 7010 Trondheim', latitude: 63.4, longitude: 10.4 },
  ],
  'organizers.json': [{ id: 'band', name: 'Bandet', website: 'https://band.example/' }],
  'events.json': EVENTS,
};

const test = suite<{ running: Running; clock: { now: number } }>('site');
const opened = closedAfterEach(test);

test.before(async (context) => {
  context.clock = { now: NOW };
  context.running = await startBuilt(sourceFolder(SOURCE), NOW, { clock: () => context.clock.now * 1_000 });
});
test.before.each(({ clock }) => {
  clock.now = NOW;
});
test.after(({ running }) => running.close());

async function open({ send }: Running, path: string, language = 'nb') {
  const { text, ...got } = await send(path, {
    headers: { accept: 'text/html', 'accept-language': language },
  });
  return { ...got, html: text };
}

const titlesIn = (html: string) => eachIn(html, /<h3>.*?<a href="events\/([^"]*)\.html/g);
const headingsIn = (html: string) => eachIn(html, /<h2[^>]*>([\s\S]*?)<\/h2>/g).map((text) => textIn(text));

test('I11: should list 24 events a page, and say how many pages there are', async ({ running }) => {
  const { html } = await open(running, '/events.html');
  assert.is(titlesIn(html).length, 24);
  assert.match(html, 'Side 1 av 2');
});

test('I11: should link to the page with the other events, and back', async ({ running }) => {
  const first = await open(running, '/events.html');
  const [, next = ''] = /rel="next" target="_self" href="([^"]*)"/.exec(first.html) ?? [];
  const second = await open(running, `/${next}`);
  const nodes = await nodesOf(running.url);
  assert.is(titlesIn(first.html).length + titlesIn(second.html).length, nodes.length);
  assert.match(second.html, 'rel="prev"');
});

test('I11: should show picture, time, place and the date’s own price', async ({ running }) => {
  const { html } = await open(running, '/events.html?categories=JAZZ');
  const [, entry = ''] = /<ul class="programme">\n<li>([\s\S]*?)<\/li>/.exec(html) ?? [];
  assert.is(textIn(entry), 'Fem < seks 19.00–21.00 Høyt & Lavt Blåbær & fløte Jazz · 50 kr Også 8. februar');
  assert.match(entry, '<img src="https://bilde.example/liten.jpg" alt="Et &quot;band&quot; på scenen"');
});

test('I11: should count the events of each choice', async ({ running }) => {
  const { html } = await open(running, '/events.html');
  assert.match(html, /<option value="MUSIC">[^<(]*\(1\)<\/option>\n<option value="JAZZ">\u2003Jazz \(1\)/);
  assert.match(html, 'Rullestoltilgang (1)');
});

test('I11: should count the events of a choice together with the chosen filters', async ({ running }) => {
  const { html } = await open(running, '/events.html?free=true');
  assert.match(html, 'aria-current="true">Gratis <span class="hits">1</span>');
  assert.not.match(html, 'Jazz (');
});

test('I11: should count the events of another category without the chosen one', async ({ running }) => {
  assert.match((await open(running, '/events.html?categories=ART')).html, 'Jazz (1)');
});

test('I11: should link each day to its events', async ({ running }) => {
  const { html } = await open(running, '/events.html');
  assert.match(html, 'fromStartDate=2026-01-01&amp;untilDate=2026-01-02');
});

test('I11: should keep the chosen filters in the link of a day', async ({ running }) => {
  const { html } = await open(running, '/events.html?free=true');
  assert.match(html, 'free=true&amp;fromStartDate=2026-02-02&amp;untilDate=2026-02-03">');
});

test('I11: should list the events that start on a day, and mark the day', async ({ running }) => {
  const { html } = await open(running, '/events.html?fromStartDate=2026-02-08&untilDate=2026-02-09');
  assert.equal(titlesIn(html), ['fem-seks']);
  assert.match(html, 'aria-current="date"');
});

test('I11: should mark no day for a window in UTC, which is not a day in Norway', async ({ running }) => {
  const window = 'fromStartDate=2026-02-08T00:00Z&untilDate=2026-02-09T00:00Z';
  assert.not.match((await open(running, `/events.html?${window}`)).html, 'aria-current="date"');
});

/** Views of the list, with the heading of a day in each. */
const HEADINGS_OF_DAY: Readonly<Record<string, string>> = {
  '': 'Søndag 8. februar 1 arrangement',
  '&view=plain': 'Søndag 8. februar',
};

for (const [view, heading] of Object.entries(HEADINGS_OF_DAY)) {
  test(`B12, I11: should have no heading of a day before the window${view}`, async ({ running }) => {
    const { html } = await open(running, `/events.html?fromDate=2026-02-07&untilDate=2026-02-09${view}`);
    assert.equal(headingsIn(html), ['Pågår', heading]);
    assert.match(textIn(html), 'Til og med 1. mars');
  });
}

test('I11: should say that nothing is found, and escape the search', async ({ running }) => {
  const { html } = await open(running, '/events.html?categories=JAZZ&tag=lang&searchTerm=%3Cnei%3E');
  assert.match(textIn(html), 'Ingen treff');
  assert.not.match(html, '<nei>');
});

test('I11: should suggest to remove the filter without which something is found', async ({ running }) => {
  const { html } = await open(running, '/events.html?categories=JAZZ&tag=lang');
  assert.match(html, '<a href="events.html?categories=JAZZ">Fjern merket «lang»</a> (1 arrangement)');
});

test('I11: should link to the list without a chosen category', async ({ running }) => {
  const { html } = await open(running, '/events.html?categories=JAZZ&mode=offline');
  assert.match(html, 'href="events.html?mode=offline" aria-label="Fjern «Jazz»"');
});

/** Addresses of pages after the last one, with the number of the last. */
const BEYOND: Readonly<Record<string, number>> = {
  '/events.html?page=99': 2,
  '/events.html?view=plain&page=99': 1,
};

for (const [path, last] of Object.entries(BEYOND)) {
  test(`I11: should lead from ${path} to the last page`, async ({ running }) => {
    const text = textIn((await running.send(path)).text);
    assert.match(text, `Siden finnes ikke Gå til side ${last}`);
    assert.not.match(text, 'Side 100');
  });
}

/** Filters, and the chips that remove them: words, and the address of each. */
const CHIPS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '': {},
  // A choice of one click is marked where it was made.
  '?free=true&period=TODAY': {},
  '?mode=offline': { 'Med oppmøte ×': 'events.html' },
  '?mode=offline&page=1': { 'Med oppmøte ×': 'events.html' },
  '?tag=lang&mode=offline': {
    'Merket «lang» ×': 'events.html?mode=offline',
    'Med oppmøte ×': 'events.html?tag=lang',
    'Fjern alle filtre': 'events.html',
  },
};

for (const [search, chips] of Object.entries(CHIPS)) {
  test(`I11: should have a chip for each chosen filter: ${search || 'none'}`, async ({ running }) => {
    const { html } = await open(running, `/events.html${search}`);
    const [list = ''] = eachIn(html, /<ul class="chips"[^>]*>([\s\S]*?)<\/ul>/g);
    const found = groupsIn(list, /<a href="([^"]*)"[^>]*>([\s\S]*?)<\/a>/g);
    assert.equal(
      Object.fromEntries(found.map(([to = '', words = '']) => [textIn(words), plainText(to)])),
      chips,
    );
  });
}

test('I11: should be in the language of the browser', async ({ running }) => {
  const { html, headers } = await open(running, '/events.html?categories=JAZZ', 'en');
  assert.match(html, '<html lang="en">');
  assert.match(html, '<h1>Jazz</h1>');
  assert.match(headers.vary ?? '', 'Accept-Language');
});

test('I11: should be in the language of the address, if it has one', async ({ running }) => {
  assert.match((await open(running, '/events.html?lang=nb', 'en')).html, '<h1>Hva skjer</h1>');
});

test('I1, I11: should link to the same list in the other language, without tracking parameters', async (context) => {
  const { html } = await open(context.running, '/events.html?utm_source=brev&categories=JAZZ', 'en');
  assert.match(html, 'href="?categories=JAZZ&amp;lang=nb"');
});

test('I11: should redirect from empty parameters without a snapshot, and then say that there is none', async () => {
  const waiting = opened(await startPages({ source: null }));
  const { status, headers } = await waiting.send('/events.html?searchTerm=&free=true');
  assert.is(status, 303);
  assert.is(headers.location, 'events.html?free=true');
  assert.is(headers['cache-control'], 'no-store');
  assert.is((await waiting.send('/events.html?free=true')).status, 503);
});

const DAY = 'fromStartDate=2026-02-08&untilDate=2026-02-09';

/** Queries that are redirected: empty parameters go, and of a day, a period and a window the last choice stays. */
const REDIRECTS: Readonly<Record<string, string>> = {
  'searchTerm=&categories=JAZZ&fromDate=': '?categories=JAZZ',
  'searchTerm=+': '',
  [`${DAY}&period=WEEKEND`]: '?period=WEEKEND',
  [`${DAY}&period=&lang=en`]: `?${DAY}&lang=en`,
  [`${DAY}&fromDate=2026-02-10`]: '?fromDate=2026-02-10',
  'period=WEEK&fromDate=2026-01-02': '?fromDate=2026-01-02',
};

for (const [query, location] of Object.entries(REDIRECTS)) {
  test(`I11: should redirect from ?${query} to ${location || 'no parameters'}`, async ({ running }) => {
    const { status, headers } = await running.send(`/events.html?${query}`);
    assert.is(status, 303);
    assert.is(headers.location, `events.html${location}`);
    assert.is((await running.send(`/events.html${location}`)).status, 200);
  });
}

test('I11: should link from a day to a period without the day', async ({ running }) => {
  const { html } = await open(running, `/events.html?${DAY}`);
  assert.match(html, '<a href="events.html?period=WEEKEND">I helgen</a>');
});

test('I11: should link from a period to a day without the period', async ({ running }) => {
  const { html } = await open(running, '/events.html?period=WEEKEND&free=true');
  assert.match(html, 'href="events.html?free=true&amp;fromStartDate=2026-02-02&amp;untilDate=2026-02-03"');
});

interface Heading {
  readonly search: string;
  readonly nb: string;
  readonly en: string;
}

const HEADINGS: readonly Heading[] = [
  { search: '', nb: 'Hva skjer', en: 'What’s on' },
  { search: 'period=WEEKEND', nb: 'Hva skjer i helgen', en: 'What’s on this weekend' },
  {
    search: 'categories=JAZZ&fromStartDate=2026-02-08&untilDate=2026-02-09',
    nb: 'Jazz søndag 8. februar',
    en: 'Jazz Sunday 8 February',
  },
  {
    search: 'fromDate=2026-02-07&untilDate=2026-02-09',
    nb: 'Lørdag 7. februar – søndag 8. februar',
    en: 'Saturday 7 February – Sunday 8 February',
  },
  { search: 'near=63.43,10.4,10', nb: 'Nær deg', en: 'Near you' },
  {
    search: 'near=63.43,10.4,10&period=TODAY',
    nb: 'Hva skjer nær deg i dag',
    en: 'What’s on near you today',
  },
  {
    search: 'near=63.43,10.4,10&municipality=Trondheim',
    nb: 'Nær deg i Trondheim',
    en: 'Near you in Trondheim',
  },
  {
    search: 'near=63.43,10.4,10&municipality=Trondheim&period=TODAY',
    nb: 'Hva skjer nær deg i Trondheim i dag',
    en: 'What’s on near you in Trondheim today',
  },
  {
    search: 'municipality=Trondheim&free=true',
    nb: 'Hva skjer i Trondheim · gratis',
    en: 'What’s on in Trondheim · free',
  },
  {
    search: 'fromDate=2027-02-07',
    nb: 'Fra søndag 7. februar 2027',
    en: 'From Sunday 7 February 2027',
  },
  {
    search: 'untilDate=2026-02-09',
    nb: 'Til og med søndag 8. februar',
    en: 'Until Sunday 8 February',
  },
  { search: 'free=true', nb: 'Gratis', en: 'Free' },
];

for (const { search, nb, en } of HEADINGS) {
  test(`I11: should be headed “${en}” for ${search || 'no parameters'}`, async ({ running }) => {
    const path = `/events.html?${search}`;
    assert.match((await open(running, path, 'nb')).html, `<h1>${nb}</h1>`);
    assert.match((await open(running, path, 'en')).html, `<h1>${en}</h1>`);
  });
}

test('I11: should show every field of an event on its page', async ({ running }) => {
  const { html, status } = await open(running, '/events/fem-seks.html');
  assert.is(status, 200);
  const text = textIn(html);
  for (const part of [
    'Søndag 1. februar kl. 19.00–21.00',
    'Høyt & Lavt Gata 1, 7010 Trondheim Vis i kart',
    '50 kr Kjøp billett',
    'Tilgjengelighet Rullestoltilgang',
    'Arrangør Bandet',
    'Søndag 8. februar kl. 19.00 Avlyst',
  ])
    assert.match(text, part);
  for (const part of [
    '<p>Blåbær &amp; <b>fløte</b></p>',
    'https://www.openstreetmap.org/?mlat=63.4&amp;mlon=10.4#map=17/63.4/10.4',
    'dates=20260201T180000Z%2F20260201T200000Z',
    '<link rel="canonical" href="https://kalender.example/event/fem-seks">',
    '<meta property="og:image" content="https://bilde.example/stor.jpg">',
    '<meta property="og:title" content="Fem &lt; seks – Trondheim">',
  ])
    assert.match(html, part);
  const [, json = ''] = /<script type="application\/ld\+json">([\s\S]*?)<\/script>/.exec(html) ?? [];
  assert.is(JSON.parse(json)['@graph'].length, 2);
  const ics = await running.send('/events.ics?event=a');
  assert.is(ics.text.split('BEGIN:VEVENT').length - 1, 2);
});

test('I11, A17: should answer 410 for an event that is over, and link to a search for its title', async (context) => {
  const { running, clock } = context;
  assert.is((await open(running, '/events/snart-over.html')).status, 200);
  clock.now = NOW + 3_600;
  const { status, html } = await open(running, '/events/snart-over.html');
  assert.is(status, 410);
  assert.match(html, 'Arrangementet vises ikke lenger');
  assert.match(html, 'href="../events.html?searchTerm=snart+over"');
});

for (const path of ['/events/aldri.html', '/events/', '/events/x', '/events/A.html', '/events/a/b.html']) {
  test(`I11, A17: should answer 404 for ${path}, which has never been an event`, async ({ running }) => {
    assert.is((await open(running, path)).status, 404);
    assert.is((await running.send(path)).status, 404);
  });
}

test('I11: should have metadata for search engines and a preview picture', async ({ running }) => {
  const robots = await running.send('/robots.txt');
  assert.match(robots.text, `Sitemap: ${running.url}/sitemap.xml`);
  const { text } = await running.send('/sitemap.xml');
  assert.is(XMLValidator.validate(text), true);
  // The pages of events are the other site's.
  assert.equal(eachIn(text, /<loc>([^<]*)/g), [`${running.url}/events.html`]);
  const icon = await running.send('/favicon.ico');
  assert.is(icon.status, 200);
  assert.is(icon.headers['content-type'], 'image/x-icon');
});

test('I11: should name both languages in full, and be canonical in its own', async ({ running }) => {
  const { html } = await open(running, '/events.html?categories=JAZZ&lang=en');
  const address = `${running.url}/events.html?categories=JAZZ`;
  const links = groupsIn(html, /<link rel="alternate" hreflang="([^"]*)" href="([^"]*)">/g);
  assert.equal(
    links.map(([language, link]) => [language, plainText(link)]),
    [
      ['nb', `${address}&lang=nb`],
      ['en', `${address}&lang=en`],
      ['x-default', address],
    ],
  );
  assert.match(html, `<link rel="canonical" href="${running.url}/events.html?categories=JAZZ&amp;lang=en">`);
  assert.match(html, '<link rel="manifest" href="manifest.webmanifest">');
  for (const path of ['/manifest.webmanifest', '/touch-icon.png', '/icon-512.png', '/share.png'])
    assert.is((await running.send(path)).status, 200, path);
  const manifest = JSON.parse((await running.send('/manifest.webmanifest')).text);
  assert.is(manifest.name, 'Trondheim');
  assert.is(manifest.start_url, 'events.html');
  // It has no picture of its own.
  const none = (await open(running, '/events/utstilling.html')).html;
  assert.match(none, `<meta property="og:image" content="${running.url}/share.png">`);
});

test.run();
