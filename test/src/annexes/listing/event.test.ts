/** I12: each date of an event has a page with an address of its own. Built on 1 January 2026, noon UTC, a Thursday. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { NOW } from '../../../helpers/calendar.ts';
import { closedAfterEach } from '../../../helpers/closing.ts';
import { eachIn, plainText, textIn } from '../../../helpers/html.ts';
import { LICENCE, sourceFolder } from '../../../helpers/native-source.ts';
import { type Running, startBuilt } from '../../../helpers/running.ts';
import { readPage } from '../../../readme/document.ts';
import { nodesOf } from '../feeds/asked.ts';

const EVENTS = [
  {
    id: 'choir',
    title_nb: 'Korsang',
    venue: 'hall',
    ticketsURL: 'https://billett.example/1',
    categories: ['MUSIC'],
    dates: [
      { start: '2026-01-02 18:00', end: '2026-01-02 19:00' },
      { start: '2026-01-02 20:00' },
      { start: '2026-02-01 19:00', end: '2026-02-01 21:00', prices: [{ type: 'REGULAR', price: 50 }] },
      { start: '2026-02-08 19:00', eventCancelled: true },
      { start: '2026-02-15 19:00', eventSoldOut: true },
      { start: '2027-02-15 19:00', venue: 'barn', prices: [{ type: 'REGULAR', price: 250 }] },
    ],
    ticketsInformation: 'ticketsInfo',
    prices: [{ type: 'REGULAR', price: 250 }],
  },
  {
    id: 'talk',
    title_nb: 'Foredrag',
    summary_nb: 'Kort og godt.',
    dates: [
      { start: '2026-04-10 18:00', previousStart: '2026-04-03 18:00' },
      { start: '2026-04-17 18:00', status: 'POSTPONED' },
    ],
  },
  {
    id: 'fair',
    title_nb: 'Marked',
    dates: [{ start: '2026-02-03' }, { start: '2026-02-04', end: '2026-02-05' }],
  },
  {
    id: 'twins',
    title_nb: 'To saler',
    dates: [
      { start: '2026-03-01 19:00', venue: 'hall' },
      { start: '2026-03-01 19:00', venue: 'barn' },
      // The hour that exists twice.
      { start: '2026-10-25 02:30:00+02:00' },
      { start: '2026-10-25 02:30:00+01:00' },
    ],
  },
  {
    id: 'shift',
    title_nb: 'Loppemarked',
    dates: [
      { start: '2026-03-07 10:00', end: '2026-03-08 00:00' },
      { start: '2026-03-13 10:00', end: '2026-03-15 00:00' },
    ],
  },
  {
    id: 'mixed',
    title_nb: 'Begge deler',
    venue: 'hall',
    streamingURL: 'https://strom.example/1',
    dates: [{ start: '2026-02-02 12:00' }],
  },
];

const { siteUrl: _, ...WITHOUT_SITE } = LICENCE;
const SOURCE = {
  'licence.json': WITHOUT_SITE,
  'venues.json': [
    { id: 'hall', name: 'Salen', address: 'Gata 1, 7010 Trondheim', latitude: 63.4, longitude: 10.4 },
    { id: 'barn', name: 'Låven' },
  ],
  'events.json': EVENTS,
};

const test = suite<{ running: Running; clock: { now: number } }>('a date’s address');
const opened = closedAfterEach(test);

test.before(async (context) => {
  context.clock = { now: NOW };
  const settings = { publicUrl: new URL('http://localhost:4000/') };
  context.running = await startBuilt(sourceFolder(SOURCE), NOW, {
    clock: () => context.clock.now * 1_000,
    context: { settings },
  });
});
test.before.each(({ clock }) => {
  clock.now = NOW;
});
test.after(({ running }) => running.close());

async function open({ send }: Running, path: string, language = 'nb') {
  const { text, ...got } = await send(path, {
    headers: { accept: 'text/html', 'accept-language': language },
  });
  const [, json = '{}'] = /<script type="application\/ld\+json">([\s\S]*?)<\/script>/.exec(text) ?? [];
  const [, url = ''] = /<meta property="og:url" content="([^"]*)"/.exec(text) ?? [];
  const [, title = ''] = /<title>([^<]*)/.exec(text) ?? [];
  const graph: readonly Record<string, unknown>[] = JSON.parse(json)['@graph'] ?? [];
  return { ...got, html: text, graph, url: plainText(url), title: plainText(title) };
}

const linkIn = (html: string, pattern: RegExp) => plainText(pattern.exec(html)?.[1]);
const SITE = 'http://localhost:4000/events';

const FEBRUARY = '/events/korsang.html?date=2026-02-01T19:00';

test('I12: should show time, place and price of the date', async ({ running }) => {
  const { html, status } = await open(running, FEBRUARY);
  assert.is(status, 200);
  const card = textIn(/<aside class="card"[\s\S]*?<\/aside>/.exec(html)?.[0] ?? '');
  assert.match(card, 'Søndag 1. februar kl. 19.00–21.00 Salen Gata 1, 7010 Trondheim Vis i kart 50 kr');
});

test('I12: should have a title and an address of the date for previews', async ({ running }) => {
  const { html, url, title } = await open(running, FEBRUARY);
  assert.is(url, `${SITE}/korsang.html?date=2026-02-01T19:00`);
  assert.is(title, 'Korsang – søndag 1. februar – Trondheim');
  assert.match(html, `<link rel="canonical" href="${SITE}/korsang.html">`);
});

test('I12, I4: should describe the date alone by schema.org', async ({ running }) => {
  const { graph, url } = await open(running, FEBRUARY);
  assert.is(graph.length, 1);
  assert.is(graph[0]?.startDate, '2026-02-01T19:00:00+01:00');
  assert.is(graph[0]?.url, url);
});

test('I12: should put the date into Google’s and Outlook’s calendars', async ({ running }) => {
  const { html } = await open(running, FEBRUARY);
  assert.match(html, 'dates=20260201T180000Z%2F20260201T200000Z');
  assert.match(html, 'startdt=2026-02-01T18%3A00%3A00Z');
});

test('I12: should link to a calendar file of the date alone', async ({ running }) => {
  const { html, url } = await open(running, FEBRUARY);
  const { text } = await running.send(`/${linkIn(html, /href="\.\.\/(events\.ics\?[^"]*)"/)}`);
  assert.equal(eachIn(text, /^DTSTART[^:]*:(.*)\r$/gm).slice(2), ['20260201T190000']);
  assert.match(text.replaceAll('\r\n ', ''), `URL:${url}\r\n`);
});

test('I12: should show the next date if none is named, and link to all dates', async ({ running }) => {
  const { html, graph, url } = await open(running, '/events/korsang.html');
  assert.is(url, `${SITE}/korsang.html?date=2026-01-02T18:00`);
  // The last one is more than a year away (I9).
  assert.is(graph.length, 5);
  const [, list = ''] = /<ul class="dates">([\s\S]*?)<\/ul>/.exec(html) ?? [];
  const links = eachIn(list, /<a href="([^"]*)"/g);
  assert.is(links.length, 6);
  for (const link of links) {
    const page = await open(running, `/events/korsang.html${plainText(link)}`);
    assert.is(page.url, `${SITE}/korsang.html${plainText(link)}`);
  }
  assert.match(textIn(list), 'Mandag 15. februar 2027 kl. 19.00 Låven');
});

test('I12: should serve events at addresses of the form that For redaktører shows', async ({ running }) => {
  const addresses = eachIn(readPage('docs/redaktor.md'), /^\| https:\/\/kalender\.example(\/\S+)/gm);
  assert.is(addresses.length, 4);
  for (const path of addresses) {
    const { status } = await running.send(path.replace(/[^/]+(?=\.html$)/, 'korsang'));
    assert.is(status, 200, path);
  }
});

test('I12: should say first that a date is over, and name the next one', async ({ running, clock }) => {
  clock.now = NOW + 40 * 86_400;
  const path = '/events/korsang.html?date=2026-02-01T19:00';
  const { html, status, headers } = await open(running, path);
  assert.is(status, 200);
  assert.match(textIn(html), 'Søndag 1. februar er passert. Neste: søndag 15. februar');
  assert.match(html, '<a href="?date=2026-02-15T19:00">søndag 15. februar</a>');
  assert.match(html, '<meta name="robots" content="noindex">');
  assert.is(headers['cache-control'], 'no-store');
  const english = await open(running, path, 'en');
  assert.match(textIn(english.html), 'Sunday 1 February is over. Next: Sunday 15 February');
});

test('I12: should mark today’s first date as over, with its time', async ({ running, clock }) => {
  clock.now = Date.parse('2026-01-02T18:30:00Z') / 1_000;
  const { html } = await open(running, '/events/korsang.html?date=2026-01-02T18:00');
  assert.match(textIn(html), 'Fredag 2. januar kl. 18.00 er passert. Neste: fredag 2. januar kl. 20.00');
});

test('I12: should say that the event is not held at an unknown date, and name the next one', async (context) => {
  const { html, status, headers } = await open(context.running, '/events/korsang.html?date=2026-05-17T12:00');
  assert.is(status, 200);
  assert.match(textIn(html), 'Arrangementet holdes ikke søndag 17. mai kl. 12.00. Neste: fredag 2. januar');
  assert.is(headers['cache-control'], 'no-store');
});

for (const date of ['2019-01-01', '2030-01-01', '20300101T000000Z-7']) {
  test(`I12: should show a page for ${date}, at which the event was never held`, async ({ running }) => {
    assert.is((await running.send(`/events/korsang.html?date=${date}`)).status, 200);
  });
}

test('I12: should redirect from a day to its first date, and keep the rest of the address', async (context) => {
  const { status, headers } = await context.running.send('/events/korsang.html?date=2026-01-02&lang=en');
  assert.is(status, 303);
  assert.is(headers.location, '?date=2026-01-02T18:00&lang=en');
});

test('I12: should lead a day within a date of several days to that date', async ({ running }) => {
  const { status, headers } = await running.send('/events/marked.html?date=2026-02-05');
  assert.is(status, 303);
  assert.is(headers.location, '?date=2026-02-04');
  // It ends with the midnight before 8 March.
  assert.match(
    (await open(running, '/events/loppemarked.html?date=2026-03-08')).html,
    'Arrangementet holdes ikke søndag 8. mars',
  );
});

test('I12: should not redirect from the day of a date without a time', async ({ running }) => {
  const { status, html, url } = await open(running, '/events/marked.html?date=2026-02-04');
  assert.is(status, 200);
  assert.match(textIn(html), 'Onsdag 4. februar – torsdag 5. februar');
  assert.is(url, `${SITE}/marked.html?date=2026-02-04`);
});

/** Dates of one minute: in two halls, and in the hour that exists twice. */
const DATES_OF_ONE_MINUTE = [
  { date: '2026-03-01T19:00', startDate: '2026-03-01T19:00:00+01:00', hall: 'Salen' },
  { date: '20260301T180000Z-2', startDate: '2026-03-01T19:00:00+01:00', hall: 'Låven' },
  { date: '2026-10-25T02:30', startDate: '2026-10-25T02:30:00+02:00', hall: undefined },
  { date: '20261025T013000Z', startDate: '2026-10-25T02:30:00+01:00', hall: undefined },
];

test('I12, A16: should give each of two dates of one minute an address of its own', async ({ running }) => {
  const { text } = await running.send('/events.json?searchTerm=To+saler');
  const [event] = JSON.parse(text).events;
  const links: readonly string[] = [event, ...event.repetitions].map(({ occurrenceLink }) => occurrenceLink);
  assert.equal(
    links.map((link) => link.replace(`${SITE}/to-saler.html?date=`, '')),
    DATES_OF_ONE_MINUTE.map(({ date }) => date),
  );
});

for (const { date, startDate, hall } of DATES_OF_ONE_MINUTE) {
  test(`I12, A16: should show the date ${date} alone`, async ({ running }) => {
    const { graph, html } = await open(running, `/events/to-saler.html?date=${date}`);
    assert.is(graph.length, 1);
    assert.is(graph[0]?.startDate, startDate);
    assert.is(/<strong>(Salen|Låven)/.exec(html)?.[1], hall);
  });
}

const MALFORMED = [
  'i-morgen',
  '2026-02-30',
  '2026-02-01T25:00',
  '2026-02-01T19:00:00',
  '20260230T100000Z',
  '20260201T240000Z',
  '1&date=2',
];

for (const date of MALFORMED) {
  test(`I12: should refuse the malformed date ${date}, and link to the event`, async ({ running }) => {
    const { status, html } = await open(running, `/events/korsang.html?date=${date}`);
    assert.is(status, 400);
    assert.match(html, 'href="korsang.html"');
  });
}

test('I12: should mark a cancelled date across the page and in previews', async ({ running }) => {
  const { html, title } = await open(running, '/events/korsang.html?date=2026-02-08T19:00');
  assert.match(
    textIn(/<p class="band">[\s\S]*?<\/p>/.exec(html)?.[0] ?? ''),
    'Avlyst Søndag 8. februar kl. 19.00 Neste: mandag 15. februar 2027 kl. 19.00',
  );
  assert.match(title, /^Avlyst: Korsang – /);
  assert.match(html, '<meta property="og:title" content="Avlyst: Korsang');
});

for (const offer of ['calendar.google', 'outlook.live', 'occurrence=', 'billett.example/1">']) {
  test(`I12: should not offer ${offer} for a cancelled date`, async ({ running }) => {
    assert.match((await open(running, FEBRUARY)).html, offer, 'for another date');
    assert.not.match((await open(running, '/events/korsang.html?date=2026-02-08T19:00')).html, offer);
  });
}

test('I12: should offer calendars and no tickets for a sold-out date', async ({ running }) => {
  const { html, title } = await open(running, '/events/korsang.html?date=2026-02-15T19:00', 'en');
  assert.match(title, /^Sold out: /);
  assert.not.match(html, '<a class="button main"');
  assert.match(html, 'calendar.google');
});

test('E12, I12: should say from when a date was moved', async ({ running }) => {
  const { html } = await open(running, '/events/foredrag.html?date=2026-04-10T18:00');
  assert.match(textIn(html), 'Flyttet fra fredag 3. april');
  assert.match(html, 'calendar.google');
  assert.match(html, 'Kort og godt.">');
});

test('E12, I12: should lead from the earlier date to the one that replaces it', async ({ running }) => {
  const { html } = await open(running, '/events/foredrag.html?date=2026-04-03T18:00');
  assert.match(textIn(html), 'Arrangementet fredag 3. april er flyttet til fredag 10. april kl. 18.00');
});

test('E12, I12: should mark a postponed date, and offer no calendar', async ({ running }) => {
  const { html, title } = await open(running, '/events/foredrag.html?date=2026-04-17T18:00', 'en');
  assert.match(title, /^Postponed: Foredrag/);
  assert.not.match(html, 'calendar.google');
});

test('E12, I11: should say in the list from when a date was moved', async ({ running }) => {
  const { text } = await running.send('/events.html?searchTerm=foredrag&lang=nb');
  assert.match(textIn(text), 'Flyttet fra fredag 3. april Foredrag');
});

test('I4: should be mixed for an event with a venue and a stream', async ({ running }) => {
  const { html, graph } = await open(running, '/events/begge-deler.html');
  assert.match(html, '<a class="button main" href="https://strom.example/1">Åpne sendingen</a>');
  const [event] = graph;
  assert.is(event?.eventAttendanceMode, 'https://schema.org/MixedEventAttendanceMode');
  assert.match(JSON.stringify(event?.location), /^\[\{"@type":"Place".*\{"@type":"VirtualLocation"/);
});

test('I1, I12: should hold one date alone in each list, and nothing of an unknown one', async ({
  running,
}) => {
  const nodes = await nodesOf(running.url, { filter: { searchTerm: 'Korsang' } });
  const far = nodes[0]?.repetitions.at(-1);
  const id = encodeURIComponent(far?.id ?? '');
  const count = {
    ics: 'BEGIN:VEVENT',
    rss: '<item>',
    jsonld: '"identifier"',
    csv: 'choir@',
    geojson: '"Feature"',
  };
  for (const [name, mark] of Object.entries(count)) {
    const { text } = await running.send(`/events.${name}?occurrence=${id}`);
    // Låven has no position.
    assert.is(text.split(mark).length - 1, name === 'geojson' ? 0 : 1, name);
    for (const other of [
      `${id}&mode=online`,
      'choir%4020300101T000000Z',
      'nobody',
      '%40',
      `${id}&untilDate=2026-03-01`,
    ])
      assert.is(
        (await running.send(`/events.${name}?occurrence=${other}`)).text.includes(mark),
        false,
        other,
      );
  }
  const { events } = JSON.parse((await running.send(`/events.json?occurrence=${id}`)).text);
  assert.is(events.length, 1);
  assert.equal(events[0].startDate, far?.startDate);
  assert.equal(events[0].repetitions, []);
});

test('I11: should count midnight as the end of the day before it', async ({ running }) => {
  const { html } = await open(running, '/events.html?searchTerm=loppemarked&untilDate=2026-04-01');
  assert.equal(eachIn(html, /<p class="where"><span class="time">([\s\S]*?)<\/p>/g).map(textIn), [
    '10.00–00.00',
    '10.00 til og med 14. mars',
  ]);
  const card = await open(running, '/events/loppemarked.html?date=2026-03-07T10:00');
  assert.match(
    textIn(/<p class="when">[\s\S]*?<\/p>/.exec(card.html)?.[0] ?? ''),
    'Lørdag 7. mars kl. 10.00–00.00',
  );
});

test('I12: should give the prices of another date if they differ from those of the shown date', async ({
  running,
}) => {
  const pricesAt = async (date: string) => {
    const { html } = await open(running, `/events/korsang.html?date=${date}`);
    const [, dates = ''] = /<ul class="dates">([\s\S]*?)<\/ul>/.exec(html) ?? [];
    return eachIn(dates, /<li>([\s\S]*?)<\/li>/g).map((date) => /\d+\u00a0kr/.exec(date)?.[0]);
  };
  const [own, ofEvent, none] = ['50\u00a0kr', '250\u00a0kr', undefined];
  assert.equal(await pricesAt('2026-01-02T18:00'), [none, none, own, none, none, none]);
  assert.equal(await pricesAt('2026-02-01T19:00'), [ofEvent, ofEvent, none, ofEvent, ofEvent, ofEvent]);
});

test('I11: should keep the language of the address in links to the list', async ({ running }) => {
  for (const { search, link } of [
    { search: '?lang=en', link: '../events.html?categories=MUSIC&lang=en' },
    { search: '', link: '../events.html?categories=MUSIC' },
  ] as const) {
    const { html } = await open(running, `/events/korsang.html${search}`);
    assert.is(linkIn(html, /href="([^"]*categories=MUSIC[^"]*)"/), link);
    const nothing = await open(running, `/events.html?searchTerm=finnesikke${search.replace('?', '&')}`);
    assert.match(nothing.html, `<a href="events.html${search}">`);
  }
});

test('I12: should lead to the date from every list', async ({ running }) => {
  const dated = `${SITE}/korsang.html?date=2026-02-01T19:00`;
  const window = 'searchTerm=korsang&fromDate=2026-01-31&untilDate=2026-02-02';
  for (const path of [
    '/events.ics',
    '/events.rss',
    '/events.jsonld',
    '/events.html?view=plain',
    '/subscribe',
  ]) {
    const { text } = await running.send(`${path}${path.includes('?') ? '&' : '?'}${window}`);
    assert.ok(plainText(text.replaceAll('\r\n ', '')).includes(dated) || text.includes(dated), path);
  }
  const { html } = await open(running, `/events.html?${window}`);
  const link = linkIn(html, /href="(events\/korsang\.html[^"]*)"/);
  assert.is(link, `events/korsang.html?date=2026-02-01T19:00&${window}`);
  const page = await open(running, `/${link}`);
  assert.is(linkIn(page.html, /<p class="back"><a href="([^"]*)"/), `../events.html?${window}`);
});

test('I12: should have no link to a date if the pages of events are on another site', async () => {
  const running = opened(await startBuilt(sourceFolder({ ...SOURCE, 'licence.json': LICENCE }), NOW));
  const { text } = await running.send('/events.json');
  for (const { occurrenceLink, eventLink } of JSON.parse(text).events) {
    assert.is(occurrenceLink, null);
    assert.match((await running.send('/events.rss')).text, `<link>${eventLink}</link>`);
  }
  const { url } = await open(running, '/events/korsang.html?date=2026-02-01T19:00');
  assert.is(url, 'https://kalender.example/event/korsang');
});

test.run();
