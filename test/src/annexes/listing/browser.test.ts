/** The calendar's own site in Chromium, as residents meet it: on phones, by keyboard, in the dark, and in their own calendars. */
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { LANGUAGES } from '../../../../src/annexes/page/reader.ts';
import { packagePath } from '../../../../src/package.ts';
import { assertAtMost, assertBelow } from '../../../helpers/assertions.ts';
import { assertVisible, inBrowser, inPage, judgedBy, openBrowser } from '../../../helpers/browser.ts';
import { temporaryFolder } from '../../../helpers/folder.ts';
import { startPages } from '../../../helpers/pages.ts';
import type { Running } from '../../../helpers/running.ts';

interface Context {
  running: Running;
  /** A server with a town's own logo, home link and accent (I15). */
  town: Running;
  browser: Browser;
  page: Page;
}

const site = inBrowser(suite<Context>('the site in Chromium'));

/** A Thursday. */
const NOW = Date.parse('2026-11-26T11:00:00Z');

site.before(async (context) => {
  context.running = await startPages({ clock: () => NOW });
  context.town = await startPages({ clock: () => NOW, source: sourceOfTown() });
  context.browser = await openBrowser();
  context.page = await context.browser.newPage({ bypassCSP: true });
});
site.after(async ({ browser, running, town }) => {
  await browser.close();
  await running.close();
  await town.close();
});

function sourceOfTown(): string {
  const source = temporaryFolder();
  cpSync(packagePath('data/sample'), source, { recursive: true });
  const home = { name: 'Trondheim kommune', url: 'https://kommune.example/' };
  // Contrasts of 4.8 and 4.5 to the nearest background.
  const brand = { home, accent: { light: '#c3202f', dark: '#5a86ff' } };
  writeFileSync(join(source, 'brand.json'), JSON.stringify(brand));
  cpSync(join(source, 'pictures/boats.svg'), join(source, 'logo.svg'));
  return source;
}

const PHONE = { width: 390, height: 844 };
const WIDTHS = [320, 390, 768, 1_280];
const DAY = 'fromStartDate=2026-12-04&untilDate=2026-12-05';
const LISTED_DAY = '/events/korsang-ved-balet.html?date=2026-12-04T16:30';
const PATHS = [
  '/events.html',
  `/events.html?${DAY}&categories=MUSIC`,
  '/events.html?period=WEEKEND&free=true',
  LISTED_DAY,
  '/events/korsang-ved-balet.html?date=2026-11-20',
];

for (const path of PATHS) {
  site(`I11, I12: should fit, and axe-core objects to nothing: ${path}`, async ({ page, running }) => {
    for (const width of WIDTHS) {
      // In two pages, each width has each colour scheme once, and in three pages each language.
      const turn = WIDTHS.indexOf(width) + PATHS.indexOf(path);
      const isOdd = turn % 2 === 1;
      const language = LANGUAGES[turn % LANGUAGES.length];
      await page.emulateMedia({ colorScheme: isOdd ? 'dark' : 'light' });
      await page.setViewportSize({ width, height: 844 });
      await page.goto(`${running.url}${path}${path.includes('?') ? '&' : '?'}lang=${language}`);
      assert.is(await page.evaluate('document.documentElement.scrollWidth'), width, `${width} wide`);
      assert.equal((await judgedBy(page)).objections, [], `${width} wide`);
      assert.equal(await page.evaluate(TOO_SMALL), [], `${width} wide`);
    }
  });
}

site('I11: should have nothing over or beside something else on a phone at 200 %', async (context) => {
  const { page, running } = context;
  const width = PHONE.width / 2;
  await page.setViewportSize({ width, height: PHONE.height / 2 });
  // The longest words are Norwegian.
  for (const path of ['/developers', '/subscribe', '/events.html']) {
    await page.goto(`${running.url}${path}?lang=nb`);
    assert.is(await page.evaluate('document.documentElement.scrollWidth'), width, path);
  }
  assert.is(await page.evaluate(COUNT_IS_BELOW_FILTERS), true);
});

const COUNT_IS_BELOW_FILTERS = `document.querySelector('.found').getBoundingClientRect().top >=
  document.querySelector('.more summary').getBoundingClientRect().bottom`;

for (const [at, path] of [...PATHS.slice(1, 4), '/subscribe', '/developers'].entries()) {
  site(`I15: should fit, and axe-core objects to nothing, with a town's design: ${path}`, async (context) => {
    const { page, town } = context;
    await page.emulateMedia({ colorScheme: at % 2 === 0 ? 'dark' : 'light' });
    for (const width of [320, 1_280]) {
      await page.setViewportSize({ width, height: 844 });
      await page.goto(`${town.url}${path}`);
      assert.is(await page.evaluate('document.documentElement.scrollWidth'), width, `${width} wide`);
      assert.equal((await judgedBy(page)).objections, [], `${width} wide`);
    }
  });
}

const ACCENTS = [
  { colorScheme: 'light', colour: 'rgb(195, 32, 47)' },
  { colorScheme: 'dark', colour: 'rgb(90, 134, 255)' },
] as const;

for (const { colorScheme, colour } of ACCENTS) {
  site(`I15: should have links in a town's accent, ${colorScheme}`, async ({ page, town }) => {
    await page.emulateMedia({ colorScheme });
    for (const path of ['/events.html', '/developers']) {
      await page.goto(`${town.url}${path}`);
      assert.is(await page.evaluate(LINK_COLOUR), colour, path);
    }
  });
}

for (const path of ['/subscribe', '/graphQL']) {
  site(`I15: should allow a town's logo and accent by its policy: ${path}`, async ({ browser, town }) => {
    await inPage(browser, {}, async (page) => {
      await page.goto(`${town.url}${path}`);
      const isShown = await page.evaluate(`document.querySelector('.brand img').naturalWidth > 0`);
      assert.is(isShown, true, 'the logo');
      assert.is(await page.evaluate(LINK_COLOUR), ACCENTS[0].colour);
    });
  });
}

const LINK_COLOUR = `getComputedStyle(document.querySelector('.colophon nav a')).color`;

/** WCAG 2.5.5: what is tapped is 44 pixels high, except for links within text. */
const TOO_SMALL = `[...document.querySelectorAll('main a, main button, main summary, .masthead a')]
  .filter((one) => one.checkVisibility() && one.closest('.programme h3, .description, dd, p.feeds, .imprint, .band, .notice, .chips') === null)
  .filter((one) => one.getBoundingClientRect().height < 43.5)
  .map((one) => one.outerHTML.slice(0, 90))`;

const ON_PHONE = { viewport: PHONE, locale: 'nb-NO' };

for (const path of ['/events.html', '/events.html?period=WEEKEND', `/events.html?${DAY}`]) {
  site(`I11: should show an event high up on a phone, at few tab stops: ${path}`, async (context) => {
    await inPage(context.browser, ON_PHONE, async (page) => {
      await page.goto(`${context.running.url}${path}`);
      const first = page.locator('.programme li').first();
      assertBelow((await first.boundingBox())?.y ?? Number.POSITIVE_INFINITY, 420, 'pixels from the top');
      assertAtMost(await stopsBeforeHits(page), 15, 'tab stops before the hits');
    });
  });
}

/** At most 40. */
async function stopsBeforeHits(page: Page): Promise<number> {
  for (let stops = 1; stops < 40; stops++) {
    await page.keyboard.press('Tab');
    if (await page.evaluate(`document.activeElement.closest('.programme') !== null`)) return stops;
  }
  return 40;
}

site('I11: should lead past the search to the hits by its first link', async ({ browser, running }) => {
  await inPage(browser, ON_PHONE, async (page) => {
    await page.goto(`${running.url}/events.html`);
    await page.keyboard.press('Tab');
    assert.is(await page.locator(':focus').textContent(), 'Hopp til treffene');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    await assertVisible(page.locator('#results :focus'));
  });
});

site(
  'I11: should have the chosen day in view, and walk the days by arrow keys',
  async ({ browser, running }) => {
    await inPage(browser, ON_PHONE, async (page) => {
      await page.goto(`${running.url}/events.html?fromStartDate=2026-12-19&untilDate=2026-12-20`);
      const isFocusInView = () =>
        page.evaluate(`(() => {
          const { left, right } = document.activeElement.getBoundingClientRect();
          return left >= 0 && right <= innerWidth;
        })()`);
      await page.locator('.strip [aria-current]').focus();
      assert.is(await isFocusInView(), true);
      await page.keyboard.press('ArrowRight');
      assert.match((await page.locator(':focus').textContent()) ?? '', 'søndag 20. desember');
      assert.is(await isFocusInView(), true);
      await page.keyboard.press('Enter');
      await page.waitForURL(/fromStartDate=2026-12-20/);
      assert.is(await page.locator('h1').textContent(), 'Søndag 20. desember');
    });
  },
);

site(
  'I11: should list on Sunday the events that the strip counts, and no others',
  async ({ browser, running }) => {
    await inPage(browser, ON_PHONE, async (page) => {
      await page.goto(`${running.url}/events.html`);
      for (const selector of ['.quick >> text=I helgen', '.strip .sunday a >> nth=0']) {
        const sunday = Number(await page.locator('.strip .sunday a .hits').first().textContent());
        await page.click(selector);
        await page.locator('.quick, .strip').first().waitFor();
        await page.waitForLoadState();
        const section = page.locator('.day', { has: page.locator('time[datetime="2026-11-29"]') });
        assert.is(await section.locator('.programme li').count(), sunday, selector);
      }
    });
  },
);

site('I11: should need no script for a search, a filter and the way back', async ({ browser, running }) => {
  await inPage(browser, { ...ON_PHONE, javaScriptEnabled: false }, async (page) => {
    await page.goto(`${running.url}/events.html`);
    await page.fill('[name="searchTerm"]', 'kor');
    await page.click('.search button');
    assert.is(new URL(page.url()).search, '?searchTerm=kor');
    await page.click('.finder summary');
    await page.selectOption('[name="categories"]', 'MUSIC');
    await page.click('.finder .more button[type="submit"]');
    assert.is(new URL(page.url()).search, '?searchTerm=kor&categories=MUSIC');
    await page.click('.programme h3 a >> nth=0');
    assert.match(new URL(page.url()).search, /[?&]date=/);
    await page.click('.back a');
    assert.is(new URL(page.url()).search, '?searchTerm=kor&categories=MUSIC');
  });
});

site('I12: should put the listed day into each kind of calendar', async ({ browser, running }) => {
  await inPage(browser, ON_PHONE, async (page) => {
    await page.goto(`${running.url}/events.html?${DAY}&searchTerm=korsang`);
    await page.click('.programme h3 a');
    assert.is(await page.locator('.card .when').textContent(), 'Fredag 4. desember kl. 16.30–16.50');
    const hrefs = await page.evaluate<string[]>(
      `[...document.querySelectorAll('.calendars a')].map(({ href }) => href)`,
    );
    const [file = '', google = '', outlook = ''] = hrefs;
    assert.is(new URL(google).searchParams.get('dates'), '20261204T153000Z/20261204T155000Z');
    assert.is(new URL(outlook).searchParams.get('startdt'), '2026-12-04T15:30:00Z');
    const { text } = await running.send(file.replace(running.url, ''));
    assert.equal(text.match(/^DTSTART;TZID.*(?=\r$)/gm), ['DTSTART;TZID=Europe/Oslo:20261204T163000']);
  });
});

site('I12: should share the address of the listed day', async ({ browser, running }) => {
  await inPage(browser, ON_PHONE, async (page) => {
    await page.goto(`${running.url}${LISTED_DAY}`);
    await page.evaluate(
      `Object.defineProperty(navigator, 'share', { value: async (what) => { window.shared = what; } })`,
    );
    await page.click('.share button');
    assert.match(await page.evaluate<string>('window.shared.url'), LISTED_DAY);
  });
});

site.run();
