/** `/subscribe` and `/events.html` as Chromium shows and prints them. */
import type { Browser, Page } from 'playwright-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { packagePath } from '../../../../src/package.ts';
import { assertAbove, assertBelow } from '../../../helpers/assertions.ts';
import {
  assertFocused,
  assertHidden,
  assertVisible,
  inBrowser,
  inPage,
  openBrowser,
} from '../../../helpers/browser.ts';
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
test.before.each(({ page }) => page.emulateMedia({ media: null }));
test.after(async ({ browser, running }) => {
  await browser.close();
  await running.close();
});

const TRONDHEIM = { latitude: 63.434321, longitude: 10.401234 };
/** `window.asked` tells whether the page has asked for the position. */
const NOTE_QUESTION =
  'navigator.geolocation.getCurrentPosition = ((ask) => function (...args) { window.asked = true; return ask.apply(this, args); })(navigator.geolocation.getCurrentPosition)';

async function withPosition({ browser }: Context, work: (page: Page) => Promise<void>): Promise<void> {
  await inPage(browser, { geolocation: TRONDHEIM, permissions: ['geolocation'] }, async (page) => {
    await page.addInitScript(NOTE_QUESTION);
    await work(page);
  });
}

test('B13: should not ask for a position before a click', async (context) => {
  await withPosition(context, async (page) => {
    await page.goto(`${context.running.url}/subscribe?lang=en`);
    await page.getByText('More filters').click();
    assert.is(await page.evaluate('window.asked'), undefined);
  });
});

test('B13: should add a rounded position to the choices after a click', async (context) => {
  await withPosition(context, async (page) => {
    await page.goto(`${context.running.url}/subscribe?lang=en&categories=MUSIC`);
    await page.getByText('More filters').click();
    await page.getByRole('button', { name: 'Near me (10 km)' }).click();
    await page.waitForURL(/near=/);
    const { searchParams } = new URL(page.url());
    assert.is(searchParams.get('near'), '63.43,10.4,10');
    assert.is(searchParams.get('categories'), 'MUSIC');
  });
});

test('B13: should drop the position with its tick', async ({ page, running }) => {
  await page.goto(`${running.url}/subscribe?lang=en&near=63.43,10.4,10`);
  const box = page.getByLabel('Within 10 km of you');
  assert.is(await box.isChecked(), true);
  await box.uncheck();
  await page.locator('.builder').getByRole('button', { name: 'Create links' }).click();
  await page.waitForURL((url) => !url.searchParams.has('near'));
});

/** Works on the page where it may use the clipboard: on `localhost`, which Chromium trusts. */
async function withClipboard(
  { browser, running }: Context,
  work: (page: Page) => Promise<void>,
): Promise<void> {
  const permissions = ['clipboard-read', 'clipboard-write'];
  await inPage(browser, { permissions }, async (page) => {
    await page.goto(`${running.url.replace('127.0.0.1', 'localhost')}/subscribe?lang=en&categories=MUSIC`);
    await work(page);
  });
}

const clipboardOf = (page: Page) => page.evaluate<string>('navigator.clipboard.readText()');
const buttonsOf = (page: Page) => page.getByRole('button', { name: /^Copy: / });

test('I9: should copy an address by keyboard, say so, and keep the focus', async (context) => {
  await withClipboard(context, async (page) => {
    assert.is(await buttonsOf(page).count(), 6);
    const button = page.getByRole('button', { name: 'Copy: Feed reader (RSS)' });
    await button.focus();
    await page.keyboard.press('Enter');
    await page.locator('[role="status"]', { hasText: 'Copied: http' }).waitFor();
    const copied = await clipboardOf(page);
    assert.match(copied, /^http.*\/events\.rss\?categories=MUSIC&lang=en$/);
    assert.is(copied, await page.locator('#address-RSS').inputValue());
    await assertFocused(button);
  });
});

test('I9: should copy the markup for other sites', async (context) => {
  await withClipboard(context, async (page) => {
    await page.getByRole('button', { name: 'Copy: HTML' }).click();
    await page.locator('[role="status"]', { hasText: 'Copied: <script' }).waitFor();
    assert.match(await clipboardOf(page), '<almanakk-events');
  });
});

async function totalOf({ send }: Running, query: string): Promise<number> {
  return JSON.parse((await send(`/events.json?pageSize=1&${query}`)).text).totalCount;
}

const countOn = async (page: Page) => Number(await page.locator('.count strong').textContent());

test('I9: should update count and addresses with each tick', async ({ page, running }) => {
  const all = await totalOf(running, '');
  const music = await totalOf(running, 'categories=MUSIC');
  assertBelow(music, all, 'concerts');
  await page.goto(`${running.url}/subscribe?lang=en`);
  await page.getByText('More filters').click();
  assert.is(await countOn(page), all, 'without a tick');
  await page.locator('input[value="MUSIC"]').check();
  await page.waitForURL(/categories=MUSIC$/);
  assert.is(await countOn(page), music, 'with a tick at MUSIC');
  assert.match(await page.locator('#address-ics').inputValue(), 'events.ics?categories=MUSIC&lang=en');
  assert.is(await buttonsOf(page).count(), 6);
});

test('I9: should untick a category when a subcategory is ticked', async ({ page, running }) => {
  await page.goto(`${running.url}/subscribe?lang=en&categories=MUSIC`);
  await page.getByText('More filters').click();
  await page.locator('input[value="MUSIC_JAZZ"]').check();
  await page.waitForURL(/categories=MUSIC_JAZZ$/);
  assert.is(await page.locator('input[value="MUSIC"]').isChecked(), false);
  assert.is(await countOn(page), await totalOf(running, 'categories=MUSIC_JAZZ'));
  assert.match(await page.locator('#address-ics').inputValue(), 'events.ics?categories=MUSIC_JAZZ&lang=en');
});

/** Works on the page as a phone without scripts shows it. */
async function onPhone({ browser }: Context, work: (page: Page) => Promise<void>): Promise<void> {
  await inPage(browser, { javaScriptEnabled: false, viewport: { width: 390, height: 844 } }, work);
}

test('I9: should offer four choices of one click, and mark the one that is made', async (context) => {
  await onPhone(context, async (page) => {
    await page.goto(`${context.running.url}/subscribe?lang=en&categories=MUSIC`);
    const choices = page.locator('.ready a');
    const names = (await choices.allTextContents()).map((text) => text.replace(/ \d+$/, ''));
    assert.equal(names, ['All events', 'Concerts and music', 'For children', 'Free']);
    const current = page.locator('.ready [aria-current]');
    assert.is(await current.innerText(), await choices.nth(1).innerText());
  });
});

/** Choices of one click, with the query of their list. */
const CHOICES: Readonly<Record<string, string>> = {
  'For children': 'categories=FAMILY&',
  Free: 'free=true&',
  'All events': '',
};

test('I9: should lead from a choice of one click to its list, with its count', async (context) => {
  const { running } = context;
  await onPhone(context, async (page) => {
    await page.goto(`${running.url}/subscribe?lang=en&categories=MUSIC`);
    for (const [name, query] of Object.entries(CHOICES)) {
      const choice = page.locator('.ready a', { hasText: name });
      const [count] = /\d+$/.exec((await choice.textContent()) ?? '') ?? [];
      assert.is(Number(count), await totalOf(running, query), `count of ${name}`);
      await choice.click();
      const address = await page.locator('#address-ics').inputValue();
      assert.is(new URL(address).search, `?${query}lang=en`, `list of ${name}`);
    }
  });
});

test('I9: should make the list of one venue', async (context) => {
  await onPhone(context, async (page) => {
    await page.goto(`${context.running.url}/subscribe?lang=en`);
    await page.getByLabel('One venue').selectOption('nidarosdomen');
    await page.locator('.one button').click();
    assert.match(await page.locator('#address-ics').inputValue(), '?venues=nidarosdomen&lang=en');
  });
});

test('I9: should fold the form for a choice of one click, and unfold it for another', async (context) => {
  const form = (page: Page) => page.locator('.builder');
  await onPhone(context, async (page) => {
    for (const query of ['categories=MUSIC', 'venues=nidarosdomen']) {
      await page.goto(`${context.running.url}/subscribe?${query}`);
      await assertHidden(form(page));
    }
    await page.goto(`${context.running.url}/subscribe?categories=MUSIC&period=WEEK`);
    await assertVisible(form(page));
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

/** A list, and its plain form. */
const PRINTED = ['/events.html?categories=MUSIC', '/events.html?categories=MUSIC&view=plain'];

for (const path of PRINTED) {
  test(`I10, I11: should forbid page breaks within an event: ${path}`, async ({ page, running }) => {
    await page.emulateMedia({ media: 'print' });
    await page.goto(running.url + path);
    const breaks = await page
      .locator('.programme li')
      .evaluateAll((items) => items.map((item) => getComputedStyle(item).breakInside));
    assertAbove(breaks.length, 0, 'events');
    assert.equal([...new Set(breaks)], ['avoid']);
  });

  test(`I10, I11: should be printed on A4: ${path}`, async ({ page, running }) => {
    await page.goto(running.url + path);
    const pdf = (await page.pdf({ preferCSSPageSize: true })).toString('latin1');
    const sheets = [...pdf.matchAll(/\/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]/g)].map(([, ...points]) =>
      points.map((size) => Math.round(Number(size))),
    );
    assertAbove(sheets.length, 0, 'sheets');
    // 210 mm by 297 mm, in points.
    for (const sheet of sheets) assert.equal(sheet, [595, 842]);
  });
}

const eventsOn = (page: Page) => page.locator('.day h3');

test('I11: should search from the form of the list, and drop the search with its link', async (context) => {
  await inNorwegian(context, async (page) => {
    await page.goto(`${context.running.url}/events.html`);
    await page.getByLabel('Søk').fill('quiz');
    await page.getByRole('button', { name: 'Søk' }).click();
    await page.waitForURL(/searchTerm=quiz/);
    const found = await eventsOn(page).count();
    assertAbove(found, 0, 'hits');
    await page.getByRole('link', { name: 'Fjern «quiz»' }).click();
    assertAbove(await eventsOn(page).count(), found, 'events without the search');
  });
});

test('I11: should link a day to its events, an event to its page, and that page to the list', async (context) => {
  await inNorwegian(context, async (page) => {
    await page.goto(`${context.running.url}/events.html`);
    const day = page.locator('.strip a').nth(2);
    const hits = Number(await day.locator('.hits').textContent());
    assertAbove(hits, 0, 'events of the day');
    await day.click();
    assert.is(await eventsOn(page).count(), hits, 'events of the day');
    const link = eventsOn(page).locator('a').first();
    const title = await link.textContent();
    await link.click();
    assert.is(await page.locator('h1').textContent(), title);
    await page.getByRole('link', { name: 'Alle arrangementer' }).click();
    assert.is(await eventsOn(page).count(), hits, 'events of the list that the reader came from');
  });
});

async function inNorwegian({ browser }: Context, work: (page: Page) => Promise<void>): Promise<void> {
  await inPage(browser, { javaScriptEnabled: false, locale: 'nb-NO' }, work);
}

test.run();
