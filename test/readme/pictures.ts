/**
 * Takes README.md's pictures, light and dark, of the sample at a moment that stands still:
 * `node --import tsx test/readme/pictures.ts`. They differ from the ones that are there by fonts and browser at most.
 */
import { writeFileSync } from 'node:fs';
import type { Browser } from 'playwright-core';
import { packagePath } from '../../src/package.ts';
import { openBrowser } from '../helpers/browser.ts';
import { always, startFeedServer } from '../helpers/feed-server.ts';
import { startBuilt } from '../helpers/running.ts';

const NOON = Date.parse('2026-11-20T12:00:00+01:00');
const PUBLIC_URL = new URL('https://kalender.example/');

/** CSS pixels, and how many of a picture each of them is. */
const SIZES = { page: { width: 980, height: 720 }, embed: { width: 600, height: 720 } } as const;
const SCALE = 1.4;

/** A page of somebody else's, with the calendar in it. */
const siteWith = (calendar: string) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="color-scheme" content="light dark">
<title>Lillevik Gazette</title>
<style>
body { margin: 0; padding: 1.6rem 2rem; font: 1.1rem/1.5 Georgia, "Liberation Serif", "DejaVu Serif", serif; }
header { margin-bottom: 1.2rem; padding-bottom: 0.4rem; border-bottom: 3px double; font-size: 1.9rem; font-weight: bold; }
</style>
<script src="${calendar}/embed.js" defer></script>
</head>
<body>
<header>Lillevik Gazette</header>
<almanakk-events categories="MUSIC" limit="7" heading="Concerts"></almanakk-events>
</body>
</html>`;

const calendar = await startBuilt(packagePath('data/sample'), NOON / 1_000, {
  context: { settings: { publicUrl: PUBLIC_URL } },
});
const html = { 'content-type': 'text/html; charset=utf-8' };
const site = await startFeedServer(always(200, siteWith(calendar.url), html));
const addresses = { page: `${calendar.url}/`, embed: `${site.url}/` };
const browser = await openBrowser();
try {
  for (const name of ['page', 'embed'] as const)
    for (const scheme of ['light', 'dark'] as const)
      writeFileSync(packagePath(`docs/pictures/${name}-${scheme}.png`), await take(browser, name, scheme));
} finally {
  await browser.close();
  await site.close();
  await calendar.close();
}

async function take(from: Browser, name: keyof typeof SIZES, colorScheme: 'light' | 'dark'): Promise<Buffer> {
  const context = await from.newContext({
    colorScheme,
    viewport: SIZES[name],
    deviceScaleFactor: SCALE,
    locale: 'en-GB',
    timezoneId: 'Europe/Oslo',
    reducedMotion: 'reduce',
  });
  const page = await context.newPage();
  await page.clock.setFixedTime(NOON);
  await page.goto(addresses[name]);
  if (name === 'embed') await page.locator('almanakk-events li').nth(6).waitFor();
  const picture = await page.screenshot({ animations: 'disabled' });
  await context.close();
  return picture;
}
