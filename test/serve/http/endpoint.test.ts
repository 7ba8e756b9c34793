import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fakeSnapshot, GOOD_KEY, NOTICE, START, type Stand, startStand } from './stand.ts';

const endpoint = suite<{ stand: Stand }>('endpoint');

endpoint.before(async (context) => {
  context.stand = await startStand({ moments: [START + 3_600] });
});

endpoint.after(({ stand }) => stand.close());

const VENUES = '{ venues { id name } }';
const DATA = { venues: [{ id: 'v1', name: 'Rådhuset' }] };
const LONG = '{ text(length: 2000) }';
const PREFLIGHT = { 'gateway-require-preflight': 'true' };
const COMMON = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'ETag, RateLimit, RateLimit-Policy, Retry-After',
  'x-content-type-options': 'nosniff',
  vary: 'Accept, Accept-Encoding, Gateway-Require-Preflight, X-Api-Key',
};

endpoint('should answer a POST with data and nothing but the headers that it needs', async ({ stand }) => {
  for (const _time of ['worked out', 'reused']) {
    const got = await stand.post(VENUES);
    assert.is(got.status, 200);
    assert.is(got.text, JSON.stringify({ data: DATA, extensions: { notice: NOTICE } }));
    assert.equal(got.headers, {
      ...COMMON,
      'content-type': 'application/json; charset=utf-8',
      'content-length': `${got.bytes.length}`,
      'cache-control': 'public, max-age=60',
    });
  }
});

endpoint('should answer a GET the same, with an entity tag', async ({ stand }) => {
  for (const _time of ['worked out', 'reused']) {
    const got = await stand.get(VENUES);
    assert.is(got.text, JSON.stringify({ data: DATA, extensions: { notice: NOTICE } }));
    const { etag = '', ...headers } = got.headers;
    assert.match(etag, /^"[\w-]{22}"$/);
    assert.equal(headers, {
      ...COMMON,
      'content-type': 'application/json; charset=utf-8',
      'content-length': `${got.bytes.length}`,
      'cache-control': 'public, max-age=60',
      'x-accel-expires': '59',
    });
  }
});

endpoint('should read variables and the operation name from a URL', async ({ stand }) => {
  const search = new URLSearchParams({
    query: 'query A($l: Int!) { text(length: $l) } query B { now }',
    variables: '{"l":3}',
    operationName: 'A',
  });
  const got = await stand.send(`/graphQL?${search}`, { headers: PREFLIGHT });
  assert.equal(JSON.parse(got.text).data, { text: 'æææ' });
});

endpoint('should answer HEAD like GET, without the body', async ({ stand }) => {
  const path = `/graphQL?query=${encodeURIComponent('{ now snapshot }')}`;
  const bare = [];
  for (const _time of ['worked out', 'reused'])
    bare.push(await stand.send(path, { method: 'HEAD', headers: PREFLIGHT }));
  const full = await stand.send(path, { headers: PREFLIGHT });
  for (const got of bare) {
    assert.equal(got.headers, full.headers);
    assert.is(got.text, '');
  }
});

// D4 ----------------------------------------------------------------------------------------------------------------

const NOTICES: readonly (readonly [string, string, Readonly<Record<string, string>>, boolean])[] = [
  ['no key', '/graphQL', {}, true],
  ['a valid key', '/graphQL', { 'x-api-key': GOOD_KEY }, false],
  ['a garbage key', '/graphQL', { 'x-api-key': 'garbage' }, true],
  ['a valid key in the URL', `/graphQL?key=${GOOD_KEY}`, {}, false],
  ['a valid key in the URL, its name encoded', `/graphQL?%6bey=${GOOD_KEY}`, {}, false],
  ['a garbage header before a valid parameter', `/graphQL?key=${GOOD_KEY}`, { 'x-api-key': 'garbage' }, true],
  ['a valid header before a garbage parameter', '/graphQL?key=garbage', { 'x-api-key': GOOD_KEY }, false],
  ["the operator's mark and no key", '/graphQL', { 'x-client-id': 'own/1' }, true],
];

for (const [says, path, headers, expected] of NOTICES) {
  endpoint(`D4: should ${expected ? 'add' : 'leave out'} the notice for ${says}`, async ({ stand }) => {
    for (const _time of ['worked out', 'reused']) {
      const got = await stand.send(path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ query: VENUES }),
      });
      assert.equal(JSON.parse(got.text), { data: DATA, ...(expected && { extensions: { notice: NOTICE } }) });
    }
  });
}

endpoint(
  'D4: should add the notice to partial data, and never to null data or refusals',
  async ({ stand }) => {
    const noticeIn = async (query: string) => JSON.parse((await stand.post(query)).text).extensions?.notice;
    assert.is(await noticeIn('{ broken { id } now }'), NOTICE);
    assert.is(await noticeIn('{ broken { id } }'), NOTICE);
    for (const query of ['{ events(page: -1) { totalCount } }', '{ nothing }', '{']) {
      assert.is(await noticeIn(query), undefined, query);
    }
  },
);

endpoint(
  "D4: should name this server's own page where the licence has no portal, by its path if no address is known",
  async () => {
    for (const [publicUrl, page] of [
      [undefined, '/'],
      ['https://events.example/api/', 'https://events.example/api/'],
      ['https://events.example', 'https://events.example/'],
    ] as const) {
      const stand = await startStand({
        portalUrl: null,
        ...(publicUrl && { publicUrl: new URL(publicUrl) }),
      });
      assert.is(JSON.parse((await stand.post(VENUES)).text).extensions.notice, `Get a key at ${page}`);
      await stand.close();
    }
  },
);

// D5 ----------------------------------------------------------------------------------------------------------------

endpoint(
  'D5: should answer a preflight with 204 for a day, with the methods and headers of the interface',
  async ({ stand }) => {
    for (const path of ['/graphQL', '/schema.graphql', '/nothing']) {
      const got = await stand.send(path, {
        method: 'OPTIONS',
        headers: {
          origin: 'https://page.example',
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'content-type, x-api-key',
        },
      });
      assert.is(got.status, 204);
      assert.is(got.text, '');
      assert.equal(got.headers, {
        'access-control-allow-origin': '*',
        'access-control-allow-methods': 'GET, HEAD, POST',
        'access-control-allow-headers':
          'Content-Type, Accept, Gateway-Require-Preflight, X-Api-Key, X-Page-Url, X-Client-Id, If-None-Match, *',
        'access-control-max-age': '86400',
        vary: 'Origin',
      });
    }
  },
);

endpoint('should answer a plain OPTIONS with what is allowed', async ({ stand }) => {
  const got = await stand.send('/graphQL', { method: 'OPTIONS' });
  assert.is(got.status, 204);
  assert.is(got.headers.allow, 'GET, HEAD, POST, OPTIONS');
  assert.is(got.headers['access-control-allow-origin'], '*');
});

// D6 ----------------------------------------------------------------------------------------------------------------

endpoint('D6: should answer 304 with the same headers to who has the answer', async ({ stand }) => {
  const full = await stand.get(VENUES);
  const { 'content-length': _, 'content-type': __, ...headers } = full.headers;
  const tag = full.headers.etag ?? '';
  for (const condition of [tag, `W/${tag}`, `"other", ${tag}`, '*', `"other",W/${tag} , "more"`]) {
    const got = await stand.get(VENUES, { 'if-none-match': condition });
    assert.is(got.status, 304, condition);
    assert.is(got.text, '');
    assert.equal(got.headers, headers, condition);
  }
  for (const condition of ['"other"', tag.slice(1, -1), `${tag.slice(0, -1)}x"`]) {
    assert.is((await stand.get(VENUES, { 'if-none-match': condition })).status, 200, condition);
  }
});

endpoint('D6: should answer 304 also when it has to work the answer out first', async ({ stand }) => {
  const tag = (await stand.get(VENUES)).headers.etag ?? '';
  stand.setClock((START + 3_600) * 1_000);
  assert.is((await stand.get(VENUES, { 'if-none-match': tag })).status, 304);
  stand.setClock(START * 1_000);
});

endpoint('D6: should give another entity tag for each form of an answer', async ({ stand }) => {
  const forms = [
    {},
    { 'accept-encoding': 'br' },
    { 'accept-encoding': 'gzip' },
    { accept: 'application/graphql-response+json' },
    { 'x-api-key': GOOD_KEY },
  ];
  const tags = new Set();
  for (const headers of forms) tags.add((await stand.get(LONG, headers)).headers.etag);
  assert.is(tags.size, forms.length);
  assert.not(tags.has(undefined));
});

endpoint('D6: should take no condition from a POST, and give it no entity tag', async ({ stand }) => {
  const got = await stand.post(VENUES, {}, { 'if-none-match': '*' });
  assert.is(got.status, 200);
  assert.is(got.headers.etag, undefined);
});

endpoint('D6: should mark an answer private when the key is in its URL', async ({ stand }) => {
  const query = encodeURIComponent(VENUES);
  const privately = await stand.send(`/graphQL?query=${query}&key=garbage`, { headers: PREFLIGHT });
  assert.is(privately.headers['cache-control'], 'private, max-age=60');
  assert.is(
    (await stand.get(VENUES, { 'x-api-key': GOOD_KEY })).headers['cache-control'],
    'public, max-age=60',
  );
});

endpoint('D6: should cap the age by the setting', async () => {
  for (const maxAge of [0, 5, 86_400]) {
    const stand = await startStand({ maxAge });
    assert.is((await stand.post(VENUES)).headers['cache-control'], `public, max-age=${maxAge}`);
    await stand.close();
  }
});

endpoint('D6: should neither keep nor tag an answer with errors', async ({ stand }) => {
  const got = await stand.get('{ broken { id } }', { 'if-none-match': '*' });
  assert.is(got.status, 200);
  assert.is(got.headers.etag, undefined);
  assert.is(got.headers['cache-control'], 'no-store');
});

// D7 ----------------------------------------------------------------------------------------------------------------

const CODINGS: readonly (readonly [string | undefined, string | undefined])[] = [
  [undefined, undefined],
  ['', undefined],
  ['gzip, deflate, br', 'br'],
  ['gzip', 'gzip'],
  ['x-gzip', 'gzip'],
  ['GZIP', 'gzip'],
  ['*', 'br'],
  ['br;q=0, *', 'gzip'],
  ['br;q=0.5, gzip;q=0.8', 'gzip'],
  ['gzip;q=0.5, br;q=0.5', 'br'],
  ['gzip;q=0', undefined],
  ['identity, gzip;q=0.5', undefined],
  ['identity;q=0.5, gzip;q=0.5', 'gzip'],
  ['identity;q=0', undefined],
  ['deflate, zstd', undefined],
  ['gzip;q=nonsense', undefined],
];

const UNPACK = { br: brotliDecompressSync, gzip: gunzipSync };

for (const [accepted, coding] of CODINGS) {
  endpoint(
    `D7: should send ${coding ?? 'no coding'} to who accepts ${accepted ?? 'nothing in particular'}`,
    async ({ stand }) => {
      for (const _time of ['worked out', 'reused']) {
        const got = await stand.post(LONG, {}, accepted === undefined ? {} : { 'accept-encoding': accepted });
        assert.is(got.headers['content-encoding'], coding);
        const plain = coding === 'br' || coding === 'gzip' ? UNPACK[coding](got.bytes) : got.bytes;
        assert.is(JSON.parse(plain.toString()).data.text, 'æ'.repeat(2_000));
        assert.is(Number(got.headers['content-length']), got.bytes.length);
      }
    },
  );
}

endpoint(
  'D7: should leave up to 1 KiB as it is, errors included, and compress what is longer',
  async ({ stand }) => {
    const accepting = { 'accept-encoding': 'br', 'x-api-key': GOOD_KEY };
    const frame = Buffer.byteLength('{"data":{"text":""}}');
    for (const [length, coding] of [
      [(1_024 - frame) / 2, undefined],
      [(1_026 - frame) / 2, 'br'],
    ] as const) {
      const got = await stand.post(`{ text(length: ${length}) }`, {}, accepting);
      assert.is(got.headers['content-encoding'], coding, `${length}`);
    }
    const manyErrors = `{ ${Array.from({ length: 15 }, (_, at) => `unknown${at}`).join(' ')} }`;
    const refused = await stand.post(manyErrors, {}, accepting);
    assert.is(refused.status, 400);
    assert.is(refused.headers['content-encoding'], 'br');
    assert.is(JSON.parse(brotliDecompressSync(refused.bytes).toString()).errors.length, 15);
  },
);

// Types -------------------------------------------------------------------------------------------------------------

const NEWER = 'application/graphql-response+json';
for (const [accept, type] of [
  [undefined, 'application/json'],
  ['*/*', 'application/json'],
  ['application/json', 'application/json'],
  [NEWER, NEWER],
  [`${NEWER}, application/json;q=0.9`, NEWER],
  [`${NEWER};q=0.5, application/json`, 'application/json'],
  [`application/json, ${NEWER}`, 'application/json'],
  [`${NEWER}, application/graphql+json, application/json, text/event-stream, multipart/mixed`, NEWER],
  ['text/html', 'application/json'],
  [`${NEWER};q=0`, 'application/json'],
] as const) {
  endpoint(
    `should call its answers and refusals ${type} for Accept: ${accept ?? '(none)'}`,
    async ({ stand }) => {
      for (const query of [VENUES, VENUES, '{ nothing }']) {
        const got = await stand.post(query, {}, accept === undefined ? {} : { accept });
        assert.is(got.headers['content-type'], `${type}; charset=utf-8`);
      }
    },
  );
}

// D3, D8 ------------------------------------------------------------------------------------------------------------

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

endpoint('D3: should refuse a browser as any other where there is no page for it', async ({ stand }) => {
  const path = `/graphQL?query=${encodeURIComponent(VENUES)}`;
  assert.is((await stand.send(path, { headers: { accept: BROWSER } })).status, 400);
});

endpoint('D8: should hand out the schema as a file', async ({ stand }) => {
  const got = await stand.send('/schema.graphql');
  assert.is(got.status, 200);
  assert.match(got.text, 'type Query');
  assert.is(got.headers['content-disposition'], 'attachment; filename="schema.graphql"');
  const again = await stand.send('/schema.graphql', { headers: { 'if-none-match': got.headers.etag ?? '' } });
  assert.is(again.status, 304);
});

endpoint('D8: should be up always, and ready with a snapshot only', async () => {
  const stand = await startStand({ hasSnapshot: false });
  const ready = async () => {
    const got = await stand.send('/readyz');
    return [got.status, JSON.parse(got.text)];
  };
  const lastRefusal = { at: new Date(START * 1_000).toISOString(), reason: 'truncated: calendar-1.sqlite' };
  assert.equal(await ready(), [503, { ready: false, snapshot: null, lastRefusal }]);
  stand.swap(fakeSnapshot('0123456789abcdef'));
  const snapshot = {
    id: '0123456789abcdef',
    builtAt: new Date((START - 90) * 1_000).toISOString(),
    ageSeconds: 90,
    counts: { events: 2, occurrences: 3, venues: 1, organizers: 1, categories: 13 },
  };
  assert.equal(await ready(), [200, { ready: true, snapshot, lastRefusal }]);
  stand.stop();
  assert.equal(await ready(), [503, { ready: false, reason: 'stopping', snapshot, lastRefusal }]);
  assert.is((await stand.send('/healthz')).status, 200);
  assert.is((await stand.post(VENUES)).status, 200, 'H4: what comes is still answered');
  await stand.close();
});

endpoint('should take routes of others, and keep its manners when they fail', async () => {
  const stand = await startStand({
    parts: [
      {
        addRoutes: (router) => {
          router.get('/hello', (context) => {
            context.body = 'hello';
          });
          router.get('/fails', () => {
            throw new Error('at /secret/place');
          });
        },
      },
    ],
  });
  const hello = await stand.send('/hello');
  assert.is(hello.text, 'hello');
  assert.is(hello.headers['access-control-allow-origin'], '*');
  const fails = await stand.send('/fails');
  assert.is(fails.status, 500);
  assert.equal(JSON.parse(fails.text).errors[0].extensions, {
    code: 'INTERNAL_SERVER_ERROR',
    id: 'failure-1',
  });
  assert.is((await stand.send('/hello', { method: 'POST' })).headers.allow, 'GET, HEAD, OPTIONS');
  assert.equal(
    stand.traffic.map(({ route, status }) => [route, status]),
    [
      ['/hello', 200],
      ['/fails', 500],
      [undefined, 405],
    ],
  );
  await stand.close();
});

endpoint.run();
