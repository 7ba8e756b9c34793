/** I11: `/events.html`, the list of the calendar's own site: its rows, its days and its languages. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { eachIn, textIn } from '../../../../helpers/html.ts';
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

test('I1, I11: should link to the same list in the other language, without tracking parameters', async (context) => {
  const { html } = await open(context.running, '/events.html?utm_source=brev&categories=JAZZ', 'en');
  assert.match(html, 'href="?categories=JAZZ&amp;lang=nb"');
});

test.run();
