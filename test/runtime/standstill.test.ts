import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { publishCalendar, temporaryFolder } from '../helpers/folder.ts';
import { endPrograms, ROOT, type ServerProgram, startServerProgram, workersOf } from '../helpers/program.ts';
import { eventually } from '../helpers/until.ts';

const watching = suite('watchdog of the server');

watching.after.each(endPrograms);

async function start(workers: number): Promise<ServerProgram> {
  const folder = temporaryFolder();
  await publishCalendar(folder);
  return startServerProgram('serve', {
    ALMANAKK_SNAPSHOTS: folder,
    ALMANAKK_WORKERS: `${workers}`,
    NODE_OPTIONS: `--import=${ROOT}/test/fixtures/block-on-signal.mjs`,
  });
}

watching('D13: should end a server whose event loop stands still for 15 s', async () => {
  const server = await start(1);
  server.kill('SIGUSR2');
  assert.equal(await server.ended, { code: null, signal: 'SIGKILL' });
  await server.says(/fatal event loop stands still, process killed ms=15000$/);
});

watching('D13: should replace a worker whose event loop stands still for 15 s', async () => {
  const server = await start(2);
  await eventually('both workers are there', async () => workersOf(server).length === 2);
  const [stuck = 0, other = 0] = workersOf(server);
  process.kill(stuck, 'SIGUSR2');
  await server.says(/error worker killed, its event loop stalled worker=\d+ ms=15000$/);
  await server.says(/worker ended.* signal=SIGKILL delay=0$/);
  await eventually('another one is there', async () => workersOf(server).length === 2);
  const after = workersOf(server);
  assert.ok(after.includes(other) && !after.includes(stuck));
  server.kill('SIGTERM');
  assert.equal(await server.ended, { code: 0, signal: null });
});

watching.run();
