/** I8: `/openapi.json` describes every path: a validator reads it, and a client that is generated from it asks them all. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { build } from 'esbuild';
import { generateSource } from 'oazapfts';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { packagePath } from '../../../../src/package.ts';
import { createParts } from '../../../../src/serve/annex.ts';
import { PREFLIGHT_HEADER } from '../../../../src/serve/http/graphql-middleware.ts';
import { ANNEXES, contextOf, withAnnex } from '../../../helpers/annex.ts';
import { assertAbove, assertDefined } from '../../../helpers/assertions.ts';
import { NOW } from '../../../helpers/calendar.ts';
import { temporaryFolder } from '../../../helpers/folder.ts';
import { type Running, startBuilt } from '../../../helpers/running.ts';
import { pathsNamed } from '../../../readme/release-classes.ts';

interface Schema {
  readonly enum?: readonly string[];
  readonly default?: unknown;
}

interface Operation {
  readonly operationId: string;
  readonly parameters: readonly { readonly name: string; readonly schema: Schema }[];
  /** By status. */
  readonly responses: Readonly<Record<string, { readonly content: Content }>>;
}

/** Schemas by media type. */
type Content = Readonly<Record<string, { readonly schema: Schema }>>;

interface PathItem {
  readonly get?: Operation;
  readonly post?: Operation;
}

/** What the tests read of it. */
interface Document {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly components: object;
}

const operationsOf = ({ get, post }: PathItem): readonly Operation[] =>
  [get, post].filter((operation) => operation !== undefined);

const openapi = suite<{ running: Running; document: Document }>('openapi.json');

openapi.before(async (context) => {
  const settings = { serveSnapshots: true };
  context.running = await startBuilt(packagePath('data/sample'), NOW, { context: { settings } });
  context.document = await (await fetch(`${context.running.url}/openapi.json`)).json();
});
openapi.after(({ running }) => running.close());

openapi('I8: should be valid OpenAPI 3.1', async ({ document }) => {
  const { valid, errors } = await new Validator().validate({ ...structuredClone(document) });
  assert.ok(valid, JSON.stringify(errors));
  assert.is(document.openapi, '3.1.0');
});

/** Paths that are for operators, or parts of a page. */
const NOT_FOR_CALLERS = /^\/(?:status|metrics|changelog\/operators|[a-z.-]+-[\da-f]{12}\.(?:css|js))$/;
const CORE = ['/graphQL', '/graphql', '/schema.graphql', '/healthz', '/readyz'];

for (const column of ['stable', 'experimental'] as const) {
  const test = column === 'stable' ? openapi : withAnnex('mcp', openapi);
  test(`I8: should describe each path that docs/releases.md names as ${column}`, ({ document }) => {
    const named = pathsNamed(column);
    assertAbove(named.length, 2, 'paths');
    assert.equal(
      named.filter((path) => !(path in document.paths)),
      [],
    );
  });
}

openapi('I8: should describe each path for callers, and no other', async ({ running, document }) => {
  const context = contextOf({ keeper: running.keeper, settings: { serveSnapshots: true } });
  const parts = await createParts(ANNEXES, context);
  const described = parts.flatMap(({ routes = {} }) =>
    Object.entries(routes).flatMap(([path, route]) => (Reflect.get(route, 'about') === null ? [] : [path])),
  );
  const known = [...CORE, ...described].filter((path) => !NOT_FOR_CALLERS.test(path));
  assert.equal(Object.keys(document.paths).sort(), known.sort());
});

openapi('I8: should name each operation once', ({ document }) => {
  const operations = Object.values(document.paths).flatMap(operationsOf);
  // Generators of clients change the case of names.
  const ids = operations.map(({ operationId }) => operationId.toLowerCase());
  const repeated = ids.filter((id, place) => ids.indexOf(id) !== place);
  assertAbove(ids.length, 10, 'operations');
  assert.equal(repeated, []);
});

openapi(
  'I8: should give the value of the preflight header at both addresses of the endpoint',
  ({ document }) => {
    const operations = Object.values(document.paths).flatMap(operationsOf);
    const parameters = operations.flatMap((operation) => operation.parameters);
    const preflight = parameters.filter(({ name }) => name === PREFLIGHT_HEADER);
    assert.equal(
      preflight.map(({ schema }) => schema.enum),
      [['true'], ['true']],
    );
  },
);

/** Arguments of the operations that need any. */
const ARGUMENTS: Readonly<Record<string, readonly unknown[]>> = {
  getGraphql: ['{ calendar { name } }', 'true'],
  getGraphqlAlias: ['{ calendar { name } }', 'true'],
  postGraphql: [{ query: '{ calendar { name } }' }],
  postGraphqlAlias: [{ query: '{ calendar { name } }' }],
  getEventsJson: [
    { categories: ['MUSIC', 'ART'], cancelledNotIncluded: true, period: 'WEEK', pageSize: 3, lang: 'en' },
  ],
  getEventsCsv: [{ delimiter: ';', pageSize: 3 }],
  postMcp: [{ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_choices' } }],
};

openapi('I8: should have a client generated that gets the described answer of each path', async (context) => {
  const { running, document } = context;
  const client = await generateClient(document, running.url);
  const { calendar } = await running.ask<{ calendar: { snapshot: { id: string } } }>(
    '{ calendar { snapshot { id } } }',
  );
  const argumentsOf: Readonly<Record<string, readonly unknown[]>> = {
    ...ARGUMENTS,
    getChangesJson: [calendar.snapshot.id],
    getOembed: [`${running.url}/events.html`],
  };
  for (const [path, item] of Object.entries(document.paths)) {
    for (const { operationId, responses } of operationsOf(item)) {
      const { status, data, headers } =
        (await client[operationId]?.(...(argumentsOf[operationId] ?? []))) ?? {};
      assert.is(status, 200, path);
      const [[type = '', described] = []] = Object.entries(responses['200']?.content ?? {});
      assert.is(headers?.get('content-type')?.replace(/;.*/, ''), type, path);
      if (type.endsWith('json'))
        assertFits(await jsonOf(data), { document, schema: described?.schema, path });
    }
  }
});

const listsOf = ({ paths }: Document) =>
  Object.entries(paths).flatMap(([path, { get }]) =>
    path.startsWith('/events.') && get !== undefined ? [{ path, get }] : [],
  );

openapi('I8: should describe only parameters that the list takes', async ({ running, document }) => {
  const lists = listsOf(document);
  assert.is(lists.length, 7, 'lists');
  for (const { path, get } of lists) {
    const empty = get.parameters.map(({ name }) => `${name}=`).join('&');
    // I11: the site redirects to the address without empty parameters.
    const expected = path === '/events.html' ? 303 : 200;
    assert.is((await running.send(`${path}?${empty}`)).status, expected, path);
  }
});

openapi('I8: should describe the refusal of another parameter', async ({ running, document }) => {
  for (const { path, get } of listsOf(document)) {
    const { status, text } = await running.send(`${path}?colour=red`);
    assert.is(status, 400, path);
    const schema = get.responses.default?.content['application/json']?.schema;
    assertFits(JSON.parse(text), { document, schema, path });
  }
});

openapi('I8: should describe how many events a page has by default', async ({ running, document }) => {
  const entriesOf = async (address: string) => (await running.send(address)).text.split('/events/').length;
  for (const { path, get } of listsOf(document)) {
    const size = get.parameters.find(({ name }) => name === 'pageSize')?.schema.default;
    assert.is(await entriesOf(path), await entriesOf(`${path}?pageSize=${size}`), `${path}: ${size}`);
  }
});

openapi('I8: should describe only values that the list takes', async ({ running, document }) => {
  for (const { path, get } of listsOf(document)) {
    for (const { name, schema } of get.parameters) {
      for (const value of schema.enum ?? []) {
        const { status } = await running.send(`${path}?pageSize=1&${name}=${value}`);
        assert.is(status, 200, `${path}: ${name}=${value}`);
      }
    }
  }
});

interface Described {
  readonly document: Document;
  readonly schema: Schema | undefined;
  readonly path: string;
}

function assertFits(value: unknown, { document, schema, path }: Described): void {
  assertDefined(schema, `a schema of ${path}`);
  const { components } = document;
  const validate = new Ajv2020({ strict: false }).compile({ ...schema, components });
  assert.ok(validate(value), `${path}: ${JSON.stringify(validate.errors?.slice(0, 3))}`);
}

/** Types that a client does not know for JSON come as they are. */
async function jsonOf(data: unknown): Promise<unknown> {
  if (data instanceof Blob) return JSON.parse(await data.text());
  return typeof data === 'string' ? JSON.parse(data) : data;
}

/** A method for each operation. */
type GeneratedClient = Readonly<Record<string, (...args: readonly unknown[]) => Promise<ClientReply>>>;

interface ClientReply {
  readonly status: number;
  readonly data: unknown;
  readonly headers: Headers;
}

async function generateClient(document: object, url: string): Promise<GeneratedClient> {
  const file = join(temporaryFolder(), 'openapi.json');
  writeFileSync(file, JSON.stringify(document));
  const contents = await generateSource(file);
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: packagePath('.'), loader: 'ts' },
    bundle: true,
    format: 'esm',
    write: false,
  });
  const client = await import(`data:text/javascript,${encodeURIComponent(outputFiles[0]?.text ?? '')}`);
  client.defaults.baseUrl = url;
  return client;
}

openapi.run();
