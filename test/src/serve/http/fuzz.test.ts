/** D1: random requests, right and wrong in random ways, of which none may fail in an unforeseen way or show the inside of the server. */
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { schema } from '../../../../src/serve/graphql/schema.ts';
import { assertAbove } from '../../../helpers/assertions.ts';
import { PREFLIGHT } from '../../../helpers/client.ts';
import { randomOperation, type Values } from '../../../helpers/random-operations.ts';
import { FIRST_SEED, IS_LONG } from '../../../helpers/run-options.ts';
import { openSample } from '../../../helpers/sample.ts';
import { type Random, randomFrom } from '../../../oracle/random.ts';
import { type Asked, inUrl, posted } from '../requests.ts';
import { startSample } from './sample.ts';
import type { Got, Stand } from './stand.ts';

const REQUESTS = IS_LONG ? 200_000 : 500;
const SIDE_BY_SIDE = 16;

const NAMES = ['', ...'query variables operationName extensions filter __proto__ toString a'.split(' ')];
const TEXT = fc.string({ unit: 'grapheme', maxLength: 20 });
const JSON_VALUE = fc.anything({
  key: fc.constantFrom(...NAMES),
  maxDepth: 4,
  maxKeys: 4,
  values: [fc.constant(null), fc.boolean(), fc.integer(), fc.double(), TEXT, fc.constantFrom(...NAMES)],
});
const randomOf = <T>(arbitrary: fc.Arbitrary<T>, { int, pick }: Random): T =>
  pick(fc.sample(arbitrary, { numRuns: 1, seed: int(0, 2 ** 31 - 1) }));

/** Values that mean something, and others in place of every fourth. */
const { snapshot, values: likely } = await openSample();
await snapshot.close();
const values: Values = (name, random) =>
  random(4) === 0 ? (randomOf(JSON_VALUE, randomFrom(random(2 ** 32))) ?? null) : likely(name, random);
const operation = ({ int }: Random) => randomOperation(schema, (bound) => int(0, bound - 1), values);

const DAMAGES = ['', ' on ', '\0', '\ud800', ...'{ } ( $ ... @ " """ ! #'.split(' ')];
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
  'random JSON': (random) => posted(`${JSON.stringify(randomOf(JSON_VALUE, random))}`),
  'random operation': (random) => posted(JSON.stringify(operation(random))),
  'operation by GET': (random) => {
    const { query, variables } = operation(random);
    return inUrl(`${new URLSearchParams({ query, variables: JSON.stringify(variables) })}`);
  },
  'damaged operation': (random) => {
    const { query, variables } = operation(random);
    const damaged = random.some([1, 2, 3], 0, 3).reduce((text, length) => {
      const at = random.int(0, text.length);
      return text.slice(0, at) + random.pick(DAMAGES) + text.slice(at + length - 1);
    }, query);
    return posted(JSON.stringify({ query: damaged, variables }));
  },
  'random URL': ({ pick, some }) => ({
    method: pick(['GET', 'HEAD', 'POST']),
    path: `/${some(URL_PIECES, 0, 40).join('')}`,
    headers: pick([PREFLIGHT, {}]),
  }),
  'random headers': ({ chance, pick, some }) => ({
    method: pick(METHODS),
    headers: Object.fromEntries(
      HEADERS.filter(() => chance(0.5)).map((name) => [name, some(HEADER_PIECES, 0, 20).join('')]),
    ),
    body: '{"query":"{ venues { id } }"}',
  }),
};

const STATUSES = new Set([200, 204, 304, 400, 404, 405, 413, 415]);

/** Texts that must not leave the server: stacks, paths, statements. */
const LEAK =
  /node_modules|\n\s+at |\.(ts|js):\d|SQLITE|sqlite3|no such (table|column)|\bselect .* from\b|\/tmp\//;

/** The fault of a reply; undefined for none. */
function wrongIn({ method }: Asked, { status, headers, text }: Got): string | undefined {
  const { 'content-type': type = '', 'content-encoding': coding } = headers;
  if (!STATUSES.has(status)) return `status ${status}`;
  if (method === 'HEAD' || status === 204 || status === 304) return text === '' ? undefined : 'it has a body';
  // Coded bodies are compared elsewhere; here they only have to be marked.
  if (coding !== undefined) return undefined;
  if (LEAK.test(text)) return 'it shows the inside of the server';
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

fuzz('D1: should answer random requests in JSON, without internals', async ({ stand }) => {
  const kinds = Object.entries(KINDS);
  let [next, answered] = [0, 0];
  const lane = async () => {
    while (next < REQUESTS) {
      const number = next++;
      const random = randomFrom(FIRST_SEED * 1_000_003 + number);
      const [name, make] = random.pick(kinds);
      const sent = make(random);
      // node:http sends no length for the body of a GET or a DELETE unless it is given.
      const length = sent.body === undefined ? {} : { 'content-length': `${Buffer.byteLength(sent.body)}` };
      const got = await stand.send(sent.path ?? '/graphQL', {
        ...sent,
        headers: { ...sent.headers, ...length },
      });
      if (got.status === 200) answered++;
      const sentAndGot = `${JSON.stringify(sent)} → ${got.text.slice(0, 500)} ${stand.logged.at(-1)?.err ?? ''}`;
      assert.is(wrongIn(sent, got), undefined, `request ${number} (${name}): ${sentAndGot}`);
    }
  };
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, lane));
  assert.equal(stand.logged, []);
  assertAbove(answered, REQUESTS / 10, 'requests that were not refused');
});

fuzz.run();
