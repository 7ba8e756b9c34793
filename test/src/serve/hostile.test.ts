/**
 * D1 (statuses), D2 (cost before work), D9 (slow and broken clients): one server answers each body of the tables. What that costs
 * is of the thread that serves and asks, in references (`helpers/usage.ts`), and nothing is remembered of the try before.
 */

import { assertInputObjectType, getNamedType, getNullableType, isListType } from 'graphql';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { schema } from '../../../src/serve/graphql/schema.ts';
import { assertAtMost, assertDefined } from '../../helpers/assertions.ts';
import type { Got } from '../../helpers/client.ts';
import { JSON_BODY, PREFLIGHT } from '../../helpers/client.ts';
import { randomOperation, seeded, times } from '../../helpers/random-operations.ts';
import { costsAtMost } from '../../helpers/usage.ts';
import { DOCUMENT_CASES, FORMS, SLUGS } from './hostile-bodies.ts';
import { startSample } from './http/sample.ts';
import type { Stand } from './http/stand.ts';
import { ANY, type Case, casesWith, each, FULL, inUrl, posted, VENUES, withVariables } from './requests.ts';

/** D2: the 50 ms of a request's preparation, in references. */
const MOST = 8;

/** All that may come of them. */
const STATUS: Readonly<Record<string, number>> = {
  ok: 200,
  BAD_USER_INPUT: 200,
  BAD_REQUEST: 400,
  GRAPHQL_PARSE_FAILED: 400,
  GRAPHQL_VALIDATION_FAILED: 400,
  QUERY_TOO_COMPLEX: 400,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
};

/** Characters that fit a request's first line and headers, beside the rest. */
const HEAD = 15_000;
const QUERY = `query=${encodeURIComponent(VENUES)}`;
const HEADERS = [
  'accept',
  'accept-encoding',
  'accept-language',
  'authorization',
  'cookie',
  'if-none-match',
  'if-range',
  'gateway-require-preflight',
  'origin',
  'range',
  'referer',
  'user-agent',
  'x-api-key',
  'x-client-id',
  'x-page-url',
  'x-forwarded-for',
];
const PIECES = [
  ',',
  ';',
  '=',
  '"',
  '-',
  '*',
  '/',
  'a',
  '0',
  ' ,',
  'a,',
  'a b',
  ';q=',
  ';q=0.1',
  ' ;',
  'q= ',
  'W/"a",',
  'application/json,',
  'text/html;q=0.1,',
  '%6b',
  'http://h/',
  'bytes=0-,',
  '\t',
  '[',
  '::',
];
const URL_PIECES = [
  ...'+ & = % %2 %20 %6b &k &key &key= key %25 ? # / \\ . /../'.split(' '),
  ...'query= &query={venues{id}} &variables={} %7B %22 %00 %ff %F0%9F%98%80 [] &a=b'.split(' '),
];
const repeated = (piece: string, size = HEAD - 200) => piece.repeat(size / Buffer.byteLength(piece));
const header = (name: string, value: string) => inUrl(QUERY, { ...PREFLIGHT, [name]: value });

/** D9: the first line and the headers, full of what expressions, splits and look-ups over them like least. */
const HEADS: readonly Case[] = casesWith(ANY, {
  ...Object.assign(
    {},
    ...HEADERS.map((name) =>
      each(`a header ${name} of`, PIECES, (piece) => header(name, `a${repeated(piece, HEAD)}z`)),
    ),
    ...['content-type', 'content-encoding'].map((name) =>
      each(`a ${name} of`, PIECES, (piece) =>
        posted(`{"query":"${VENUES}"}`, { ...JSON_BODY, [name]: `application/json${repeated(piece, HEAD)}` }),
      ),
    ),
  ),
  ...each('a URL that ends in', URL_PIECES, (piece) => inUrl(`${QUERY}&x=${repeated(piece)}`)),
  ...each('a URL that begins with', URL_PIECES, (piece) => inUrl(`${repeated(piece)}&${QUERY}`)),
  ...each('a query full of', URL_PIECES, (piece) => inUrl(`query=%7Bvenues${repeated(piece)}%7Bid%7D%7D`)),
  ...each('a path of', URL_PIECES, (piece) => ({ path: `/a${repeated(piece)}`, headers: PREFLIGHT })),
  ...each('an authority of', URL_PIECES, (piece) => ({
    path: `http://h${repeated(piece)}`,
    headers: PREFLIGHT,
  })),
  '900 headers': inUrl(QUERY, {
    ...PREFLIGHT,
    ...Object.fromEntries(Array.from({ length: 900 }, (_, at) => [`x-${at}`, 'a'])),
  }),
  '2,000 parameters': inUrl(
    `${times(2_000, (at) => `a${at}=`)
      .replaceAll(' ', '&')
      .slice(0, HEAD - 200)}&${QUERY}`,
  ),
});

/** Bytes of a value that fits a body. */
const LONG = 250_000;
const TEXTS = [
  ' ',
  'a ',
  'ab ',
  'konsert ',
  '2026-06-15 10:00:00+02:00',
  '\0',
  '\uff9e',
  '\u0301',
  '\ufdfa',
  ...'a - : 0 9: -1 + Z T æ 😀 % " \\ 2026- 10:00- https://'.split(' '),
].map((text) => text.repeat(LONG / (Buffer.byteLength(JSON.stringify(text)) - 2)));
const SLUGS_OF_NONE = Array.from({ length: 20_000 }, (_, at) => `s${at}`);
const LISTS: readonly (readonly (string | null)[])[] = [
  ...['MUSIC', '7010', 'sprakkafe-pa-biblioteket'].map((one) =>
    Array<string>(Math.floor(LONG / (one.length + 3))).fill(one),
  ),
  SLUGS_OF_NONE,
  Array<null>(50_000).fill(null),
];
const SELECTED = 'query($f:Filter){events(filter:$f,pageSize:1){totalCount venues{id}}}';

function filterCases(): readonly Case[] {
  return Object.values(assertInputObjectType(schema.getType('Filter')).getFields()).flatMap(
    ({ name, type }) => {
      if (`${getNamedType(type)}` !== 'String') return [];
      const ask = (value: unknown) => withVariables({ f: { [name]: value } }, SELECTED);
      const lists = isListType(getNullableType(type)) ? each(`a list of ${name}`, LISTS, ask) : {};
      return casesWith(ANY, { ...each(`a filter’s ${name} of`, TEXTS, ask), ...lists });
    },
  );
}

const LOOKUPS = [
  'query($v:String!){eventByID(eventID:$v){id}}',
  'query($v:String!){eventBySlug(eventSlug:$v){id}}',
  'query($v:String!){eventByTitle(title:$v,lan:"nb"){id}}',
  'query($v:String!){eventByTitle(title:"a",lan:$v){id}}',
  VENUES,
];

/** D9: values of 250 KB. */
const VALUES: readonly Case[] = [
  ...filterCases(),
  ...casesWith('BAD_USER_INPUT', {
    ...each('a moment that goes on with', [' ', '.1', '.11111111'], (piece) =>
      withVariables({ f: { fromDate: `2026-01-01 10:00:00${repeated(piece, LONG)}x` } }, SELECTED),
    ),
  }),
  ...casesWith(ANY, {
    ...each('a value of 250 KB for', LOOKUPS, (query) => withVariables({ v: 'a'.repeat(LONG) }, query)),
    'slugs of none': withVariables({ v: SLUGS_OF_NONE }, SLUGS),
    'one slug 9,000 times': withVariables({ v: Array(9_000).fill('sprakkafe-pa-biblioteket') }, SLUGS),
    '20,000 variables': withVariables(Object.fromEntries(SLUGS_OF_NONE.map((slug) => [slug, 1])), VENUES),
  }),
];

const hostile = suite<{ stand: Stand }>('hostile bodies');

hostile.before(async (context) => {
  context.stand = await startSample({ cacheBytes: 0 });
  // All code is compiled before anything is measured.
  const random = seeded(1_000);
  for (let nth = 0; nth < 60; nth++) {
    const { query, variables } = randomOperation(schema, random, () => undefined);
    await context.stand.post(query, { variables });
  }
});
hostile.after(({ stand }) => stand.close());

const CASES = {
  D1: FORMS,
  D2: DOCUMENT_CASES,
  D9: [...HEADS, ...VALUES],
};

for (const [rule, cases] of Object.entries(CASES)) {
  for (const [name, asked, outcome] of cases) {
    hostile(`${rule}: should give ${outcome} for ${name}`, async ({ stand }) => {
      assertAtMost(Buffer.byteLength(asked.body ?? ''), FULL + 1, 'bytes');
      let got: Got | undefined;
      const work = async () => {
        stand.app.clearCaches();
        got = await stand.send(asked.path ?? '/graphQL', asked);
      };
      await costsAtMost(MOST, work, { what: name, tries: 5 });
      assertDefined(got, 'a reply');
      const { code, refusal } = read(got);
      const isExpected = outcome === ANY || outcome === code || outcome === refusal;
      assert.ok(isExpected, `expected ${outcome}, found ${code}: ${refusal}`);
      assert.is(got.status, STATUS[code], refusal);
      assert.match(got.headers['content-type'] ?? '', 'json');
      if (rule === 'D1')
        assert.equal(got.headers, { ...headersOf(code, refusal), 'content-length': `${got.bytes.length}` });
      assert.equal(stand.logged, []);
    });
  }
}

/** The first error as the tables write it, or `ok`. */
function read({ text, headers }: Got): { readonly code: string; readonly refusal: string } {
  const { errors } = headers['content-encoding'] === undefined ? JSON.parse(text) : { errors: undefined };
  if (errors === undefined) return { code: 'ok', refusal: 'ok' };
  const [{ message, locations, extensions }] = errors;
  const { code, reason, reasons = [] } = extensions;
  const where = locations === undefined ? reason : Object.values(locations[0]).join(':');
  const why = reasons.length === 0 ? '' : ` ${reasons.join('; ')}`;
  return { code, refusal: `${code}: ${message}${where === undefined ? '' : ` (${where})`}${why}` };
}

/** All headers of a refusal, but its length. */
function headersOf(code: string, refusal: string): Readonly<Record<string, string>> {
  const isFromRouter = code === 'NOT_FOUND' || code === 'METHOD_NOT_ALLOWED';
  const [, allow] = /here: only (.*)\.$/.exec(refusal) ?? [];
  return {
    'access-control-allow-origin': '*',
    'access-control-expose-headers': 'ETag, RateLimit, RateLimit-Policy, Retry-After',
    'x-content-type-options': 'nosniff',
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    vary: isFromRouter ? 'Accept-Encoding' : 'Accept, Accept-Encoding, Gateway-Require-Preflight, X-Api-Key',
    ...(allow !== undefined && { allow }),
  };
}

hostile.run();
