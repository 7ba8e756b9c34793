/** Lists of events in WordPress: their texts, filters and escaping, and their copies while the calendar is down. */
import { readdirSync, readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { packagePath } from '../../src/package.ts';
import { NOW } from '../helpers/calendar.ts';
import { eachIn, plainText, textIn } from '../helpers/html.ts';
import { sourceFolder } from '../helpers/native-source.ts';
import { runCommand } from '../helpers/program.ts';
import { startBuilt } from '../helpers/running.ts';
import { isExpected, when } from '../helpers/when.ts';
import { readPage, tableIn } from '../readme/document.ts';
import { HIDDEN_MARK, SOURCE } from './newspaper.ts';
import {
  FOR_WORDPRESS,
  itemsIn,
  type Named,
  type NamedStep,
  namedIn,
  type Shown,
  titlesIn,
} from './wordpress.ts';

const NO_PHP = 'php is not installed here';

/** By locale, the text of each event of a list. */
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

type Locale = keyof typeof EXPECTED;

const MISTAKEN = {
  near: '63,10',
  bilder: 'kanskje',
  antal: '5',
  url: 'https://other.example',
  periode: 'uke',
  alder: '900',
};

const LISTS = [
  ['all', []],
  ['withPictures', ['bilder']],
  ['ofTowns', { kommune: 'Ås, Trondheim', kategori: 'MUSIC', antall: '-4' }],
  [
    'ofTown',
    {
      municipality: 'Trondheim',
      lenke: '/arrangement/{slug}?dato={date}',
      hjem: 'https://avis.example/',
      overskrift: 'I <by>',
    },
  ],
  ['mistaken', MISTAKEN],
  [null, 'editor'],
  ['mistakenForEditors', MISTAKEN],
  ['badLink', { lenke: 'javascript:{id}', kommune: 'Trondhjem,Trondheim,Ås' }],
] as const satisfies readonly NamedStep[];

type Lists = Named<typeof LISTS>;

interface Context {
  /** The address of the calendar, which has stopped. */
  url: string;
  embed: string;
  /** The lists in each language. */
  by: Readonly<Record<Locale, Lists>>;
  /** Those in Bokmål. */
  shown: Lists;
}

const lists = when(isExpected('php'), NO_PHP, suite<Context>('lists in WordPress'));

lists.before(async (context) => {
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
  const run = (locale: Locale) => namedIn({ calendar: url, locale }, LISTS);
  const [nb, nn, en] = await Promise.all([run('nb_NO'), run('nn_NO'), run('en_GB')]).finally(close);
  Object.assign(context, { url, embed, by: { nb_NO: nb, nn_NO: nn, en_GB: en }, shown: nb });
});

for (const locale of ['nb_NO', 'nn_NO', 'en_GB'] as const) {
  lists(`should write a list in the language of the site: ${locale}`, ({ by }) => {
    assert.equal(itemsIn(by[locale].all.html).map(textIn), EXPECTED[locale]);
  });
}

const sourceOf = (name: string) =>
  readFileSync(packagePath(`docs/examples/almanakk-events/${name}.php`), 'utf8');

lists('should have the version of this package, and the fields of the embed', ({ embed }) => {
  const { version } = JSON.parse(readFileSync(packagePath('package.json'), 'utf8'));
  assert.match(sourceOf('almanakk-events'), `\n * Version: ${version}\n`);
  const [embedded, written] = fieldsOf(embed, sourceOf('shortcode'));
  assert.equal(written, embedded);
});

/** The names that releases.md promises, by the first cell of their row. */
function promisedNames(): Readonly<Record<string, readonly string[]>> {
  const rows = tableIn(readPage('docs/releases.md'), 'Names of the WordPress plugin')
    .trim()
    .split('\n')
    .slice(2);
  return Object.fromEntries(
    rows.map((row) => {
      const [, kind = '', names = ''] = row.split('|').map((cell) => cell.trim());
      return [kind, [...eachIn(names, /`([^`]+)`/g)].sort()];
    }),
  );
}

lists('should have the names that releases.md promises for a major version, and no others', () => {
  const names = readdirSync(packagePath('docs/examples/almanakk-events'), {
    encoding: 'utf8',
    recursive: true,
  });
  const files = names.filter((name) => name.endsWith('.php'));
  const code = files.map((name) => sourceOf(name.replace('.php', ''))).join('');
  const found = (pattern: RegExp) => [...new Set(eachIn(code, pattern))].sort();
  const keysOf = (table: string) => {
    const [rows = ''] = eachIn(code, new RegExp(`const ${table} = \\[\\n(.*?)\\n\\];`, 'gs'));
    return eachIn(rows, /^ {4}'(\w+)' =>/gm);
  };
  const constantNamed = (name: string) =>
    eachIn(code, new RegExp(`const ${name} = '(\\w+)';`, 'g'))[0] ?? name;
  const options = found(/(?:get|update)_option\(([A-Z_]+)[,)]/g).map(constantNamed);
  assert.equal([...eachIn(sourceOf('uninstall'), /'(almanakk\w*)'/g)].sort(), [
    ...options.sort(),
    constantNamed('READ_EVENT'),
  ]);
  assert.equal(promisedNames(), {
    shortcodes: found(/add_shortcode\('(\w+)'/g),
    'words of the shortcode': [...keysOf('FIELDS'), ...keysOf('OTHERS')].sort(),
    'Norwegian words of the shortcode': [...keysOf('NORWEGIAN')].sort(),
    block: found(/register_block_type\('([^']+)'/g),
    'attributes of the block': [...keysOf('BLOCK_ATTRIBUTES')].sort(),
    constants: found(/['\\](ALMANAKK_\w+)/g),
    options,
    'action and filter': found(/(?:do_action|apply_filters)\('(\w+)'/g),
    'event of WP-Cron': [constantNamed('READ_EVENT')],
    'parameters of addresses': [...found(/given\('(\w+)'/g), constantNamed('SERVED')].sort(),
  });
});

/** The fields of the filter with their kinds, as the embed has them and as the plugin has them. */
function fieldsOf(embed: string, plugin: string) {
  // `sortBy` has no effect.
  const { sortBy: _, ...fields } = JSON.parse(/const FIELDS = (\{.*?\});/.exec(embed)?.[1] ?? '{}');
  const [table = ''] = eachIn(plugin, /const FIELDS = \[\n(.*?),\n\];/gs);
  return [fields, JSON.parse(`{${table.replaceAll("'", '"').replaceAll(' =>', ':')}}`)];
}

lists('should escape titles, name their language, and link to the pages of events', ({ url, shown }) => {
  const { html } = shown.all;
  const [fair = '', choir = '', walk = '', revue = ''] = itemsIn(html);
  assert.match(
    choir,
    /^<a class="almanakk-title" href="http[^"]+[?;]lang=nb" lang="nn">Fem &lt; &quot;seks&quot;<\/a> /,
  );
  assert.match(choir, '<time datetime="2026-01-02T19:00:00+01:00">');
  assert.match(fair, '<time datetime="2025-12-30">');
  assert.match(walk, /href="https:\/\/blad\.example\/[^"?]+" lang="en">/);
  assert.match(revue, '<p class="almanakk-summary" lang="en">Songs &amp; sketches.</p>');
  const opening = '<div class="almanakk" lang="nb"><ul class="almanakk-events"><li class="almanakk-event">';
  assert.match(html, opening);
  assert.equal(eachIn(html, /<li class="almanakk-event almanakk-off">.*?>(\w+)<\/a>/g), ['Walk']);
  assert.match(html, `<a href="${url}/events.html?lang=nb">Hele kalenderen</a>`);
});

lists('should show pictures only if the shortcode asks for them', ({ shown: { all, withPictures } }) => {
  assert.not.match(all.html, '<img');
  const pictures = eachIn(withPictures.html, /<figure class="almanakk-picture">(.*?)<\/figure>/g);
  const [ofChoir = '', ofRevue = ''] = pictures;
  assert.match(
    ofChoir,
    /^<img src="https:\/\/bilde\.example\/1\.jpg" alt="Et &quot;kor&quot;" style="[^"]+" loading="lazy" .*referrerpolicy="no-referrer">$/,
  );
  assert.match(ofRevue, '<figcaption>Kari&#039;s');
});

lists('should filter by towns and a category, and link to the same list', ({ shown: { ofTowns } }) => {
  assert.equal(titlesIn(ofTowns.html), ['Fem']);
  const link = `/events.html?municipalities=%C3%85s&amp;municipalities=Trondheim&amp;categories=MUSIC&amp;lang=nb">`;
  assert.match(ofTowns.html, link);
});

lists('should have the heading and the links that the shortcode gives', ({ shown: { ofTown } }) => {
  const { html } = ofTown;
  assert.match(
    html,
    /aria-labelledby="(almanakk-\d)"><h2 class="almanakk-heading" id="\1">I &lt;by&gt;<\/h2>/,
  );
  assert.match(html, 'href="/arrangement/fem-seks?dato=2026-01-02" lang="nn"');
  assert.match(html, '<span class="almanakk-place">Salen</span>');
  assert.match(html, '<a href="https://avis.example/">Hele kalenderen</a>');
});

lists('should say nothing of mistakes in a shortcode to visitors', ({ shown: { mistaken } }) => {
  const away =
    '<div class="almanakk" lang="nb"><p class="almanakk-away">Kalenderen svarer ikke nå.</p></div>';
  assert.is(mistaken.html, away);
});

lists('should tell editors each mistake in a shortcode, and what is expected', ({ shown }) => {
  const { mistakenForEditors, badLink } = shown;
  const problem = /<p class="almanakk-problem" lang="nb">Bare redaktører ser dette: (.*?)<\/p>/g;
  assert.equal(
    eachIn(mistakenForEditors.html, problem).map((text) => plainText(text)),
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
    textIn(badLink.html),
    /kommune: kalenderen kjenner ikke «Trondhjem»\. .*"Trondheim".* lenke: skriv en adresse .* «javascript:\{id\}»\./,
  );
  assert.equal(titlesIn(badLink.html), ['Fem', 'Walk']);
});

lists.run();

const WALK = { ids: 'walk' };
const BOTH = { ids: 'choir walk' };

/** The calendar, and then a group's list of hidden events, answer and do not. */
const OUTAGES = [
  ['first', WALK],
  ['again', WALK],
  ['ofNone', { stikkord: 'ingen' }],
  [null, 'down'],
  [null, 'later'],
  ['older', WALK],
  ['unknown', { kategori: 'MUSIC' }],
  [null, 'later'],
  ['stillOlder', WALK],
  [null, 'nextDay'],
  ['tooOld', WALK],

  [null, 'up'],
  [null, 'later'],
  ['unhidden', BOTH],
  [null, { list: `\uFEFF${HIDDEN_MARK}\r\nhttps://blad.example/arrangement/walk/ (Ås)\r\n` }],
  [null, 'later'],
  ['hidden', BOTH],
  [null, 'down'],
  [null, { list: null }],
  [null, 'later'],
  ['silent', BOTH],
  [null, { list: '<p>choir' }],
  [null, 'later'],
  ['anotherPage', BOTH],
  [null, { list: `${HIDDEN_MARK}\nchoir\n${' '.repeat(70_000)}` }],
  [null, 'later'],
  ['tooLong', BOTH],
  [null, { list: '' }],
  [null, 'later'],
  ['empty', BOTH],
  ['screenOfUnreadable', { hide: '' }],
  ['stateOfUnreadable', 'copied'],
  [null, { list: HIDDEN_MARK }],
  [null, 'later'],
  ['hidesNothing', BOTH],
  ['screenOfReadable', { hide: '' }],
  ['stateOfReadable', 'copied'],
  ['scheduled', 'cron'],
  [null, { list: `${HIDDEN_MARK}\nhttps://avis.example/arrangement/walk (sak 9)\nchoir` }],
  ['noticed', 'cron'],
  ['noticedOnce', 'cron'],
  ['ownLine', { hide: 'fair (Kari)\nchoir' }],
  ['notServed', 'served'],
  ['deleted', { uninstall: 2 }],
] as const satisfies readonly NamedStep[];

/** With `kept: 300`, ALMANAKK_KEPT, and an event that ALMANAKK_HIDDEN names. */
const KEPT_BRIEFLY = [
  ['ofAll', { ids: 'fair walk' }],
  ['first', WALK],
  [null, 'down'],
  ['older', WALK],
  [null, 'later'],
  ['tooOld', WALK],
  ['stateWithoutList', 'copied'],
  ['firstSave', { hide: 'y1', meanwhile: 'y2' }],
] as const satisfies readonly NamedStep[];

const OWN_LINES =
  'https://a.example/arrangement/walk (Kari Vakt, sak 12)\nchoir\nKari ringer politiet\n# til mandag';

const SERVED = `${HIDDEN_MARK}\nhttps://a.example/arrangement/walk\nchoir\n`;
/** With it and the end of its line, the list has one byte more than other sites read. */
const LONG_WORD = 'x'.repeat(65_536 - SERVED.length);

/** Of a site that serves its list to others, and whose pages of events have no pictures. */
const SERVING = [
  ['failed', { hide: 'fair', throws: true }],
  ['failing', { minutes: 190, throws: true }],
  ['savedAgain', { hide: 'fair', throws: true }],
  ['screen', { hide: OWN_LINES, throws: true }],
  ['pending', { minutes: 1 }],
  ['announced', 'cron'],
  ['tooLong', { hide: `${OWN_LINES}\n${LONG_WORD}` }],
  ['list', 'served'],
  ['stateOfOwn', 'copied'],
  ['eventPage', { page: { arrangement: 'revyen' } }],
  ['deleted', { uninstall: 1 }],
] as const satisfies readonly NamedStep[];

interface Copies {
  shown: Named<typeof OUTAGES>;
  briefly: Named<typeof KEPT_BRIEFLY>;
  serving: Named<typeof SERVING>;
  /** A list of another site, which reads that list. */
  reading: { readonly both: Shown };
}

const copies = when(isExpected('php'), NO_PHP, suite<Copies>('copies of lists in WordPress'));

copies.before(async (context) => {
  const events = { ...SOURCE, 'events.json': FOR_WORDPRESS };
  const { url, close } = await startBuilt(sourceFolder(events), NOW);
  const hiddenUrl = 'https://konsern.example/skjul.txt';
  try {
    context.shown = await namedIn({ calendar: url, hiddenUrl }, OUTAGES);
    context.briefly = await namedIn({ calendar: url, kept: 300, hidden: 'x, marked' }, KEPT_BRIEFLY);
    context.serving = await namedIn({ calendar: url, servesHidden: true, eventPictures: false }, SERVING);
    const list = context.serving.list.html;
    context.reading = await namedIn({ calendar: url, hiddenUrl }, [
      [null, { list }],
      ['both', { ids: 'choir walk fair' }],
    ]);
  } finally {
    await close();
  }
});

copies('should keep the lines of two editors who save the first list at the same time', ({ briefly }) => {
  assert.equal(eachIn(briefly.firstSave.html, /<code>(y\d)<\/code>/g), ['y2', 'y1']);
});

const AWAY = '<p class="almanakk-away">Kalenderen svarer ikke nå.</p>';

copies('should ask the calendar once for a list, and say if it is empty', ({ shown }) => {
  const { first, again, ofNone } = shown;
  assert.equal(titlesIn(first.html), ['Walk']);
  assert.equal([first.requests, again.requests], [1, 0]);
  assert.match(ofNone.html, '<p class="almanakk-none">Ingen arrangementer nå.</p>');
});

copies('should show an older list for a day while the calendar is down, and ask it seldom', ({ shown }) => {
  const { first, older, unknown, stillOlder, tooOld } = shown;
  assert.equal([older.html, older.requests], [first.html, 1]);
  assert.match(unknown.html, AWAY, 'a list that was never answered');
  assert.is(unknown.requests, 0, 'requests so soon after a failure');
  assert.equal([stillOlder.html, stillOlder.requests], [first.html, 1]);
  assert.match(tooOld.html, AWAY, 'a list that is a day old');
});

copies('should show an older list for as long as ALMANAKK_KEPT says', ({ shown, briefly }) => {
  assert.equal([briefly.first.html, briefly.older.html], [shown.first.html, shown.first.html]);
  assert.match(briefly.tooOld.html, AWAY);
});

copies('should hide the events that ALMANAKK_HIDDEN names', ({ briefly }) => {
  assert.equal(titlesIn(briefly.ofAll.html), ['Walk']);
});

copies('should hide what the list of a group names, until a readable list no longer does', ({ shown }) => {
  const { unhidden, hidden, silent, anotherPage, tooLong, empty, hidesNothing } = shown;
  assert.equal(titlesIn(unhidden.html), ['Fem', 'Walk']);
  assert.equal(titlesIn(hidden.html), ['Fem']);
  for (const [what, unread] of Object.entries({ silent, anotherPage, tooLong, empty }))
    assert.equal(titlesIn(unread.html), ['Fem'], what);
  assert.equal(titlesIn(hidesNothing.html), ['Fem', 'Walk']);
});

copies('should say on the screen whether the list of the group can be read', ({ shown }) => {
  const { screenOfUnreadable, screenOfReadable } = shown;
  assert.equal([titlesIn(screenOfUnreadable.html), titlesIn(screenOfReadable.html)], [[], []]);
  const unreadable = textIn(screenOfUnreadable.html);
  assert.match(
    unreadable,
    /skjul\.txt, har ikke kunnet leses siden 2026-01-02 \d\d:\d\d\. Kopien fra .* first line # almanakk hidden events, found none/,
  );
  assert.match(
    unreadable,
    'https://blad.example/arrangement/walk/ (Ås) Kalenderen svarer ikke, så tittelen kan ikke vises. Linjen virker likevel. Gjelder alle nettsteder',
  );
  const readable = /skjul\.txt, er uendret siden 2026-01-02 \d\d:\d\d\. Skjul/;
  assert.match(textIn(screenOfReadable.html), readable);
});

copies('should tell others whether the list of the group can be read', ({ shown, briefly, serving }) => {
  const state = (list: string, failingSeconds: number) => JSON.stringify({ list, failingSeconds });
  // It has been unreadable for three steps of six minutes.
  assert.match(shown.stateOfUnreadable.html, /^\{"list":"copy","failingSeconds":108\d\}$/);
  assert.is(shown.stateOfReadable.html, state('copy', 0));
  assert.is(briefly.stateWithoutList.html, state('none', 0));
  assert.is(serving.stateOfOwn.html, state('own', 0));
});

const CHANGED = 'almanakk_hidden_changed';

copies('should tell caches what is hidden and shown again, whoever reads the list first', ({ shown }) => {
  const { hidden, hidesNothing, scheduled, noticed, noticedOnce, ownLine } = shown;
  const line = 'https://blad.example/arrangement/walk/ (Ås)';
  assert.equal(hidden.changes, [[CHANGED, [line, 'walk'], []]], 'a page view');
  assert.equal(hidesNothing.changes, [[CHANGED, [], [line, 'walk']]]);
  assert.equal([scheduled.interval, scheduled.changes], [60, []]);
  const other = 'https://avis.example/arrangement/walk (sak 9)';
  assert.equal(noticed.changes, [[CHANGED, [other, 'walk', 'choir'], []]], 'WP-Cron, within the same minute');
  assert.equal(noticedOnce.changes, []);
  assert.equal(ownLine.changes, [[CHANGED, ['fair (Kari)', 'fair'], []]], 'a line that two lists have');
});

copies('should save although a cache fails, and tell it again until it succeeds', ({ serving }) => {
  const { failing, savedAgain, screen, pending, announced } = serving;
  assert.equal(failing.attempted, [1, 3, 7, 15, 31, 63, 123, 183], 'after 1, 2, 4 … at most 60 minutes');
  assert.is(savedAgain.changes?.length, 1, 'a save during the delay');
  assert.match(textIn(screen.html), 'Listen er lagret. Et hurtiglager for hele sider ble ikke tømt.');
  const line = 'https://a.example/arrangement/walk (Kari Vakt, sak 12)';
  const names = [line, 'walk', 'choir', 'Kari ringer politiet', 'Kari'];
  assert.equal([pending.interval, pending.changes], [60, [[CHANGED, names, []]]]);
  assert.equal(pending.attempted, [1], 'a new change begins with a delay of one minute again');
  assert.equal([announced.interval, announced.changes], [null, []], 'a site that reads no list');
});

copies('should leave no option on any site when the plugin is deleted', async ({ shown, serving }) => {
  const options = ['almanakk_hidden', 'almanakk_hidden_announced', 'almanakk_hidden_shared'];
  assert.equal(shown.deleted.uninstalled, [[...options, 'almanakk_read_hidden'], []], 'a network');
  assert.equal(serving.deleted.uninstalled, [options.slice(0, 2), []], 'one site');
  const direct = packagePath('docs/examples/almanakk-events/uninstall.php');
  const { code, stdout } = await runCommand('php', ['-n', direct], {});
  assert.equal([code, stdout], [0, ''], 'a request for the file itself');
});

copies(
  'should serve its list to other sites without remarks, and only if it is told to',
  ({ shown, serving, reading }) => {
    assert.is(shown.notServed.html, '');
    assert.is(serving.list.html, SERVED);
    assert.match(textIn(serving.tooLong.html), 'som leser høyst 65536 byte');
    assert.match(serving.tooLong.html, `${LONG_WORD}</textarea>`, 'what the editor wrote');
    const screen = textIn(serving.screen.html);
    assert.match(screen, 'leser denne listen på https://avis.example/?almanakk_hidden=1');
    assert.equal(
      eachIn(screen, /(\S+ \S+) Kalenderen har ikke [^.]*\. [^.]*\. Andre nettsteder får ikke denne linjen/g),
      ['ringer politiet'],
    );
    assert.equal(titlesIn(reading.both.html), ['Marked']);
  },
);

copies('should show no picture of an event if ALMANAKK_EVENT_PICTURES says so', ({ serving }) => {
  assert.match(textIn(serving.eventPage.html), 'Songs & sketches.');
  assert.not.match(serving.eventPage.html, '<img');
});

copies.run();
