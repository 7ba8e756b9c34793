/** Lists of events in WordPress: their texts, filters and escaping, and their copies while the calendar is down. */
import { readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { packagePath } from '../../src/package.ts';
import { NOW } from '../helpers/calendar.ts';
import { eachIn, plainText, textIn } from '../helpers/html.ts';
import { sourceFolder } from '../helpers/native-source.ts';
import { startBuilt } from '../helpers/running.ts';
import { isInstalled, when } from '../helpers/when.ts';
import { HIDDEN_MARK, SOURCE } from './newspaper.ts';
import { FOR_WORDPRESS, inWordPress, itemsIn, titlesIn } from './wordpress.ts';

const withPhp = when(isInstalled('php'), 'php is not installed here', suite('lists in WordPress'));

const EXPECTED = {
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

withPhp('almanakk-events.php should list events in WordPress, in three languages and escaped', async () => {
  const files = {
    ...SOURCE,
    // The pages of Trondheim are the calendar's own.
    'licence.json': {
      ...SOURCE['licence.json'],
      siteUrl: undefined,
      eventPages: { Ås: 'https://blad.example/{slug}' },
    },
    'events.json': FOR_WORDPRESS,
  };
  const { url, send, close } = await startBuilt(sourceFolder(files), NOW);
  const embed = (await send('/embed.js')).text;
  const steps = [
    [],
    ['bilder'],
    { kommune: 'Ås, Trondheim', kategori: 'MUSIC', antall: '-4' },
    {
      municipality: 'Trondheim',
      lenke: '/arrangement/{slug}?dato={date}',
      hjem: 'https://avis.example/',
      overskrift: 'I <by>',
    },
    {
      near: '63,10',
      bilder: 'kanskje',
      antal: '5',
      url: 'https://other.example',
      periode: 'uke',
      alder: '900',
    },
    'editor',
    {
      near: '63,10',
      bilder: 'kanskje',
      antal: '5',
      url: 'https://other.example',
      periode: 'uke',
      alder: '900',
    },
    { lenke: 'javascript:{id}', kommune: 'Trondhjem,Trondheim,Ås' },
  ] as const;
  const run = (locale: string) => inWordPress({ calendar: url, locale }, steps);
  const [shown = [], nynorsk = [], english = []] = await Promise.all(Object.keys(EXPECTED).map(run)).finally(
    close,
  );
  const lists = [shown, nynorsk, english].map(([first]) => itemsIn(first?.html).map(textIn));
  assert.equal(lists, Object.values(EXPECTED));

  const sourceOf = (name: string) =>
    readFileSync(packagePath(`docs/examples/almanakk-events/${name}.php`), 'utf8');
  const { version } = JSON.parse(readFileSync(packagePath('package.json'), 'utf8'));
  assert.match(sourceOf('almanakk-events'), `\n * Version: ${version}\n`);
  const [embedded, written] = fieldsOf(embed, sourceOf('shortcode'));
  assert.equal(written, embedded, 'the attributes of the embed');

  const [first, pictures, ofTowns, ofTown, wrong, forEditors, badLink] = shown.map(({ html }) => html);
  const [fair = '', choir = '', walk = '', revue = ''] = itemsIn(first);
  assert.match(
    choir,
    /^<a class="almanakk-title" href="http[^"]+[?;]lang=nb" lang="nn">Fem &lt; &quot;seks&quot;<\/a> /,
  );
  assert.match(choir, '<time datetime="2026-01-02T19:00:00+01:00">');
  assert.match(fair, '<time datetime="2025-12-30">');
  assert.match(walk, /href="https:\/\/blad\.example\/[^"?]+" lang="en">/);
  assert.match(revue, '<p class="almanakk-summary" lang="en">Songs &amp; sketches.</p>');
  assert.match(
    first ?? '',
    '<div class="almanakk" lang="nb"><ul class="almanakk-events"><li class="almanakk-event">',
  );
  assert.equal(eachIn(first ?? '', /<li class="almanakk-event almanakk-off">.*?>(\w+)<\/a>/g), ['Walk']);
  assert.match(first ?? '', `<a href="${url}/events.html?lang=nb">Hele kalenderen</a>`);
  assert.not.match(first ?? '', '<img');

  const [ofChoir = '', ofRevue = ''] = eachIn(
    pictures ?? '',
    /<figure class="almanakk-picture">(.*?)<\/figure>/g,
  );
  assert.match(
    ofChoir,
    /^<img src="https:\/\/bilde\.example\/1\.jpg" alt="Et &quot;kor&quot;" style="[^"]+" loading="lazy" .*referrerpolicy="no-referrer">$/,
  );
  assert.match(ofRevue, '<figcaption>Kari&#039;s');

  assert.equal(titlesIn(ofTowns), ['Fem'], 'of towns and a category');
  const link = `/events.html?municipalities=%C3%85s&amp;municipalities=Trondheim&amp;categories=MUSIC&amp;lang=nb">`;
  assert.match(ofTowns ?? '', link, 'the same filter');
  assert.match(
    ofTown ?? '',
    /aria-labelledby="(almanakk-\d)"><h2 class="almanakk-heading" id="\1">I &lt;by&gt;<\/h2>/,
  );
  assert.match(ofTown ?? '', 'href="/arrangement/fem-seks?dato=2026-01-02" lang="nn"');
  assert.match(ofTown ?? '', '<span class="almanakk-place">Salen</span>');
  assert.match(ofTown ?? '', '<a href="https://avis.example/">Hele kalenderen</a>');

  assert.is(
    wrong,
    '<div class="almanakk" lang="nb"><p class="almanakk-away">Kalenderen svarer ikke nå.</p></div>',
  );
  assert.equal(
    eachIn(
      forEditors ?? '',
      /<p class="almanakk-problem" lang="nb">Bare redaktører ser dette: (.*?)<\/p>/g,
    ).map((text) => plainText(text)),
    [
      'near: skriv breddegrad, lengdegrad og antall kilometer, for eksempel 63.43,10.39,5. Nå står det «63,10».',
      'bilder: skriv ja eller nei. Nå står det «kanskje».',
      'Ordet «antal» kan ikke brukes i kortkoden. Mente du «antall»?',
      'Ordet «url» kan ikke brukes i kortkoden.',
      'periode: skriv TODAY (i dag), TOMORROW (i morgen), WEEKEND (i helgen) eller WEEK (denne uken). Nå står det «uke».',
      'Kalenderen forstår ikke en av verdiene i kortkoden. Den svarer på engelsk: age: expected a whole number of 0 to 130, found 900',
    ],
  );
  assert.match(
    textIn(badLink ?? ''),
    /kommune: kalenderen kjenner ikke «Trondhjem»\. .*"Trondheim".* lenke: skriv en adresse .* «javascript:\{id\}»\./,
  );
  assert.equal(titlesIn(badLink), ['Fem', 'Walk']);
});

/** The fields of the filter with their kinds, as the embed has them and as the plugin has them. */
function fieldsOf(embed: string, plugin: string) {
  // `sortBy` has no effect.
  const { sortBy: _, ...fields } = JSON.parse(/const FIELDS = (\{.*?\});/.exec(embed)?.[1] ?? '{}');
  const [table = ''] = eachIn(plugin, /const FIELDS = \[\n(.*?),\n\];/gs);
  return [fields, JSON.parse(`{${table.replaceAll("'", '"').replaceAll(' =>', ':')}}`)];
}

const BOTH = { ids: 'choir walk' };

/** The list of a group: it hides an event; then the calendar is down, and the list does not respond, is another page, too long and empty. */
const OF_GROUP = [
  'up',
  'later',
  BOTH,
  { list: `\uFEFF${HIDDEN_MARK}\r\nhttps://blad.example/arrangement/walk/ (Ås)\r\n` },
  'later',
  BOTH,
  'down',
  { list: null },
  'later',
  BOTH,
  { list: '<p>choir' },
  'later',
  BOTH,
  { list: `${HIDDEN_MARK}\nchoir\n${' '.repeat(70_000)}` },
  'later',
  BOTH,
  { list: '' },
  'later',
  BOTH,
  { hide: '' },
  { list: HIDDEN_MARK },
  'later',
  BOTH,
  { hide: '' },
] as const;

withPhp('almanakk-events.php should ask once a minute at most, and show older lists for a day', async () => {
  const events = { ...SOURCE, 'events.json': FOR_WORDPRESS };
  const { url, close } = await startBuilt(sourceFolder(events), NOW);
  const [walk, music, none] = [{ ids: 'walk' }, { kategori: 'MUSIC' }, { stikkord: 'ingen' }];
  const steps = [
    walk,
    walk,
    none,
    'down',
    'later',
    walk,
    music,
    'later',
    walk,
    'nextDay',
    walk,
    ...OF_GROUP,
  ] as const;
  const hiddenUrl = 'https://konsern.example/skjul.txt';
  const shown = await inWordPress({ calendar: url, hiddenUrl }, steps);
  const [ofAll, ...briefly] = await inWordPress({ calendar: url, kept: 300, hidden: 'x, marked' }, [
    { ids: 'fair walk' },
    walk,
    'down',
    walk,
    'later',
    walk,
  ]).finally(close);
  const [first, again, ofNone, down, unknown, stillDown, nextDay, ...ofGroup] = shown;
  assert.equal(titlesIn(first?.html), ['Walk']);
  assert.equal([first?.requests, again?.requests], [1, 0]);
  assert.match(ofNone?.html ?? '', '<p class="almanakk-none">Ingen arrangementer nå.</p>');
  assert.equal([down?.html, down?.requests], [first?.html, 1], 'an older list while the calendar is away');
  const away = '<p class="almanakk-away">Kalenderen svarer ikke nå.</p>';
  assert.match(unknown?.html ?? '', away, 'a list that was never answered');
  assert.is(unknown?.requests, 0, 'requests so soon after a failure');
  assert.equal([stillDown?.html, stillDown?.requests], [first?.html, 1]);
  assert.match(nextDay?.html ?? '', away, 'a list that is a day old');
  assert.equal(
    ofGroup.map(({ html }) => titlesIn(html)),
    [['Fem', 'Walk'], ['Fem'], ['Fem'], ['Fem'], ['Fem'], ['Fem'], [], ['Fem', 'Walk'], []],
  );
  const [unreadable = '', readable = ''] = [ofGroup[6], ofGroup[8]].map((one) => textIn(one?.html ?? ''));
  assert.match(
    unreadable,
    /skjul\.txt, har ikke kunnet leses siden 2026-01-02 \d\d:\d\d\. Kopien fra .* first line # almanakk hidden events, found none/,
  );
  assert.match(
    unreadable,
    'https://blad.example/arrangement/walk/ (Ås) Kalenderen svarer ikke, så tittelen kan ikke vises. Linjen virker likevel. Gjelder alle nettsteder',
  );
  assert.match(readable, /skjul\.txt, er uendret siden 2026-01-02 \d\d:\d\d\. Skjul/);
  assert.equal(titlesIn(ofAll?.html), ['Walk'], 'events that all sites hide');
  assert.equal(
    briefly.slice(0, 2).map(({ html }) => html),
    [first?.html, first?.html],
  );
  assert.match(briefly[2]?.html ?? '', away, 'a list that is older than ALMANAKK_KEPT');
});

withPhp.run();
