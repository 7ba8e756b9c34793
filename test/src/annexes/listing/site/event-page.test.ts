/** I11: the page of an event, and addresses that have none. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { NOW } from '../../../../helpers/calendar.ts';
import { eachIn, textIn } from '../../../../helpers/html.ts';
import { open, type Site, withSite } from './calendar.ts';

const test = withSite(suite<Site>('page of an event'));

const PAGE = '/events/fem-seks.html';

/** What the page says of each. */
const FIELDS: Readonly<Record<string, string>> = {
  time: 'Søndag 1. februar kl. 19.00–21.00',
  place: 'Høyt & Lavt Gata 1, 7010 Trondheim Vis i kart',
  price: '50 kr Kjøp billett',
  accessibility: 'Tilgjengelighet Rullestoltilgang',
  organizer: 'Arrangør Bandet',
  'other date': 'Søndag 8. februar kl. 19.00 Avlyst',
};

for (const [field, words] of Object.entries(FIELDS)) {
  test(`I11: should show the ${field} of an event`, async ({ running }) => {
    const { html, status } = await open(running, PAGE);
    assert.is(status, 200);
    assert.match(textIn(html), words);
  });
}

/** What the HTML of the page has. */
const MARKUP: Readonly<Record<string, string>> = {
  'the description with its markup': '<p>Blåbær &amp; <b>fløte</b></p>',
  'a link to a map': 'https://www.openstreetmap.org/?mlat=63.4&amp;mlon=10.4#map=17/63.4/10.4',
  'the date’s times in the link to a calendar': 'dates=20260201T180000Z%2F20260201T200000Z',
  'eventLink as its canonical address':
    '<link rel="canonical" href="https://kalender.example/event/fem-seks">',
  'its picture for previews': '<meta property="og:image" content="https://bilde.example/stor.jpg">',
  'its title for previews': '<meta property="og:title" content="Fem &lt; seks – Trondheim">',
};

for (const [what, markup] of Object.entries(MARKUP)) {
  test(`I11: should have ${what}`, async ({ running }) => {
    assert.match((await open(running, PAGE)).html, markup);
  });
}

test('I4, I11: should describe each date of the event by schema.org', async ({ running }) => {
  const { html } = await open(running, PAGE);
  const [json = ''] = eachIn(html, /<script type="application\/ld\+json">([\s\S]*?)<\/script>/g);
  assert.is(JSON.parse(json)['@graph'].length, 2);
});

test('I1, I11: should have each date of the event in its calendar file', async ({ running }) => {
  const { text } = await running.send('/events.ics?event=a');
  assert.is(text.split('BEGIN:VEVENT').length - 1, 2);
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

test('A9, I11: should answer for an event that is not public yet as for one that never was', async (context) => {
  const { running, clock } = context;
  const answers = await Promise.all(
    ['ikke-kunngjort', 'aldri-kunngjort'].map(async (slug) => {
      const page = await open(running, `/events/${slug}.html`);
      const { text } = await running.send(`/events/${slug}.html`);
      return { status: page.status, text };
    }),
  );
  const [hidden, unknown] = answers;
  assert.is(hidden?.status, 404);
  assert.is(hidden?.text, unknown?.text);
  clock.now = Date.parse('2026-11-01T11:00:00Z') / 1_000;
  assert.is((await open(running, '/events/ikke-kunngjort.html')).status, 200);
});

for (const [query, location] of [
  ['date=', ''],
  ['lang=en&date=&period=', '?lang=en'],
]) {
  test(`I11: should redirect from ?${query} to ${location || 'no parameters'}`, async ({ running }) => {
    const { status, headers } = await running.send(`${PAGE}?${query}`);
    assert.is(status, 303);
    assert.is(headers.location, `fem-seks.html${location}`);
  });
}

for (const path of ['/events/aldri.html', '/events/', '/events/x', '/events/A.html', '/events/a/b.html']) {
  test(`I11, A17: should answer 404 for ${path}, which has never been an event`, async ({ running }) => {
    assert.is((await open(running, path)).status, 404);
    assert.is((await running.send(path)).status, 404);
  });
}

test.run();
