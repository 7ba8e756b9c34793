/** How feeds are asked for: conditionally, patiently, and not everywhere; L3: tables and pages, too, and what becomes of a build when they fail. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isPublicAddress } from '../../../../jobs/kit/public-address.ts';
import { NOW } from '../../../helpers/calendar.ts';
import { calendar, DAY_LATER, entry, folderOf, GOOD, healthOf } from '../../../helpers/feed-files.ts';
import { always, type FeedServer, startFeedServer } from '../../../helpers/feed-server.ts';
import { builtWithFeeds, FEED_SETTINGS } from '../../../helpers/feeds.ts';
import { temporaryFolder } from '../../../helpers/folder.ts';

const test = suite<{ feeds: FeedServer }>('feed requests');

test.before(async (context) => {
  context.feeds = await startFeedServer(always(200, GOOD));
});
test.before.each(({ feeds }) => {
  feeds.requests.length = 0;
  feeds.answer = always(200, GOOD);
});
test.after(async ({ feeds }) => feeds.close());

test('G7: should publish nothing when the records of a feed are the same, in whatever form', async ({
  feeds,
}) => {
  const source = folderOf({ url: feeds.url });
  const target = temporaryFolder();
  const stamped = (moment: string) => calendar(entry('a', `DTSTAMP:${moment}\r\n`), entry('b'));
  feeds.answer = always(200, stamped('20260101T000000Z'));
  await builtWithFeeds(source, target);
  feeds.answer = always(200, brotliCompressSync(stamped('20260101T010000Z')), { 'content-encoding': 'br' });
  const { result } = await builtWithFeeds(source, target, { now: NOW + 3600 });
  assert.is(result.outcome, 'unchanged');
});

test('should send a conditional request, and a full one when the settings of the feed have changed', async ({
  feeds,
}) => {
  const seen: (string | undefined)[] = [];
  feeds.answer = (request, response) => {
    seen.push(request.headers['if-none-match']);
    if (request.headers['if-none-match'] === '"v1"') response.writeHead(304).end();
    else always(200, GOOD, { etag: '"v1"' })(request, response);
  };
  const source = folderOf({ url: feeds.url });
  const target = temporaryFolder();
  for (let times = 0; times < 2; times++) await builtWithFeeds(source, target);
  writeFileSync(
    join(source, 'sources.json'),
    JSON.stringify([{ id: 'hall', kind: 'ical', url: feeds.url, defaults: { categories: ['ART'] } }]),
  );
  const { report } = await builtWithFeeds(source, target);
  assert.equal(seen, [undefined, '"v1"', undefined]);
  assert.is(report.feeds[0]?.state, 'ok');
});

for (const [what, status, asked, seconds] of [
  ['as it asks', 429, '3600', 3_600],
  ['a day at most', 503, '999999999', 86_400],
] as const) {
  test(`should leave a server alone for as long ${what}`, async ({ feeds }) => {
    const source = folderOf({ url: feeds.url });
    const target = temporaryFolder();
    feeds.answer = always(status, '', { 'retry-after': asked });
    for (const [later, requests] of [
      [0, 1],
      [seconds - 1, 1],
      [seconds + 1, 2],
    ] as const) {
      await builtWithFeeds(source, target, { now: NOW + later });
      assert.is(feeds.requests.length, requests);
    }
  });
}

test('should keep an entity tag of up to 200 characters', async ({ feeds }) => {
  const seen: (string | undefined)[] = [];
  for (const length of [200, 201]) {
    const etag = `"${'x'.repeat(length - 2)}"`;
    feeds.answer = (request, response) => {
      seen.push(request.headers['if-none-match']);
      always(200, GOOD, { etag })(request, response);
    };
    const source = folderOf({ url: feeds.url });
    const target = temporaryFolder();
    for (let times = 0; times < 2; times++) await builtWithFeeds(source, target);
  }
  assert.equal(
    seen.map((tag) => tag?.length),
    [undefined, 200, undefined, undefined],
  );
});

test('should follow redirects, and send the feed’s key to its own host alone', async ({ feeds }) => {
  const other = await startFeedServer(always(200, GOOD));
  feeds.answer = (request, response) =>
    always(302, '', { location: request.url === '/' ? '/moved' : other.url })(request, response);
  const source = folderOf({ url: feeds.url, apiKeyEnv: 'HALL_KEY' });
  const variable = (name: string) => (name === 'HALL_KEY' ? 'secret' : undefined);
  const { result } = await builtWithFeeds(source, temporaryFolder(), {
    feedSettings: { ...FEED_SETTINGS, variable },
  });
  assert.is(result.counts.events, 5);
  const keys = [...feeds.requests, ...other.requests].map(({ headers }) => headers['x-api-key']);
  assert.equal(keys, ['secret', 'secret', undefined]);
  await other.close();
});

test('should name the variable of a missing key', async ({ feeds }) => {
  const { report } = await builtWithFeeds(
    folderOf({ url: feeds.url, apiKeyEnv: 'HALL_KEY' }),
    temporaryFolder(),
  );
  assert.is(report.feeds[0]?.why, 'expected a key in the variable HALL_KEY, found none');
});

test('should not reach into private networks unless a setting allows it', async ({ feeds }) => {
  const feedSettings = { ...FEED_SETTINGS, allowPrivate: false };
  feeds.answer = always(200, GOOD);
  const { port } = new URL(feeds.url);
  for (const host of ['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]', '0x7f000001', '2130706433']) {
    const source = folderOf({ url: `http://${host}:${port}/` });
    const { report } = await builtWithFeeds(source, temporaryFolder(), { feedSettings });
    assert.is(report.feeds[0]?.reason, 'address refused', host);
  }
  assert.is(feeds.requests.length, 0);
});

const PUBLIC = '8.8.8.8 172.32.0.1 2606:4700::1 64:ff9b::808:808 2a00:1450:4001::1 ::ffff:8.8.8.8';
const OTHERS = `0.0.0.0 10.1.2.3 100.64.1.1 127.8.8.8 169.254.169.254 172.16.0.1 192.168.1.1 198.18.0.1 224.0.0.1 255.255.255.255
  192.0.0.8 203.0.113.1 010.1.2.3 0x08080808 nowhere :: ::1 ::7f00:1 ::ffff:10.0.0.1 ::ffff:7f00:1 64:ff9b::a00:1 64:ff9b:1::808:808
  2002:7f00:1:: 2002:808:808:: 2001::1 2001:db8::1 4000::1 fc00::1 fe80::1%eth0 ff02::1`;

test('should tell public addresses from private ones', () => {
  assert.equal(PUBLIC.split(' ').filter(isPublicAddress), PUBLIC.split(' '));
  assert.equal(OTHERS.split(/\s+/).filter(isPublicAddress), []);
});

const TABLE = 'Tittel;Start\nKor;14.02.2027 kl. 19.00\nQuiz;15.02.2027\n';

const FAILURES: Readonly<Record<string, readonly [reason: string, body: string | Buffer]>> = {
  'a page to log in on': ['unreadable answer', '<!doctype html><title>Logg inn</title>'],
  'a workbook': ['unreadable answer', Buffer.from('PK\x03\x04 and so on')],
  'a table of something else': ['unreadable answer', 'Navn;Telefon\nKari;12345678\n'],
  nothing: ['empty', ''],
  'half of a table': ['truncated', TABLE.replace('Quiz', '"Quiz')],
};

test('L3: should keep the last good rows of a table whatever comes in its place', async ({ feeds }) => {
  feeds.answer = always(200, TABLE, { etag: '"one"' });
  const target = temporaryFolder();
  const source = folderOf({ kind: 'csv', url: `${feeds.url}/pub?output=csv` });
  const first = await builtWithFeeds(source, target);
  assert.equal([healthOf(first)?.state, first.result.counts.events], ['ok', 5]);
  for (const [what, [reason, body]] of Object.entries(FAILURES)) {
    feeds.answer = always(200, body);
    const built = await builtWithFeeds(source, target, { now: DAY_LATER });
    assert.equal([what, healthOf(built)?.state, healthOf(built)?.reason], [what, 'stale', reason]);
    assert.is(built.report.feeds[0]?.counts.events, 2, what);
  }
  feeds.answer = always(304, '');
  assert.is(healthOf(await builtWithFeeds(source, target, { now: DAY_LATER }))?.state, 'ok');
  assert.is(feeds.requests.at(-1)?.headers['if-none-match'], '"one"');
});

const pageOf = (name: string) =>
  `<script type="application/ld+json">{"@type":"Event","name":"${name}","startDate":"2027-02-14"}</script>`;

test('L2, L3: should ask for pages one by one, and again only for what has changed', async ({ feeds }) => {
  const pages: Record<string, readonly [body: string, tag: string] | null> = {
    '/1': [pageOf('Kor'), '"a"'],
    '/2': [pageOf('Quiz'), '"b"'],
    '/3': [pageOf('Bingo'), '"c"'],
  };
  let isDown = false;
  feeds.answer = (request, response) => {
    const [body, etag] = pages[request.url ?? ''] ?? [null, ''];
    if (isDown && request.url === '/3') response.writeHead(503).end();
    else if (body === null) response.writeHead(410).end();
    else if (request.headers['if-none-match'] === etag) response.writeHead(304).end();
    else response.writeHead(200, { etag }).end(body);
  };
  const target = temporaryFolder();
  const url = Object.keys(pages).map((path) => feeds.url + path);
  const source = folderOf({ kind: 'jsonld', url });
  const build = async () => {
    feeds.requests.length = 0;
    const built = await builtWithFeeds(source, target);
    return [
      healthOf(built)?.state,
      built.report.feeds[0]?.counts.events,
      feeds.requests.map((request) => request.url),
    ];
  };
  assert.equal(await build(), ['ok', 3, ['/1', '/2', '/3']]);
  assert.equal(await build(), ['ok', 3, ['/1', '/2', '/3']], 'nothing has changed');
  pages['/2'] = [`${pageOf('Quiz')}${pageOf('Kviss')}`, '"d"'];
  assert.equal(await build(), ['ok', 4, ['/1', '/2', '/3', '/1', '/3']]);
  pages['/1'] = null;
  assert.equal(await build(), ['ok', 3, ['/1', '/2', '/3', '/2', '/3']], 'a page is there no more');
  assert.equal(await build(), ['ok', 3, ['/1', '/2', '/3']], 'it is still gone');
  pages['/1'] = [pageOf('Kor'), '"e"'];
  assert.equal((await build()).slice(0, 2), ['ok', 4], 'it is there again');
  pages['/1'] = null;
  await build();
  isDown = true;
  assert.equal((await build()).slice(0, 2), ['stale', 3], 'one of them fails');
  isDown = false;
  pages['/2'] = null;
  pages['/3'] = null;
  assert.equal((await build()).slice(0, 2), ['stale', 3], 'all of them are gone');
});

test('should hold all pages of a feed to four times the bytes of one', async ({ feeds }) => {
  feeds.answer = always(200, pageOf('Kor').padEnd(1_000));
  const url = [1, 2, 3, 4, 5].map((page) => `${feeds.url}/${page}`);
  const build = (pages: readonly string[]) =>
    builtWithFeeds(folderOf({ kind: 'jsonld', url: pages, maxMegabytes: 0.001 }), temporaryFolder());
  assert.is(healthOf(await build(url.slice(1)))?.state, 'ok');
  assert.is(healthOf(await build(url))?.reason, 'size limit');
});

test.run();
