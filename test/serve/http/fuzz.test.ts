import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { schema } from '../../../src/serve/graphql/schema.ts';
import { type Random, randomOperation, seeded, type Values } from '../../helpers/random-operations.ts';
import { startSample } from './sample.ts';
import type { Sent, Stand } from './stand.ts';

const LONG = process.env.ALMANAKK_TEST_LONG === '1';
const REQUESTS = LONG ? 200_000 : 800;
const SIDE_BY_SIDE = 16;
const SEED = Number(process.env.ALMANAKK_TEST_SEED ?? 1);

interface Asked extends Sent {
  readonly path: string;
}

interface Reply {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

type Make = (random: Random) => Asked;

const JSON_HEADERS = { 'content-type': 'application/json' };
const PREFLIGHT = { 'gateway-require-preflight': 'true' };

const pick = <T>(random: Random, list: readonly T[]): T => {
  const item = list[random(list.length)];
  if (item === undefined) throw new Error('expected a list that is not empty');
  return item;
};
const times = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make);

const NAMES = ['', ...'query variables operationName extensions filter __proto__ toString a'.split(' ')];
const TEXT = fc.string({ unit: 'grapheme', maxLength: 20 });
const WORD = fc.constantFrom(...NAMES, '{ venues { id } }', 'constructor', '2026-06-15 10:00:00+02:00');
const JSON_VALUE = fc.anything({
  key: fc.constantFrom(...NAMES),
  maxDepth: 4,
  maxKeys: 4,
  values: [fc.constant(null), fc.boolean(), fc.integer(), fc.double(), TEXT, WORD],
});
const randomOf = <T>(arbitrary: fc.Arbitrary<T>, random: Random): T =>
  pick(random, fc.sample(arbitrary, { numRuns: 1, seed: random(2 ** 31 - 1) }));
const randomBytes = (random: Random) => randomOf(fc.uint8Array({ maxLength: 200 }), random);
const randomJson = (random: Random) => randomOf(JSON_VALUE, random);

/** Whatever an argument may be given, right or wrong. */
const values: Values = (name, random) => {
  if (random(4) === 0) return undefined;
  if (random(3) > 0 && name in LIKELY) return pick(random, LIKELY[name] ?? []);
  return pick<unknown>(random, [
    null,
    '',
    random(50) - 10,
    randomOf(TEXT, random),
    [],
    [null, 'x'],
    true,
    1e12,
    -1.5,
  ]);
};

const DATES = ['2026-07-01 00:00:00+0200', '2026-06-15T10:00:00Z', '2026-02-30 00:00:00+01', 'tomorrow'];
const LIKELY: Readonly<Record<string, readonly unknown[]>> = {
  page: [0, 1, 2, -1, 2_147_483_647],
  pageSize: [1, 10, 1_000, 0, -1, 2_147_483_647],
  fromDate: DATES,
  untilDate: DATES,
  fromStartDate: DATES,
  hoursRange: ['18:00-23:00', '22:00-02:00', '25:00-26:00', '10:00'],
  mode: ['online', 'offline', 'elsewhere'],
  searchTerm: ['konsert', 'kønsert', 'a b c', '%', '"', '*'],
  tag: ['barn', "' or 1=1 --"],
  eventID: ['evt-001', 'nobody', "'; drop table event; --"],
  minLatitude: [-90, 0, 91, Number.MAX_VALUE],
};

const DAMAGES = ['', ' on ', '\0', '\ud800', ...'{ } ( $ ... @ " """ ! #'.split(' ')];

/** An operation's text with a few characters gone, doubled or replaced. */
function damaged(random: Random, text: string): string {
  let result = text;
  for (let times = random(4); times > 0; times--) {
    const at = random(result.length);
    const put = pick(random, DAMAGES);
    result = result.slice(0, at) + put + result.slice(at + random(3));
  }
  return result;
}

const graphql = (random: Random) => randomOperation(schema, random, values);
const post = (body: unknown): Asked => ({
  method: 'POST',
  path: '/graphQL',
  headers: JSON_HEADERS,
  body: body instanceof Uint8Array ? body : JSON.stringify(body),
});

const HEADERS = [
  ...['content-type', 'accept', 'accept-encoding', 'x-api-key', 'x-page-url', 'x-client-id'],
  ...['if-none-match', 'origin', 'content-encoding'],
];
const HEADER_PIECES = [' ', '\t', '\u00e6', ...'a / * ; = q 0.5 , " json application'.split(' ')];

/** Kinds of requests; named, so that a failure says what it was. */
const KINDS: Readonly<Record<string, Make>> = {
  'random bytes': (random) => post(randomBytes(random)),
  'random JSON': (random) => post(randomJson(random)),
  'random members': (random) =>
    post({
      query: random(2) === 0 ? '{ venues { id } }' : randomJson(random),
      variables: random(2) === 0 ? {} : randomJson(random),
      operationName: random(2) === 0 ? null : randomJson(random),
    }),
  'random operation': (random) => post(graphql(random)),
  'random operation, other variables': (random) => {
    const { query, variables } = graphql(random);
    const other = Object.keys(variables).map((name) => [name, randomJson(random)]);
    return post({ query, variables: Object.fromEntries(other) });
  },
  'damaged operation': (random) => {
    const { query, variables } = graphql(random);
    return post({ query: damaged(random, query), variables });
  },
  'random words': (random) => {
    const words =
      '{ } events data id ( ) filter : ... on Event $a @skip "x" 1 query fragment [ ] __schema types'.split(
        ' ',
      );
    return post({ query: times(random(60), () => pick(random, words)).join(' ') });
  },
  'operation by GET': (random) => {
    const { query, variables } = graphql(random);
    const search = new URLSearchParams({ query, variables: JSON.stringify(variables) });
    return { method: 'GET', path: `/graphQL?${search}`, headers: PREFLIGHT };
  },
  'random URL': (random) => {
    const text = times(random(40), () =>
      pick(random, ['/', '.', '%', '2', 'F', '?', '&', '=', 'key', 'query', '#', '~', '%00', 'a']),
    ).join('');
    return {
      method: pick(random, ['GET', 'HEAD', 'POST']),
      path: `/${text}`,
      headers: random(2) === 0 ? PREFLIGHT : {},
    };
  },
  'random headers': (random) => ({
    method: pick(random, ['GET', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'HEAD', 'TRACE', 'PROPFIND']),
    path: '/graphQL',
    headers: Object.fromEntries(
      HEADERS.filter(() => random(2) === 0).map((name) => [
        name,
        times(random(20), () => pick(random, HEADER_PIECES)).join(''),
      ]),
    ),
    body: '{"query":"{ venues { id } }"}',
  }),
};

const STATUSES = new Set([200, 204, 304, 400, 404, 405, 413, 415]);

/** What would show that the inside of the server has come out. */
const LEAKS = [
  /node_modules/,
  /\n\s+at /,
  /\.(ts|js):\d/,
  /SQLITE|sqlite3/,
  /no such (table|column)/,
  /\bselect .* from\b/i,
  new RegExp(process.cwd()),
  /\/tmp\//,
];

/** What is wrong with a reply, or undefined. */
function wrongIn(sent: Asked, { status, type, text }: Reply): string | undefined {
  if (!STATUSES.has(status)) return `status ${status}`;
  const leak = LEAKS.find((pattern) => pattern.test(text));
  if (leak !== undefined) return `it matches ${leak}`;
  if (sent.method === 'HEAD' || status === 204 || status === 304)
    return text === '' ? undefined : 'it has a body';
  if (status === 200 && /^text\/html|^application\/graphql;/.test(type)) return undefined;
  if (!/^application\/(graphql-response\+)?json; charset=utf-8$/.test(type)) return `type ${type}`;
  const body: unknown = JSON.parse(text);
  if (typeof body !== 'object' || body === null) return 'it is no object';
  if (!('errors' in body) && !('data' in body)) return 'it has neither data nor errors';
  if (status !== 200 && !('errors' in body)) return 'it has no errors';
  return /"INTERNAL_SERVER_ERROR"/.test(text) ? 'it is an unforeseen failure' : undefined;
}

const fuzz = suite<{ stand: Stand }>('fuzz');

fuzz.before(async (context) => {
  context.stand = await startSample();
});

fuzz.after(({ stand }) => stand.close());

fuzz(
  `D1: should answer ${REQUESTS} random requests in JSON, with no unforeseen failure and no leak`,
  async ({ stand }) => {
    const names = Object.keys(KINDS);
    const statuses = new Map<number, number>();
    let next = 0;
    const lane = async () => {
      while (next < REQUESTS) {
        const number = next++;
        const random = seeded(SEED * 1_000_003 + number);
        const name = names[number % names.length] ?? '';
        const sent = KINDS[name]?.(random);
        if (sent === undefined) throw new Error('expected a kind of request, found none');
        const got = await replyTo(sent, stand);
        statuses.set(got.status, (statuses.get(got.status) ?? 0) + 1);
        const wrong = wrongIn(sent, got);
        if (wrong !== undefined) {
          const sentAndGot = `${JSON.stringify(sent)} → ${got.text.slice(0, 500)}`;
          assert.unreachable(
            `request ${number} (${name}), ${wrong}: ${sentAndGot} ${stand.logged.at(-1)?.err ?? ''}`,
          );
        }
      }
    };
    await Promise.all(times(SIDE_BY_SIDE, lane));
    assert.equal(stand.logged, []);
    // Not everything was refused at the door.
    assert.ok((statuses.get(200) ?? 0) > REQUESTS / 10, JSON.stringify([...statuses]));
  },
);

fuzz('D1: should still answer afterwards', async ({ stand }) => {
  const { text } = await stand.post('{ events { totalCount } }');
  assert.ok(JSON.parse(text).data.events.totalCount > 0);
});

fuzz.run();

async function replyTo(sent: Asked, stand: Stand): Promise<Reply> {
  // By itself node:http says no length of the body of a GET or a DELETE.
  const length = sent.body === undefined ? {} : { 'content-length': `${Buffer.byteLength(sent.body)}` };
  const { status, headers, text } = await stand.send(sent.path, {
    ...sent,
    headers: { ...sent.headers, ...length },
  });
  const { 'content-type': type = '', 'content-encoding': coding } = headers;
  // Coded bodies are compared elsewhere; here they only have to be marked.
  return { status, type, text: coding === undefined ? text : '{"data":null}' };
}
