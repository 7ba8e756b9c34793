/** L3: tables and pages as feeds: how they are asked for, and what becomes of a build when they fail. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { DAY_LATER, folderOf, healthOf } from '../../helpers/feed-files.ts';
import { always, type FeedServer, startFeedServer } from '../../helpers/feed-server.ts';
import { builtWithFeeds } from '../../helpers/feeds.ts';
import { temporaryFolder } from '../../helpers/folder.ts';

const test = suite<{ feeds: FeedServer }>('documents as feeds');

test.before(async (context) => {
  context.feeds = await startFeedServer(always(200, ''));
});
test.before.each(({ feeds }) => {
  feeds.requests.length = 0;
});
test.after(({ feeds }) => feeds.close());

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
