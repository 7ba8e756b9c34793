/** Event pages in WordPress, with the block, the settings, the sitemap and hidden events. */
import { runInNewContext } from 'node:vm';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { NOW } from '../helpers/calendar.ts';
import { eachIn, plainText, textIn } from '../helpers/html.ts';
import { LICENCE, sourceFolder } from '../helpers/native-source.ts';
import { startBuilt } from '../helpers/running.ts';
import { isExpected, when } from '../helpers/when.ts';
import { COPIES, SOURCE, WITH_COPIES } from './newspaper.ts';
import { FOR_WORDPRESS, type Named, type NamedStep, namedIn, titlesIn } from './wordpress.ts';

const pages = when(
  isExpected('php'),
  'php is not installed here',
  suite<{ shown: Named<typeof STEPS> }>('event pages in WordPress'),
);

const PAGES_OF_TWO = { antall: '2', sider: 'ja' };
const eventOf = (arrangement: string, dato = '') => ({ page: { arrangement, dato } });
/** Below the page for events, with permalinks. */
const below = (slug: string) => ({ page: { slug } });

const HIDDEN_LINES = 'https://avis.example/arrangement/walk (sak 12, marked i Ås)\r\nchoir';
/** With an id that has a slash, and an address of no event. */
const LINES_ON_SCREEN = [
  'choir (sak 12)',
  'https://avis.example/arrangement/revyen',
  'avis/walk',
  'https://avis.example/',
  '# til mandag',
];
const NO_EVENT = '{"data":{"eventBySlug":null}}';
const NO_EVENT_WITH_ERRORS = NO_EVENT.replace('}}', '},"errors":[{"message":"timeout"}]}');

/** One after the other in one WordPress; those that show nothing have no name. */
const STEPS = [
  ['firstPage', PAGES_OF_TWO],
  [null, { side: '2' }],
  ['secondPage', PAGES_OF_TWO],
  ['revue', eventOf('revyen', '2026-04-02')],
  ['choir', eventOf('fem-seks', '2026-01-02')],
  ['walk', eventOf('walk')],
  ['missing', eventOf('finnes-ikke')],
  ['withoutSlug', eventOf('')],
  [null, { side: '1' }],
  ['list', ['bilder']],
  ['block', { block: { kommune: '', antall: 10, bilder: true, sider: false } }],

  [null, 'permalinks'],
  ['choirBelow', { page: { slug: 'fem-seks', dato: '2026-01-02' } }],
  ['withSlash', { page: { slug: 'fem-seks/', dato: '2026-01-02' } }],
  ['olderAddress', eventOf('fem-seks')],
  ['feed', below('feed')],

  ['screen', { settings: { kommune: ['Ås'], lenke: 'nei', hjem: 'https://avis.example/kalender' } }],
  ['listOfSite', []],
  ['listOfAll', { kommune: 'alle' }],
  ['listOfId', { ids: 'choir' }],

  [null, 'down'],
  [null, 'later'],
  ['olderRevue', below('revyen')],
  ['unknown', below('ny')],
  ['hiding', { hide: HIDDEN_LINES }],
  [null, 'later'],
  ['hidingAgain', { hide: HIDDEN_LINES }],
  ['listOfSiteWithoutHidden', []],
  ['listOfAllWithoutHidden', { kommune: 'alle' }],
  ['hiddenChoir', below('fem-seks')],
  ['hiddenWalk', below('walk')],
  ['hidingNothing', { hide: '' }],

  [null, 'later'],
  [null, { answers: { status: 404, body: NO_EVENT_WITH_ERRORS } }],
  ['uncertain', below('revyen')],
  [null, 'later'],
  [null, { answers: { status: 410, body: NO_EVENT } }],
  ['removed', below('revyen')],
  [null, 'up'],
  [null, 'nextDay'],
  ['choirOnItsDay', below('fem-seks')],
  [null, 'halfDay'],
  [null, { answers: { status: 410, body: NO_EVENT } }],
  ['over', below('fem-seks')],
  ['overAgain', below('fem-seks')],
  ['crawled', { crawl: 150 }],
  ['crawledAgain', { crawl: 150 }],

  ['emptyingRefused', 'empty'],
  [null, 'administrator'],
  ['emptied', 'empty'],
  ['forgotten', below('fem-seks')],

  [null, 'up'],
  ['written', { hide: LINES_ON_SCREEN.join('\n') }],
  ['merged', { hide: 'marked', read: 'choir (sak 12)\ngammel', by: 'Per' }],
  ['listAfterMerge', { kommune: 'alle' }],
  ['failed', { hide: 'walk', fails: true }],
  ['listAfterFailure', { kommune: 'alle' }],
  ['atOnce', { hide: 'x1', locked: 5, meanwhile: 'x2' }],
  ['locked', { hide: 'x3', locked: 1000 }],
] as const satisfies readonly NamedStep[];

pages.before(async (context) => {
  const files = {
    ...SOURCE,
    'licence.json': { ...SOURCE['licence.json'], eventPages: 'https://avis.example/arrangement/{slug}' },
    'events.json': FOR_WORDPRESS,
  };
  const { url, close } = await startBuilt(sourceFolder(files), NOW, { context: { settings: WITH_COPIES } });
  context.shown = await namedIn({ calendar: url }, STEPS).finally(close);
});

const ADDRESS = 'https://avis.example/arrangement/fem-seks';
const TITLE = "The 'revue' &";

pages('should lead through the pages of a list', ({ shown: { firstPage, secondPage } }) => {
  assert.equal(titlesIn(firstPage.html), ['Marked', 'Fem']);
  assert.equal(titlesIn(secondPage.html), ['Walk', 'The']);
  assert.match(firstPage.html, '<a href="/?page_id=7&amp;side=2">Flere arrangementer</a></nav>');
  assert.match(secondPage.html, '<a href="/?page_id=7">Forrige side</a></nav>');
});

pages('should link from a list to the page for events, if there is one', ({ shown: { list } }) => {
  const link = 'href="https://avis.example/?page_id=7&amp;arrangement=fem-seks&amp;dato=2026-01-02"';
  assert.match(list.html, link);
});

pages('should show the dates of an event, and the next one if that of the link is over', ({ shown }) => {
  const { revue, choir, walk } = shown;
  assert.match(revue.html, 'Datoen i lenken er passert eller fjernet. Her er neste dato.');
  assert.match(textIn(revue.html), 'Songs & sketches. Arrangør: ');
  assert.match(textIn(revue.html), 'Flyttet fra lørdag 28. februar På nett 100–1 250 kr Billetter');
  assert.match(textIn(revue.html), 'Tirsdag 3. mars kl. 19.00 Utsatt På nett 100–1 250 kr Onsdag');
  const [date = ''] = eachIn(choir.html, /<p class="almanakk-date">(.*?)<\/p>/g);
  assert.match(textIn(date), /^Fredag 2. januar kl. 19.00–21.00 ?Salen/);
  const otherDates = '<ul class="almanakk-dates"><li><time datetime="2026-01-02T22:00:00+01:00">';
  assert.match(choir.html, otherDates);
  assert.match(walk.html, '<strong class="almanakk-state">Avlyst</strong>');
  assert.not.match(walk.html, 'almanakk-tickets', 'those of a cancelled date');
});

pages('should show copies of pictures, and none of the organizer', ({ shown: { revue, list } }) => {
  const [picture = ''] = eachIn(revue.html, /<img (src=.*?) alt=/g);
  assert.match(picture, COPIES);
  assert.not.match(revue.html + list.html, 'src="https://bilde.example/', 'a picture of the organizer');
  const sizes = eachIn(list.html, /sizes="(\w*).*?loading="lazy"/g);
  const message = 'a picture of unknown size, and one of which the browser can know the width';
  assert.equal(sizes, ['', 'auto'], message);
  assert.match(revue.head ?? '', /<meta property="og:image" content="\S+\/pictures\/1280\/\S+">/);
});

pages('should describe its pages for search engines in place of SEO plugins', ({ shown }) => {
  const { revue, missing } = shown;
  const heading = 'The &#039;revue&#039; &amp;';
  assert.equal([revue.status, revue.title, revue.heading], [200, TITLE, heading]);
  assert.match(revue.canonical ?? '', /revyen/);
  assert.equal(revue.seo, [revue.canonical, `${TITLE} – Avisen`]);
  assert.equal(missing.seo, ['', 'Arrangement - Avisen']);
  assert.equal(revue.yoast, ['Title_Presenter', 'Site_Name_Presenter'], 'what the plugin does not write');
  assert.equal(revue.rankMath, ['', [], 3]);
  assert.equal([missing.yoast?.length, missing.rankMath], [5, ['of the page', ['of the page'], 0]]);
  assert.equal(revue.asPage, { pagename: 'kalender' });
  assert.equal(revue.without, [null, null]);
  assert.match(revue.head ?? '', `<meta property="og:title" content="${heading}">`);
  const [jsonLd = ''] = eachIn(revue.head ?? '', /<script type="application\/ld\+json">(.*?)<\/script>/gs);
  assert.is(JSON.parse(jsonLd)['@graph'][0].name, TITLE);
});

pages('should answer 404 for an event that the calendar does not have', ({ shown }) => {
  const { missing, withoutSlug } = shown;
  assert.equal([missing.status, missing.canonical, missing.head], [404, '', '']);
  assert.match(missing.html, 'Vi fant ikke arrangementet.');
  assert.match(withoutSlug.html, 'Vi fant ikke arrangementet.');
});

pages('should show in the block what the shortcode shows, and offer the calendar’s values', ({ shown }) => {
  const { block, list } = shown;
  assert.is(block.html, `<div class="wp-block">${list.html}</div>`);
  assert.equal(menusIn(block.head), {
    kommune: ['Alle', 'Trondheim', 'Ås'],
    kategori: ['Alle', ...LICENCE.categories.map((category) => category.name_nb)],
    periode: ['Alle', 'I dag', 'I morgen', 'I helgen', 'Denne uken'],
  });
});

pages('should have an address below the page, and lead there from older ones', ({ shown }) => {
  const { choirBelow, withSlash, olderAddress, feed } = shown;
  assert.equal([choirBelow.status, choirBelow.canonical], [200, ADDRESS]);
  assert.is(withSlash.redirect, `301 ${ADDRESS}?dato=2026-01-02`);
  assert.is(olderAddress.redirect, `301 ${ADDRESS}?dato=`);
  assert.is(feed.status, 200, 'an address of WordPress itself');
});

pages('should show on its screen what the site has chosen, and what is wrong with it', ({ shown }) => {
  const { html } = shown.screen;
  assert.match(html, '<input type="checkbox" name="almanakk[kommune][]" value="Ås" checked>');
  assert.match(html, 'Egne arrangementssider: skriv en adresse');
  const linked =
    'Kalenderen lenker til sidene her. Nettstedskartet ligger på https://avis.example/?almanakk_sitemap=1.';
  assert.match(html, linked);
});

pages('should have a sitemap of the events of the site’s municipality', ({ shown: { screen } }) => {
  const sitemap = 'https://avis.example/?almanakk_sitemap=1';
  assert.match(screen.ownSitemap ?? '', '<url><loc>https://avis.example/arrangement/walk</loc></url>');
  assert.equal([screen.robots, screen.robotsOfHidden], [`\nSitemap: ${sitemap}\n`, '']);
  assert.is(screen.index, `<sitemap><loc>${sitemap}</loc></sitemap>\n`);
  const [count, [entry, ...others] = []] = screen.sitemap ?? [];
  assert.equal([count, entry?.loc, others], [1, 'https://avis.example/arrangement/walk', []]);
});

pages('should list the events of the site’s municipality, unless a list says otherwise', ({ shown }) => {
  const { listOfSite, listOfAll, listOfId } = shown;
  assert.equal(titlesIn(listOfSite.html), ['Walk']);
  assert.equal(titlesIn(listOfAll.html), ['Marked', 'Fem', 'Walk', 'The']);
  assert.equal(titlesIn(listOfId.html), ['Fem']);
  assert.match(listOfSite.html, `<a href="https://avis.example/kalender">Hele kalenderen</a>`);
  assert.match(listOfSite.html, 'href="https://avis.example/arrangement/walk?dato=2026-01-03"');
});

pages('should show an older page while the calendar is down, and ask it seldom', ({ shown }) => {
  const { olderRevue, unknown } = shown;
  assert.equal([olderRevue.status, olderRevue.title, olderRevue.requests], [200, TITLE, 1]);
  assert.equal([unknown.status, unknown.requests], [503, 0]);
});

pages('should say on a screen for editors which events its lines hide, and who wrote them', ({ shown }) => {
  const { screen, hiding, hidingAgain, hidingNothing } = shown;
  const textarea = '>https://avis.example/arrangement/walk (sak 12, marked i Ås)\nchoir</textarea>';
  assert.match(hiding.html, textarea);
  assert.match(hiding.html, /<p>Listen ble sist endret av Kari &lt;vakt&gt;, 2026-01-01 \d\d:\d\d\.<\/p>/);
  assert.match(hiding.html, /^checked almanakk_hidden.*nonce-almanakk_hidden/s);
  assert.is(hidingAgain.html, hiding.html, 'who changed the list last');
  const rows = rowsIn(hiding.html);
  assert.equal(
    rows.map(([, hides]) => hides),
    [
      'Walk, lørdag 3. januar – mandag 5. januar.',
      'Kalenderen svarer ikke, så tittelen kan ikke vises. Linjen virker likevel.',
    ],
    'events of which the site has shown pages, while the calendar is down',
  );
  assert.match(rows[0]?.[2] ?? '', /^Kari <vakt>, 2026-01-01 \d\d:\d\d$/);
  assert.equal([screen.capability, hiding.capability], ['manage_options', 'edit_others_pages']);
  assert.not.match(screen.html, 'almanakk-skjul', 'the list on the screen for administrators');
  assert.match(hidingNothing.html, '></textarea>');
});

pages(
  'should hide events on their pages, in lists and in the sitemap, also while the calendar is down',
  ({ shown }) => {
    const { hiding, listOfSiteWithoutHidden, listOfAllWithoutHidden, hiddenChoir, hiddenWalk } = shown;
    assert.equal([hiding.sitemap, hiding.robots], [[0, []], '']);
    assert.match(listOfSiteWithoutHidden.html, 'Ingen arrangementer nå.');
    assert.equal(titlesIn(listOfAllWithoutHidden.html), ['Marked', 'The']);
    for (const hidden of [hiddenChoir, hiddenWalk]) {
      assert.equal([hidden.status, hidden.title, hidden.head], [410, 'Arrangement', '']);
      assert.match(textIn(hidden.html), /^Arrangementet er over eller fjernet\. ?Hele/);
    }
    assert.is(hiddenWalk.requests, 0);
  },
);

pages('should answer 410 for an event that was removed, and not because of an error', ({ shown }) => {
  const { uncertain, removed } = shown;
  assert.equal([uncertain.status, uncertain.title], [200, TITLE], 'errors beside the data are no answer');
  assert.equal([removed.status, removed.title], [410, 'Arrangement']);
  assert.not.match(removed.html, 'revue', 'the title of an event that was removed');
});

pages('should answer 410 for an event that is over, with its title', ({ shown }) => {
  const { choirOnItsDay, over, overAgain } = shown;
  assert.is(choirOnItsDay.status, 200);
  for (const ended of [over, overAgain]) {
    assert.equal([ended.status, ended.head], [410, '']);
    assert.match(textIn(ended.html), /^Fem < "seks" ?Arrangementet er over\. ?Hele/);
  }
});

pages(
  'should ask again for no event that is over, and keep few names of events that are not there',
  ({ shown }) => {
    const { over, overAgain, crawled, crawledAgain } = shown;
    assert.equal([over.requests, overAgain.requests], [2, 0]);
    assert.equal([crawled.html, crawled.requests, crawled.kept], ['0', 300, 100], 'one row for all');
    assert.equal([crawledAgain.html, crawledAgain.kept], ['0', 100]);
  },
);

pages('should empty its copies for an administrator alone', ({ shown }) => {
  const { emptyingRefused, emptied, forgotten } = shown;
  assert.equal([emptyingRefused.redirect, emptyingRefused.html], ['403', '']);
  const screen = '302 https://avis.example/wp-admin/options-general.php?page=almanakk&almanakk-emptied=1';
  assert.equal([emptied.redirect, emptied.html], [screen, 'checked almanakk_empty']);
  assert.not.match(forgotten.html, 'seks');
});

const noEvent = (name: string) =>
  `Kalenderen har ikke noe arrangement med «${name}». Sjekk at hele adressen står der, med https://.`;

pages('should show beside each line the event that it hides, or that it hides none', ({ shown }) => {
  assert.equal(
    rowsIn(shown.written.html).map(([line, hides]) => [line, hides]),
    [
      ['choir (sak 12)', 'Fem < "seks", fredag 2. januar kl. 19.00–21.00 (flere datoer).'],
      ['https://avis.example/arrangement/revyen', `${TITLE}, søndag 1. mars kl. 19.00 (flere datoer).`],
      ['avis/walk', noEvent('avis/walk')],
      ['https://avis.example/', 'Dette er ikke adressen til et arrangement. Linjen skjuler ingenting.'],
      ['# til mandag', ''],
    ],
  );
});

/** Per had the form open before Kari saved: he deletes a line that she kept and one that she had deleted, and adds one. */
pages('should keep the changes of two editors who had the list open at the same time', ({ shown }) => {
  const { merged, listAfterMerge } = shown;
  assert.match(
    textIn(merged.html),
    /Listen ble endret av Kari <vakt>, \S+ \S+, mens du hadde den åpen\. Begge endringene er lagret\. Lagt til i mellomtiden: https:\S+revyen \| avis\/walk \| https:\S+ \| # til mandag Fjernet i mellomtiden: gammel Lagt til av deg: marked Fjernet av deg: choir \(sak 12\) \| gammel /,
  );
  assert.equal(
    rowsIn(merged.html).map(([line, , change = '']) => [line, change.split(',')[0]]),
    [...LINES_ON_SCREEN.slice(1).map((line) => [line, 'Kari <vakt>']), ['marked', 'Per']],
  );
  assert.equal(titlesIn(listAfterMerge.html), ['Walk'], 'the last part of an id');
});

pages('should say that a list could not be saved, and keep what the editor wrote', ({ shown }) => {
  const { failed, listAfterFailure } = shown;
  assert.match(textIn(failed.html), 'Listen ble ikke lagret: ');
  assert.match(failed.html, /name="read" value="[^"]*marked"/);
  assert.match(failed.html, '>walk</textarea>');
  assert.equal(titlesIn(listAfterFailure.html), ['Walk']);
});

pages(
  'should wait while another editor saves, and keep the lines of both',
  ({ shown: { atOnce, locked } }) => {
    const lines = rowsIn(atOnce.html).map(([line]) => line);
    assert.equal(lines.slice(-2), ['x2', 'x1']);
    assert.match(textIn(locked.html), 'Listen ble ikke lagret, fordi andre lagrer den nå.');
    assert.match(locked.html, '>x3</textarea>');
  },
);

/** The cells of the rows of the table on the screen that hides events. */
const rowsIn = (html = '') =>
  eachIn(html, /<tr><th scope="row"><code>(.*?)<\/tr>/g).map((row) =>
    row
      .split(/<\/code><\/th><td>|<\/td><td>|<\/td>$/)
      .slice(0, 3)
      .map((cell) => plainText(cell)),
  );

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

pages.run();
