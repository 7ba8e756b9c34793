/** Hostile and broken endpoints: each costs a build little, and a build keeps the last good records of each. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createCollector } from '../../../../../jobs/annexes/feeds/collector.ts';
import type { FeedLine } from '../../../../../jobs/annexes/feeds/last-good.ts';
import { create } from '../../../../../jobs/annexes/feeds/merge.ts';
import {
  createRequestCounter,
  createRetryingFetch,
} from '../../../../../jobs/annexes/feeds/mirror/retrying-fetch.ts';
import { assertAbove, assertAtMost } from '../../../../helpers/assertions.ts';
import { NOW } from '../../../../helpers/calendar.ts';
import { costsAtMost } from '../../../../helpers/cost.ts';
import { endpoint, type PlainEvent } from '../../../../helpers/endpoint.ts';
import { CALENDAR_EVENTS } from '../../../../helpers/feed-files.ts';
import { taskOf } from '../../../../helpers/feed-reading.ts';
import { always, type FeedServer, type Handler, startFeedServer } from '../../../../helpers/feed-server.ts';
import { builtWithFeeds } from '../../../../helpers/feeds.ts';
import { temporaryFolder } from '../../../../helpers/folder.ts';
import { sourceFolder } from '../../../../helpers/native-source.ts';
import { IS_LONG } from '../../../../helpers/run-options.ts';
import { builtMirror } from './built.ts';

/** Entries of directories that are merged. */
const ENTRIES = IS_LONG ? 40_000 : 4_000;

const test = suite<{ server: FeedServer }>('bounds of a mirror');

test.before(async (context) => {
  context.server = await startFeedServer(() => {});
});
test.after(async ({ server }) => server.close());

const eventOf = (number: number): PlainEvent => ({
  id: `e${number}`,
  title_nb: `Hendelse ${number}`,
  startDate: '2026-02-10 19:00:00+01:00',
  endDate: '2026-02-10 21:00:00+01:00',
});

const GOOD = endpoint({ events: () => [eventOf(1), eventOf(2)] });

interface PageAsked {
  readonly page: number;
  readonly pageSize: number;
  /** How often a page has been asked for before. */
  readonly asked: number;
}

/** An endpoint that does well but for its pages of events. */
function lying(connection: (asked: PageAsked) => string): Handler {
  let asked = 0;
  return (request, response) => {
    const query = new URL(request.url ?? '', 'http://x').searchParams.get('query') ?? '';
    const [, page, pageSize] = /page: (\d+), pageSize: (\d+)/.exec(query) ?? [];
    // The first query only asks for the endpoint's form.
    if (page === undefined || pageSize === '1') return GOOD(request, response);
    const events = connection({ page: Number(page), pageSize: Number(pageSize), asked: asked++ });
    response.writeHead(200).end(`{"data":{"events":${events}}}`);
  };
}

const connectionOf = (totalCount: number, data: readonly PlainEvent[]) =>
  JSON.stringify({ totalCount, hasMore: true, data });

/** An endpoint with these lists in place of its own. */
function withLists(lists: Readonly<Record<string, readonly object[]>>): Handler {
  return (request, response) => {
    const query = new URL(request.url ?? '', 'http://x').searchParams.get('query') ?? '';
    const [, list = ''] = /^\{ (\w+) \{/.exec(query) ?? [];
    if (lists[list] === undefined) GOOD(request, response);
    else response.writeHead(200).end(JSON.stringify({ data: { [list]: lists[list] } }));
  };
}

const TEXT = 'x'.repeat(90_000);

interface HostileEndpoint {
  readonly does: string;
  readonly handler: Handler;
  readonly mostRequests: number;
  /** The reason in the report. */
  readonly why: RegExp;
  /** Settings of the feed. */
  readonly feed?: object;
}

const HOSTILE: readonly HostileEndpoint[] = [
  {
    does: 'sends more new events on each page than it counts',
    handler: lying(({ asked, pageSize }) =>
      connectionOf(
        30,
        Array.from({ length: pageSize }, (_, at) => eventOf(asked * pageSize + at)),
      ),
    ),
    mostRequests: 20,
    why: /found page 0, which brings more than the 30 events of its count$/,
  },
  {
    does: 'gives the same page for every number',
    handler: lying(() => connectionOf(30, [eventOf(1)])),
    mostRequests: 20,
    why: /found page 1, which brings e1 again$/,
  },
  {
    does: 'changes its count on each page',
    handler: lying(({ asked }) => connectionOf(9 + asked, [eventOf(asked)])),
    mostRequests: 20,
    why: /which counts \d+ events instead of \d+$/,
  },
  {
    does: 'promises more events after an empty page',
    handler: lying(() => connectionOf(30, [])),
    mostRequests: 10,
    why: /page 0: expected events, found none$/,
  },
  {
    does: 'exceeds the bytes of all answers together',
    handler: lying(({ page }) => connectionOf(1_000_000, [{ ...eventOf(page), desc_nb: TEXT }])),
    mostRequests: 60,
    why: /: expected at most 419430 bytes in all answers together, found more$/,
    feed: { maxMegabytes: 0.1 },
  },
  {
    does: 'wants a pause of more than a minute',
    handler: (_, response) => response.writeHead(503, { 'retry-after': '61' }).end(),
    mostRequests: 1,
    why: /: expected HTTP 200, found 503$/,
  },
];

for (const { does, handler, mostRequests, why, feed } of HOSTILE) {
  test(`L3: should keep the last good records of an endpoint that ${does}`, async ({ server }) => {
    const { before, after, requests } = await builtAfterGood(server, handler, feed);
    assert.equal([before.state, after.state, after.counts.events], ['ok', 'stale', 2]);
    assert.match(after.why ?? '', why);
    assertAtMost(requests, mostRequests, 'requests');
  });
}

test('L3: should send an endpoint at most 5,000 requests, such as for one new event at a time', () => {
  const counts = createRequestCounter('by.example');
  for (let request = 0; request < 5_000; request++) counts.addRequest();
  assert.throws(counts.addRequest, /^by\.example: expected at most 5000 requests, found more$/);
});

test('L3: should take at most ten million values from an endpoint, which are large in memory', () => {
  const counts = createRequestCounter('by.example');
  const body = Buffer.from(`[${'0,'.repeat(4_999_998)}0]`);
  for (const _answer of ['first', 'second']) counts.addValues(body);
  const one = () => counts.addValues(Buffer.from('1'));
  assert.throws(one, /^by\.example: expected at most 10000000 values in all answers together, found more$/);
});

test('L3: should count each request to an endpoint, and the values of each answer', async ({ server }) => {
  server.answer = always(200, '[1, 2, 3]');
  const bodies: string[] = [];
  const counts = {
    ...createRequestCounter('by.example', 2),
    addValues: (body: Buffer) => void bodies.push(`${body}`),
  };
  const feed = { limits: { bytes: 1_000, seconds: 60, redirects: 0 } };
  const fetchContext = { allowPrivate: true, signal: new AbortController().signal };
  const fetcher = createRetryingFetch({ feed, fetchContext }, 'by.example', counts);
  const ask = () => fetcher.fetch({ url: server.url, headers: {} });
  await ask();
  await ask();
  const refusal = await ask().catch(({ message }: Error) => message);
  assert.is(refusal, 'by.example: expected at most 2 requests, found more');
  assert.equal(bodies, ['[1, 2, 3]', '[1, 2, 3]']);
  fetcher.close();
});

test('L3: should give up an endpoint that answers for ever after the time limit', async ({ server }) => {
  const { now } = performance;
  let later = 0;
  performance.now = () => now.call(performance) + later;
  const slowly = lying(({ page }) => {
    later += 45_000;
    return connectionOf(1_000_000, [eventOf(page)]);
  });
  try {
    const { after } = await builtAfterGood(server, slowly, {}, { timeoutSeconds: 60 });
    assert.equal([after.state, after.reason], ['stale', 'time limit']);
    assert.match(after.why ?? '', /: expected all answers together within 600 s$/);
  } finally {
    performance.now = now;
  }
});

test('L3: should report an answer that is nested a million deep', async ({ server }) => {
  const deep = `${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}`;
  const answers: readonly Handler[] = [
    (_, response) => void response.writeHead(200).end(`{"data":${deep}}`),
    lying(() => deep),
    lying(() => `{"totalCount":1,"hasMore":false,"data":[{"id":${deep}}]}`),
  ];
  for (const answer of answers) {
    const work = async () => {
      const { after } = await builtAfterGood(server, answer);
      assert.equal([after.state, after.reason], ['stale', 'unreadable answer']);
      assert.match(after.why ?? '', /: expected JSON, found a value nested deeper than 64 levels$/);
    };
    await costsAtMost(100, work, { everyThread: true });
  }
});

test('L3: should not repeat an id of 100,000 characters in its queries', async ({ server }) => {
  const event = { ...eventOf(1), id: 'x'.repeat(100_000) };
  const lists = { isSuperEvent: [event.id, 'e2'], superEvent: [] };
  const handler = endpoint({ events: () => [event], lists });
  const { after } = await builtAfterGood(server, handler, {}, { force: true });
  assert.is(after.state, 'ok');
  const programmes = server.requests.filter(({ url }) => url?.includes('superEvent%3A'));
  assert.is(programmes.length, 1);
  assert.equal([...new Set(server.requests.map(({ method }) => method))], ['GET']);
});

test('G2: should leave out a record of four million letters, and report it', async ({ server }) => {
  const events = [eventOf(1), { ...eventOf(2), desc_nb: 'x'.repeat(4_000_000) }];
  const { after, findings } = await builtAfterGood(
    server,
    lying(() => JSON.stringify({ totalCount: 2, hasMore: false, data: events })),
    {},
    { force: true },
  );
  assert.equal([after.state, after.counts.events], ['ok', 1]);
  assert.equal(
    findings.map(({ id, expected }) => [id, expected]),
    [['by:e2', 'a record of at most 4000000 letters']],
  );
});

test('G2: should keep 20,000 findings about one feed, and count the others', () => {
  const { feed, ...reading } = taskOf();
  const lines: FeedLine[] = [];
  const { addFinding, end } = createCollector(feed, reading, (line) => lines.push(line));
  for (let at = 0; at < 22_000; at++)
    addFinding({ action: 'changed value', expected: 'a name', found: `${at}` });
  end(22_000);
  assert.is(lines.length, 20_001);
  assert.equal(lines.at(-1), {
    list: 'findings',
    action: 'changed value',
    expected: 'at most 20000 findings about a feed',
    found: '2000 more, which are only counted',
    line: null,
    id: null,
    field: null,
  });
});

test('L3: should merge directories of equal names in linear time', async ({ server }) => {
  const lists: Readonly<Record<string, readonly object[]>> = {
    venues: Array.from({ length: ENTRIES }, (_, at) => ({ id: `v${at}`, name: 'Salen' })),
    categories: Array.from({ length: ENTRIES }, (_, at) => ({ id: `C${at}`, name_nb: 'Musikk' })),
  };
  const work = async () => {
    const { after } = await builtAfterGood(
      server,
      withLists(lists),
      { categories: 'import' },
      { force: true },
    );
    assert.is(after.state, 'ok');
  };
  await costsAtMost(ENTRIES / 20, work, { everyThread: true, tries: 1 });
});

test('G3: should give up all feeds after two thirds of the time of a build, and build without them', async ({
  server,
}) => {
  server.answer = () => {};
  const sources = Array.from({ length: 9 }, (_, at) => ({
    id: `f${at}`,
    kind: at % 2 === 0 ? 'graphql' : 'ical',
    url: `${server.url}/${at}`,
    timeoutSeconds: 30,
  }));
  const source = sourceFolder({ 'events.json': CALENDAR_EVENTS, 'sources.json': sources });
  const settings = { source, allowPrivateFeeds: true, sourceFiles: [], buildTimeoutSeconds: 3 };
  const { result, report } = await builtWithFeeds(
    source,
    temporaryFolder(),
    create(settings, () => undefined),
  );
  assertAbove(result.counts.events, 0, 'events of the source folder');
  assert.equal(
    new Set(report.feeds.map(({ state, why }) => `${state}: ${why}`)),
    new Set(['failed: expected all feeds together within 2 s']),
  );
});

test.run();

/** Settings of the second build. */
interface Changes {
  readonly force?: boolean;
  readonly timeoutSeconds?: number;
}

/** Builds a mirror of a good endpoint, then of one with this handler: the state of the feed before and after. */
async function builtAfterGood(
  server: FeedServer,
  handler: Handler,
  feed: object = {},
  changes: Changes = {},
) {
  // Longer than a busy machine takes to measure ten million values.
  const { timeoutSeconds = 120, ...more } = changes;
  const target = temporaryFolder();
  const before = await builtMirror(server, GOOD, { feed, target });
  const later = { feed: { timeoutSeconds, ...feed }, target, now: NOW + 60, ...more };
  const { health, findings, asked } = await builtMirror(server, handler, later);
  return { before: before.health, after: health, findings, requests: asked.length };
}
