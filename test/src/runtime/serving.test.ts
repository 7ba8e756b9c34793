/** H3, D14: the serving process: its room for answers, its address, and its workers. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { cacheBytes } from '../../../src/runtime/serving.ts';
import { createBudget } from '../../../src/serve/admission/budget.ts';
import { clientOf } from '../../helpers/client.ts';
import { publishCalendar, temporaryFolder } from '../../helpers/folder.ts';
import { freePort } from '../../helpers/nginx.ts';
import {
  childrenOf,
  endPrograms,
  SHORT_LIVED,
  scriptOf,
  startCommand,
  startServerProgram,
} from '../../helpers/program.ts';
import { eventually } from '../../helpers/until.ts';
import { isExpected, when } from '../../helpers/when.ts';

const MB = 1_024 * 1_024;

const serving = suite('serving process');

interface RoomCase {
  readonly setting: number | null;
  readonly memory: number;
  readonly room: number;
}

/** `ALMANAKK_CACHE_MB`, `ALMANAKK_MEMORY_MB`, and the room for answers, all in MB. */
const ROOMS: readonly RoomCase[] = [
  { setting: null, memory: 4_216, room: 16 },
  { setting: null, memory: 512, room: 16 },
  { setting: null, memory: 128, room: 2 },
  { setting: 0, memory: 4_216, room: 0 },
  { setting: 8, memory: 4_216, room: 8 },
  { setting: 256, memory: 4_216, room: 256 },
  { setting: 256, memory: 512, room: 98 },
];

for (const { setting, memory, room } of ROOMS) {
  serving(`H3: ${setting ?? 'no'} cache setting should give ${room} MB of ${memory} MB`, () => {
    assert.is(cacheBytes(setting, createBudget(memory * MB)), room * MB);
  });
}

when(
  isExpected('ss'),
  'no ss (iproute2)',
  serving,
)(
  'D14: should have the kernel hold thousands of connections that are not accepted yet, and load SQLite in workers only',
  async () => {
    const snapshots = temporaryFolder();
    await publishCalendar(snapshots);
    const env = { ALMANAKK_SNAPSHOTS: snapshots, ALMANAKK_WORKERS: '2' };
    const { pid, port } = await startServerProgram('serve', env);
    const listening = execFileSync('ss', ['-ltnH', `sport = :${port}`], { encoding: 'utf8' });
    const most = Number(readFileSync('/proc/sys/net/core/somaxconn', 'utf8'));
    assert.is(Number(listening.trim().split(/\s+/)[2]), Math.min(4_096, most));
    assert.not.match(readFileSync(`/proc/${pid}/maps`, 'utf8'), 'node_sqlite3', 'it supervises only');
    endPrograms();
  },
);

interface HostCase {
  readonly host: string | undefined;
  readonly listens: RegExp;
}

/** `HOST`, and where the kernel says that the server listens. */
const HOSTS: readonly HostCase[] = [
  { host: undefined, listens: /^127\.0\.0\.1:\d+$/ },
  { host: '127.0.0.2', listens: /^127\.0\.0\.2:\d+$/ },
  { host: '0.0.0.0', listens: /^0\.0\.0\.0:\d+$/ },
  { host: '::', listens: /^(?:\*|0\.0\.0\.0):\d+$/ },
];

for (const { host, listens } of HOSTS)
  when(
    isExpected('ss'),
    'no ss (iproute2)',
    serving,
  )(`H3: HOST=${host ?? ''} should listen on ${listens.source}`, async () => {
    // It listens before it has a snapshot.
    const env = { PATH: process.env.PATH, PORT: '0', ALMANAKK_SNAPSHOTS: temporaryFolder() };
    const program = startCommand(process.execPath, [...SHORT_LIVED, scriptOf('src/main'), 'serve'], {
      cwd: temporaryFolder(),
      env: host === undefined ? env : { ...env, HOST: host },
    });
    const line = await program.says(/ listening on http/);
    const [, name, port] = /http:\/\/([^:/]+):(\d+)\/graphQL/.exec(line) ?? [];
    const listening = execFileSync('ss', ['-ltnH', `sport = :${port}`], { encoding: 'utf8' });
    // Another program may listen at this port of another address.
    const addresses = listening
      .trim()
      .split('\n')
      .map((found) => found.split(/\s+/)[3] ?? '');
    assert.ok(
      addresses.some((address) => listens.test(address)),
      addresses.join(' '),
    );
    assert.is(name, host === '127.0.0.2' ? host : 'localhost');
    assert.is((await fetch(`http://${name}:${port}/healthz`)).status, 200);
    endPrograms();
  });

const isAdoption = (line: string) => line.includes('snapshot adopted');

serving('H3: should go on with its settings when .env changes and a worker is replaced', async () => {
  const [one, two, cwd] = [temporaryFolder(), temporaryFolder(), temporaryFolder()];
  const { id } = await publishCalendar(one, { name: 'En' });
  await publishCalendar(two, { name: 'To' });
  const edit = (folder: string) =>
    writeFileSync(join(cwd, '.env'), `ALMANAKK_SNAPSHOTS=${folder}\nALMANAKK_WORKERS=2\n`);
  edit(one);
  const env = { PATH: process.env.PATH, HOST: '127.0.0.1', PORT: `${await freePort()}` };
  const program = startCommand(process.execPath, [...SHORT_LIVED, scriptOf('src/main'), 'serve'], {
    cwd,
    env,
  });
  const line = await program.says(/ serving http/);
  const client = clientOf(/http:\/\/[^/]+/.exec(line)?.[0] ?? '');
  const workers = () => childrenOf(program.pid, / serve *$/);
  await eventually('two workers serve', async () => workers().length === 2);
  const served = async (): Promise<unknown> => JSON.parse((await client.send('/readyz')).text).snapshot.id;
  edit(two);
  for (const worker of workers()) {
    const adoptions = program.lines.filter(isAdoption).length;
    process.kill(worker, 'SIGKILL');
    await eventually(
      'another takes its place',
      async () => program.lines.filter(isAdoption).length > adoptions,
    );
  }
  await eventually('it answers', async () => (await client.send('/readyz')).status === 200);
  assert.is(await served(), id);
  endPrograms();
});

serving.run();
