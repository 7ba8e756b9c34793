/**
 * D2, D9: every part of a request at its full size, of what expressions, splits and look-ups over it like least. Costs are those of
 * the thread that serves and asks, in references (`helpers/usage.ts`).
 */
import { type GraphQLInputObjectType, getNamedType, isInputObjectType } from 'graphql';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { schema } from '../../src/serve/graphql/schema.ts';
import { costsAtMost } from '../helpers/usage.ts';
import { startSample } from './http/sample.ts';
import type { Got, Sent, Stand } from './http/stand.ts';

const MOST = 8;
/** Characters that fit a request's first line and headers, beside the rest. */
const HEAD = 15_000;
/** And its body. */
const BODY = 250_000;

const filled = (piece: string, size: number) => piece.repeat(Math.floor(size / Buffer.byteLength(piece)));

const sizes = suite<{ stand: Stand | undefined }>('hostile sizes', { stand: undefined });

sizes.before(async (context) => {
  context.stand = await startSample({ cacheBytes: 0 });
  for (let nth = 0; nth < 20; nth++) await context.stand.post('{events{data{id}}}');
});
sizes.after(({ stand }) => stand?.close());

interface Asked {
  readonly what: string;
  readonly path: string;
  readonly sent: Sent;
}

async function judge(stand: Stand | undefined, { what, path, sent }: Asked): Promise<Got> {
  if (stand === undefined) throw new Error('expected a stand, found none');
  let got: Got | undefined;
  const work = async () => {
    got = await stand.send(path, sent);
  };
  await costsAtMost(MOST, work, { what, tries: 5 });
  if (got === undefined) throw new Error('expected a reply, found none');
  // Neither a failure nor too long to be looked at.
  assert.ok(got.status < 500 && got.status !== 431 && got.status !== 413, `${what}: ${got.status}`);
  assert.match(got.headers['content-type'] ?? '', 'json', what);
  assert.equal(stand.logged, [], what);
  return got;
}

const QUERY = `query=${encodeURIComponent('{venues{id}}')}`;
const PREFLIGHT = { 'gateway-require-preflight': 'true' };

const HEADERS = [
  ...['accept', 'accept-encoding', 'accept-language', 'authorization', 'cookie', 'if-none-match', 'if-range'],
  ...['gateway-require-preflight', 'origin', 'range', 'referer', 'user-agent', 'x-api-key', 'x-client-id'],
  ...['x-page-url', 'x-forwarded-for'],
];
const PIECES = [
  ...[',', ';', '=', '"', '-', '*', '/', 'a', '0', ' ,', 'a,', 'a b', ';q=', ';q=0.1', ' ;', 'q= ', 'W/"a",'],
  ...['application/json,', 'text/html;q=0.1,', '%6b', 'http://h/', 'bytes=0-,', '\t', '[', '::'],
];

for (const name of HEADERS) {
  sizes(`should read a header ${name} of ${HEAD} characters, whatever it is`, async ({ stand }) => {
    for (const piece of PIECES) {
      const headers = { ...PREFLIGHT, [name]: `a${filled(piece, HEAD)}z` };
      await judge(stand, { what: `${name}: ${piece}`, path: `/graphQL?${QUERY}`, sent: { headers } });
    }
  });
}

sizes('should read a content type of 15,000 characters, whatever it is', async ({ stand }) => {
  for (const piece of PIECES) {
    for (const name of ['content-type', 'content-encoding']) {
      const headers = {
        'content-type': 'application/json',
        [name]: `application/json${filled(piece, HEAD)}`,
      };
      const sent = { method: 'POST', headers, body: '{"query":"{venues{id}}"}' };
      await judge(stand, { what: `${name}: ${piece}`, path: '/graphQL', sent });
    }
  }
});

sizes('should read a query of 15,000 characters in the URL, whatever it is', async ({ stand }) => {
  const pieces = [
    ...'+ & = % %2 %20 %6b &k &key &key= key %25 ? # / \\ . /../'.split(' '),
    ...'query= &query={venues{id}} &variables={} %7B %22 %00 %ff %F0%9F%98%80 [] &a=b'.split(' '),
  ];
  for (const piece of pieces) {
    const filler = filled(piece, HEAD - 200);
    for (const search of [
      `${QUERY}&x=${filler}`,
      `${filler}&${QUERY}`,
      `query=%7Bvenues${filler}%7Bid%7D%7D`,
    ]) {
      await judge(stand, { what: `?… ${piece}`, path: `/graphQL?${search}`, sent: { headers: PREFLIGHT } });
    }
    await judge(stand, { what: `/… ${piece}`, path: `/a${filler}`, sent: { headers: PREFLIGHT } });
    const absolute = { what: `http://h… ${piece}`, path: `http://h${filler}`, sent: { headers: PREFLIGHT } };
    await judge(stand, absolute);
  }
});

sizes('should read 900 headers, and 2,000 parameters', async ({ stand }) => {
  const headers = Object.fromEntries(Array.from({ length: 900 }, (_, at) => [`x-${at}`, 'a']));
  await judge(stand, {
    what: 'headers',
    path: `/graphQL?${QUERY}`,
    sent: { headers: { ...headers, ...PREFLIGHT } },
  });
  const many = Array.from({ length: 2_000 }, (_, at) => `a${at}=`)
    .join('&')
    .slice(0, HEAD - 200);
  await judge(stand, { what: 'parameters', path: `/graphQL?${many}&${QUERY}`, sent: { headers: PREFLIGHT } });
});

const post = (query: string, variables: object): Sent => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ query, variables }),
});

const TEXTS = [
  ...[' ', 'a ', 'ab ', 'konsert ', '2026-06-15 10:00:00+02:00', '\0', '\uff9e', '\u0301', '\ufdfa'],
  ...'a - : 0 9: -1 + Z T æ 😀 % " \\ 2026- 10:00- https://'.split(' '),
];

const FILTER = schema.getType('Filter');
if (!isInputObjectType(FILTER)) throw new Error('expected the filter, found none');

for (const { name, type } of Object.values((FILTER as GraphQLInputObjectType).getFields())) {
  const isText = `${getNamedType(type)}` === 'String';
  if (!isText) continue;
  sizes(`should take a filter’s ${name} of ${BODY} bytes, whatever it is`, async ({ stand }) => {
    const query = 'query($filter:Filter){events(filter:$filter,pageSize:1){totalCount venues{id}}}';
    for (const text of TEXTS) {
      const size = Math.floor(BODY / (JSON.stringify(text).length - 2)) * Buffer.byteLength(text);
      const value = filled(text, size).slice(0, BODY);
      const sent = post(query, { filter: { [name]: value } });
      if (Buffer.byteLength(String(sent.body)) > 256 * 1_024) continue;
      await judge(stand, { what: `${name}: ${text}`, path: '/graphQL', sent });
    }
    if (!`${type}`.startsWith('[')) return;
    const known = ['MUSIC', '7010', 'sprakkafe-pa-biblioteket'];
    for (const list of [
      ...known.map((one) => Array.from({ length: Math.floor(BODY / (one.length + 3)) }, () => one)),
      Array.from({ length: 25_000 }, (_, at) => `s${at}`),
      Array.from({ length: 50_000 }, () => null),
    ]) {
      await judge(stand, {
        what: `${name}: ${list.length} of ${list[0]}`,
        path: '/graphQL',
        sent: post(query, { filter: { [name]: list } }),
      });
    }
  });
}

sizes('should take arguments of 250 KB', async ({ stand }) => {
  const long = 'a'.repeat(BODY);
  const slugs = Array.from({ length: 25_000 }, (_, at) => `s${at}`);
  const same = Array.from({ length: 9_000 }, () => 'sprakkafe-pa-biblioteket');
  const asked: readonly (readonly [query: string, variables: object])[] = [
    ['query($v:String!){eventByID(eventID:$v){id}}', { v: long }],
    ['query($v:String!){eventBySlug(eventSlug:$v){id}}', { v: long }],
    ['query($v:String!){eventByTitle(title:$v,lan:"nb"){id}}', { v: long }],
    ['query($v:String!){eventByTitle(title:"a",lan:$v){id}}', { v: long }],
    ['query($v:[String]!){eventsBySlugs(eventsSlugs:$v){id}}', { v: slugs }],
    ['query($v:[String]!){eventsBySlugs(eventsSlugs:$v){id}}', { v: same }],
    ['query{venues{id}}', { v: long }],
    ['query{venues{id}}', Object.fromEntries(slugs.slice(0, 20_000).map((slug) => [slug, 1]))],
  ];
  for (const [query, variables] of asked) {
    await judge(stand, { what: query, path: '/graphQL', sent: post(query, variables) });
  }
});

sizes.run();
