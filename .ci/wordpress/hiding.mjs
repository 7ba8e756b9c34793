/** Events that disappear: hidden on a site, in the list of a group, or removed from the calendar; and the sites while the calendar is stopped. */
import * as assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventsOf } from './calendar.mjs';
import {
  A_MINUTE,
  AVIS,
  check,
  emptyLogs,
  eventPage,
  expectStatus,
  isGone,
  isListed,
  KONSERN,
  listOf,
  logLines,
  open,
  place,
  runCron,
  sitemapsOf,
  slugsIn,
  until,
  word,
} from './checks.mjs';
import { EDITOR } from './one-site.mjs';
import { logIn, publishPage, saveHidden } from './sites.mjs';

/** The plugin asks the calendar at one event of WP-Cron, and the event is then gone from caches. */
const TWO_MINUTES = 150;
const SAVED = /Listen er lagret\./;
const CHECK_SITES = new URL('../../docs/examples/hidden-on-sites.sh', import.meta.url).pathname;

const cacheOf = ({ headers }) => headers.get('x-cache');
const pageWithDate = (event) => eventPage(AVIS, event, `?dato=${event.date}`);

/** On avis.example, where pages come from the cache of nginx. */
export async function hideOnSite() {
  const [event] = await eventsOf(AVIS);
  const editor = await logIn(AVIS, EDITOR);
  await check('lists and pages of events come from the cache in nginx', async () => {
    for (const load of [() => listOf(AVIS), () => eventPage(AVIS, event), () => pageWithDate(event)]) {
      await load();
      const page = expectStatus(await load(), 200);
      assert.equal(cacheOf(page), 'HIT', page.address);
    }
    assert.ok(await isListed(AVIS, event));
  });
  await check('without a valid nonce, nothing is hidden', async () => {
    expectStatus(await saveHidden(editor, AVIS, [event.slug], { _wpnonce: 'galt' }), 403);
    assert.ok(await isListed(AVIS, event));
  });
  await check(
    'an editor hides an event: it is gone from cached lists, its cached page returns 410, and no sitemap has it',
    async () => {
      const { text } = await saveHidden(editor, AVIS, [`${AVIS}/arrangement/${event.slug} (sak 12)`]);
      assert.match(text, SAVED);
      assert.ok(text.includes(event.title), 'the title of the event in the table');
      assert.ok(await isGone(AVIS, event));
      for (const links of await sitemapsOf(AVIS))
        assert.ok(!links.includes(`${AVIS}/arrangement/${event.slug}`));
      assert.doesNotMatch((await eventPage(AVIS, event)).text, new RegExp(event.title));
    },
  );
  await check('the cached page of the hidden event with a date returns 410, too', async () => {
    expectStatus(await pageWithDate(event), 410);
  });
  await check('without the line, the event is back', async () => {
    assert.match((await saveHidden(editor, AVIS, [])).text, SAVED);
    assert.ok(await isListed(AVIS, event));
    expectStatus(await eventPage(AVIS, event), 200);
  });
}

/** konsern.example serves its list, and avis.example reads it. */
export async function hideInGroup() {
  const [, event] = await eventsOf(AVIS);
  const editor = await logIn(KONSERN, EDITOR);
  const REMARK = 'Kari ba om dette';
  const list = (value) => open(`${KONSERN}/?almanakk_hidden=${value}`);
  const isGoneThere = async () => {
    await runCron(AVIS);
    return isGone(AVIS, event);
  };
  await listOf(AVIS);
  await eventPage(AVIS, event);
  await check('a line in the list of the group hides an event on the site that serves the list', async () => {
    const { text } = await saveHidden(editor, KONSERN, [
      `# ${REMARK}`,
      `${AVIS}/arrangement/${event.slug} ${REMARK}`,
    ]);
    assert.match(text, SAVED);
    assert.ok(await isGone(KONSERN, event));
  });
  await check(
    'after a minute, the line hides the event on the other site: in cached pages and both sitemaps',
    async () => {
      assert.ok(await isListed(AVIS, event));
      await until(A_MINUTE, `${event.slug} to be gone from ${AVIS}`, isGoneThere);
      for (const links of await sitemapsOf(AVIS))
        assert.ok(!links.includes(`${AVIS}/arrangement/${event.slug}`));
    },
  );
  await check('hidden-on-sites.sh says that both sites hide it', () => {
    const file = join(place, 'sites.txt');
    writeFileSync(
      file,
      `${KONSERN}/arrangement/ ${KONSERN}/kalender/\n${AVIS}/arrangement/ ${AVIS}/kalender/\n`,
    );
    const { status, stdout, stderr } = spawnSync('sh', [CHECK_SITES, event.slug, file], { encoding: 'utf8' });
    assert.equal(status, 0, stdout + stderr);
  });
  await check('the list has addresses without remarks, and no cache may store it', async () => {
    const { text, headers } = expectStatus(await list(word), 200);
    assert.equal(text, `# almanakk hidden events\n${AVIS}/arrangement/${event.slug}\n`);
    assert.match(headers.get('cache-control'), /no-store/);
  });
  await check('without the secret word, the site does not tell its list', async () => {
    for (const other of ['', '1', word.slice(0, -1), `${word}x`, 'almanakk_hidden']) {
      const { text, headers } = expectStatus(await list(other), 404);
      assert.equal(text, 'Not found.\n');
      assert.match(headers.get('cache-control'), /no-store/);
    }
    expectStatus(await open(`${AVIS}/?almanakk_hidden=${word}`), 404);
    assert.equal((await open(`${AVIS}/?almanakk_hidden=copy`)).text, '{"list":"copy","failingSeconds":0}');
  });
  await check('without the line, the event is back on both sites', async () => {
    await saveHidden(editor, KONSERN, []);
    assert.ok(await isListed(KONSERN, event));
    const isBack = async () => {
      await runCron(AVIS);
      return (await isListed(AVIS, event)) && (await eventPage(AVIS, event)).status === 200;
    };
    await until(A_MINUTE, `${event.slug} to be back`, isBack);
  });
}

/** By a build, as after almanakk-hide. */
export async function removeInCalendar(calendar) {
  const [, , event] = await eventsOf(AVIS);
  await check(
    'an event that a build removes is gone from cached lists, and its cached pages return 410',
    async () => {
      assert.ok(await isListed(AVIS, event));
      expectStatus(await eventPage(AVIS, event), 200);
      expectStatus(await pageWithDate(event), 200);
      assert.equal(cacheOf(await listOf(AVIS)), 'HIT');
      await calendar.remove(event);
      const isGoneThere = async () => {
        await runCron(AVIS);
        return (await isGone(AVIS, event)) && (await pageWithDate(event)).status === 410;
      };
      await until(TWO_MINUTES, `${event.slug} to be gone`, isGoneThere);
    },
  );
  await check('no sitemap has the removed event', async () => {
    for (const links of await sitemapsOf(AVIS))
      assert.ok(!links.includes(`${AVIS}/arrangement/${event.slug}`));
  });
}

export async function stopCalendar(calendar, administrator) {
  const [, , shown, hidden, neverShown] = await eventsOf(AVIS);
  const editor = await logIn(KONSERN, EDITOR);
  const isKnown = /\] almanakk: http:\/\/127\.0\.0\.1:4000\/\S+ cURL error 7/;
  expectStatus(await eventPage(KONSERN, shown), 200);
  const before = slugsIn(await listOf(KONSERN));
  assert.ok(before.includes(hidden.slug), hidden.slug);
  await calendar.stop();
  await check('while the calendar is stopped, lists and pages that were shown before stay', async () => {
    const hasAsked = async () => {
      assert.deepEqual(slugsIn(await listOf(KONSERN)), before);
      return logLines().some((line) => isKnown.test(line));
    };
    await until(A_MINUTE, 'a line in the log that the calendar did not respond', hasAsked);
    assert.deepEqual(slugsIn(await listOf(KONSERN)), before);
    expectStatus(await eventPage(KONSERN, shown), 200);
  });
  await check('while the calendar is stopped, an event that was not shown before gets 503', async () => {
    const { headers } = expectStatus(await eventPage(KONSERN, neverShown), 503);
    assert.match(headers.get('cache-control'), /no-cache/);
  });
  await check(
    'a page that says that the calendar does not respond is not stored in the cache in nginx',
    async () => {
      await publishPage(administrator, AVIS, 'ny', '[almanakk antall="7"]');
      for (let time = 0; time < 2; time++) {
        const page = expectStatus(await open(`${AVIS}/ny/`), 200);
        assert.match(page.text, /Kalenderen svarer ikke nå\./);
        assert.notEqual(cacheOf(page), 'HIT');
      }
    },
  );
  await check(
    'while the calendar is stopped, an editor hides an event, and it is gone at the next page view',
    async () => {
      assert.match((await saveHidden(editor, KONSERN, [hidden.slug])).text, SAVED);
      assert.ok(await isGone(KONSERN, hidden));
      assert.deepEqual(
        slugsIn(await listOf(KONSERN)),
        before.filter((slug) => slug !== hidden.slug),
      );
    },
  );
  await check('the logs say that the calendar did not respond, and nothing else', () =>
    assert.deepEqual(
      logLines().filter((line) => !isKnown.test(line)),
      [],
    ),
  );
  emptyLogs();
  await calendar.start();
  await check('when the calendar responds again, so do the sites', async () => {
    await saveHidden(editor, KONSERN, []);
    await until(
      A_MINUTE,
      'the page of an event',
      async () => (await eventPage(KONSERN, neverShown)).status === 200,
    );
    await until(
      A_MINUTE,
      'the list',
      async () => !(await open(`${AVIS}/ny/`)).text.includes('Kalenderen svarer ikke'),
    );
  });
  emptyLogs();
}
