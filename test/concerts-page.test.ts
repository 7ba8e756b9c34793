/** The page that docs/ shows, as a reader's browser has it: from another origin than the calendar's. */
import type { Browser } from 'playwright-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { packagePath } from '../src/package.ts';
import { inBrowser, openBrowser } from './helpers/browser.ts';
import { always, startFeedServer } from './helpers/feed-server.ts';
import { type Running, startBuilt } from './helpers/running.ts';
import { theBlock } from './readme/blocks.ts';
import { ADDRESS } from './readme/shell.ts';

/** An evening with several concerts, and the end of another that has none left. */
const FRIDAY = Date.parse('2026-11-20T17:00:00+01:00');
const LATE_ON_SUNDAY = Date.parse('2026-11-22T23:58:00+01:00');

const PAGE = theBlock({ file: /^concerts\.html$/ }).text;
/** What the page says until it has an answer. */
const [, LOADING = ''] = /role="status">(.+?)<\/p>/.exec(PAGE) ?? [];

interface Context {
  calendar: Running;
  browser: Browser;
  now: number;
}

const concerts = inBrowser(suite<Context>('concerts on a page'));

concerts.before(async (context) => {
  context.now = FRIDAY;
  const clock = () => context.now;
  // Built at the moment for which test/examples/browser.test.ts, in the same process, has a build.
  const noon = Date.parse('2026-11-20T12:00:00+01:00') / 1_000;
  context.calendar = await startBuilt(packagePath('data/sample'), noon, { clock });
  context.browser = await openBrowser();
});

concerts.after(async ({ browser, calendar }) => {
  await browser.close();
  await calendar.close();
});

concerts('should list what the calendar has tonight, in its order, with links', async (context) => {
  assert.equal(await look(context, FRIDAY), {
    items: ['21:30Rock i Knaus, Studentersamfundet i Trondhjem', '23:00Club night, Byscenen'],
    links: ['rock-i-knaus.html?date=2026-11-20T21:30', 'klubbnatt.html?date=2026-11-20T23:00'].map(
      (page) => `http://localhost:4000/events/${page}`,
    ),
    message: '',
  });
});

concerts('should tell the reader when no concert is left tonight', async (context) => {
  const nothing = { items: [], links: [], message: 'No more concerts tonight.' };
  assert.equal(await look(context, LATE_ON_SUNDAY), nothing);
});

concerts('should tell the reader when the calendar does not answer', async (context) => {
  const failed = { items: [], links: [], message: 'Could not reach the calendar: Failed to fetch' };
  assert.equal(await look(context, FRIDAY, 'http://127.0.0.1:1'), failed);
});

concerts.run();

/** Opens the page as somebody in Tokyo would at that moment. */
async function look(context: Context, now: number, calendar = context.calendar.url) {
  assert.is.not(LOADING, '');
  context.now = now;
  const html = PAGE.replaceAll(ADDRESS, calendar);
  const origin = await startFeedServer(always(200, html, { 'content-type': 'text/html' }));
  const page = await context.browser.newPage({ timezoneId: 'Asia/Tokyo' });
  try {
    await page.clock.setFixedTime(now);
    await page.goto(`${origin.url}/concerts.html`);
    await page.waitForFunction(`document.querySelector('#message').textContent !== '${LOADING}'`);
    const links = await page.locator('#concerts a').all();
    return {
      items: await page.locator('#concerts li').allTextContents(),
      links: await Promise.all(links.map((link) => link.getAttribute('href'))),
      message: await page.locator('#message').textContent(),
    };
  } finally {
    await page.close();
    await origin.close();
  }
}
