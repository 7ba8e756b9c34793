/** L3: tables and pages that fail, change or disappear from one build to the next. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { DAY_LATER, firstHealthOf, sourceWithFeed } from '../../../helpers/feed-files.ts';
import { always, type FeedServer, startFeedServer } from '../../../helpers/feed-server.ts';
import { builtWithFeeds } from '../../../helpers/feeds.ts';
import { temporaryFolder } from '../../../helpers/folder.ts';
import { withPart } from '../../../helpers/when.ts';

const test = suite<{ feeds: FeedServer }>('tables and pages');

test.before(async (context) => {
  context.feeds = await startFeedServer(always(200, ''));
});
test.before.each(({ feeds }) => {
  feeds.requests.length = 0;
});
test.after(async ({ feeds }) => feeds.close());

const TABLE = 'Tittel;Start\nKor;14.02.2027 kl. 19.00\nQuiz;15.02.2027\n';

const FAILURES = [
  { what: 'a login page', reason: 'unreadable answer', body: '<!doctype html><title>Logg inn</title>' },
  { what: 'a workbook', reason: 'unreadable answer', body: Buffer.from('PK\x03\x04 and so on') },
  { what: 'a table without events', reason: 'unreadable answer', body: 'Navn;Telefon\nKari;12345678\n' },
  { what: 'nothing', reason: 'empty', body: '' },
  { what: 'half of the table', reason: 'truncated', body: TABLE.replace('Quiz', '"Quiz') },
];

test('L3: should keep the last good rows of a table until it can be read again', async ({ feeds }) => {
  feeds.answer = always(200, TABLE, { etag: '"one"' });
  const target = temporaryFolder();
  const source = sourceWithFeed({ kind: 'csv', url: `${feeds.url}/pub?output=csv` });
  const first = await builtWithFeeds(source, target);
  assert.equal([firstHealthOf(first)?.state, first.result.counts.events], ['ok', 5]);
  for (const { what, reason, body } of FAILURES) {
    feeds.answer = always(200, body);
    const built = await builtWithFeeds(source, target, { now: DAY_LATER });
    assert.equal([firstHealthOf(built)?.state, firstHealthOf(built)?.reason], ['stale', reason], what);
    assert.is(built.report.feeds[0]?.counts.events, 2, what);
  }
  feeds.answer = always(304, '');
  assert.is(firstHealthOf(await builtWithFeeds(source, target, { now: DAY_LATER }))?.state, 'ok');
  assert.is(feeds.requests.at(-1)?.headers['if-none-match'], '"one"');
});

const pageOf = (name: string) =>
  `<script type="application/ld+json">{"@type":"Event","name":"${name}","startDate":"2027-02-14"}</script>`;

interface Page {
  readonly body: string;
  readonly etag: string;
}

interface Site {
  /** By path; null for a page that is gone, `down` for one that fails. */
  readonly pages: Record<string, Page | null | 'down'>;
  readonly build: () => Promise<SiteBuild>;
}

interface SiteBuild {
  readonly state: string | undefined;
  readonly events: number | undefined;
  readonly requests: readonly unknown[];
}

/** A feed of three pages with one event each. Every build reads it anew. */
function siteOn(feeds: FeedServer): Site {
  const pages: Site['pages'] = {
    '/1': { body: pageOf('Kor'), etag: '"a"' },
    '/2': { body: pageOf('Quiz'), etag: '"b"' },
    '/3': { body: pageOf('Bingo'), etag: '"c"' },
  };
  feeds.answer = (request, response) => {
    const page = pages[request.url ?? ''] ?? null;
    if (page === 'down') response.writeHead(503).end();
    else if (page === null) response.writeHead(410).end();
    else if (request.headers['if-none-match'] === page.etag) response.writeHead(304).end();
    else response.writeHead(200, { etag: page.etag }).end(page.body);
  };
  const target = temporaryFolder();
  const source = sourceWithFeed({ kind: 'jsonld', url: Object.keys(pages).map((path) => feeds.url + path) });
  const build = async () => {
    feeds.requests.length = 0;
    const built = await builtWithFeeds(source, target);
    const requests = feeds.requests.map(({ url }) => url);
    return { state: firstHealthOf(built)?.state, events: built.report.feeds[0]?.counts.events, requests };
  };
  return { pages, build };
}

const ofPages = withPart('jobs/annexes/feeds/jsonld', test);

ofPages(
  'L2, L3: should request unchanged pages again only if another page has changed',
  async ({ feeds }) => {
    const { pages, build } = siteOn(feeds);
    const once = ['/1', '/2', '/3'];
    assert.equal(await build(), { state: 'ok', events: 3, requests: once });
    assert.equal(await build(), { state: 'ok', events: 3, requests: once }, 'nothing has changed');
    pages['/2'] = { body: `${pageOf('Quiz')}${pageOf('Kviss')}`, etag: '"d"' };
    assert.equal(await build(), { state: 'ok', events: 4, requests: [...once, '/1', '/3'] });
  },
);

ofPages(
  'L2, L3: should drop the events of a page that is gone until it is there again',
  async ({ feeds }) => {
    const { pages, build } = siteOn(feeds);
    await build();
    pages['/1'] = null;
    const once = ['/1', '/2', '/3'];
    assert.equal(await build(), { state: 'ok', events: 2, requests: [...once, '/2', '/3'] });
    assert.equal(await build(), { state: 'ok', events: 2, requests: once }, 'it is still gone');
    pages['/1'] = { body: pageOf('Kor'), etag: '"e"' };
    const { state, events } = await build();
    assert.equal({ state, events }, { state: 'ok', events: 3 }, 'it is there again');
  },
);

ofPages('L2, L3: should keep the last good events if one page fails, or all are gone', async ({ feeds }) => {
  const { pages, build } = siteOn(feeds);
  await build();
  pages['/1'] = null;
  pages['/3'] = 'down';
  const failing = await build();
  assert.equal([failing.state, failing.events], ['stale', 3], 'one page fails');
  pages['/2'] = null;
  pages['/3'] = null;
  const gone = await build();
  assert.equal([gone.state, gone.events], ['stale', 3], 'all pages are gone');
});

ofPages('L3: should limit all pages of a feed together to four times the bytes of one', async ({ feeds }) => {
  feeds.answer = always(200, pageOf('Kor').padEnd(1_000));
  const urls = [1, 2, 3, 4, 5].map((page) => `${feeds.url}/${page}`);
  const build = (url: readonly string[]) =>
    builtWithFeeds(sourceWithFeed({ kind: 'jsonld', url, maxMegabytes: 0.001 }), temporaryFolder());
  assert.is(firstHealthOf(await build(urls.slice(1)))?.state, 'ok', 'four pages');
  assert.is(firstHealthOf(await build(urls))?.reason, 'size limit', 'five pages');
});

test.run();
