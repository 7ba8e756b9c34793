import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { MANIFEST, snapshotFile } from '../../src/snapshot/folder.ts';
import { built } from '../helpers/build.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { generationFiles } from '../helpers/generations.ts';
import { startMixedLoad } from '../helpers/mixed-load.ts';
import { sourceFolder } from '../helpers/native-source.ts';
import { startNginx, withNginx } from '../helpers/nginx.ts';
import { endPrograms, type ServerProgram, startServerProgram } from '../helpers/program.ts';
import { until } from '../helpers/until.ts';

const LONG = process.env.ALMANAKK_TEST_LONG === '1';
const [REPLICAS, PUBLISHES, REST_MS] = LONG ? [3, 50, 20] : [2, 3, 60];

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

async function answers(server: ServerProgram): Promise<void> {
  const { text } = await server.get('{ events { totalCount data { title_nb } } }');
  assert.match(text, /^\{"data":\{"events":\{"totalCount":[1-9]/);
}

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
    const sum = (pick: (tally: (typeof tallies)[number]) => number) =>
      tallies.reduce((total, tally) => total + pick(tally), 0);
    const requests = sum((tally) => tally.requests);
    assert.ok(requests > REPLICAS * PUBLISHES, `${requests} requests`);
    assert.ok(tallies.every(({ generations }) => generations > 1));
    console.log(
      `  ${REPLICAS} replicas, ${PUBLISHES} publishes, ${requests} requests, ${sum(({ failed }) => failed)} failed`,
    );
    await stop(replicas);
    await stop([origin]);
  },
);

withNginx(replicating)(
  'H6: a replica of a plain file server should follow it, and outlive what goes wrong there',
  async () => {
    const place = temporaryFolder();
    const folder = join(place, 'snapshots');
    await publishNext(folder);
    // As the README shows it.
    const nginx = await startNginx({
      server: `root ${place};
          location = /snapshots/manifest.json { add_header Cache-Control no-cache; }
          location ~ "^/snapshots/calendar-[0-9a-f]{16}\\.sqlite$" {
            add_header Cache-Control "public, max-age=31536000, immutable";
          }
          location / { return 404; }`,
    });
    // With two serving processes, which all have to swap.
    const replica = await startReplica(`${nginx.url}/snapshots`, { ALMANAKK_WORKERS: '2' });
    const adopted = (id: string) =>
      until(
        `both processes have ${id}`,
        () => linesWith(replica, `id=${id} `).filter(isAdoption).length === 2,
      );

    // Within a second: nginx's entity tags of these are the same when their sizes are.
    await publishNext(folder);
    await adopted(await publishNext(folder));
    await answers(replica);

    writeFileSync(join(folder, MANIFEST), '<html>maintenance</html>');
    await replica.says(/warn pull failed reason="manifest\.json: expected JSON, found <html>/);
    await answers(replica);

    const aside = temporaryFolder();
    const next = await publishNext(aside);
    const bytes = readFileSync(join(aside, snapshotFile(next)));
    const deliver = (some: Buffer) => writeFileSync(join(folder, snapshotFile(next)), some);
    deliver(bytes.subarray(0, 50_000));
    copyFileSync(join(aside, MANIFEST), join(folder, MANIFEST));
    await replica.says(/warn pull failed reason=".*expected \d+ bytes, found 50000"/);
    await answers(replica);
    deliver(bytes);
    await adopted(next);

    await nginx.stop();
    await replica.says(/warn origin out of reach reason=".*connect ECONNREFUSED/);
    await answers(replica);
    await stop([replica]);
  },
);

const linesWith = ({ lines }: ServerProgram, text: string) => lines.filter((line) => line.includes(text));
const isAdoption = (line: string) => line.includes('snapshot adopted');

replicating.run();
