/** `/subscribe` and `/events.html` as Chromium shows and prints them. */
import type { Browser, Page } from 'playwright-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { packagePath } from '../../../../src/package.ts';
import { assertAbove } from '../../../helpers/assertions.ts';
import { assertHidden, assertVisible, inBrowser, inPage, openBrowser } from '../../../helpers/browser.ts';
import { type Running, startBuilt } from '../../../helpers/running.ts';

interface Context {
  running: Running;
  browser: Browser;
  page: Page;
}

const test = inBrowser(suite<Context>('lists in Chromium'));

test.before(async (context) => {
  context.running = await startBuilt(packagePath('data/sample'), Date.parse('2026-06-15T08:00:00Z') / 1_000);
  context.browser = await openBrowser();
  context.page = await context.browser.newPage({ bypassCSP: true });
});
test.after(async ({ browser, running }) => {
  await browser.close();
  await running.close();
});

test('B13: should ask for a position after a click, and round it', async ({ browser, running }) => {
  const place = { latitude: 63.434321, longitude: 10.401234 };
  await inPage(browser, { geolocation: place, permissions: ['geolocation'] }, async (page) => {
    await page.addInitScript(
      'navigator.geolocation.getCurrentPosition = ((ask) => function (...args) { window.asked = true; return ask.apply(this, args); })(navigator.geolocation.getCurrentPosition)',
    );
    await page.goto(`${running.url}/subscribe?lang=en&categories=MUSIC`);
    assert.is(await page.evaluate('window.asked'), undefined);
    await page.getByText('More filters').click();
    await page.getByRole('button', { name: 'Near me (10 km)' }).click();
    await page.waitForURL(/near=/);
    const { searchParams } = new URL(page.url());
    assert.equal([searchParams.get('near'), searchParams.get('categories')], ['63.43,10.4,10', 'MUSIC']);
    const box = page.getByLabel('Within 10 km of you');
    assert.is(await box.isChecked(), true);
    await box.uncheck();
    await page.locator('.builder').getByRole('button', { name: 'Create links' }).click();
    await page.waitForURL((url) => !url.searchParams.has('near'));
  });
});

test('I9: should copy an address at the press of a button, and read it out', async ({ browser, running }) => {
  await inPage(browser, { permissions: ['clipboard-read', 'clipboard-write'] }, async (page) => {
    await page.goto(`${running.url.replace('127.0.0.1', 'localhost')}/subscribe?lang=en&categories=MUSIC`);
    assert.is(await page.getByRole('button', { name: /^Copy: / }).count(), 6);
    await page.getByRole('button', { name: 'Copy: Feed reader (RSS)' }).focus();
    await page.keyboard.press('Enter');
    await page.locator('[role="status"]', { hasText: 'Copied: http' }).waitFor();
    const copied = await page.evaluate<string>('navigator.clipboard.readText()');
    assert.match(copied, /^http.*\/events\.rss\?categories=MUSIC&lang=en$/);
    assert.is(copied, await page.locator('#address-RSS').inputValue());
    const focused = await page.evaluate(`document.activeElement.getAttribute('aria-label')`);
    assert.is(focused, 'Copy: Feed reader (RSS)');
    await page.getByRole('button', { name: 'Copy: HTML' }).click();
    await page.locator('[role="status"]', { hasText: 'Copied: <script' }).waitFor();
    assert.match(await page.evaluate<string>('navigator.clipboard.readText()'), '<almanakk-events');
  });
});

test('I9: should update the count with each tick, and untick a parent category', async ({
  page,
  running,
}) => {
  await page.goto(`${running.url}/subscribe?lang=en`);
  await page.getByText('More filters').click();
  const count = () => page.locator('.count strong').textContent();
  const all = await count();
  await page.locator('input[value="MUSIC"]').check();
  await page.waitForURL(/categories=MUSIC$/);
  const music = await count();
  await page.locator('input[value="MUSIC_JAZZ"]').check();
  await page.waitForURL(/categories=MUSIC_JAZZ$/);
  assert.is(await page.locator('input[value="MUSIC"]').isChecked(), false);
  assert.is(new Set([all, music, await count()]).size, 3);
  assert.match(await page.locator('#address-ics').inputValue(), 'events.ics?categories=MUSIC_JAZZ&lang=en');
  assert.is(await page.getByRole('button', { name: /^Copy: / }).count(), 6);
});

test('I9: should begin with ready choices, with the rest folded and no script', async ({
  browser,
  running,
}) => {
  await inPage(browser, { javaScriptEnabled: false, viewport: { width: 390, height: 844 } }, async (page) => {
    await page.goto(`${running.url}/subscribe?lang=en&categories=MUSIC`);
    const ready = page.locator('.ready a');
    const names = (await ready.allTextContents()).map((text) => text.replace(/ \d+$/, ''));
    assert.equal(names, ['All events', 'Concerts and music', 'For children', 'Free']);
    assert.is(await page.locator('.ready [aria-current]').innerText(), await ready.nth(1).innerText());
    await assertHidden(page.locator('.builder'));
    for (const [name, query] of [
      ['For children', 'categories=FAMILY&'],
      ['Free', 'free=true&'],
      ['All events', ''],
    ] as const) {
      const hits = Number(
        /\d+$/.exec((await page.locator('.ready a', { hasText: name }).textContent()) ?? '')?.[0],
      );
      await page.locator('.ready a', { hasText: name }).click();
      const address = await page.locator('#address-ics').inputValue();
      assert.is(new URL(address).search, `?${query}lang=en`);
      const list = await running.send(`/events.json?pageSize=1&${query}`);
      assert.is(hits, JSON.parse(list.text).totalCount, name);
    }
    await page.getByLabel('One venue').selectOption('nidarosdomen');
    await page.locator('.one button').click();
    assert.match(await page.locator('#address-ics').inputValue(), '?venues=nidarosdomen&lang=en');
    await assertHidden(page.locator('.builder'));
    await page.goto(`${running.url}/subscribe?categories=MUSIC&period=WEEK`);
    await assertVisible(page.locator('.builder'));
  });
});

test('I9: should be usable by keyboard alone, without a script', async ({ browser, running }) => {
  await inPage(browser, { javaScriptEnabled: false }, async (page) => {
    await page.goto(`${running.url}/subscribe?lang=en`);
    const tabTo = async (selector: string) => {
      const isThere = async () => (await page.locator(`${selector}:focus`).count()) === 1;
      for (let step = 0; step < 40 && !(await isThere()); step++) await page.keyboard.press('Tab');
      assert.ok(await isThere(), selector);
      await page.keyboard.press('Space');
    };
    await tabTo('.state > details > summary');
    await tabTo('input[value="MUSIC"]');
    await page.keyboard.press('Enter');
    await page.waitForURL(/categories=MUSIC.*#result$/);
    assert.match(await page.locator('#address-ics').inputValue(), 'events.ics?categories=MUSIC&lang=en');
    assert.is(await page.locator('.copy').count(), 0);
  });
});

test('I10, I11: should be printed on A4, without an event on two pages', async ({ page, running }) => {
  await page.emulateMedia({ media: 'print' });
  for (const view of ['', '&view=plain'])
    await onPaper(page, `${running.url}/events.html?categories=MUSIC${view}`);
  await page.emulateMedia({ media: null });
});

async function onPaper(page: Page, url: string): Promise<void> {
  await page.goto(url);
  const breaks = await page.evaluate<string[]>(
    `[...new Set([...document.querySelectorAll('.programme li')].map((one) => getComputedStyle(one).breakInside))]`,
  );
  assert.equal(breaks, ['avoid']);
  const pdf = (await page.pdf({ preferCSSPageSize: true })).toString('latin1');
  assert.match(pdf, /\/MediaBox \[0 0 59[45][\d.]* 84[12][\d.]*\]/);
}

test('I11: should link from the form and a day to an event and back', async ({ browser, running }) => {
  await inPage(browser, { javaScriptEnabled: false, locale: 'nb-NO' }, async (page) => {
    await page.goto(`${running.url}/events.html`);
    await page.getByLabel('Søk').fill('quiz');
    await page.getByRole('button', { name: 'Søk' }).click();
    await page.waitForURL(/searchTerm=quiz/);
    const found = await page.locator('.day h3').count();
    assertAbove(found, 0, 'hits');
    await page.getByRole('link', { name: 'Fjern «quiz»' }).click();
    assertAbove(await page.locator('.day h3').count(), found, 'hits');
    const day = page.locator('.strip a').nth(2);
    const hits = Number(await day.locator('.hits').textContent());
    await day.click();
    assert.is(await page.locator('.day h3').count(), hits);
    const title = await page.locator('.day h3 a').first().textContent();
    await page.locator('.day h3 a').first().click();
    assert.is(await page.locator('h1').textContent(), title);
    await page.getByRole('link', { name: 'Alle arrangementer' }).click();
    // The list as it was.
    assert.is(await page.locator('.day h3').count(), hits);
  });
});

test.run();
