/** Requests of strangers that are too large, too long or malformed, each with its outcome (`hostile.test.ts`). */
import { JSON_BODY } from '../../helpers/client.ts';
import { times } from '../../helpers/random-operations.ts';
import {
  ANY,
  aliases,
  asked,
  bomb,
  type Case,
  casesWith,
  doubledFragments,
  doubledIntrospection,
  each,
  FULL,
  filled,
  inUrl,
  nested,
  posted,
  VENUES,
  withVariables,
} from './requests.ts';

const TOO_COMPLEX = 'QUERY_TOO_COMPLEX';
const INVALID = 'GRAPHQL_VALIDATION_FAILED';
const MALFORMED = 'GRAPHQL_PARSE_FAILED';
const BAD = 'BAD_REQUEST';

const bad = (message: string) => `BAD_REQUEST: ${message}`;
const invalid = (message: string) => `${INVALID}: ${message}`;
/** An argument with a wrong value: message and reason are the same. */
const argument = (reason: string) => `BAD_USER_INPUT: ${reason} (1:3) ${reason}`;
const filter = (...reasons: readonly string[]) =>
  `BAD_USER_INPUT: Query Arguments invalid (1:3) ${reasons.join('; ')}`;

const CSRF =
  "Blocked as a possible cross-site request forgery (CSRF): a GET needs the header Gateway-Require-Preflight: true. A POST of JSON needs none. In Apollo Client, leave out useGETForQueries or set the header in HttpLink's headers; in urql, set preferGetMethod: false or the header in fetchOptions.";
const DATETIME =
  'expected a datetime in Norwegian time such as "2026-05-17 19:30" or "2026-05-17", or one with an offset such as "2026-05-17 19:30:00+02:00" or "2026-05-17T17:30:00Z"';

/** Members of the body with a value of a wrong type. */
const MEMBERS = [
  {
    member: 'query',
    expected: 'a string',
    value: { kind: 'Document', definitions: [] },
    found: 'an object',
  },
  {
    member: 'operationName',
    expected: 'a string',
    value: 1,
    found: 'a number',
  },
  {
    member: 'variables',
    expected: 'an object',
    value: 5,
    found: 'a number',
  },
  {
    member: 'variables',
    expected: 'an object',
    value: '{}',
    found: 'a string',
  },
  {
    member: 'variables',
    expected: 'an object',
    value: [],
    found: 'a list',
  },
  {
    member: 'extensions',
    expected: 'an object',
    value: [],
    found: 'a list',
  },
];

const PATHS = [
  '/nothing',
  '/v1/graphQL',
  '/graphQL/',
  '/GRAPHQL',
  '//graphQL',
  '/%zz',
  '/../etc/passwd',
  ...['%20', '%2520', '%23', '#x', '\\', '%00', ';', '/.', '/..', '%2f'].map((end) => `/graphQL${end}`),
];
const OTHER_TYPES = [
  'application/x-www-form-urlencoded',
  'text/plain',
  'multipart/form-data; boundary=-',
  'application/graphql',
  'application/json; charset=latin1',
];

/** Whole bodies. */
const BODIES: Readonly<Record<string, string>> = {
  "{ 'query': 1 }": 'Malformed JSON body',
  '': 'Malformed JSON body',
  '"{x}"': 'The body must be a JSON object, found a string.',
  null: 'The body must be a JSON object, found null.',
  [`[{"query":"${VENUES}"}]`]:
    'The body must be one JSON object: several operations in one request are not supported.',
  '{}': '"query" is missing.',
  '{"query":null}': '"query" is missing.',
  '{"query":""}': '"query" is missing.',
};

const least = (name: string, number: number, value: number) =>
  argument(`${name}: expected a whole number of ${number} or more, found ${value}`);

const QUERIES: Readonly<Record<string, string>> = {
  '{ venues': `${MALFORMED}: Syntax Error: Expected Name, found <EOF>. (1:9)`,
  'mutation { venues }': invalid('The schema has no mutation operations. (1:1)'),
  '{ evnts { totalCount } }': invalid(
    'Cannot query field "evnts" on type "Query". Did you mean "events" or "venues"? (1:3)',
  ),
  '{ events(pagesize: 5) { totalCount } }': invalid(
    'Unknown argument "pagesize" on field "Query.events". Did you mean "pageSize" or "page"? (1:10)',
  ),
  '{ venues(limit: 5) { id } }': invalid('Unknown argument "limit" on field "Query.venues". (1:10)'),
  '{ venues @include(when: true, if: true) { id } }': invalid(
    'Unknown argument "when" on directive "@include". (1:19)',
  ),
  '{ events(filter: {colour: "red"}) { totalCount } }': invalid(
    'Field "colour" is not defined by type "Filter". (1:19)',
  ),
  '{ events(filter: {period: SOON}) { totalCount } }': invalid(
    'Value "SOON" does not exist in "Period" enum. (1:27)',
  ),
  '{ events(page: "1") { totalCount } }': invalid('Int cannot represent non-integer value: "1" (1:16)'),
  '{ eventByID { id } }': invalid(
    'Field "eventByID" argument "eventID" of type "String!" is required, but it was not provided. (1:3)',
  ),
  '{ venues { ...A } } fragment A on Venue { ...A id }': invalid(
    'Cannot spread fragment "A" within itself. (1:43)',
  ),
  '{ events(page: -1) { totalCount } }': least('page', 0, -1),
  '{ events(pageSize: 0) { totalCount } }': least('pageSize', 1, 0),
  '{ events { venues(first: 0) { id } data { repetitions(first: 5) { id } } } }': least('first', 1, 0),
  '{ events(page: -1) { venues(first: 0) { id } } }': least('page', 0, -1),
  '{ events(filter: {untilDate: "soon"}) { venues(first: 0) { id } data { repetitions(first: 0) { id } } } }':
    filter(`untilDate: ${DATETIME}, found "soon"`),
  '{ events(page: -1, filter: {fromDate: "soon"}) { totalCount } }': filter(
    `fromDate: ${DATETIME}, found "soon"`,
    'page: expected a whole number of 0 or more, found -1',
  ),
  '{ events(filter: {fromDate: "soon", untilDate: "2026-02-30 10:00:00+01:00"}) { totalCount } }': filter(
    `fromDate: ${DATETIME}, found "soon"`,
    `untilDate: ${DATETIME}, found "2026-02-30 10:00:00+01:00"`,
  ),
  '{ events(filter: {near: {latitude: 91, longitude: 10, km: 1}}) { totalCount } }': filter(
    'near: expected latitude from -90 to 90, longitude from -180 to 180, km above 0 and at most 1000, found {"latitude":91,"longitude":10,"km":1}',
  ),
  '{ events(filter: {mode: "both"}) { totalCount } }': filter(
    'mode: expected "online" or "offline", found "both"',
  ),
};

/** D1: malformed bodies, wrong methods and unknown paths. Their replies are compared whole, with all headers. */
export const FORMS: readonly Case[] = [
  ...Object.entries(BODIES).map(
    ([body, message]): Case => ({ name: `the body ${body}`, sent: posted(body), outcome: bad(message) }),
  ),
  ...Object.entries(QUERIES).map(([query, outcome]): Case => ({ name: query, sent: asked(query), outcome })),
  ...MEMBERS.map(
    ({ member, expected, value, found }): Case => ({
      name: `${found} as ${member}`,
      sent: asked(VENUES, { [member]: value }),
      outcome: bad(`"${member}" must be ${expected}, found ${found}.`),
    }),
  ),
  ...casesWith(bad('Malformed JSON body (expected UTF-8, found other bytes)'), {
    'a body that is no UTF-8': posted(Uint8Array.of(0x22, 0xff, 0x22)),
  }),
  ...casesWith(bad('"query" is missing.'), { 'a GET without a query': inUrl('variables=%7B%7D') }),
  ...casesWith(bad('"variables" must be an object, found a number.'), {
    'variables in a URL that are no object': inUrl(`query=${VENUES}&variables=5`),
  }),
  ...casesWith(bad('The parameter "variables" must be JSON.'), {
    'variables in a URL that are no JSON': inUrl(`query=${VENUES}&variables=%7B`),
  }),
  ...casesWith(bad('The document has no operation with the name in "operationName".'), {
    'an unknown operation name': asked('query A{__typename}', { operationName: 'B' }),
  }),
  ...casesWith(bad('The document has several operations: "operationName" must name one.'), {
    'an ambiguous operation name': asked('query A{__typename} query B{__typename}'),
  }),
  ...casesWith(bad(CSRF), {
    'a GET without the preflight header': inUrl('', {}),
    'a GET with another value of it': inUrl('', { 'gateway-require-preflight': '1' }),
  }),
  ...casesWith(invalid('The schema has no mutation operations. (1:1)'), {
    'a mutation by GET': inUrl('query=mutation{venues}'),
  }),
  ...casesWith(
    invalid('Variable "$v" got invalid value "long"; Int cannot represent non-integer value: "long" (1:8)'),
    {
      'a wrong variable': withVariables({ v: 'long' }, 'query ($v: Int) { events(page: $v) { totalCount } }'),
    },
  ),
  ...casesWith(invalid('The condition of @skip(if: $on) must not be null.'), {
    'null for a condition': withVariables(
      { on: null },
      'query ($on: Boolean = true) {venues {id @skip(if: $on)}}',
    ),
  }),
  ...casesWith('UNSUPPORTED_MEDIA_TYPE: The body must be JSON: Content-Type: application/json.', {
    'no type': posted(`{"query":"${VENUES}"}`, {}),
    ...each('a body of the type', OTHER_TYPES, (type) =>
      posted(`{"query":"${VENUES}"}`, { 'content-type': type }),
    ),
  }),
  ...casesWith('UNSUPPORTED_MEDIA_TYPE: The body must not have a Content-Encoding.', {
    'a compressed body': posted('', { ...JSON_BODY, 'content-encoding': 'gzip' }),
  }),
  ...casesWith('PAYLOAD_TOO_LARGE: The body must not be larger than 256 KiB.', {
    'a body over 256 KiB': posted(' '.repeat(FULL + 1)),
    'the same in chunks': posted(' '.repeat(FULL + 1), { ...JSON_BODY, 'transfer-encoding': 'chunked' }),
  }),
  ...['DELETE', 'PUT', 'PATCH'].flatMap((method) =>
    casesWith(`METHOD_NOT_ALLOWED: ${method} is not allowed here: only GET, HEAD, POST, OPTIONS.`, {
      [`the method ${method}`]: { method },
    }),
  ),
  ...casesWith('METHOD_NOT_ALLOWED: POST is not allowed here: only GET, HEAD, OPTIONS.', {
    'a POST to a path that is only read': { method: 'POST', path: '/healthz' },
  }),
  ...casesWith(
    'NOT_FOUND: There is nothing at this path. The GraphQL endpoint is /graphQL.',
    each('the path', PATHS, (path) => ({ path })),
  ),
];

const tokens = (count: number) => `{ eventsBySlugs(eventsSlugs: [${'"a" '.repeat(count - 12)}]) { id } }`;
const tooMany = (figure: string) => `${TOO_COMPLEX}: The document has ${figure} tokens; the limit is 2000.`;
export const SLUGS = 'query($v:[String]!){eventsBySlugs(eventsSlugs:$v){id}}';
const entries = (count: number) => ({ v: Array(count).fill('a') });
const roots = (count: number) => times(count, (at) => `a${at}:venues{id}`);

const WHOLE = `{"query":"${VENUES}"}`.padEnd(FULL);

/** D2: each limit at its edge, with both figures. */
const EDGES: readonly Case[] = [
  ...casesWith('ok', {
    'a body of exactly 256 KiB': posted(WHOLE),
    'the same in chunks': posted(WHOLE, { ...JSON_BODY, 'transfer-encoding': 'chunked' }),
    '2,000 tokens': asked(tokens(2_000)),
    'commas and comments': asked(`# ${'a '.repeat(5_000)}\n{ ${','.repeat(5_000)} venues { id } }`),
    '20 root fields': asked(`{${roots(20)}}`),
    'one response key 21 times': asked(`{${'__typename '.repeat(21)}}`),
    '2,000 entries of a list in the variables': withVariables(entries(2_000), SLUGS),
    '2,001 entries that no variable asks for': withVariables(entries(2_001), VENUES),
  }),
  ...casesWith(tooMany('2001'), { '2,001 tokens': asked(tokens(2_001)) }),
  ...casesWith(tooMany('more than 20000'), { 'far too many tokens': asked(`{ ${'id '.repeat(80_000)}}`) }),
  ...casesWith(`${TOO_COMPLEX}: The operation has 21 root fields; the limit is 20.`, {
    '21 root fields, aliases counted one by one': asked(`{${roots(21)}}`),
    '21 root fields inside of fragments': asked(`{...F} fragment F on Query{...{${roots(21)}}}`),
  }),
  ...casesWith(
    `${TOO_COMPLEX}: The operation has more than 100000 selections once its fragments are expanded; the limit is 100000.`,
    {
      'a fragment of 240 fields with long names, merged with 100 others': asked(
        `{events{data{${times(100, (at) => `a${at}:venue{x${at}:id ...G}`)}}}} fragment G on Venue{${times(240, (at) => `${'y'.repeat(500)}${at}:name`)}}`,
      ),
    },
  ),
  ...casesWith(`${TOO_COMPLEX}: A list in the variables has 2001 entries; the limit is 2000.`, {
    '2,001 entries, before they are read': withVariables(entries(2_001), SLUGS),
  }),
  ...casesWith(`${INVALID}: Maximum introspection depth exceeded (1:2)`, {
    'introspection that is nested too deep': asked(
      '{__schema{types{fields{type{fields{type{fields{name}}}}}}}}',
    ),
  }),
];

const bombOn = (top: string) => bomb([80, 80, 80, 90], top);
const page = (size: string) => `{events(pageSize:${size}){data{...A}}}`;
const byPage = (v: number | null) => withVariables({ v }, bombOn(`query($v:Int)${page('$v')}`));

/** Each facet writes its entries with the same 11,000 fields, whose names have 2,300 letters. */
const sharedInFacets = (facets: number) => {
  const longNames = times(100, (at) => `${'y'.repeat(2_300)}${at}:id`);
  return asked(
    `{events{${times(facets, (at) => `c${at}:categories{...G}`)}}} fragment G on CategoryFacet{${times(110, (at) => `s${at}:subcategories{...F}`)}hits} fragment F on Subcategory{${longNames}}`,
  );
};

const withFilter = (filter: string) => `{events(filter:{${filter}}){totalCount}}`;
const FILTERED = 'query($f:Filter){events(filter:$f){totalCount}}';

/** D2: documents that have hurt, and their relatives; then whatever is skipped, and whatever one token can hold, at full size. */
const DOCUMENTS: readonly Case[] = [
  ...casesWith(TOO_COMPLEX, {
    ...each('5.7 KB that stand for 46 million fields, a page of', ['1', 'null', '10'], (size) =>
      asked(bombOn(page(size))),
    ),
    ...each('the same by a variable of', [1, null], byPage),
    'one field 480 times': asked(`{${'venues{id} '.repeat(480)}}`),
    '150 fields with arguments': asked(`{${'events(page:0,pageSize:1){totalCount} '.repeat(150)}}`),
    'one name for 300 different fields': asked(
      `{events{data{${times(300, (at) => `a:${at % 2 ? 'id' : 'mode'}`)}}}}`,
    ),
    'the same selection at five levels, ten times each': asked(
      `{${`events{data{${'repetitions{venue{location{latitude}}} '.repeat(4)}}} `.repeat(30)}}`,
    ),
    '150 literals of a filter': asked(
      `{${times(150, (at) => `a${at}:events(filter:{tag:"${at}"}){totalCount}`)}}`,
    ),
    '300 operations': asked(times(300, (at) => `query Q${at}{venues{id}}`)),
    '60,000 wrong values by variable': withVariables({ f: { venues: Array(60_000).fill(1) } }, FILTERED),
    'long names in facets that share a fragment': sharedInFacets(100),
  }),
  ...casesWith('BAD_USER_INPUT', {
    ...each('46 million fields on a page of', ['0', '-1'], (size) => asked(bombOn(page(size)))),
    ...each('46 million fields on a page by a variable of', [0, -1], byPage),
  }),
  ...casesWith('ok', {
    // At most three levels of a type are wrapped, so that the other 57 cost nothing.
    'introspection by aliases of ofType': doubledIntrospection('ofType{', '}'),
    '46 million fields below an empty list': asked(bombOn('{eventsBySlugs(eventsSlugs:[]){...A}}')),
    'as much as may be asked for': asked(bomb([13, 14, 14, 15], page('1'))),
    '640 aliases of one field': asked(`{events{data{${aliases(640, 'id')}}}}`),
    '20 root fields, each with a list of 60 literals': asked(
      `{${times(20, (at) => `a${at}:events(filter:{venues:[${times(60, (of) => `"v${of}"`)}]}){totalCount}`)}}`,
    ),
    'variables within one another, 40,000 deep': posted(
      `{"query":"${VENUES}","variables":${nested('{"a":', '}', 40_000).replace(':}', ':1}')}}`,
    ),
    ...each('256 KB of', [' ', ',', '\t', '\n', '\r', '\ufeff', ', ', '\n,'], (piece) =>
      filled('{venues', piece, '{id}}'),
    ),
    ...each('a comment of', [' ', '#', '{', '"', 'x', 'æ'], (piece) => filled('{venues #', piece, '\n{id}}')),
    'an alias of 256 KB': filled('{a', 'a', ':venues{id}}'),
    ...each('a string of', ['a', ' ', '\\\\', '\\"', '\\u00e6', 'æ', '😀', '#', '{', "'"], (piece) =>
      filled('{events(filter:{tag:"', piece, '"}){totalCount}}'),
    ),
    ...each('a block string of', ['a', '\n', ' \n', '\\"""', '" ', ' '], (piece) =>
      filled('{events(filter:{tag:"""a', piece, 'a"""}){totalCount}}'),
    ),
  }),
  ...casesWith(ANY, {
    'events with fragments that spread the next one twice': doubledFragments('Event', 'data'),
    'facets with fragments that spread the next one twice': doubledFragments('VenueFacet', 'venues'),
    'fragments that each spread all later ones': asked(
      `{events{data{...F0}}} ${times(40, (at) => `fragment F${at} on Event{id ${times(39 - at, (on) => `...F${at + 1 + on}`)}}`)}`,
    ),
    ...each(
      'nothing but',
      ['a ', '@a ', '"" ', '1 ', '""" ', '#\n', '\0', ...'{ [ ( ! $a a: a{ ... - . " \\ 😀'.split(' ')],
      (piece) => filled('', piece, ''),
    ),
  }),
  ...casesWith(INVALID, {
    'fragments in a circle': asked(
      `{events{data{...F0}}} ${times(200, (at) => `fragment F${at} on Event{...F${(at + 1) % 200}}`)}`,
    ),
    'introspection by aliases of fields': doubledIntrospection('fields{type{', '}}'),
    'introspection by aliases of interfaces': doubledIntrospection('interfaces{', '}'),
    '400 fields that the filter has not': asked(withFilter(times(400, (at) => `f${at}:"${at}"`))),
    'the filter’s field 480 times': asked(withFilter('tag:"a" '.repeat(480))),
    '450 variables that nobody uses': asked(
      `query(${times(450, (at) => `$v${at}:Int`)}){events{totalCount}}`,
    ),
    '450 fields that there are not': asked(`{${times(450, (at) => `eventz${at}`)}}`),
    'lists within lists': asked(withFilter(`venues:${nested('[', ']', 950)}`)),
    'selections within selections': asked(nested('{a', '}', 660)),
    'a filter 40,000 lists deep by variable': posted(
      `{"query":"${FILTERED}","variables":{"f":{"venues":${nested('[', ']', 40_000)}}}}`,
    ),
    '16,000 fields that the filter has not, by variable': withVariables(
      { f: Object.fromEntries(Array.from({ length: 16_000 }, (_, at) => [`f${at}`, at])) },
      FILTERED,
    ),
    'a value of 250 KB of the wrong type': withVariables(
      { v: 'x'.repeat(250_000) },
      'query($v:Int){events(page:$v){totalCount}}',
    ),
    ...each('a name of 256 KB of', ['a', '0', '_'], (piece) => filled('{a', piece, '}')),
    ...each('a number of 256 KB after', ['1', '1.'], (start) =>
      filled(`{events(page:${start}`, '0', '){totalCount}}'),
    ),
  }),
  ...casesWith(
    BAD,
    each('a body of', ['[', '{"a":', '"', '1', ' ', '\\', '[],', 'null,'], (piece) =>
      posted(piece.repeat(FULL / piece.length)),
    ),
  ),
];

export const DOCUMENT_CASES: readonly Case[] = [...EDGES, ...DOCUMENTS];
