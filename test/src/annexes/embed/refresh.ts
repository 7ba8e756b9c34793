/** I5: when the list is requested again, and what the element shows meanwhile. */
import type { Page, Route } from 'playwright-core';
import type { Test } from 'uvu';
import * as assert from 'uvu/assert';
import { assertBelow } from '../../../helpers/assertions.ts';
import { assertFocused, assertVisible } from '../../../helpers/browser.ts';
import { type Context, heightOf, lineOf, MINUTE, pass, shown, state, visit } from './host-page.ts';

/** They share the calendar and the browser of `embed.test.ts`. */
export function addRefreshTests(embed: Test<Context>): void {
  embed(
    'I5: should replace an event with the next one at the second at which it is over',
    async (context) => {
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
    },
  );

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

  embed(
    'I5: should update a visible list every five minutes, and a list that is seen again',
    async (context) => {
      let requests = 0;
      const answer = (route: Route) => {
        requests += 1;
        return route.continue();
      };
      await visit(context, { answer, attributes: 'fromDate="2026-12-01"' }, async (page) => {
        const requestsOf = async (work: () => Promise<unknown>) => {
          const before = requests;
          await work();
          await shown(page);
          return requests - before;
        };
        const after = (seconds: number) => requestsOf(() => pass(context, page, seconds));
        const seenAgain = () => requestsOf(() => setHidden(page, false));
        await shown(page);
        assert.is(await after(5 * MINUTE - 10), 0);
        assert.is(await after(20), 1);
        await setHidden(page, true);
        assert.is(await after(60 * MINUTE), 0, 'while it is hidden');
        assert.is(await seenAgain(), 1);
        await setHidden(page, true);
        assert.is(await after(MINUTE - 10), 0);
        assert.is(await seenAgain(), 0, 'when it was hidden for less than a minute');
        await setHidden(page, true);
        assert.is(await after(20), 0);
        assert.is(await seenAgain(), 1, 'when its list is more than a minute old');
      });
    },
  );

  embed('I5: should retry automatically, and keep the list meanwhile', async (context) => {
    let isDown = false;
    const answer = (route: Route) =>
      isDown ? route.fulfill({ status: 502, body: '<html>' }) : route.continue();
    context.now += 26 * MINUTE;
    const attributes = 'limit="6" untilDate="2026-04-01"';
    await visit(context, { answer, attributes }, async (page) => {
      assert.is((await shown(page)).length, 6);
      isDown = true;
      await pass(context, page, 4 * MINUTE);
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
      await page.clock.runFor(71_000);
      assert.is(await state(page), 'Loading events …');
      assertBelow(await heightOf(page), 100, 'pixels while it tries again');
    });
  });
}

/** Hides the page, or shows it again. */
const setHidden = (page: Page, isHidden: boolean) =>
  page.evaluate(`{
    Object.defineProperty(document, 'hidden', { value: ${isHidden}, configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
  }`);
