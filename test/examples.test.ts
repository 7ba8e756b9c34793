/** The pages of docs/examples, as a reader's browser has them: from another origin than the calendar's, wide and on a phone. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { pathToFileURL } from 'node:url';
import { runInNewContext } from 'node:vm';
import type { Browser, Page } from 'playwright-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { packagePath } from '../src/package.ts';
import { assertAbove, assertAtMost, assertBelow } from './helpers/assertions.ts';
import { assertHidden, assertVisible, inBrowser, judgedBy, openBrowser } from './helpers/browser.ts';
import { built } from './helpers/build.ts';
import { NOW } from './helpers/calendar.ts';
import { endWithTests } from './helpers/child.ts';
import { type Client, clientOf } from './helpers/client.ts';
import { temporaryFolder } from './helpers/folder.ts';
import { eachIn, plainText, textIn } from './helpers/html.ts';
import { LICENCE, sourceFolder } from './helpers/native-source.ts';
import { freePort } from './helpers/nginx.ts';
import { portOf } from './helpers/port.ts';
import { runCommand } from './helpers/program.ts';
import { type Running, startBuilt, startServer } from './helpers/running.ts';
import { eventually } from './helpers/until.ts';
import { isInstalled, when } from './helpers/when.ts';
import { ADDRESS } from './readme/shell.ts';

interface EventPages extends Client {
  readonly close: () => void;
}

const SITE = 'https://avisen.example';
const SITEMAP = '/sitemap-arrangementer.xml';
/** The settings of a calendar with a picture server. */
const WITH_COPIES = {
  pictureSecret: 'a-secret-of-both-servers',
  publicUrl: new URL('https://kalender.example/'),
};

/** Starts the program of `event-page.mjs` in this process. `towns`: the newspaper's own; all by default. */
async function startEventPages(calendar: string, towns = '', language = ''): Promise<EventPages> {
  const kept = process.env;
  process.env = { ...kept, CALENDAR: calendar, SITE, PORT: '0', TOWNS: towns };
  if (language === 'nn') Object.assign(process.env, IN_OTHER_PAPER);
  if (language !== '') process.env.WRITTEN_NORWEGIAN = language;
  try {
    // Each calendar gets a module of its own, which reads the environment once.
    const { href } = pathToFileURL(packagePath('docs/examples/event-page.mjs'));
    const { server }: { server: Server } = await import(`${href}?${calendar}&${towns}&${language}`);
    if (!server.listening) await once(server, 'listening');
    return { ...clientOf(`http://localhost:${portOf(server)}`), close: () => server.close() };
  } finally {
    process.env = kept;
  }
}

/** The first line of the list at ALMANAKK_HIDDEN_URL. */
const MARK = '# almanakk hidden events';

/** Of the pages in Nynorsk. */
const IN_OTHER_PAPER = {
  NEWSPAPER: 'Storvik & omegn',
  HIDDEN: `elsewhere, ${SITE}/arrangement/stor-korkveld?dato=2026-02-08`,
  HIDDEN_FILE: `${temporaryFolder()}/hidden.txt`,
  ALMANAKK_HIDDEN_URL: '',
};

interface PhpPages extends EventPages {
  readonly close: () => Promise<void>;
  /** The files of its cache. */
  readonly cache: string;
  readonly logged: () => string;
}

/** Starts `event-page.php` in PHP's own server. Without a configuration (`-n`), PHP shows its warnings in the page. */
async function startPhpPages(calendar: string, language = ''): Promise<PhpPages> {
  const port = await freePort();
  const program = packagePath('docs/examples/event-page.php');
  const cache = `${temporaryFolder()}/cache`;
  const own = language === 'nn' ? IN_OTHER_PAPER : {};
  const child = spawn('php', ['-n', '-S', `127.0.0.1:${port}`, program], {
    env: {
      ...process.env,
      CALENDAR: calendar,
      SITE,
      TOWNS: '',
      WRITTEN_NORWEGIAN: language,
      CACHE_FOLDER: cache,
      ...own,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const close = endWithTests(child);
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (chunk) => {
    log += chunk;
  });
  const client = clientOf(`http://127.0.0.1:${port}`);
  await eventually('PHP answers', async () => (await client.send('/')).status > 0);
  return { ...client, close, cache, logged: () => log };
}

const COPIES = /^src="(\S+\/320\/\S+)" srcset="\1 320w, \S+\/640\/\S+ 640w, \S+\/1280\/\S+ 1280w" sizes="/;

const CHOIR = {
  id: 'choir',
  title_nb: 'Fem < "seks"',
  desc_nb: '<p>Tre <b>kor</b>.</p>',
  norwegian: 'nn',
  images: [
    { urlSmall: 'https://bilde.example/1.jpg', urlLarge: 'https://bilde.example/2.jpg', alt: 'Et "kor"' },
  ],
  venue: 'hall',
  ticketsInformation: 'free',
  dates: [
    { start: '2026-02-01 19:00', end: '2026-02-01 21:00' },
    { start: '2026-02-08 19:00', eventSoldOut: true },
    { start: '2026-02-15', eventCancelled: true },
  ],
};
/** Tickets, dates that were moved, and what has no Norwegian text. */
const REVUE = {
  id: 'revue',
  slug: 'revyen',
  title_en: "The 'revue' & </script>",
  desc_en: '<p>Songs &amp; sketches.</p>',
  images: [
    { urlLarge: 'https://bilde.example/3.jpg?a=1&b=2', credits: "Kari's <foto>", width: 1200, height: 800 },
  ],
  organizers: ['stage', 'town'],
  mode: 'online',
  ticketsInformation: 'ticketsInfo',
  prices: [
    { type: 'REGULAR', price: 1250 },
    { type: 'CHILD', price: 100 },
    { type: 'ASSISTANT', price: 0 },
    { type: 'STUDENT', price: '' },
  ],
  ticketsURL: 'https://billett.example/?a=1&b=2',
  dates: [
    { start: '2026-03-01 19:00', previousStart: '2026-02-28 18:30' },
    {
      start: '2026-03-02 19:00',
      previousStart: '2026-03-01 19:00',
      eventSoldOut: true,
      prices: [{ type: 'REGULAR', price: 300 }],
    },
    { start: '2026-03-03 19:00', status: 'POSTPONED' },
    { start: '2026-03-04', status: 'RESCHEDULED' },
    { start: '2026-03-05 22:00', end: '2026-03-06 02:30' },
    { start: '2026-03-06 18:00', end: '2026-03-08 16:00' },
    { start: '2026-03-09 12:00', end: '2026-03-11 00:00' },
    { start: '2026-03-12', end: '2026-03-14' },
  ],
};
/** A series with three pages of dates, and enough others for three pages of a list. */
const TOUR = {
  id: 'tour',
  title_nb: 'Omvisning',
  categories: ['ART'],
  venue: 'museum',
  repeats: [{ rule: 'FREQ=DAILY;COUNT=45', start: '2026-03-10 12:00' }],
};
const WALKS = Array.from({ length: 41 }, (_, index) => ({
  id: `walk${index}`,
  title_nb: `Tur ${index}`,
  categories: ['MUSIC'],
  venue: 'museum',
  dates: [{ start: '2026-04-01 12:00' }],
}));
const ELSEWHERE = { ...CHOIR, id: 'elsewhere', slug: 'annet', eventLink: 'https://kor.example/annet' };
const SOURCE = {
  'licence.json': {
    ...LICENCE,
    categories: LICENCE.categories.map((category) =>
      category.id === 'MUSIC' ? { ...category, name_nn: 'Song og spel' } : category,
    ),
    eventPages: { default: `${SITE}/arrangement/{slug}?dato={date}`, Ås: 'https://blad.example/{slug}' },
  },
  'venues.json': [
    { id: 'hall', name: 'Salen', address: 'Gata 1, 7010 Trondheim', municipality: 'Trondheim' },
    { id: 'museum', name: 'Museet', municipality: 'Nord-Fron & Vik' },
    { id: 'yard', name: 'Tunet', municipality: 'Ås' },
  ],
  'organizers.json': [
    { id: 'stage', name: 'Scene & lyd' },
    { id: 'town', name: 'Byen' },
  ],
  'events.json': [
    { ...CHOIR, slug: 'stor-korkveld' },
    REVUE,
    TOUR,
    ...WALKS,
    ELSEWHERE,
    { ...CHOIR, id: 'yard', title_nb: 'Tunet', venue: 'yard' },
  ],
};
const EARLIER = {
  ...SOURCE,
  'events.json': [
    { ...CHOIR, slug: 'korkveld' },
    { id: 'gone', title_nb: 'Borte', slug: 'borte', dates: [{ start: '2026-02-01 19:00' }] },
  ],
};

interface Rendered {
  now: number;
  calendar: Running;
  pages: EventPages;
  php: PhpPages | undefined;
}

const rendered = suite<Rendered>('event pages of a newspaper');
const withPhp = when(isInstalled('php'), 'php is not installed here', rendered);

rendered.before(async (context) => {
  const snapshots = temporaryFolder();
  await built(sourceFolder(EARLIER), snapshots);
  await built(sourceFolder(SOURCE), snapshots, { now: NOW + 60 });
  context.now = NOW + 60;
  const clock = () => context.now * 1_000;
  context.calendar = await startServer({ snapshots, clock, context: { settings: WITH_COPIES } });
  context.pages = await startEventPages(context.calendar.url);
  if (isInstalled('php')) context.php = await startPhpPages(context.calendar.url);
});
rendered.after(async ({ calendar, pages, php }) => {
  pages.close();
  await php?.close();
  await calendar.close();
});

const ADDRESS_OF_PAGE = `${SITE}/arrangement/stor-korkveld`;

rendered('should show the event with its dates, and mark the one of the link', async ({ pages }) => {
  const { status, headers, text } = await pages.send('/arrangement/stor-korkveld?dato=2026-02-08');
  assert.is(status, 200);
  assert.is(headers['cache-control'], 'public, max-age=60');
  assert.match(text, '<title>Fem &#60; &#34;seks&#34; – Lillevik avis</title>');
  assert.match(text, `<link rel="canonical" href="${ADDRESS_OF_PAGE}">`);
  assert.match(text, 'alt="Et &#34;kor&#34;"');
  const [sources = ''] = eachIn(text, /<img (.*?) alt=/g);
  assert.match(sources, COPIES);
  assert.match(text, /<meta property="og:image" content="\S+\/1280\/\S+">/);
  assert.match(text, '<div lang="nn"><p>Tre <b>kor</b>.</p></div>');
  const place = 'Salen, Gata 1, 7010 Trondheim · Gratis';
  assert.equal(datesIn(text), [
    `søndag 1. februar 2026 kl. 19.00–21.00 ${place}`,
    `søndag 8. februar 2026 kl. 19.00 Utsolgt ${place}`,
    `søndag 15. februar 2026 Avlyst ${place}`,
  ]);
  assert.match(text, /<li aria-current="date"><time datetime="2026-02-08T19:00:00\+01:00">/);
});

const datesIn = (text: string) => eachIn(text, /<li(?: [^>]*)?>([\s\S]*?)<\/li>/g).map(textIn);

rendered('should show prices, the link to tickets, and when moved dates were to be', async ({ pages }) => {
  const { text } = await pages.send('/arrangement/revyen');
  assert.equal(datesIn(text), [
    'søndag 1. mars 2026 kl. 19.00 Flyttet fra lørdag 28. februar 2026 kl. 18.30 Billetter Digitalt · 100–1 250 kr',
    'mandag 2. mars 2026 kl. 19.00 Utsolgt Flyttet fra søndag 1. mars 2026 kl. 19.00 Digitalt · 300 kr',
    'tirsdag 3. mars 2026 kl. 19.00 Utsatt Digitalt · 100–1 250 kr',
    'onsdag 4. mars 2026 Flyttet Billetter Digitalt · 100–1 250 kr',
    'torsdag 5. mars 2026 kl. 22.00–02.30 Billetter Digitalt · 100–1 250 kr',
    'fredag 6. mars 2026 kl. 18.00 – søndag 8. mars 2026 kl. 16.00 Billetter Digitalt · 100–1 250 kr',
    'mandag 9. mars 2026 kl. 12.00 – tirsdag 10. mars 2026 kl. 24.00 Billetter Digitalt · 100–1 250 kr',
    'torsdag 12. mars 2026 – lørdag 14. mars 2026 Billetter Digitalt · 100–1 250 kr',
  ]);
  assert.match(text, '<a href="https://billett.example/?a=1&#38;b=2">Billetter</a>');
});

rendered('should describe each date for search engines, at its own address', async ({ pages }) => {
  const { text } = await pages.send('/arrangement/stor-korkveld');
  const [json = ''] = eachIn(text, /<script type="application\/ld\+json">(.*?)<\/script>/gs);
  const { '@graph': graph } = JSON.parse(json);
  const found = graph.map(({ name, startDate, url }: Record<string, string>) => ({ name, startDate, url }));
  const common = { name: 'Fem < "seks"', url: ADDRESS_OF_PAGE };
  assert.equal(found, [
    { ...common, startDate: '2026-02-01T19:00:00+01:00' },
    { ...common, startDate: '2026-02-08T19:00:00+01:00' },
    { ...common, startDate: '2026-02-15' },
  ]);
});

rendered('A17: should lead from a former slug to the present one', async ({ pages }) => {
  const { status, headers } = await pages.send('/arrangement/korkveld?dato=2026-02-08');
  assert.equal([status, headers.location], [301, `${ADDRESS_OF_PAGE}?dato=2026-02-08`]);
  const other = await pages.send(`/arrangement/korkveld?${NOT_A_DAY}`);
  assert.equal([other.status, other.headers.location], [301, ADDRESS_OF_PAGE]);
});

const NOT_A_DAY = 'from=mail&dato=2026-02-08%0D%0ASet-Cookie:a';

/** Addresses of a long series, each with the number of its page of dates and the number of dates there. */
const PAGES_OF_DATES: Readonly<Record<string, readonly [page: number, dates: number]>> = {
  '/arrangement/omvisning': [1, 20],
  '/arrangement/omvisning?side=2': [2, 20],
  '/arrangement/omvisning?side=3&dato=2026-03-10': [3, 5],
  '/arrangement/omvisning?side=9': [3, 5],
  '/arrangement/omvisning?side=-1': [1, 20],
  '/arrangement/omvisning?dato=2026-04-20': [3, 5],
  '/arrangement/omvisning?dato=2027-01-01': [1, 20],
};

for (const [path, [page, count]] of Object.entries(PAGES_OF_DATES)) {
  rendered(`should show page ${page} of the dates at ${path}`, async ({ pages }) => {
    const { text } = await pages.send(path);
    assert.is(datesIn(text).length, count);
    assert.match(text, `Side ${page} av 3`);
    assert.match(text, `<link rel="canonical" href="${SITE}/arrangement/omvisning">`);
    assert.is(text.includes('aria-current="date"'), path.endsWith('dato=2026-04-20'));
  });
}

/** Lists, each with its heading, the number of its events, and the number of those on the page. */
const LISTS_OF_EVENTS: Readonly<Record<string, readonly [heading: string, total: number, here: number]>> = {
  '/arrangementer': ['Det skjer', 46, 20],
  '/arrangementer?side=3': ['Det skjer', 46, 6],
  '/arrangementer?kommune=Trondheim&kategori=': ['Det skjer i Trondheim', 2, 2],
  '/arrangementer?kommune=%C3%85s': ['Det skjer i Ås', 1, 1],
  '/arrangementer?kommune=Nord-Fron+%26+Vik&kategori=MUSIC&side=3': [
    'Det skjer i Nord-Fron & Vik: Musikk',
    41,
    1,
  ],
  '/arrangementer?kategori=ART': ['Det skjer: Kunst', 1, 1],
  '/arrangementer?kommune=Trondheim&kategori=ART': ['Det skjer i Trondheim: Kunst', 0, 0],
};

for (const [path, [heading, total, here]] of Object.entries(LISTS_OF_EVENTS)) {
  rendered(`should list events at ${path}`, async ({ pages }) => {
    const { status, text } = await pages.send(path);
    assert.is(status, 200);
    assert.match(textIn(text), `${heading} Kommune`);
    assert.match(text, `<p>${total} arrangement${total === 1 ? '' : 'er'}</p>`);
    assert.is(datesIn(text).length, here);
    const canonical = `${SITE}${path.replace('&kategori=&', '&').replace(/&kategori=$/, '')}`;
    assert.match(text, `<link rel="canonical" href="${canonical.replaceAll('&', '&#38;')}">`);
  });
}

rendered('should lead through the pages of a list, with its filters', async ({ pages }) => {
  const start = '/arrangementer?kommune=Nord-Fron+%26+Vik&kategori=MUSIC';
  const { text } = await pages.send(`${start}&side=2`);
  const [nav = ''] = eachIn(text, /<nav [^>]*>(.*?)<\/nav>/g);
  const links = eachIn(nav, /href="([^"]*)"/g).map((link) => plainText(link));
  assert.equal(links, [start, `${start}&side=3`]);
  const options = eachIn(text, /<option value="([^"]*)"/g).map((value) => plainText(value));
  assert.equal(options.slice(0, 4).sort(), ['', 'Nord-Fron & Vik', 'Trondheim', 'Ås']);
  assert.equal(
    eachIn(text, /<option value="([^"]*)" selected/g).map((value) => plainText(value)),
    ['Nord-Fron & Vik', 'MUSIC'],
  );
});

rendered('should have its lists and its own events in its sitemap', async ({ pages, calendar }) => {
  const { headers, text } = await pages.send(SITEMAP);
  assert.is(headers['content-type'], 'application/xml; charset=utf-8');
  const addresses = eachIn(text, /<loc>([^<]*)<\/loc>/g).map((address) => plainText(address));
  const lists = addresses.filter((address) => address.startsWith(`${SITE}/arrangementer`));
  assert.equal(
    lists.map((address) => new URL(address).searchParams.get('kommune')).sort(),
    ['Nord-Fron & Vik', 'Trondheim', null, 'Ås'].sort(),
  );
  // Without those that have their pages at another site.
  const events = addresses.filter((address) => !lists.includes(address));
  assert.is(events.length, 44);
  assert.ok(events.every((address) => address.startsWith(`${SITE}/arrangement/`)));
  const own = await startEventPages(calendar.url, 'Trondheim, Ås');
  const { text: ofTowns } = await own.send(SITEMAP);
  const shown = eachIn(ofTowns, /<loc>([^<]*)<\/loc>/g);
  assert.is(shown.length, 4);
  assert.match((await own.send('/arrangementer')).text, '<p>3 arrangementer</p>');
  assert.is((await own.send('/arrangementer?kommune=Nord-Fron+%26+Vik')).status, 404);
  own.close();
});

const WITHOUT_EVENT: Readonly<Record<string, number>> = {
  '/arrangement/borte': 410,
  '/arrangement/aldri': 404,
  '/arrangement/': 404,
  '/arrangement/%3Cb%3E': 404,
  '/': 404,
  '/arrangementer?kommune=Bergen': 404,
  '/arrangementer?kategori=JAZZ': 404,
  '/arrangementer?side=4': 404,
};

for (const [path, expected] of Object.entries(WITHOUT_EVENT)) {
  rendered(`A17: should answer ${expected} for ${path}`, async ({ pages }) => {
    const { status, text } = await pages.send(path);
    assert.is(status, expected);
    assert.match(text, expected === 410 ? 'over eller fjernet' : 'fant ikke');
  });
}

const SHOWN_ALIKE = [
  '/arrangement/stor-korkveld?dato=2026-02-08',
  '/arrangement/stor-korkveld?from=mail&dato=2026-02-0',
  '/arrangement/revyen',
  '/arrangement/korkveld?a=b&dato=2026-02-08',
  `/arrangement/korkveld?${NOT_A_DAY}`,
  '/arrangementer?kommune[]=Trondheim&side[]=2',
  SITEMAP,
  ...Object.keys(PAGES_OF_DATES),
  ...Object.keys(LISTS_OF_EVENTS),
  ...Object.keys(WITHOUT_EVENT),
];

for (const path of SHOWN_ALIKE) {
  withPhp(`event-page.php should answer ${path} as event-page.mjs does`, async ({ pages, php }) => {
    assert.equal(php && (await shownBy(php, path)), await shownBy(pages, path));
  });
}

const IN_NYNORSK = [
  '/arrangement/stor-korkveld',
  '/arrangement/korkveld',
  '/arrangement/revyen',
  '/arrangement/omvisning?side=2',
  '/arrangementer',
  '/arrangement/borte',
  '/',
  SITEMAP,
];

withPhp('I16: should show the pages in Nynorsk, in PHP as in Node', async ({ calendar }) => {
  writeFileSync(IN_OTHER_PAPER.HIDDEN_FILE, '');
  const { now: clock } = Date;
  let served = Buffer.from(MARK);
  const group = createServer((_, response) => response.end(served)).listen(0, '127.0.0.1');
  await once(group, 'listening');
  IN_OTHER_PAPER.ALMANAKK_HIDDEN_URL = `http://127.0.0.1:${portOf(group)}/skjul.txt`;
  const pages = await startEventPages(calendar.url, '', 'nn');
  const php = await startPhpPages(calendar.url, 'nn');
  try {
    const { text } = await pages.send('/arrangement/revyen');
    assert.match(text, '<html lang="nn">');
    assert.equal(datesIn(text), [
      'søndag 1. mars 2026 kl. 19.00 Flytta frå laurdag 28. februar 2026 kl. 18.30 Billettar Digitalt · 100–1 250 kr',
      'måndag 2. mars 2026 kl. 19.00 Utselt Flytta frå søndag 1. mars 2026 kl. 19.00 Digitalt · 300 kr',
      'tysdag 3. mars 2026 kl. 19.00 Utsett Digitalt · 100–1 250 kr',
      'onsdag 4. mars 2026 Flytta Billettar Digitalt · 100–1 250 kr',
      'torsdag 5. mars 2026 kl. 22.00–02.30 Billettar Digitalt · 100–1 250 kr',
      'fredag 6. mars 2026 kl. 18.00 – søndag 8. mars 2026 kl. 16.00 Billettar Digitalt · 100–1 250 kr',
      'måndag 9. mars 2026 kl. 12.00 – tysdag 10. mars 2026 kl. 24.00 Billettar Digitalt · 100–1 250 kr',
      'torsdag 12. mars 2026 – laurdag 14. mars 2026 Billettar Digitalt · 100–1 250 kr',
    ]);
    const { text: list } = await pages.send('/arrangementer?kategori=MUSIC');
    assert.match(list, '<h1>Det skjer: Song og spel</h1>');
    assert.match(list, '>Song og spel</option>');
    assert.match(list, '– Storvik &#38; omegn</title>');
    for (const path of ['stor-korkveld', 'korkveld'])
      assert.is((await pages.send(`/arrangement/${path}`)).status, 410, 'an event that is hidden');
    const { text: lists } = await pages.send('/arrangementer');
    assert.is(datesIn(lists).length, 18);
    assert.not.match((await pages.send(SITEMAP)).text, 'korkveld');
    for (const path of IN_NYNORSK) assert.equal(await shownBy(php, path), await shownBy(pages, path), path);
    // Lines of Windows, with the mark that its editor sets. The last one is an id.
    const lines = [
      '\uFEFFrevue i kveld',
      'https://avisen.example/?arrangement=tunet',
      `Se ${calendar.url}/events/omvisning.html (Ås, på nytt).`,
      'avis:https://scene.example/a/tur-3',
    ];
    writeFileSync(IN_OTHER_PAPER.HIDDEN_FILE, lines.join('\r\n'));
    for (const one of [pages, php]) {
      assert.is((await one.send('/arrangement/revyen')).status, 410, 'an event that is hidden by its id');
      assert.is((await one.send('/arrangement/tur-3')).status, 200, 'the last part of an id');
      assert.is(datesIn((await one.send('/arrangementer')).text).length, 15);
      assert.not.match((await one.send(SITEMAP)).text, /revyen|omvisning/);
    }
    // The list of the group, which hides an event, then is empty, another page or too long, and does not respond. It is in Windows-1252.
    const answers = [
      `${MARK}\nhttps://blad.example/arrangement/tur-3 på nytt\n`,
      '',
      'tur-4',
      `${MARK}\ntur-4\n${' '.repeat(70_000)}`,
      null,
    ];
    for (const [minute, text] of answers.entries()) {
      served = Buffer.from(text ?? '', 'latin1');
      if (text === null) group.close().closeAllConnections();
      Date.now = () => clock() + (minute + 1) * 61_000;
      ageCache(php.cache);
      for (const one of [pages, php]) {
        const { result } = await withErrors(() =>
          Promise.all(['tur-3', 'tur-4'].map((slug) => one.send(`/arrangement/${slug}`))),
        );
        assert.equal(
          result.map(({ status }) => status),
          [410, 200],
          `the list ${text?.slice(0, 40)}`,
        );
      }
    }
    assert.match(php.logged(), /ALMANAKK_HIDDEN_URL: .*, found tur-4[\s\S]*ALMANAKK_HIDDEN_URL: /);
  } finally {
    Date.now = clock;
    group.close();
    pages.close();
    await php.close();
  }
});

/** The parts of an answer that browsers, caches and search engines use. */
async function shownBy({ send }: Client, path: string) {
  const { status, headers, text } = await send(path);
  const {
    'content-type': type,
    'cache-control': caching,
    'retry-after': retry,
    location,
    'set-cookie': cookie,
  } = headers;
  // PHP writes `&amp;` for `&#38;`.
  const inDigits = text.replace(
    /&(?:amp|lt|gt|quot|#039);/g,
    (entity) => `&#${plainText(entity).charCodeAt(0)};`,
  );
  return { status, type, caching, retry, location, cookie, text: inDigits.replace(/\s+/g, ' ') };
}

rendered('A17: should answer 410 for an event that is over', async (context) => {
  context.now += 100 * 86_400;
  // No other test has asked for its page within the last minute.
  assert.is((await context.pages.send('/arrangement/annet')).status, 410);
});

rendered('should ask for another try while the calendar does not answer', async ({ calendar, pages }) => {
  stopAnswering(calendar);
  const { result, errors } = await withErrors(() => pages.send('/arrangement/ny'));
  const { status, headers, text } = result;
  assert.equal([status, headers['retry-after'], headers['cache-control']], [503, '60', 'no-store']);
  assert.match(plainText(text), 'Prøv igjen om litt.');
  assert.match(errors, 'fetch failed');
});

withPhp('event-page.php should ask for another try, too', async ({ calendar, pages, php }) => {
  stopAnswering(calendar);
  const path = '/arrangement/ny';
  const { result } = await withErrors(() => shownBy(pages, path));
  assert.equal(php && (await shownBy(php, path)), result);
  assert.match(php?.logged() ?? '', `${calendar.url}/graphQL`);
});

withPhp(
  'should show an older page while the calendar does not answer, and ask it seldom',
  async (context) => {
    const { pages, php } = context;
    let requests = 0;
    // It sends something each second, so that no part of its answer is late.
    const slow = createServer((_, response) => {
      requests++;
      response.writeHead(200, { 'Content-Length': '20' }).write(' ');
      const drops = setInterval(() => response.write(' '), 1_000);
      response.on('close', () => clearInterval(drops));
    });
    const { port } = new URL(context.calendar.url);
    stopAnswering(context.calendar);
    await once(slow.listen(Number(port)), 'listening');
    const { now: clock } = Date;
    try {
      Date.now = () => clock() + 61_000;
      const path = '/arrangement/stor-korkveld';
      ageCache(php?.cache ?? '');
      const { result, errors } = await withErrors(() =>
        Promise.all([pages, php ?? pages].map((one) => shownBy(one, path))),
      );
      assert.equal(
        result.map(({ status }) => status),
        [200, 200],
      );
      assert.match(errors, 'timeout');
      if (php !== undefined) assert.match(php.logged(), '/graphQL in time, found only a part');
      assert.is(requests, 2);
      const others = ['/arrangement/revyen', '/arrangementer', '/arrangement/ny'];
      const { result: paused } = await withErrors(() =>
        Promise.all(others.flatMap((other) => [pages, php ?? pages].map((one) => one.send(other)))),
      );
      assert.equal(
        paused.map(({ status }) => status),
        [200, 200, 200, 200, 503, 503],
      );
      assert.is(requests, 2, 'requests during the pause');
    } finally {
      Date.now = clock;
      slow.closeAllConnections();
      slow.close();
    }
  },
);

/** As if everything had been asked for a minute ago, and without the pause. */
function ageCache(folder: string): void {
  for (const name of readdirSync(folder)) {
    const known = JSON.parse(readFileSync(`${folder}/${name}`, 'utf8'));
    writeFileSync(`${folder}/${name}`, JSON.stringify({ ...known, asked: 0, until: 0 }));
  }
}

/** Nothing listens at its address any more. */
function stopAnswering({ server }: Running): void {
  server.close();
  server.closeAllConnections();
}

/** The result of an action, with the errors that this process logs meanwhile. */
async function withErrors<Result>(action: () => Promise<Result>) {
  const { error } = console;
  const logged: unknown[] = [];
  console.error = (...parts) => logged.push(...parts);
  try {
    return { result: await action(), errors: logged.join('\n') };
  } finally {
    console.error = error;
  }
}

interface Shown {
  readonly html: string;
  /** To the calendar. */
  readonly requests: number;
  /** Of the page of events; a list has none of these. */
  readonly status?: number;
  readonly title?: string;
  readonly heading?: string;
  readonly canonical?: string;
  readonly head?: string;
  /** The canonical address and the title that SEO plugins show. */
  readonly seo?: readonly [string, string];
  /** The status and the address. */
  readonly redirect?: string;
  /** The number of its pages, and the first one. */
  readonly sitemap?: readonly [number, readonly { readonly loc: string }[]];
  /** The plugin's own, and what names it: `robots.txt`, that of a site that search engines are not to find, and the index of SEO plugins. */
  readonly ownSitemap?: string;
  readonly robots?: string;
  readonly robotsOfHidden?: string;
  readonly index?: string;
  /** The parts that Yoast SEO writes; the description and the JSON-LD of Rank Math, and how many of its previews are taken out. */
  readonly yoast?: readonly string[];
  readonly rankMath?: readonly [string, readonly string[], number];
  /** For opening a screen. */
  readonly capability?: string;
  /** What WordPress looks for, if the site has a post type `arrangement`. */
  readonly asPage?: object;
  /** The heading and the canonical address of nothing. */
  readonly without?: readonly (string | null)[];
}

type Shortcode = Readonly<Record<string, string>> | readonly string[];

type BlockAttributes = Readonly<Record<string, string | number | boolean>>;

interface WordPress {
  readonly calendar: string;
  readonly locale?: string;
  /** Seconds since 1970. */
  readonly now?: number;
  /** ALMANAKK_KEPT. */
  readonly kept?: number;
  /** ALMANAKK_HIDDEN. */
  readonly hidden?: string;
  /** ALMANAKK_HIDDEN_URL. */
  readonly hiddenUrl?: string;
}

/** What `almanakk-events.php` shows in a WordPress of stubs: for shortcodes with these values, between other steps. */
async function inWordPress(
  { calendar, locale = 'nb_NO', now = NOW, kept, hidden, hiddenUrl }: WordPress,
  steps: readonly (
    | Shortcode
    | { page: Shortcode }
    | { block: BlockAttributes }
    | { settings: object }
    | { hide: string; read?: string; by?: string; fails?: boolean }
    | { list: string | null }
    | { answers: { status: number; body: string } }
    | 'permalinks'
    | 'down'
    | 'up'
    | 'later'
    | 'halfDay'
    | 'nextDay'
    | 'editor'
    | 'administrator'
    | 'empty'
  )[],
): Promise<readonly Shown[]> {
  const files = [
    'test/fixtures/wordpress/shortcodes.php',
    'docs/examples/almanakk-events/almanakk-events.php',
  ];
  const [stubs = '', plugin = ''] = files.map(packagePath);
  const env = {
    ...process.env,
    CALENDAR: calendar,
    LOCALE: locale,
    NOW: `${now}`,
    KEPT: kept?.toString(),
    HIDDEN: hidden,
    HIDDEN_URL: hiddenUrl,
  };
  const { stdout } = await runCommand('php', ['-n', stubs, plugin, JSON.stringify(steps)], { env });
  return JSON.parse(stdout);
}

/** Of each kind one, in the order of their dates. NOW is a Thursday, at 13:00 in Norway. */
const FOR_WORDPRESS = [
  {
    id: 'fair',
    title_nb: 'Marked',
    summary_nb: 'Med & uten.',
    dates: [{ start: '2025-12-30', end: '2026-01-03' }],
  },
  {
    ...CHOIR,
    categories: ['MUSIC'],
    dates: [{ start: '2026-01-02 19:00', end: '2026-01-02 21:00' }, { start: '2026-01-02 22:00' }],
  },
  {
    id: 'walk',
    title_en: 'Walk',
    venue: 'yard',
    status: 'CANCELLED',
    ticketsInformation: 'ticketsInfo',
    prices: [
      { type: 'REGULAR', price: 1250 },
      { type: 'CHILD', price: 99 },
      { type: 'ASSISTANT', price: 0 },
    ],
    dates: [{ start: '2026-01-03', end: '2026-01-05' }],
  },
  { ...REVUE, summary_en: 'Songs & sketches.', eventLink: undefined },
];

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

const itemsIn = (html = '') => eachIn(html, /<li class="[^"]+">(.*?)<\/li>/gs);
const titlesIn = (html = '') => eachIn(html, /<a class="almanakk-title"[^>]*>(\w+)/g);

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

const BOTH = { ids: 'choir walk' };

/** The list of a group: it hides an event; then the calendar is down, and the list does not respond, is another page, too long and empty. */
const OF_GROUP = [
  'up',
  'later',
  BOTH,
  { list: `\uFEFF${MARK}\r\nhttps://blad.example/arrangement/walk/ (Ås)\r\n` },
  'later',
  BOTH,
  'down',
  { list: null },
  'later',
  BOTH,
  { list: '<p>choir' },
  'later',
  BOTH,
  { list: `${MARK}\nchoir\n${' '.repeat(70_000)}` },
  'later',
  BOTH,
  { list: '' },
  'later',
  BOTH,
  { hide: '' },
  { list: MARK },
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

/** The fields of the filter with their kinds, as the embed has them and as the plugin has them. */
function fieldsOf(embed: string, plugin: string) {
  // `sortBy` has no effect.
  const { sortBy: _, ...fields } = JSON.parse(/const FIELDS = (\{.*?\});/.exec(embed)?.[1] ?? '{}');
  const [table = ''] = eachIn(plugin, /const FIELDS = \[\n(.*?),\n\];/gs);
  return [fields, JSON.parse(`{${table.replaceAll("'", '"').replaceAll(' =>', ':')}}`)];
}

rendered.run();

const FRIDAY = Date.parse('2026-11-20T12:00:00+01:00');
const WIDE = { width: 1_100, height: 800 };
const PICTURE = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 5"/>';
const PHONE = { width: 360, height: 740 };

interface Context {
  now: number;
  calendar: Running;
  site: Server;
  origin: string;
  pages: EventPages;
  browser: Browser;
  page: Page;
  findings: string[];
}

const test = inBrowser(suite<Context>('examples'));
const withPhpAndBrowser = when(isInstalled('php'), 'php is not installed here', test);

test.before(async (context) => {
  context.now = FRIDAY;
  context.calendar = await startBuilt(packagePath('data/sample'), FRIDAY / 1_000, {
    clock: () => context.now,
  });
  context.site = createServer(({ url = '' }, response) => {
    const [path = ''] = url.split('?');
    const html = readFileSync(packagePath(`docs/examples${path}`), 'utf8');
    response.setHeader('Content-Type', 'text/html');
    response.end(html.replaceAll(ADDRESS, context.calendar.url));
  }).listen(0, '127.0.0.1');
  await once(context.site, 'listening');
  const address = context.site.address();
  context.origin = `http://localhost:${typeof address === 'object' ? address?.port : ''}`;
  context.pages = await startEventPages(context.calendar.url);
  context.browser = await openBrowser();
});

test.before.each(async (context) => {
  context.now = FRIDAY;
  // Somebody in Tokyo.
  context.page = await context.browser.newPage({ viewport: WIDE, timezoneId: 'Asia/Tokyo' });
  context.findings = [];
  // The sample's pictures are at an address where no server of this test listens.
  await context.page.route(/\/pictures\//, (route) =>
    route.fulfill({ contentType: 'image/svg+xml', body: PICTURE }),
  );
  context.page.on('pageerror', (error) => context.findings.push(String(error)));
  context.page.on('console', (message) => context.findings.push(message.text()));
});

test.after.each(async ({ page, findings }) => {
  await page.close();
  assert.equal(findings, []);
});

test.after(async ({ browser, calendar, pages, site }) => {
  await browser.close();
  pages.close();
  await calendar.close();
  site.close();
});

withPhpAndBrowser(
  'should fit a wide window and a phone, and please axe in both: almanakk-events.php',
  async (context) => {
    const { page, calendar, now } = context;
    const shortcode = { bilder: 'ja', overskrift: 'Det skjer', antall: '20' };
    for (const [locale, language] of [
      ['nb_NO', 'nb'],
      ['en_GB', 'en'],
    ] as const) {
      const steps = [shortcode, { page: { arrangement: 'dinosaurer-pa-kalvskinnet' } }];
      const [shown, event] = await inWordPress({ calendar: calendar.url, locale, now: now / 1_000 }, steps);
      assert.is(event?.status, 200);
      const content = `<title>Avisen</title><main><h1>Avisen</h1>${shown?.html}${event?.html}</main>`;
      await page.setContent(`<!doctype html><html lang="${language}">${content}</html>`);
      assert.is(await page.locator('.almanakk-event').count(), 20);
      assertAbove(await page.locator('figure img').count(), 0, 'pictures');
      await assertFits(page);
    }
  },
);

const LISTS = ['search', 'info-screen', 'this-weekend'];

for (const name of LISTS) {
  test(`should fit a wide window and a phone, and please axe in both: ${name}`, async (context) => {
    await open(context, name);
    await assertFits(context.page);
  });
}

test('should fit a wide window and a phone, and please axe in both: event-page', async ({ page, pages }) => {
  await page.goto(`${pages.url}/arrangement/spelet?dato=2027-07-28`);
  assert.is(await page.locator('li').count(), 4);
  await assertFits(page);
});

for (const name of LISTS) {
  test(`should mark events without a place as online only where they are: ${name}`, async (context) => {
    const { page } = context;
    await page.route('**/graphQL**', async (route) => {
      const response = await route.fetch();
      const answer = JSON.parse(await response.text());
      const [first, second] = answer.data.events.data;
      Object.assign(first, { venue: null, mode: 'offline', title_nb: 'Uten sted' });
      Object.assign(second, { venue: null, mode: 'online', title_nb: 'På nett' });
      await route.fulfill({ response, json: answer });
    });
    await open(context, name);
    assert.not.match(await page.locator('li:has-text("Uten sted")').innerText(), 'Digitalt');
    assert.match(await page.locator('li:has-text("På nett")').innerText(), 'Digitalt');
  });
}

test('the search should fold the facets above the hits on a phone', async (context) => {
  const { page } = context;
  await page.setViewportSize(PHONE);
  await open(context, 'search');
  const top = async (selector: string) => (await page.locator(selector).boundingBox())?.y ?? 0;
  assertBelow(await top('#facets'), await top('#message'), 'pixels from the top');
  await assertHidden(page.locator('#facets a').first());
  await page.locator('#facets summary').press('Enter');
  await assertVisible(page.locator('#facets a').first());
});

test('the search should turn pages, narrow down and go back by its address', async (context) => {
  const { page } = context;
  const message = () => page.textContent('#message');
  await open(context, 'search');
  assert.is(await message(), '195 treff, side 1 av 10');
  await follow(page, 'a:has-text("Neste")');
  assert.is(await message(), '195 treff, side 2 av 10');
  const [category] = await page.locator('.facets a').allTextContents();
  await follow(page, '.facets a');
  const narrowed = await message();
  assert.match(narrowed ?? '', new RegExp(`^${/\d+$/.exec(category ?? '')} treff, side 1`));
  await page.fill('[name=q]', 'KONSRT');
  await page.selectOption('[name=when]', 'WEEKEND');
  await follow(page, 'button');
  assert.match(page.url(), /q=KONSRT&when=WEEKEND/);
  assert.is(await page.inputValue('[name=q]'), 'KONSRT');
  await page.goBack();
  await page.waitForSelector('#events li');
  assert.is(await message(), narrowed);
});

test('the search should show the chosen place, similar words, and a way out where there is no hit', async (context) => {
  const { page } = context;
  const message = () => page.textContent('#message');
  await open(context, 'search', '?q=jazz&place=5001');
  const place = page.locator('.facets a[aria-current]');
  assert.match((await place.textContent()) ?? '', /^✕ Trondheim[1-9]\d*$/i);
  await open(context, 'search', '?q=klubnat');
  assert.is(await message(), '1 treff som ligner på det du søkte etter');
  await open(context, 'search', '?q=ingenting-heter-dette&place=5001');
  assert.is(await message(), 'Ingen treff.');
  await follow(page, '.facets a:has-text("✕ 5001")');
  assert.is(new URL(page.url()).search, '?q=ingenting-heter-dette');
});

test('the search should show descriptions as HTML, and no tags as text', async (context) => {
  await open(context, 'search', '?q=orgelmeditasjon');
  await context.page.click('summary');
  const text = (await context.page.textContent('details div')) ?? '';
  assertAbove(text.length, 20, 'letters');
  assert.not.match(text, /<\w/);
});

const titlesOn = (page: Page) => page.locator('h2').allTextContents();

/** The info screen, with a clock that the test moves. */
async function openScreen(context: Context): Promise<void> {
  const { page, origin, now } = context;
  await page.clock.install({ time: now });
  await page.goto(`${origin}/info-screen.html`);
  await page.waitForSelector('li');
}

test('the info screen should change at the second', async (context) => {
  const { page, calendar } = context;
  const change = await nextChange(calendar);
  context.now = change - 5_000;
  await openScreen(context);
  const before = await titlesOn(page);
  context.now = change - 1;
  await page.clock.runFor(4_900);
  assert.equal(await titlesOn(page), before);
  context.now = change;
  await Promise.all([page.waitForResponse(/graphQL/), page.clock.runFor(1_200)]);
  await page.waitForFunction(`document.querySelectorAll('h2')[1].textContent !== '${before[1]}'`);
  const after = await titlesOn(page);
  assert.equal(before.filter((title) => !after.includes(title)).length, 1);
});

test('the info screen should keep its events, and say so, while the calendar does not answer', async (context) => {
  const { page } = context;
  await openScreen(context);
  const before = await titlesOn(page);
  await page.route('**/graphQL', (route) => route.abort());
  await page.clock.runFor(61_000);
  await page.waitForFunction(`document.querySelector('#message').textContent !== ''`);
  assert.equal(await titlesOn(page), before);
  assert.match((await page.textContent('#message')) ?? '', 'svarer ikke');
  await page.unroute('**/graphQL');
  await page.clock.runFor(10_000);
  await page.waitForFunction(`document.querySelector('#message').textContent === ''`);
  // Chromium logs requests that the test has cut off.
  context.findings.length = 0;
});

interface Weekend {
  readonly says: string;
  readonly now: number;
  readonly days: readonly string[];
}

const WEEKENDS: readonly Weekend[] = [
  {
    says: 'to come',
    now: FRIDAY,
    days: ['fredag 20. november', 'lørdag 21. november', 'søndag 22. november', 'Pågår'],
  },
  // An exhibition begins on Tuesday.
  {
    says: 'of which something begins before',
    now: Date.parse('2026-11-30T10:00:00+01:00'),
    days: ['fredag 4. desember', 'lørdag 5. desember', 'søndag 6. desember', 'Pågår'],
  },
  { says: 'that is', now: Date.parse('2026-11-22T16:00:00+01:00'), days: ['søndag 22. november', 'Pågår'] },
];

for (const { says, now, days } of WEEKENDS) {
  test(`should list the weekend ${says} and nothing else`, async (context) => {
    context.now = now;
    await open(context, 'this-weekend');
    assert.equal(await context.page.locator('h3').allTextContents(), days);
  });
}

for (const name of ['search', 'this-weekend']) {
  test(`should tell the reader when the calendar does not answer: ${name}`, async (context) => {
    const { page, origin } = context;
    await page.route('**/graphQL*', (route) => route.abort());
    await page.goto(`${origin}/${name}.html`);
    await page.waitForFunction(
      `/kunne ikke hentes/.test(document.querySelector('[role=status]').textContent)`,
    );
    context.findings.length = 0;
  });
}

test.run();

async function assertFits(page: Page): Promise<void> {
  for (const viewport of [WIDE, PHONE]) {
    await page.setViewportSize(viewport);
    const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
    assertAtMost(Number(overflow), 0, `pixels beyond ${viewport.width}`);
    assert.equal((await judgedBy(page)).objections, []);
  }
}

/** When the calendar changes next, in milliseconds since 1970. */
async function nextChange(running: Running): Promise<number> {
  interface Answer {
    readonly calendar: { readonly nextChange: string };
  }
  const { calendar } = await running.ask<Answer>('{ calendar { nextChange } }');
  return Date.parse(calendar.nextChange.replace(' ', 'T'));
}

/** Goes to another address of the same page, and waits for it. */
async function follow(page: Page, selector: string): Promise<void> {
  await Promise.all([page.waitForEvent('load'), page.click(selector)]);
  await page.waitForFunction(`!/^Henter/.test(document.querySelector('[role=status]').textContent)`);
}

async function open({ page, origin, now }: Context, name: string, search = ''): Promise<void> {
  await page.clock.setFixedTime(now);
  await page.goto(`${origin}/${name}.html${search}`);
  await page.waitForFunction(`!/^Henter/.test(document.querySelector('[role=status]').textContent)`);
}
