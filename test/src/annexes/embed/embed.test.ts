/** I5: `<almanakk-events>` in Chromium, on a page of another site with a strict policy. The calendar is at 1 January 2026. */
import { EventEmitter, once } from 'node:events';
import { brotliCompressSync, constants } from 'node:zlib';
import { isInputObjectType } from 'graphql';
import type { Page, Route } from 'playwright-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { schema } from '../../../../src/serve/graphql/schema.ts';
import { assertAbove, assertBelow } from '../../../helpers/assertions.ts';
import { assertFocused, assertVisible, inBrowser, judgedBy } from '../../../helpers/browser.ts';
import { NOW } from '../../../helpers/calendar.ts';
import { portOf } from '../../../helpers/port.ts';
import {
  type Context,
  isOfEmbed,
  lineOf,
  MINUTE,
  pass,
  requested,
  shown,
  shownLines,
  start,
  state,
  stop,
  visit,
} from './host-page.ts';

const embed = inBrowser(suite<Context>('embed.js'));

embed.before(start);
embed.before.each((context) => {
  context.now = NOW;
});
embed.after(stop);

embed('I5: should show the next events, on a page that allows only the calendar', async (context) => {
  await visit(context, {}, async (page, findings) => {
    assert.equal(await shownLines(page), [
      ['Til og med søn. 1. feb.', 'Utstilling'],
      ['Tor. 1. jan. 12.00–13.30', 'Nå', '50–1 200 kr'],
      [
        'Tor. 1. jan. 19.00–20.00',
        'Avlyst kveldAvlyst',
        'Ærlige Hall, Trondheim',
        'Rullestoltilgang',
        'Teleslynge',
      ],
      ['Fre. 2. jan. 19.00, også 21.00 og 23.00', 'Utsolgt kveld <3Utsolgt', 'På nett · Gratis'],
      ['Lør. 3. jan. – søn. 4. jan.', 'Hele dager', 'Two whole days.'],
    ]);
    assert.equal(findings, [], 'lines of the console');
  });
});

embed('I5: should mark a text in the other language, for screen readers', async (context) => {
  await visit(context, {}, async (page) => {
    await shown(page);
    assert.is(await page.locator('almanakk-events .summary').getAttribute('lang'), 'en');
  });
});

embed('I5: should link a title to the page of the event', async (context) => {
  await visit(context, {}, async (page) => {
    await shown(page);
    const link = page.getByRole('link', { name: 'Utsolgt kveld <3' });
    assert.is(await link.getAttribute('href'), 'https://kalender.example/event/utsolgt-kveld-3');
  });
});

embed('I5: should have an attribute for each field of the filter', async (context) => {
  await visit(context, {}, async (page) => {
    await shown(page);
    const known = await page.evaluate<string[]>(`customElements.get('almanakk-events').observedAttributes`);
    const filter = schema.getType('Filter');
    const names = isInputObjectType(filter) ? Object.keys(filter.getFields()) : [];
    assertAbove(names.length, 10, 'fields of the filter');
    assert.equal(
      names.filter((name) => !known.includes(name.toLowerCase())),
      [],
    );
  });
});

/** Seconds: before the day of the events, and during them. */
const TIMES = [NOW, Date.parse('2026-12-07T17:00:00+01:00') / 1_000];

for (const now of TIMES) {
  embed(
    `I5: should count midnight and the night after a day as the end of that day, at ${now}`,
    async (context) => {
      context.now = now;
      await visit(context, { attributes: 'fromDate="2026-12-07"' }, async (page) => {
        assert.equal(await shownLines(page), [
          ['Man. 7. des. 10.00–00.00', 'Til midnatt'],
          ['Man. 7. des. 16.00–02.00', 'Nattåpent'],
        ]);
      });
    },
  );
}

/** The calendar's `siteUrl`. */
const SITE = 'https://kalender.example';

const JAZZ = 'categories="ART, JAZZ" heading="What is on" lang="en" limit="3"';

embed('I5: should apply a filter, a limit, a language and a heading from its attributes', async (context) => {
  await visit(context, { attributes: JAZZ }, async (page) => {
    assert.equal(await shownLines(page), [
      [
        'Thu 1 Jan 19:00–20:00',
        'Avlyst kveldCancelled',
        'Ærlige Hall, Trondheim',
        'Wheelchair access',
        'Hearing loop',
      ],
    ]);
    await assertVisible(page.getByRole('heading', { name: 'What is on', level: 2 }));
    await assertVisible(page.getByRole('region', { name: 'What is on' }));
    assert.is(await page.getByRole('link', { name: 'Avlyst kveld' }).getAttribute('lang'), 'nb');
  });
});

embed('I5: should apply attributes that change later', async (context) => {
  await visit(context, { attributes: JAZZ }, async (page) => {
    assert.is((await shown(page)).length, 1);
    await page.locator('almanakk-events').evaluate((element) => {
      element.removeAttribute('categories');
      element.setAttribute('cancelledNotIncluded', 'true');
    });
    await page.getByRole('link', { name: 'Utstilling' }).waitFor();
    assert.equal(await lineOf(page, 1), ['Utstilling', 'Now', 'Utsolgt kveld <3Sold out']);
  });
});

const HERE = {
  geolocation: { latitude: 63.434321, longitude: 10.401234 },
  permissions: ['geolocation'],
};

embed(
  'B13, I5: should send a rounded position after a click, and none after the next one',
  async (context) => {
    const near: (string | null)[] = [];
    const answer = async (route: Route) => {
      near.push(new URL(route.request().url()).searchParams.get('near'));
      await route.continue();
    };
    await visit(context, { attributes: 'nearMe="2.5"', options: HERE, answer }, async (page) => {
      assert.is((await shown(page)).length, 5);
      const button = page.getByRole('button', { name: 'Nær meg (2.5 km)' });
      assert.is(await button.getAttribute('aria-pressed'), 'false');
      await button.click();
      await page.locator('almanakk-events li').nth(1).waitFor({ state: 'detached' });
      assert.equal(await lineOf(page, 2), ['Ærlige Hall, Trondheim']);
      assert.is(await button.getAttribute('aria-pressed'), 'true');
      await button.click();
      await page.locator('almanakk-events li').nth(4).waitFor();
      assert.equal(near, [null, '63.43,10.4,2.5', null]);
    });
  },
);

embed('B13, I5: should keep the list, and say so, when the reader gives no position', async (context) => {
  await visit(context, { attributes: 'nearMe' }, async (page) => {
    await shown(page);
    await page.getByRole('button').click();
    await page.getByText('Vi fikk ikke posisjonen din. Tillat posisjon i nettleseren.').waitFor();
    assert.is((await page.locator('almanakk-events li').all()).length, 5);
  });
});

embed('B13, I5: should show events near a position of its page, without a button', async (context) => {
  await visit(context, { attributes: 'near="63.43,10.39,1" limit="9"' }, async (page) => {
    assert.equal(await lineOf(page, 2), ['Ærlige Hall, Trondheim']);
    assert.is(await page.getByRole('button').count(), 0);
  });
});

/** Elements that take a name of `document`, in a page that lets them in. */
const STRANGERS = [
  ...['currentScript', 'querySelector', 'scripts'].map(
    (name) => `<img name="${name}" src="http://evil.example/embed.js">`,
  ),
  '<svg><script href="http://evil.example/embed.js"></script></svg>',
];

for (const before of STRANGERS) {
  embed(
    `I5: should send requests to no other server than its own on a page with ${before}`,
    async (context) => {
      await visit(context, { before }, async (page) => assert.is((await shown(page)).length, 5));
    },
  );
}

/** Notes of two moved events, by language: to another day, and to another time. */
const NOTES: Readonly<Record<string, readonly string[]>> = {
  nb: ['Flyttet fra fredag 4. desember', 'Flyttet fra kl. 18.00'],
  en: ['Moved from Friday 4 December', 'Moved from 18:00'],
  nn: ['Flytta frå fredag 4. desember', 'Flytta frå kl. 18.00'],
};

for (const [language, notes] of Object.entries(NOTES)) {
  embed(`E12: should say from when a date was moved, in ${language}`, async (context) => {
    const attributes = `ids="moved delayed later" lang="${language}"`;
    await visit(context, { attributes }, async (page) => {
      assert.is((await shown(page)).length, 3);
      assert.equal(await page.locator('almanakk-events .note').allInnerTexts(), notes);
    });
  });
}

embed('I5, B15: should show the events of its attribute ids, which blanks divide', async (context) => {
  await visit(context, { attributes: 'ids="now days"' }, async (page) => {
    assert.equal(await lineOf(page, 1), ['Nå', 'Hele dager']);
  });
});

embed('I5: should not link to scripts, and to its own pages in its language', async (context) => {
  const answer = async (route: Route) => {
    const response = await route.fetch();
    const list = await response.json();
    list.calendar.siteUrl = 'javascript:alert(1)';
    list.events[0].eventLink = ' javascript:alert(2)';
    list.events[1].eventLink = 'HTTPS://kalender.example/na';
    list.events[2].occurrenceLink = 'https://kalender.example/events/x.html?date=2026-11-20';
    await route.fulfill({ response, json: list });
  };
  await visit(context, { answer }, async (page) => {
    await shown(page);
    const links = await page.locator('almanakk-events section a').all();
    const targets = await Promise.all(links.map((link) => link.getAttribute('href')));
    assert.is(targets[0], null);
    assert.is(targets[1], 'HTTPS://kalender.example/na');
    assert.is(targets[2], 'https://kalender.example/events/x.html?date=2026-11-20&lang=nb');
    assert.is(targets.at(-1), null);
  });
});

/** The links of the first two events, and the lines of the console. */
async function firstLinks(context: Context, attributes: string) {
  let links: readonly (string | null)[] = [];
  let lines: readonly string[] = [];
  await visit(context, { attributes }, async (page, findings) => {
    await shown(page);
    const elements = await page.locator('almanakk-events li a').all();
    links = await Promise.all(elements.slice(0, 2).map((link) => link.getAttribute('href')));
    lines = findings;
  });
  return { links, lines };
}

embed('I5: should link to the pages of another site by its attribute link', async (context) => {
  const link = 'link="https://avisen.example/arrangement/{slug}?dato={date}"';
  const { links } = await firstLinks(context, link);
  assert.equal(links, [
    'https://avisen.example/arrangement/utstilling?dato=2025-12-01',
    'https://avisen.example/arrangement/na?dato=2026-01-01',
  ]);
});

embed('I5: should read a relative link against its page', async (context) => {
  const { links } = await firstLinks(context, 'link="/kalender/{id}"');
  assert.is(links[0], `http://127.0.0.1:${portOf(context.host)}/kalender/running`);
});

for (const wrong of ['https://avisen.example/', 'javascript:alert(`{slug}`)']) {
  embed(
    `I5: should ignore the attribute link if it is ${wrong}, and say why in the console`,
    async (context) => {
      const { links, lines } = await firstLinks(context, `link="${wrong}"`);
      assert.is(links[0], 'https://kalender.example/event/utstilling');
      assert.equal(lines, [
        `almanakk-events: link: expected a web address with {slug} or {id}, found "${wrong}"`,
      ]);
    },
  );
}

/** Places of two events, by the municipalities of the filter. */
const PLACES: Readonly<Record<string, readonly string[]>> = {
  '': ['Ærlige Hall, Trondheim', 'Malvik kulturhus'],
  'municipalities="Trondheim,Malvik"': ['Ærlige Hall, Trondheim', 'Malvik kulturhus'],
  'municipality="Trondheim"': ['Ærlige Hall'],
  'municipalities="Trondheim"': ['Ærlige Hall'],
};

for (const [attributes, places] of Object.entries(PLACES)) {
  embed(
    `I5: should name the municipality if there can be several: ${attributes || 'all'}`,
    async (context) => {
      await visit(context, { attributes: `ids="off malvik" ${attributes}` }, async (page) => {
        assert.equal(await lineOf(page, 2), places);
      });
    },
  );
}

/** The link of the calendar's name, by the attribute `home`. */
const HOMES: Readonly<Record<string, string | null>> = {
  'https://avisen.example/kalender': 'https://avisen.example/kalender',
  ' ': SITE,
  'javascript:alert(1)': null,
  'https://': null,
};

for (const [home, link] of Object.entries(HOMES)) {
  embed(`I5: should link the name of the calendar by its attribute home: ${home}`, async (context) => {
    await visit(context, { attributes: `home="${home}"` }, async (page, findings) => {
      await shown(page);
      const name = page.locator('almanakk-events .source a');
      assert.is(await name.getAttribute('href'), link ?? SITE);
      const reported = `almanakk-events: home: expected a web address, found "${home}"`;
      assert.equal(findings, link === null ? [reported] : []);
    });
  });
}

embed(
  'I5: should send a GET without a preflight, with the origin of its page and its key',
  async (context) => {
    context.accesses.length = 0;
    // This page lets its links and requests tell its whole address.
    const before = '<meta name="referrer" content="unsafe-url">';
    await visit(context, { before }, async (page) => {
      await shown(page);
      const request = page.waitForRequest((sent) => isOfEmbed(new URL(sent.url())));
      assert.match(await requested(page, [['key', 'some-key']]), /[?&]key=some-key$/);
      const { origin, referer } = await (await request).allHeaders();
      assert.is(origin, new URL(page.url()).origin);
      assert.is(referer, undefined);
      await page.locator('almanakk-events').nth(1).locator('li').nth(4).waitFor();
    });
    const lists = context.accesses.filter(({ route }) => route !== '/embed.js');
    assert.equal([...new Set(lists.map(({ method, route }) => `${method} ${route}`))], ['GET /embed.json']);
    assert.equal(
      [...new Set(lists.map(({ caller }) => caller.pageHost))],
      [`127.0.0.1:${portOf(context.host)}`],
    );
  },
);

interface Selection {
  /** The attribute's value. */
  readonly value: string;
  /** The same value in a query. */
  readonly filter: unknown;
}

/** A value of each field of the filter. */
const SELECTIONS: Readonly<Record<string, Selection>> = {
  ids: { value: ' now  days ', filter: ['now', 'days'] },
  categories: { value: 'JAZZ, ART,', filter: ['JAZZ', 'ART', ''] },
  notCategories: { value: 'JAZZ', filter: ['JAZZ'] },
  searchTerm: { value: 'kveld & <3', filter: 'kveld & <3' },
  tag: { value: 'Revy', filter: 'Revy' },
  superEvent: { value: 'now', filter: 'now' },
  mode: { value: 'online', filter: 'online' },
  onlyFeatured: { value: 'true', filter: true },
  onlyFeaturedSpecialEvent: { value: 'true', filter: true },
  free: { value: 'true', filter: true },
  cancelledNotIncluded: { value: 'true', filter: true },
  soldOutNotIncluded: { value: 'yes', filter: false },
  period: { value: 'WEEK', filter: 'WEEK' },
  fromDate: { value: '2026-01-02T20:00:00+01:00', filter: '2026-01-02T20:00:00+01:00' },
  fromStartDate: { value: '2026-01-02', filter: '2026-01-02' },
  untilDate: { value: '2026-01-02', filter: '2026-01-02' },
  hoursRange: { value: '18:00-20:00', filter: '18:00-20:00' },
  groupRepetitionsByDay: { value: 'true', filter: true },
  sortBy: { value: 'title', filter: 'title' },
  venues: { value: 'malvik-kulturhus', filter: ['malvik-kulturhus'] },
  venueSlug: { value: 'malvik-kulturhus', filter: 'malvik-kulturhus' },
  municipality: { value: 'malvik', filter: 'malvik' },
  municipalities: { value: 'Malvik,Trondheim', filter: ['Trondheim', 'Malvik'] },
  postalCodes: { value: '7011', filter: ['7011'] },
  near: { value: '63.43, 10.39,1', filter: { latitude: 63.43, longitude: 10.39, km: 1 } },
  area: {
    value: '63,64,10,11',
    filter: { minLatitude: 63, minLongitude: 10, maxLatitude: 64, maxLongitude: 11 },
  },
  organizers: { value: 'spelarane', filter: ['spelarane'] },
  organizerSlug: { value: 'spelarane', filter: 'spelarane' },
  accessibility: { value: 'WHEELCHAIR,HEARING_LOOP', filter: ['HEARING_LOOP', 'WHEELCHAIR'] },
  age: { value: '7', filter: 7 },
};

/** The same list from the endpoint. */
const QUERY = `query ($filter: Filter) {
  events(filter: $filter, pageSize: 9) {
    data {
      id event_slug occurrenceID title_nb title_en summary_nb summary_en norwegian eventLink occurrenceLink startDate endDate allDay mode
      accessibility
      eventCancelled eventSoldOut status previousStartDate ticketsInformation venue { name municipality } images { urlSmall alt }
      prices { price } occurrencePrices { price } repetitions(first: 20) { startDate }
    }
  }
  calendar { name siteUrl }
}`;

embed('I5: should get the events of the endpoint, for each attribute of the filter', async (context) => {
  const type = schema.getType('Filter');
  const names = isInputObjectType(type) ? Object.keys(type.getFields()) : [];
  assert.equal(Object.keys(SELECTIONS).sort(), names.sort());
  const { calendar } = context;
  const counts = new Set<number>();
  await visit(context, {}, async (page) => {
    await shown(page);
    for (const [name, { value, filter }] of Object.entries(SELECTIONS)) {
      const address = await requested(page, [
        [name, value],
        ['limit', '9'],
      ]);
      const { status, text } = await calendar.send(address);
      assert.is(status, 200, address);
      const list = JSON.parse(text);
      const expected = await calendar.ask<Answer>(QUERY, { filter: { [name]: filter } });
      assert.equal(list.events, expected.events.data, address);
      assert.equal(list.calendar, { ...expected.calendar, language: 'nb' }, address);
      counts.add(list.events.length);
    }
  });
  assertAbove(counts.size, 3, 'lengths of lists');
});

interface Answer {
  readonly events: { readonly data: readonly object[] };
  readonly calendar: object;
}

embed('I5, D6: should get equal lists from one address, which caches store', async (context) => {
  const { calendar } = context;
  await visit(context, {}, async (page) => {
    await shown(page);
    const address = await requested(page, [
      ['limit', '3'],
      ['lang', 'en'],
      ['categories', 'JAZZ,ART'],
      ['mode', 'offline'],
    ]);
    const other = await requested(page, [
      ['mode', 'offline'],
      ['categories', ' ART, JAZZ'],
      ['heading', 'Det skjer'],
      ['limit', '3'],
    ]);
    assert.is(other, address);
    const { headers } = await calendar.send(address);
    assert.match(headers['cache-control'] ?? '', /^public, max-age=\d+$/);
    assert.is(headers['access-control-allow-origin'], '*');
    const again = await calendar.send(address, { headers: { 'if-none-match': headers.etag ?? '' } });
    assert.is(again.status, 304);
    const keyed = await calendar.send(`${address}&key=some-key`);
    assert.match(keyed.headers['cache-control'] ?? '', /^private, /);
  });
});

embed('I5: should log a filter that is too long for an address', async (context) => {
  const ids = Array.from({ length: 300 }, (_, at) => `00000000-0000-0000-0000-${at}`).join(' ');
  await visit(context, {}, async (page, findings) => {
    await shown(page);
    await page
      .locator('almanakk-events')
      .evaluate((element, value) => element.setAttribute('ids', value), ids);
    await page.getByText('Kalenderen svarer ikke akkurat nå.').waitFor();
    assert.match(findings.join(), /expected a filter whose address has at most 8000 characters, found \d+/);
  });
});

embed('I5: should replace an event with the next one at the second at which it is over', async (context) => {
  context.now += 20 * MINUTE;
  await visit(
    context,
    { attributes: 'fromStartDate="2026-01-01T00:00:00+01:00" limit="4"' },
    async (page) => {
      const titles = () => lineOf(page, 1);
      assert.equal(await titles(), ['Nå', 'Avlyst kveld', 'Utsolgt kveld <3', 'Hele dager']);
      await page.getByRole('link', { name: 'Utsolgt' }).focus();
      await pass(context, page, 10 * MINUTE - 5);
      assert.is((await titles())[0], 'Nå');
      await pass(context, page, 6);
      assert.is((await titles())[0], 'Avlyst kveld');
      await pass(context, page, 10);
      await page.getByRole('link', { name: 'Senere' }).waitFor();
      assert.equal(await titles(), ['Avlyst kveld', 'Utsolgt kveld <3', 'Hele dager', 'Senere']);
      const link = page.getByRole('link', { name: 'Utsolgt' });
      await assertFocused(link);
    },
  );
});

embed(
  'I5: should show an error and the page’s own content when the calendar does not answer, with a button to retry',
  async (context) => {
    let isDown = true;
    const answer = (route: Route) => (isDown ? route.abort('connectionrefused') : route.continue());
    await visit(context, { answer }, async (page) => {
      assert.equal(await shown(page), []);
      assert.is(await state(page), 'Kalenderen svarer ikke akkurat nå.');
      await assertVisible(page.getByRole('link', { name: 'Kalenderen' }));
      isDown = false;
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      const first = page.getByRole('link', { name: 'Utstilling' });
      await first.waitFor();
      assert.is(await state(page), '');
      await page.keyboard.press('Tab');
      await assertFocused(first);
    });
  },
);

/** Hides the page, or shows it again. */
const setHidden = (page: Page, isHidden: boolean) =>
  page.evaluate(`{
    Object.defineProperty(document, 'hidden', { value: ${isHidden}, configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
  }`);

embed(
  'I5: should update a visible list every five minutes, and a list that is seen again',
  async (context) => {
    let requests = 0;
    const answer = (route: Route) => {
      requests += 1;
      return route.continue();
    };
    await visit(context, { answer, attributes: 'fromDate="2026-12-01"' }, async (page) => {
      const requestsOf = async (work: () => Promise<unknown>) => {
        const before = requests;
        await work();
        await shown(page);
        return requests - before;
      };
      const after = (seconds: number) => requestsOf(() => pass(context, page, seconds));
      const seenAgain = () => requestsOf(() => setHidden(page, false));
      await shown(page);
      assert.is(await after(5 * MINUTE - 10), 0);
      assert.is(await after(20), 1);
      await setHidden(page, true);
      assert.is(await after(60 * MINUTE), 0, 'while it is hidden');
      assert.is(await seenAgain(), 1);
      await setHidden(page, true);
      assert.is(await after(MINUTE - 10), 0);
      assert.is(await seenAgain(), 0, 'when it was hidden for less than a minute');
      await setHidden(page, true);
      assert.is(await after(20), 0);
      assert.is(await seenAgain(), 1, 'when its list is more than a minute old');
    });
  },
);

embed('I5: should retry automatically, and keep the list meanwhile', async (context) => {
  let isDown = false;
  const answer = (route: Route) =>
    isDown ? route.fulfill({ status: 502, body: '<html>' }) : route.continue();
  context.now += 26 * MINUTE;
  const attributes = 'limit="6" untilDate="2026-04-01"';
  await visit(context, { answer, attributes }, async (page) => {
    assert.is((await shown(page)).length, 6);
    isDown = true;
    await pass(context, page, 4 * MINUTE);
    assert.is((await shown(page)).length, 5);
    await pass(context, page, 11);
    await page.getByText('Listen kunne ikke oppdateres').waitFor();
    assert.match(await state(page), /^Listen kunne ikke oppdateres. Sist oppdatert kl. \d\d\.\d\d\.$/);
    isDown = false;
    await pass(context, page, 71);
    await page.getByText('Listen kunne ikke oppdateres').waitFor({ state: 'detached' });
    assert.is((await shown(page)).length, 5);
  });
});

const heightOf = async (page: Page) =>
  (await page.locator('almanakk-events').boundingBox())?.height ?? Number.NaN;

embed('I5: should give up on a slow answer', async (context) => {
  await visit(context, { answer: () => new Promise(() => {}), language: 'en' }, async (page) => {
    const region = page.getByRole('region', { name: 'Events' });
    assert.is(await state(page), 'Loading events …');
    assert.is(await region.getAttribute('aria-busy'), 'true');
    await page.clock.runFor(16_000);
    await page.getByText('The calendar is not responding.').waitFor();
    assert.is(await region.getAttribute('aria-busy'), 'false');
    await page.clock.runFor(71_000);
    assert.is(await state(page), 'Loading events …');
    assertBelow(await heightOf(page), 100, 'pixels while it tries again');
  });
});

embed(
  'I5, B14: should log an unknown value of an attribute to the console, not show it to readers',
  async (context) => {
    await visit(context, { attributes: 'hoursRange="evening"' }, async (page, findings) => {
      await shown(page);
      assert.is(await state(page), 'Kalenderen svarer ikke akkurat nå.');
      assert.match(findings.join(' '), /hoursRange: expected HH:mm-HH:mm/);
      assert.is(await page.getByRole('button').count(), 0);
    });
  },
);

embed(
  'I5: should log an attribute that it does not have, and be left to right on any page',
  async (context) => {
    const attributes = 'Category="MUSIC" class="a" data-v-1 theme="light" dir="rtl" limit="2"';
    await visit(context, { attributes }, async (page, findings) => {
      await shown(page);
      assert.is(findings.length, 1, findings.join());
      assert.match(findings[0] ?? '', /^almanakk-events: category: expected one of ids,categories,/);
      const direction = `getComputedStyle(document.querySelector('almanakk-events').shadowRoot.querySelector('li')).direction`;
      assert.is(await page.evaluate(direction), 'ltr');
    });
  },
);

embed(
  'I5: should log that a page has the scripts of two calendars, and give it no name but its own',
  async (context) => {
    const { url, send } = context.calendar;
    const before = `<script src="${url}/other/embed.js" defer></script>`;
    await visit(context, { before }, async (page, findings) => {
      const body = (await send('/embed.js')).text;
      await page.route('**/other/embed.js', (route) =>
        route.fulfill({ body, contentType: 'text/javascript' }),
      );
      await page.reload();
      const endpoints = `${url}/other/embed.json and ${url}/embed.json`;
      assert.is(findings.at(-1), `almanakk-events: expected one calendar, found ${endpoints}`);
      const names = [...body.matchAll(/^(?:async )?(?:function|const|class) (\w+)/gm)].map(
        ([, name]) => name,
      );
      assertAbove(names.length, 20, 'names');
      const types = await page.evaluate(`[${names.map((name) => `typeof ${name}`).join(', ')}]`);
      assert.equal([...new Set(types as string[])], ['undefined']);
    });
  },
);

embed('I5: should show pictures only with its attribute pictures', async (context) => {
  await visit(context, { attributes: 'limit="2"' }, async (page) => {
    await shown(page);
    const picture = page.locator('almanakk-events img');
    assert.is(await picture.count(), 0);
    await page.locator('almanakk-events').evaluate((element) => element.setAttribute('pictures', ''));
    await picture.waitFor();
    assert.is(await picture.getAttribute('src'), 'https://bilde.example/liten.jpg');
    assert.is(await picture.getAttribute('alt'), 'Et band');
  });
});

embed('I5: should say that there are no events', async (context) => {
  await visit(context, { attributes: 'tag="nothing"' }, async (page) => {
    assert.equal(await shown(page), []);
    assert.is(await state(page), 'Ingen kommende arrangementer.');
    assertBelow(await heightOf(page), 100, 'pixels');
  });
});

/** Waits until the browser has drawn the page. The clock of the page stands still, so its timers and animation frames do, too. */
const drawn = (page: Page) =>
  page.evaluate(`new Promise((done) => {
    new IntersectionObserver((_, observer) => done(observer.disconnect())).observe(document.body);
  })`);

/** How far the text below an element moves when its list arrives, as browsers score it: up to 0.1 is good. */
async function shiftOf(page: Page, height: string, answerIt: () => Promise<void>): Promise<number> {
  await page.evaluate(`{
    const element = document.createElement('almanakk-events');
    element.style.setProperty('--almanakk-loading-height', '${height}');
    const below = document.createElement('p');
    below.style.height = '2000px';
    below.textContent = 'Under';
    document.querySelector('main').replaceChildren(element, below);
    globalThis.shifts = [];
    globalThis.observer = new PerformanceObserver((list) => globalThis.shifts.push(...list.getEntries()));
    globalThis.observer.observe({ type: 'layout-shift' });
  }`);
  await drawn(page);
  await answerIt();
  await shown(page);
  await drawn(page);
  return page.evaluate<number>(`{
    globalThis.shifts.push(...globalThis.observer.takeRecords());
    globalThis.observer.disconnect();
    globalThis.shifts.reduce((sum, { value }) => sum + value, 0);
  }`);
}

embed(
  'I5: should reserve room for a list that is loading, so that the page does not move',
  async (context) => {
    const routes = new EventEmitter();
    let isHeld = false;
    const answer = async (route: Route) => {
      if (isHeld) routes.emit('held', route);
      else await route.continue();
    };
    const shiftWith = async (page: Page, height: string) => {
      const held = once(routes, 'held');
      return shiftOf(page, height, async () => {
        const [route]: Route[] = await held;
        if (route === undefined) return;
        const response = await route.fetch();
        const list = await response.json();
        // As most events are: with a place, and two lines of a summary.
        for (const event of list.events)
          Object.assign(event, { summary_nb: 'Et sammendrag. '.repeat(20), venue: { name: 'Salen' } });
        await route.fulfill({ response, json: list });
      });
    };
    await visit(context, { answer }, async (page) => {
      await shown(page);
      isHeld = true;
      assertAbove(await shiftWith(page, '0'), 0.3, 'without room');
      assertBelow(await shiftWith(page, ''), 0.05, 'with room');
    });
  },
);

const LIGHT = 'rgb(255, 253, 248)';
const DARK = 'rgb(27, 34, 38)';

interface Theme {
  readonly attributes: string;
  readonly background: string;
  readonly padding: string;
}

/** Themes in a browser that prefers dark colours. */
const THEMES: readonly Theme[] = [
  { attributes: '', background: 'rgba(0, 0, 0, 0)', padding: '0px' },
  { attributes: 'theme="light"', background: LIGHT, padding: '16px' },
  { attributes: 'theme="dark"', background: DARK, padding: '16px' },
  { attributes: 'theme="auto"', background: DARK, padding: '16px' },
];

const styleOf = (page: Page) =>
  page.locator('almanakk-events').evaluate((element) => {
    const { backgroundColor, paddingTop } = getComputedStyle(element);
    return { background: backgroundColor, padding: paddingTop };
  });

for (const { attributes, background, padding } of THEMES) {
  embed(`I5: should have a background and padding by its theme: ${attributes || 'none'}`, async (context) => {
    await visit(context, { attributes, options: { colorScheme: 'dark' } }, async (page) => {
      await shown(page);
      assert.equal(await styleOf(page), { background, padding });
    });
  });
}

embed('I5: should have the padding that the style of its page sets', async (context) => {
  await visit(context, {}, async (page) => {
    await shown(page);
    await page.locator('almanakk-events').evaluate((element) => {
      Reflect.get(element, 'style').setProperty('--almanakk-padding', '8px');
    });
    assert.is((await styleOf(page)).padding, '8px');
  });
});

const LOOKS = [
  { language: 'nb', colorScheme: 'dark', width: 320, more: 'theme="auto" pictures' },
  { language: 'nn', colorScheme: 'light', width: 320, more: 'theme="light" pictures' },
  { language: 'en', colorScheme: 'light', width: 1_280, more: '' },
] as const;

for (const { language, colorScheme, width, more } of LOOKS) {
  embed(
    `I5: should have nothing that axe-core objects to and fit: ${language}, ${colorScheme}, ${width} wide ${more}`,
    async (context) => {
      const options = { colorScheme, viewport: { width, height: 800 }, bypassCSP: true };
      const attributes = `heading="Kalender" ${more}`;
      await visit(context, { language, options, attributes }, async (page) => {
        assert.is((await shown(page)).length, 5);
        assert.is((await page.locator('almanakk-events img').count()) > 0, more !== '', 'pictures');
        assert.is(await page.evaluate('document.documentElement.scrollWidth'), width);
        await page.clock.resume();
        const { passed, objections } = await judgedBy(page);
        assert.equal(objections, []);
        assertAbove(passed, 10, 'rules that looked at anything');
      });
    },
  );
}

embed('I5: should be smaller than 10 KiB by brotli', async ({ calendar }) => {
  const { bytes } = await calendar.send('/embed.js');
  const params = { [constants.BROTLI_PARAM_QUALITY]: 4 };
  assertBelow(brotliCompressSync(bytes, { params }).length, 10 * 1_024, 'bytes');
});

embed('I5: should be a script that pages of any origin may load', async ({ calendar }) => {
  const { headers } = await calendar.send('/embed.js');
  assert.is(headers['content-type'], 'text/javascript; charset=utf-8');
  assert.is(headers['access-control-allow-origin'], '*');
  assert.is(headers['cross-origin-resource-policy'], 'cross-origin');
});

embed('I5: should answer 304 to a browser that has the script', async ({ calendar }) => {
  const { headers } = await calendar.send('/embed.js');
  const again = await calendar.send('/embed.js', { headers: { 'if-none-match': headers.etag ?? '' } });
  assert.is(again.status, 304);
});

embed.run();
