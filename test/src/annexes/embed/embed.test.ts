/** `<almanakk-events>` in Chromium, on a page of another origin with a strict policy. The calendar stands on 1 January 2026. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, constants } from 'node:zlib';
import { isInputObjectType } from 'graphql';
import type { Browser, Page, Route } from 'playwright-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { schema } from '../../../../src/serve/graphql/schema.ts';
import type { AccessLogEntry } from '../../../../src/serve/http/access-log.ts';
import { assertAbove, assertBelow } from '../../../helpers/assertions.ts';
import { assertFocused, assertVisible, inBrowser, judgedBy, openBrowser } from '../../../helpers/browser.ts';
import { NOW } from '../../../helpers/calendar.ts';
import { sourceFolder } from '../../../helpers/native-source.ts';
import { type Running, startBuilt } from '../../../helpers/running.ts';

const MINUTE = 60;

interface Context {
  calendar: Running;
  /** Seconds, by the calendar's clock. */
  now: number;
  accesses: AccessLogEntry[];
  paper: Server;
  browser: Browser;
}

const embed = inBrowser(suite<Context>('embed.js'));

const price = (value: number, at = 0) => ({ type: `T${at}`, price: value });
const at = (start: string, more: object = {}) => ({ start: `2026-${start}`, ...more });

const EVENTS = [
  {
    id: 'now',
    title_nb: 'Nå',
    title_en: 'Now',
    ticketsInformation: 'ticketsInfo',
    prices: [price(99)],
    dates: [at('01-01 12:00', { end: '2026-01-01 13:30', prices: [50, 1_200, 0].map(price) })],
    images: [{ urlSmall: 'https://bilde.example/liten.jpg', alt: 'Et band' }],
  },
  {
    id: 'off',
    title_nb: 'Avlyst kveld',
    venue: 'hall',
    categories: ['JAZZ'],
    dates: [at('01-01 19:00', { duration: 60, eventCancelled: true })],
  },
  {
    id: 'out',
    title_nb: 'Utsolgt kveld <3',
    mode: 'online',
    ticketsInformation: 'free',
    dates: [at('01-02 19:00', { eventSoldOut: true }), at('01-02 21:00'), at('01-02 23:00')],
  },
  {
    id: 'days',
    title_nb: 'Hele dager',
    summary_en: 'Two whole days.',
    dates: [at('01-03', { end: '2026-01-04' })],
  },
  { id: 'running', title_nb: 'Utstilling', dates: [{ start: '2025-12-01 10:00', end: '2026-02-01 16:00' }] },
  { id: 'later', title_nb: 'Senere', dates: [at('03-01 10:00', { duration: 30 })] },
  {
    id: 'moved',
    title_nb: 'Flyttet dag',
    dates: [at('12-05 19:00', { previousStart: '2026-12-04 18:00' })],
  },
  {
    id: 'delayed',
    title_nb: 'Flyttet time',
    dates: [at('12-06 19:00', { previousStart: '2026-12-06 18:00' })],
  },
  { id: 'midnight', title_nb: 'Til midnatt', dates: [at('12-07 10:00', { end: '2026-12-08 00:00' })] },
  { id: 'night', title_nb: 'Nattåpent', dates: [at('12-07 16:00', { end: '2026-12-08 02:00' })] },
];

const HALL = {
  id: 'hall',
  name: 'Ærlige Hall',
  latitude: 63.43,
  longitude: 10.39,
  accessibility: ['WHEELCHAIR', 'HEARING_LOOP'],
};

embed.before(async (context) => {
  const source = sourceFolder({ 'events.json': EVENTS, 'venues.json': [HALL] });
  context.now = NOW;
  context.accesses = [];
  context.calendar = await startBuilt(source, NOW, {
    clock: () => context.now * 1_000,
    onAccess: (entry) => context.accesses.push(entry),
  });
  context.paper = createServer((request, response) => {
    const { searchParams } = new URL(request.url ?? '', 'http://paper');
    const type = { 'content-type': 'text/html; charset=utf-8' };
    response.writeHead(200, { ...type, 'content-security-policy': policy(context) });
    response.end(pageWith(context, searchParams));
  });
  context.paper.listen(0, '127.0.0.1');
  await once(context.paper, 'listening');
  context.browser = await openBrowser();
});

embed.before.each((context) => {
  context.now = NOW;
});

embed.after(async ({ calendar, paper, browser }) => {
  await browser.close();
  paper.close();
  await calendar.close();
});

/** No styles, no code of its own, no text made into HTML: nothing but the calendar. */
const policy = ({ calendar: { url } }: Context) =>
  `default-src 'none'; script-src ${url}; connect-src ${url}; require-trusted-types-for 'script'; base-uri 'none'; form-action 'none'`;

const pageWith = ({ calendar: { url } }: Context, parameters: URLSearchParams) => `<!doctype html>
<html lang="${parameters.get('page-lang') ?? 'nb'}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Avisen</title>
${parameters.get('before') ?? ''}
<script src="${url}/embed.js" defer></script>
</head>
<body>
<main><h1>Avisen</h1>
<almanakk-events ${parameters.get('attributes') ?? ''}><a href="https://kalender.example/">Kalenderen</a></almanakk-events>
</main>
</body>
</html>`;

interface Visit {
  readonly attributes?: string;
  /** Changes of other scripts to the page, before the embed's script. */
  readonly before?: string;
  readonly language?: string;
  readonly options?: Parameters<Browser['newContext']>[0];
  /** Called for each question to the endpoint, in place of the endpoint. */
  readonly answer?: (route: Route) => Promise<void>;
}

/** Opens the page at the calendar's time, which then stands still. */
async function visit(
  context: Context,
  { attributes = '', before = '', language = 'nb', options = {}, answer }: Visit,
  work: (page: Page, findings: readonly string[]) => Promise<void>,
): Promise<void> {
  const { port } = context.paper.address() as AddressInfo;
  const browsing = await context.browser.newContext(options);
  try {
    const page = await browsing.newPage();
    const findings: string[] = [];
    page.on('console', (message) => findings.push(message.text()));
    page.on('pageerror', (error) => findings.push(error.message));
    await page.clock.install({ time: (context.now - MINUTE) * 1_000 });
    await page.clock.pauseAt(context.now * 1_000);
    if (answer !== undefined) await page.route('**/graphQL', answer);
    const search = new URLSearchParams({ attributes, before, 'page-lang': language });
    await page.goto(`http://127.0.0.1:${port}/side?${search}`);
    await work(page, findings);
  } finally {
    await browsing.close();
  }
}

/** Both clocks go on. */
async function pass(context: Context, page: Page, seconds: number): Promise<void> {
  context.now += seconds;
  await page.clock.runFor(seconds * 1_000);
}

const shown = async (page: Page) => {
  await page.locator('almanakk-events section[aria-busy=false]').waitFor();
  return page.locator('almanakk-events li').allInnerTexts();
};
const lines = (text: string) =>
  text
    .split('\n')
    .map((line) => line.replaceAll('\u00a0', ' ').trim())
    .filter(Boolean);
/** The lines of each shown event. */
const shownLines = async (page: Page) => (await shown(page)).map(lines);
/** The line at this place of each event, without the state after a title. */
const lineOf = async (page: Page, place: number) =>
  (await shownLines(page)).map((text) => text[place]?.replace(/Avlyst$|Utsolgt$/, ''));
const state = (page: Page) => page.locator('almanakk-events [role=status]').innerText();

embed('I5: should show what comes next, on a page that allows nothing but the calendar', async (context) => {
  await visit(context, {}, async (page, findings) => {
    assert.equal(await shownLines(page), [
      ['Til og med søn. 1. feb.', 'Utstilling'],
      ['Tor. 1. jan. 12.00–13.30', 'Nå', '50–1 200 kr'],
      ['Tor. 1. jan. 19.00–20.00', 'Avlyst kveldAvlyst', 'Ærlige Hall', 'Rullestoltilgang', 'Teleslynge'],
      ['Fre. 2. jan. 19.00, også 21.00 og 23.00', 'Utsolgt kveld <3Utsolgt', 'På nett · Gratis'],
      ['Lør. 3. jan.', 'Hele dager', 'Two whole days.'],
    ]);
    assert.is(await page.locator('almanakk-events .summary').getAttribute('lang'), 'en');
    const link = page.getByRole('link', { name: 'Utsolgt kveld <3' });
    assert.is(await link.getAttribute('href'), 'https://kalender.example/event/utsolgt-kveld-3');
    assert.equal(findings, []);
    const known = await page.evaluate<string[]>(`customElements.get('almanakk-events').observedAttributes`);
    const filter = schema.getType('Filter');
    const names = isInputObjectType(filter) ? Object.keys(filter.getFields()) : [];
    assert.equal(
      names.filter((name) => !known.includes(name.toLowerCase())),
      [],
    );
  });
});

embed('I5: should count midnight, and the night after a day, as the end of that day', async (context) => {
  const { now } = context;
  for (const time of [now, Date.parse('2026-12-07T17:00:00+01:00') / 1_000]) {
    context.now = time;
    await visit(context, { attributes: 'fromDate="2026-12-07"' }, async (page) => {
      assert.equal(await shownLines(page), [
        ['Man. 7. des. 10.00–00.00', 'Til midnatt'],
        ['Man. 7. des. 16.00–02.00', 'Nattåpent'],
      ]);
    });
  }
  context.now = now;
});

embed(
  'I5: should take the fields of the filter, a limit, a language and a heading as attributes',
  async (context) => {
    const attributes = 'categories="ART, JAZZ" heading="What is on" lang="en" limit="3"';
    await visit(context, { attributes }, async (page) => {
      const evening =
        'Thu 1 Jan 19:00–20:00|Avlyst kveldCancelled|Ærlige Hall|Wheelchair access|Hearing loop';
      assert.equal(await shownLines(page), [evening.split('|')]);
      await assertVisible(page.getByRole('heading', { name: 'What is on', level: 2 }));
      await assertVisible(page.getByRole('region', { name: 'What is on' }));
      // A text in the other language is marked as such, for screen readers.
      assert.is(await page.getByRole('link', { name: 'Avlyst kveld' }).getAttribute('lang'), 'nb');
      await page.locator('almanakk-events').evaluate((element) => {
        element.removeAttribute('categories');
        element.setAttribute('cancelledNotIncluded', 'true');
      });
      await page.getByRole('link', { name: 'Utstilling' }).waitFor();
      assert.equal(await lineOf(page, 1), ['Utstilling', 'Now', 'Utsolgt kveld <3Sold out']);
    });
  },
);

embed(
  'B13, I5: should ask where the reader is after a click only, and send that rounded',
  async (context) => {
    const asked: string[] = [];
    const answer = async (route: Route) => {
      asked.push(route.request().postData() ?? '');
      await route.continue();
    };
    const options = {
      geolocation: { latitude: 63.434321, longitude: 10.401234 },
      permissions: ['geolocation'],
    };
    await visit(context, { attributes: 'nearMe="2.5"', options, answer }, async (page) => {
      assert.is((await shown(page)).length, 5);
      const button = page.getByRole('button', { name: 'Nær meg (2.5 km)' });
      assert.is(await button.getAttribute('aria-pressed'), 'false');
      await button.click();
      await page.locator('almanakk-events li').nth(1).waitFor({ state: 'detached' });
      assert.equal(await lineOf(page, 2), ['Ærlige Hall']);
      assert.is(await button.getAttribute('aria-pressed'), 'true');
      await button.click();
      await page.locator('almanakk-events li').nth(4).waitFor();
      const near = asked.map((body) => JSON.parse(body).variables.filter.near);
      assert.equal(near, [undefined, { latitude: 63.43, longitude: 10.4, km: 2.5 }, undefined]);
    });
    await visit(context, { attributes: 'nearMe' }, async (page) => {
      await shown(page);
      await page.getByRole('button').click();
      await page.getByText('Vi fikk ikke posisjonen din. Tillat posisjon i nettleseren.').waitFor();
      assert.is((await page.locator('almanakk-events li').all()).length, 5);
    });
    await visit(context, { attributes: 'near="63.43,10.39,1" limit="9"' }, async (page) => {
      assert.equal(await lineOf(page, 2), ['Ærlige Hall']);
      assert.is(await page.getByRole('button').count(), 0);
    });
  },
);

/** Elements that take a name of `document`, in a page that lets them in. */
const STRANGERS = [
  ...['currentScript', 'querySelector', 'scripts'].map(
    (name) => `<img name="${name}" src="http://evil.example/embed.js">`,
  ),
  '<svg><script href="http://evil.example/embed.js"></script></svg>',
];

for (const before of STRANGERS) {
  embed(`I5: MUST ask nobody but its own calendar on a page with ${before}`, async (context) => {
    await visit(context, { before }, async (page) => assert.is((await shown(page)).length, 5));
  });
}

embed('E12: should say from when a date was moved', async (context) => {
  const attributes = 'ids="moved delayed later"';
  const notes = (page: Page) => page.locator('almanakk-events .note').allInnerTexts();
  await visit(context, { attributes }, async (page) => {
    assert.is((await shown(page)).length, 3);
    assert.equal(await notes(page), ['Flyttet fra fredag 4. desember', 'Flyttet fra kl. 18.00']);
  });
  await visit(context, { attributes: `${attributes} lang="en"` }, async (page) => {
    await shown(page);
    assert.equal(await notes(page), ['Moved from Friday 4 December', 'Moved from 18:00']);
  });
});

embed('I5, B15: should show the events whose ids stand in its attribute, between blanks', async (context) => {
  await visit(context, { attributes: 'ids="now days"' }, async (page) =>
    assert.is((await shown(page)).length, 2),
  );
});

embed('I5: should link to nothing but pages', async (context) => {
  const answer = async (route: Route) => {
    const response = await route.fetch();
    const { data } = await response.json();
    data.calendar.siteUrl = 'javascript:alert(1)';
    data.events.data[0].eventLink = ' javascript:alert(2)';
    data.events.data[1].eventLink = 'HTTPS://kalender.example/na';
    await route.fulfill({ response, json: { data } });
  };
  await visit(context, { answer }, async (page) => {
    await shown(page);
    const links = await page.locator('almanakk-events section a').all();
    const targets = await Promise.all(links.map((link) => link.getAttribute('href')));
    assert.equal([targets[0], targets[1], targets.at(-1)], [null, 'HTTPS://kalender.example/na', null]);
  });
});

embed('I5: should link to event pages of the page’s owner, which its attribute gives', async (context) => {
  const firstLinks = (attributes: string) => {
    let found: readonly (string | null)[] = [];
    return visit(context, { attributes }, async (page, findings) => {
      await shown(page);
      const links = await page.locator('almanakk-events li a').all();
      const targets = await Promise.all(links.slice(0, 2).map((link) => link.getAttribute('href')));
      found = [...targets, ...findings];
    }).then(() => found);
  };
  assert.equal(await firstLinks('link="https://avisen.example/arrangement/{slug}?dato={date}"'), [
    'https://avisen.example/arrangement/utstilling?dato=2025-12-01',
    'https://avisen.example/arrangement/na?dato=2026-01-01',
  ]);
  const { port } = context.paper.address() as AddressInfo;
  const [relative] = await firstLinks('link="/kalender/{id}"');
  assert.is(relative, `http://127.0.0.1:${port}/kalender/running`);
  const [plain] = await firstLinks('');
  for (const wrong of ['https://avisen.example/', 'javascript:alert(`{slug}`)']) {
    const [link, , ...findings] = await firstLinks(`link="${wrong}"`);
    assert.is(link, plain);
    const expected = `almanakk-events: link: expected a web address with {slug} or {id}, found "${wrong}"`;
    assert.equal(findings, [expected]);
  }
});

embed('I5: should send the host of its page, and the key of its owner', async (context) => {
  context.accesses.length = 0;
  await visit(context, { attributes: 'key="some-key"' }, async (page) => {
    const request = page.waitForRequest('**/graphQL');
    await page.reload();
    const { 'x-page-url': pageUrl, 'x-api-key': key } = await (await request).allHeaders();
    const { origin, pathname } = new URL(page.url());
    assert.is(pageUrl, `${origin}${pathname}`);
    assert.is(key, 'some-key');
    await shown(page);
  });
  const { port } = context.paper.address() as AddressInfo;
  const asked = context.accesses.filter(({ rootField }) => rootField !== undefined);
  assert.equal([...new Set(asked.map(({ caller }) => caller.pageHost))], [`127.0.0.1:${port}`]);
});

embed('I5: should replace an event that is over with the next one, at the second', async (context) => {
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

embed('I5: should retry automatically, and keep the list meanwhile', async (context) => {
  let isDown = false;
  const answer = (route: Route) =>
    isDown ? route.fulfill({ status: 502, body: '<html>' }) : route.continue();
  context.now += 25 * MINUTE;
  const attributes = 'limit="6" untilDate="2026-04-01"';
  await visit(context, { answer, attributes }, async (page) => {
    assert.is((await shown(page)).length, 6);
    isDown = true;
    await pass(context, page, 5 * MINUTE);
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

embed('I5: should give up on a slow answer', async (context) => {
  await visit(context, { answer: () => new Promise(() => {}), language: 'en' }, async (page) => {
    const region = page.getByRole('region', { name: 'Events' });
    assert.is(await state(page), 'Loading events …');
    assert.is(await region.getAttribute('aria-busy'), 'true');
    await page.clock.runFor(16_000);
    await page.getByText('The calendar is not responding.').waitFor();
    assert.is(await region.getAttribute('aria-busy'), 'false');
  });
});

embed(
  'I5, B14: should log values that the calendar does not know to the console, and show readers nothing of it',
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
  'I5: should show pictures where the page asks for them, and a text where there is no event',
  async (context) => {
    await visit(context, { attributes: 'limit="2"' }, async (page) => {
      await shown(page);
      const picture = page.locator('almanakk-events img');
      assert.is(await picture.count(), 0);
      await page.locator('almanakk-events').evaluate((element) => element.setAttribute('pictures', ''));
      await picture.waitFor();
      assert.is(await picture.getAttribute('src'), 'https://bilde.example/liten.jpg');
      assert.is(await picture.getAttribute('alt'), 'Et band');
    });
    await visit(context, { attributes: 'tag="nothing"' }, async (page) => {
      assert.equal(await shown(page), []);
      assert.is(await state(page), 'Ingen kommende arrangementer.');
    });
  },
);

embed('I5: should have a background of its own with a theme, and padding', async (context) => {
  const styles = (page: Page) =>
    page.evaluate<string[]>(
      `(({ backgroundColor, paddingTop, colorScheme }) => [backgroundColor, paddingTop, colorScheme])(getComputedStyle(document.querySelector('almanakk-events')))`,
    );
  const options = { colorScheme: 'dark' } as const;
  const [light, dark] = ['rgb(255, 253, 248)', 'rgb(27, 34, 38)'];
  for (const { attributes, ground, padding } of [
    { attributes: '', ground: 'rgba(0, 0, 0, 0)', padding: '0px' },
    { attributes: 'theme="light"', ground: light, padding: '16px' },
    { attributes: 'theme="dark"', ground: dark, padding: '16px' },
    { attributes: 'theme="auto"', ground: dark, padding: '16px' },
  ] as const) {
    await visit(context, { attributes, options }, async (page) => {
      await shown(page);
      assert.equal((await styles(page)).slice(0, 2), [ground, padding], attributes);
      await page.locator('almanakk-events').evaluate((element) => {
        Reflect.get(element, 'style').setProperty('--almanakk-padding', '8px');
      });
      assert.is((await styles(page))[1], '8px');
    });
  }
});

const LOOKS = [
  { language: 'nb', colorScheme: 'dark', width: 320 },
  { language: 'en', colorScheme: 'light', width: 1_280 },
] as const;

for (const { language, colorScheme, width } of LOOKS) {
  embed(
    `I5: should have nothing that axe-core objects to and fit: ${language}, ${colorScheme}, ${width} wide`,
    async (context) => {
      const options = { colorScheme, viewport: { width, height: 800 }, bypassCSP: true };
      await visit(context, { language, options, attributes: 'heading="Kalender"' }, async (page) => {
        assert.is((await shown(page)).length, 5);
        assert.is(await page.evaluate('document.documentElement.scrollWidth'), width);
        await page.clock.resume();
        const { passed, objections } = await judgedBy(page);
        assert.equal(objections, []);
        assertAbove(passed, 10, 'rules that looked at anything');
      });
    },
  );
}

embed('I5: should be small, and asked for once', async ({ calendar }) => {
  const script = await fetch(`${calendar.url}/embed.js`);
  const source = Buffer.from(await script.arrayBuffer());
  const params = { [constants.BROTLI_PARAM_QUALITY]: 4 };
  const { length } = brotliCompressSync(source, { params });
  assertBelow(length, 10 * 1_024, 'bytes');
  assert.is(script.headers.get('content-type'), 'text/javascript; charset=utf-8');
  assert.is(script.headers.get('access-control-allow-origin'), '*');
  assert.is(script.headers.get('cross-origin-resource-policy'), 'cross-origin');
  const etag = script.headers.get('etag') ?? '';
  const again = await fetch(`${calendar.url}/embed.js`, { headers: { 'if-none-match': etag } });
  assert.is(again.status, 304);
});

embed.run();
