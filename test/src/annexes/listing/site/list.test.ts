/** I11: `/events.html`, the list of the calendar's own site: its rows, its days and its languages. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { hasAnnex } from '../../../../helpers/annex.ts';
import { NOW } from '../../../../helpers/calendar.ts';
import { eachIn, groupsIn, textIn } from '../../../../helpers/html.ts';
import { LICENCE, sourceFolder } from '../../../../helpers/native-source.ts';
import { assertInNynorsk } from '../../../../helpers/nynorsk.ts';
import { type Running, startBuilt } from '../../../../helpers/running.ts';
import { nodesOf } from '../../feeds/asked.ts';
import { open, type Site, slugsIn, withSite } from './calendar.ts';

const test = withSite(suite<Site>('list of the site'));

const headingsIn = (html: string) => eachIn(html, /<h2[^>]*>([\s\S]*?)<\/h2>/g).map((text) => textIn(text));

test('I11: should list 24 events a page, and say how many pages there are', async ({ running }) => {
  const { html } = await open(running, '/events.html');
  assert.is(slugsIn(html).length, 24);
  assert.match(html, 'Side 1 av 2');
});

test('I11: should link to the page with the other events, and back', async ({ running }) => {
  const first = await open(running, '/events.html');
  const [, next = ''] = /rel="next" target="_self" href="([^"]*)"/.exec(first.html) ?? [];
  const second = await open(running, `/${next}`);
  const nodes = await nodesOf(running.url);
  assert.is(slugsIn(first.html).length + slugsIn(second.html).length, nodes.length);
  assert.match(second.html, 'rel="prev"');
});

test('I11: should show picture, time, place and the date’s own price', async ({ running }) => {
  const { html } = await open(running, '/events.html?categories=JAZZ');
  const [, entry = ''] = /<ul class="programme">\n<li>([\s\S]*?)<\/li>/.exec(html) ?? [];
  assert.is(textIn(entry), 'Fem < seks 19.00–21.00 Høyt & Lavt Blåbær & fløte Jazz · 50 kr Også 8. februar');
  assert.match(entry, '<img src="https://bilde.example/liten.jpg" alt="Et &quot;band&quot; på scenen"');
});

test('I11: should link each day to its events', async ({ running }) => {
  const { html } = await open(running, '/events.html');
  assert.match(html, 'fromStartDate=2026-01-01&amp;untilDate=2026-01-02');
});

test('I11: should list the events that start on a day, and mark the day', async ({ running }) => {
  const { html } = await open(running, '/events.html?fromStartDate=2026-02-08&untilDate=2026-02-09');
  assert.equal(slugsIn(html), ['fem-seks']);
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

test('I11: should be in the language of the browser', async ({ running }) => {
  const { html, headers } = await open(running, '/events.html?categories=JAZZ', 'en');
  assert.match(html, '<html lang="en">');
  assert.match(html, '<h1>Jazz</h1>');
  assert.match(headers.vary ?? '', 'Accept-Language');
});

test('I11: should be in the language of the address, if it has one', async ({ running }) => {
  assert.match((await open(running, '/events.html?lang=nb', 'en')).html, '<h1>Hva skjer</h1>');
});

test('I1, I11: should link to the same list in other languages, without tracking parameters', async (context) => {
  const { html } = await open(context.running, '/events.html?utm_source=brev&categories=JAZZ', 'en');
  const links = groupsIn(html, /hreflang="([^"]*)" href="(\?[^"]*)">([^<]*)/g);
  assert.equal(links, [
    ['nb', '?categories=JAZZ&amp;lang=nb', 'Bokmål'],
    ['nn', '?categories=JAZZ&amp;lang=nn', 'Nynorsk'],
  ]);
});

/** Pages for visitors, by their addresses, with their headings in Nynorsk. */
const IN_NYNORSK: Readonly<Record<string, string>> = {
  '/events.html': 'Kva skjer',
  '/events.html?lang=nn&searchTerm=ingenting&free=true': '«ingenting» · gratis',
  '/events.html?lang=nn&view=plain&tag=mange': 'Trondheim: merkt «mange»',
  '/events/fem-seks.html?date=2026-02-08T19:00': 'Fem &lt; seks',
  '/events/fem-seks.html?date=2026-02-09T19:00': 'Fem &lt; seks',
  '/events/hele-dager.html': 'Hele dager',
  '/events/finst-ikkje.html': 'Vi fann ikkje arrangementet',
  '/events.html?mode=begge': 'Adressa kan ikkje lesast',
  '/subscribe': 'Abonner',
  '/finst-ikkje': 'Denne sida finst ikkje',
};

for (const [path, heading] of Object.entries(IN_NYNORSK)) {
  test(`I16: should be in Nynorsk, with texts in Bokmål marked: ${path}`, async ({ running }) => {
    const { html, headers } = await open(running, path, 'nn-NO, nb;q=0.8');
    assert.match(html, '<html lang="nn">');
    if ('content-language' in headers) assert.is(headers['content-language'], 'nn');
    assert.match(html, new RegExp(`<h1[^>]*>${heading.replaceAll(/[.*+?()|]/g, '\\$&')}</h1>`));
    assertInNynorsk(html);
  });
}

/** The Norwegian of the calendar, and that of one of its feeds, with what pages in Norwegian say. */
const STANDARDS = [
  { own: 'nn', other: 'nb', heading: 'Kva skjer', music: 'Song og spel', named: 'Hva skjer' },
  { own: 'nb', other: 'nn', heading: 'Hva skjer', music: 'Musikk', named: 'Kva skjer' },
];

for (const { own, other, heading, music, named } of STANDARDS) {
  const standard = suite<{ running: Running }>(`a calendar in ${own}, with texts in ${other}`);
  const category = { id: 'MUSIC', name_nb: 'Musikk', name_en: 'Music', name_nn: 'Song og spel' };
  /** Languages of events by their ids, where they differ from that of the calendar. */
  const differing: Readonly<Record<string, string>> = { stated: other, feed: other };

  standard.before(async (context) => {
    const source = sourceFolder({
      'licence.json': { ...LICENCE, language: own, categories: [category] },
      'events.json': [event('own'), { ...event('stated'), norwegian: other }],
      'sources.json': [
        { id: 'feed', kind: 'csv', file: 'feed.csv', language: other, keepIds: true },
        { id: 'unsaid', kind: 'csv', file: 'unsaid.csv', keepIds: true },
      ],
      'feed.csv': 'Id;Tittel;Start\nfeed;feed;2026-02-01 19:00',
      'unsaid.csv': 'Id;Tittel;Start\nunsaid;unsaid;2026-02-01 19:00',
    });
    context.running = await startBuilt(source, NOW);
  });
  standard.after(({ running }) => running.close());

  standard('I16: should have its names and its language in GraphQL', async ({ running }) => {
    const { categories } = await running.ask<{ readonly categories: readonly object[] }>(
      '{ categories { id name_nb name_en name_nn } }',
    );
    assert.equal(categories, [category]);
    const { events } = await running.ask<Found>(
      '{ events(filter: { searchTerm: "spel" }) { data { id norwegian } } }',
    );
    assert.equal(events.data, [
      { id: 'own', norwegian: own },
      { id: 'stated', norwegian: other },
    ]);
  });

  standard('I16: should be the language of pages, which mark the texts in the other', async ({ running }) => {
    const { html } = await open(running, '/events.html', 'nb-NO, nb;q=0.9, en;q=0.8');
    assert.match(html, `<html lang="${own}">`);
    assert.match(html, `<h1>${heading}</h1>`);
    assert.match(html, `>${music} (2)</option>`);
    const marked = groupsIn(html, /<h3><a href="events\/(\w+)[^"]*"(?: lang="(\w+)")?>/g);
    assert.equal(Object.fromEntries(marked), { own: '', unsaid: '', ...differing });
    if (hasAnnex('operator'))
      assert.match((await open(running, '/status?format=html', 'nb')).html, `<html lang="${own}">`);
  });

  standard('I16: should yield to the language that an address asks for', async ({ running }) => {
    assert.match((await open(running, `/events.html?lang=${other}`)).html, `<h1>${named}</h1>`);
  });

  standard('I16: should be assumed in iCalendar, which marks the texts in the other', async ({ running }) => {
    const { text } = await running.send('/events.ics');
    const inOther = eachIn(text, new RegExp(`^SUMMARY;LANGUAGE=${other}:(\\w+)`, 'gm'));
    assert.equal(inOther.toSorted(), Object.keys(differing).toSorted());
  });

  standard('I16: should be stated in JSON-LD, unless an event has the other', async ({ running }) => {
    const { '@graph': listed } = JSON.parse((await running.send('/events.jsonld')).text);
    assert.is(listed.length, 4);
    for (const { name, inLanguage } of listed) assert.is(inLanguage, differing[name] ?? own, name);
  });

  standard('I16: should be stated in RSS', async ({ running }) => {
    assert.match((await running.send('/events.rss')).text, `<language>${own}</language>`);
  });

  standard('I16: should be stated for the embed, unless an event has the other', async ({ running }) => {
    const { calendar, events } = JSON.parse((await running.send('/embed.json')).text);
    assert.is(calendar.language, own);
    assert.is(events.length, 4);
    for (const { id, norwegian } of events) assert.is(norwegian, differing[id] ?? own, id);
  });

  standard.run();
}

interface Found {
  readonly events: { readonly data: readonly object[] };
}

const event = (id: string) => ({
  id,
  title_nb: id,
  categories: ['MUSIC'],
  dates: [{ start: '2026-02-01 19:00' }],
});

test.run();
