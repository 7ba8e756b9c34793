/** D4 to D8: the endpoint over HTTP: caching, codings, media types, health. `caller.test.ts` has its callers. */
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { BROWSER_ACCEPT, PREFLIGHT } from '../../../helpers/client.ts';
import { closedAfterEach } from '../../../helpers/closing.ts';
import { asked } from '../requests.ts';
import { fakeSnapshot, GOOD_KEY, type Got, NOTICE, START, type Stand, startStand } from './stand.ts';

const endpoint = suite<{ stand: Stand }>('endpoint');
const opened = closedAfterEach(endpoint);

endpoint.before(async (context) => {
  context.stand = await startStand({ moments: [START + 3_600] });
});

endpoint.after.each(({ stand }) => stand.setClock(START * 1_000));
endpoint.after(({ stand }) => stand.close());

const VENUES = '{ venues { id name } }';
const DATA = { venues: [{ id: 'v1', name: 'Rådhuset' }] };
const KEY = { 'x-api-key': GOOD_KEY };
const NEWER = 'application/graphql-response+json';
const LONG = '{ text(length: 2000) }';
const COMMON = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'ETag, Link, RateLimit, RateLimit-Policy, Retry-After',
  'x-content-type-options': 'nosniff',
  vary: 'Accept, Accept-Encoding, Gateway-Require-Preflight, X-Api-Key',
};

const ANSWER = {
  ...COMMON,
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'public, max-age=60',
};

endpoint('P2: should answer a POST with data and no more headers than it needs', async ({ stand }) => {
  for (const origin of ['executed', 'from the response cache']) {
    const got = await stand.post(VENUES);
    assert.is(got.status, 200, origin);
    assert.is(got.text, JSON.stringify({ data: DATA, extensions: { notice: NOTICE } }));
    assert.equal(got.headers, { ...ANSWER, 'content-length': `${got.bytes.length}` });
  }
});

endpoint('P2: should answer a GET the same, with an entity tag', async ({ stand }) => {
  for (const _time of ['worked out', 'reused']) {
    const { text, headers } = await stand.get(VENUES);
    assert.is(text, JSON.stringify({ data: DATA, extensions: { notice: NOTICE } }));
    const { etag = '', 'content-length': length, ...more } = headers;
    assert.match(etag, /^"[\w-]{22}"$/);
    assert.is(Number(length), Buffer.byteLength(text));
    assert.equal(more, { ...ANSWER, 'x-accel-expires': '59' });
  }
});

endpoint('should answer HEAD like GET, without the body', async ({ stand }) => {
  const path = `/graphQL?query=${encodeURIComponent('{ now snapshot }')}`;
  const bare = [];
  for (const _time of ['worked out', 'reused'])
    bare.push(await stand.send(path, { method: 'HEAD', headers: PREFLIGHT }));
  const full = await stand.send(path, { headers: PREFLIGHT });
  for (const { headers, text } of bare) assert.equal([headers, text], [full.headers, '']);
});

endpoint('P1: should answer /graphql as /graphQL, under one name', async ({ stand }) => {
  const get = `?query=${encodeURIComponent(VENUES)}`;
  const preflight = { 'gateway-require-preflight': 'true' };
  for (const { search, sent } of [
    { search: '', sent: asked(VENUES, {}, {}) },
    { search: get, sent: { headers: preflight } },
    { search: get, sent: {} },
    { search: '', sent: { method: 'DELETE' } },
    {
      search: '',
      sent: { method: 'POST', headers: { 'content-type': 'text/plain' }, body: '{}' },
    },
  ] as const) {
    const [whole, alias] = [
      await stand.send(`/graphQL${search}`, sent),
      await stand.send(`/graphql${search}`, sent),
    ];
    assert.equal(alias.status, whole.status);
    assert.equal(alias.text, whole.text);
    assert.equal(alias.headers.etag, whole.headers.etag);
    assert.is(stand.traffic.at(-1)?.route, stand.traffic.at(-2)?.route);
  }
  for (const path of ['/GraphQL', '/graphql/', '/graphqlx'])
    assert.is((await stand.send(path)).status, 404, path);
});

endpoint('D4: should add the notice to data, and to no refusal', async ({ stand }) => {
  const noticeIn = async (query: string) => JSON.parse((await stand.post(query)).text).extensions?.notice;
  for (const query of ['{ broken { id } now }', '{ broken { id } }'])
    assert.is(await noticeIn(query), NOTICE, query);
  for (const query of ['{ events(page: -1) { totalCount } }', '{ nothing }', '{'])
    assert.is(await noticeIn(query), undefined, query);
});

for (const { publicUrl, home } of [
  { publicUrl: undefined, home: '/developers' },
  {
    publicUrl: 'https://events.example/api/',
    home: 'https://events.example/api/developers',
  },
  { publicUrl: 'https://events.example', home: 'https://events.example/developers' },
] as const) {
  endpoint(`D4: should name ${home} where the licence has no portal, for ${publicUrl}`, async () => {
    const stand = await startStand({
      portalUrl: null,
      ...(publicUrl && { publicUrl: new URL(publicUrl) }),
    });
    assert.is(JSON.parse((await stand.post(VENUES)).text).extensions.notice, `Get a key at ${home}`);
    await stand.close();
  });
}

endpoint('P3, D5: should answer a preflight with 204 for a day, as the interface says', async ({ stand }) => {
  const headers = {
    origin: 'https://page.example',
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'content-type, x-api-key',
  };
  for (const path of ['/graphQL', '/schema.graphql', '/nothing']) {
    const got = await stand.send(path, { method: 'OPTIONS', headers });
    assert.is(got.status, 204, path);
    assert.is(got.text, '', path);
    assert.equal(got.headers, {
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'GET, HEAD, POST',
      'access-control-allow-headers':
        'Content-Type, Accept, Gateway-Require-Preflight, X-Api-Key, X-Page-Url, X-Client-Id, If-None-Match, *',
      'access-control-max-age': '86400',
      vary: 'Origin',
    });
  }
});

endpoint('should answer a plain OPTIONS with the allowed methods', async ({ stand }) => {
  const got = await stand.send('/graphQL', { method: 'OPTIONS' });
  assert.is(got.status, 204);
  assert.is(got.headers.allow, 'GET, HEAD, POST, OPTIONS');
  assert.is(got.headers['access-control-allow-origin'], '*');
});

endpoint('D6: should answer 304 with the same headers to a client that has the answer', async ({ stand }) => {
  const full = await stand.get(VENUES);
  const { 'content-length': _, 'content-type': __, ...headers } = full.headers;
  const tag = full.headers.etag ?? '';
  for (const condition of [tag, `W/${tag}`, `"other", ${tag}`, '*', `"other",W/${tag} , "more"`]) {
    const got = await stand.get(VENUES, { 'if-none-match': condition });
    assert.is(got.status, 304, condition);
    assert.is(got.text, '', condition);
    assert.equal(got.headers, headers, condition);
  }
});

endpoint('D6: should answer 200 to a client that has another answer', async ({ stand }) => {
  const { etag = '' } = (await stand.get(VENUES)).headers;
  for (const condition of ['"other"', etag.slice(1, -1), `${etag.slice(0, -1)}x"`])
    assert.is((await stand.get(VENUES, { 'if-none-match': condition })).status, 200, condition);
});

endpoint('D6: should answer 304 if an answer that is executed again is the same', async ({ stand }) => {
  const { etag = '' } = (await stand.get(VENUES)).headers;
  // The cached answer is of an earlier epoch.
  stand.setClock((START + 3_600) * 1_000);
  assert.is((await stand.get(VENUES, { 'if-none-match': etag })).status, 304);
});

endpoint('D6: should give another entity tag for each representation of an answer', async ({ stand }) => {
  const encodings = ['identity', 'br', 'gzip'].map((coding) => ({ 'accept-encoding': coding }));
  const tags: string[] = [];
  for (const headers of [...encodings, { accept: NEWER }, { ...encodings[1], accept: NEWER }, KEY]) {
    const { etag = '' } = (await stand.get(LONG, headers)).headers;
    assert.match(etag, /^(?:W\/)?".+"$/, JSON.stringify(headers));
    assert.not(tags.includes(etag), `expected another entity tag than before for ${JSON.stringify(headers)}`);
    tags.push(etag);
  }
});

interface Freshness {
  readonly title: string;
  readonly ask: (stand: Stand) => Promise<Got>;
  readonly cacheControl: string;
  readonly hasTag: boolean;
}

const FRESHNESS: readonly Freshness[] = [
  {
    title: 'a GET',
    ask: ({ get }) => get(VENUES, KEY),
    cacheControl: 'public, max-age=60',
    hasTag: true,
  },
  {
    title: 'a GET with a key in its URL',
    ask: ({ send }) =>
      send(`/graphQL?query=${encodeURIComponent(VENUES)}&key=garbage`, { headers: PREFLIGHT }),
    cacheControl: 'private, max-age=60',
    hasTag: true,
  },
  {
    title: 'a POST',
    ask: ({ post }) => post(VENUES, {}, { 'if-none-match': '*' }),
    cacheControl: 'public, max-age=60',
    hasTag: false,
  },
  {
    title: 'an answer with errors',
    ask: ({ get }) => get('{ broken { id } }', { 'if-none-match': '*' }),
    cacheControl: 'no-store',
    hasTag: false,
  },
];

for (const { title, ask, cacheControl, hasTag } of FRESHNESS) {
  const tag = hasTag ? 'an entity tag' : 'no entity tag';
  endpoint(`D6: should answer ${title} with ${cacheControl} and ${tag}`, async ({ stand }) => {
    const { status, headers } = await ask(stand);
    assert.is(status, 200);
    assert.is(headers['cache-control'], cacheControl);
    assert.is(headers.etag !== undefined, hasTag);
  });
}

endpoint('D6: should cap the age by the setting', async () => {
  for (const maxAge of [0, 5, 86_400]) {
    const stand = opened(await startStand({ maxAge }));
    assert.is((await stand.post(VENUES)).headers['cache-control'], `public, max-age=${maxAge}`);
  }
});

interface CodingCase {
  readonly accepted: string | undefined;
  readonly coding: string | undefined;
}

const CODINGS: readonly CodingCase[] = [
  { accepted: undefined, coding: undefined },
  { accepted: '', coding: undefined },
  { accepted: 'gzip, deflate, br', coding: 'br' },
  { accepted: 'gzip', coding: 'gzip' },
  { accepted: 'x-gzip', coding: 'gzip' },
  { accepted: 'GZIP', coding: 'gzip' },
  { accepted: '*', coding: 'br' },
  { accepted: 'br;q=0, *', coding: 'gzip' },
  { accepted: 'br;q=0.5, gzip;q=0.8', coding: 'gzip' },
  { accepted: 'gzip;q=0.5, br;q=0.5', coding: 'br' },
  { accepted: 'gzip;q=0', coding: undefined },
  { accepted: 'identity, gzip;q=0.5', coding: undefined },
  { accepted: 'identity;q=0.5, gzip;q=0.5', coding: 'gzip' },
  { accepted: 'identity;q=0', coding: undefined },
  { accepted: 'deflate, zstd', coding: undefined },
  { accepted: 'gzip;q=nonsense', coding: undefined },
];

const UNPACK = { br: brotliDecompressSync, gzip: gunzipSync };

for (const { accepted, coding } of CODINGS) {
  endpoint(`D7: should send ${coding} to clients that accept ${accepted}`, async ({ stand }) => {
    for (const _time of ['worked out', 'reused']) {
      const got = await stand.post(LONG, {}, accepted === undefined ? {} : { 'accept-encoding': accepted });
      assert.is(got.headers['content-encoding'], coding);
      const plain = coding === 'br' || coding === 'gzip' ? UNPACK[coding](got.bytes) : got.bytes;
      assert.is(JSON.parse(plain.toString()).data.text, 'æ'.repeat(2_000));
      assert.is(Number(got.headers['content-length']), got.bytes.length);
    }
  });
}

endpoint('D7: should compress responses of more than 1 KiB, also errors', async ({ stand }) => {
  const accepting = { 'accept-encoding': 'br', 'x-api-key': GOOD_KEY };
  const frame = Buffer.byteLength('{"data":{"text":""}}');
  const wrong = Array.from({ length: 15 }, (_, at) => `unknown${at}`).join(' ');
  for (const { query, status, coding } of [
    {
      query: `{ text(length: ${(1_024 - frame) / 2}) }`,
      status: 200,
      coding: undefined,
    },
    { query: `{ text(length: ${(1_026 - frame) / 2}) }`, status: 200, coding: 'br' },
    { query: `{ ${wrong} }`, status: 400, coding: 'br' },
  ] as const) {
    const got = await stand.post(query, {}, accepting);
    assert.equal(got.status, status, query);
    assert.equal(got.headers['content-encoding'], coding, query);
  }
});

for (const { accept, type } of [
  { accept: undefined, type: 'application/json' },
  { accept: '*/*', type: 'application/json' },
  { accept: 'application/json', type: 'application/json' },
  { accept: NEWER, type: NEWER },
  { accept: `${NEWER}, application/json;q=0.9`, type: NEWER },
  { accept: `${NEWER};q=0.5, application/json`, type: 'application/json' },
  { accept: `application/json, ${NEWER}`, type: 'application/json' },
  {
    accept: `${NEWER}, application/graphql+json, application/json, text/event-stream, multipart/mixed`,
    type: NEWER,
  },
  { accept: 'text/html', type: 'application/json' },
  { accept: `${NEWER};q=0`, type: 'application/json' },
] as const) {
  endpoint(`should call its answers and refusals ${type} for Accept: ${accept}`, async ({ stand }) => {
    for (const query of [VENUES, VENUES, '{ nothing }']) {
      const got = await stand.post(query, {}, accept === undefined ? {} : { accept });
      assert.is(got.headers['content-type'], `${type}; charset=utf-8`);
    }
  });
}

endpoint('D3: should refuse a browser like any client where there is no page', async ({ stand }) => {
  const path = `/graphQL?query=${encodeURIComponent(VENUES)}`;
  assert.is((await stand.send(path, { headers: { accept: BROWSER_ACCEPT } })).status, 400);
});

endpoint('P18, D8: should hand out the schema as a file', async ({ stand }) => {
  const got = await stand.send('/schema.graphql');
  assert.is(got.status, 200);
  assert.match(got.text, 'type Query');
  assert.is(got.headers['content-disposition'], 'attachment; filename="schema.graphql"');
  const again = await stand.send('/schema.graphql', { headers: { 'if-none-match': got.headers.etag ?? '' } });
  assert.is(again.status, 304);
});

endpoint('D8: should be up always, and ready with a snapshot only', async () => {
  const stand = opened(await startStand({ hasSnapshot: false }));
  const isReady = async (status: number, body: object) => {
    const got = await stand.send('/readyz');
    assert.equal(got.status, status);
    assert.equal(JSON.parse(got.text), { ...body, lastRefusal });
  };
  const lastRefusal = { at: new Date(START * 1_000).toISOString(), reason: 'truncated: calendar-1.sqlite' };
  await isReady(503, { ready: false, snapshot: null });
  const id = '0123456789abcdef';
  stand.swap(fakeSnapshot(id));
  const counts = { events: 2, occurrences: 3, venues: 1, organizers: 1, categories: 13 };
  const snapshot = { id, builtAt: new Date((START - 90) * 1_000).toISOString(), ageSeconds: 90, counts };
  await isReady(200, { ready: true, snapshot });
  stand.stop();
  await isReady(503, { ready: false, reason: 'stopping', snapshot });
  assert.is((await stand.send('/healthz')).status, 200);
  assert.is((await stand.post(VENUES)).status, 200, 'H4: what comes is still answered');
});

endpoint('should serve routes of annexes, and answer their failures like its own', async () => {
  const fail = () => {
    throw new Error('at /secret/place');
  };
  const stand = opened(
    await startStand({
      parts: [
        {
          addRoutes: (router) =>
            router.get('/fails', fail).get('/hello', (context) => {
              context.body = 'hello';
            }),
        },
      ],
    }),
  );
  const { text, headers } = await stand.send('/hello');
  assert.is(text, 'hello');
  assert.is(headers['access-control-allow-origin'], '*');
  const fails = await stand.send('/fails');
  assert.is(fails.status, 500);
  const [{ extensions }] = JSON.parse(fails.text).errors;
  assert.equal(extensions, { code: 'INTERNAL_SERVER_ERROR', id: 'failure-1' });
  assert.is((await stand.send('/hello', { method: 'POST' })).headers.allow, 'GET, HEAD, OPTIONS');
  assert.equal(
    stand.traffic.map(({ route, status }) => [route, status]),
    [
      ['/hello', 200],
      ['/fails', 500],
      [undefined, 405],
    ],
  );
});

endpoint.run();
