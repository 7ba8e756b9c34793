/** Mirrors of endpoints that have fewer fields than ours, change while they are read, or ask for pauses. */
import { readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { packagePath } from '../../../../../src/package.ts';
import { NOW } from '../../../../helpers/calendar.ts';
import { type EndpointOptions, endpoint, type PlainEvent } from '../../../../helpers/endpoint.ts';
import { CALENDAR_EVENTS } from '../../../../helpers/feed-files.ts';
import { datesIn } from '../../../../helpers/feed-reading.ts';
import { type FeedServer, type Handler, startFeedServer } from '../../../../helpers/feed-server.ts';
import { builtWithFeeds, FEED_SETTINGS } from '../../../../helpers/feeds.ts';
import { temporaryFolder } from '../../../../helpers/folder.ts';
import { sourceFolder } from '../../../../helpers/native-source.ts';
import { startBuilt } from '../../../../helpers/running.ts';
import { builtMirror } from './built.ts';

const test = suite<{ server: FeedServer }>('mirrored endpoints');

test.before(async (context) => {
  context.server = await startFeedServer(() => {});
});
test.after(({ server }) => server.close());

const plainEvent = (id: string, day: number, more: object = {}): PlainEvent => ({
  id,
  event_slug: `slug-${id}`,
  eventLink: `https://by.example/event/slug-${id}`,
  title_nb: `Hendelse ${id}`,
  startDate: `2026-02-${String(day).padStart(2, '0')} 19:00:00+01:00`,
  endDate: `2026-02-${String(day).padStart(2, '0')} 21:00:00+01:00`,
  startTime: '19:00',
  duration: 120,
  categories: ['MUSIC'],
  mode: 'offline',
  venue: { id: '7', name: 'Salen', slug: 'salen', address: 'Gata 1, 7010 Trondheim' },
  ...more,
});

const DIRECTORIES = {
  categories: [
    { id: 'MUSIC', name_nb: 'Musikk', name_en: 'Music', slug_nb: 'musikk', slug_en: 'music', visible: true },
  ],
  venues: [
    { id: '7', name: 'Salen', slug: 'salen' },
    { id: '8', name: 'Kjelleren', slug: 'kjelleren' },
  ],
  organizers: [{ id: '9', name: 'Laget', slug: 'laget', website: 'https://laget.example' }],
};

const EVENTS = Array.from({ length: 30 }, (_, at) => plainEvent(`e${at}`, 1 + (at % 28)));

const endpointOf = (events: EndpointOptions['events'] = () => EVENTS, more: Partial<EndpointOptions> = {}) =>
  endpoint({ events, directories: DIRECTORIES, ...more });

const byId = ({ records }: Awaited<ReturnType<typeof builtMirror>>, id: string) =>
  records.find((record) => record.id === id);

test('L3, E12: should mirror all fields of a calendar of version 1.0.0', async ({ server }) => {
  const sdl = readFileSync(packagePath('test/jobs/annexes/feeds/mirror/schema-1.0.0.graphql'), 'utf8');
  const venue = { ...DIRECTORIES.venues[0], postalCode: '7010', accessibility: ['WHEELCHAIR'] };
  const day = (date: string, more: object) => ({
    startDate: `2026-02-${date} 00:00:00+01:00`,
    endDate: `2026-02-${Number(date) + 1} 00:00:00+01:00`,
    startTime: '00:00',
    allDay: true,
    eventCancelled: false,
    eventSoldOut: false,
    venue,
    ...more,
  });
  const event = plainEvent('kor', 10, {
    ...day('10', { eventCancelled: true }),
    occurrenceID: 'kor@x',
    tags: ['sang'],
    organizers: [],
    images: [],
    ticketsInformation: 'free',
    prices: [],
    registrationEnabled: false,
    isSuperEvent: false,
    isFeaturedEvent: true,
    accessibility: ['SIGN_LANGUAGE'],
    desc_nb: '<p>Vi synger.</p>',
    repetitions: [day('12', { id: 'kor@y' })],
  });
  const directories = { ...DIRECTORIES, categories: [], venues: [venue] };
  const mirror = await builtMirror(server, endpoint({ events: () => [event], directories, sdl }));
  const found = byId(mirror, 'by:kor');
  const { desc_nb, isFeaturedEvent, accessibility, dates } = found ?? {};
  assert.equal([desc_nb, isFeaturedEvent, accessibility], ['<p>Vi synger.</p>', true, ['SIGN_LANGUAGE']]);
  assert.equal(datesIn({ dates }), [
    '2026-02-10 to 2026-02-10 venue="by:7" eventCancelled=true eventSoldOut=false',
    '2026-02-12 to 2026-02-12 venue="by:7" eventCancelled=false eventSoldOut=false',
  ]);
});

test('L3: should mirror an endpoint without the fields that only almanakk has', async ({ server }) => {
  const at = (day: number, hour = 19) => `2026-02-${day} ${hour}:00:00+01:00`;
  const event = plainEvent('kor', 10, {
    title_en: 'Choir',
    organizers: DIRECTORIES.organizers,
    prices: [{ type: 'REGULAR', price: 200 }],
    ticketsInformation: 'ticketsInfo',
    eventCancelled: true,
    publishingDate: '2025-12-01 08:00:00+01:00',
    repetitions: [
      {
        startDate: at(11),
        endDate: at(11),
        venue: { name: 'Kjelleren' },
        prices: [{ type: 'CHILD', price: 50 }],
      },
      { startDate: at(12), endDate: at(12, 20), venue: { name: 'Salen' } },
    ],
  });
  const shop = { venue: DIRECTORIES.venues[1], ticketsURL: 'https://billett.example' };
  const days = [
    event,
    { ...event, startDate: at(11), eventCancelled: false, eventSoldOut: true, ...shop },
    { ...event, startDate: at(12), eventCancelled: false, eventSoldOut: false },
  ];
  const lists = {
    onlyFeatured: ['kor'],
    onlyFeaturedSpecialEvent: ['kor'],
    isSuperEvent: ['fest'],
    superEvent: ['kor'],
  };
  const events = () => [event, plainEvent('fest', 9)];
  const handler = endpointOf(events, { days, lists });
  const mirrored = await builtMirror(server, handler, { feed: { map: { MUSIC: 'ART' } } });
  const { dates, id: _, ...fields } = byId(mirrored, 'by:kor') ?? {};
  assert.equal(datesIn({ dates }), [
    `${at(10)} to ${at(10, 21)} startTime="19:00" venue="by:7" eventCancelled=true eventSoldOut=false`,
    `${at(11)} for 120 min venue="by:8" ticketsURL="https://billett.example" eventCancelled=false eventSoldOut=true prices=[{"type":"CHILD","price":50}]`,
    `${at(12)} to ${at(12, 20)} venue="by:7" eventCancelled=false eventSoldOut=false`,
  ]);
  assert.equal(fields, {
    isFeaturedInSpecialEvent: true,
    isFeaturedEvent: true,
    super_event: 'by:fest',
    eventLink: 'https://by.example/event/slug-kor',
    title_nb: 'Hendelse kor',
    title_en: 'Choir',
    mode: 'offline',
    ticketsInformation: 'ticketsInfo',
    publishingDate: '2025-12-01 08:00:00+01:00',
    slug: 'slug-kor',
    categories: ['ART'],
    organizers: ['by:9'],
    images: [],
    prices: [{ type: 'REGULAR', price: 200 }],
  });
  assert.is(byId(mirrored, 'by:fest')?.isSuperEvent, true);
});

test('should leave a date without a venue if it has neither an id nor a name', async ({ server }) => {
  const nameless = { id: '6', name: '', slug: '6' };
  const start = '2026-02-11 19:00:00+01:00';
  const repetitions = [{ startDate: start, endDate: start, venue: { name: '' } }];
  const directories = { ...DIRECTORIES, venues: [...DIRECTORIES.venues, nameless] };
  const mirrored = await builtMirror(
    server,
    endpointOf(() => [plainEvent('kor', 10, { repetitions })], { directories }),
  );
  const [, later] = datesIn({ dates: byId(mirrored, 'by:kor')?.dates });
  assert.is(later, `${start} eventCancelled=false eventSoldOut=false`);
});

const ENDPOINTS: readonly (readonly [what: string, options: Partial<EndpointOptions>])[] = [
  ['that takes GET only', { methods: ['GET'] }],
  ['that takes POST only', { methods: ['POST'] }],
  ['without introspection', { introspection: false }],
  ['that refuses large pages', { mostOnPage: 10 }],
];

for (const [what, options] of ENDPOINTS) {
  test(`L3: should mirror every event of an endpoint ${what}`, async ({ server }) => {
    const mirrored = await builtMirror(server, endpointOf(undefined, options));
    assert.equal(mirrored.records.map(({ id }) => id).sort(), EVENTS.map(({ id }) => `by:${id}`).sort());
  });
}

test('L3: should not use a list that changes between two pages, and read it in the next build', async ({
  server,
}) => {
  // The first event moves behind the others after the first page: nothing in the totals shows it. Two lists are asked before.
  const [first, ...others] = EVENTS;
  if (first === undefined) throw new Error('expected events');
  const moved = [...others, plainEvent(first.id, 28)];
  let lists = 0;
  const changing = endpointOf(() => (lists++ < 3 ? EVENTS : moved), { mostOnPage: 10 });
  const target = temporaryFolder();
  const { health } = await builtMirror(server, changing, { target });
  assert.equal([health.state, health.reason], ['failed', 'changing while read']);
  const next = await builtMirror(server, changing, { target });
  assert.is(new Set(next.records.map(({ id }) => id)).size, EVENTS.length);
});

test('L3: should send one request at a time with its key, and again after Retry-After', async ({
  server,
}) => {
  const good = endpointOf();
  let open = 0;
  let most = 0;
  let count = 0;
  const keys = new Set<unknown>();
  const handler: Handler = (request, response) => {
    keys.add(request.headers['x-api-key']);
    most = Math.max(most, ++open);
    response.once('close', () => open--);
    if (count++ === 1) response.writeHead(429, { 'retry-after': '0' }).end();
    else if (count === 4) response.writeHead(503, { 'retry-after': '0' }).end();
    else good(request, response);
  };
  const mirrored = await builtMirror(server, handler, {
    feed: { apiKeyEnv: 'BY_KEY' },
    feedSettings: { ...FEED_SETTINGS, variable: () => 'nokkel-1' },
  });
  assert.is(mirrored.records.length, EVENTS.length);
  assert.equal([most, [...keys]], [1, ['nokkel-1']]);
});

test('G2: should report the error message of an endpoint', async ({ server }) => {
  const handler: Handler = (_, response) => {
    response
      .writeHead(200)
      .end(JSON.stringify({ data: null, errors: [{ message: 'Closed for the season' }] }));
  };
  const { health } = await builtMirror(server, handler);
  assert.is(health.why, 'expected an answer, found the error "Closed for the season"');
});

const REFUSED = { message: 'Cannot query field', extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } };
const FAILED = { message: 'Internal server error', extensions: { code: 'INTERNAL_SERVER_ERROR' } };

/** An endpoint that refuses its first query, which is sent by GET and then by POST. */
function refusingFirst(error: object): Handler {
  const base = endpointOf();
  let queries = 0;
  return (request, response) => {
    if (queries++ > 1) base(request, response);
    else response.writeHead(400).end(JSON.stringify({ errors: [error] }));
  };
}

test('L3: should query fewer fields if our own are refused', async ({ server }) => {
  const { health, records } = await builtMirror(server, refusingFirst(REFUSED));
  assert.equal([health.state, health.why], ['ok', null]);
  assert.is(records.length, EVENTS.length, 'events');
});

test('L3: should not query fewer fields after an internal error', async ({ server }) => {
  const { health, records } = await builtMirror(server, refusingFirst(FAILED));
  assert.is(health.state, 'failed');
  assert.is(health.why, 'expected an answer, found the error "Internal server error"');
  assert.is(records.length, 0, 'events');
});

test('G2: should refuse events without an id, and report the place of the first', async ({ server }) => {
  const { health } = await builtMirror(
    server,
    endpointOf(() => [...EVENTS, plainEvent('', 1)]),
  );
  assert.equal(
    [health.reason, health.why],
    ['unreadable answer', 'events.data[30].id: expected an id, found ""'],
  );
});

test('G7: should send only conditional requests to an unchanged endpoint', async () => {
  const original = await startBuilt(sourceFolder({ 'events.json': CALENDAR_EVENTS }), NOW);
  const statuses: number[] = [];
  original.server.on('request', (_, response) =>
    response.once('finish', () => statuses.push(response.statusCode)),
  );
  const sources = [{ id: 'by', kind: 'graphql', url: `${original.url}/graphQL` }];
  const source = sourceFolder({ 'events.json': CALENDAR_EVENTS, 'sources.json': sources });
  const target = temporaryFolder();
  try {
    await builtWithFeeds(source, target);
    const before = statuses.length;
    const { result } = await builtWithFeeds(source, target);
    assert.is(result.outcome, 'unchanged');
    assert.equal(new Set(statuses.slice(before)), new Set([304]));
  } finally {
    await original.close();
  }
});

test('G7: should send only conditional requests to an unchanged endpoint with fewer fields', async ({
  server,
}) => {
  const base = endpointOf();
  const handler: Handler = (request, response) => {
    const isFirst = request.method === 'POST' || request.url?.includes('pageSize%3A+1%29');
    if (isFirst) response.writeHead(400).end(JSON.stringify({ errors: [REFUSED] }));
    else if (request.headers['if-none-match'] !== undefined) response.writeHead(304).end();
    else base(request, response.setHeader('etag', '"1"'));
  };
  const target = temporaryFolder();
  await builtMirror(server, handler, { target });
  const { health, asked } = await builtMirror(server, handler, { target });
  assert.is(health.state, 'ok');
  assert.equal([...new Set(asked.map(({ headers }) => headers['if-none-match']))], ['"1"']);
});

test.run();
