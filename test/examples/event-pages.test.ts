/** The event pages of docs/examples, in Node and in PHP, which show the same. */
import { once } from 'node:events';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import { packagePath } from '../../src/package.ts';
import { built } from '../helpers/build.ts';
import { NOW } from '../helpers/calendar.ts';
import type { Client } from '../helpers/client.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { eachIn, plainText, textIn } from '../helpers/html.ts';
import { sourceFolder } from '../helpers/native-source.ts';
import { listening } from '../helpers/port.ts';
import { type Running, startServer } from '../helpers/running.ts';
import { isExpected, when } from '../helpers/when.ts';
import { type EventPages, type PhpPages, startEventPages, startPhpPages } from './event-pages.ts';
import { COPIES, EARLIER, HIDDEN_MARK, SITE, SITEMAP, SOURCE, WITH_COPIES } from './newspaper.ts';

interface Rendered {
  now: number;
  calendar: Running;
  pages: EventPages;
  php: PhpPages | undefined;
  /** The same calendar on the site of another newspaper, in Nynorsk; only with PHP. */
  other: OtherPaper;
}

const rendered = suite<Rendered>('event pages of a newspaper');
const withPhp = when(isExpected('php'), 'php is not installed here', rendered);

rendered.before(async (context) => {
  const snapshots = temporaryFolder();
  await built(sourceFolder(EARLIER), snapshots);
  await built(sourceFolder(SOURCE), snapshots, { now: NOW + 60 });
  context.now = NOW + 60;
  const clock = () => context.now * 1_000;
  context.calendar = await startServer({ snapshots, clock, context: { settings: WITH_COPIES } });
  context.pages = await startEventPages(context.calendar.url);
  if (!isExpected('php')) return;
  context.php = await startPhpPages(context.calendar.url);
  context.other = await startOtherPaper(context.calendar.url);
});
rendered.after(async ({ calendar, pages, php, other }) => {
  pages.close();
  await php?.close();
  await other?.close();
  await calendar.close();
});

type OtherPaper = Awaited<ReturnType<typeof startOtherPaper>>;

/** A newspaper of a group, whose events are hidden by its settings, by a file and by a list of the group. */
async function startOtherPaper(calendar: string) {
  const group = await startGroup();
  const hiddenFile = `${temporaryFolder()}/hidden.txt`;
  writeFileSync(hiddenFile, '');
  const environment = {
    NEWSPAPER: 'Storvik & omegn',
    WRITTEN_NORWEGIAN: 'nn',
    HIDDEN: `elsewhere, ${SITE}/arrangement/stor-korkveld?dato=2026-02-08`,
    HIDDEN_FILE: hiddenFile,
    ALMANAKK_HIDDEN_URL: group.url,
  };
  const pages = await startEventPages(calendar, environment);
  const php = await startPhpPages(calendar, environment);
  const close = async () => {
    group.stop();
    pages.close();
    await php.close();
  };
  return { pages, php, group, hiddenFile, close };
}

/** Of the list's address: no log may have it. */
const UNGUESSABLE = 'skjul-7f3a9c0e41d2';

/** The server with a group's list of hidden events, which hides none at first. */
async function startGroup() {
  let list = Buffer.from(HIDDEN_MARK);
  const server = createServer((_, response) => response.end(list));
  return {
    url: `http://127.0.0.1:${await listening(server)}/${UNGUESSABLE}.txt`,
    serve: (bytes: Buffer<ArrayBuffer>) => {
      list = bytes;
    },
    stop: () => server.close().closeAllConnections(),
  };
}

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
    'søndag 1. mars 2026 kl. 19.00 Flyttet fra lørdag 28. februar 2026 kl. 18.30 Billetter På nett · 100–1 250 kr',
    'mandag 2. mars 2026 kl. 19.00 Utsolgt Flyttet fra søndag 1. mars 2026 kl. 19.00 På nett · 300 kr',
    'tirsdag 3. mars 2026 kl. 19.00 Utsatt På nett · 100–1 250 kr',
    'onsdag 4. mars 2026 Flyttet Billetter På nett · 100–1 250 kr',
    'torsdag 5. mars 2026 kl. 22.00–02.30 Billetter På nett · 100–1 250 kr',
    'fredag 6. mars 2026 kl. 18.00 – søndag 8. mars 2026 kl. 16.00 Billetter På nett · 100–1 250 kr',
    'mandag 9. mars 2026 kl. 12.00 – tirsdag 10. mars 2026 kl. 24.00 Billetter På nett · 100–1 250 kr',
    'torsdag 12. mars 2026 – lørdag 14. mars 2026 Billetter På nett · 100–1 250 kr',
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
  const own = await startEventPages(calendar.url, { TOWNS: 'Trondheim, Ås' });
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

withPhp('I16: should show the pages in Nynorsk, in PHP as in Node', async ({ other }) => {
  const { pages, php } = other;
  const { text } = await pages.send('/arrangement/revyen');
  assert.match(text, '<html lang="nn">');
  assert.equal(datesIn(text), [
    'søndag 1. mars 2026 kl. 19.00 Flytta frå laurdag 28. februar 2026 kl. 18.30 Billettar På nett · 100–1 250 kr',
    'måndag 2. mars 2026 kl. 19.00 Utselt Flytta frå søndag 1. mars 2026 kl. 19.00 På nett · 300 kr',
    'tysdag 3. mars 2026 kl. 19.00 Utsett På nett · 100–1 250 kr',
    'onsdag 4. mars 2026 Flytta Billettar På nett · 100–1 250 kr',
    'torsdag 5. mars 2026 kl. 22.00–02.30 Billettar På nett · 100–1 250 kr',
    'fredag 6. mars 2026 kl. 18.00 – søndag 8. mars 2026 kl. 16.00 Billettar På nett · 100–1 250 kr',
    'måndag 9. mars 2026 kl. 12.00 – tysdag 10. mars 2026 kl. 24.00 Billettar På nett · 100–1 250 kr',
    'torsdag 12. mars 2026 – laurdag 14. mars 2026 Billettar På nett · 100–1 250 kr',
  ]);
  const { text: list } = await pages.send('/arrangementer?kategori=MUSIC');
  assert.match(list, '<h1>Det skjer: Song og spel</h1>');
  assert.match(list, '>Song og spel</option>');
  assert.match(list, '– Storvik &#38; omegn</title>');
  for (const path of IN_NYNORSK) assert.equal(await shownBy(php, path), await shownBy(pages, path), path);
});

withPhp('should hide the events that its settings name', async ({ other: { pages } }) => {
  for (const slug of ['stor-korkveld', 'korkveld'])
    assert.is((await pages.send(`/arrangement/${slug}`)).status, 410, slug);
  assert.is(datesIn((await pages.send('/arrangementer')).text).length, 18);
  assert.not.match((await pages.send(SITEMAP)).text, 'korkveld');
});

withPhp('should hide the events that its file names, as editors write them', async (context) => {
  const { calendar, other } = context;
  // Lines of Windows, with the mark that its editor sets. The last one is an id.
  const lines = [
    '\uFEFFrevue i kveld',
    'https://avisen.example/?arrangement=tunet',
    `Se ${calendar.url}/events/omvisning.html (Ås, på nytt).`,
    'avis:https://scene.example/a/tur-3',
  ];
  writeFileSync(other.hiddenFile, lines.join('\r\n'));
  for (const one of [other.pages, other.php]) {
    assert.is((await one.send('/arrangement/revyen')).status, 410, 'an event that is hidden by its id');
    assert.is((await one.send('/arrangement/tur-3')).status, 200, 'the last part of an id');
    assert.is(datesIn((await one.send('/arrangementer')).text).length, 15);
    assert.not.match((await one.send(SITEMAP)).text, /revyen|omvisning/);
  }
  rmSync(other.hiddenFile);
  for (const one of [other.pages, other.php]) {
    const { result } = await withErrors(() => one.send('/arrangement/revyen'));
    assert.is(result.status, 410, 'an event of the file while it cannot be read');
  }
  assert.match(other.php.logged(), 'HIDDEN_FILE: ');
});

const stateOf = ({ send }: Client) => send('/arrangementer?almanakk_hidden=copy');

/** What the Blackbox Exporter looks for. */
const MODULE_OF_LIST = new RegExp(
  parse(readFileSync(packagePath('docs/blackbox.yml'), 'utf8')).modules.almanakk_hidden_list.http
    .fail_if_body_not_matches_regexp[0],
);

withPhp('should tell programs that it can read the list of its group', async ({ other }) => {
  for (const site of [other.pages, other.php]) {
    const { headers, text } = await stateOf(site);
    assert.equal([headers['content-type'], headers['cache-control']], ['application/json', 'no-store']);
    assert.is(text, '{"list":"copy","failingSeconds":0}');
    assert.match(text, MODULE_OF_LIST);
  }
});

withPhp('should tell programs that it reads no list', async ({ pages }) => {
  const { text } = await stateOf(pages);
  assert.is(text, '{"list":"none","failingSeconds":0}');
  assert.not.match(text, MODULE_OF_LIST);
});

/** What the address of a group's list of hidden events returns, one minute after the other. It is in Windows-1252. */
const LISTS_OF_GROUP: readonly (readonly [what: string, text: string | null])[] = [
  ['a list', `${HIDDEN_MARK}\nhttps://blad.example/arrangement/tur-3 på nytt\n`],
  ['an empty text', ''],
  ['another page', 'tur-4'],
  ['a list that is too long', `${HIDDEN_MARK}\ntur-4\n${' '.repeat(70_000)}`],
  ['no response', null],
];

withPhp('should hide what the list of its group names, also while it cannot be read', async (context) => {
  const { other } = context;
  const { pages, php, group } = other;
  const { now: clock } = Date;
  const logged: string[] = [];
  try {
    for (const [minute, [what, text]] of LISTS_OF_GROUP.entries()) {
      if (text === null) group.stop();
      else group.serve(Buffer.from(text, 'latin1'));
      Date.now = () => clock() + (minute + 1) * 61_000;
      ageCache(php.cache);
      for (const one of [pages, php]) {
        const { result, errors } = await withErrors(() =>
          Promise.all(['tur-3', 'tur-4'].map((slug) => one.send(`/arrangement/${slug}`))),
        );
        const statuses = result.map(({ status }) => status);
        assert.equal(statuses, [410, 200], what);
        logged.push(errors);
      }
    }
    const { text: state } = await stateOf(pages);
    assert.match(state, /^\{"list":"copy","failingSeconds":1\d\d\}$/, 'since the second minute');
    assert.not.match(state.replace(/1\d\d/, '600'), MODULE_OF_LIST);
  } finally {
    Date.now = clock;
  }
  for (const log of [logged.join('\n'), php.logged()]) {
    assert.match(log, /ALMANAKK_HIDDEN_URL: .* the list, found tur-4[\s\S]*ALMANAKK_HIDDEN_URL: /);
    assert.not.match(log, UNGUESSABLE);
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

rendered.run();
