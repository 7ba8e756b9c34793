/** Requests for feeds: conditional ones, pauses, redirects, keys and refused addresses. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isPublicAddress } from '../../../../jobs/kit/public-address.ts';
import { NOW } from '../../../helpers/calendar.ts';
import { sourceWithFeed, TWO_EVENTS, vcalendar, vevent } from '../../../helpers/feed-files.ts';
import { always, type FeedServer, startFeedServer } from '../../../helpers/feed-server.ts';
import { builtWithFeeds, FEED_SETTINGS } from '../../../helpers/feeds.ts';
import { temporaryFolder } from '../../../helpers/folder.ts';

const test = suite<{ feeds: FeedServer }>('feed requests');

test.before(async (context) => {
  context.feeds = await startFeedServer(always(200, TWO_EVENTS));
});
test.before.each(({ feeds }) => {
  feeds.requests.length = 0;
  feeds.answer = always(200, TWO_EVENTS);
});
test.after(async ({ feeds }) => feeds.close());

test('G7: should publish nothing if only the time stamps and the coding of a feed differ', async ({
  feeds,
}) => {
  const source = sourceWithFeed({ url: feeds.url });
  const target = temporaryFolder();
  const stamped = (moment: string) => vcalendar(vevent('a', `DTSTAMP:${moment}\r\n`), vevent('b'));
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
    else always(200, TWO_EVENTS, { etag: '"v1"' })(request, response);
  };
  const source = sourceWithFeed({ url: feeds.url });
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

const PAUSES = [
  { what: 'for as long as its Retry-After', status: 429, retryAfter: '3600', seconds: 3_600 },
  { what: 'for at most a day', status: 503, retryAfter: '999999999', seconds: 86_400 },
];

for (const { what, status, retryAfter, seconds } of PAUSES) {
  test(`should send no request to a busy server ${what}`, async ({ feeds }) => {
    const source = sourceWithFeed({ url: feeds.url });
    const target = temporaryFolder();
    const requestsAt = async (secondsLater: number) => {
      await builtWithFeeds(source, target, { now: NOW + secondsLater });
      return feeds.requests.length;
    };
    feeds.answer = always(status, '', { 'retry-after': retryAfter });
    assert.is(await requestsAt(0), 1);
    assert.is(await requestsAt(seconds - 1), 1, `requests after ${seconds - 1} s`);
    assert.is(await requestsAt(seconds + 1), 2, `requests after ${seconds + 1} s`);
  });
}

test('should send back an entity tag of 200 characters, and none of 201', async ({ feeds }) => {
  const seen: (string | undefined)[] = [];
  for (const length of [200, 201]) {
    const etag = `"${'x'.repeat(length - 2)}"`;
    feeds.answer = (request, response) => {
      seen.push(request.headers['if-none-match']);
      always(200, TWO_EVENTS, { etag })(request, response);
    };
    const source = sourceWithFeed({ url: feeds.url });
    const target = temporaryFolder();
    for (let times = 0; times < 2; times++) await builtWithFeeds(source, target);
  }
  assert.equal(
    seen.map((tag) => tag?.length),
    [undefined, 200, undefined, undefined],
  );
});

test('should send the feed’s key along a redirect within its host, and not to another host', async ({
  feeds,
}) => {
  const other = await startFeedServer(always(200, TWO_EVENTS));
  feeds.answer = (request, response) =>
    always(302, '', { location: request.url === '/' ? '/moved' : other.url })(request, response);
  const source = sourceWithFeed({ url: feeds.url, apiKeyEnv: 'HALL_KEY' });
  const variable = (name: string) => (name === 'HALL_KEY' ? 'secret' : undefined);
  const feedSettings = { ...FEED_SETTINGS, variable };
  try {
    const { result } = await builtWithFeeds(source, temporaryFolder(), { feedSettings });
    assert.is(result.counts.events, 5);
    const keys = [...feeds.requests, ...other.requests].map(({ headers }) => headers['x-api-key']);
    assert.equal(keys, ['secret', 'secret', undefined]);
  } finally {
    await other.close();
  }
});

test('should name the variable of a missing key', async ({ feeds }) => {
  const { report } = await builtWithFeeds(
    sourceWithFeed({ url: feeds.url, apiKeyEnv: 'HALL_KEY' }),
    temporaryFolder(),
  );
  assert.is(report.feeds[0]?.why, 'expected a key in the variable HALL_KEY, found none');
});

test('L5: should not reach into private networks unless a setting allows it', async ({ feeds }) => {
  const feedSettings = { ...FEED_SETTINGS, allowPrivate: false };
  feeds.answer = always(200, TWO_EVENTS);
  const { port } = new URL(feeds.url);
  for (const host of ['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]', '0x7f000001', '2130706433']) {
    const source = sourceWithFeed({ url: `http://${host}:${port}/` });
    const { report } = await builtWithFeeds(source, temporaryFolder(), { feedSettings });
    assert.is(report.feeds[0]?.reason, 'address refused', host);
  }
  assert.is(feeds.requests.length, 0);
});

const PUBLIC_ADDRESSES = '8.8.8.8 172.32.0.1 2606:4700::1 64:ff9b::808:808 2a00:1450:4001::1 ::ffff:8.8.8.8';
const OTHER_ADDRESSES = `0.0.0.0 10.1.2.3 100.64.1.1 127.8.8.8 169.254.169.254 172.16.0.1 192.168.1.1 198.18.0.1 224.0.0.1 255.255.255.255
  192.0.0.8 203.0.113.1 010.1.2.3 0x08080808 nowhere :: ::1 ::7f00:1 ::ffff:10.0.0.1 ::ffff:7f00:1 64:ff9b::a00:1 64:ff9b:1::808:808
  2002:7f00:1:: 2002:808:808:: 2001::1 2001:db8::1 4000::1 fc00::1 fe80::1%eth0 ff02::1`;

test('L5: should know which addresses are public', () => {
  assert.equal(PUBLIC_ADDRESSES.split(' ').filter(isPublicAddress), PUBLIC_ADDRESSES.split(' '));
  assert.equal(OTHER_ADDRESSES.split(/\s+/).filter(isPublicAddress), []);
});

test.run();
