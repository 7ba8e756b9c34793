/**
 * D2: whatever a document is, reading, checking and preparing it takes less than 50 ms of the event loop. Costs are CPU time
 * of this thread, the least of three tries, in which nothing is remembered of the try before.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import {
  type GraphQLField,
  type GraphQLObjectType,
  getNamedType,
  getNullableType,
  isListType,
  isObjectType,
} from 'graphql';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Answered, createAnswer, isRefusal } from '../../src/serve/graphql/answer.ts';
import type { Refusal } from '../../src/serve/graphql/refusal.ts';
import { ROOTS } from '../../src/serve/graphql/roots.ts';
import { schema } from '../../src/serve/graphql/schema.ts';
import { readBodyParameters } from '../../src/serve/http/graphql-request.ts';
import type { Snapshot } from '../../src/snapshot/open.ts';
import { hostileDocument } from '../helpers/hostile-documents.ts';
import { seeded } from '../helpers/random-operations.ts';
import { leastCpu } from '../helpers/usage.ts';

const LONG = process.env.ALMANAKK_TEST_LONG === '1';
/** Milliseconds. */
const MOST = 50;
const DOCUMENTS = LONG ? 20_000 : 2_500;
const SEED = Number(process.env.ALMANAKK_TEST_SEED ?? 1);

const MOMENT = { snapshot: {} as Snapshot, now: 0 };
const EMPTY = { body: Buffer.from('{}'), failed: false };

/** All that is done for a request until its data is read: `ok` or the code of its refusal. */
const createPrepare = () => {
  const answer = createAnswer({
    schema,
    execute: async ({ compiled }) => {
      for (const { name, selections } of compiled.roots) ROOTS[name]?.compile(selections);
      return EMPTY;
    },
  });
  return async (body: Buffer): Promise<string> => {
    const parameters = readBodyParameters(body);
    if (isRefusal(parameters)) return parameters.code;
    const outcome: Answered | Refusal = await answer(parameters, () => MOMENT);
    return isRefusal(outcome) ? outcome.code : 'ok';
  };
};

interface Sent {
  readonly query: string;
  readonly variables?: Readonly<Record<string, unknown>>;
}

const bodyOf = (sent: Sent) => Buffer.from(JSON.stringify(sent));

/** What becomes of it, and the milliseconds that this takes. */
async function judged(body: Buffer): Promise<{ readonly outcome: string; readonly cpu: number }> {
  let outcome = '';
  const cpu = await leastCpu(
    async () => {
      outcome = await createPrepare()(body);
    },
    { most: MOST },
  );
  return { outcome, cpu };
}

const times = (count: number, text: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => text(at)).join(' ');

/** What there is of code is compiled before anything is measured. */
const hostile = suite('hostile documents');
hostile.before(async () => {
  const random = seeded(1_000);
  for (let nth = 0; nth < 60; nth++) await createPrepare()(hostileDocument(schema, random));
});

// Each list of the schema, in each form of the arguments above it, in each nesting.

type Field = GraphQLField<unknown, unknown>;

interface ListPath {
  /** From a root field to the list. */
  readonly fields: readonly Field[];
  readonly parents: readonly GraphQLObjectType[];
}

function listPaths(): readonly ListPath[] {
  const found: ListPath[] = [];
  const visit = (
    type: GraphQLObjectType,
    fields: readonly Field[],
    parents: readonly GraphQLObjectType[],
  ) => {
    for (const field of Object.values(type.getFields())) {
      const named = getNamedType(field.type);
      const path = { fields: [...fields, field], parents: [...parents, type] };
      if (!isObjectType(named)) continue;
      if (isListType(getNullableType(field.type))) found.push(path);
      visit(named, path.fields, path.parents);
    }
  };
  const query = schema.getQueryType();
  if (query) visit(query, [], []);
  return found;
}

/** An argument's text in the document, and what is declared and sent besides. */
interface ArgumentForm {
  readonly name: string;
  readonly text: (argument: string) => string;
  readonly declared?: (type: string) => string;
  readonly sent?: Readonly<Record<string, unknown>>;
}

const NUMBERS = ['0', '-1', '1', '1000', '2147483647', 'null'];
const FORMS: readonly ArgumentForm[] = [
  { name: 'missing', text: () => '' },
  ...NUMBERS.map((value) => ({
    name: `literal ${value}`,
    text: (argument: string) => `${argument}:${value}`,
  })),
  ...NUMBERS.map((value) => ({
    name: `variable ${value}`,
    text: (argument: string) => `${argument}:$v`,
    declared: (type: string) => `($v:${type})`,
    sent: { v: JSON.parse(value) },
  })),
  ...NUMBERS.map((value) => ({
    name: `default ${value}`,
    text: (argument: string) => `${argument}:$v`,
    declared: (type: string) => `($v:${type}=${value})`,
  })),
  { name: 'variable not sent', text: (argument) => `${argument}:$v`, declared: (type) => `($v:${type})` },
];

const SLUGS: readonly ArgumentForm[] = [
  { name: 'literal []', text: (argument) => `${argument}:[]` },
  { name: 'literal [null]', text: (argument) => `${argument}:[null]` },
  { name: 'literal "a"', text: (argument) => `${argument}:"a"` },
  ...[[], [null], ['a'], Array.from({ length: 20_000 }, (_, at) => `s${at}`)].map((list) => ({
    name: `variable of ${list.length}`,
    text: (argument: string) => `${argument}:$v`,
    declared: () => '($v:[String]!)',
    sent: { v: list },
  })),
];

/** How the fields of a level are written into the one above. */
const NESTINGS = ['fragments', 'inline fragments', 'aliases', 'directives'] as const;
type Nesting = (typeof NESTINGS)[number];

interface Wanted {
  readonly path: ListPath;
  readonly form: ArgumentForm;
  readonly nesting: Nesting;
  /** Aliases at each level below the root. */
  readonly each: number;
}

function bomb({ path, form, nesting, each }: Wanted): Sent {
  const fragments: string[] = [];
  const leafOf = (type: GraphQLObjectType) => {
    const leaves = Object.values(type.getFields()).filter(
      ({ type: leaf }) => !isObjectType(getNamedType(leaf)),
    );
    return leaves[0]?.name ?? '__typename';
  };
  const last = path.fields.at(-1);
  const innermost = last && getNamedType(last.type);
  if (!isObjectType(innermost)) throw new Error('expected a list of objects');
  const condition = nesting === 'directives' ? ' @skip(if:false) @include(if:true)' : '';
  let inner = times(each, (at) => `l${at}:${leafOf(innermost)}${condition}`);
  for (let level = path.fields.length - 1; level >= 0; level--) {
    const field = path.fields[level];
    const type = field && getNamedType(field.type);
    if (field === undefined || !isObjectType(type)) throw new Error('expected an object');
    const count = level === 0 ? 1 : each;
    const args = level === 0 ? argumentsOf(field, form) : '';
    if (nesting === 'fragments' && level > 0) {
      fragments.push(`fragment F${level} on ${type.name}{${inner}}`);
      inner = times(count, (at) => `f${at}:${field.name}{...F${level}}`);
    } else if (nesting === 'inline fragments') {
      inner = times(count, (at) => `f${at}:${field.name}${args}{...{... on ${type.name}{${inner}}}}`);
    } else if (nesting === 'directives') {
      inner = times(count, (at) => `f${at}:${field.name}${args} @include(if:true){${inner}}`);
    } else inner = times(count, (at) => `f${at}:${field.name}${args}{${inner}}`);
  }
  const root = path.fields[0];
  const type = root?.args.find(({ name }) => name === chosenArgument(root))?.type;
  const declared = type === undefined ? '' : (form.declared?.(`${type}`) ?? '');
  return {
    query: `query${declared}{${inner}} ${fragments.join(' ')}`,
    ...(form.sent !== undefined && declared !== '' && { variables: form.sent }),
  };
}

const chosenArgument = ({ args }: Field) =>
  ['pageSize', 'eventsSlugs'].find((name) => args.some((arg) => arg.name === name));

function argumentsOf(field: Field, form: ArgumentForm): string {
  const chosen = chosenArgument(field);
  const texts = field.args.flatMap(({ name, type }) => {
    if (name === chosen) return form.text(name);
    return `${type}`.endsWith('!') ? `${name}:${`${type}` === 'Float!' ? 1 : '"a"'}` : [];
  });
  const given = texts.filter((text) => text !== '');
  return given.length === 0 ? '' : `(${given.join(',')})`;
}

const formsOf = (root: Field | undefined): readonly ArgumentForm[] => {
  const chosen = root && chosenArgument(root);
  if (chosen === undefined) return FORMS.slice(0, 1);
  return chosen === 'eventsSlugs' ? SLUGS : FORMS;
};

for (const path of listPaths()) {
  const name = path.fields.map((field) => field.name).join('.');
  hostile(`D2: should bound ${name}, whatever the arguments above it say`, async () => {
    for (const form of formsOf(path.fields[0])) {
      for (const nesting of NESTINGS) {
        // Without fragments a document holds no more than what its tokens write out.
        for (const each of nesting === 'fragments' ? [2, 14, 80] : [2, 3]) {
          const sent = bomb({ path, form, nesting, each });
          const { outcome, cpu } = await judged(bodyOf(sent));
          const what = `${name}, ${form.name}, ${nesting}, ${each}: ${outcome}, ${cpu.toFixed(1)} ms`;
          assert.ok(EXPECTED.has(outcome), what);
          assert.ok(cpu < MOST, what);
          // One entry at least: so many stand for more than 200,000 fields, whatever is asked for.
          if (each ** path.fields.length > 200_000) assert.is(outcome, 'QUERY_TOO_COMPLEX', what);
        }
      }
    }
  });
}

const EXPECTED: ReadonlySet<string> = new Set(['ok', 'QUERY_TOO_COMPLEX', 'GRAPHQL_VALIDATION_FAILED']);

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
    outcome: TOO_COMPLEX,
  })),
  ...[0, -1, null, 1].map((v) => ({
    name: `the same by a variable, ${v}`,
    body: bodyOf({
      query: fragmentBomb(BIG, '(pageSize:$v)').replace('{events', 'query($v:Int){events'),
      variables: { v },
    }),
    outcome: TOO_COMPLEX,
  })),
  {
    name: 'the same below an empty list of slugs',
    body: bodyOf({
      query: fragmentBomb(BIG, '').replace('events{data{...A}}', 'eventsBySlugs(eventsSlugs:[]){...A}'),
    }),
    outcome: TOO_COMPLEX,
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
    outcome: 'ok',
  },
  {
    name: 'one name for 300 different fields',
    body: bodyOf({ query: `{events{data{${times(300, (at) => `a:${at % 2 ? 'id' : 'mode'}`)}}}}` }),
    outcome: INVALID,
  },
  {
    name: 'the same selection at five levels, ten times each',
    body: bodyOf({
      query: `{${times(30, () => `events{data{${times(4, () => 'repetitions{venue{location{latitude}}}')}}}`)}}`,
    }),
    outcome: 'ok',
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
    '{',
    '[',
    '(',
    '!',
    '$a',
    '@a ',
    'a ',
    'a:',
    'a{',
    '...',
    '"" ',
    '1 ',
    '-',
    '.',
    '"',
    '""" ',
    '#\n',
    '\\',
    '\0',
    '😀',
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
    outcome: INVALID,
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
    assert.ok(found.cpu < MOST, `${found.cpu.toFixed(1)} ms`);
  });
}

hostile(`D2: should refuse or prepare ${DOCUMENTS} documents of a grammar within 50 ms each`, async () => {
  const random = seeded(SEED);
  const outcomes = new Map<string, number>();
  let slowest = { cpu: 0, outcome: '', bytes: 0 };
  for (let nth = 0; nth < DOCUMENTS; nth++) {
    const body = hostileDocument(schema, random);
    assert.ok(body.length <= FULL);
    const { outcome, cpu } = await judged(body);
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    if (cpu > slowest.cpu) slowest = { cpu, outcome, bytes: body.length };
    assert.ok(
      cpu < MOST,
      `seed ${SEED}, document ${nth}: ${outcome}, ${cpu} ms: ${body.toString().slice(0, 500)}`,
    );
  }
  const told = [...outcomes].map(([outcome, count]) => `${count} ${outcome}`).join(', ');
  console.log(`  ${told}; slowest: ${slowest.cpu.toFixed(1)} ms, ${slowest.outcome}, ${slowest.bytes} bytes`);
  assert.ok(outcomes.size > 3, told);
});

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
