/** The pages as Chromium shows them: for everybody, in both languages and colour schemes, wide and on a phone. */
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { packagePath } from '../../../../src/package.ts';
import type { BuildRecord } from '../../../../src/upkeep.ts';
import { hasAnnex, withAnnex } from '../../../helpers/annex.ts';
import { assertAbove, assertAtLeast, assertAtMost } from '../../../helpers/assertions.ts';
import {
  assertHidden,
  assertVisible,
  inBrowser,
  inPage,
  judgedBy,
  openBrowser,
} from '../../../helpers/browser.ts';
import { temporaryFolder } from '../../../helpers/folder.ts';
import { NOTICE } from '../../../helpers/notices.ts';
import { startPages } from '../../../helpers/pages.ts';
import type { Running } from '../../../helpers/running.ts';

interface Context {
  running: Running;
  browser: Browser;
  /**
   * One page for most tests: opening one for each look would double what they cost. It ignores the content security policy of what it shows,
   * because axe-core needs to run in it. The test about policies has a page of its own.
   */
  page: Page;
}

const pages = inBrowser(suite<Context>('pages in Chromium'));

const FAILED: BuildRecord = {
  kind: 'rebuild',
  outcome: 'failed',
  startedAt: Date.parse('2026-11-20T10:00:00Z'),
  ms: 1_234,
  id: null,
  counts: null,
  reason: 'events.json: expected JSON, found "<html>"',
  dropped: 0,
};

/** Milliseconds: the stylesheet has rules for Sundays. */
const SUNDAY = Date.parse('2026-11-22T12:00:00Z');

const UNCHANGED: BuildRecord = { ...FAILED, outcome: 'unchanged', id: '0123456789abcdef', reason: null };

/** The sample, a feed and notices, so that each section of each page has something to show. */
function withAll(): string {
  const folder = temporaryFolder();
  cpSync(packagePath('data/sample'), folder, { recursive: true });
  cpSync(packagePath('test/fixtures/ical/hall.ics'), join(folder, 'hall.ics'));
  const feeds = [
    { id: 'hall', kind: 'ical', file: 'hall.ics' },
    { id: 'borte', kind: 'ical', file: 'borte.ics' },
  ];
  writeFileSync(join(folder, 'sources.json'), JSON.stringify(feeds));
  const past = { ...NOTICE, id: 'past', from: '2026-01-01', categories: [] };
  const coming = { ...NOTICE, from: '2096-02-01', categories: { MUSIC: ['ART', 'EXPERIENCE'] } };
  writeFileSync(join(folder, 'notices.json'), JSON.stringify([past, coming]));
  return folder;
}

pages.before(async (context) => {
  context.running = await startPages({
    source: withAll(),
    builds: [FAILED, UNCHANGED],
    changelog: CHANGELOG,
    clock: () => SUNDAY,
  });
  context.browser = await openBrowser();
  context.page = await context.browser.newPage({ bypassCSP: true });
});

pages.after(async ({ browser, running }) => {
  await browser.close();
  await running.close();
});

const CHANGELOG = readFileSync(packagePath('CHANGELOG.md'), 'utf8');

const PATHS = ['/developers', '/changelog', ...(hasAnnex('operator') ? ['/status'] : []), '/docs/clients'];
/** Pages that lead to others, and those of lists. */
const BESIDES = [
  '/docs/',
  '/docs/source-format',
  '/a/path/that/there-is-not',
  '/subscribe?categories=MUSIC&venues=nidarosdomen',
  '/subscribe?mode=both&near=her',
  '/events.html?pageSize=20',
  '/events.html?tag=ingen&categories=MUSIC',
  '/events.html?categories=MUSIC&period=WEEK&free=true&municipality=Trondheim',
  '/events.html?view=plain&pageSize=20',
  '/events/improonsdag.html',
  '/events/finnes-ikke.html',
];
const WIDE = { width: 1_280, height: 900 };
const PHONE = { width: 320, height: 740 };

/** Any two of Norwegian or English, a colour scheme and a size come together. Pages without Nynorsk are in Bokmål instead. */
const LOOKS = [
  { lang: 'nb', colorScheme: 'light', viewport: WIDE },
  { lang: 'nn', colorScheme: 'dark', viewport: PHONE },
  { lang: 'en', colorScheme: 'light', viewport: PHONE },
  { lang: 'en', colorScheme: 'dark', viewport: WIDE },
] as const;

for (const path of [...PATHS, ...BESIDES]) {
  pages(
    `I9, I10, I11: should fit and have nothing that axe-core objects to: ${path}`,
    async ({ page, running }) => {
      for (const { lang, colorScheme, viewport } of LOOKS) {
        const look = `${lang}, ${colorScheme}, ${viewport.width} wide`;
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize(viewport);
        await page.goto(`${running.url}${path}${path.includes('?') ? '&' : '?'}lang=${lang}`);
        assert.is(
          await page.evaluate(`matchMedia('(prefers-color-scheme: ${colorScheme})').matches`),
          true,
          look,
        );
        assert.is(await page.evaluate('document.documentElement.scrollWidth'), viewport.width, look);
        const { passed, objections } = await judgedBy(page);
        assert.equal(objections, [], look);
        assertAbove(passed, PATHS.includes(path) ? 15 : 10, 'rules that looked at anything');
      }
    },
  );
}

pages(
  'I13: should show docs in English, with links back to pages in the chosen language',
  async (context) => {
    const { page } = context;
    await openApiGuide(context);
    assert.is(await page.locator('html').getAttribute('lang'), 'en');
    const links = page.locator('.masthead nav a');
    assert.equal(await links.allTextContents(), ['What’s on', 'Subscribe']);
    assert.match((await links.first().getAttribute('href')) ?? '', 'lang=nb');
  },
);

pages('I13: should show code beside its text where there is room', async (context) => {
  await openApiGuide(context);
  const [code, text] = await context.page.evaluate<[Box, Box]>(`(() => {
    const code = document.querySelector('.prose > .copied');
    return [code, code.previousElementSibling].map((one) => one.getBoundingClientRect().toJSON());
  })()`);
  assertAtLeast(code.left, text.right, 'left edge of the code');
  assertAtMost(code.top, text.bottom, 'upper edge of the code');
  assertAtMost(code.right, WIDE.width, 'right edge of the code');
});

/** Pixels from the edges of the page. */
type Box = Readonly<Record<'left' | 'top' | 'right' | 'bottom', number>>;

async function openApiGuide({ page, running }: Context): Promise<void> {
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize(WIDE);
  await page.goto(`${running.url}/docs/api?lang=nb`);
}

pages('should request nothing from elsewhere, and break no policy', async ({ browser, running }) => {
  await inPage(browser, {}, async (page) => {
    const asked: string[] = [];
    const findings: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    page.on('console', (message) => findings.push(message.text()));
    for (const path of PATHS) await page.goto(`${running.url}${path}`);
    const foreign = asked.filter((url) => !url.startsWith(running.url) && !url.startsWith('data:'));
    assert.equal(foreign, []);
    assert.equal(findings, []);
  });
});

pages('should show all of the developers’ page without a script', async ({ browser, running }) => {
  await inPage(browser, { javaScriptEnabled: false }, async (page) => {
    await page.goto(`${running.url}/developers?lang=en`);
    const sections = 'next walk start queries filter event types categories errors keys resources';
    for (const id of sections.split(' ')) await assertVisible(page.locator(`section:has(#${id})`));
    assert.is(await page.locator('.copy').count(), 0);
    await page.check('.tabs [value="example-python"]');
    await assertVisible(page.locator('#example-python'));
    const folded = page.locator('details dl').first();
    await assertHidden(folded);
    await page.locator('details:has(dl) > summary').first().click();
    await assertVisible(folded);
  });
});

pages('should keep the developers’ page short, with its contents in view', async ({ page, running }) => {
  for (const { width, most } of [
    { width: 1_280, most: 6_000 },
    { width: 320, most: 9_000 },
  ] as const) {
    await page.setViewportSize({ width, height: 900 });
    await page.goto(`${running.url}/developers?lang=nb`);
    const height = await page.evaluate<number>('document.documentElement.scrollHeight');
    assertAtMost(height, most, `pixels, ${width} wide`);
    await page.click('.contents a[href="#errors"]');
    await page.waitForFunction(`document.querySelector('#errors').getBoundingClientRect().top < 300`);
    const [heading, contents] = await page.evaluate<[number, number]>(
      `['#errors', '.contents'].map((one) => document.querySelector(one).getBoundingClientRect().y)`,
    );
    // The contents stand above the heading.
    assert.is(contents, 0);
    assertAbove(heading, 20, 'pixels above the heading');
  }
});

pages('should show one example at a time, and remember which', async ({ browser, running }) => {
  await inPage(browser, { viewport: WIDE }, async (page) => {
    const shown = () =>
      page.evaluate<boolean[]>(`[...document.querySelectorAll('.tab')].map((tab) => tab.checkVisibility())`);
    await page.goto(`${running.url}/developers?lang=en`);
    assert.equal(await shown(), [true, false, false, false, false]);
    await page.focus('.tabs input:checked');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    assert.equal(await shown(), [false, false, true, false, false]);
    await page.goto(`${running.url}/developers?lang=nb`);
    assert.equal(await shown(), [false, false, true, false, false]);
  });
});

pages('should open what a link leads to', async ({ page, running }) => {
  await page.setViewportSize(WIDE);
  await page.goto(`${running.url}/developers?lang=nb`);
  const fields = page.locator('section:has(#filter) dl');
  await assertHidden(fields);
  await page.click('.contents a[href="#filter"]');
  // The page opens it once the browser has gone there.
  await fields.waitFor({ state: 'visible' });
});

const ofOperator = withAnnex('operator', pages);

async function openStatus({ page, running }: Context, width: number): Promise<void> {
  await page.setViewportSize({ width, height: 740 });
  await page.goto(`${running.url}/status?lang=nb`);
}

for (const width of [320, 440]) {
  ofOperator(
    `should show feeds on /status as cards of which nothing is cut off, ${width} wide`,
    async (context) => {
      await openStatus(context, width);
      const [cells, hidden] = await context.page.evaluate<[number, string[]]>(`(() => {
      const cells = [...document.querySelectorAll('.cards td, .cards tbody th')];
      const isOut = (cell) => cell.getBoundingClientRect().right > innerWidth || cell.scrollWidth > cell.clientWidth + 1;
      return [cells.length, cells.filter(isOut).map((cell) => cell.textContent)];
    })()`);
      assertAtLeast(cells, 5, 'cells of feeds');
      assert.equal(hidden, []);
    },
  );
}

ofOperator('should say on a phone why a feed fails, beside the names of the columns', async (context) => {
  await openStatus(context, 320);
  const { page } = context;
  await assertVisible(page.locator('.concerns >> text=borte.ics').first());
  const row = page.locator('tr:has-text("borte")');
  assert.match((await row.textContent()) ?? '', /Mislyktes.*borte\.ics/s);
  const cell = row.locator('td:has(time)').last();
  const [left = 0, moment = 0] = [await cell.boundingBox(), await cell.locator('time').boundingBox()].map(
    (box) => box?.x ?? 0,
  );
  assertAbove(moment, left + 80, 'pixels from the left');
});

ofOperator('should show feeds on /status as a table where there is room', async (context) => {
  await openStatus(context, WIDE.width);
  const display = `getComputedStyle(document.querySelector('.cards td')).display`;
  assert.is(await context.page.evaluate(display), 'table-cell');
});

pages('should be usable with the keyboard, with a link past the masthead', async (context) => {
  await inPage(context.browser, {}, async (page) => {
    await page.goto(`${context.running.url}/developers?lang=en`);
    await page.keyboard.press('Tab');
    assert.is(await page.locator(':focus').textContent(), 'Skip to content');
    await assertVisible(page.locator(':focus'));
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    await assertVisible(page.locator('main :focus'));
    assert.is(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle'), 'solid');
  });
});

pages('should keep the chosen language on the way to other pages', async (context) => {
  await inPage(context.browser, { locale: 'nb-NO' }, async (page) => {
    await page.goto(`${context.running.url}/developers`);
    assert.is(await page.getAttribute('html', 'lang'), 'nb');
    await page.click('text=English');
    assert.is(await page.getAttribute('html', 'lang'), 'en');
    for (const name of ['Changes', ...(hasAnnex('operator') ? ['Status'] : []), 'For developers']) {
      await page.click(`nav >> text="${name}"`);
      assert.is(await page.getAttribute('html', 'lang'), 'en', name);
    }
  });
});

ofOperator('should need every rule of the stylesheet on some page', async ({ page, running }) => {
  const needed = new Set<string>();
  let all: readonly string[] = [];
  await page.setViewportSize(WIDE);
  for (const path of [
    ...PATHS,
    '/docs/api',
    '/subscribe',
    '/events.html?pageSize=2&mode=offline',
    '/events/improonsdag.html',
  ]) {
    await page.goto(`${running.url}${path}`);
    const [found, matching] = await page.evaluate<[string[], string[]]>(SELECTORS);
    all = found;
    for (const selector of matching) needed.add(selector);
  }
  assertAbove(all.length, 100, 'addresses');
  assert.equal(
    all.filter((selector) => !needed.has(selector)),
    [],
  );
});

/** Every selector of the stylesheet, and those that match something here, whatever its state. */
const SELECTORS = `(() => {
  const rules = (list) => [...list].flatMap((rule) => (rule.selectorText === undefined ? rules(rule.cssRules) : [rule]));
  const all = rules(document.styleSheets[0].cssRules).flatMap(({ selectorText }) => selectorText.split(/,\\s*/));
  const matches = (selector) => document.querySelector(selector.replace(/::?(before|after|hover|focus-visible|focus|checked)/g, '') || '*');
  return [all, all.filter(matches)];
})()`;

pages.run();
