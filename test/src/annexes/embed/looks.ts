/** I5: how the element looks: its pictures, the room that it reserves, its themes, and what axe-core says. */
import { EventEmitter, once } from 'node:events';
import type { Page, Route } from 'playwright-core';
import type { Test } from 'uvu';
import * as assert from 'uvu/assert';
import { assertAbove, assertBelow } from '../../../helpers/assertions.ts';
import { judgedBy } from '../../../helpers/browser.ts';
import { type Context, shown, visit } from './host-page.ts';

/** They share the calendar and the browser of `embed.test.ts`. */
export function addLooksTests(embed: Test<Context>): void {
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

  for (const { attributes, background, padding } of THEMES) {
    embed(
      `I5: should have a background and padding by its theme: ${attributes || 'none'}`,
      async (context) => {
        await visit(context, { attributes, options: { colorScheme: 'dark' } }, async (page) => {
          await shown(page);
          assert.equal(await styleOf(page), { background, padding });
        });
      },
    );
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
}

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

const LOOKS = [
  { language: 'nb', colorScheme: 'dark', width: 320, more: 'theme="auto" pictures' },
  { language: 'nn', colorScheme: 'light', width: 320, more: 'theme="light" pictures' },
  { language: 'en', colorScheme: 'light', width: 1_280, more: '' },
] as const;
