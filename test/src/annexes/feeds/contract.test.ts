/** Feeds by their addresses: which nodes they hold, how HTTP carries them, and how many of them (I1). */
import { gunzipSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { feeds as annex } from '../../../../src/annexes/feeds/annex.ts';
import {
  assertAbove,
  assertAtMost,
  assertExcludes,
  assertIncludes,
  assertOneOf,
} from '../../../helpers/assertions.ts';
import { NOW } from '../../../helpers/calendar.ts';
import { closedAfterEach } from '../../../helpers/closing.ts';
import { eachIn, plainText } from '../../../helpers/html.ts';
import { sourceFolder } from '../../../helpers/native-source.ts';
import { type Running, startBuilt } from '../../../helpers/running.ts';
import { SAMPLE_START, startSample } from '../../serve/http/sample.ts';
import { GOOD_KEY, type Got, type Stand } from '../../serve/http/stand.ts';
import { nodesOf, titleOf } from './asked.ts';

const feeds = suite<{ stand: Stand }>('feeds');
const opened = closedAfterEach(feeds);

feeds.before(async (context) => {
  context.stand = await startSample({ annexes: [annex], cacheBytes: 400_000_000 });
});
feeds.after(async ({ stand }) => stand.close());
feeds.before.each(({ stand }) => stand.setClock(SAMPLE_START));

const TYPES = {
  '/events.ics': 'text/calendar; charset=utf-8',
  '/events.rss': 'application/rss+xml; charset=utf-8',
  '/events.jsonld': 'application/ld+json; charset=utf-8',
  '/events.json': 'application/json; charset=utf-8',
  '/events.geojson': 'application/geo+json; charset=utf-8',
  '/events.csv': 'text/csv; charset=utf-8; header=present',
};
const PATHS = Object.keys(TYPES);

const guidsIn = ({ text }: Got) => eachIn(text, /<guid isPermaLink="false">(.*?)<\/guid>/g);
const uidsIn = ({ text }: Got) => eachIn(text.replaceAll('\r\n ', ''), /^UID:(.*)@trondelag\r$/gm);
const identifiersIn = ({ text }: Got) => eachIn(text, /"identifier":"([^"]*)"/g);
const maxAgeOf = ({ headers }: Got) => Number(/max-age=(\d+)/.exec(headers['cache-control'] ?? '')?.[1]);

/** Addresses, and the arguments of `events` that mean the same. */
const SAME: Readonly<Record<string, object>> = {
  '': {},
  'categories=MUSIC&categories=ART': { filter: { categories: ['MUSIC', 'ART'] } },
  'categories=MUSIC,ART,': { filter: { categories: ['MUSIC', 'ART'] } },
  'notCategories=MUSIC&mode=offline': { filter: { notCategories: ['MUSIC'], mode: 'offline' } },
  'searchTerm=konsert%20i': { filter: { searchTerm: 'konsert i' } },
  'hoursRange=18:00-24:00&cancelledNotIncluded=true': {
    filter: { hoursRange: '18:00-24:00', cancelledNotIncluded: true },
  },
  'free=true&accessibility=WHEELCHAIR': { filter: { free: true, accessibility: ['WHEELCHAIR'] } },
  'onlyFeatured=true&soldOutNotIncluded=false': { filter: { onlyFeatured: true } },
  'fromDate=2026-07-01T00:00:00%2B02:00&untilDate=2026-07-08%2000:00:00Z': {
    filter: { fromDate: '2026-07-01 00:00:00+02:00', untilDate: '2026-07-08 00:00:00Z' },
  },
  'groupRepetitionsByDay=true&pageSize=40': { filter: { groupRepetitionsByDay: true }, pageSize: 40 },
  'page=2&pageSize=7': { page: 2, pageSize: 7 },
  'page=9999&pageSize=1000': { page: 9999, pageSize: 1000 },
  'municipality=TRONDHEIM&tag=&venues=&page=': { filter: { municipality: 'Trondheim' } },
  'superEvent=evt-185': { filter: { superEvent: 'evt-185' } },
  'categories=NO_SUCH': { filter: { categories: ['NO_SUCH'] } },
  'sortBy=title': {},
  'utm_source=brev&mode=offline&utm_x=&fbclid=IwAR0&gclid=1&msclkid=1&mc_cid=1&mc_eid=1&igshid=1&_ga=1&_gl=1&cb=9&ref=x':
    { filter: { mode: 'offline' } },
  'near=63.43,10.39,2': { filter: { near: { latitude: 63.43, longitude: 10.39, km: 2 } } },
  'area=63.4,%2063.45,10,10.4': {
    filter: { area: { minLatitude: 63.4, maxLatitude: 63.45, minLongitude: 10, maxLongitude: 10.4 } },
  },
};

for (const [search, args] of Object.entries(SAME)) {
  const what = search || 'without a filter';
  feeds(`I1: should hold the nodes of events, in their order: ${what}`, async ({ stand }) => {
    const ids = (await nodesOf(stand.url, args)).map(({ occurrenceID }) => occurrenceID);
    assert.equal(guidsIn(await stand.send(`/events.rss?${search}`)), ids);
  });
}

feeds('I2, I4: should hold an entry for the shown date and one for each repetition', async ({ stand }) => {
  const nodes = await nodesOf(stand.url, { pageSize: 20 });
  const ids = nodes.flatMap((node) => [node.occurrenceID, ...node.repetitions.map(({ id }) => id)]);
  assertAbove(ids.length, 100, 'occurrences');
  assert.equal(uidsIn(await stand.send('/events.ics?pageSize=20&repetitions=all')), ids);
  assert.equal(identifiersIn(await stand.send('/events.jsonld?pageSize=20&repetitions=all')), ids);
});

feeds('I1: should hold 250 nodes by default, and a thousand at the most (B7)', async ({ stand }) => {
  for (const { more, count } of [
    { more: '', count: 250 },
    { more: '&pageSize=99999', count: 1_000 },
  ] as const)
    assert.is(guidsIn(await stand.send(`/events.rss?groupRepetitionsByDay=true${more}`)).length, count);
});

feeds('I1: should link to the next page, without the key, up to the last one', async ({ stand }) => {
  const nodes = await nodesOf(stand.url, { filter: { mode: 'online' } });
  const pages = Math.ceil(nodes.length / 2);
  assertAbove(pages, 2, 'pages');
  const following = Array.from({ length: pages - 1 }, (_, at) => `?mode=online&pageSize=2&page=${at + 1}`);
  for (const path of PATHS) {
    const linked: string[] = [];
    for (let search: string | undefined = `?mode=online&pageSize=2&key=${GOOD_KEY}`; search !== undefined; ) {
      const { headers } = await stand.send(path + search);
      [, search] = /^<([^>]*)>; rel="next"$/.exec(headers.link ?? '') ?? [];
      if (search !== undefined) linked.push(search);
    }
    assert.equal(linked, following, path);
  }
});

feeds('I1: should hold one event, if the filter lets it, or none', async ({ stand }) => {
  const [first, second] = await nodesOf(stand.url, { filter: { categories: ['MUSIC'] } });
  const { id = '', occurrenceID } = second ?? {};
  for (const { more, ids } of [
    { more: '', ids: [occurrenceID] },
    { more: '&categories=MUSIC', ids: [occurrenceID] },
    { more: '&notCategories=MUSIC', ids: [] },
    { more: '&page=1', ids: [] },
  ] as const)
    assert.equal(guidsIn(await stand.send(`/events.rss?event=${id}${more}`)), ids, more);
  for (const path of PATHS) {
    const { status, text } = await stand.send(`${path}?event=nobodys`);
    assert.is(status, 200, path);
    assert.not.match(text, first?.occurrenceID ?? '');
  }
});

feeds('I1, I16: should say which language a list is in', async ({ stand }) => {
  for (const path of PATHS) {
    for (const [search, language] of [
      ['', 'nb'],
      ['?lang=nn', 'nn'],
    ]) {
      const { headers } = await stand.send(`${path}${search}`);
      assert.is(headers['content-language'], language, path);
    }
  }
});

feeds('I1: should speak the language asked for, else the other', async ({ stand }) => {
  const nodes = await nodesOf(stand.url);
  assertIncludes(
    nodes.map(({ title_en }) => title_en),
    null,
  );
  for (const { search, language } of [
    { search: '', language: 'nb' },
    { search: '?lang=nb', language: 'nb' },
    { search: '?lang=en', language: 'en' },
    { search: '?lang=nn', language: 'nb' },
  ] as const) {
    const { text } = await stand.send(`/events.rss${search}`);
    assert.equal(
      eachIn(text, /<item>\n<title>(.*?)<\/title>/g).map((title) => plainText(title)),
      nodes.map((node) => titleOf(node, language)),
    );
  }
});

const REFUSED: Readonly<Record<string, readonly string[]>> = {
  'utmsource=x': ['utmsource'],
  'Categories=MUSIC': ['Categories'],
  'fromDate=tomorrow&untilDate=2026-02-30T00:00:00Z': ['fromDate', 'untilDate'],
  'onlyFeatured=yes': ['onlyFeatured'],
  'mode=hybrid&page=-1&pageSize=0': ['mode', 'page', 'pageSize'],
  'page=1.5': ['page'],
  'near=63.43,10.39&area=1,2,3,x': ['near', 'area'],
  'near=63.43,10.39,1e3&area=91,1,1,1': ['near', 'area'],
  'pageSize=ten&x=1&lang=de': ['pageSize', 'x', 'lang'],
  'venueSlug=a&venueSlug=b': ['venueSlug'],
  'key=a&hoursRange=evening': ['hoursRange'],
  'constructor=x&toString=x&__proto__=x': ['constructor', 'toString', '__proto__'],
};

for (const [search, invalidArgs] of Object.entries(REFUSED)) {
  feeds(
    `I1: should refuse unknown and unreadable parameters, all in one refusal: ${search}`,
    async ({ stand }) => {
      for (const path of PATHS) {
        const { status, headers, text } = await stand.send(`${path}?${search}`);
        assert.is(status, 400, path);
        assert.is(headers['content-type'], 'application/json; charset=utf-8', path);
        assert.is(headers['cache-control'], 'no-store', path);
        const [{ message, extensions }] = JSON.parse(text).errors;
        const { reasons, ...rest } = extensions;
        assert.is(message, 'Query Arguments invalid', path);
        assert.equal(rest, { code: 'BAD_USER_INPUT', invalidArgs }, path);
        assert.is(reasons.length, invalidArgs.length, path);
      }
    },
  );
}

feeds('I1: should name 20 of 120 mistakes, each shortened', async ({ stand }) => {
  const search = Array.from({ length: 120 }, (_, at) => `${'x'.repeat(100)}${at}=y`).join('&');
  const { status, text } = await stand.send(`/events.ics?${search}`);
  assert.is(status, 400);
  const { invalidArgs, reasons } = JSON.parse(text).errors[0].extensions;
  assert.equal(invalidArgs, new Array(20).fill('x'.repeat(60)));
  assert.is(reasons.length, 20);
  for (const reason of reasons) assertAtMost(reason.length, 200, `letters: ${reason}`);
});

for (const before of ['', 'x']) {
  feeds(
    `I1: should not cut ${before}🎄 in two where a refusal shortens a name or a value`,
    async ({ stand }) => {
      const trees = before + '🎄'.repeat(120);
      const { status, text } = await stand.send(
        `/events.json?${new URLSearchParams([
          [trees, '1'],
          ['fromDate', trees],
        ])}`,
      );
      assert.is(status, 400);
      const { invalidArgs, reasons } = JSON.parse(text).errors[0].extensions;
      for (const shown of [...invalidArgs, ...reasons]) assert.not.match(shown, /\p{Surrogate}/u);
      assert.is(invalidArgs.length, 2);
    },
  );
}

for (const [path, type] of Object.entries(TYPES)) {
  const address = `${path}?pageSize=5`;

  feeds(`I1: should have a media type, and be for pages of any origin: ${path}`, async ({ stand }) => {
    const { headers } = await stand.send(address);
    assert.is(headers['content-type'], type);
    assert.is(headers['access-control-allow-origin'], '*');
    assert.match(headers['cache-control'] ?? '', /^public, max-age=\d+$/);
  });

  feeds(`I1, D6: should answer 304 to a client that has the list: ${path}`, async ({ stand }) => {
    const { headers } = await stand.send(address);
    const { etag = '' } = headers;
    assert.match(etag, /^"[\w-]+"$/);
    const again = await stand.send(address, { headers: { 'if-none-match': `"x", ${etag}` } });
    assert.is(again.status, 304);
    assert.is(again.text, '');
    assert.is(again.headers.etag, etag);
    assert.is(again.headers['cache-control'], headers['cache-control']);
  });

  feeds(`I1: should answer HEAD as GET, without the body: ${path}`, async ({ stand }) => {
    const { headers, bytes } = await stand.send(address);
    const head = await stand.send(address, { method: 'HEAD' });
    assert.is(head.status, 200);
    assert.is(head.text, '');
    assert.is(head.headers.etag, headers.etag);
    assert.is(head.headers['content-length'], `${bytes.length}`);
  });

  feeds(`I1, D7: should be compressed, with an entity tag of its own: ${path}`, async ({ stand }) => {
    const plain = await stand.send(address);
    const zipped = await stand.send(address, { headers: { 'accept-encoding': 'gzip' } });
    assert.match(zipped.headers.vary ?? '', 'Accept-Encoding');
    assert.is.not(zipped.headers.etag, plain.headers.etag);
    assert.is(`${gunzipSync(zipped.bytes)}`, plain.text);
  });

  feeds(`I1, D6: should be cached by representation: ${path}`, async ({ stand }) => {
    // An answer that was asked for once is only cached where there is room.
    stand.app.clearCaches();
    stand.traffic.length = 0;
    await stand.send(address);
    await stand.send(address);
    await stand.send(address, { headers: { 'accept-encoding': 'gzip' } });
    assert.equal(
      stand.traffic.map(({ route, isCacheHit }) => ({ route, isCacheHit })),
      [
        { route: path, isCacheHit: false },
        { route: path, isCacheHit: true },
        { route: path, isCacheHit: false },
      ],
    );
  });
}

feeds('A3: should be right for its second, and fresh until the next change (D6)', async ({ stand }) => {
  const [first] = await nodesOf(stand.url, { filter: { fromStartDate: '2026-06-15 08:00:00Z' } });
  const end = Date.parse((first?.endDate ?? '').replace(' ', 'T'));
  stand.setClock(end - 7_000);
  const before = await stand.send('/events.ics?fromStartDate=2026-06-15T08:00:00Z');
  assertAtMost(maxAgeOf(before), 7, 'seconds');
  assertIncludes(uidsIn(before), first?.occurrenceID ?? '');
  stand.setClock(end);
  const after = await stand.send('/events.ics?fromStartDate=2026-06-15T08:00:00Z');
  assertExcludes(uidsIn(after), first?.occurrenceID ?? '');
});

feeds('B12: should be fresh until midnight where a feed depends on the day', async ({ stand }) => {
  const midnight = Date.parse('2026-06-15T22:00:00Z');
  stand.setClock(midnight - 5_000);
  const before = await stand.send('/events.rss?period=TODAY');
  assertAtMost(maxAgeOf(before), 5, 'seconds');
  stand.setClock(midnight);
  const nodes = await nodesOf(stand.url, { filter: { period: 'TODAY' } });
  const ids = nodes.map(({ occurrenceID }) => occurrenceID);
  assert.equal(guidsIn(await stand.send('/events.rss?period=TODAY')), ids);
  assert.is.not(ids.length, guidsIn(before).length);
});

feeds('I1: should count a key and keep its answer out of shared caches', async ({ stand }) => {
  const got = await stand.send(`/events.ics?pageSize=1&key=${GOOD_KEY}`);
  assert.match(got.headers['cache-control'] ?? '', /^private, /);
  assert.not.match(got.text, GOOD_KEY);
  assert.is(stand.traffic.at(-1)?.caller.name, 'App');
});

feeds(
  'I1: should share the response of a list among all keys, and with callers without one',
  async ({ stand }) => {
    stand.traffic.length = 0;
    const list = '/events.json?pageSize=3&page=2';
    const bodies = [];
    for (const path of [`${list}&key=${GOOD_KEY}`, `${list}&key=another`, list])
      bodies.push((await stand.send(path)).text);
    const [first] = bodies;
    assert.equal(bodies, [first, first, first]);
    const hits = stand.traffic.map(({ isCacheHit }) => isCacheHit);
    assert.equal(hits, [false, true, true]);
  },
);

feeds('I1: should answer a preflight, and refuse other methods and paths', async ({ stand }) => {
  const preflight = { origin: 'https://avis.example', 'access-control-request-method': 'GET' };
  for (const path of PATHS) {
    assert.is((await stand.send(path, { method: 'OPTIONS', headers: preflight })).status, 204, path);
    const post = await stand.send(path, { method: 'POST' });
    assert.is(post.status, 405, path);
    assert.is(post.headers.allow, 'GET, HEAD, OPTIONS');
  }
  assert.is((await stand.send('/events.xml')).status, 404);
  assert.is((await stand.send('/events.ics/')).status, 404);
});

feeds('I1: should write its address with the host name of the request', async ({ stand }) => {
  stand.serverAddress.listenUnder('kalender.example', 443);
  const headers = { host: 'kalender.example', 'x-forwarded-proto': 'https' };
  const { text, headers: got } = await stand.send('/events.ics?pageSize=1&lang=en', { headers });
  assert.match(text, 'SOURCE;VALUE=URI:https://kalender.example/events.ics?pageSize=1&lang=en\r\n');
  assert.match(got.vary ?? '', 'X-Forwarded-Proto');
  assert.not.match((await stand.send('/events.ics?pageSize=1&lang=en')).text, 'kalender.example');
});

feeds('D14: should be made once for all unknown host names', async ({ stand }) => {
  for (const path of Object.keys(TYPES)) {
    const before = stand.admission.state().admitted;
    const texts = new Set<string>();
    for (const host of ['a.example', 'b.example:80', `127.0.0.1:${stand.port + 1}`, 'c', '"><x>']) {
      const { status, text } = await stand.send(`${path}?pageSize=2`, { headers: { host } });
      assert.is(status, 200, `${path} for ${host}`);
      texts.add(text);
    }
    assert.is(stand.admission.state().admitted - before, 1, path);
    assert.is(texts.size, 1, `different texts of ${path}`);
    assert.not.match([...texts].join(''), /a\.example|b\.example|SOURCE|rel="self"/);
  }
});

feeds('I1: should say that the calendar is not ready yet', async () => {
  const stand = opened(await startSample({ annexes: [annex], hasSnapshot: false }));
  const { status, headers, text } = await stand.send('/events.rss');
  assert.is(status, 503);
  assert.is(headers['retry-after'], '5');
  assert.is(JSON.parse(text).errors[0].extensions.code, 'SERVICE_UNAVAILABLE');
});

feeds('D12: should accept an address in absolute form, and any bytes in its query', async ({ stand }) => {
  const got = await stand.raw(
    'GET http://kalender.example/events.rss?event=nobodys HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
  );
  assert.match(got, /^HTTP\/1\.1 200 OK\r\n/);
  assert.match(got, '<rss version="2.0"');
  for (const search of ['searchTerm=%ff%fe%00', 'tag=%', '&&=&=', 'event=%F0%9F%8E%BA', 'searchTerm=+++']) {
    assertOneOf((await stand.send(`/events.ics?pageSize=1&${search}`)).status, [200, 400], `for ${search}`);
  }
  assert.equal(stand.logged, []);
});

feeds.run();

const many = suite<{ running: Running }>('feeds of many occurrences');

/** 20 events on each of 500 days, ten with a long description, and 20 at a place with a long address. */
many.before(async (context) => {
  const repeats = [{ rule: 'FREQ=DAILY;COUNT=500', start: '2026-01-02 18:00', duration: 60 }];
  const daily = (count: number, tag: string, more = {}) =>
    Array.from({ length: count }, (_, at) => ({
      id: `${tag}${at}`,
      title_nb: `Hver dag ${at}`,
      tags: [tag],
      repeats,
      ...more,
    }));
  const source = sourceFolder({
    'events.json': [
      ...daily(20, 'kort'),
      ...daily(10, 'lang', { desc_nb: 'Blåbær '.repeat(1_200) }),
      ...daily(20, 'sted', { venue: 'v' }),
    ],
    'venues.json': [{ id: 'v', name: 'Hallen', address: 'å'.repeat(1_990) }],
  });
  context.running = await startBuilt(source, NOW);
});
many.after(async ({ running }) => running.close());

many('D14: should write 10,000 occurrences, and answer others meanwhile', async ({ running: { send } }) => {
  const done: string[] = [];
  const asked = async (path: string) => {
    const { text } = await send(path);
    done.push(path);
    return text;
  };
  const paths = ['/events.ics?tag=kort&repetitions=all', '/events.rss?event=kort1'];
  const [text = ''] = await Promise.all(paths.map(asked));
  assert.is(text.split('BEGIN:VEVENT').length - 1, 10_000);
  assert.equal(done, paths.toReversed());
});

for (const path of ['/events.ics', '/events.jsonld']) {
  many(
    `D10: should refuse ${path} of more than 32 MiB, and say what to do`,
    async ({ running: { send } }) => {
      const { status, text } = await send(`${path}?repetitions=all&tag=sted`);
      assert.is(status, 400);
      const [{ message, extensions }] = JSON.parse(text).errors;
      assert.is(extensions.code, 'QUERY_TOO_COMPLEX');
      assert.match(message, /32 MiB.*smaller page/);
    },
  );
}

many('D10: should answer with a smaller page of the same list', async ({ running: { send } }) => {
  assert.is((await send('/events.ics?tag=sted&pageSize=2&repetitions=all')).status, 200);
});

for (const path of ['/events.ics', '/events.jsonld', '/events.csv']) {
  many(
    `D10: should leave out descriptions for which ${path} has no room, and keep all dates`,
    async (context) => {
      const { status, text } = await context.running.send(`${path}?repetitions=all&tag=lang`);
      assert.is(status, 200);
      // The descriptions of one event fit, those of ten do not.
      assertAbove(text.replaceAll(/\r\n /g, '').split('Blåbær Blåbær').length, 100, 'parts');
      assert.is(text.split(/BEGIN:VEVENT|"identifier"|\r\nlang\d,/).length - 1, 5_000, 'dates');
    },
  );
}

many.run();
