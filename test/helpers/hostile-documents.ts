/** Bodies of requests that nobody means well with: valid operations, damaged ones, and tokens in any order, blown up. */
import type { GraphQLSchema } from 'graphql';
import { type Random, randomOperation } from './random-operations.ts';

const MOST_BYTES = 256 * 1_024;

/** The body of a POST, of 256 KiB at most. Nearly all are small, and one in ten has a part that is not. */
export function hostileDocument(schema: GraphQLSchema, random: Random): Buffer {
  const sent = MAKERS[random(MAKERS.length)]?.(schema, random) ?? { query: '' };
  const query = random(10) === 0 ? blownUp(sent.query, random) : sent.query;
  const body = Buffer.from(JSON.stringify({ ...sent, query }));
  return body.length > MOST_BYTES ? body.subarray(0, MOST_BYTES) : body;
}

interface Sent {
  readonly query: string;
  readonly variables?: Readonly<Record<string, unknown>>;
}

type Make = (schema: GraphQLSchema, random: Random) => Sent;

const pick = <T>(list: readonly T[], random: Random): T => {
  const item = list[random(list.length)];
  if (item === undefined) throw new Error('expected a list that is not empty');
  return item;
};

const VALUES: readonly unknown[] = [
  ...[0, -1, 1, 10, 1_000, 2_147_483_647, 2_147_483_648, 1.5, null, '', 'a', 'konsert'],
  ...[true, false, [], [null], ['a', 'b'], '2026-06-15 10:00:00+02:00', '10:00-12:00', 'online'],
];

const valid: Make = (schema, random) => randomOperation(schema, random, (_, chance) => pick(VALUES, chance));

const damaged: Make = (schema, random) => {
  const { query, variables = {} } = valid(schema, random);
  const at = random(query.length);
  const end = at + random(20);
  const edits = [
    () => query.slice(0, at),
    () => query.slice(0, at) + query.slice(end),
    () => query.slice(0, at) + pick(TOKENS, random) + query.slice(at),
    () => query.slice(0, end) + query.slice(at),
  ];
  return { query: pick(edits, random)(), variables };
};

const TOKENS = [
  ...[
    '{',
    '}',
    '(',
    ')',
    '[',
    ']',
    ':',
    '!',
    '$',
    '@',
    '|',
    '&',
    '=',
    '...',
    '"',
    '"""',
    '#',
    '\n',
    ',',
    ' ',
  ],
  ...[
    'query',
    'fragment',
    'on',
    'mutation',
    'subscription',
    'true',
    'null',
    '__typename',
    '__schema',
    '__proto__',
  ],
  ...[
    'events',
    'data',
    'id',
    'venues',
    'repetitions',
    'filter',
    'pageSize',
    'a',
    '1',
    '-1',
    '1e9',
    '"a"',
    '\\u0000',
    'æ',
  ],
];

const soup: Make = (_, random) => {
  const count = 1 + random(random(10) === 0 ? 3_000 : 200);
  return {
    query: Array.from({ length: count }, () => pick(TOKENS, random)).join(random(2) === 0 ? ' ' : ''),
  };
};

/** Fragments that spread each other, and fields under many names. */
const expanding: Make = (_, random) => {
  const levels: readonly (readonly [field: string, type: string])[] = [
    ['data', 'Event'],
    ['repetitions', 'Repetition'],
    ['venue', 'Venue'],
    ['location', 'Location'],
  ];
  const depth = 1 + random(levels.length);
  const each = 1 + random(60);
  const fragments = levels.slice(0, depth).map(([, type], level) => {
    const [next] = levels[level + 1] ?? [];
    const inner = level === depth - 1 || next === undefined ? '__typename' : `${next}{...F${level + 1}}`;
    const fields = Array.from({ length: each }, (__, at) => `f${at}:${inner}`);
    return `fragment F${level} on ${type}{${fields.join(' ')} ${random(3) === 0 ? `...F${level}x` : ''}} fragment F${level}x on ${type}{__typename}`;
  });
  const size = pick(['', '(pageSize:0)', '(pageSize:-1)', '(pageSize:1000)', '(pageSize:null)'], random);
  return { query: `{events${size}{data{...F0}}} ${fragments.join(' ')}` };
};

const MAKERS: readonly Make[] = [valid, valid, damaged, damaged, soup, expanding];

const FILLERS = [
  ' ',
  ',',
  '\n',
  '\t',
  '#',
  '# {\n',
  '"',
  '""',
  '{',
  '}',
  '(',
  'a',
  'a ',
  'a:',
  '1',
  '...',
  '\ufeff',
  '\\',
  'æ',
];

/** With one piece of it repeated thousands of times. */
function blownUp(query: string, random: Random): string {
  const at = random(query.length + 1);
  const piece = pick(FILLERS, random);
  const room = Math.max(0, 200_000 - 2 * query.length);
  return (
    query.slice(0, at) + piece.repeat(Math.floor(random(room + 1) / (2 * piece.length))) + query.slice(at)
  );
}
