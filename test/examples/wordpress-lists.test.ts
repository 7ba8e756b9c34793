/** Lists of events in WordPress: their texts, filters, links and escaping, what is wrong with a shortcode, and lists while the calendar is down. */
import { runInNewContext } from 'node:vm';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { assertAtMost } from '../helpers/assertions.ts';
import { eachIn, plainText, textIn } from '../helpers/html.ts';
import { LICENCE } from '../helpers/native-source.ts';
import type { Running } from '../helpers/running.ts';
import {
  HOME,
  itemsIn,
  startCalendar,
  startWordPress,
  titlesIn,
  type WordPress,
  withPhp,
} from './wordpress.ts';

interface Context {
  calendar: Running;
  wordPress: WordPress;
}

const lists = withPhp(suite<Context>('lists in WordPress'));

lists.before(async (context) => {
  context.calendar = await startCalendar();
  context.wordPress = await startWordPress(context.calendar.url);
});
lists.before.each(async ({ wordPress }) => {
  await wordPress.reset();
});
lists.after(async ({ calendar, wordPress }) => {
  await wordPress.close();
  await calendar.close();
});

/** By locale, the text of each event of a list. */
const TEXTS = {
  nb_NO: [
    'Marked Til og med lørdag 3. januar Med & uten.',
    'Fem < "seks" Fredag 2. januar kl. 19.00–21.00, også 22.00 Salen, Trondheim Gratis Tre kor.',
    'Walk Lørdag 3. januar – mandag 5. januar Tunet, Ås 99–1 250 kr Avlyst',
    "The 'revue' & Søndag 1. mars kl. 19.00 På nett 100–1 250 kr Flyttet fra lørdag 28. februar Songs & sketches.",
  ],
  nn_NO: [
    'Marked Til og med laurdag 3. januar Med & uten.',
    'Fem < "seks" Fredag 2. januar kl. 19.00–21.00, også 22.00 Salen, Trondheim Gratis Tre kor.',
    'Walk Laurdag 3. januar – måndag 5. januar Tunet, Ås 99–1 250 kr Avlyst',
    "The 'revue' & Søndag 1. mars kl. 19.00 På nett 100–1 250 kr Flytta frå laurdag 28. februar Songs & sketches.",
  ],
  en_GB: [
    'Marked Until Saturday 3 January Med & uten.',
    'Fem < "seks" Friday 2 January, 19:00–21:00, also 22:00 Salen, Trondheim Free Tre kor.',
    'Walk Saturday 3 January – Monday 5 January Tunet, Ås 99–1,250 kr Cancelled',
    "The 'revue' & Sunday 1 March, 19:00 Online 100–1,250 kr Moved from Saturday 28 February Songs & sketches.",
  ],
};

for (const [locale, texts] of Object.entries(TEXTS)) {
  lists(`should write a list in the language of the site: ${locale}`, async ({ wordPress }) => {
    await wordPress.setLocale(locale);
    const { html } = await wordPress.showList();
    assert.equal(itemsIn(html).map(textIn), texts);
  });
}

lists('should escape titles, and name the language of each', async ({ wordPress }) => {
  const { html } = await wordPress.showList();
  const [, choir = '', walk = '', revue = ''] = itemsIn(html);
  assert.match(choir, /^<a class="almanakk-title" href="[^"]+" lang="nn">Fem &lt; &quot;seks&quot;<\/a> /);
  assert.match(walk, /^<a class="almanakk-title" href="[^"]+" lang="en">Walk<\/a> /);
  assert.match(revue, '<p class="almanakk-summary" lang="en">Songs &amp; sketches.</p>');
});

lists('should write the time of an event for programs, too', async ({ wordPress }) => {
  const [fair = '', choir = ''] = itemsIn((await wordPress.showList()).html);
  assert.match(fair, '<time datetime="2025-12-30">');
  assert.match(choir, '<time datetime="2026-01-02T19:00:00+01:00">');
});

lists('should mark cancelled events with a class, which releases.md promises', async ({ wordPress }) => {
  const { html } = await wordPress.showList();
  assert.match(
    html,
    '<div class="almanakk" lang="nb"><ul class="almanakk-events"><li class="almanakk-event"><a',
  );
  assert.equal(eachIn(html, /<li class="almanakk-event almanakk-off">.*?>(\w+)<\/a>/g), ['Walk']);
});

lists(
  'should link to the pages that the calendar names, and to its own list',
  async ({ calendar, wordPress }) => {
    const { html } = await wordPress.showList();
    const [fair = '', choir = ''] = itemsIn(html);
    assert.match(fair, /href="http:\/\/\S+\/events\/marked\.html\?date=2025-12-30&(?:amp|#038);lang=nb"/);
    assert.match(choir, `href="${HOME}/arrangement/fem-seks"`);
    assert.match(html, `<a href="${calendar.url}/events.html?lang=nb">Hele kalenderen</a>`);
  },
);

lists('should link to the site’s own page for events, if there is one', async ({ wordPress }) => {
  await wordPress.openPage({});
  const { html } = await wordPress.showList();
  assert.match(html, `href="${HOME}/?page_id=7&amp;arrangement=fem-seks&amp;dato=2026-01-02"`);
});

lists('should show no pictures unless the shortcode asks for them', async ({ wordPress }) => {
  assert.not.match((await wordPress.showList()).html, '<img');
});

lists(
  'should show pictures with their texts and credits if the shortcode asks for them',
  async ({ wordPress }) => {
    const { html } = await wordPress.showList(['bilder']);
    const [ofChoir = '', ofRevue = ''] = eachIn(html, /<figure class="almanakk-picture">(.*?)<\/figure>/g);
    assert.match(
      ofChoir,
      /^<img src="https:\/\/bilde\.example\/1\.jpg" alt="Et &quot;kor&quot;" style="[^"]+" loading="lazy" .*referrerpolicy="no-referrer">$/,
    );
    assert.match(ofRevue, '<figcaption>Kari&#039;s &lt;foto&gt;</figcaption>');
  },
);

lists('should filter by towns and a category, and link to the same list', async ({ wordPress }) => {
  const { html } = await wordPress.showList({ kommune: 'Ås, Trondheim', kategori: 'MUSIC', antall: '-4' });
  assert.equal(titlesIn(html), ['Fem']);
  const link = `/events.html?municipalities=%C3%85s&amp;municipalities=Trondheim&amp;categories=MUSIC&amp;lang=nb">`;
  assert.match(html, link);
});

lists('should name the municipality of a place, unless the list has only one', async ({ wordPress }) => {
  const placesOf = async (values: Readonly<Record<string, string>>) =>
    eachIn((await wordPress.showList(values)).html, /<span class="almanakk-place">([^<]*)/g);
  assert.equal(await placesOf({ ids: 'choir walk' }), ['Salen, Trondheim', 'Tunet, Ås']);
  assert.equal(await placesOf({ kommune: 'Trondheim, Ås' }), ['Salen, Trondheim', 'Tunet, Ås']);
  assert.equal(await placesOf({ kommune: 'trondheim' }), ['Salen']);
  assert.equal(await placesOf({ municipality: 'Trondheim' }), ['Salen']);
});

lists('should have the heading and the links that the shortcode gives', async ({ wordPress }) => {
  const { html } = await wordPress.showList({
    municipality: 'Trondheim',
    overskrift: 'I <by>',
    lenke: '/arrangement/{slug}?dato={date}',
    hjem: 'https://avis.example/',
  });
  assert.match(
    html,
    /aria-labelledby="(almanakk-\d)"><h2 class="almanakk-heading" id="\1">I &lt;by&gt;<\/h2>/,
  );
  assert.match(html, 'href="/arrangement/fem-seks?dato=2026-01-02" lang="nn"');
  assert.match(html, '<a href="https://avis.example/">Hele kalenderen</a>');
});

lists('should lead through the pages of a list', async ({ wordPress }) => {
  const twoOnAPage = { antall: '2', sider: 'ja' };
  const first = await wordPress.showList(twoOnAPage);
  assert.equal(titlesIn(first.html), ['Marked', 'Fem']);
  assert.match(first.html, '<a href="/?page_id=7&amp;side=2">Flere arrangementer</a></nav>');
  const second = await wordPress.showList(twoOnAPage, '2');
  assert.equal(titlesIn(second.html), ['Walk', 'The']);
  assert.match(second.html, '<a href="/?page_id=7">Forrige side</a></nav>');
});

const MISTAKEN = {
  near: '63,10',
  bilder: 'kanskje',
  antal: '5',
  url: 'https://other.example',
  periode: 'uke',
  alder: '900',
};

const AWAY = '<p class="almanakk-away">Kalenderen svarer ikke nå.</p>';

lists('should say nothing of mistakes in a shortcode to visitors', async ({ wordPress }) => {
  const { html } = await wordPress.showList(MISTAKEN);
  assert.is(html, `<div class="almanakk" lang="nb">${AWAY}</div>`);
});

const problemsIn = (html: string) =>
  eachIn(html, /<p class="almanakk-problem" lang="nb">Bare redaktører ser dette: (.*?)<\/p>/g).map((text) =>
    plainText(text),
  );

lists('should tell editors each mistake in a shortcode, and what is expected', async ({ wordPress }) => {
  await wordPress.logIn('editor');
  const { html } = await wordPress.showList(MISTAKEN);
  assert.equal(problemsIn(html), [
    'near: skriv breddegrad, lengdegrad og antall kilometer, for eksempel 63.43,10.39,5. Nå står det «63,10».',
    'bilder: skriv ja eller nei. Nå står det «kanskje».',
    'Ordet «antal» kan ikke brukes i kortkoden. Mente du «antall»?',
    'Ordet «url» kan ikke brukes i kortkoden.',
    'periode: skriv TODAY (i dag), TOMORROW (i morgen), WEEKEND (i helgen) eller WEEK (denne uken). Nå står det «uke».',
    'Kalenderen forstår ikke en av verdiene i kortkoden. Den svarer på engelsk: age: expected a whole number of 0 to 130, found 900',
  ]);
});

lists(
  'should tell editors of values that the calendar does not know, and of links that are none',
  async ({ wordPress }) => {
    await wordPress.logIn('editor');
    const { html } = await wordPress.showList({
      lenke: 'javascript:{id}',
      kommune: 'Trondhjem,Trondheim,Ås',
    });
    const [town = '', link = ''] = problemsIn(html);
    assert.match(town, /^kommune: kalenderen kjenner ikke «Trondhjem»\. .*"Trondheim"/);
    assert.match(link, /^lenke: skriv en adresse .* «javascript:\{id\}»\.$/);
    assert.equal(titlesIn(html), ['Fem', 'Walk'], 'the list, with the calendar’s links');
  },
);

lists('should show in the block what the shortcode shows', async ({ wordPress }) => {
  const list = await wordPress.showList(['bilder']);
  const block = await wordPress.showBlock({ kommune: '', antall: 10, bilder: true, sider: false });
  assert.is(block.html, `<div class="wp-block">${list.html}</div>`);
});

lists('should offer the calendar’s values in the menus of the block', async ({ wordPress }) => {
  const { script } = await wordPress.showBlock({});
  const { menus, boxes } = openEditor(script);
  assert.equal(menus, {
    kategori: ['Alle', ...LICENCE.categories.map((category) => category.name_nb)],
    periode: ['Alle', 'I dag', 'I morgen', 'I helgen', 'Denne uken'],
  });
  assert.equal([...boxes.keys()], ['Alle', 'Trondheim', 'Ås']);
});

/** What editors choose in the block, and the municipalities before it and after it. */
const CHOICES = [
  { before: '', box: 'Ås', isChosen: true, after: 'Ås' },
  { before: 'Ås', box: 'Trondheim', isChosen: true, after: 'Ås, Trondheim' },
  { before: 'Ås, Trondheim', box: 'Ås', isChosen: false, after: 'Trondheim' },
  { before: 'Ås, Trondheim', box: 'Alle', isChosen: true, after: 'alle' },
  { before: 'alle', box: 'Ås', isChosen: true, after: 'Ås' },
  { before: 'alle', box: 'Alle', isChosen: false, after: '' },
] as const;

lists(
  'should let an editor choose several municipalities in the block, or the whole calendar',
  async ({ wordPress }) => {
    const { script } = await wordPress.showBlock({});
    for (const { before, box, isChosen, after } of CHOICES) {
      const { boxes, changes } = openEditor(script, before);
      boxes.get(box)?.(isChosen);
      assert.equal(changes, [{ kommune: after }], `${box} after "${before}"`);
    }
  },
);

interface Control {
  readonly key: string;
  readonly label: string;
  readonly options: readonly { readonly label: string }[];
  readonly onChange: (value: boolean) => void;
}

/**
 * The script of the block in an editor of stand-ins, for a block with these municipalities: the labels of the options in each menu, what a click
 * on each box does, and the changes of the block.
 */
function openEditor(script: string, kommune = '') {
  const menus: Record<string, string[]> = {};
  const boxes = new Map<string, Control['onChange']>();
  const changes: object[] = [];
  const components = { SelectControl: 'menu', CheckboxControl: 'box' };
  const createElement = (type: unknown, control: Control | null) => {
    if (control === null) return;
    if (type === components.SelectControl)
      menus[control.key] = Array.from(control.options, ({ label }) => label);
    if (type === components.CheckboxControl) boxes.set(control.label, control.onChange);
  };
  const block = {
    attributes: { kommune, kategori: '', periode: '' },
    setAttributes: (changed: object) => changes.push({ ...changed }),
  };
  const blocks = {
    registerBlockType: (_: string, { edit }: { edit: (shown: object) => unknown }) => edit(block),
  };
  const blockEditor = { useBlockProps: () => ({}), InspectorControls: 'panel' };
  runInNewContext(script, { wp: { blocks, blockEditor, components, element: { createElement } } });
  return { menus, boxes, changes };
}

/** Seconds. */
const SIX_MINUTES = 360;
const DAY = 86_400;

const WALK = { ids: 'walk' };

lists('should say that a list is empty', async ({ wordPress }) => {
  const { html } = await wordPress.showList({ stikkord: 'ingen' });
  assert.match(html, '<p class="almanakk-none">Ingen arrangementer nå.</p>');
});

lists('should ask the calendar once for a list', async ({ wordPress }) => {
  const first = await wordPress.showList(WALK);
  const again = await wordPress.showList(WALK);
  assert.equal([first.requests, again.requests], [1, 0]);
  assert.is(again.html, first.html);
});

lists('should show an older list while the calendar is down, and ask it seldom', async ({ wordPress }) => {
  const { html } = await wordPress.showList(WALK);
  await wordPress.stopCalendar();
  await wordPress.wait(SIX_MINUTES);
  const older = await wordPress.showList(WALK);
  assert.equal([older.html, older.requests], [html, 1]);
  const unknown = await wordPress.showList({ kategori: 'MUSIC' });
  assert.match(unknown.html, AWAY, 'a list that was never answered');
  assert.is(unknown.requests, 0, 'requests so soon after a failure');
  await wordPress.wait(SIX_MINUTES);
  const stillOlder = await wordPress.showList(WALK);
  assert.equal([stillOlder.html, stillOlder.requests], [html, 1]);
});

lists('should not let the sites of a group ask together after a failure', async ({ wordPress }) => {
  const pauses = await wordPress.pausesOf(40);
  assert.ok(Math.min(...pauses) >= 20 && Math.max(...pauses) <= 40, `${pauses}`);
  const inOneSecond = pauses.map((pause) => pauses.filter((other) => other === pause).length);
  assertAtMost(Math.max(...inOneSecond), 10, `sites that ask in the same second, of ${pauses}`);
});

lists('should show no list that is a day old', async ({ wordPress }) => {
  await wordPress.showList(WALK);
  await wordPress.stopCalendar();
  await wordPress.wait(DAY);
  assert.match((await wordPress.showList(WALK)).html, AWAY);
});

lists('should show an older list for as long as ALMANAKK_KEPT says', async ({ calendar }) => {
  const wordPress = await startWordPress(calendar.url, { KEPT: '300' });
  try {
    const { html } = await wordPress.showList(WALK);
    await wordPress.stopCalendar();
    await wordPress.wait(240);
    assert.is((await wordPress.showList(WALK)).html, html);
    await wordPress.wait(60);
    assert.match((await wordPress.showList(WALK)).html, AWAY);
  } finally {
    await wordPress.close();
  }
});

lists.run();
