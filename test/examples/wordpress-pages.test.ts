/** Event pages in WordPress, with the block, the settings, the sitemap and hidden events. */
import { runInNewContext } from 'node:vm';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { NOW } from '../helpers/calendar.ts';
import { eachIn, plainText, textIn } from '../helpers/html.ts';
import { LICENCE, sourceFolder } from '../helpers/native-source.ts';
import { startBuilt } from '../helpers/running.ts';
import { isInstalled, when } from '../helpers/when.ts';
import { COPIES, SOURCE, WITH_COPIES } from './newspaper.ts';
import { FOR_WORDPRESS, inWordPress, titlesIn } from './wordpress.ts';

const withPhp = when(isInstalled('php'), 'php is not installed here', suite('event pages in WordPress'));

withPhp('almanakk-events.php should have a page for events, pages of a list, and a block', async () => {
  const files = {
    ...SOURCE,
    'licence.json': { ...SOURCE['licence.json'], eventPages: 'https://avis.example/arrangement/{slug}' },
    'events.json': FOR_WORDPRESS,
  };
  const { url, close } = await startBuilt(sourceFolder(files), NOW, { context: { settings: WITH_COPIES } });
  const pageOf = (arrangement: string, dato = '') => ({ page: { arrangement, dato } });
  const list = ['bilder'];
  const pages = { antall: '2', sider: 'ja' };
  const steps = [
    pages,
    { side: '2' },
    pages,
    pageOf('revyen', '2026-04-02'),
    pageOf('fem-seks', '2026-01-02'),
    pageOf('walk'),
    pageOf('finnes-ikke'),
    pageOf(''),
    { side: '1' },
    list,
    { block: { kommune: '', antall: 10, bilder: true, sider: false } },
    'permalinks',
    { page: { slug: 'fem-seks', dato: '2026-01-02' } },
    { page: { slug: 'fem-seks/', dato: '2026-01-02' } },
    pageOf('fem-seks'),
    { page: { slug: 'feed' } },
    { settings: { kommune: ['Ås'], lenke: 'nei', hjem: 'https://avis.example/kalender' } },
    [],
    { kommune: 'alle' },
    { ids: 'choir' },
    'down',
    'later',
    { page: { slug: 'revyen' } },
    { page: { slug: 'ny' } },
    ...HIDING,
    ...ENDING,
  ] as const;
  const shown = await inWordPress({ calendar: url }, steps).finally(close);
  const [one, two, revue, choir, walk, missing, none, linked, block, ...later] = shown;
  const [below, slash, older, feed, screen, ofSite, everywhere, byId, stale, unknown, ...last] = later;
  assert.equal(
    [titlesIn(one?.html), titlesIn(two?.html)],
    [
      ['Marked', 'Fem'],
      ['Walk', 'The'],
    ],
  );
  assert.match(one?.html ?? '', '<a href="/?page_id=7&amp;side=2">Flere arrangementer</a></nav>');
  assert.match(two?.html ?? '', '<a href="/?page_id=7">Forrige side</a></nav>');
  const link = 'href="https://avis.example/?page_id=7&amp;arrangement=fem-seks&amp;dato=2026-01-02"';
  assert.match(linked?.html ?? '', link, 'the page for events, if there is one');

  const title = "The 'revue' &";
  const heading = 'The &#039;revue&#039; &amp;';
  assert.equal([revue?.status, revue?.title, revue?.heading], [200, title, heading]);
  assert.match(revue?.canonical ?? '', /revyen/);
  assert.equal(revue?.seo, [revue?.canonical, `${title} – Avisen`]);
  assert.equal(missing?.seo, ['', 'Arrangement - Avisen']);
  assert.equal(revue?.yoast, ['Title_Presenter', 'Site_Name_Presenter'], 'what the plugin does not write');
  assert.equal(revue?.rankMath, ['', [], 3]);
  assert.equal([missing?.yoast?.length, missing?.rankMath], [5, ['of the page', ['of the page'], 0]]);
  assert.equal(revue?.asPage, { pagename: 'kalender' });
  assert.equal(revue?.without, [null, null]);
  assert.match(revue?.head ?? '', `<meta property="og:title" content="${heading}">`);
  const [jsonLd = ''] = eachIn(revue?.head ?? '', /<script type="application\/ld\+json">(.*?)<\/script>/gs);
  assert.is(JSON.parse(jsonLd)['@graph'][0].name, title);
  const { html = '' } = revue ?? {};
  assert.match(html, 'Datoen i lenken er passert eller fjernet. Her er neste dato.');
  const [picture = ''] = eachIn(html, /<img (src=.*?) alt=/g);
  assert.match(picture, COPIES);
  assert.not.match(html + linked?.html, 'src="https://bilde.example/', 'a picture of the organizer');
  const inList = eachIn(linked?.html ?? '', /sizes="(\w*).*?loading="lazy"/g);
  assert.equal(
    inList,
    ['', 'auto'],
    'a picture of unknown size, and one of which the browser can know the width',
  );
  assert.match(revue?.head ?? '', /<meta property="og:image" content="\S+\/pictures\/1280\/\S+">/);
  assert.match(textIn(html), 'Songs & sketches. Arrangør: ');
  const [date = ''] = eachIn(choir?.html ?? '', /<p class="almanakk-date">(.*?)<\/p>/g);
  assert.match(textIn(date), /^Fredag 2. januar kl. 19.00–21.00 ?Salen/);
  assert.match(
    choir?.html ?? '',
    '<ul class="almanakk-dates"><li><time datetime="2026-01-02T22:00:00+01:00">',
  );
  assert.match(walk?.html ?? '', '<strong class="almanakk-state">Avlyst</strong>');
  assert.match(textIn(html), 'Flyttet fra lørdag 28. februar På nett 100–1 250 kr Billetter');
  assert.match(textIn(html), 'Tirsdag 3. mars kl. 19.00 Utsatt På nett 100–1 250 kr Onsdag');
  assert.not.match(walk?.html ?? '', 'almanakk-tickets', 'those of a cancelled date');

  assert.equal([missing?.status, missing?.canonical, missing?.head], [404, '', '']);
  assert.match(missing?.html ?? '', 'Vi fant ikke arrangementet.');
  assert.match(none?.html ?? '', 'Vi fant ikke arrangementet.');
  assert.equal(
    [stale?.status, stale?.title, stale?.requests],
    [200, title, 1],
    'an older page while the calendar is away',
  );
  assert.is(block?.html, `<div class="wp-block">${linked?.html}</div>`, 'the list of the shortcode');

  const address = 'https://avis.example/arrangement/fem-seks';
  assert.equal(
    [below?.status, below?.canonical, slash?.redirect],
    [200, address, `301 ${address}?dato=2026-01-02`],
  );
  assert.equal([older?.redirect, feed?.status], [`301 ${address}?dato=`, 200]);
  assert.match(screen?.html ?? '', '<input type="checkbox" name="almanakk[kommune][]" value="Ås" checked>');
  assert.match(screen?.html ?? '', 'Egne arrangementssider: skriv en adresse');
  assert.match(
    screen?.html ?? '',
    'Kalenderen lenker til sidene her. Nettstedskartet er https://avis.example/?almanakk_sitemap=1.',
  );
  const sitemap = 'https://avis.example/?almanakk_sitemap=1';
  assert.match(screen?.ownSitemap ?? '', '<url><loc>https://avis.example/arrangement/walk</loc></url>');
  assert.equal([screen?.robots, screen?.robotsOfHidden], [`\nSitemap: ${sitemap}\n`, '']);
  assert.is(screen?.index, `<sitemap><loc>${sitemap}</loc></sitemap>\n`);
  const [sitemapPages, [entry, ...others] = []] = screen?.sitemap ?? [];
  assert.equal([sitemapPages, others], [1, []], 'the events of the municipality of the site');
  assert.is(entry?.loc, 'https://avis.example/arrangement/walk');
  assert.equal(
    [ofSite, everywhere, byId].map((list) => titlesIn(list?.html)),
    [['Walk'], ['Marked', 'Fem', 'Walk', 'The'], ['Fem']],
  );
  assert.match(ofSite?.html ?? '', `<a href="https://avis.example/kalender">Hele kalenderen</a>`);
  assert.match(ofSite?.html ?? '', 'href="https://avis.example/arrangement/walk?dato=2026-01-03"');

  assert.equal(menusIn(block?.head), {
    kommune: ['Alle', 'Trondheim', 'Ås'],
    kategori: ['Alle', ...LICENCE.categories.map((category) => category.name_nb)],
    periode: ['Alle', 'I dag', 'I morgen', 'I helgen', 'Denne uken'],
  });
  assert.equal([unknown?.status, unknown?.requests], [503, 0]);

  const [hiding, unchanged, ofSiteNow, everywhereNow, choirNow, walkNow, ...afterHiding] = last;
  assert.match(
    hiding?.html ?? '',
    '>https://avis.example/arrangement/walk (sak 12, marked i Ås)\nchoir</textarea>',
  );
  assert.match(
    hiding?.html ?? '',
    /<p>Listen ble sist endret av Kari &lt;vakt&gt;, 2026-01-01 \d\d:\d\d\.<\/p>/,
  );
  assert.match(hiding?.html ?? '', /^checked almanakk_hidden.*nonce-almanakk_hidden/s);
  assert.is(unchanged?.html, hiding?.html, 'who changed the list last');
  const hidingRows = rowsIn(hiding?.html);
  assert.equal(
    hidingRows.map(([, hides]) => hides),
    [
      'Walk, lørdag 3. januar – mandag 5. januar.',
      'Kalenderen svarer ikke, så tittelen kan ikke vises. Linjen virker likevel.',
    ],
    'events of which the site has shown pages, while the calendar is down',
  );
  assert.match(hidingRows[0]?.[2] ?? '', /^Kari <vakt>, 2026-01-01 \d\d:\d\d$/);
  assert.equal(
    [screen, hiding].map((one) => one?.capability),
    ['manage_options', 'edit_others_pages'],
  );
  assert.not.match(screen?.html ?? '', 'almanakk-skjul', 'the list on the screen for administrators');
  assert.equal([hiding?.sitemap, hiding?.robots], [[0, []], '']);
  assert.match(ofSiteNow?.html ?? '', 'Ingen arrangementer nå.');
  assert.equal(titlesIn(everywhereNow?.html), ['Marked', 'The'], 'without the hidden events');
  for (const hidden of [choirNow, walkNow]) {
    assert.equal([hidden?.status, hidden?.title, hidden?.head], [410, 'Arrangement', '']);
    assert.match(textIn(hidden?.html ?? ''), /^Arrangementet er over eller fjernet\. ?Hele/);
  }
  assert.is(walkNow?.requests, 0);
  assert.match(afterHiding[0]?.html ?? '', '></textarea>');

  const [, uncertain, removed, kept, over, overAgain, refused, emptied, forgotten, ...onScreen] = afterHiding;
  assert.equal([uncertain?.status, uncertain?.title], [200, title], 'errors beside the data are no answer');
  assert.equal([removed?.status, removed?.title], [410, 'Arrangement']);
  assert.not.match(removed?.html ?? '', 'revue', 'the title of an event that was removed');
  assert.is(kept?.status, 200);
  for (const ended of [over, overAgain]) {
    assert.equal([ended?.status, ended?.head], [410, '']);
    assert.match(textIn(ended?.html ?? ''), /^Fem < "seks" ?Arrangementet er over\. ?Hele/);
  }
  assert.equal([refused?.redirect, refused?.html], ['403', '']);
  assert.equal(
    [emptied?.redirect, emptied?.html],
    [
      '302 https://avis.example/wp-admin/options-general.php?page=almanakk&almanakk-emptied=1',
      'checked almanakk_empty',
    ],
  );
  assert.not.match(forgotten?.html ?? '', 'seks');

  const [written, merged, remaining, failed, afterFailure] = onScreen;
  const noEvent = (name: string) =>
    `Kalenderen har ikke noe arrangement med «${name}». Sjekk at hele adressen står der, med https://.`;
  assert.equal(
    rowsIn(written?.html).map(([line, hides]) => [line, hides]),
    [
      ['choir (sak 12)', 'Fem < "seks", fredag 2. januar kl. 19.00–21.00 (flere datoer).'],
      ['https://avis.example/arrangement/revyen', `${title}, søndag 1. mars kl. 19.00 (flere datoer).`],
      ['avis/walk', noEvent('avis/walk')],
      ['https://avis.example/', 'Dette er ikke adressen til et arrangement. Linjen skjuler ingenting.'],
      ['# til mandag', ''],
    ],
  );
  // Per had the form open before Kari saved: he deletes a line that she kept and one that she had deleted, and adds one.
  assert.match(
    textIn(merged?.html ?? ''),
    /Listen ble endret av Kari <vakt>, \S+ \S+, mens du hadde den åpen\. Begge endringene er lagret\. Lagt til i mellomtiden: https:\S+revyen \| avis\/walk \| https:\S+ \| # til mandag Fjernet i mellomtiden: gammel Lagt til av deg: marked Fjernet av deg: choir \(sak 12\) \| gammel /,
  );
  assert.equal(
    rowsIn(merged?.html).map(([line, , change = '']) => [line, change.split(',')[0]]),
    [...LINES_ON_SCREEN.slice(1).map((line) => [line, 'Kari <vakt>']), ['marked', 'Per']],
  );
  assert.equal(titlesIn(remaining?.html), ['Walk'], 'the last part of an id');
  assert.match(textIn(failed?.html ?? ''), 'Listen ble ikke lagret: ');
  assert.match(failed?.html ?? '', /name="read" value="[^"]*marked"/);
  assert.match(failed?.html ?? '', '>walk</textarea>');
  assert.equal(titlesIn(afterFailure?.html), ['Walk']);
});

/** The cells of the rows of the table on the screen that hides events. */
const rowsIn = (html = '') =>
  eachIn(html, /<tr><th scope="row"><code>(.*?)<\/tr>/g).map((row) =>
    row
      .split(/<\/code><\/th><td>|<\/td><td>|<\/td>$/)
      .slice(0, 3)
      .map((cell) => plainText(cell)),
  );

const HIDDEN_LINES = 'https://avis.example/arrangement/walk (sak 12, marked i Ås)\r\nchoir';
/** With an id that has a slash, and an address of no event. */
const LINES_ON_SCREEN = [
  'choir (sak 12)',
  'https://avis.example/arrangement/revyen',
  'avis/walk',
  'https://avis.example/',
  '# til mandag',
];
/** With the calendar down. */
const HIDING = [
  { hide: HIDDEN_LINES },
  'later',
  { hide: HIDDEN_LINES },
  [],
  { kommune: 'alle' },
  { page: { slug: 'fem-seks' } },
  { page: { slug: 'walk' } },
  { hide: '' },
] as const;

const NO_EVENT = '{"data":{"eventBySlug":null}}';

/** An event whose answer has errors and that is then removed, and one that is over. */
const ENDING = [
  'later',
  { answers: { status: 404, body: NO_EVENT.replace('}}', '},"errors":[{"message":"timeout"}]}') } },
  { page: { slug: 'revyen' } },
  'later',
  { answers: { status: 410, body: NO_EVENT } },
  { page: { slug: 'revyen' } },
  'up',
  'nextDay',
  { page: { slug: 'fem-seks' } },
  'halfDay',
  { answers: { status: 410, body: NO_EVENT } },
  { page: { slug: 'fem-seks' } },
  { page: { slug: 'fem-seks' } },
  'empty',
  'administrator',
  'empty',
  { page: { slug: 'fem-seks' } },
  'up',
  { hide: LINES_ON_SCREEN.join('\n') },
  { hide: 'marked', read: 'choir (sak 12)\ngammel', by: 'Per' },
  { kommune: 'alle' },
  { hide: 'walk', fails: true },
  { kommune: 'alle' },
] as const;

/** The menus that the script of the block shows, with the labels of their options, in an editor of stand-ins. */
function menusIn(script = ''): Record<string, string[]> {
  const menus: Record<string, string[]> = {};
  const components = { SelectControl: 'menu', CheckboxControl: 'box' };
  const createElement = (type: unknown, control: Control | null) => {
    if (control === null) return;
    if (type === components.SelectControl)
      menus[control.key] = Array.from(control.options, ({ label }) => label);
    if (type === components.CheckboxControl) menus.kommune = [...(menus.kommune ?? []), control.label];
  };
  const blocks = {
    registerBlockType: (_: string, { edit }: { edit: (block: object) => unknown }) =>
      edit({ attributes: { kommune: '', kategori: '', periode: '' }, setAttributes: () => {} }),
  };
  const blockEditor = { useBlockProps: () => ({}), InspectorControls: 'panel' };
  runInNewContext(script, { wp: { blocks, blockEditor, components, element: { createElement } } });
  return menus;
}

interface Control {
  key: string;
  options: readonly { label: string }[];
  label: string;
}

withPhp.run();
