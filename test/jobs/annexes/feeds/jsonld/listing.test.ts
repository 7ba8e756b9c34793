/** L2: pages of events that a listing links to: the links that are followed, robots.txt, pauses, and findings. */
import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openPageCopies } from '../../../../../jobs/annexes/feeds/jsonld/page-copies.ts';
import { readRobots } from '../../../../../jobs/annexes/feeds/jsonld/robots.ts';
import { feedLines } from '../../../../../jobs/report/sections.ts';
import { isoSecond } from '../../../../../src/calendar/time.ts';
import { NOW } from '../../../../helpers/calendar.ts';
import { costsAtMost } from '../../../../helpers/cost.ts';
import { firstHealthOf, sourceWithFeed } from '../../../../helpers/feed-files.ts';
import { always, type FeedServer, startFeedServer } from '../../../../helpers/feed-server.ts';
import { builtWithFeeds, FEED_SETTINGS } from '../../../../helpers/feeds.ts';
import { temporaryFolder } from '../../../../helpers/folder.ts';

const test = suite<{ feeds: FeedServer }>('listings');

test.before(async (context) => {
  context.feeds = await startFeedServer(always(200, ''));
});
test.after(({ feeds }) => feeds.close());

const eventPage = (name: string) =>
  `<script type="application/ld+json">{"@type":"Event","name":"${name}","startDate":"2026-02-14","url":"/${name}"}</script>`;

interface Site {
  /** Bodies by path; a number is a status. */
  readonly pages: Record<string, string | number>;
  readonly build: (
    secondsLater?: number,
  ) => Promise<readonly [state: unknown, events: unknown, asked: readonly unknown[]]>;
  readonly findings: () => readonly string[];
  /** The lines of the report about the feed. */
  readonly lines: () => readonly string[];
  readonly target: string;
}

/** Builds of a calendar with one listing, at /program, each with its requests. */
function siteOn(feeds: FeedServer, pages: Site['pages']): Site {
  const feedSettings = { ...FEED_SETTINGS, pauseSeconds: 0 };
  const source = sourceWithFeed({ kind: 'jsonld', url: `${feeds.url}/program`, follow: '/arrangement/' });
  const target = temporaryFolder();
  let findings: readonly string[] = [];
  let lines: readonly string[] = [];
  feeds.answer = ({ url = '', headers }, response) => {
    const body = pages[url] ?? 404;
    if (typeof body === 'number') return void response.writeHead(body).end();
    const etag = etagOf(body);
    if (headers['if-none-match'] === etag) response.writeHead(304).end();
    else response.writeHead(200, { 'content-type': 'text/html', etag }).end(body);
  };
  return {
    pages,
    target,
    async build(secondsLater = 0) {
      feeds.requests.length = 0;
      const built = await builtWithFeeds(source, target, { feedSettings, now: NOW + secondsLater });
      findings = built.report.findings.map(({ action, field, found }) => `${action} ${field}: ${found}`);
      lines = feedLines(built.report);
      const asked = feeds.requests.map(({ url }) => url);
      return [firstHealthOf(built)?.state, built.report.feeds[0]?.counts.events, asked];
    },
    findings: () => findings,
    lines: () => lines,
  };
}

const etagOf = (body: string) => `"${createHash('sha256').update(body).digest('hex').slice(0, 8)}"`;

const linksTo = (...paths: readonly string[]) => paths.map((path) => `<a href="${path}">Mer</a>`).join('\n');

test('L2: should follow each link with the prefix of the settings once, unless robots.txt forbids it', async ({
  feeds,
}) => {
  const port = new URL(feeds.url).port;
  const { build, findings, pages } = siteOn(feeds, {
    '/robots.txt': 'User-agent: *\nDisallow: /arrangement/skjult\nDisallow: /*?',
    '/program': `${eventPage('fest')}${linksTo(
      '/arrangement/kor#billetter',
      `${feeds.url}/arrangement/kor`,
      'arrangement/quiz',
      '/arrangement/',
      '/om-oss',
      '/arrangement/skjult',
      '/arrangement/kor?side=2&amp;dag=1',
      `http://localhost:${port}/arrangement/annet`,
      'mailto:post@kor.example',
      '/arrangement/borte',
      '/arrangement/arkiv',
    )}`,
    '/arrangement/kor': eventPage('kor'),
    '/arrangement/quiz': eventPage('quiz'),
    '/arrangement/arkiv': '<p>Her er det som var.</p>',
  });
  const followed = ['kor', 'quiz', 'borte', 'arkiv'].map((name) => `/arrangement/${name}`);
  assert.equal(await build(), ['ok', 3, ['/program', '/robots.txt', ...followed]]);
  assert.equal(findings(), [
    'left out follow: 2 others, the first /arrangement/skjult',
    'left out /arrangement/borte: a page that no longer exists',
    'left out /arrangement/arkiv: a page without it',
  ]);
  assert.equal(await build(900), ['ok', 3, ['/program']], 'nothing is new on the listing');
  pages['/program'] += '<p>Token 17</p>';
  assert.equal(await build(1_800), ['ok', 3, ['/program']], 'what is new is no link and no event');
  pages['/program'] += linksTo('/arrangement/ny');
  pages['/arrangement/ny'] = eventPage('ny');
  assert.equal(
    await build(2_700),
    ['ok', 4, ['/program', '/robots.txt', '/arrangement/ny']],
    'a link is new',
  );
  assert.is((await build(2_700 + 3 * 3_600))[2].length, 2 + followed.length + 1, 'three hours later');
  assert.equal(await build(3_600 + 3 * 3_600), ['ok', 4, ['/program']], 'they were unchanged');
});

const HOUR = 3_600;
const REPEATED = 3 * HOUR;
const TWO_PAGES = {
  '/program': linksTo('/arrangement/kor', '/arrangement/quiz'),
  '/arrangement/kor': eventPage('kor'),
  '/arrangement/quiz': eventPage('quiz'),
};

test('L2: should use the copy of a page that fails and the other pages, and try it again after an hour', async ({
  feeds,
}) => {
  const { build, findings, pages } = siteOn(feeds, { ...TWO_PAGES });
  assert.equal((await build()).slice(0, 2), ['ok', 2]);
  pages['/program'] += linksTo('/arrangement/tur', '/arrangement/ny');
  pages['/arrangement/kor'] = eventPage('korkveld');
  pages['/arrangement/quiz'] = 503;
  pages['/arrangement/ny'] = 503;
  pages['/arrangement/tur'] = eventPage('tur');
  const all = ['/arrangement/kor', '/arrangement/quiz', '/arrangement/tur', '/arrangement/ny'];
  assert.equal(await build(REPEATED), ['ok', 3, ['/program', '/robots.txt', ...all]]);
  const failed = `none since ${isoSecond(NOW + REPEATED)} (${new URL(feeds.url).host}: expected HTTP 200, found 503)`;
  assert.equal(findings(), [
    `changed value /arrangement/quiz: ${failed}; its copy of ${isoSecond(NOW)} is used`,
    `left out /arrangement/ny: ${failed}`,
  ]);
  assert.equal(await build(REPEATED + 900), ['ok', 3, ['/program']], 'an hour has not passed');
  pages['/arrangement/ny'] = eventPage('ny');
  const failing = ['/arrangement/quiz', '/arrangement/ny'];
  assert.equal(await build(REPEATED + HOUR), ['ok', 4, ['/program', '/robots.txt', ...failing]]);
  assert.equal(findings(), [
    `changed value /arrangement/quiz: ${failed}; its copy of ${isoSecond(NOW)} is used`,
  ]);
  pages['/arrangement/quiz'] = 410;
  assert.equal((await build(REPEATED + 2 * HOUR)).slice(0, 2), ['ok', 3], 'a page that is gone');
  pages['/robots.txt'] = 500;
  assert.equal(await build(2 * REPEATED + HOUR), ['stale', 3, ['/program', '/robots.txt']]);
});

test('L2: should use the copy of a page whose script is broken', async ({ feeds }) => {
  const { build, findings, pages } = siteOn(feeds, { ...TWO_PAGES });
  await build();
  pages['/arrangement/kor'] = eventPage('korkveld');
  pages['/arrangement/quiz'] = eventPage('quiz').replace('"name"', 'name');
  assert.equal((await build(REPEATED)).slice(0, 2), ['ok', 2]);
  assert.match(
    findings().join('\n'),
    /^changed value \/arrangement\/quiz: none since .* \(line 1: expected JSON/,
  );
});

test('L3: should keep the last good records for a day if a page fails of which there is no copy', async ({
  feeds,
}) => {
  const { build, findings, pages, target } = siteOn(feeds, { ...TWO_PAGES });
  await build();
  rmSync(join(target, 'feeds/hall.pages'));
  pages['/program'] += linksTo('/arrangement/ny');
  pages['/arrangement/ny'] = eventPage('ny');
  pages['/arrangement/quiz'] = 503;
  assert.equal((await build(900)).slice(0, 2), ['stale', 2]);
  assert.equal(await build(1_800), ['stale', 2, []]);
  assert.equal((await build(23 * HOUR)).slice(0, 2), ['stale', 2]);
  assert.equal((await build(25 * HOUR)).slice(0, 2), ['ok', 2], 'a day later, the page is left out');
  assert.match(findings().join(), /^left out \/arrangement\/quiz: none since/);
});

test('L2: should stop asking a site after five failures in a row, and use the copies of all pages', async ({
  feeds,
}) => {
  const paths = Array.from({ length: 8 }, (_, at) => `/arrangement/${at}`);
  const { build, pages, lines } = siteOn(feeds, {
    ...Object.fromEntries(paths.map((path) => [path, eventPage(path)])),
    '/program': linksTo(...paths),
  });
  await build();
  for (const path of paths) pages[path] = 500;
  assert.equal(await build(REPEATED), ['ok', 8, ['/program', '/robots.txt', ...paths.slice(0, 5)]]);
  assert.equal(lines(), [
    'feed hall: 8 entries, 8 events, 0 merged, 0 dropped, 0 pages fetched, 0 reused, 8 failing',
  ]);
  const down = siteOn(feeds, { '/program': linksTo(...paths), '/robots.txt': 404 });
  for (const path of paths) down.pages[path] = 500;
  assert.equal((await down.build()).slice(0, 2), ['failed', 0]);
});

test('L2: should ask only for new pages after a new link, and for the others by condition after three hours', async ({
  feeds,
}) => {
  const { build, pages, lines } = siteOn(feeds, { ...TWO_PAGES });
  await build();
  pages['/program'] += linksTo('/arrangement/ny');
  pages['/arrangement/ny'] = eventPage('ny');
  assert.equal(await build(900), ['ok', 3, ['/program', '/robots.txt', '/arrangement/ny']]);
  assert.match(lines().join(), ', 1 page fetched, 2 reused');
  pages['/arrangement/kor'] = eventPage('korkveld');
  const asked = ['/arrangement/kor', '/arrangement/quiz'];
  assert.equal(await build(REPEATED), ['ok', 3, ['/program', '/robots.txt', ...asked]]);
  assert.match(lines().join(), ', 1 page fetched, 2 reused');
  const conditions = feeds.requests.map(({ url, headers }) => [url, headers['if-none-match']]);
  assert.equal(conditions.slice(2), [
    ['/arrangement/kor', etagOf(eventPage('kor'))],
    ['/arrangement/quiz', etagOf(eventPage('quiz'))],
  ]);
  assert.equal(await build(REPEATED + 900), ['ok', 3, ['/program', '/robots.txt', '/arrangement/ny']]);
  assert.equal(await build(REPEATED + 1_800), ['ok', 3, ['/program']], 'although no record has changed');
});

test('L2: should bound the copies of pages, and ask for a page without one each time', async () => {
  const folder = temporaryFolder();
  const paths = { path: join(folder, 'feeds', 'a.pages'), draft: join(folder, 'draft') };
  const urls = ['https://a.example/1', 'https://a.example/2', 'https://a.example/3'];
  const copies = await openPageCopies(paths);
  assert.is(copies.isNew, true);
  for (const [at, url] of urls.entries())
    copies.replace(url, { readAt: NOW, validator: null, bytes: randomBytes(at === 2 ? 100 : 4_000_000) });
  await copies.save(urls);
  assert.ok(statSync(paths.path).size < 11_000_000);
  const read = await openPageCopies(paths);
  assert.equal(
    urls.map((url) => read.bytesOf(url)?.length ?? null),
    [4_000_000, null, 100],
  );
  assert.equal(
    read.states().map(({ readAt }) => readAt),
    [NOW, NOW, NOW],
  );
  assert.not.match(readFileSync(paths.path, 'latin1'), 'a.example');
});

test('L2: should follow at most 200 links of a listing, and fewer where its host wants pauses', async ({
  feeds,
}) => {
  const paths = Array.from({ length: 203 }, (_, at) => `/arrangement/${at}`);
  const pages = Object.fromEntries(paths.map((path) => [path, eventPage(path)]));
  const { build, findings } = siteOn(feeds, { ...pages, '/program': linksTo(...paths) });
  assert.equal((await build()).slice(0, 2), ['ok', 200]);
  assert.equal(findings(), ['left out follow: 203, the first left out /arrangement/200']);
  const slow = siteOn(feeds, {
    '/robots.txt': 'User-agent: almanakk\nCrawl-delay: 200',
    '/program': linksTo('/arrangement/1'),
  });
  assert.equal(await slow.build(), ['failed', 0, ['/program', '/robots.txt']]);
});

test('G2: should report a listing without a link that has the prefix of the settings', async ({ feeds }) => {
  const { build, findings } = siteOn(feeds, { '/program': eventPage('fest') + linksTo('/event/1') });
  assert.equal((await build()).slice(0, 2), ['ok', 1]);
  assert.equal(findings(), ['left out follow: none on the page']);
});

interface RobotsCase {
  readonly rules: string;
  readonly path: string;
  readonly isAllowed: boolean;
}

const RULES: readonly RobotsCase[] = [
  { rules: '', path: '/a', isAllowed: true },
  { rules: 'User-agent: *\nDisallow:', path: '/a', isAllowed: true },
  { rules: 'User-agent: *\nDisallow: /', path: '/a', isAllowed: false },
  { rules: 'User-agent: *\nDisallow: /\nAllow: /a', path: '/a/b', isAllowed: true },
  { rules: 'User-agent: *\nDisallow: /a/b\nAllow: /a', path: '/a/b/c', isAllowed: false },
  { rules: 'User-agent: *\nDisallow: /a\nAllow: /a', path: '/a', isAllowed: true },
  {
    rules: 'user-agent: other\nuser-agent: Almanakk\ndisallow: /b # ours\n\nUser-agent: *\nDisallow: /a',
    path: '/a',
    isAllowed: true,
  },
  {
    rules: 'user-agent: other\nuser-agent: Almanakk\ndisallow: /b # ours\n\nUser-agent: *\nDisallow: /a',
    path: '/b',
    isAllowed: false,
  },
  { rules: 'User-agent: *\nDisallow: /*.pdf$', path: '/a/b.pdf', isAllowed: false },
  { rules: 'User-agent: *\nDisallow: /*.pdf$', path: '/a/b.pdf?x', isAllowed: true },
  { rules: 'User-agent: *\nDisallow: /a*b*c', path: '/axxbyyc/d', isAllowed: false },
  { rules: 'User-agent: *\nDisallow: /a*b*c', path: '/axxcyyb', isAllowed: true },
  { rules: 'User-agent: *\nDisallow: /søk', path: '/s%C3%B8k/a', isAllowed: false },
  { rules: 'User-agent: *\nDisallow: /s%c3%b8k', path: '/s%C3%B8k/a', isAllowed: false },
  { rules: 'User-agent: *\nDisallow: /a$', path: '/a', isAllowed: false },
  { rules: 'User-agent: *\nDisallow: /ab*b$', path: '/ab', isAllowed: true },
];

for (const { rules, path, isAllowed } of RULES) {
  test(`RFC 9309: should ${isAllowed ? 'allow' : 'refuse'} ${path} by ${JSON.stringify(rules)}`, () => {
    assert.is(readRobots(rules, 'almanakk').allows(path), isAllowed);
  });
}

test('RFC 9309: should read 512 KB of a hostile robots.txt, and check 50 links, at a bounded cost', async () => {
  const files = [
    'User-agent: *\n'.repeat(18_000) + 'Allow: /\n'.repeat(28_000),
    `User-agent: *\n${`Disallow: /${'*a'.repeat(900)}b\n`.repeat(280)}`,
  ];
  const read = () => {
    for (const file of files) {
      const { allows } = readRobots(file, 'almanakk');
      for (let link = 0; link < 50; link++) allows(`/${'a'.repeat(100)}${link}`);
    }
  };
  await costsAtMost(40, read);
});

test.run();
