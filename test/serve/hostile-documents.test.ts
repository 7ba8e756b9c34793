/**
 * D2: whatever a document is, reading, checking and preparing it costs the event loop no more than a few references
 * (`helpers/usage.ts`): the least of some tries, in which nothing is remembered of the try before.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { bodyOf, createPrepare, judged, MOST, times, warmUp } from '../helpers/preparing.ts';

const hostile = suite('hostile documents');
hostile.before(warmUp);

// Single documents that have hurt, and their relatives.

/** Sizes at each level of events, repetitions, venue, location and latitude under aliases. */
const fragmentBomb = ([a, b, c, d]: readonly [number, number, number, number], argument: string) => `
{events${argument}{data{...A}}}
fragment A on Event{${times(a, (at) => `a${at}:repetitions{...B}`)}}
fragment B on Repetition{${times(b, (at) => `b${at}:venue{...C}`)}}
fragment C on Venue{${times(c, (at) => `c${at}:location{...D}`)}}
fragment D on Location{${times(d, (at) => `d${at}:latitude`)}}`;

const FULL = 256 * 1_024;
/** A body of the largest size, of which a piece is repeated. */
const filled = (before: string, piece: string, after: string): Buffer => {
  const size = FULL - Buffer.byteLength(JSON.stringify({ query: before + after }));
  const each = Buffer.byteLength(JSON.stringify(piece)) - 2;
  return bodyOf({ query: before + piece.repeat(Math.floor(size / each)) + after });
};

interface Case {
  readonly name: string;
  readonly body: Buffer;
  readonly outcome: string | readonly string[];
}

const TOO_COMPLEX = 'QUERY_TOO_COMPLEX';
const INVALID = 'GRAPHQL_VALIDATION_FAILED';
const MALFORMED = 'GRAPHQL_PARSE_FAILED';
const BIG = [80, 80, 80, 90] as const;

const CASES: readonly Case[] = [
  ...['(pageSize:0)', '(pageSize:-1)', '(pageSize:1)', '(pageSize:null)', ''].map((argument) => ({
    name: `5.7 KB of fragments that stand for 46 million fields, ${argument}`,
    body: bodyOf({ query: fragmentBomb(BIG, argument) }),
    // A page size that is none is an error of its field.
    outcome: ['(pageSize:0)', '(pageSize:-1)'].includes(argument) ? 'ok' : TOO_COMPLEX,
  })),
  ...[0, -1, null, 1].map((v) => ({
    name: `the same by a variable, ${v}`,
    body: bodyOf({
      query: fragmentBomb(BIG, '(pageSize:$v)').replace('{events', 'query($v:Int){events'),
      variables: { v },
    }),
    outcome: v === null || v === 1 ? TOO_COMPLEX : 'ok',
  })),
  {
    name: 'the same below an empty list of slugs',
    body: bodyOf({
      query: fragmentBomb(BIG, '').replace('events{data{...A}}', 'eventsBySlugs(eventsSlugs:[]){...A}'),
    }),
    outcome: 'ok',
  },
  {
    name: 'as much as may be asked for',
    body: bodyOf({ query: fragmentBomb([13, 14, 14, 15], '(pageSize:1)') }),
    outcome: 'ok',
  },
  ...['repetitions', 'categories', 'facets'].map((of) => ({
    name: `fragments that spread the next one twice, over ${of}`,
    body: bodyOf({
      query: `{events{${of === 'facets' ? 'venues{...F0}' : 'data{...F0}'}}} ${times(150, (at) => `fragment F${at} on ${of === 'facets' ? 'VenueFacet' : 'Event'}{...F${at + 1} ...F${at + 1}}`)} fragment F150 on ${of === 'facets' ? 'VenueFacet' : 'Event'}{id}`,
    }),
    outcome: ['ok', TOO_COMPLEX],
  })),
  {
    name: 'fragments that each spread all later ones',
    body: bodyOf({
      query: `{events{data{...F0}}} ${times(40, (at) => `fragment F${at} on Event{id ${times(39 - at, (on) => `...F${at + 1 + on}`)}}`)}`,
    }),
    outcome: ['ok', TOO_COMPLEX],
  },
  {
    name: 'fragments in a circle',
    body: bodyOf({
      query: `{events{data{...F0}}} ${times(200, (at) => `fragment F${at} on Event{...F${(at + 1) % 200}}`)}`,
    }),
    outcome: INVALID,
  },
  ...['ofType', 'fields', 'interfaces'].map((field) => ({
    name: `introspection by aliases of ${field} within one another`,
    body: bodyOf({
      query: `{__schema{types{...F0}}} ${times(60, (at) => `fragment F${at} on __Type{a:${field === 'fields' ? `fields{type{...F${at + 1}}}` : `${field}{...F${at + 1}}`} b:${field === 'fields' ? `fields{type{...F${at + 1}}}` : `${field}{...F${at + 1}}`}}`)} fragment F60 on __Type{name}`,
    }),
    outcome: [TOO_COMPLEX, INVALID],
  })),
  {
    name: 'one field 480 times',
    body: bodyOf({ query: `{${times(480, () => 'venues{id}')}}` }),
    outcome: ['ok', INVALID, TOO_COMPLEX],
  },
  {
    name: 'one field with arguments 150 times',
    body: bodyOf({ query: `{${times(150, () => 'events(page:0,pageSize:1){totalCount}')}}` }),
    outcome: TOO_COMPLEX,
  },
  {
    name: 'one name for 300 different fields',
    body: bodyOf({ query: `{events{data{${times(300, (at) => `a:${at % 2 ? 'id' : 'mode'}`)}}}}` }),
    outcome: TOO_COMPLEX,
  },
  {
    name: 'the same selection at five levels, ten times each',
    body: bodyOf({
      query: `{${times(30, () => `events{data{${times(4, () => 'repetitions{venue{location{latitude}}}')}}}`)}}`,
    }),
    outcome: TOO_COMPLEX,
  },
  {
    name: '640 aliases of one field',
    body: bodyOf({ query: `{events{data{${times(640, (at) => `a${at}:id`)}}}}` }),
    outcome: 'ok',
  },
  {
    name: '150 literals of a filter',
    body: bodyOf({
      query: `{${times(150, (at) => `a${at}:events(filter:{tag:"${at}"}){totalCount}`)}}`,
    }),
    outcome: TOO_COMPLEX,
  },
  {
    name: '20 root fields, each with a list of 60 literals',
    body: bodyOf({
      query: `{${times(20, (at) => `a${at}:events(filter:{venues:[${times(60, (of) => `"v${of}"`)}]}){totalCount}`)}}`,
    }),
    outcome: 'ok',
  },
  {
    name: 'an object of 400 fields that the filter has not',
    body: bodyOf({ query: `{events(filter:{${times(400, (at) => `f${at}:"${at}"`)}}){totalCount}}` }),
    outcome: INVALID,
  },
  {
    name: 'the filter’s field 480 times',
    body: bodyOf({ query: `{events(filter:{${times(480, (at) => `tag:"${at}"`)}}){totalCount}}` }),
    outcome: INVALID,
  },
  {
    name: '450 variables that nobody uses',
    body: bodyOf({ query: `query(${times(450, (at) => `$v${at}:Int`)}){events{totalCount}}` }),
    outcome: INVALID,
  },
  {
    name: '450 fields that there are not',
    body: bodyOf({ query: `{${times(450, (at) => `eventz${at}`)}}` }),
    outcome: INVALID,
  },
  {
    name: 'lists within lists',
    body: bodyOf({ query: `{events(filter:{venues:${'['.repeat(950)}${']'.repeat(950)}}){totalCount}}` }),
    outcome: INVALID,
  },
  {
    name: 'selections within selections',
    body: bodyOf({ query: `${'{a'.repeat(660)}${'}'.repeat(660)}` }),
    outcome: INVALID,
  },
  {
    name: 'one operation and 300 more',
    body: bodyOf({ query: times(300, (at) => `query Q${at}{venues{id}}`) }),
    outcome: ['BAD_REQUEST', INVALID, TOO_COMPLEX],
  },
  // At full size: whatever is skipped, and whatever one token can hold.
  ...[' ', ',', '\t', '\n', '\r', '\ufeff', ', ', '\n,'].map((piece) => ({
    name: `a valid document with 256 KB of ${JSON.stringify(piece)}`,
    body: filled('{venues', piece, '{id}}'),
    outcome: 'ok',
  })),
  ...[' ', '#', '{', '"', 'x', 'æ'].map((piece) => ({
    name: `a valid document with a comment of 256 KB of ${JSON.stringify(piece)}`,
    body: filled('{venues #', piece, '\n{id}}'),
    outcome: 'ok',
  })),
  ...[
    ...['a ', '@a ', '"" ', '1 ', '""" ', '#\n', '\0'],
    ...'{ [ ( ! $a a: a{ ... - . " \\ 😀'.split(' '),
  ].map((piece) => ({
    name: `nothing but 256 KB of ${JSON.stringify(piece)}`,
    body: filled('', piece, ''),
    outcome: [MALFORMED, TOO_COMPLEX],
  })),
  ...['a', '0', '_'].map((piece) => ({
    name: `a name of 256 KB of ${piece}`,
    body: filled('{a', piece, '}'),
    outcome: INVALID,
  })),
  { name: 'an alias of 256 KB', body: filled('{a', 'a', ':venues{id}}'), outcome: ['ok', TOO_COMPLEX] },
  { name: 'a number of 256 KB', body: filled('{events(page:1', '0', '){totalCount}}'), outcome: INVALID },
  { name: 'a fraction of 256 KB', body: filled('{events(page:1.', '0', '){totalCount}}'), outcome: INVALID },
  ...['a', ' ', '\\\\', '\\"', '\\u00e6', 'æ', '😀', '#', '{', '"""'].map((piece) => ({
    name: `a string of 256 KB of ${piece}`,
    body: filled('{events(filter:{tag:"', piece === '"""' ? "'" : piece, '"}){totalCount}}'),
    outcome: 'ok',
  })),
  ...['a', '\n', ' \n', '\\"""', '"', ' '].map((piece) => ({
    name: `a block string of 256 KB of ${JSON.stringify(piece)}`,
    body: filled('{events(filter:{tag:"""a', piece === '"' ? '" ' : piece, 'a"""}){totalCount}}'),
    outcome: 'ok',
  })),
  // JSON that is not what it should be.
  ...['[', '{"a":', '"', '1', ' ', '\\', '[],', 'null,'].map((piece) => ({
    name: `a body of 256 KB of ${piece}`,
    body: Buffer.from(piece.repeat(FULL / piece.length)),
    outcome: 'BAD_REQUEST',
  })),
  {
    name: 'variables within one another, 40,000 deep',
    body: Buffer.from(`{"query":"{venues{id}}","variables":${'{"a":'.repeat(40_000)}1${'}'.repeat(40_000)}}`),
    outcome: 'ok',
  },
  {
    name: 'a filter 40,000 lists deep by variable',
    body: Buffer.from(
      `{"query":"query($f:Filter){events(filter:$f){totalCount}}","variables":{"f":{"venues":${'['.repeat(40_000)}${']'.repeat(40_000)}}}}`,
    ),
    outcome: INVALID,
  },
  {
    name: '60,000 wrong values in a list by variable',
    body: bodyOf({
      query: 'query($f:Filter){events(filter:$f){totalCount}}',
      variables: { f: { venues: Array.from({ length: 60_000 }, () => 1) } },
    }),
    outcome: TOO_COMPLEX,
  },
  {
    name: '16,000 fields that the filter has not, by variable',
    body: bodyOf({
      query: 'query($f:Filter){events(filter:$f){totalCount}}',
      variables: { f: Object.fromEntries(Array.from({ length: 16_000 }, (_, at) => [`f${at}`, at])) },
    }),
    outcome: INVALID,
  },
  {
    name: 'a value of 250 KB of the wrong type by variable',
    body: bodyOf({
      query: 'query($v:Int){events(page:$v){totalCount}}',
      variables: { v: 'x'.repeat(250_000) },
    }),
    outcome: INVALID,
  },
];

for (const { name, body, outcome } of CASES) {
  hostile(`D2: should give ${outcome} for ${name}`, async () => {
    assert.ok(body.length <= FULL, `${body.length} bytes`);
    const found = await judged(body);
    assert.ok([outcome].flat().includes(found.outcome), found.outcome);
    assert.ok(found.cost <= MOST, `${found.cost.toFixed(1)} references`);
  });
}

hostile('D2: what a document stands for should not stay in memory', async () => {
  const prepare = createPrepare();
  const before = process.memoryUsage().heapUsed;
  for (let nth = 0; nth < 100; nth++) {
    const query = fragmentBomb([13, 14, 14, 15], '(pageSize:1)').replaceAll('d0', `n${nth}`);
    assert.is(await prepare(bodyOf({ query })), 'ok');
  }
  const megabytes = (process.memoryUsage().heapUsed - before) / 1_048_576;
  // Each stands for 150,000 fields.
  assert.ok(megabytes < 200, `${megabytes.toFixed(0)} MB`);
});

hostile('D2: documents that are all different should not fill the memory', async () => {
  const prepare = createPrepare();
  const different = async (from: number, to: number) => {
    for (let nth = from; nth < to; nth++) {
      const fields = times(30, (at) => `f${nth}x${at}:id`);
      const query = `query($f:Filter){events(filter:$f){data{id ${fields} venue{v${nth}:id}} venues{h${nth}:hits}}}`;
      assert.is(await prepare(bodyOf({ query })), 'ok');
    }
    collect();
    return process.memoryUsage().heapUsed / 1_048_576;
  };
  // So many fill what is kept; each takes 60 KB or so.
  const full = await different(0, 1_200);
  const later = await different(1_200, 2_000);
  assert.ok(later < full + 8, `${full.toFixed(0)} MB, then ${later.toFixed(0)} MB`);
});

function collect(): void {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
}

hostile.run();
