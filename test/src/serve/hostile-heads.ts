/** D9: requests with a first line or headers as long as HTTP lets them be (`hostile.test.ts`). */
import { JSON_BODY, PREFLIGHT } from '../../helpers/client.ts';
import { times } from '../../helpers/random-operations.ts';
import { ANY, type Case, casesWith, each, inUrl, posted, repeatedTo, VENUES } from './requests.ts';

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
const repeated = (piece: string, size = HEAD - 200) => repeatedTo(size, piece);
const header = (name: string, value: string) => inUrl(QUERY, { ...PREFLIGHT, [name]: value });

/** D9: the first line and the headers, full of what expressions, splits and look-ups over them like least. */
export const HEADS: readonly Case[] = casesWith(ANY, {
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
