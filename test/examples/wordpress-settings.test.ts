/** The settings of a site in WordPress, its sitemap, the button that empties its cache, and what is left if the plugin is deleted. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { packagePath } from '../../src/package.ts';
import { runCommand } from '../helpers/program.ts';
import type { Running } from '../helpers/running.ts';
import { HIDDEN_MARK } from './newspaper.ts';
import { HOME, startCalendar, startWordPress, titlesIn, type WordPress, withPhp } from './wordpress.ts';

interface Context {
  calendar: Running;
  wordPress: WordPress;
  /** A site that reads the list of a group. */
  reader: WordPress;
}

const settings = withPhp(suite<Context>('settings in WordPress'));

settings.before(async (context) => {
  context.calendar = await startCalendar();
  context.wordPress = await startWordPress(context.calendar.url);
  context.reader = await startWordPress(context.calendar.url, {
    HIDDEN_URL: 'https://konsern.example/skjul-7f3a9c0e41d2.txt',
  });
});
settings.before.each(async ({ wordPress, reader }) => {
  for (const site of [wordPress, reader]) await site.reset();
});
settings.after(async ({ calendar, wordPress, reader }) => {
  for (const site of [wordPress, reader]) await site.close();
  await calendar.close();
});

/** A site of a town, with a page for events. */
async function chooseTown(wordPress: WordPress) {
  await wordPress.usePermalinks();
  return wordPress.saveSettings({ kommune: ['Ås'], lenke: '', hjem: `${HOME}/kalender` });
}

settings('should show on their screen what the site has chosen', async ({ wordPress }) => {
  const { html, capability } = await chooseTown(wordPress);
  assert.is(capability, 'manage_options');
  assert.match(html, '<input type="checkbox" name="almanakk[kommune][]" value="Ås" checked>');
  assert.match(html, '<input type="checkbox" name="almanakk[kommune][]" value="Trondheim">');
  assert.match(html, `name="almanakk[hjem]" value="${HOME}/kalender"`);
});

settings(
  'should refuse a link that is no address of events, and keep the one before',
  async ({ wordPress }) => {
    await wordPress.saveSettings({ lenke: '/arrangement/{slug}' });
    const { html } = await wordPress.saveSettings({ lenke: 'nei' });
    assert.match(html, /Egne arrangementssider: skriv en adresse .* «nei»/);
    assert.match(html, 'name="almanakk[lenke]" value="/arrangement/{slug}"');
  },
);

settings('should say where the site has its pages of events, and what is missing', async ({ wordPress }) => {
  const without = await wordPress.saveSettings({});
  assert.match(without.html, 'Det finnes ingen publisert side med [almanakk_arrangement].');
  const linked = await chooseTown(wordPress);
  const sentence = `Kalenderen lenker til sidene her. Nettstedskartet ligger på ${HOME}/?almanakk_sitemap=1.`;
  assert.match(linked.html, sentence);
});

settings('should let lists have the events of the site’s municipality', async ({ wordPress }) => {
  await chooseTown(wordPress);
  const { html } = await wordPress.showList();
  assert.equal(titlesIn(html), ['Walk']);
  assert.match(html, `<a href="${HOME}/kalender">Hele kalenderen</a>`);
  assert.match(html, `href="${HOME}/arrangement/walk?dato=2026-01-03"`);
});

settings('should yield to a list that names its own events', async ({ wordPress }) => {
  await chooseTown(wordPress);
  const ofAll = await wordPress.showList({ kommune: 'alle' });
  assert.equal(titlesIn(ofAll.html), ['Marked', 'Fem', 'Walk', 'The']);
  const ofId = await wordPress.showList({ ids: 'choir' });
  assert.equal(titlesIn(ofId.html), ['Fem']);
});

const SITEMAP = `${HOME}/?almanakk_sitemap=1`;

settings('should have a sitemap of the events of the site’s municipality', async ({ wordPress }) => {
  await chooseTown(wordPress);
  const { own, pages, firstPage } = await wordPress.sitemaps();
  assert.match(own, `<url><loc>${HOME}/arrangement/walk</loc></url>`);
  assert.is(pages, 1);
  assert.equal(
    firstPage.map(({ loc }) => loc),
    [`${HOME}/arrangement/walk`],
    'the one of WordPress itself',
  );
});

settings(
  'should name the sitemap to search engines, unless the site is hidden from them',
  async ({ wordPress }) => {
    await chooseTown(wordPress);
    const { robots, robotsOfHiddenSite, indexOfSeoPlugins } = await wordPress.sitemaps();
    assert.is(robots, `\nSitemap: ${SITEMAP}\n`);
    assert.is(robotsOfHiddenSite, '');
    assert.is(indexOfSeoPlugins, `<sitemap><loc>${SITEMAP}</loc></sitemap>\n`);
  },
);

settings('should empty the cache for an administrator alone', async ({ wordPress }) => {
  await wordPress.logIn('editor');
  assert.equal(await wordPress.emptyCache(), { redirect: '403', html: '' });
  await wordPress.logIn('administrator');
  const screen = `302 ${HOME}/wp-admin/options-general.php?page=almanakk&almanakk-emptied=1`;
  assert.equal(await wordPress.emptyCache(), { redirect: screen, html: 'checked almanakk_empty' });
});

settings('should ask the calendar anew once the cache is empty', async ({ wordPress }) => {
  await wordPress.showList();
  assert.is((await wordPress.showList()).requests, 0);
  await wordPress.logIn('administrator');
  await wordPress.emptyCache();
  assert.is((await wordPress.showList()).requests, 1);
});

for (const sites of [1, 2]) {
  settings(`should leave nothing if the plugin is deleted, on any site of ${sites}`, async ({ reader }) => {
    await reader.setGroupList(HIDDEN_MARK);
    await reader.hide('fair');
    await reader.cron();
    const { before, events, after, transients } = await reader.uninstall(sites);
    assert.equal(before, [
      'almanakk_hidden',
      'almanakk_hidden_announced',
      'almanakk_hidden_shared',
      'almanakk_read_hidden',
    ]);
    assert.equal([events, after, transients], [[], [], []]);
  });
}

settings('should do nothing if someone requests the file that deletes them', async () => {
  const file = packagePath('docs/examples/almanakk-events/uninstall.php');
  const { code, stdout } = await runCommand('php', ['-n', file], {});
  assert.equal([code, stdout], [0, '']);
});

settings.run();
