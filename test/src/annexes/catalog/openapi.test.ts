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
import { PREFLIGHT_HEADER } from '../../../../src/serve/http/graphql.ts';
import { ANNEXES, contextOf } from '../../../helpers/annex.ts';
import { NOW } from '../../../helpers/calendar.ts';
import { temporaryFolder } from '../../../helpers/folder.ts';
import { type Running, startBuilt } from '../../../helpers/running.ts';

// biome-ignore lint/suspicious/noExplicitAny: a document of any form, and a client of it.
type Any = any;

const openapi = suite<{ running: Running; document: Any }>('openapi.json');

openapi.before(async (context) => {
  const settings = { serveSnapshots: true };
  context.running = await startBuilt(packagePath('data/sample'), NOW, { context: { settings } });
  context.document = await (await fetch(`${context.running.url}/openapi.json`)).json();
});
openapi.after(({ running }) => running.close());

openapi('I8: should be valid OpenAPI 3.1', async ({ document }) => {
  const { valid, errors } = await new Validator().validate(structuredClone(document));
  assert.ok(valid, JSON.stringify(errors));
  assert.is(document.openapi, '3.1.0');
});

/** Paths that are for operators, or parts of a page. */
const NOT_FOR_CALLERS = /^\/(?:status|metrics|changelog\/operators|[a-z.-]+-[\da-f]{12}\.(?:css|js))$/;
const CORE = ['/graphQL', '/graphql', '/schema.graphql', '/healthz', '/readyz'];

openapi('I8: should describe each path for callers, and no other', async ({ running, document }) => {
  const context = contextOf({ keeper: running.keeper, settings: { serveSnapshots: true } });
  const parts = await createParts(ANNEXES, context);
  const described = parts.flatMap(({ routes = {} }) =>
    Object.entries(routes).flatMap(([path, route]) => (Reflect.get(route, 'about') === null ? [] : [path])),
  );
  const known = [...CORE, ...described].filter((path) => !NOT_FOR_CALLERS.test(path));
  assert.equal(Object.keys(document.paths).sort(), known.sort());
});

openapi(
  'I8: should name each operation once, and tell the preflight header’s value',
  async ({ document }) => {
    const operations = Object.values<Any>(document.paths).flatMap(({ get, post }) =>
      [get, post].filter(Boolean),
    );
    const ids = operations.map(({ operationId }) => operationId.toLowerCase());
    assert.is(new Set(ids).size, ids.length, ids.sort().join(' '));
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

openapi(
  'I8: a generated client should get the described answer of each path',
  async ({ running, document }) => {
    const client = await clientOf(document, running.url);
    const { calendar } = (await client.postGraphql({ query: '{ calendar { snapshot { id } } }' })).data.data;
    const argumentsOf = (id: string): readonly unknown[] =>
      ({ getChangesJson: [calendar.snapshot.id], getOembed: [`${running.url}/events.html`] })[id] ??
      ARGUMENTS[id] ??
      [];
    for (const [path, item] of Object.entries<Any>(document.paths)) {
      for (const method of ['get', 'post'].filter((each) => item[each])) {
        const { operationId, responses } = item[method];
        const args = argumentsOf(operationId);
        const { status, data, headers } = await client[operationId](...args);
        assert.is(status, 200, path);
        const [[type, { schema }]]: Any = Object.entries(responses[200].content);
        assert.is(headers.get('content-type').replace(/;.*/, ''), type, path);
        if (/json$/.test(type)) fits(document, schema, await jsonOf(data), path);
      }
    }
  },
);

openapi(
  'I8: each parameter should be one that its path takes, and no other',
  async ({ running, document }) => {
    for (const [path, { get }] of Object.entries<Any>(document.paths)) {
      if (!path.startsWith('/events.')) continue;
      const names = get.parameters.map(({ name }: Any) => `${name}=`).join('&');
      // I11: the site redirects empty parameters away.
      const expected = path === '/events.html' ? 303 : 200;
      assert.is((await running.send(`${path}?${names}`)).status, expected, path);
      const refused = await fetch(`${running.url}${path}?colour=red`);
      assert.is(refused.status, 400);
      fits(document, get.responses.default.content['application/json'].schema, await refused.json(), path);
      for (const { name, schema } of get.parameters) {
        if (schema.enum === undefined) continue;
        const accepted = await Promise.all(
          schema.enum.map((value: string) => fetch(`${running.url}${path}?pageSize=1&${name}=${value}`)),
        );
        assert.equal(new Set(accepted.map(({ status }) => status)), new Set([200]), name);
      }
    }
  },
);

function fits({ components }: Any, schema: object, value: unknown, what: string): void {
  const ajv = new Ajv2020({ strict: false });
  const validate = ajv.compile({ ...schema, components });
  assert.ok(validate(value), `${what}: ${JSON.stringify(validate.errors?.slice(0, 3))}`);
}

/** Types that a client does not know for JSON come as they are. */
async function jsonOf(data: unknown): Promise<unknown> {
  if (data instanceof Blob) return JSON.parse(await data.text());
  return typeof data === 'string' ? JSON.parse(data) : data;
}

async function clientOf(document: object, url: string): Promise<Any> {
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
