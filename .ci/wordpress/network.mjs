/** A network of two sites, each with its own domain, settings and hidden events. */
import * as assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventsOf } from './calendar.mjs';
import {
  A_MINUTE,
  AVIS,
  BLAD,
  BYGD,
  check,
  emptyLogsOfWordPress,
  eventPage,
  expectStatus,
  isGone,
  isListed,
  KONSERN,
  listOf,
  open,
  root,
  sitemapsOf,
  until,
} from './checks.mjs';
import { EDITOR, LISTS, publishPages, ZIP } from './one-site.mjs';
import {
  activatePlugin,
  addSite,
  installSite,
  logIn,
  makeNetwork,
  publishPage,
  SETTINGS_SCREEN,
  saveHidden,
  saveSettings,
  uploadPlugin,
  usePermalinks,
} from './sites.mjs';

export const NETWORK_SCREENS = `${BLAD}/wp-admin/network`;
const CONFIG = join(root, 'srv/nett/wp-config.php');
/** Of the whole calendar, whatever the site's municipalities. */
const EVERYWHERE = LISTS.replaceAll('"antall":50', '"antall":50,"kommune":"alle"').replaceAll(
  'antall="50"',
  'antall="50" kommune="alle"',
);

/** Resolves to an administrator of each site. */
export async function makeSites() {
  await check(`${BLAD}: WordPress is installed, and made a network with a second site, ${BYGD}`, async () => {
    await installSite(BLAD, BLAD);
    await usePermalinks(await logIn(BLAD), BLAD);
    await makeNetwork(await logIn(BLAD), BLAD, CONFIG, (text) => writeFileSync(CONFIG, text));
    await addSite(await logIn(BLAD), NETWORK_SCREENS, BYGD, BYGD);
    emptyLogsOfWordPress();
  });
  const blad = await logIn(BLAD);
  const bygd = await logIn(BYGD);
  await check('the plugin is uploaded to the network, and activated for all sites', async () => {
    await activatePlugin(blad, await uploadPlugin(blad, NETWORK_SCREENS, ZIP));
    expectStatus(await blad.open(BLAD + SETTINGS_SCREEN), 200);
    expectStatus(await bygd.open(BYGD + SETTINGS_SCREEN), 200);
  });
  await usePermalinks(bygd, BYGD);
  await publishPages(blad, BLAD);
  await publishPages(bygd, BYGD);
  return { blad, bygd };
}

export async function separateSites({ blad, bygd }) {
  const [ofBlad] = await eventsOf(BLAD);
  const [ofBygd] = await eventsOf(BYGD);
  const [ofAvis] = await eventsOf(AVIS);
  await check('each site of the network has its own municipalities', async () => {
    await saveSettings(blad, BLAD, { towns: ['Levanger'], front: `${BLAD}/blad/` });
    await saveSettings(bygd, BYGD, { towns: ['Orkland'], front: `${BYGD}/bygd/` });
    assert.deepEqual([await isListed(BLAD, ofBlad), await isListed(BLAD, ofBygd)], [true, false]);
    assert.deepEqual([await isListed(BYGD, ofBlad), await isListed(BYGD, ofBygd)], [false, true]);
    assert.ok((await listOf(BLAD)).text.includes(`${BLAD}/blad/`));
    assert.ok((await listOf(BYGD)).text.includes(`${BYGD}/bygd/`));
    assert.doesNotMatch((await blad.open(BLAD + SETTINGS_SCREEN)).text, /value="Orkland" checked/);
  });
  await check('each site of the network has its own pages of events and sitemaps', async () => {
    expectStatus(await eventPage(BLAD, ofBlad), 200);
    expectStatus(await eventPage(BYGD, ofBygd), 200);
    for (const home of [BLAD, BYGD]) {
      const [own, ofWordPress] = await sitemapsOf(home);
      assert.ok(own.length > 0, home);
      for (const link of own) assert.ok(link.startsWith(`${home}/arrangement/`), link);
      assert.deepEqual(ofWordPress, own);
    }
  });
  await check('an event that one site of the network hides stays on the other one', async () => {
    await publishPage(blad, BLAD, 'alt', EVERYWHERE);
    await publishPage(bygd, BYGD, 'alt', EVERYWHERE);
    const isIn = async (home) => (await open(`${home}/alt/`)).text.includes(`/arrangement/${ofAvis.slug}?`);
    assert.deepEqual([await isIn(BLAD), await isIn(BYGD)], [true, true]);
    await saveHidden(blad, BLAD, [ofAvis.slug, ofBlad.slug]);
    assert.deepEqual([await isIn(BLAD), await isIn(BYGD)], [false, true]);
    assert.ok(await isGone(BLAD, ofBlad));
    assert.deepEqual(
      [(await eventPage(BLAD, ofAvis)).status, (await eventPage(BYGD, ofAvis)).status],
      [410, 200],
    );
    for (const links of await sitemapsOf(BLAD))
      assert.ok(!links.includes(`${BLAD}/arrangement/${ofBlad.slug}`));
  });
  await check('each site of the network has its own list of hidden events', async () => {
    await saveHidden(bygd, BYGD, [ofBygd.slug]);
    assert.ok(await isGone(BYGD, ofBygd));
    expectStatus(await eventPage(BLAD, ofBygd), 200);
    await saveHidden(blad, BLAD, []);
    assert.ok(await isListed(BLAD, ofBlad));
    assert.ok(await isGone(BYGD, ofBygd));
  });
  await check('a line in the list of the group hides an event on both sites of the network', async () => {
    const editor = await logIn(KONSERN, EDITOR);
    await saveHidden(editor, KONSERN, [ofAvis.slug]);
    for (const home of [BLAD, BYGD])
      await until(A_MINUTE, `410 on ${home}`, async () => (await eventPage(home, ofAvis)).status === 410);
    await saveHidden(editor, KONSERN, []);
  });
}
