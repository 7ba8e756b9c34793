/** What is done with the blocks of docs/clients.md, in their order: each program is saved, run, and says something. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { clientOf } from '../helpers/client.ts';
import { needs, type Rule, type Rules, runs, saves } from './checks.ts';
import { ADDRESS, runShell } from './shell.ts';

/** Saves a program where the page says, and runs it against the clone's server. */
function program(command: string, check: (output: string) => void): Rule {
  return async (block, world) => {
    const { url } = await world.server();
    const run = (text: string) => {
      saves(({ clone }) => clone())({ ...block, text: text.replaceAll(ADDRESS, url) }, world);
      return runShell(`${command} ${block.file}`, { folder: world.clone() });
    };
    const { code, stdout, stderr } = await run(block.text);
    assert.is(code, 0, stdout + stderr);
    assert.is(stderr, '');
    check(stdout);
    const mistaken = block.text
      .replace(/\(pageSize: /, '(filter: { fromDate: "soon" }, pageSize: ')
      .replace(...NO_DATE);
    if (mistaken === block.text) return;
    const refused = await run(mistaken);
    assert.is.not(refused.code, 0);
    assert.match(refused.stderr, /fromDate: expected a datetime/, 'A14: a client shows the reasons');
  };
}

const NO_DATE = [/categories("?): \[(['"])MUSIC['"]\]/, 'fromDate$1: $2soon$2'] as const;

const node = (check: (output: string) => void) => program('node', check);

/** Five events, the first of which has a datetime. */
const tellsOfFive = (output: string) => assert.match(output, /^5 \d{4}-\d\d-\d\d [\d:]{8}\+0[12]:00\n$/);

export const CLIENTS_RULES: Rules = {
  'fetch › js 1': node((output) => {
    assert.match(output, /^\d+ events\n(\d{4}-\d\d-\d\d [\d:]{8}\+0[12]:00 .+\n){5}$/);
  }),
  'Only when something has changed › js 1': node((output) => {
    assert.match(output, /^200 5 public, max-age=\d+\n304 5 public, max-age=\d+\n$/);
  }),
  'Only when something has changed › sh 1': runs(async ({ stdout }, { server }) => {
    const { text } = await clientOf((await server()).url).post('{ calendar { snapshot { id } } }');
    const [asked] = /"id":"[\da-f]{16}"/.exec(text) ?? [];
    assert.is(stdout.replaceAll(/\s/g, ''), asked);
  }),
  // What it fetches after a change is in test/src/serve/http/clients.test.ts.
  'Keeping a copy › js 1': node((output) => assert.match(output, /^\d+ events of [\da-f]{16}\n$/)),
  'Times and texts › js 1': node((output) => {
    assert.is(output, 'fredag 20. november 2026 kl. 18:00\n2026-11-20\n');
  }),
  'graphql-request › js 1': node(tellsOfFive),
  // What its policies are for is in test/src/serve/http/clients.test.ts.
  'Apollo Client › js 1': node(tellsOfFive),
  'urql › js 1': node(tellsOfFive),
  'Persisted queries › js 1': node((output) => assert.is(output, 'true\n')),
  'Code generation › graphql 1': saves(({ clone }) => clone()),
  'Code generation › js 1': node((output) => assert.is(output, '')),
  'Code generation › ts 1': async (block, world) => {
    saves(({ clone }) => clone())(block, world);
    const folder = world.clone();
    assert.match(readFileSync(join(folder, 'next.ts'), 'utf8'), 'Unknown ids match nothing', 'descriptions');
    const options =
      '--ignoreConfig --noEmit --strict --allowImportingTsExtensions --module nodenext --types ""';
    const { stdout, code } = await runShell(`node_modules/.bin/tsc ${options} venues.ts`, { folder });
    assert.is(code, 0, stdout);
  },
  'Python › python 1': needs(
    'python3',
    program('python3', (output) => assert.match(output, /^(\d\d\.\d\d\. \d\d:\d\d .+\n){5}$/)),
  ),
  'A shell line › sh 1': needs('curl', async (block, world) => {
    const events = () => readFileSync(join(world.clone(), 'events.json'), 'utf8');
    await runs()(block, world);
    const first = events();
    assert.is(JSON.parse(first).data.events.data.length, 5);
    await runs()(block, world);
    assert.is(events(), first);
  }),
  'Assistants › json 1': async ({ text }, { server }) => {
    const { mcpServers } = JSON.parse(text.replaceAll(ADDRESS, (await server()).url));
    const ping = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: PING };
    assert.equal(await (await fetch(mcpServers.almanakk.url, ping)).json(), {
      jsonrpc: '2.0',
      id: 1,
      result: {},
    });
  },
  'Assistants › sh 1': needs(
    'curl',
    runs(({ stdout }) => assert.match(stdout, '"structuredContent":{"total":')),
  ),
};

const PING = '{"jsonrpc": "2.0", "id": 1, "method": "ping"}';
