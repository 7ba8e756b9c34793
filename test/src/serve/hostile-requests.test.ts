/** D9, D12: unusual and malformed requests of HTTP, and failures that a stranger can cause at will. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createMask } from '../../../src/serve/graphql/mask.ts';
import { createAccessLog } from '../../../src/serve/http/access-log.ts';
import { assertAtMost } from '../../helpers/assertions.ts';
import { type Stand, startStand } from './http/stand.ts';

const VENUES = '{venues{id}}';
const DATA =
  '{"data":{"venues":[{"id":"v1"}]},"extensions":{"notice":"Get a key at https://portal.example"}}';
const QUERY = `query=${encodeURIComponent(VENUES)}`;
const HEADERS_OF_GET = 'Gateway-Require-Preflight: true\r\nConnection: close\r\n\r\n';
const BODY = JSON.stringify({ query: VENUES });
const JSON_TYPE = 'Content-Type: application/json\r\n';
const HUGE = `POST /graphQL HTTP/1.1\r\nHost: a\r\n${JSON_TYPE}Content-Length: 100000000\r\n\r\n`;
const post = (target: string, host = 'Host: h\r\n') =>
  `POST ${target} HTTP/1.1\r\n${host}${JSON_TYPE}Connection: close\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`;
const get = (target: string, host = 'Host: h\r\n') => `GET ${target} HTTP/1.1\r\n${host}${HEADERS_OF_GET}`;
const refused = (message: string, code = 'BAD_REQUEST') =>
  JSON.stringify({ errors: [{ message, extensions: { code } }] });
const NO_HTTP = refused('The request is not well-formed HTTP.');
const NO_HOST = refused('The request has no Host header.');
const TWO_HOSTS = refused('The request has more than one Host header.');
const NO_TARGET = refused('The request target must be a path, or an http URL.');
const TOO_LONG = refused('The URL and the headers together are too long.', 'HEADERS_TOO_LARGE');
const NO_PROXY = refused('CONNECT is not allowed: this server is not a proxy.', 'METHOD_NOT_ALLOWED');
const TOO_LARGE = refused('The body must not be larger than 256 KiB.', 'PAYLOAD_TOO_LARGE');
const NOT_FOUND = /"code":"NOT_FOUND"/;

interface Case {
  readonly name: string;
  readonly request: string;
  readonly status: number;
  /** All of the body, or what it contains. */
  readonly body: string | RegExp;
}

const CASES: readonly Case[] = [
  ...['http://h', 'HTTP://h:4000', 'https://user@h', 'http://[::1]:4000'].flatMap((authority): Case[] => [
    {
      name: `a GET of ${authority}`,
      request: get(`${authority}/graphQL?${QUERY}`),
      status: 200,
      body: DATA,
    },
    {
      name: `a POST to ${authority}`,
      request: post(`${authority}/graphQL`),
      status: 200,
      body: DATA,
    },
    {
      name: `a path of ${authority} that there is not`,
      request: get(`${authority}/nothing`),
      status: 404,
      body: NOT_FOUND,
    },
    {
      name: `${authority} with no path`,
      request: get(authority),
      status: 404,
      body: NOT_FOUND,
    },
  ]),
  {
    name: 'a query with no path',
    request: get(`http://h?${QUERY}`),
    status: 404,
    body: NOT_FOUND,
  },
  {
    name: 'an absolute form without preflight',
    request: get('http://h/graphQL').replace('true', '0'),
    status: 400,
    body: /CSRF/,
  },
  {
    name: 'an absolute form of what Koa answers',
    request: get('http://h/healthz'),
    status: 200,
    body: /"status":"up"/,
  },
  {
    name: 'HTTP/1.0 without a Host',
    request: get(`/graphQL?${QUERY}`, '').replace('1.1', '1.0'),
    status: 200,
    body: DATA,
  },
  {
    name: 'no Host',
    request: get('/healthz', ''),
    status: 400,
    body: NO_HOST,
  },
  {
    name: 'no Host, but one in the target',
    request: get(`http://h/graphQL?${QUERY}`, ''),
    status: 400,
    body: NO_HOST,
  },
  {
    name: 'two Hosts',
    request: post('/graphQL', 'Host: a\r\nhOST: b\r\n'),
    status: 400,
    body: TWO_HOSTS,
  },
  {
    name: 'the same Host twice',
    request: get('/healthz', 'Host: a\r\nHost: a\r\n'),
    status: 400,
    body: TWO_HOSTS,
  },
  {
    name: 'OPTIONS *',
    request: get('*').replace('GET', 'OPTIONS'),
    status: 204,
    body: '',
  },
  {
    name: 'GET *',
    request: get('*'),
    status: 400,
    body: /BAD_REQUEST/,
  },
  {
    name: 'an authority',
    request: get('h:443'),
    status: 400,
    body: /BAD_REQUEST/,
  },
  {
    name: 'another scheme',
    request: get('ftp://h/graphQL'),
    status: 400,
    body: NO_TARGET,
  },
  {
    name: 'a scheme and nothing',
    request: get('http:///graphQL'),
    status: 400,
    body: /BAD_REQUEST/,
  },
  ...['#', '\\', '%zz', '&&&', '=', '?'].map(
    (more): Case => ({
      name: `a query with ${more} in it`,
      request: get(`/graphQL?${QUERY}&a=${more}`),
      status: 200,
      body: DATA,
    }),
  ),
  ...['\u00a0', 'æ', '\u2028', '\t', '\x7f'].map(
    (letter): Case => ({
      name: `a path with ${JSON.stringify(letter)}`,
      request: get(`/graphQL${letter}?${QUERY}`),
      status: 400,
      body: NO_HTTP,
    }),
  ),
  {
    name: 'bytes that are no HTTP',
    request: 'hello\r\n\r\n',
    status: 400,
    body: NO_HTTP,
  },
  {
    name: 'an unknown method',
    request: get('/graphQL').replace('GET', 'BREW'),
    status: 400,
    body: NO_HTTP,
  },
  {
    name: 'two lengths',
    request: post('/graphQL', 'Host: a\r\nTransfer-Encoding: chunked\r\n'),
    status: 400,
    body: NO_HTTP,
  },
  {
    name: 'long headers',
    request: get('/graphQL', `Host: a\r\nX-Long: ${'a'.repeat(17_000)}\r\n`),
    status: 431,
    body: TOO_LONG,
  },
  {
    name: 'the method CONNECT',
    request: get('example.com:443').replace('GET', 'CONNECT'),
    status: 405,
    body: NO_PROXY,
  },
  {
    name: 'an unknown expectation',
    request: get('/healthz', 'Host: a\r\nExpect: magic\r\n'),
    status: 200,
    body: /"up"/,
  },
  {
    name: 'a body that is too large, before it has come',
    request: HUGE,
    status: 413,
    body: TOO_LARGE,
  },
];

const test = suite<{ stand: Stand }>('hostile requests');

test.before(async (context) => {
  context.stand = await startStand();
});
test.after(({ stand }) => stand.close());

for (const { name, request, status, body } of CASES) {
  test(`D9, D12: should answer ${status} to ${name}`, async ({ stand }) => {
    const [head = '', text = ''] = (await stand.raw(request)).split(/\r\n\r\n(.*)/s);
    assert.is(Number(head.split(' ')[1]), status, head);
    if (typeof body === 'string') assert.is(text, body);
    else assert.match(text, body);
    assert.match(head, /\r\nAccess-Control-Allow-Origin: \*/);
    if (status !== 204) assert.match(head, /\r\nContent-Type: application\/json; charset=utf-8/);
    if (status >= 400) assert.match(head, /\r\nCache-Control: no-store/);
    if (status >= 400) assert.match(head, /\r\nX-Content-Type-Options: nosniff/);
    assert.match(head, /\r\nConnection: close/);
    assert.equal(stand.logged, []);
  });
}

test('D12: should log a failure that a stranger repeats once', async ({ stand }) => {
  const ids = new Set<string>();
  for (let nth = 0; nth < 200; nth++) {
    const { text } = await stand.post(`{a${nth}:broken{id}}`);
    ids.add(JSON.parse(text).errors[0].extensions.id);
  }
  assert.is(stand.logged.length, 1, 'lines of the log');
  assert.equal([...ids], ['failure-1'], 'ids that clients are told');
});

test('D12: should log a failure again after a while, with its number, and other failures at once', () => {
  let now = 0;
  const lines: Readonly<Record<string, unknown>>[] = [];
  const log = { error: (fields: Readonly<Record<string, unknown>>) => lines.push(fields) };
  const mask = createMask(log, { clock: () => now, newId: () => `id-${lines.length + 1}` });
  const failOften = () =>
    Array.from({ length: 1_000 }, (_, nth) => mask(new Error(`a stranger’s text ${nth}`)));
  failOften();
  assert.is(lines.length, 1);
  assert.is(mask(new RangeError('other')), 'id-2');
  now = 60_000;
  assert.is(failOften().at(-1), 'id-3');
  assert.is(lines[2]?.before, 'id-1');
  assert.is(lines[2]?.more, 999);
  for (const thrown of ['a string', undefined]) mask(thrown);
  assert.is(lines.length, 5);
});

test('D12: should bound the lines of failures that are all different', () => {
  const lines: unknown[] = [];
  const mask = createMask({ error: (fields) => lines.push(fields) });
  for (let nth = 0; nth < 10_000; nth++) {
    const failure = new Error(`number ${nth}`);
    failure.stack = `Error: number ${nth}\n    at f${nth} (file.ts:1:1)`;
    mask(failure);
  }
  assertAtMost(lines.length, 51, 'lines');
});

test('D12: should bound the lines of requests that fail or take long, and say how many it left out', () => {
  let now = 0;
  const lines: Readonly<Record<string, unknown>>[] = [];
  const write = (fields: Readonly<Record<string, unknown>>) => lines.push(fields);
  const logAccess = createAccessLog({ log: { info: write, debug: write }, isDebug: false, clock: () => now });
  const caller = { kind: 'anonymous', name: undefined, application: undefined, pageHost: undefined } as const;
  const failed = {
    method: 'GET',
    route: '/graphQL',
    caller,
    operationName: undefined,
    rootField: undefined,
    isCacheHit: false,
    hasErrors: true,
    milliseconds: 1,
    status: 503,
  };
  for (let nth = 0; nth < 500; nth++) {
    logAccess(failed);
    logAccess({ ...failed, status: 200, milliseconds: 5_000 });
  }
  assert.is(lines.length, 20);
  now = 10_000;
  for (let nth = 0; nth < 2; nth++) logAccess(failed);
  const name = 'n'.repeat(110_000);
  logAccess({ ...failed, operationName: name, caller: { ...caller, pageHost: name } });
  const later = lines.slice(20);
  assert.equal(
    later.map(({ suppressed }) => suppressed),
    [980, undefined, undefined],
  );
  const cut = `${name.slice(0, 100)}…`;
  assert.equal(
    later.map(({ operation, pageHost }) => [operation, pageHost]),
    [
      [undefined, undefined],
      [undefined, undefined],
      [cut, cut],
    ],
  );
});

test.run();
