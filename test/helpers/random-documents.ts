/** Random GraphQL documents, valid and invalid, with strings, comments and punctuation in misleading places. */
import type { Random } from '../oracle/random.ts';

/** Makes random documents that differ from a few others in a string or in a few characters, or repeat one of them. */
export function randomTexts(random: Random): () => string {
  const bases: string[] = [];
  return () => {
    if (bases.length < MOST_BASES) bases.push(documentText(random));
    else if (random.chance(0.05)) bases[random.int(0, MOST_BASES - 1)] = documentText(random);
    const base = random.pick(bases);
    if (random.chance(0.7)) return withOtherStrings(base, random);
    return random.chance(0.5) ? base : withOtherCharacters(base, random);
  };
}

/** Few, so that each is repeated often. */
const MOST_BASES = 20;

function documentText(random: Random): string {
  const fields = Array.from({ length: random.chance(0.8) ? 1 : 2 }, () => rootText(random));
  const tokens = [random.pick(['', '', '\ufeff']), random.pick(OPENINGS), ...fields, '}', random.pick(ENDS)];
  return tokens.join(random.pick(BETWEEN));
}

const OPENINGS = ['{', '{', '{', 'query {', 'query Q {', 'query ($id: String = "a") {'];
const ENDS = [
  '',
  '',
  '',
  '',
  '',
  '# """) {id}\n}',
  '# """) {id}\n}',
  '#',
  '# \ud83d\ude00',
  '{ venues { id } }',
];
const BETWEEN = ['', ' ', ' ', '\n', ',', '\r\n', '# """)\n', '# ( { "\n', '\ufeff'];

function rootText(random: Random): string {
  const { name, argument, below } = random.pick(ROOTS);
  const alias = random.pick(['', '', 'a:', 'a :', 'eventByID:']);
  const value = argument === undefined ? '' : `(${argument(random.pick(STRINGS))})`;
  const parts = [`${alias}${name}`, value, random.pick(DIRECTIVES), '{', ...random.some(below, 1, 3), '}'];
  return parts.join(random.pick(BETWEEN));
}

interface RandomRoot {
  readonly name: string;
  readonly argument?: (text: string) => string;
  readonly below: readonly string[];
}

const ROOTS: readonly RandomRoot[] = [
  { name: 'eventByID', argument: (text) => `eventID:${text}`, below: ['id', 'title_nb', 't: title_en'] },
  { name: 'eventBySlug', argument: (text) => `eventSlug: ${text}`, below: ['id', 'slug', '__typename'] },
  {
    name: 'events',
    argument: (text) => `filter: { tag: ${text}, venues: [${text}] }, page: 1`,
    below: ['totalCount', 'n: totalCount', 'data { id }', 'data @skip(if: true) { id }'],
  },
  { name: 'venues', below: ['id', 'name', '... on Venue { slug }'] },
];

const DIRECTIVES = ['', '', '', '', '', '@include(if: true)', '@skip(if: false)', '@skip(if: true)', '@skip'];

const STRINGS = [
  '""',
  '"evt-132"',
  '")"',
  '"# "',
  '"{ id }"',
  '"\\""',
  '"\\\\"',
  '"\\n"',
  '"a\\"b"',
  '"\t"',
  '"""a',
  '"\\u0061"',
  '"\\u{1F600}"',
  '"\\ud83d\\ude00"',
  '"\\ud83d"',
  '"\ud83d\ude00"',
  '"\ud83d"',
  '"\\x"',
  '""""""',
  '"""a"""',
  '""" ") { id } # """',
  '"""a\\"""b"""',
  '"""\n  a\n"""',
  '""""',
  '"""',
  '"""""',
  'null',
  '1',
  '$id',
  '[]',
];

function withOtherStrings(text: string, random: Random): string {
  const string = random.pick(STRINGS);
  return text.replaceAll(/(?<=[:[] ?)(?:"""[^"]*"""|"(?:[^"\\\n]|\\.)*"|\$id)/g, () => string);
}

/** With one character more, less or in place of another one. */
function withOtherCharacters(text: string, random: Random): string {
  const at = random.int(0, text.length);
  const inserted = random.chance(0.6) ? random.pick(CHARACTERS) : '';
  return `${text.slice(0, at)}${inserted}${text.slice(at + random.int(0, 1))}`;
}

const CHARACTERS = [
  '"',
  '""',
  '"""',
  '(',
  ')',
  '{',
  '}',
  '#',
  '\\',
  '\n',
  '\r',
  ' ',
  '@',
  '$',
  '\ud83d',
  '\ufeff',
  'a',
];
