/** D9: requests with variables of 250 KB (`hostile.test.ts`). */
import { assertInputObjectType, getNamedType, getNullableType, isListType } from 'graphql';
import { schema } from '../../../src/serve/graphql/schema.ts';
import { SLUGS } from './hostile-bodies.ts';
import { ANY, type Case, casesWith, each, repeatedTo, VENUES, withVariables } from './requests.ts';

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
export const VALUES: readonly Case[] = [
  ...filterCases(),
  ...casesWith('BAD_USER_INPUT', {
    ...each('a moment that goes on with', [' ', '.1', '.11111111'], (piece) =>
      withVariables({ f: { fromDate: `2026-01-01 10:00:00${repeatedTo(LONG, piece)}x` } }, SELECTED),
    ),
  }),
  ...casesWith(ANY, {
    ...each('a value of 250 KB for', LOOKUPS, (query) => withVariables({ v: 'a'.repeat(LONG) }, query)),
    'slugs of none': withVariables({ v: SLUGS_OF_NONE }, SLUGS),
    'one slug 9,000 times': withVariables({ v: Array(9_000).fill('sprakkafe-pa-biblioteket') }, SLUGS),
    '20,000 variables': withVariables(Object.fromEntries(SLUGS_OF_NONE.map((slug) => [slug, 1])), VENUES),
  }),
];
