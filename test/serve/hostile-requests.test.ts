/** D12: requests in forms that clients seldom send, and failures that a stranger can bring about at will. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createMask } from '../../src/serve/graphql/refusal.ts';
import { createAccessLog } from '../../src/serve/http/access-log.ts';
import { type Stand, startStand } from './http/stand.ts';

const VENUES = '{venues{id}}';
const DATA =
  '{"data":{"venues":[{"id":"v1"}]},"extensions":{"notice":"Get a key at https://portal.example"}}';
const QUERY = encodeURIComponent(VENUES);
const GET = 'Gateway-Require-Preflight: true\r\nConnection: close\r\n\r\n';
const BODY = JSON.stringify({ query: VENUES });
const POST = `Content-Type: application/json\r\nConnection: close\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`;
const bad = (message: string) =>
  JSON.stringify({ errors: [{ message, extensions: { code: 'BAD_REQUEST' } }] });
const NO_PATH = bad('The request target must be a path, or an http URL.');
const NOTHING = /"code":"NOT_FOUND"/;

interface Case {
  readonly name: string;
  readonly request: string;
  readonly status: number;
  /** All of the body, or what is in it. */
  readonly body: string | RegExp;
}

const CASES: readonly Case[] = [
  ...['http://h', 'HTTP://h:4000', 'https://user@h', 'http://[::1]:4000'].flatMap((authority) => [
    {
      name: `a GET of ${authority}`,
      request: `GET ${authority}/graphQL?query=${QUERY} HTTP/1.1\r\nHost: h\r\n${GET}`,
      status: 200,
      body: DATA,
    },
    {
      name: `a POST to ${authority}`,
      request: `POST ${authority}/graphQL HTTP/1.1\r\nHost: h\r\n${POST}`,
      status: 200,
      body: DATA,
    },
    {
      name: `a path of ${authority} that there is not`,
      request: `GET ${authority}/nothing HTTP/1.1\r\nHost: h\r\n${GET}`,
      status: 404,
      body: NOTHING,
    },
    {
      name: `${authority} with no path`,
      request: `GET ${authority} HTTP/1.1\r\nHost: h\r\n${GET}`,
      status: 404,
      body: NOTHING,
    },
  ]),
  {
    name: 'a query with no path',
    request: `GET http://h?query=${QUERY} HTTP/1.1\r\nHost: h\r\n${GET}`,
    status: 404,
    body: NOTHING,
  },
  {
    name: 'an absolute form without the header that a GET needs',
    request: 'GET http://h/graphQL HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n',
    status: 400,
    body: /CSRF/,
  },
  {
    name: 'an absolute form of what Koa answers',
    request: 'GET http://h/healthz HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n',
    status: 200,
    body: /"status":"up"/,
  },
  {
    name: 'HTTP/1.0 without a Host',
    request: `GET /graphQL?query=${QUERY} HTTP/1.0\r\n${GET}`,
    status: 200,
    body: DATA,
  },
  {
    name: 'no Host, but one in the target',
    request: `GET http://h/graphQL?query=${QUERY} HTTP/1.1\r\n${GET}`,
    status: 400,
    body: bad('The request has no Host header.'),
  },
  {
    name: 'two Hosts',
    request: `POST /graphQL HTTP/1.1\r\nHost: a\r\nhOST: b\r\n${POST}`,
    status: 400,
    body: bad('The request has more than one Host header.'),
  },
  {
    name: 'the same Host twice',
    request: `GET /healthz HTTP/1.1\r\nHost: a\r\nHost: a\r\n${GET}`,
    status: 400,
    body: bad('The request has more than one Host header.'),
  },
  {
    name: 'OPTIONS *',
    request: 'OPTIONS * HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n',
    status: 204,
    body: '',
  },
  { name: 'GET *', request: `GET * HTTP/1.1\r\nHost: h\r\n${GET}`, status: 400, body: /BAD_REQUEST/ },
  {
    name: 'an authority',
    request: `GET h:443 HTTP/1.1\r\nHost: h\r\n${GET}`,
    status: 400,
    body: /BAD_REQUEST/,
  },
  {
    name: 'another scheme',
    request: `GET ftp://h/graphQL HTTP/1.1\r\nHost: h\r\n${GET}`,
    status: 400,
    body: NO_PATH,
  },
  {
    name: 'a scheme and nothing',
    request: `GET http:///graphQL HTTP/1.1\r\nHost: h\r\n${GET}`,
    status: 400,
    body: /BAD_REQUEST/,
  },
  ...['#x', '%20', '%2520', '%23', '\\', '%00', ';', '/.', '/..', '%2f'].map((end) => ({
    name: `a path that ends in ${JSON.stringify(end)}`,
    request: `GET /graphQL${end} HTTP/1.1\r\nHost: h\r\n${GET}`,
    status: 404,
    body: NOTHING,
  })),
  ...['#', '\\', '%zz', '&&&', '=', '?'].map((more) => ({
    name: `a query with ${JSON.stringify(more)} in it`,
    request: `GET /graphQL?query=${QUERY}&a=${more} HTTP/1.1\r\nHost: h\r\n${GET}`,
    status: 200,
    body: DATA,
  })),
  ...['\u00a0', 'æ', '\u2028', '\t', '\x7f'].map((letter) => ({
    name: `${JSON.stringify(letter)} in a path, not encoded`,
    request: `GET /graphQL${letter}?query=${QUERY} HTTP/1.1\r\nHost: h\r\n${GET}`,
    status: 400,
    body: bad('The request is not well-formed HTTP.'),
  })),
];

const test = suite<{ stand: Stand }>('hostile requests');

test.before(async (context) => {
  context.stand = await startStand();
});
test.after(({ stand }) => stand.close());

for (const { name, request, status, body } of CASES) {
  test(`D12: should answer ${status} to ${name}`, async ({ stand }) => {
    const got = await stand.raw(request);
    const [head = '', text = ''] = got.split(/\r\n\r\n(.*)/s);
    assert.is(Number(head.split(' ')[1]), status, got);
    if (typeof body === 'string') assert.is(text, body);
    else assert.match(text, body);
    assert.match(head, /\r\nAccess-Control-Allow-Origin: \*/);
    if (status !== 204) assert.match(head, /\r\nContent-Type: application\/json/);
    assert.equal(stand.logged, []);
  });
}

test('D12: a stranger should not be able to fill the log', async ({ stand }) => {
  const ids = new Set<string>();
  for (let nth = 0; nth < 200; nth++) {
    const { text } = await stand.post(`{a${nth}:broken{id}}`);
    ids.add(JSON.parse(text).errors[0].extensions.id);
  }
  assert.is(stand.logged.length, 1);
  assert.equal([...ids], ['failure-1'], 'the log has the id that clients are told');
});

test('D12: should tell again after a while, with how many there were, and other failures at once', () => {
  let now = 0;
  const lines: Readonly<Record<string, unknown>>[] = [];
  const log = { error: (fields: Readonly<Record<string, unknown>>) => lines.push(fields) };
  const mask = createMask(log, { clock: () => now, newId: () => `id-${lines.length + 1}` });
  const fail = (text: string) => mask(new Error(text));
  const failOtherwise = () => mask(new RangeError('other'));
  const failOften = () => Array.from({ length: 1_000 }, (_, nth) => fail(`text of a stranger ${nth}`));
  failOften();
  assert.is(lines.length, 1);
  assert.is(failOtherwise(), 'id-2');
  now = 60_000;
  assert.is(failOften().at(-1), 'id-3');
  assert.is(lines[2]?.before, 'id-1');
  assert.is(lines[2]?.more, 999);
  mask('a string');
  mask(undefined);
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
  assert.ok(lines.length <= 51, `${lines.length} lines`);
});

test('D12: should bound the lines of requests that fail or take long, and say how many it left out', () => {
  let now = 0;
  const lines: Readonly<Record<string, unknown>>[] = [];
  const write = (fields: Readonly<Record<string, unknown>>) => lines.push(fields);
  const tell = createAccessLog({ log: { info: write, debug: write }, isDebug: false, clock: () => now });
  const caller = { kind: 'anonymous', name: undefined, application: undefined, pageHost: undefined } as const;
  const entry = {
    method: 'GET',
    route: '/graphQL',
    caller,
    operationName: undefined,
    rootField: undefined,
    reused: false,
    failed: true,
    milliseconds: 1,
  };
  for (let nth = 0; nth < 500; nth++) {
    tell({ ...entry, status: 503 });
    tell({ ...entry, status: 200, milliseconds: 5_000 });
  }
  assert.is(lines.length, 20);
  now = 10_000;
  tell({ ...entry, status: 503 });
  tell({ ...entry, status: 503 });
  const name = 'n'.repeat(110_000);
  tell({ ...entry, status: 503, operationName: name, caller: { ...caller, pageHost: name } });
  assert.equal(
    lines.slice(20).map(({ suppressed, operation, pageHost }) => [suppressed, operation, pageHost]),
    [
      [980, undefined, undefined],
      [undefined, undefined, undefined],
      [undefined, `${name.slice(0, 100)}…`, `${name.slice(0, 100)}…`],
    ],
  );
});

test.run();
