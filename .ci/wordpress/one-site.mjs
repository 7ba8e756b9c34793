/** The plugin on a site of its own: installation, lists, pages of events, sitemaps and settings. */
import * as assert from 'node:assert/strict';
import { join } from 'node:path';
import { eventsOf } from './calendar.mjs';
import {
  AVIS,
  check,
  emptyLogsOfWordPress,
  eventPage,
  expectStatus,
  KONSERN,
  listOf,
  open,
  place,
  sitemapsOf,
  slugsIn,
} from './checks.mjs';
import {
  AKISMET,
  activatePlugin,
  addUser,
  deletePlugin,
  emptyCache,
  HIDE_SCREEN,
  installSite,
  logIn,
  publishPage,
  renderBlock,
  SETTINGS_SCREEN,
  saveSettings,
  uploadPlugin,
  usePermalinks,
} from './sites.mjs';

export const ZIP = join(place, 'almanakk-events.zip');
export const EDITOR = 'vakt';
const AUTHOR = 'skribent';
/** A block, and the same list as a shortcode. */
export const LISTS =
  '<!-- wp:almanakk/liste {"antall":50,"overskrift":"Blokk"} /-->\n' +
  '<!-- wp:shortcode -->[almanakk antall="50" overskrift="Kortkode"]<!-- /wp:shortcode -->';
const CHOSEN = '[almanakk kommune="Levanger" antall="2" bilder]';
const WRONG = '[almanakk kommuner="Levanger"]';
const PROBLEM = 'almanakk-problem';

/** With WordPress's wizard, and the zip file of the plugin. */
export async function install(home) {
  let administrator;
  await check(`${home}: WordPress is installed by its wizard, and the administrator logs in`, async () => {
    await installSite(home, home);
    administrator = await logIn(home);
    await usePermalinks(administrator, home);
    await addUser(administrator, home, EDITOR, 'editor');
    await addUser(administrator, home, AUTHOR, 'author');
    await deletePlugin(administrator, `${home}/wp-admin`, AKISMET);
    emptyLogsOfWordPress();
  });
  await check(`${home}: the plugin is uploaded as a zip file, and activated`, async () => {
    const screens = `${home}/wp-admin`;
    await activatePlugin(administrator, await uploadPlugin(administrator, screens, ZIP));
    const { text } = await administrator.open(`${screens}/plugins.php`);
    assert.match(text, /almanakk events/);
  });
  await check(`${home}: pages with the block, the shortcodes and the events are published`, async () => {
    await publishPages(administrator, home);
  });
  return administrator;
}

export async function publishPages(administrator, home) {
  await publishPage(administrator, home, 'arrangement', '[almanakk_arrangement]');
  await publishPage(administrator, home, 'kalender', LISTS);
}

export async function showLists(administrator) {
  const next = await eventsOf(AVIS);
  await check(
    'the block and the shortcode show the same list, with links to the pages of events on the site',
    async () => {
      const { text } = expectStatus(await listOf(AVIS), 200);
      const [, block = '', shortcode = ''] = text.split(/<h2 class="almanakk-heading"/);
      assert.match(block, />Blokk</);
      assert.match(shortcode, />Kortkode</);
      const slugs = slugsIn({ text: block });
      assert.deepEqual(slugsIn({ text: shortcode }), slugs);
      for (const { slug } of next.slice(0, 3)) assert.ok(slugs.includes(slug), slug);
      assert.match(text, /class="[^"]*wp-block-almanakk-liste/);
      assert.match(text, />Hele kalenderen</);
    },
  );
  await check('the values of a shortcode choose the list', async () => {
    await publishPage(administrator, AVIS, 'utvalg', `${CHOSEN}\n\n${WRONG}`);
    const { text } = await open(`${AVIS}/utvalg/`);
    const [list] = /<ul class="almanakk-events">.*?<\/ul>/s.exec(text) ?? [''];
    assert.equal(list.match(/<li /g)?.length, 2);
    assert.doesNotMatch(list, /Trondheim/);
  });
  await check('an editor reads what is wrong with a shortcode, and a visitor does not', async () => {
    assert.doesNotMatch((await open(`${AVIS}/utvalg/`)).text, new RegExp(PROBLEM));
    const { text } = await administrator.open(`${AVIS}/utvalg/`);
    assert.match(text, new RegExp(`${PROBLEM}[^>]*>[^<]*«kommuner»[^<]*«kommune»`));
  });
  await check('the editor of WordPress gets the menus of the block, and its list', async () => {
    const rendered = await renderBlock(administrator, AVIS, { antall: 3 });
    assert.equal(rendered.match(/<li /g)?.length, 3);
    const { text } = await administrator.open(`${AVIS}/wp-admin/post-new.php?post_type=page`);
    assert.match(
      text,
      /const almanakkBlock = \{.*"Trondheim".*"Orkland"|const almanakkBlock = \{.*"Orkland".*"Trondheim"/,
    );
  });
}

export async function showEvents() {
  const [event] = await eventsOf(AVIS);
  const address = `${AVIS}/arrangement/${event.slug}`;
  await check(
    'the page of an event has its title, its canonical address, its preview and its JSON-LD',
    async () => {
      const { text } = expectStatus(await eventPage(AVIS, event, `?dato=${event.date}`), 200);
      const titleOf = (name) => new RegExp(`<${name}[^>]*>([^<]*)`).exec(text)?.[1] ?? '';
      assert.ok(titleOf('title').startsWith(event.title), titleOf('title'));
      assert.equal(titleOf('h1'), event.title);
      assert.ok(text.includes(`<link rel="canonical" href="${address}"`), 'canonical address');
      assert.ok(text.includes(`<meta property="og:url" content="${address}">`), 'preview');
      const [, jsonLd = ''] = /<script type="application\/ld\+json">(.*?)<\/script>/s.exec(text) ?? [];
      assert.ok(jsonLd.includes(event.title), 'JSON-LD');
    },
  );
  await check('other forms of its address redirect to it', async () => {
    for (const other of [`${address}/`, `${AVIS}/arrangement/?arrangement=${event.slug}`]) {
      const { status, headers } = await open(other, { isFollowed: false });
      assert.deepEqual([status, headers.get('location')], [301, address], other);
    }
  });
  await check('an unknown event gets 404, and the page without an event 200', async () => {
    expectStatus(await eventPage(AVIS, { slug: 'finnes-ikke' }), 404);
    assert.match(
      expectStatus(await open(`${AVIS}/arrangement/`), 200).text,
      /Velg et arrangement i kalenderen\./,
    );
  });
  await check(
    'both sitemaps have the events of the site and no others, and robots.txt names one',
    async () => {
      const [own, ofWordPress] = await sitemapsOf(AVIS);
      assert.ok(own.length > 3, `${own.length} events`);
      for (const link of own) assert.ok(link.startsWith(`${AVIS}/arrangement/`), link);
      assert.ok(own.includes(address), address);
      assert.deepEqual(ofWordPress, own);
      assert.ok((await open(`${AVIS}/robots.txt`)).text.includes(`Sitemap: ${AVIS}/?almanakk_sitemap=1`));
    },
  );
}

export async function trySettings(administrator) {
  const FRONT = 'https://konsern.example/forside/';
  const isOnlyOfTown = async () => !slugsIn(await listOf(KONSERN)).includes((await eventsOf(AVIS))[0].slug);
  await check('an administrator saves the municipalities of the site, and lists follow', async () => {
    await saveSettings(administrator, KONSERN, { towns: ['Levanger'], front: FRONT });
    assert.ok(await isOnlyOfTown());
    assert.ok((await listOf(KONSERN)).text.includes(`<a href="${FRONT}">`));
    const { text } = await administrator.open(KONSERN + SETTINGS_SCREEN);
    assert.match(text, /value="Levanger" checked/);
    assert.ok(text.includes(`http://127.0.0.1:4000`), 'the address of the calendar');
  });
  await check('a wrong link is refused with a message, and the other values are saved', async () => {
    const page = await saveSettings(administrator, KONSERN, {
      towns: ['Levanger'],
      link: 'arrangement',
      front: FRONT,
    });
    assert.match(page.text, /Nå står det «arrangement»/);
    assert.doesNotMatch((await administrator.open(KONSERN + SETTINGS_SCREEN)).text, /value="arrangement"/);
  });
  await check('without a valid nonce, nothing is saved', async () => {
    const page = await saveSettings(administrator, KONSERN, { towns: [], _wpnonce: 'galt' });
    expectStatus(page, 403);
    assert.ok(await isOnlyOfTown());
  });
  await check('editors cannot open the settings, and authors not even “Hide events”', async () => {
    const editor = await logIn(KONSERN, EDITOR);
    expectStatus(await editor.open(KONSERN + HIDE_SCREEN), 200);
    expectStatus(await editor.open(KONSERN + SETTINGS_SCREEN), 403);
    const author = await logIn(KONSERN, AUTHOR);
    expectStatus(await author.open(KONSERN + HIDE_SCREEN), 403);
    expectStatus(await open(KONSERN + HIDE_SCREEN, { isFollowed: false }), 302);
  });
  await check(
    'the cache is emptied, and a site without municipalities shows the whole calendar',
    async () => {
      await saveSettings(administrator, KONSERN, {});
      assert.match((await emptyCache(administrator, KONSERN)).text, /Hurtiglageret er tømt\./);
      assert.ok(!(await isOnlyOfTown()));
    },
  );
}
