/** I11: the filters of the list: the numbers beside choices, chips, links to other choices, and addresses that are redirected. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { closedAfterEach } from '../../../../helpers/closing.ts';
import { eachIn, groupsIn, plainText, textIn } from '../../../../helpers/html.ts';
import { startPages } from '../../../../helpers/pages.ts';
import { open, type Site, withSite } from './calendar.ts';

const test = withSite(suite<Site>('filters of the site'));
const opened = closedAfterEach(test);

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

test('I11: should keep the chosen filters in the link of a day', async ({ running }) => {
  const { html } = await open(running, '/events.html?free=true');
  assert.match(html, 'free=true&amp;fromStartDate=2026-02-02&amp;untilDate=2026-02-03">');
});

test('I11: should say that nothing is found, and escape the search', async ({ running }) => {
  const { html } = await open(running, '/events.html?categories=JAZZ&tag=lang&searchTerm=%3Cnei%3E');
  assert.match(textIn(html), 'Ingen treff');
  assert.not.match(html, '<nei>');
});

test('I11: should say that a day is over, and nothing of the kind about a later one', async ({ running }) => {
  const over = await open(running, '/events.html?fromStartDate=2025-12-20&untilDate=2025-12-21');
  assert.match(textIn(over.html), 'Ingen treff Dette tidsrommet er passert.');
  const later = await open(running, '/events.html?fromStartDate=2026-12-30&untilDate=2026-12-31');
  assert.match(textIn(later.html), 'Ingen treff Prøv');
});

test('I11: should suggest to remove the filter without which something is found', async ({ running }) => {
  const { html } = await open(running, '/events.html?categories=JAZZ&tag=lang');
  assert.match(html, '<a href="events.html?categories=JAZZ">Fjern merket «lang»</a> (1 arrangement)');
});

test('I11: should count the events without a period as the list without it does', async ({ running }) => {
  const suggested = await open(
    running,
    '/events.html?fromStartDate=2026-12-30&untilDate=2026-12-31&categories=JAZZ',
  );
  const [count = ''] = eachIn(
    suggested.html,
    /<a href="events.html\?categories=JAZZ">[^<]*<\/a> \(([^)]*)\)/g,
  );
  const found = (await open(running, '/events.html?categories=JAZZ')).html;
  assert.is(count, textIn(eachIn(found, /<p class="found">([^<]*)</g)[0] ?? ''));
});

test('I11: should link to the list without a chosen category', async ({ running }) => {
  const { html } = await open(running, '/events.html?categories=JAZZ&mode=offline');
  assert.match(html, 'href="events.html?mode=offline" aria-label="Fjern «Jazz»"');
});

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

test('I11: should redirect from empty parameters without a snapshot', async () => {
  const waiting = opened(await startPages({ source: null }));
  const { status, headers } = await waiting.send('/events.html?searchTerm=&free=true');
  assert.is(status, 303);
  assert.is(headers.location, 'events.html?free=true');
  assert.is(headers['cache-control'], 'no-store');
});

test('I11: should answer 503 without a snapshot', async () => {
  const waiting = opened(await startPages({ source: null }));
  assert.is((await waiting.send('/events.html?free=true')).status, 503);
});

test.run();
