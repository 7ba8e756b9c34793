import { once } from 'node:events';
import { connect } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { CalendarError } from '../../../src/calendar/errors.ts';
import { MAX_BODY_BYTES } from '../../../src/serve/http/message.ts';
import { eventually } from '../../helpers/until.ts';
import { type Got, NOTICE, type Sent, type Stand, startStand } from './stand.ts';

const errors = suite<{ stand: Stand }>('errors');

errors.before(async (context) => {
  context.stand = await startStand();
});

errors.after(({ stand }) => stand.close());

const EVERYWHERE = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'ETag, RateLimit, RateLimit-Policy, Retry-After',
  'x-content-type-options': 'nosniff',
};
const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };
const VARY_ENDPOINT = { vary: 'Accept, Accept-Encoding, Gateway-Require-Preflight, X-Api-Key' };
const REFUSED = { ...EVERYWHERE, ...JSON_TYPE, 'cache-control': 'no-store' };
const FROM_ENDPOINT = { ...REFUSED, ...VARY_ENDPOINT };
const FROM_ROUTER = { ...REFUSED, vary: 'Accept-Encoding' };
const JSON_BODY = { 'content-type': 'application/json' };
const PREFLIGHT = { 'gateway-require-preflight': 'true' };

const post = (body: unknown, headers: Sent['headers'] = JSON_BODY): Sent => ({
  method: 'POST',
  headers,
  body: typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body),
});
const query = (text: string, more: object = {}) => post({ query: text, ...more });
const error = (code: string, message: string, more: object = {}) => ({
  errors: [{ message, ...more, extensions: { code } }],
});
const at = (column: number) => ({ locations: [{ line: 1, column }] });
const badRequest = (message: string, reason?: string) => ({
  errors: [{ message, extensions: { code: 'BAD_REQUEST', ...(reason !== undefined && { reason }) } }],
});

interface Case {
  readonly says: string;
  readonly path?: string;
  readonly sent: Sent;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

const CSRF =
  "Blocked as a possible cross-site request forgery (CSRF): a GET needs the header Gateway-Require-Preflight: true. A POST of JSON needs none. In Apollo Client, leave out useGETForQueries or set the header in HttpLink's headers; in urql, set preferGetMethod: false or the header in fetchOptions.";
const NOT_JSON = error('UNSUPPORTED_MEDIA_TYPE', 'The body must be JSON: Content-Type: application/json.');
const NOT_HERE = error('NOT_FOUND', 'There is nothing at this path. The GraphQL endpoint is /graphQL.');
const VENUES = '{ venues { id } }';

const refused = (status: number, says: string, sent: Sent, body: unknown): Case => ({
  says,
  sent,
  status,
  headers: FROM_ENDPOINT,
  body,
});

const bad = (says: string, sent: Sent, message: string): Case =>
  refused(400, says, sent, badRequest(message));

/** By the position of what is wrong in the document. */
const invalid = (says: string, sent: Sent, ...[message, column]: readonly [string, number]): Case =>
  refused(400, says, sent, error('GRAPHQL_VALIDATION_FAILED', message, at(column)));

const wrongArgument = (says: string, text: string, ...[message, more]: readonly [string, object?]): Case => ({
  says,
  sent: query(text),
  status: 200,
  headers: FROM_ENDPOINT,
  body: {
    data: null,
    errors: [{ message, ...at(3), path: ['events'], extensions: { code: 'BAD_USER_INPUT', ...more } }],
  },
});

const CASES: readonly Case[] = [
  // The interface's own table, section 7.
  bad('a body that is no JSON', post("{ 'query': 1 }"), 'Malformed JSON body'),
  bad('an empty body', post(''), 'Malformed JSON body'),
  refused(
    400,
    'a body that is no UTF-8',
    post(Uint8Array.of(0x22, 0xff, 0x22)),
    badRequest('Malformed JSON body', 'expected UTF-8, found other bytes'),
  ),
  bad('a GET without the preflight header', { headers: {} }, CSRF),
  bad('a GET with another value of it', { headers: { 'gateway-require-preflight': '1' } }, CSRF),
  invalid('an unknown field', query('{ nothing }'), 'Cannot query field "nothing" on type "Query".', 3),
  invalid(
    'an unknown argument',
    query('{ venues(of: 1) { id } }'),
    'Unknown argument "of" on field "Query.venues".',
    10,
  ),
  invalid(
    'a literal of the wrong type',
    query('{ text(length: "1") }'),
    'Int cannot represent non-integer value: "1"',
    16,
  ),
  wrongArgument('a negative page', '{ events(page: -1) { totalCount } }', '"page" must not be negative'),
  wrongArgument(
    'a page size that is not positive',
    '{ events(pageSize: 0) { totalCount } }',
    '"pageSize" must be positive',
  ),
  wrongArgument(
    'a date that cannot be parsed',
    '{ events(fromDate: "x") { totalCount } }',
    'Query Arguments invalid',
    { invalidArgs: ['fromDate'] },
  ),
  {
    says: 'a failure inside a resolver',
    sent: query('{ broken { id } snapshot }'),
    status: 200,
    headers: FROM_ENDPOINT,
    body: {
      data: { broken: null, snapshot: 'first' },
      errors: [
        {
          message: 'Internal server error',
          ...at(3),
          path: ['broken'],
          extensions: { code: 'INTERNAL_SERVER_ERROR', id: 'failure-1' },
        },
      ],
      extensions: { notice: NOTICE },
    },
  },

  // D1.
  refused(
    400,
    'a syntax error',
    query('{ venues'),
    error('GRAPHQL_PARSE_FAILED', 'Syntax Error: Expected Name, found <EOF>.', at(9)),
  ),
  bad('a missing query', post({}), '"query" is missing.'),
  bad('a query that is null', post({ query: null }), '"query" is missing.'),
  bad('an empty query', post({ query: '' }), '"query" is missing.'),
  bad(
    'a syntax tree in place of the query (D2)',
    post({ query: { kind: 'Document', definitions: [] } }),
    '"query" must be a string, found an object.',
  ),
  bad('a body that is a string', post('"{ venues }"'), 'The body must be a JSON object, found a string.'),
  bad('a body that is null', post('null'), 'The body must be a JSON object, found null.'),
  bad(
    'a batch',
    post([{ query: VENUES }]),
    'The body must be one JSON object: several operations in one request are not supported.',
  ),
  bad(
    'an unknown operation name',
    query('query A { snapshot }', { operationName: 'B' }),
    'The document has no operation of the name that "operationName" gives.',
  ),
  bad(
    'an ambiguous operation name',
    query('query A { snapshot } query B { snapshot }'),
    'The document has several operations: "operationName" must name one.',
  ),
  bad(
    'an operation name that is no string',
    query(VENUES, { operationName: 1 }),
    '"operationName" must be a string, found a number.',
  ),
  bad(
    'variables that are a number',
    query(VENUES, { variables: 5 }),
    '"variables" must be an object, found a number.',
  ),
  bad(
    'variables that are a string',
    query(VENUES, { variables: '{}' }),
    '"variables" must be an object, found a string.',
  ),
  bad(
    'variables that are a list',
    query(VENUES, { variables: [] }),
    '"variables" must be an object, found a list.',
  ),
  bad(
    'extensions that are a list',
    query(VENUES, { extensions: [] }),
    '"extensions" must be an object, found a list.',
  ),
  refused(
    400,
    'a variable of the wrong type',
    query('query ($l: Int!) { text(length: $l) }', { variables: { l: 'long' } }),
    error(
      'GRAPHQL_VALIDATION_FAILED',
      'Variable "$l" got invalid value "long"; Int cannot represent non-integer value: "long"',
      at(8),
    ),
  ),
  invalid('a mutation', query('mutation { venues }'), 'The schema has no mutation operations.', 1),
  {
    ...refused(400, 'a mutation by GET', { headers: PREFLIGHT }, undefined),
    path: `/graphQL?query=${encodeURIComponent('mutation { venues }')}`,
    body: error('GRAPHQL_VALIDATION_FAILED', 'The schema has no mutation operations.', at(1)),
  },
  {
    ...refused(400, 'a GET without a query', { headers: PREFLIGHT }, badRequest('"query" is missing.')),
    path: '/graphQL?variables=%7B%7D',
  },
  {
    ...refused(400, 'a GET with variables that are no JSON', { headers: PREFLIGHT }, undefined),
    path: '/graphQL?query=%7Bsnapshot%7D&variables=%7B',
    body: badRequest('The parameter "variables" must be JSON.'),
  },
  {
    ...refused(400, 'a GET with variables that are no object', { headers: PREFLIGHT }, undefined),
    path: '/graphQL?query=%7Bsnapshot%7D&variables=5',
    body: badRequest('"variables" must be an object, found a number.'),
  },
  refused(415, 'no content type', post({ query: VENUES }, {}), NOT_JSON),
  refused(415, 'a form', post('query=1', { 'content-type': 'application/x-www-form-urlencoded' }), NOT_JSON),
  refused(415, 'plain text', post({ query: VENUES }, { 'content-type': 'text/plain' }), NOT_JSON),
  refused(
    415,
    'a multipart body',
    post('--', { 'content-type': 'multipart/form-data; boundary=-' }),
    NOT_JSON,
  ),
  refused(415, 'a bare query', post(VENUES, { 'content-type': 'application/graphql' }), NOT_JSON),
  refused(
    415,
    'JSON in Latin-1',
    post({ query: VENUES }, { 'content-type': 'application/json; charset=latin1' }),
    NOT_JSON,
  ),
  refused(
    415,
    'a compressed body',
    post({ query: VENUES }, { ...JSON_BODY, 'content-encoding': 'gzip' }),
    error('UNSUPPORTED_MEDIA_TYPE', 'The body must not have a Content-Encoding.'),
  ),
  refused(
    413,
    'a body over 256 KiB',
    post(' '.repeat(MAX_BODY_BYTES + 1)),
    error('PAYLOAD_TOO_LARGE', 'The body must not be larger than 256 KiB.'),
  ),
  {
    says: 'too many tokens (D2)',
    sent: query(`{ ${'id '.repeat(2_000)}}`),
    status: 400,
    headers: FROM_ENDPOINT,
    body: error('QUERY_TOO_COMPLEX', 'The document has 2002 tokens; the limit is 2000.'),
  },
  ...['DELETE', 'PUT', 'PATCH'].map((method) => ({
    says: `the method ${method}`,
    sent: { method },
    status: 405,
    headers: { ...FROM_ROUTER, allow: 'GET, HEAD, POST, OPTIONS' },
    body: error('METHOD_NOT_ALLOWED', `${method} is not allowed here: only GET, HEAD, POST, OPTIONS.`),
  })),
  {
    says: 'a POST to a path that is only read',
    path: '/healthz',
    sent: { method: 'POST' },
    status: 405,
    headers: { ...FROM_ROUTER, allow: 'GET, HEAD, OPTIONS' },
    body: error('METHOD_NOT_ALLOWED', 'POST is not allowed here: only GET, HEAD, OPTIONS.'),
  },
  ...[
    '/nothing',
    '/graphql',
    '/graphQL/',
    '/GRAPHQL',
    '/graphQL%20',
    '//graphQL',
    '/%zz',
    '/../etc/passwd',
  ].map((path) => ({
    says: `the path ${path}`,
    path,
    sent: {},
    status: 404,
    headers: FROM_ROUTER,
    body: NOT_HERE,
  })),
];

for (const { says, path = '/graphQL', sent, status, headers, body } of CASES) {
  errors(`D1: should answer ${status} to ${says}`, async ({ stand }) => {
    const got = await stand.send(path, sent);
    assert.is(got.status, status, got.text);
    assert.equal(JSON.parse(got.text), body);
    assert.equal(got.headers, { ...headers, 'content-length': `${got.bytes.length}` });
  });
}

errors('D1: should accept a body of exactly 256 KiB, also in chunks', async ({ stand }) => {
  const start = JSON.stringify({ query: '{ snapshot }' });
  const body = start + ' '.repeat(MAX_BODY_BYTES - start.length);
  assert.is((await stand.send('/graphQL', post(body))).status, 200);
  const chunked = await stand.send('/graphQL', post(body, { ...JSON_BODY, 'transfer-encoding': 'chunked' }));
  assert.is(chunked.status, 200);
  const over = await stand.send(
    '/graphQL',
    post(`${body} `, { ...JSON_BODY, 'transfer-encoding': 'chunked' }),
  );
  assert.is(over.status, 413);
});

for (const type of [
  'application/json',
  'Application/JSON',
  'application/json; charset=utf-8',
  'application/json;charset="UTF-8"',
  'application/graphql+json',
  'application/vnd.api+json; v=1',
]) {
  errors(`D1: should take ${type} for JSON`, async ({ stand }) => {
    const got = await stand.send('/graphQL', post({ query: '{ snapshot }' }, { 'content-type': type }));
    assert.equal(JSON.parse(got.text).data, { snapshot: 'first' });
  });
}

errors(
  'D1: should overlook a byte order mark, a null name, null variables and null extensions',
  async ({ stand }) => {
    const body = { query: '{ snapshot }', operationName: null, variables: null, extensions: null };
    const got = await stand.send('/graphQL', post(`\ufeff${JSON.stringify(body)}`));
    assert.equal(JSON.parse(got.text).data, { snapshot: 'first' });
  },
);

errors(
  'D1: should keep what failed inside out of every reply, and log it under the id it shows',
  async ({ stand }) => {
    const got = await stand.post('{ broken { id } }');
    const { id } = JSON.parse(got.text).errors[0].extensions;
    const logged = stand.logged.find((line) => line.id === id);
    assert.match(String(logged?.err), 'no such table: event at /secret/place');
    assert.not.match(got.text, /secret|table/);
  },
);

errors('D1: should answer 500 with an id when the execution as a whole fails', async () => {
  const stand = await startStand({ execute: () => Promise.reject(new Error('cannot open /secret/place')) });
  const got = await stand.post('{ snapshot }');
  assert.is(got.status, 500);
  assert.equal(JSON.parse(got.text), {
    errors: [
      { message: 'Internal server error', extensions: { code: 'INTERNAL_SERVER_ERROR', id: 'failure-1' } },
    ],
  });
  assert.is(stand.pins(), 0, 'and the snapshot is let go');
  await stand.close();
});

errors('D1: should say of a statement that took too long only that it did', async () => {
  const stand = await startStand();
  const got = await stand.post('{ slow { id } }');
  assert.is(got.status, 200);
  assert.equal(got.headers, { ...FROM_ENDPOINT, 'content-length': `${got.bytes.length}` });
  assert.equal(JSON.parse(got.text), {
    data: null,
    errors: [
      {
        message: 'The calendar took too long to answer.',
        ...at(3),
        path: ['slow'],
        extensions: { code: 'TIMEOUT', id: 'failure-1' },
      },
    ],
  });
  assert.match(String(stand.logged[0]?.err), '/secret/place/calendar-1.sqlite');
  await stand.close();
});

errors('D1: should answer 503 without a snapshot, but refuse what is wrong anyway', async () => {
  const stand = await startStand({ hasSnapshot: false });
  const got = await stand.post('{ snapshot }');
  assert.is(got.status, 503);
  assert.is(got.headers['retry-after'], '5');
  assert.equal(
    JSON.parse(got.text),
    error('SERVICE_UNAVAILABLE', 'The calendar is not open yet. Try again in a moment.'),
  );
  assert.is((await stand.post('{ nothing }')).status, 400);
  assert.equal(stand.logged, [], 'not a failure');
  await stand.close();
});

errors('D1: should log no failure for a page that finds no snapshot, as on a server that stops', async () => {
  const GET = () => {
    throw new CalendarError('SERVICE_UNAVAILABLE', 'none at /secret/place');
  };
  const stand = await startStand({ parts: [{ addRoutes: (router) => router.get('/page', GET) }] });
  const { status, text } = await stand.send('/page');
  assert.is(status, 503);
  assert.not.match(text, 'secret');
  assert.equal(stand.logged, []);
  await stand.close();
});

/** Splits what came over the wire. */
function parseRaw(text: string): Pick<Got, 'status' | 'headers' | 'text'> {
  const [head = '', body = ''] = text.split('\r\n\r\n', 2);
  const [first = '', ...lines] = head.split('\r\n');
  const pairs = lines
    .map((line) => line.split(': ', 2))
    .map(([name = '', value = '']) => [name.toLowerCase(), value]);
  const { date: _, ...headers } = Object.fromEntries(pairs);
  return { status: Number(first.split(' ')[1]), headers, text: body };
}

const RAW: readonly (readonly [string, string, number, object])[] = [
  ['bytes that are no HTTP', 'hello\r\n\r\n', 400, badRequest('The request is not well-formed HTTP.')],
  [
    'an unknown method',
    'BREW /graphQL HTTP/1.1\r\nHost: a\r\n\r\n',
    400,
    badRequest('The request is not well-formed HTTP.'),
  ],
  ['a missing Host', 'GET /healthz HTTP/1.1\r\n\r\n', 400, badRequest('The request has no Host header.')],
  [
    'two lengths of one body',
    'POST /graphQL HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n',
    400,
    badRequest('The request is not well-formed HTTP.'),
  ],
  [
    'headers that are too long',
    `GET /graphQL HTTP/1.1\r\nHost: a\r\nX-Long: ${'a'.repeat(40_000)}\r\n\r\n`,
    431,
    error('HEADERS_TOO_LARGE', 'The URL and headers are too long together.'),
  ],
  [
    'the method CONNECT',
    'CONNECT example.com:443 HTTP/1.1\r\nHost: a\r\n\r\n',
    405,
    error('METHOD_NOT_ALLOWED', 'CONNECT is not allowed: this is no proxy.'),
  ],
];

for (const [says, text, status, body] of RAW) {
  errors(`D9: should answer ${status} in JSON to ${says}`, async ({ stand }) => {
    const got = parseRaw(await stand.raw(text));
    assert.is(got.status, status, got.text);
    assert.equal(JSON.parse(got.text), body);
    assert.equal(got.headers, { ...REFUSED, 'content-length': `${got.text.length}`, connection: 'close' });
  });
}

errors('D9: should overlook an expectation that it does not know', async ({ stand }) => {
  const text = await stand.raw(
    'GET /healthz HTTP/1.1\r\nHost: a\r\nExpect: magic\r\nConnection: close\r\n\r\n',
  );
  assert.is(parseRaw(text).status, 200);
});

const SLOW = { headersTimeout: 60, requestTimeout: 120, connectionsCheckingInterval: 20 };

for (const [says, text] of [
  ['headers', 'GET /graphQL HTTP/1.1\r\nHost:'],
  [
    'body',
    'POST /graphQL HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{"query":',
  ],
] as const) {
  errors(`D9: should answer 408 in JSON when the ${says} do not come in time`, async () => {
    const stand = await startStand({ limits: SLOW });
    const got = parseRaw(await stand.raw(text));
    assert.is(got.status, 408);
    assert.equal(JSON.parse(got.text), error('REQUEST_TIMEOUT', 'The request took too long to arrive.'));
    assert.is(stand.executions(), 0);
    await stand.close();
  });
}

errors('D9: should let go of a client that does not read its answer', async () => {
  const stand = await startStand({ limits: { idleTimeout: 1_000 } });
  const body = JSON.stringify({ query: '{ text(length: 8000000) }' });
  const socket = connect(stand.port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.pause();
  socket.write(
    `POST /graphQL HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  while (stand.traffic.length === 0) await new Promise((turn) => setImmediate(turn));
  assert.is(await stand.connections(), 1);
  while ((await stand.connections()) > 0) await new Promise((turn) => setImmediate(turn));
  socket.destroy();
  await stand.close();
});

errors('D9: should hang up on a client that keeps its end open after a refusal', async () => {
  const stand = await startStand({ limits: { idleTimeout: 0 } });
  const socket = connect({ port: stand.port, host: '127.0.0.1', allowHalfOpen: true });
  socket.on('error', () => undefined).resume();
  socket.write('hello\r\n\r\n');
  await once(socket, 'end');
  await eventually('it is gone', async () => (await stand.connections()) === 0);
  socket.destroy();
  await stand.close();
});

errors('D9: should execute nothing for an upload that is broken off', async () => {
  const stand = await startStand();
  const socket = connect(stand.port, '127.0.0.1');
  await new Promise((done) => {
    socket.write(
      'POST /graphQL HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{"q',
      done,
    );
  });
  socket.destroy();
  assert.is((await stand.post('{ snapshot }')).status, 200);
  assert.is(stand.executions(), 1);
  assert.is(stand.traffic.length, 1);
  await stand.close();
});

errors(
  'D1: should refuse what is too large before it has come, and let the client read that',
  async ({ stand }) => {
    const head = `POST /graphQL HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 100000000\r\n\r\n`;
    const got = parseRaw(await stand.raw(head));
    assert.is(got.status, 413);
    assert.is(got.headers.connection, 'close');
  },
);

errors.run();
