/** The page that docs/api.md shows, as a reader's browser has it: from another origin than the calendar's. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { packagePath } from '../src/package.ts';
import { inBrowser, openBrowser } from './helpers/browser.ts';
import { type Running, startBuilt } from './helpers/running.ts';
import { blocksIn, readPage } from './readme/document.ts';
import { ADDRESS } from './readme/shell.ts';

/** An evening with several concerts, and the end of another that has none left. */
const FRIDAY = Date.parse('2026-11-20T17:00:00+01:00');
const LATE_ON_SUNDAY = Date.parse('2026-11-22T23:58:00+01:00');

const PAGE = blocksIn(readPage('docs/api.md')).find(({ file }) => file === 'concerts.html')?.text ?? '';

interface Context {
  calendar: Running;
  browser: Browser;
  now: number;
}

const concerts = inBrowser(suite<Context>('concerts on a page'));

concerts.before(async (context) => {
  context.now = FRIDAY;
  const clock = () => context.now;
  context.calendar = await startBuilt(packagePath('data/sample'), FRIDAY / 1_000, { clock });
  context.browser = await openBrowser();
});

concerts.after(async ({ browser, calendar }) => {
  await browser.close();
  await calendar.close();
});

concerts('should list what the calendar has tonight, in its order, with links', async (context) => {
  const { items, links, message } = await look(context, FRIDAY);
  assert.equal(items, ['21:30Rock i Knaus, Studentersamfundet i Trondhjem', '23:00Club night, Byscenen']);
  assert.equal(links, [
    'http://localhost:4000/events/rock-i-knaus.html',
    'http://localhost:4000/events/klubbnatt.html',
  ]);
  assert.is(message, '');
});

concerts('should say so when there is nothing left', async (context) => {
  const { items, message } = await look(context, LATE_ON_SUNDAY);
  assert.equal(items, []);
  assert.is(message, 'No more concerts tonight.');
});

concerts('should say so when the calendar cannot be asked', async (context) => {
  const { message } = await look(context, FRIDAY, 'http://127.0.0.1:1');
  assert.is(message, 'The calendar cannot be asked: Failed to fetch');
});

concerts.run();

interface Seen {
  readonly items: readonly string[];
  readonly links: readonly (string | null)[];
  readonly message: string | null;
}

/** Opens the page as somebody in Tokyo would at that moment. */
async function look(context: Context, now: number, calendar = context.calendar.url): Promise<Seen> {
  context.now = now;
  const origin = await serve(PAGE.replaceAll(ADDRESS, calendar));
  const page = await context.browser.newPage({
    timezoneId: 'Asia/Tokyo',
    viewport: { width: 640, height: 400 },
  });
  try {
    await page.clock.setFixedTime(now);
    await page.goto(`${origin.url}/concerts.html`);
    await page.waitForFunction(`!document.querySelector('#message').textContent.startsWith('Asking')`);
    await takePicture(page);
    return {
      items: await page.locator('#concerts li').allTextContents(),
      links: await Promise.all(
        (await page.locator('#concerts a').all()).map((link) => link.getAttribute('href')),
      ),
      message: await page.locator('#message').textContent(),
    };
  } finally {
    await page.close();
    origin.close();
  }
}

let pictures = 0;

/** For whoever wants to look: `ALMANAKK_TEST_PICTURES=folder`. */
async function takePicture(page: Page): Promise<void> {
  const folder = process.env.ALMANAKK_TEST_PICTURES;
  if (folder !== undefined) await page.screenshot({ path: `${folder}/concerts-${++pictures}.png` });
}

async function serve(html: string): Promise<{ readonly url: string; readonly close: () => void }> {
  const server = createServer((_request, response) => {
    response.setHeader('Content-Type', 'text/html');
    response.end(html);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (!isPort(address)) throw new Error('expected a port');
  return { url: `http://127.0.0.1:${address.port}`, close: () => server.close() };
}

function isPort(address: string | AddressInfo | null): address is AddressInfo {
  return typeof address === 'object' && address !== null;
}
