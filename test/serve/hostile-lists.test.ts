/** D2: each list of the schema counts with what it holds, and finding that out has a bounded cost. */
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
import { schema } from '../../src/serve/graphql/schema.ts';
import { bodyOf, judged, MOST, times, warmUp } from '../helpers/preparing.ts';

const hostile = suite('hostile lists');
hostile.before(warmUp);

type Field = GraphQLField<unknown, unknown>;

interface ListPath {
  /** From a root field to the list. */
  readonly fields: readonly Field[];
}

function listPaths(): readonly ListPath[] {
  const found: ListPath[] = [];
  const visit = (type: GraphQLObjectType, above: readonly Field[]) => {
    for (const field of Object.values(type.getFields())) {
      const named = getNamedType(field.type);
      const fields = [...above, field];
      if (!isObjectType(named)) continue;
      if (isListType(getNullableType(field.type))) found.push({ fields });
      visit(named, fields);
    }
  };
  const query = schema.getQueryType();
  if (query) visit(query, []);
  return found;
}

/** Fragments in which each level has so many aliases of the next one. */
function bomb({ fields }: ListPath, each: number): string {
  const fragments: string[] = [];
  let inner = '';
  for (const [above, field] of fields.toReversed().entries()) {
    const level = fields.length - above;
    const type = getNamedType(field.type);
    if (!isObjectType(type)) throw new Error('expected an object');
    if (inner === '') inner = times(each, (at) => `l${at}:${leafOf(type)}`);
    fragments.push(`fragment F${level} on ${type.name}{${inner}}`);
    const alias = (at: number) =>
      `f${at}:${field.name}${level === 1 ? argumentsOf(field) : ''}{...F${level}}`;
    inner = times(level === 1 ? 1 : each, alias);
  }
  return `{${inner}} ${fragments.join(' ')}`;
}

function leafOf(type: GraphQLObjectType): string {
  const leaf = Object.values(type.getFields()).find((field) => !isObjectType(getNamedType(field.type)));
  return leaf?.name ?? '__typename';
}

function argumentsOf({ args }: Field): string {
  const required = args.filter(({ type }) => `${type}`.endsWith('!'));
  const texts = required.map(({ name, type }) => `${name}:${`${type}` === 'Float!' ? 1 : '"a"'}`);
  return texts.length === 0 ? '' : `(${texts.join(',')})`;
}

for (const path of listPaths()) {
  const name = path.fields.map((field) => field.name).join('.');
  hostile(`D2: should count what ${name} holds, however often it stands there`, async () => {
    for (const each of [2, 14, 80]) {
      const { outcome, cost } = await judged(bodyOf({ query: bomb(path, each) }));
      const what = `${name}, ${each}: ${outcome}, ${cost.toFixed(1)} references`;
      assert.ok(EXPECTED.has(outcome), what);
      assert.ok(cost <= MOST, what);
      const isTooMuch = each ** path.fields.length > 200_000;
      if (isTooMuch && HOLDING.has(path.fields[0]?.name ?? '')) assert.is(outcome, 'QUERY_TOO_COMPLEX', what);
    }
  });
}

/** Root fields that hold something without arguments. */
const HOLDING: ReadonlySet<string> = new Set(['events', 'venues', 'organizers', 'categories']);

const EXPECTED: ReadonlySet<string> = new Set(['ok', 'QUERY_TOO_COMPLEX', 'GRAPHQL_VALIDATION_FAILED']);

hostile.run();
