/** The pages of docs/examples, as a reader's browser has them: from another origin than the calendar's, wide and on a phone. */
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { Browser, Page } from 'playwright-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { packagePath } from '../../src/package.ts';
import { assertAbove, assertAtMost, assertBelow } from '../helpers/assertions.ts';
import { assertHidden, assertVisible, inBrowser, judgedBy, openBrowser } from '../helpers/browser.ts';
import { listening } from '../helpers/port.ts';
import { type Running, startBuilt } from '../helpers/running.ts';
import { isExpected, when } from '../helpers/when.ts';
import { ADDRESS } from '../readme/shell.ts';
import { type EventPages, startEventPages } from './event-pages.ts';
import { startWordPress } from './wordpress.ts';

const FRIDAY = Date.parse('2026-11-20T12:00:00+01:00');
const WIDE = { width: 1_100, height: 800 };
const PICTURE = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 5"/>';
const PHONE = { width: 360, height: 740 };

interface Context {
  now: number;
  calendar: Running;
  site: Server;
  origin: string;
  pages: EventPages;
  browser: Browser;
  page: Page;
  findings: string[];
}

const test = inBrowser(suite<Context>('examples'));
const withPhpAndBrowser = when(isExpected('php'), 'php is not installed here', test);

test.before(async (context) => {
  context.now = FRIDAY;
  context.calendar = await startBuilt(packagePath('data/sample'), FRIDAY / 1_000, {
    clock: () => context.now,
  });
  context.site = createServer(({ url = '' }, response) => {
    const [path = ''] = url.split('?');
    const html = readFileSync(packagePath(`docs/examples${path}`), 'utf8');
    response.setHeader('Content-Type', 'text/html');
    response.end(html.replaceAll(ADDRESS, context.calendar.url));
  });
  context.origin = `http://localhost:${await listening(context.site)}`;
  context.pages = await startEventPages(context.calendar.url);
  context.browser = await openBrowser();
});

test.before.each(async (context) => {
  context.now = FRIDAY;
  // Somebody in Tokyo.
  context.page = await context.browser.newPage({ viewport: WIDE, timezoneId: 'Asia/Tokyo' });
  context.findings = [];
  // The sample's pictures are at an address where no server of this test listens.
  await context.page.route(/\/pictures\//, (route) =>
    route.fulfill({ contentType: 'image/svg+xml', body: PICTURE }),
  );
  context.page.on('pageerror', (error) => context.findings.push(String(error)));
  context.page.on('console', (message) => context.findings.push(message.text()));
});

test.after.each(async ({ page, findings }) => {
  await page.close();
  assert.equal(findings, []);
});

test.after(async ({ browser, calendar, pages, site }) => {
  await browser.close();
  pages.close();
  await calendar.close();
  site.close();
});

withPhpAndBrowser(
  'should fit a wide window and a phone, and please axe in both: almanakk-events.php',
  async (context) => {
    const { page, calendar, now } = context;
    const wordPress = await startWordPress(calendar.url, {}, now / 1_000);
    for (const [locale, language] of [
      ['nb_NO', 'nb'],
      ['en_GB', 'en'],
    ] as const) {
      await wordPress.setLocale(locale);
      const list = await wordPress.showList({ bilder: 'ja', overskrift: 'Det skjer', antall: '20' });
      const event = await wordPress.openPage({ arrangement: 'dinosaurer-pa-kalvskinnet' });
      assert.is(event.status, 200);
      const content = `<title>Avisen</title><main><h1>Avisen</h1>${list.html}${event.html}</main>`;
      await page.setContent(`<!doctype html><html lang="${language}">${content}</html>`);
      assert.is(await page.locator('.almanakk-event').count(), 20);
      assertAbove(await page.locator('figure img').count(), 0, 'pictures');
      await assertFits(page);
    }
    await wordPress.close();
  },
);

const LISTS = ['search', 'info-screen', 'this-weekend'];

for (const name of LISTS) {
  test(`should fit a wide window and a phone, and please axe in both: ${name}`, async (context) => {
    await open(context, name);
    await assertFits(context.page);
  });
}

test('should fit a wide window and a phone, and please axe in both: event-page', async ({ page, pages }) => {
  await page.goto(`${pages.url}/arrangement/spelet?dato=2027-07-28`);
  assert.is(await page.locator('li').count(), 4);
  await assertFits(page);
});

for (const name of LISTS) {
  test(`should write in Norwegian when an event begins, and that it is online only if it is: ${name}`, async (context) => {
    const { page } = context;
    await page.route('**/graphQL**', async (route) => {
      const response = await route.fetch();
      const answer = JSON.parse(await response.text());
      const [first, second] = answer.data.events.data;
      Object.assign(first, { venue: null, mode: 'offline', title_nb: 'Uten sted' });
      const evening = { startDate: '2031-02-14 19:00:00+01:00', startTime: '19:00', allDay: false };
      Object.assign(second, { ...evening, venue: null, mode: 'online', title_nb: 'Nettkurs' });
      await route.fulfill({ response, json: answer });
    });
    await open(context, name);
    assert.not.match(await page.locator('li:has-text("Uten sted")').innerText(), 'På nett');
    assert.match(await page.locator('li:has-text("Nettkurs")').innerText(), /19\.00.*På nett/s);
  });
}

test('the search should fold the facets above the hits on a phone', async (context) => {
  const { page } = context;
  await page.setViewportSize(PHONE);
  await open(context, 'search');
  const top = async (selector: string) => (await page.locator(selector).boundingBox())?.y ?? 0;
  assertBelow(await top('#facets'), await top('#message'), 'pixels from the top');
  await assertHidden(page.locator('#facets a').first());
  await page.locator('#facets summary').press('Enter');
  await assertVisible(page.locator('#facets a').first());
});

test('the search should turn pages, narrow down and go back by its address', async (context) => {
  const { page } = context;
  const message = () => page.textContent('#message');
  await open(context, 'search');
  assert.is(await message(), '195 treff, side 1 av 10');
  await follow(page, 'a:has-text("Neste")');
  assert.is(await message(), '195 treff, side 2 av 10');
  const [category] = await page.locator('.facets a').allTextContents();
  await follow(page, '.facets a');
  const narrowed = await message();
  assert.match(narrowed ?? '', new RegExp(`^${/\d+$/.exec(category ?? '')} treff, side 1`));
  await page.fill('[name=q]', 'KONSRT');
  await page.selectOption('[name=when]', 'WEEKEND');
  await follow(page, 'button');
  assert.match(page.url(), /q=KONSRT&when=WEEKEND/);
  assert.is(await page.inputValue('[name=q]'), 'KONSRT');
  await page.goBack();
  await page.waitForSelector('#events li');
  assert.is(await message(), narrowed);
});

test('the search should show the chosen place, similar words, and a way out where there is no hit', async (context) => {
  const { page } = context;
  const message = () => page.textContent('#message');
  await open(context, 'search', '?q=jazz&place=5001');
  const place = page.locator('.facets a[aria-current]');
  assert.match((await place.textContent()) ?? '', /^✕ Trondheim[1-9]\d*$/i);
  await open(context, 'search', '?q=klubnat');
  assert.is(await message(), '1 treff som ligner på det du søkte etter');
  await open(context, 'search', '?q=ingenting-heter-dette&place=5001');
  assert.is(await message(), 'Ingen treff.');
  await follow(page, '.facets a:has-text("✕ 5001")');
  assert.is(new URL(page.url()).search, '?q=ingenting-heter-dette');
});

test('the search should show descriptions as HTML, and no tags as text', async (context) => {
  await open(context, 'search', '?q=orgelmeditasjon');
  await context.page.click('summary');
  const text = (await context.page.textContent('details div')) ?? '';
  assertAbove(text.length, 20, 'letters');
  assert.not.match(text, /<\w/);
});

const titlesOn = (page: Page) => page.locator('h2').allTextContents();

/** The info screen, with a clock that the test moves. */
async function openScreen(context: Context): Promise<void> {
  const { page, origin, now } = context;
  await page.clock.install({ time: now });
  await page.goto(`${origin}/info-screen.html`);
  await page.waitForSelector('li');
}

test('the info screen should change at the second', async (context) => {
  const { page, calendar } = context;
  const change = await nextChange(calendar);
  context.now = change - 5_000;
  await openScreen(context);
  const before = await titlesOn(page);
  context.now = change - 1;
  await page.clock.runFor(4_900);
  assert.equal(await titlesOn(page), before);
  context.now = change;
  await Promise.all([page.waitForResponse(/graphQL/), page.clock.runFor(1_200)]);
  await page.waitForFunction(`document.querySelectorAll('h2')[1].textContent !== '${before[1]}'`);
  const after = await titlesOn(page);
  assert.equal(before.filter((title) => !after.includes(title)).length, 1);
});

test('the info screen should keep its events, and say so, while the calendar does not answer', async (context) => {
  const { page } = context;
  await openScreen(context);
  const before = await titlesOn(page);
  await page.route('**/graphQL', (route) => route.abort());
  await page.clock.runFor(61_000);
  await page.waitForFunction(`document.querySelector('#message').textContent !== ''`);
  assert.equal(await titlesOn(page), before);
  assert.match((await page.textContent('#message')) ?? '', 'svarer ikke');
  await page.unroute('**/graphQL');
  await page.clock.runFor(10_000);
  await page.waitForFunction(`document.querySelector('#message').textContent === ''`);
  // Chromium logs requests that the test has cut off.
  context.findings.length = 0;
});

interface Weekend {
  readonly says: string;
  readonly now: number;
  readonly days: readonly string[];
}

const WEEKENDS: readonly Weekend[] = [
  {
    says: 'to come',
    now: FRIDAY,
    days: ['fredag 20. november', 'lørdag 21. november', 'søndag 22. november', 'Pågår'],
  },
  // An exhibition begins on Tuesday.
  {
    says: 'of which something begins before',
    now: Date.parse('2026-11-30T10:00:00+01:00'),
    days: ['fredag 4. desember', 'lørdag 5. desember', 'søndag 6. desember', 'Pågår'],
  },
  { says: 'that is', now: Date.parse('2026-11-22T16:00:00+01:00'), days: ['søndag 22. november', 'Pågår'] },
];

for (const { says, now, days } of WEEKENDS) {
  test(`should list the weekend ${says} and nothing else`, async (context) => {
    context.now = now;
    await open(context, 'this-weekend');
    assert.equal(await context.page.locator('h3').allTextContents(), days);
  });
}

for (const name of ['search', 'this-weekend']) {
  test(`should tell the reader when the calendar does not answer: ${name}`, async (context) => {
    const { page, origin } = context;
    await page.route('**/graphQL*', (route) => route.abort());
    await page.goto(`${origin}/${name}.html`);
    await page.waitForFunction(
      `/kunne ikke hentes/.test(document.querySelector('[role=status]').textContent)`,
    );
    context.findings.length = 0;
  });
}

test.run();

async function assertFits(page: Page): Promise<void> {
  for (const viewport of [WIDE, PHONE]) {
    await page.setViewportSize(viewport);
    const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
    assertAtMost(Number(overflow), 0, `pixels beyond ${viewport.width}`);
    assert.equal((await judgedBy(page)).objections, []);
  }
}

/** When the calendar changes next, in milliseconds since 1970. */
async function nextChange(running: Running): Promise<number> {
  interface Answer {
    readonly calendar: { readonly nextChange: string };
  }
  const { calendar } = await running.ask<Answer>('{ calendar { nextChange } }');
  return Date.parse(calendar.nextChange.replace(' ', 'T'));
}

/** Goes to another address of the same page, and waits for it. */
async function follow(page: Page, selector: string): Promise<void> {
  await Promise.all([page.waitForEvent('load'), page.click(selector)]);
  await page.waitForFunction(`!/^Henter/.test(document.querySelector('[role=status]').textContent)`);
}

async function open({ page, origin, now }: Context, name: string, search = ''): Promise<void> {
  await page.clock.setFixedTime(now);
  await page.goto(`${origin}/${name}.html${search}`);
  await page.waitForFunction(`!/^Henter/.test(document.querySelector('[role=status]').textContent)`);
}
