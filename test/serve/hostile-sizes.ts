/** D9: cases that the schema and the parts of a request give: each text at its full size. */
import { assertInputObjectType, getNamedType, getNullableType, isListType } from 'graphql';
import { schema } from '../../src/serve/graphql/schema.ts';
import { times } from '../helpers/random-operations.ts';
import {
  ANY,
  all,
  by,
  type Case,
  each,
  inUrl,
  JSON_BODY,
  PREFLIGHT,
  posted,
  SLUGS,
  VENUES,
} from './hostile-bodies.ts';

/** Characters that fit a request's first line and headers, beside the rest. */
const HEAD = 15_000;
const QUERY = `query=${encodeURIComponent(VENUES)}`;
const HEADERS = [
  ...['accept', 'accept-encoding', 'accept-language', 'authorization', 'cookie', 'if-none-match', 'if-range'],
  ...['gateway-require-preflight', 'origin', 'range', 'referer', 'user-agent', 'x-api-key', 'x-client-id'],
  ...['x-page-url', 'x-forwarded-for'],
];
const PIECES = [
  ...[',', ';', '=', '"', '-', '*', '/', 'a', '0', ' ,', 'a,', 'a b', ';q=', ';q=0.1', ' ;', 'q= ', 'W/"a",'],
  ...['application/json,', 'text/html;q=0.1,', '%6b', 'http://h/', 'bytes=0-,', '\t', '[', '::'],
];
const URL_PIECES = [
  ...'+ & = % %2 %20 %6b &k &key &key= key %25 ? # / \\ . /../'.split(' '),
  ...'query= &query={venues{id}} &variables={} %7B %22 %00 %ff %F0%9F%98%80 [] &a=b'.split(' '),
];
const repeated = (piece: string, size = HEAD - 200) => piece.repeat(size / Buffer.byteLength(piece));
const header = (name: string, value: string) => inUrl(QUERY, { ...PREFLIGHT, [name]: value });

/** D9: the first line and the headers, full of what expressions, splits and look-ups over them like least. */
export const HEADS: readonly Case[] = all(ANY, {
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
  ...[' ', 'a ', 'ab ', 'konsert ', '2026-06-15 10:00:00+02:00', '\0', '\uff9e', '\u0301', '\ufdfa'],
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
      const ask = (value: unknown) => by({ f: { [name]: value } }, SELECTED);
      const lists = isListType(getNullableType(type)) ? each(`a list of ${name}`, LISTS, ask) : {};
      return all(ANY, { ...each(`a filter’s ${name} of`, TEXTS, ask), ...lists });
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
export const VALUES: readonly Case[] = [
  ...filterCases(),
  ...all('BAD_USER_INPUT', {
    ...each('a moment that goes on with', [' ', '.1', '.11111111'], (piece) =>
      by({ f: { fromDate: `2026-01-01 10:00:00${repeated(piece, LONG)}x` } }, SELECTED),
    ),
  }),
  ...all(ANY, {
    ...each('a value of 250 KB for', LOOKUPS, (query) => by({ v: 'a'.repeat(LONG) }, query)),
    'slugs of none': by({ v: SLUGS_OF_NONE }, SLUGS),
    'one slug 9,000 times': by({ v: Array(9_000).fill('sprakkafe-pa-biblioteket') }, SLUGS),
    '20,000 variables': by(Object.fromEntries(SLUGS_OF_NONE.map((slug) => [slug, 1])), VENUES),
  }),
];
