import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { signing as makeKeys } from '../../jobs/annexes/keys/commands.ts';
import { watchStore } from '../../jobs/annexes/store/replicate.ts';
import { openStore } from '../../jobs/kit/s3.ts';
import { readSigningKey } from '../../jobs/kit/signature.ts';
import type { StoreState } from '../../src/annexes/common/upkeep.ts';
import { built } from '../helpers/build.ts';
import { startFaultProxy } from '../helpers/fault-proxy.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { generationFiles } from '../helpers/generations.ts';
import { startMixedLoad } from '../helpers/mixed-load.ts';
import { sourceFolder } from '../helpers/native-source.ts';
import { startNginx, withNginx } from '../helpers/nginx.ts';
import { endPrograms, type ServerProgram, startServerProgram } from '../helpers/program.ts';
import { startSwift, withSwift } from '../helpers/swift.ts';
import { until } from '../helpers/until.ts';

const PUBLISHES = process.env.ALMANAKK_TEST_LONG === '1' ? 50 : 2;

const replicating = withNginx(withSwift(suite('replicas of a store')));

replicating.after(endPrograms);

const hasAdopted = (id: string) => (server: ServerProgram) =>
  server.says(new RegExp(`snapshot adopted id=${id}`));

replicating(
  `J1, J2, J3: three replicas, by key, of a public bucket and behind a CDN, MUST fail no request over ${PUBLISHES} publishes and an outage`,
  async () => {
    const begun = performance.now();
    const swift = await startSwift();
    const bucket = await swift.makeBucket('kalender');
    const proxy = await startFaultProxy(swift.url);
    const [keyFile] = [join(temporaryFolder(), 'key')];
    await makeKeys(['--out', keyFile]);

    // The builder, with a build whenever the test says so in place of a schedule.
    const folder = temporaryFolder();
    const stopping = new AbortController();
    const { signal } = stopping;
    const location = new URL('s3://kalender/by/');
    const s3 = { ...swift.access, endpoint: proxy.url };
    const store = openStore({ location, s3, signal, clock: Date.now, totalMs: 60_000 });
    const lines: string[] = [];
    const log = {
      info: (_: object, message: string) => lines.push(message),
      warn: (_: object, message: string) => lines.push(message),
    };
    const states: StoreState[] = [];
    const onState = (state: StoreState) => states.push(state);
    const common = { folder, store, stopping, log, onState, retryMs: 100 };
    const watch = watchStore({ ...common, clock: Date.now, random: Math.random });
    let generation = 0;
    const publishNext = async () => {
      generation++;
      const now = Math.floor(Date.now() / 1_000);
      const source = sourceFolder(generationFiles(generation, now));
      // Each a second after the one before, so that none is as old as another.
      const { id } = await built(source, folder, { now, sign: readSigningKey(keyFile) });
      watch.wake();
      return id;
    };
    const first = await publishNext();
    await until('the first one is in the store', () => states.at(-1)?.id === first);

    const open = new URL(bucket);
    open.host = proxy.url.host;
    const cdn = await startNginx({
      http: `proxy_cache_path ${temporaryFolder()} keys_zone=cdn:1m;`,
      server: `location / {
        proxy_pass ${open.href};
        proxy_http_version 1.1;
        proxy_cache cdn;
        proxy_cache_lock on;
      }`,
    });
    const origins = [
      { ...swift.env, ALMANAKK_S3_ENDPOINT: proxy.url.href, ALMANAKK_ORIGIN: location.href },
      { ALMANAKK_ORIGIN: `${open.href}by/` },
      { ALMANAKK_ORIGIN: `${cdn.url}/by/` },
    ];
    const replicas = await Promise.all(
      origins.map((origin) =>
        startServerProgram('start', {
          ...origin,
          ALMANAKK_TRUST: `${keyFile}.pub`,
          ALMANAKK_SNAPSHOTS: temporaryFolder(),
          ALMANAKK_POLL_SECONDS: '1',
          ALMANAKK_CACHE_MB: '8',
        }),
      ),
    );
    const loads = replicas.map(({ url }) => startMixedLoad({ url, connections: 1, restMs: 40 }));

    for (let publish = 1; publish < PUBLISHES; publish++) {
      const id = await publishNext();
      await Promise.all(replicas.map(hasAdopted(id)));
    }
    // The store is away for a while, in which a build comes.
    proxy.behave((_request, response) => response.destroy() && 'answered');
    const last = await publishNext();
    await Promise.all(replicas.slice(0, 2).map((replica) => replica.says(/origin out of reach reason=/)));
    await until('the builder says so', () => states.at(-1)?.failing?.why === 'unreachable');
    proxy.behave(null);
    await Promise.all(replicas.map(hasAdopted(last)));
    await until('the builder is content again', () => states.at(-1)?.failing === null);

    const tallies = await Promise.all(loads.map((load) => load.stop()));
    assert.equal(
      tallies.flatMap(({ failures }) => failures),
      [],
    );
    assert.ok(tallies.every(({ generations }) => generations > 1));
    const sum = (pick: (tally: (typeof tallies)[number]) => number) =>
      tallies.reduce((total, tally) => total + pick(tally), 0);
    const { bytes: sent = 0 } = states.at(-1) ?? {};
    const seconds = ((performance.now() - begun) / 1_000).toFixed(1);
    const requests = `${sum((tally) => tally.requests)} requests, ${sum(({ failed }) => failed)} failed`;
    console.log(
      `  3 replicas, ${PUBLISHES} publishes and an outage, ${requests}; ${sent} bytes sent, ${proxy.bytes()} through the store, ${seconds} s`,
    );
    assert.ok(lines.includes('store complete again'));

    for (const server of replicas) server.kill('SIGTERM');
    for (const { ended, lines: said } of replicas) {
      assert.equal(await ended, { code: 0, signal: null }, said.join('\n'));
    }
    await watch.stop();
    await cdn.stop();
    await proxy.close();
    await swift.stop();
  },
);

replicating.run();
