/** D3: operations as TypeScript, compiled as strictly as clients may. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as GraphQL from 'graphql';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { packagePath } from '../../../../src/package.ts';
import { schema } from '../../../../src/serve/graphql/schema.ts';
import { assertDefined } from '../../../helpers/assertions.ts';
import { temporaryFolder } from '../../../helpers/folder.ts';
import { runShell } from '../../../readme/shell.ts';

interface Asked {
  readonly schema: GraphQL.GraphQLSchema;
  readonly text: string;
  readonly operationName?: string;
  readonly endpoint: string;
}

const page: { typescriptOf?: (library: typeof GraphQL, asked: Asked) => string } = {};
new Function('window', readFileSync(packagePath('src/annexes/sandbox/assets/typescript.js'), 'utf8'))(page);

function typescriptOf(text: string, operationName?: string): string {
  const endpoint = 'https://calendar.example/graphQL';
  const asked = { schema, text, endpoint, ...(operationName !== undefined && { operationName }) };
  assertDefined(page.typescriptOf, 'a function typescriptOf of the script');
  return page.typescriptOf(GraphQL, asked);
}

/** Operations, each with code after its call that compiles only with the right types. */
const OPERATIONS: readonly (readonly [text: string, use: string])[] = [
  ['{ venues { id name } }', 'const name: string | undefined = data?.venues?.[0]?.name;'],
  [
    'query Next { events(pageSize: 5) { totalCount data { id title_nb } } }',
    'const count: number = data?.events?.totalCount ?? 0;',
  ],
  ['query lower { calendar { name siteUrl } }', 'const name: string | undefined = data?.calendar?.name;'],
  [
    'query Vars($filter: Filter, $page: Int = 0) { events(filter: $filter, page: $page) { totalCount } }',
    "await fetchVars({ filter: { period: 'WEEKEND', near: { latitude: 63, longitude: 10, km: 2 } } });",
  ],
  [
    'query One($id: String!) { eventByID(eventID: $id) { title_nb prices { price } } }',
    "await fetchOne({ id: 'a' }); const price: number | null | undefined = data?.eventByID?.prices[0]?.price;",
  ],
  [
    'query Many($slugs: [String]!) { eventsBySlugs(eventsSlugs: $slugs) { id } }',
    "await fetchMany({ slugs: ['a', null] });",
  ],
  [
    'query Alias { soon: events(pageSize: 1) { n: totalCount list: data { key: id } } }',
    'const key: string | undefined = data?.soon?.list[0]?.key;',
  ],
  [
    'query Frag { events { data { ...card } } } fragment card on Event { id venue { ...place } } fragment place on Venue { name location { latitude } }',
    'const latitude: number | null | undefined = data?.events?.data[0]?.venue?.location?.latitude;',
  ],
  [
    'query Inline { events { data { ... on Event { id } ... { title_en } } } }',
    'const title: string | null | undefined = data?.events?.data[0]?.title_en;',
  ],
  [
    'query Twice { events { data { venue { id } venue { name } } } }',
    'const venue = data?.events?.data[0]?.venue; const both: string = (venue?.id ?? "") + (venue?.name ?? "");',
  ],
  [
    'query Some($with: Boolean!) { events { data { id title_nb @include(if: $with) ... @skip(if: $with) { title_en } } } }',
    'const title: string | null | undefined = data?.events?.data[0]?.title_nb;',
  ],
  [
    'query Sure($with: Boolean!) { events { data { id id @include(if: $with) } } }',
    'const id: string | undefined = data?.events?.data[0]?.id;',
  ],
  [
    'query Typed { events { __typename data { __typename } } }',
    "const name: 'EventConnection' | undefined = data?.events?.__typename;",
  ],
  [
    'query Status { events { data { status accessibility repetitions { status } } } }',
    "const isOff: boolean = data?.events?.data[0]?.status === 'CANCELLED';",
  ],
  [
    'query Facets { events { categories(first: 3) { id hits subcategories { id } } days { day hits } tags { tag hits } } }',
    'const hits: number | undefined = data?.events?.categories?.[0]?.hits;',
  ],
  [
    'query Box($a: Float!, $b: Float!, $c: Float!, $d: Float!) { allUpcomingEventsInArea(minLatitude: $a, maxLatitude: $b, minLongitude: $c, maxLongitude: $d) { id } }',
    'await fetchBox({ a: 1, b: 2, c: 3, d: 4 });',
  ],
  [
    'query Meta { __schema { types { name } } __type(name: "Event") { name fields { name } } }',
    'const name: string | null | undefined = data?.__schema.types[0]?.name;',
  ],
  [
    `query Text { events(filter: { searchTerm: "a\`b\${c}\\\\d" }) { totalCount } }`,
    'const count: number | undefined = data?.events?.totalCount;',
  ],
  [
    'query Changed($since: String!) { changes(since: $since) { added changed removed } calendar { snapshot { id } } }',
    "await fetchChanged({ since: 'x' }, { headers: { 'X-Api-Key': 'k' } });",
  ],
  [
    'query delete($ids: [String!], $age: Int) { events(filter: { ids: $ids, age: $age }) { data { images { alt } organizers { website } } } }',
    'await fetchDelete({ ids: ["a"], age: 7 }); await fetchDelete();',
  ],
  [
    'query First { venues { id } } query Second { organizers { id } }',
    'const id: string | undefined = data?.venues?.[0]?.id;',
  ],
];

const typescript = suite('typescript.js');

typescript('D3: should write functions that tsc --strict compiles', async () => {
  const folder = temporaryFolder();
  for (const [at, [text, use]] of OPERATIONS.entries()) {
    const written = typescriptOf(text);
    const [, called = '', variables] =
      /async function fetch(\w+)\((variables: \w+(?: = \{\})?)?/.exec(written) ?? [];
    const isRequired = variables !== undefined && !variables.endsWith('{}');
    const given = isRequired ? `{} as ${called}Variables` : '';
    const body = [
      `const { data, errors } = await fetch${called}(${given});`,
      'const reasons: readonly string[] | undefined = errors[0]?.extensions?.reasons;',
      use,
    ].join('\n  ');
    writeFileSync(
      // The name is in the compiler's message about the operation.
      join(folder, `${at + 1}-${called}.ts`),
      `${written}\nexport async function use() {\n  ${body}\n}\n`,
    );
  }
  const { stdout, stderr, code } = await compileAll(folder);
  assert.is(code, 0, stdout + stderr);
});

typescript('D3: should refuse wrong uses of what it wrote', async () => {
  const folder = temporaryFolder();
  const written = typescriptOf('query One($id: String!) { eventByID(eventID: $id) { id } }');
  writeFileSync(join(folder, 'one.ts'), `${written}\nexport const wrong = fetchOne({ id: 7 });\n`);
  const { stdout } = await compileAll(folder);
  assert.match(stdout, /Type 'number' is not assignable to type 'string'/);
});

/** Runs tsc, as strictly as clients may, on all files of a folder. */
function compileAll(folder: string) {
  const options =
    '--ignoreConfig --noEmit --strict --noUncheckedIndexedAccess --target es2022 --lib es2022,dom --types ""';
  return runShell(`${packagePath('node_modules/.bin/tsc')} ${options} *.ts`, { folder });
}

typescript('D3: should write the chosen operation, and report the fault of a document', () => {
  const text = 'query First { venues { id } } query Second { organizers { id } }';
  assert.match(typescriptOf(text, 'Second'), 'fetchSecond(');
  assert.not.match(typescriptOf(text, 'Second'), 'venues');
  assert.throws(() => typescriptOf('{ nothing }'), /Cannot query field "nothing"/);
});

typescript.run();
