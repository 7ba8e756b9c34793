import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { built } from '../helpers/build.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { generationFiles } from '../helpers/generations.ts';
import { startMixedLoad } from '../helpers/mixed-load.ts';
import { sourceFolder } from '../helpers/native-source.ts';
import { endPrograms, type ServerProgram, startServerProgram } from '../helpers/program.ts';

const LONG = process.env.ALMANAKK_TEST_LONG === '1';
const [REPLICAS, PUBLISHES, REST_MS] = LONG ? [3, 50, 20] : [2, 2, 100];

const replicating = suite('replicas');

replicating.after.each(endPrograms);

let generation = 0;

/** Publishes another calendar into the folder; gives its id. */
async function publishNext(folder: string): Promise<string> {
  generation++;
  const now = Math.floor(Date.now() / 1_000);
  return (await built(sourceFolder(generationFiles(generation, now)), folder, { now })).id;
}

function startReplica(origin: string, env: Readonly<Record<string, string>> = {}): Promise<ServerProgram> {
  return startServerProgram('start', {
    ALMANAKK_ORIGIN: origin,
    ALMANAKK_SNAPSHOTS: temporaryFolder(),
    ALMANAKK_POLL_SECONDS: '1',
    ALMANAKK_CACHE_MB: '8',
    ...env,
  });
}

const hasAdopted = (id: string) => (server: ServerProgram) =>
  server.says(new RegExp(`snapshot adopted (worker=\\d+ )?id=${id}`));

async function stop(servers: readonly ServerProgram[]): Promise<void> {
  for (const server of servers) server.kill('SIGTERM');
  for (const { ended, lines } of servers) {
    assert.equal(await ended, { code: 0, signal: null }, lines.join('\n'));
  }
}

replicating(
  `H6: ${REPLICAS} replicas of another server MUST fail no request over ${PUBLISHES} publishes`,
  async () => {
    const folder = temporaryFolder();
    await publishNext(folder);
    const token = { ALMANAKK_SNAPSHOTS_TOKEN: 'a-token-of-enough-length' };
    const offering = { ALMANAKK_SNAPSHOTS: folder, ALMANAKK_SERVE_SNAPSHOTS: 'true', ...token };
    const origin = await startServerProgram('serve', offering);
    const starting = Array.from({ length: REPLICAS }, () => startReplica(`${origin.url}/snapshots`, token));
    const replicas = await Promise.all(starting);
    // They need what is left of the machine for themselves.
    const loads = replicas.map(({ url }) => startMixedLoad({ url, connections: 2, restMs: REST_MS }));
    for (let publish = 0; publish < PUBLISHES; publish++) {
      const id = await publishNext(folder);
      await Promise.all(replicas.map(hasAdopted(id)));
    }
    const tallies = await Promise.all(loads.map((load) => load.stop()));
    assert.equal(
      tallies.flatMap(({ failures }) => failures),
      [],
    );
    const requests = tallies.reduce((sum, tally) => sum + tally.requests, 0);
    assert.ok(requests > REPLICAS * PUBLISHES, `${requests} requests`);
    assert.ok(tallies.every(({ generations }) => generations > 1));
    await stop(replicas);
    await stop([origin]);
  },
);

replicating.run();
