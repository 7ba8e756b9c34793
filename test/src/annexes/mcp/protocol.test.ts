/** I14: `/mcp` speaks the Model Context Protocol, and refuses malformed messages. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { packagePath } from '../../../../src/package.ts';
import type { AccessLogEntry } from '../../../../src/serve/http/access-log.ts';
import { assertAbove, assertDefined } from '../../../helpers/assertions.ts';
import type { Got } from '../../../helpers/client.ts';
import { closedAfterEach } from '../../../helpers/closing.ts';
import { callOf, NOW, post } from '../../../helpers/mcp-calls.ts';
import { type Running, startBuilt } from '../../../helpers/running.ts';

const mcp = suite<{ running: Running; entries: AccessLogEntry[] }>('/mcp');
const opened = closedAfterEach(mcp);

mcp.before(async (context) => {
  context.entries = [];
  const onAccess = (entry: AccessLogEntry) => void context.entries.push(entry);
  context.running = await startBuilt(packagePath('data/sample'), NOW, { onAccess });
});
mcp.after(({ running }) => running.close());

/** Calls of the official client, which checks each structured answer against the schema of its tool. */
const CALLS: readonly { readonly name: string; readonly args: Readonly<Record<string, unknown>> }[] = [
  {
    name: 'find_events',
    args: { period: 'WEEKEND', age: 7, near: { latitude: 63.43, longitude: 10.4 } },
  },
  {
    name: 'find_events',
    args: { text: 'finnes ikke i det hele tatt' },
  },
  {
    name: 'get_event',
    args: { event: 'evt-002' },
  },
  {
    name: 'list_choices',
    args: {},
  },
];

for (const mode of ['legacy', 'auto'] as const) {
  mcp(`I14: should serve the official client, which agrees on a version by ${mode}`, async ({ running }) => {
    const client = opened(new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } }));
    await client.connect(new StreamableHTTPClientTransport(new URL(`${running.url}/mcp`)));
    assert.is(client.getServerVersion()?.title, 'Det skjer i Trøndelag');
    const { tools } = await client.listTools();
    assert.equal(
      Object.fromEntries(tools.map(({ name, annotations }) => [name, annotations?.readOnlyHint])),
      {
        find_events: true,
        get_event: true,
        list_choices: true,
      },
    );
    for (const { name, args } of CALLS) {
      const { isError, structuredContent } = await client.callTool({ name, arguments: args });
      assert.is(isError, undefined, name);
      assertDefined(structuredContent, `a structured answer of ${name}`);
    }
    await client.ping();
  });
}

mcp('I14: should answer a notification with 202', async ({ running }) => {
  const { status, text } = await post(running, { jsonrpc: '2.0', method: 'notifications/initialized' });
  assert.is(status, 202);
  assert.is(text, '');
});

for (const method of ['GET', 'DELETE']) {
  mcp(`I14: should refuse ${method}`, async ({ running }) => {
    const { status, headers } = await running.send('/mcp', { method });
    assert.is(status, 405);
    assert.is(headers.allow, 'POST, OPTIONS');
  });
}

interface MalformedMessage {
  readonly title: string;
  readonly body: unknown;
  readonly status: number;
  /** The code of JSON-RPC. */
  readonly code: number;
}

const MALFORMED: readonly MalformedMessage[] = [
  { title: 'half of a JSON text', body: '{', status: 400, code: -32_700 },
  { title: 'a text', body: '"text"', status: 400, code: -32_600 },
  { title: 'a batch', body: [callOf('list_choices')], status: 400, code: -32_600 },
  { title: 'no version of JSON-RPC', body: { id: 1, method: 'ping' }, status: 400, code: -32_600 },
  {
    title: 'an object as id',
    body: { jsonrpc: '2.0', id: {}, method: 'ping' },
    status: 400,
    code: -32_600,
  },
  {
    title: 'an id of 200 letters',
    body: { jsonrpc: '2.0', id: 'x'.repeat(200), method: 'ping' },
    status: 400,
    code: -32_600,
  },
  {
    title: 'a number as method',
    body: { jsonrpc: '2.0', id: 1, method: 7 },
    status: 400,
    code: -32_600,
  },
  {
    title: 'a list of parameters',
    body: { jsonrpc: '2.0', id: 1, method: 'ping', params: [] },
    status: 400,
    code: -32_602,
  },
  {
    title: 'a method that it does not have',
    body: { jsonrpc: '2.0', id: 1, method: 'resources/list' },
    status: 200,
    code: -32_601,
  },
  {
    title: 'a method with the name of a member of objects',
    body: { jsonrpc: '2.0', id: 1, method: 'constructor' },
    status: 200,
    code: -32_601,
  },
  { title: 'a tool that it does not have', body: callOf('find_event'), status: 200, code: -32_602 },
  {
    title: 'a tool with the name of a member of objects',
    body: callOf('toString'),
    status: 200,
    code: -32_602,
  },
];

for (const { title, body, status, code } of MALFORMED) {
  mcp(`I14: should answer ${title} with the error ${code} of JSON-RPC`, async ({ running }) => {
    const reply = await post(running, body);
    assert.is(reply.status, status);
    const { jsonrpc, error } = JSON.parse(reply.text);
    assert.is(jsonrpc, '2.0');
    assert.is(error.code, code);
  });
}

mcp('I14: should name the nearest tool for one that it does not have', async ({ running }) => {
  assert.match((await post(running, callOf('find_event'))).text, 'the nearest is \\"find_events\\"');
});

mcp('I14: should refuse an unknown version of the protocol', async ({ running }) => {
  const { status, text } = await post(running, callOf('list_choices'), {
    'mcp-protocol-version': '2099-01-01',
  });
  assert.is(status, 400);
  assert.is(JSON.parse(text).error.code, -32_022);
});

mcp('I14: should refuse another media type than JSON with 415', async ({ running }) => {
  assert.is((await post(running, '{}', { 'content-type': 'text/plain' })).status, 415);
});

mcp('I14: should refuse a body of 300 KB with 413', async ({ running }) => {
  assert.is((await post(running, ' '.repeat(300_000))).status, 413);
});

mcp('I14: should let pages of any origin send the protocol’s headers', async ({ running }) => {
  const asked = { origin: 'https://page.example', 'access-control-request-method': 'POST' };
  const { status, headers } = await running.send('/mcp', { method: 'OPTIONS', headers: asked });
  assert.is(status, 204);
  for (const name of ['Mcp-Protocol-Version', 'Mcp-Session-Id'])
    assert.match(headers['access-control-allow-headers'] ?? '', name);
});

mcp(
  'I14: should cache an answer by the arguments of the call, in any order and with any id',
  async ({ running, entries }) => {
    const first = await post(running, callOf('find_events', { categories: ['MUSIC', 'ART'], free: true }, 7));
    entries.length = 0;
    const args = { free: true, text: '', municipality: null, categories: ['ART', 'MUSIC', 'ART'] };
    const second = await post(running, callOf('find_events', args, 'eight'), { 'accept-encoding': 'br' });
    assert.equal(
      entries.map(({ route, rootField, isCacheHit }) => [route, rootField, isCacheHit]),
      [['/mcp', 'find_events', true]],
    );
    const [one, other] = [first, second].map(({ text }) => JSON.parse(text));
    assert.is(one.id, 7);
    assert.is(other.id, 'eight');
    assert.equal(one.result, other.result);
    assert.is(second.headers['content-length'], `${second.bytes.length}`);
    assert.match(second.headers['cache-control'] ?? '', /^public, max-age=\d+$/);
  },
);

mcp('I14: should count calls and malformed messages in the quota, and refuse them in JSON-RPC', async () => {
  const context = { settings: { quota: 2 } };
  const running = opened(await startBuilt(packagePath('data/sample'), NOW, { context }));
  const call = (id: number) => post(running, callOf('list_choices', {}, id));
  assert.is((await call(1)).status, 200);
  assert.is((await call(2)).status, 200);
  const refused = await call(3);
  assert.is(refused.status, 429);
  assertAbove(Number(refused.headers['retry-after']), 0, 'seconds');
  assert.equal(idAndCodeOf(refused), { id: 3, code: -32_000 });
  const malformed = await post(running, { jsonrpc: '2.0', id: 4, method: 7 });
  assert.is(malformed.status, 429);
  assert.equal(idAndCodeOf(malformed), { id: 4, code: -32_000 });
});

function idAndCodeOf({ text }: Got) {
  const { id, error } = JSON.parse(text);
  return { id, code: error.code };
}

mcp.run();
