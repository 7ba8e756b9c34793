/** D11: persisted queries by their protocol; the clients that speak it are in clients.test.ts. */
import { createHash } from 'node:crypto';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { persisted } from '../../../src/annexes/persisted/annex.ts';
import { createPersistedQueries } from '../../../src/annexes/persisted/persisted.ts';
import { type Got, type Stand, startStand } from '../../serve/http/stand.ts';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const QUERY = '{ venues { id } }';
const NOT_FOUND = {
  errors: [{ message: 'PersistedQueryNotFound', extensions: { code: 'PERSISTED_QUERY_NOT_FOUND' } }],
};

const extensionsFor = (query: string) => ({ persistedQuery: { version: 1, sha256Hash: sha256(query) } });

function post(
  stand: Stand,
  body: object,
  headers: Readonly<Record<string, string>> = { 'content-type': 'application/json' },
): Promise<Got> {
  return stand.send('/graphQL', { method: 'POST', headers, body: JSON.stringify(body) });
}

function get(stand: Stand, parameters: object, headers: Readonly<Record<string, string>> = PREFLIGHT) {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    search.set(name, typeof value === 'string' ? value : JSON.stringify(value));
  }
  return stand.send(`/graphQL?${search}`, { headers });
}

const PREFLIGHT = { 'gateway-require-preflight': 'true' };

const protocol = suite<{ stand: Stand }>('persisted queries');

protocol.before.each(async (context) => {
  context.stand = await startStand({ annexes: [persisted] });
});

protocol.after.each(({ stand }) => stand.close());

for (const [method, ask] of Object.entries({ POST: post, GET: get })) {
  protocol(
    `D11: should ask for an unknown query, remember it and answer by its hash, by ${method}`,
    async ({ stand }) => {
      const extensions = extensionsFor(QUERY);
      const unknown = await ask(stand, { extensions });
      assert.is(unknown.status, 200);
      assert.equal(JSON.parse(unknown.text), NOT_FOUND, 'D4: without a notice');
      assert.is(unknown.headers['cache-control'], 'no-store');
      const whole = await ask(stand, { query: QUERY, extensions });
      assert.is(JSON.parse(whole.text).data.venues.length, 1);
      const known = await ask(stand, { extensions });
      assert.is(known.status, 200);
      assert.is(known.text, whole.text);
      assert.is(known.text, (await post(stand, { query: QUERY })).text);
    },
  );
}

for (const [method, ask] of Object.entries({ POST: post, GET: get })) {
  protocol(
    `D15: should answer an unknown hash with 404 in the newer media type, by ${method}`,
    async ({ stand }) => {
      const type = 'application/graphql-response+json';
      const base = method === 'POST' ? { 'content-type': 'application/json' } : PREFLIGHT;
      for (const [accept, status] of [
        [type, 404],
        [`${type}, application/json;q=0.9`, 404],
        [`${type};q=0.5, application/json`, 200],
        ['*/*', 200],
      ] as const) {
        const unknown = await ask(stand, { extensions: extensionsFor(QUERY) }, { ...base, accept });
        assert.is(unknown.status, status, accept);
        assert.equal(JSON.parse(unknown.text), NOT_FOUND);
        assert.is(unknown.headers['cache-control'], 'no-store');
      }
    },
  );
}

protocol('D6: should make an answer by hash as cacheable as any other by GET', async ({ stand }) => {
  const ordinary = await get(stand, { query: QUERY });
  const extensions = extensionsFor(QUERY);
  await post(stand, { query: QUERY, extensions });
  const first = await get(stand, { extensions });
  assert.equal(first.headers, ordinary.headers, 'ETag, max-age and all');
  const executions = stand.executions();
  const again = await get(stand, { extensions }, { ...PREFLIGHT, 'if-none-match': first.headers.etag ?? '' });
  assert.is(again.status, 304);
  assert.is(stand.executions(), executions, 'from the response cache');
});

protocol('D11: should take variables and the name of an operation with a hash', async ({ stand }) => {
  const query = 'query One($size: Int) { events(pageSize: $size) { totalCount } } query Other { snapshot }';
  const extensions = extensionsFor(query);
  await post(stand, { query, extensions, operationName: 'Other' });
  const variables = { size: 1 };
  const { data } = JSON.parse((await post(stand, { extensions, variables, operationName: 'One' })).text);
  assert.equal(Object.keys(data), ['events']);
  const neither = await post(stand, { extensions });
  assert.match(JSON.parse(neither.text).errors[0].message, 'operationName');
});

protocol('D11: should need the preflight header for a GET by hash', async ({ stand }) => {
  const { status, text } = await get(stand, { extensions: extensionsFor(QUERY) }, {});
  assert.is(status, 400);
  assert.match(text, 'CSRF');
});

const REFUSED: readonly (readonly [says: string, body: object, message: RegExp])[] = [
  ['another hash', { query: QUERY, extensions: extensionsFor('{ now }') }, /is not the SHA-256 of "query"/],
  [
    'another version',
    { extensions: { persistedQuery: { version: 2, sha256Hash: sha256(QUERY) } } },
    /"version": 1/,
  ],
  [
    'a hash of another length',
    { extensions: { persistedQuery: { version: 1, sha256Hash: 'abc' } } },
    /64 hexa/,
  ],
  ['a hash that is a list', { extensions: { persistedQuery: { version: 1, sha256Hash: [] } } }, /64 hexa/],
  ['no object', { query: QUERY, extensions: { persistedQuery: 'yes' } }, /"version": 1/],
  ['neither query nor hash', { extensions: {} }, /^"query" is missing/],
  ['null in its place', { extensions: { persistedQuery: null } }, /^"query" is missing/],
];

for (const [says, body, message] of REFUSED) {
  protocol(`D11: should refuse ${says}`, async ({ stand }) => {
    const { status, text, headers } = await post(stand, body);
    assert.is(status, 400);
    assert.is(headers['cache-control'], 'no-store');
    const [error] = JSON.parse(text).errors;
    assert.is(error.extensions.code, 'BAD_REQUEST');
    assert.match(error.message, message);
  });
}

protocol('D11: should not remember what is no valid operation', async ({ stand }) => {
  for (const query of ['{ nothing }', '{', 'query A { now } query B { now }']) {
    const extensions = extensionsFor(query);
    assert.is((await post(stand, { query, extensions })).status, 400);
    assert.equal(JSON.parse((await post(stand, { extensions })).text), NOT_FOUND, query);
  }
});

protocol('D11: should remember a query again whose answer was still cached when it was evicted', async () => {
  const stand = await startStand({ annexes: [persisted], cacheBytes: 60_000_000 });
  const extensions = extensionsFor(QUERY);
  await post(stand, { query: QUERY, extensions });
  for (let place = 0; place < 70; place++) {
    const query = `${QUERY} # ${place}`.padEnd(64 * 1_024);
    // Twice: the admission filter of a full store takes what was requested before.
    for (const id of [1, 2]) await post(stand, { id, query, extensions: extensionsFor(query) });
  }
  assert.equal(JSON.parse((await post(stand, { extensions })).text), NOT_FOUND);
  const executions = stand.executions();
  await post(stand, { query: QUERY, extensions });
  assert.is(stand.executions(), executions, 'from the response cache');
  assert.is((await get(stand, { extensions })).headers.etag?.length, 24);
  await stand.close();
});

protocol.run();

const store = suite('the store of persisted queries');

const ask = (queries: ReturnType<typeof createPersistedQueries>, query: string) =>
  queries.resolve({
    query: undefined,
    variables: {},
    operationName: undefined,
    ...extensionsFor(query),
  });

store('should hold no more bytes than it may, and keep what is used', () => {
  const queries = createPersistedQueries(20_000);
  const all = Array.from({ length: 500 }, (_, place) => `{ venues { id } } # ${place}`);
  const [used = ''] = all;
  for (const query of all) {
    queries.remember({ hash: sha256(query), query });
    assert.ok('parameters' in ask(queries, used), query);
  }
  const kept = all.filter((query) => 'parameters' in ask(queries, query));
  assert.ok(kept.length > 10 && kept.length < 20, `${kept.length} are kept`);
});

store('should not remember a query longer than 64 KiB', () => {
  const queries = createPersistedQueries();
  const longest = QUERY.padEnd(64 * 1_024);
  for (const query of [longest, `${longest} `]) queries.remember({ hash: sha256(query), query });
  assert.ok('parameters' in ask(queries, longest));
  assert.not('parameters' in ask(queries, `${longest} `));
});

store.run();
