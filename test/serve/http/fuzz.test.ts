/** D1: random requests, right and wrong in random ways, of which none may fail in an unforeseen way or show the inside of the server. */
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { schema } from '../../../src/serve/graphql/schema.ts';
import { type Random, randomOperation, seeded, type Values } from '../../helpers/random-operations.ts';
import { openSample } from '../../helpers/sample.ts';
import { type Asked, by, inUrl, PREFLIGHT, posted } from '../hostile-bodies.ts';
import { startSample } from './sample.ts';
import type { Got, Stand } from './stand.ts';

const LONG = process.env.ALMANAKK_TEST_LONG === '1';
const REQUESTS = LONG ? 200_000 : 800;
const SIDE_BY_SIDE = 16;
const SEED = Number(process.env.ALMANAKK_TEST_SEED ?? 1);

const pick = <T>(random: Random, list: readonly T[]): T => {
  const item = list[random(list.length)];
  if (item === undefined) throw new Error('expected a list that is not empty');
  return item;
};
const some = (random: Random, most: number, list: readonly string[], between = '') =>
  Array.from({ length: random(most) }, () => pick(random, list)).join(between);

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
const randomJson = (random: Random) => randomOf(JSON_VALUE, random);

/** Values that mean something, and others in place of every fourth. */
const { snapshot, values: likely } = await openSample();
await snapshot.close();
const values: Values = (name, random) => (random(4) === 0 ? randomJson(random) : likely(name, random));

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

const WORDS =
  '{ } events data id ( ) filter : ... on Event $a @skip "x" 1 query fragment [ ] __schema types'.split(' ');
const URL_PIECES = ['/', '.', '%', '2', 'F', '?', '&', '=', 'key', 'query', '#', '~', '%00', 'a'];
const METHODS = 'GET POST PUT DELETE OPTIONS PATCH HEAD TRACE PROPFIND'.split(' ');
const HEADERS =
  'content-type accept accept-encoding x-api-key x-page-url x-client-id if-none-match origin content-encoding'.split(
    ' ',
  );
const HEADER_PIECES = [' ', '\t', '\u00e6', ...'a / * ; = q 0.5 , " json application'.split(' ')];

/** Kinds of requests; named, so that a failure says what it was. */
const KINDS: Readonly<Record<string, (random: Random) => Asked>> = {
  'random bytes': (random) => posted(randomOf(fc.uint8Array({ maxLength: 200 }), random)),
  'random JSON': (random) => posted(`${JSON.stringify(randomJson(random))}`),
  'random members': (random) => {
    const given = <T>(usual: T) => (random(2) === 0 ? usual : randomJson(random));
    const body = { query: given('{ venues { id } }'), variables: given({}), operationName: given(null) };
    return posted(JSON.stringify(body));
  },
  'random operation': (random) => posted(JSON.stringify(graphql(random))),
  'random operation, other variables': (random) => {
    const { query, variables } = graphql(random);
    const other = Object.keys(variables).map((name) => [name, randomJson(random)]);
    return by(Object.fromEntries(other), query);
  },
  'damaged operation': (random) => {
    const { query, variables } = graphql(random);
    return by(variables, damaged(random, query));
  },
  'random words': (random) => by({}, some(random, 60, WORDS, ' ')),
  'operation by GET': (random) => {
    const { query, variables } = graphql(random);
    return inUrl(`${new URLSearchParams({ query, variables: JSON.stringify(variables) })}`);
  },
  'random URL': (random) => ({
    method: pick(random, ['GET', 'HEAD', 'POST']),
    path: `/${some(random, 40, URL_PIECES)}`,
    headers: random(2) === 0 ? PREFLIGHT : {},
  }),
  'random headers': (random) => ({
    method: pick(random, METHODS),
    headers: Object.fromEntries(
      HEADERS.filter(() => random(2) === 0).map((name) => [name, some(random, 20, HEADER_PIECES)]),
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
function wrongIn({ method }: Asked, { status, headers, text }: Got): string | undefined {
  const { 'content-type': type = '', 'content-encoding': coding } = headers;
  if (!STATUSES.has(status)) return `status ${status}`;
  if (method === 'HEAD' || status === 204 || status === 304) return text === '' ? undefined : 'it has a body';
  // Coded bodies are compared elsewhere; here they only have to be marked.
  if (coding !== undefined) return undefined;
  const leak = LEAKS.find((pattern) => pattern.test(text));
  if (leak !== undefined) return `it matches ${leak}`;
  if (status === 200 && /^text\/html|^application\/graphql;/.test(type)) return undefined;
  if (!/^application\/(graphql-response\+)?json; charset=utf-8$/.test(type)) return `type ${type}`;
  const body: object = JSON.parse(text);
  if (!('errors' in body) && (status !== 200 || !('data' in body))) return 'it has neither data nor errors';
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
    const kinds = Object.entries(KINDS);
    let [next, answered] = [0, 0];
    const lane = async () => {
      while (next < REQUESTS) {
        const number = next++;
        const [name, make] = pick((most) => number % most, kinds);
        const sent = make(seeded(SEED * 1_000_003 + number));
        // By itself node:http says no length of the body of a GET or a DELETE.
        const length = sent.body === undefined ? {} : { 'content-length': `${Buffer.byteLength(sent.body)}` };
        const headers = { ...sent.headers, ...length };
        const got = await stand.send(sent.path ?? '/graphQL', { ...sent, headers });
        if (got.status === 200) answered++;
        const wrong = wrongIn(sent, got);
        const sentAndGot = `${JSON.stringify(sent)} → ${got.text.slice(0, 500)} ${stand.logged.at(-1)?.err ?? ''}`;
        assert.is(wrong, undefined, `request ${number} (${name}), ${wrong}: ${sentAndGot}`);
      }
    };
    await Promise.all(Array.from({ length: SIDE_BY_SIDE }, lane));
    assert.equal(stand.logged, []);
    assert.ok(answered > REQUESTS / 10, `only ${answered} were not refused`);
    const { text } = await stand.post('{ events { totalCount } }');
    assert.ok(JSON.parse(text).data.events.totalCount > 0, 'it still answers');
  },
);

fuzz.run();
