/** D2: each list of the schema, in each form of the arguments above it, in each nesting, is refused or prepared at a bounded cost. */
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
import { bodyOf, judged, MOST, type Sent, times, warmUp } from '../helpers/preparing.ts';

const hostile = suite('hostile lists');
hostile.before(warmUp);

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
          const { outcome, cost } = await judged(bodyOf(sent));
          const what = `${name}, ${form.name}, ${nesting}, ${each}: ${outcome}, ${cost.toFixed(1)} references`;
          assert.ok(EXPECTED.has(outcome), what);
          assert.ok(cost <= MOST, what);
          const isTooMuch = each ** path.fields.length > 200_000 && form.name === 'missing';
          if (isTooMuch && HOLDING.has(name.split('.', 1)[0] ?? '')) {
            assert.is(outcome, 'QUERY_TOO_COMPLEX', what);
          }
        }
      }
    }
  });
}

/** Root fields that hold something without arguments. */
const HOLDING: ReadonlySet<string> = new Set(['events', 'venues', 'organizers', 'categories']);

const EXPECTED: ReadonlySet<string> = new Set(['ok', 'QUERY_TOO_COMPLEX', 'GRAPHQL_VALIDATION_FAILED']);

hostile.run();
