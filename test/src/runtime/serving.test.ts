import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { cacheBytes } from '../../../src/runtime/serving.ts';
import { createBudget } from '../../../src/serve/admission/budget.ts';
import { publishCalendar, temporaryFolder } from '../../helpers/folder.ts';
import { endPrograms, startServerProgram } from '../../helpers/program.ts';
import { isInstalled, when } from '../../helpers/when.ts';

const MB = 1_024 * 1_024;

const serving = suite('serving process');

/** `ALMANAKK_CACHE_MB`, `ALMANAKK_MEMORY_MB`, and the room for answers, all in MB. */
const ROOMS: readonly (readonly [setting: number | null, memory: number, room: number])[] = [
  [null, 4_216, 16],
  [null, 512, 16],
  [null, 128, 2],
  [0, 4_216, 0],
  [8, 4_216, 8],
  [256, 4_216, 256],
  [256, 512, 98],
];

for (const [setting, memory, room] of ROOMS) {
  serving(`H3: ${setting ?? 'no'} cache setting should give ${room} MB of ${memory} MB`, () => {
    assert.is(cacheBytes(setting, createBudget(memory * MB)), room * MB);
  });
}

when(
  isInstalled('ss'),
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

serving.run();
