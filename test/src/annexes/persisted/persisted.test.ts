/** D11: persisted queries by their protocol. `serve/http/clients.test.ts` has the clients that use it. */
import { createHash } from 'node:crypto';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { persisted } from '../../../../src/annexes/persisted/annex.ts';
import { createPersistedQueries } from '../../../../src/annexes/persisted/persisted.ts';
import { assertAbove, assertAtLeast, assertBelow } from '../../../helpers/assertions.ts';
import { JSON_BODY, PREFLIGHT } from '../../../helpers/client.ts';
import { closedAfterEach } from '../../../helpers/closing.ts';
import { type Got, type Stand, startStand } from '../../serve/http/stand.ts';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const QUERY = '{ venues { id } }';
const NOT_FOUND = {
  errors: [{ message: 'PersistedQueryNotFound', extensions: { code: 'PERSISTED_QUERY_NOT_FOUND' } }],
};

const persistedAs = (sha256Hash: unknown, version = 1) => ({ persistedQuery: { version, sha256Hash } });
const extensionsFor = (query: string) => persistedAs(sha256(query));

type Headers = Readonly<Record<string, string>>;

function post(stand: Stand, body: object, more: Headers = {}): Promise<Got> {
  const headers = { ...JSON_BODY, ...more };
  return stand.send('/graphQL', { method: 'POST', headers, body: JSON.stringify(body) });
}

function get(stand: Stand, parameters: object, more: Headers = {}): Promise<Got> {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters))
    search.set(name, typeof value === 'string' ? value : JSON.stringify(value));
  return stand.send(`/graphQL?${search}`, { headers: { ...PREFLIGHT, ...more } });
}

const protocol = suite<{ stand: Stand }>('persisted queries');
const opened = closedAfterEach(protocol);

protocol.before.each(async (context) => {
  context.stand = await startStand({ annexes: [persisted] });
});

protocol.after.each(({ stand }) => stand.close());

const GRAPHQL = 'application/graphql-response+json';
const extensions = extensionsFor(QUERY);

/** The status of an unknown hash by the Accept header. */
const STATUSES: Readonly<Record<string, number>> = {
  [GRAPHQL]: 404,
  [`${GRAPHQL}, application/json;q=0.9`]: 404,
  [`${GRAPHQL};q=0.5, application/json`]: 200,
  '*/*': 200,
};

for (const [method, ask] of Object.entries({ POST: post, GET: get })) {
  protocol(
    `D11, D4: should ask for the query of an unknown hash, without a notice, by ${method}`,
    async (context) => {
      const { status, headers, text } = await ask(context.stand, { extensions });
      assert.is(status, 200);
      assert.is(headers['cache-control'], 'no-store');
      assert.equal(JSON.parse(text), NOT_FOUND);
    },
  );

  protocol(`D11: should remember a query that comes with its hash, by ${method}`, async ({ stand }) => {
    const whole = await ask(stand, { query: QUERY, extensions });
    assert.is(JSON.parse(whole.text).data.venues.length, 1);
    const known = await ask(stand, { extensions });
    assert.is(known.status, 200);
    assert.is(known.text, whole.text);
    assert.is(known.text, (await post(stand, { query: QUERY })).text, 'without persisted queries');
  });

  for (const [accept, expected] of Object.entries(STATUSES)) {
    protocol(
      `D15: should answer an unknown hash with ${expected} for ${accept}, by ${method}`,
      async (context) => {
        const { status, headers, text } = await ask(context.stand, { extensions }, { accept });
        assert.is(status, expected);
        assert.is(headers['cache-control'], 'no-store');
        assert.equal(JSON.parse(text), NOT_FOUND);
      },
    );
  }
}

protocol('D6: should make an answer by hash as cacheable as any other by GET', async ({ stand }) => {
  const ordinary = await get(stand, { query: QUERY });
  await post(stand, { query: QUERY, extensions });
  const first = await get(stand, { extensions });
  assert.equal(first.headers, ordinary.headers, 'ETag, max-age and all');
  const executions = stand.executions();
  const again = await get(stand, { extensions }, { 'if-none-match': first.headers.etag ?? '' });
  assert.is(again.status, 304);
  assert.is(stand.executions(), executions, 'from the response cache');
});

protocol('D11: should take variables and the name of an operation with a hash', async ({ stand }) => {
  const query = 'query One($size: Int) { events(pageSize: $size) { totalCount } } query Other { snapshot }';
  const named = { extensions: extensionsFor(query) };
  await post(stand, { ...named, query, operationName: 'Other' });
  const variables = { size: 1 };
  const { data } = JSON.parse((await post(stand, { ...named, variables, operationName: 'One' })).text);
  assert.equal(Object.keys(data), ['events']);
  assert.match(JSON.parse((await post(stand, named)).text).errors[0].message, 'operationName');
});

protocol('D11: should need the preflight header for a GET by hash', async ({ stand }) => {
  const search = new URLSearchParams({ extensions: JSON.stringify(extensions) });
  const { status, text } = await stand.send(`/graphQL?${search}`);
  assert.is(status, 400);
  assert.match(text, 'CSRF');
});

interface WrongBody {
  readonly title: string;
  readonly body: object;
  readonly message: RegExp;
}

const WRONG: readonly WrongBody[] = [
  {
    title: 'the hash of another query',
    body: { query: QUERY, extensions: extensionsFor('{ now }') },
    message: /is not the SHA-256 of "query"/,
  },
  {
    title: 'an unknown version',
    body: { extensions: persistedAs(sha256(QUERY), 2) },
    message: /"version": 1/,
  },
  {
    title: 'a hash that is too short',
    body: { extensions: persistedAs('abc') },
    message: /64 hexa/,
  },
  {
    title: 'a hash that is a list',
    body: { extensions: persistedAs([]) },
    message: /64 hexa/,
  },
  {
    title: 'an extension that is a text',
    body: { query: QUERY, extensions: { persistedQuery: 'yes' } },
    message: /"version": 1/,
  },
  {
    title: 'neither a query nor an extension',
    body: { extensions: {} },
    message: /^"query" is missing/,
  },
  {
    title: 'an extension that is null',
    body: { extensions: { persistedQuery: null } },
    message: /^"query" is missing/,
  },
];

for (const { title, body, message } of WRONG) {
  protocol(`D11: should refuse ${title}`, async ({ stand }) => {
    const { status, text, headers } = await post(stand, body);
    assert.is(status, 400);
    assert.is(headers['cache-control'], 'no-store');
    const [error] = JSON.parse(text).errors;
    assert.is(error.extensions.code, 'BAD_REQUEST');
    assert.match(error.message, message);
  });
}

for (const query of ['{ nothing }', '{', 'query A { now } query B { now }']) {
  protocol(`D11: should not remember an invalid document: ${query}`, async ({ stand }) => {
    const named = { extensions: extensionsFor(query) };
    assert.is((await post(stand, { ...named, query })).status, 400);
    assert.equal(JSON.parse((await post(stand, named)).text), NOT_FOUND);
  });
}

protocol('D11: should remember a query again whose answer was still cached when it was evicted', async () => {
  const stand = opened(await startStand({ annexes: [persisted], cacheBytes: 60_000_000 }));
  await post(stand, { query: QUERY, extensions });
  for (let place = 0; place < 70; place++) {
    const query = `${QUERY} # ${place}`.padEnd(64 * 1_024);
    // Twice: an answer evicts others only if it was requested before.
    for (const id of [1, 2]) await post(stand, { id, query, extensions: extensionsFor(query) });
  }
  assert.equal(JSON.parse((await post(stand, { extensions })).text), NOT_FOUND);
  const executions = stand.executions();
  await post(stand, { query: QUERY, extensions });
  assert.is(stand.executions(), executions, 'from the response cache');
  assert.is((await get(stand, { extensions })).status, 200);
});

protocol(
  'D14: should count the query that a cached answer remembers, however short its request is',
  async ({ stand }) => {
    const query = '{ now }'.padEnd(64 * 1_024);
    const extensions = extensionsFor(query);
    assert.is((await post(stand, { query, extensions })).status, 200);
    const before = stand.app.cacheSize().bytes;
    assert.is((await post(stand, { extensions })).status, 200);
    const more = stand.app.cacheSize().bytes - before;
    assertAtLeast(more, 2 * query.length, 'bytes more');
  },
);

protocol.run();

const store = suite('the store of persisted queries');

const isKnown = (queries: ReturnType<typeof createPersistedQueries>, query: string) =>
  'parameters' in
  queries.resolve({ query: undefined, variables: {}, operationName: undefined, ...extensionsFor(query) });

store('D11: should stay within its bytes, and keep the queries in use', () => {
  const queries = createPersistedQueries(20_000);
  const all = Array.from({ length: 500 }, (_, place) => `{ venues { id } } # ${place}`);
  const [used = ''] = all;
  for (const query of all) {
    queries.remember({ hash: sha256(query), query }, query);
    assert.ok(isKnown(queries, used), query);
  }
  const { length } = all.filter((query) => isKnown(queries, query));
  assertAbove(length, 10, 'queries that are kept');
  assertBelow(length, 20, 'queries that are kept');
});

store('D14: should let one address hold a quarter of the cache', () => {
  const queries = createPersistedQueries(100_000);
  const others = Array.from({ length: 20 }, (_, place) => `{ venues { id } } # other ${place}`);
  for (const query of others) queries.remember({ hash: sha256(query), query }, query);
  const many = Array.from({ length: 500 }, (_, place) => `{ venues { id } } # ${place}`);
  for (const query of many) queries.remember({ hash: sha256(query), query }, 'one');
  assert.equal(
    others.filter((query) => !isKnown(queries, query)),
    [],
  );
  const held = many.filter((query) => isKnown(queries, query));
  assert.equal(held, many.slice(-held.length), 'its latest ones');
  assertAbove(held.length, 20, 'queries that are kept');
  assertBelow(held.length, 25, 'queries that are kept');
});

store('D11: should not remember a query longer than 64 KiB', () => {
  const queries = createPersistedQueries();
  const longest = QUERY.padEnd(64 * 1_024);
  for (const query of [longest, `${longest} `]) queries.remember({ hash: sha256(query), query }, 'a');
  assert.is(isKnown(queries, longest), true, '64 KiB');
  assert.is(isKnown(queries, `${longest} `), false, 'a byte more');
});

store.run();
