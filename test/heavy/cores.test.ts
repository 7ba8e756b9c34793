import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { temporaryFolder } from '../helpers/folder.ts';
import { endPrograms, ROOT, type ServerProgram, startServerProgram, workersOf } from '../helpers/program.ts';
import { until } from '../helpers/until.ts';

const WORKERS = 3;

const cores = suite('several processes');

cores.after.each(endPrograms);

/** Over a connection of its own, so that the processes take turns. */
async function get(server: ServerProgram, path: string): Promise<string> {
  const { status, text } = await server.send(path, { headers: APART });
  assert.is(status, 200, path);
  return text;
}

const APART = { Connection: 'close' };

const query = (server: ServerProgram) => server.get('query Count { events { totalCount } }', APART);

async function counted(server: ServerProgram): Promise<number> {
  const lines = (await get(server, '/metrics')).split('\n');
  return lines
    .filter((line) => /^almanakk_request_duration_seconds_count\{.*route="\/graphQL"/.test(line))
    .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

cores('H1: should serve from all of them, tell of all of them, and replace the one that dies', async () => {
  const server = await startServerProgram('start', {
    ALMANAKK_WORKERS: `${WORKERS}`,
    ALMANAKK_SNAPSHOTS: temporaryFolder(),
    ALMANAKK_SOURCE: `${ROOT}/data/sample`,
  });
  await server.says(/ rebuild published /);
  const adoptions = () => server.lines.filter((line) => / snapshot adopted worker=\d+ /.test(line));
  await until('all have the snapshot', () => adoptions().length === WORKERS);
  const before = workersOf(server);
  assert.is(before.length, WORKERS);

  for (let turn = 0; turn < 12; turn++) await query(server);
  for (let turn = 0; turn < WORKERS; turn++) {
    assert.is(await counted(server), 12);
    const { builds } = JSON.parse(await get(server, '/status?format=json'));
    assert.is(builds.length, 1, JSON.stringify(builds));
  }

  process.kill(before[0] ?? -1, 'SIGKILL');
  await server.says(/worker ended, it is replaced .*signal=SIGKILL/);
  await until('another one has the snapshot', () => adoptions().length === WORKERS + 1);
  const after = workersOf(server);
  assert.is(after.length, WORKERS);
  assert.is(after.filter((pid) => before.includes(pid)).length, WORKERS - 1);
  // What the dead one had counted is not forgotten.
  for (let turn = 0; turn < 6; turn++) await query(server);
  assert.is(await counted(server), 18);

  server.kill('SIGTERM');
  assert.equal(await server.ended, { code: 0, signal: null });
});

cores.run();
