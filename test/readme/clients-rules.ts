/** Rules for client programs: each is saved and run, and its output checked. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { clientOf } from '../helpers/client.ts';
import { type Check, type Rule, runs, saves } from './checks.ts';
import { ADDRESS, runShell } from './shell.ts';

interface Program {
  readonly command: string;
  /** Whether it prints the reasons of a refusal (A14). Its query then has a value that the test replaces by an invalid date. */
  readonly showsReasons: boolean;
  /** Whether its library throws for HTTP 400, which a query of an unknown field gets. */
  readonly raisesForStatus?: boolean;
  readonly check: (output: string) => void;
}

/** Saves a program to the file of its paragraph, and runs it with the server of the clone. */
function program({ command, showsReasons, raisesForStatus = false, check }: Program): Check {
  return async (block, world) => {
    const run = async (text: string) => {
      await saves({ ...block, text }, world);
      return runShell(`${command} ${block.file}`, { folder: world.clone() });
    };
    const { code, stdout, stderr } = await run(block.text);
    assert.is(code, 0, stdout + stderr);
    assert.is(stderr, '');
    check(stdout);
    if (!showsReasons) return;
    const refused = await run(withWrongDate(block.text));
    assert.is.not(refused.code, 0);
    assert.match(refused.stderr, /fromDate: expected a datetime/, 'A14: a client shows the reasons');
    if (!raisesForStatus) return;
    const unread = await run(block.text.replace('title_nb', 'title'));
    assert.match(unread.stderr, 'Did you mean', 'the message of a response with HTTP 400');
  };
}

/** The program with a query that the server refuses. */
function withWrongDate(text: string): string {
  const wrong = text
    .replace(/\(pageSize: /, '(filter: { fromDate: "soon" }, pageSize: ')
    .replace(...MUSIC_AS_DATE);
  assert.is.not(wrong, text, 'expected a query with a page size, or with a filter by MUSIC');
  return wrong;
}

const MUSIC_AS_DATE = [/categories("?): \[(['"])MUSIC['"]\]/, 'fromDate$1: $2soon$2'] as const;

/** A program for Node that asks for events. */
function asksInNode(file: RegExp, check: Program['check']): Rule {
  return { shape: { language: 'js', file }, check: program({ command: 'node', showsReasons: true, check }) };
}

function runsInNode(file: RegExp, check: Program['check']): Rule {
  return { shape: { language: 'js', file }, check: program({ command: 'node', showsReasons: false, check }) };
}

/** Five events, the first of which has a datetime. */
const namesFive = (output: string) => assert.match(output, /^5 \d{4}-\d\d-\d\d [\d:]{8}\+0[12]:00\n$/);

const namesSnapshot = runs(async ({ stdout }, { server }) => {
  const { text } = await clientOf((await server()).url).post('{ calendar { snapshot { id } } }');
  const [asked] = /"id":"[\da-f]{16}"/.exec(text) ?? [];
  assert.is(stdout.replaceAll(/\s/g, ''), asked);
});

const isOfGeneratedTypes: Check = async (block, world) => {
  await saves(block, world);
  const folder = world.clone();
  assert.match(readFileSync(join(folder, 'next.ts'), 'utf8'), 'Unknown ids match nothing', 'descriptions');
  const options =
    '--ignoreConfig --noEmit --strict --allowImportingTsExtensions --module nodenext --types ""';
  const { stdout, code } = await runShell(`node_modules/.bin/tsc ${options} ${block.file}`, { folder });
  assert.is(code, 0, stdout);
};

/** The second time, nothing has changed, and the file stays. */
const savesAnswerOnce: Check = async (block, world) => {
  const events = () => readFileSync(join(world.clone(), 'events.json'), 'utf8');
  await runs()(block, world);
  const first = events();
  assert.is(JSON.parse(first).data.events.data.length, 5);
  await runs()(block, world);
  assert.is(events(), first);
};

const isServerOfAssistants: Check = async ({ text }, { server }) => {
  const { mcpServers } = JSON.parse(text.replaceAll(ADDRESS, (await server()).url));
  const ping = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: PING };
  assert.equal(await (await fetch(mcpServers.almanakk.url, ping)).json(), {
    jsonrpc: '2.0',
    id: 1,
    result: {},
  });
};

const PING = '{"jsonrpc": "2.0", "id": 1, "method": "ping"}';

export const CLIENTS_RULES: readonly Rule[] = [
  asksInNode(/^events\.mjs$/, (output) => {
    assert.match(output, /^\d+ events\n(\d{4}-\d\d-\d\d [\d:]{8}\+0[12]:00 .+\n){5}$/);
  }),
  asksInNode(/^poll\.mjs$/, (output) => {
    assert.match(output, /^200 5 public, max-age=\d+\n304 5 public, max-age=\d+\n$/);
  }),
  // Its requests after a change are tested in test/src/serve/http/clients.test.ts.
  runsInNode(/^copy\.mjs$/, (output) => assert.match(output, /^\d+ events of [\da-f]{16}\n$/)),
  runsInNode(/^times\.mjs$/, (output) => {
    assert.is(output, 'fredag 20. november 2026 kl. 18:00\n2026-11-20\n');
  }),
  // The policies of Apollo and urql are tested in test/src/serve/http/clients.test.ts.
  asksInNode(/^(?:with-graphql-request|apollo|urql)\.mjs$/, namesFive),
  runsInNode(/^persisted\.mjs$/, (output) => assert.is(output, 'true\n')),
  runsInNode(/^generate\.mjs$/, (output) => assert.is(output, '')),
  {
    shape: { language: 'python', file: /\.py$/ },
    check: program({
      command: 'python3',
      showsReasons: true,
      raisesForStatus: true,
      check: (output) => assert.match(output, /^(\d\d\.\d\d\. \d\d:\d\d .+\n){5}$/),
    }),
    needs: 'python3',
  },
  { shape: { language: 'graphql', file: /./ }, check: saves },
  { shape: { language: 'ts', file: /./ }, check: isOfGeneratedTypes },
  { shape: { language: 'sh', says: /\/snapshots\/manifest\.json/ }, check: namesSnapshot, needs: 'curl' },
  { shape: { language: 'sh', says: /--etag-compare/ }, check: savesAnswerOnce, needs: 'curl' },
  { shape: { language: 'json', says: /"mcpServers"/ }, check: isServerOfAssistants },
  {
    shape: { language: 'sh', says: /\/mcp\b/ },
    check: runs(({ stdout }) => assert.match(stdout, '"structuredContent":{"total":')),
    needs: 'curl',
  },
];
